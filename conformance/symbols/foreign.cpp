// Runs aoti-cts-objread and reads its answer; see foreign.h and objread/objread.h.
#include "symbols/foreign.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "symbols/command.h"
#include "symbols/objread/objread.h"

namespace aoti_cts::symbols {
namespace {

constexpr uint64_t kMaxMember = 8ull << 30;  // bytes; the largest torch library has half a GiB
constexpr size_t kMaxAnswer = 1u << 30;

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
      throw std::runtime_error("pipe: " + std::string(strerror(errno)));
    read = fds[0], write = fds[1];
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

class Actions {
 public:
  Actions() { posix_spawn_file_actions_init(&actions_); }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  void dup(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

struct Answer {
  int status = 0;
  std::string out, err;
};

// Starts the helper on a file; its output goes to `out_fd`, or into the answer.
Answer run_helper(const FileInput& input, const std::vector<std::string>& arguments, int out_fd) {
  const std::string path = helper_path("aoti-cts-objread");
  Pipe out, err;
  Actions actions;
  // lseek: the helper reads from the start, whatever was read of the descriptor before.
  lseek(input.fd(), 0, SEEK_SET);
  actions.dup(input.fd(), STDIN_FILENO);
  actions.dup(out_fd >= 0 ? out_fd : out.write, STDOUT_FILENO);
  actions.dup(err.write, STDERR_FILENO);
  std::vector<char*> argv = {const_cast<char*>(path.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, path.c_str(), actions.get(), nullptr, argv.data(), environ);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", path, strerror(error)));
  // A hostile file may make a parser loop: the kernel ends it after a minute of work.
  const rlimit limit = {60, 60};
  prlimit(pid, RLIMIT_CPU, &limit, nullptr);
  Pipe::close_end(out.write);
  Pipe::close_end(err.write);
  Answer answer;
  std::array<pollfd, 2> polled = {pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
  std::array<char, 1 << 16> block;
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) break;
    for (size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      const ssize_t got = read(polled[i].fd, block.data(), block.size());
      std::string& text = i == 0 ? answer.out : answer.err;
      if (got <= 0 || text.size() > kMaxAnswer) {
        polled[i].fd = -1;
        continue;
      }
      text.append(block.data(), static_cast<size_t>(got));
    }
  }
  Pipe::close_end(out.read);  // a helper that still writes gets SIGPIPE
  Pipe::close_end(err.read);
  while (waitpid(pid, &answer.status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

[[noreturn]] void fail_helper(const FileInput& input, const Answer& answer) {
  if (WIFSIGNALED(answer.status)) {
    input.fail("contents",
               fmt::format("the reader was ended by signal {} ({})", WTERMSIG(answer.status),
                           strsignal(WTERMSIG(answer.status))));
  }
  std::string reason = answer.err.substr(0, answer.err.find('\n'));
  if (reason.empty()) reason = fmt::format("the reader ended with {}", WEXITSTATUS(answer.status));
  input.fail("contents", reason);
}

// The answer's fields in turn.
class Fields {
 public:
  Fields(const FileInput& input, const std::string& text) : input_(input), text_(text) {}
  bool more() const { return at_ < text_.size(); }
  std::string_view next() {
    const size_t end = text_.find('\0', at_);
    if (end == std::string::npos) input_.fail("contents", "the reader's answer is cut short");
    const std::string_view field(text_.data() + at_, end - at_);
    at_ = end + 1;
    return field;
  }

 private:
  const FileInput& input_;
  const std::string& text_;
  size_t at_ = 0;
};

class ForeignLibrary final : public Library {
 public:
  ForeignLibrary(std::string path, std::string_view form, std::string_view format,
                 std::string_view soname, std::shared_ptr<const std::string> answer)
      : answer_(std::move(answer)) {
    path_ = std::move(path);
    format_ = format;
    soname_ = soname;
    form_ = form == "macho"     ? Form::MachO
            : form == "pe"      ? Form::Pe
            : form == "archive" ? Form::Archive
                                : Form::Object;
  }

  const std::vector<Symbol>& exports() override { return exports_; }
  const std::vector<Symbol>& imports() override { return imports_; }

  std::optional<Symbol> find_export(std::string_view name) override {
    if (by_name_.empty()) {
      for (const Symbol& symbol : exports_) by_name_.emplace(symbol.name, &symbol);
    }
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return std::nullopt;
    return *found->second;
  }

  void add_needed(std::string_view name) { needed_.emplace_back(name); }
  void add_export(const Symbol& symbol) { exports_.push_back(symbol); }
  void add_import(const Symbol& symbol) { imports_.push_back(symbol); }

  /// In an archive a name that one member wants and another has is no import, and a name that many
  /// members have (inline functions) is one export.
  void settle() {
    if (form_ != Form::Archive) return;
    std::unordered_map<std::string_view, bool> seen;
    std::vector<Symbol> exports, imports;
    for (const Symbol& symbol : exports_) {
      if (seen.emplace(symbol.name, true).second) exports.push_back(symbol);
    }
    for (const Symbol& symbol : imports_) {
      if (seen.emplace(symbol.name, true).second) imports.push_back(symbol);
    }
    exports_ = std::move(exports);
    imports_ = std::move(imports);
  }

 private:
  std::shared_ptr<const std::string> answer_;  // what all texts point into
  std::vector<Symbol> exports_, imports_;
  std::unordered_map<std::string_view, const Symbol*> by_name_;
};

Symbol read_symbol(Fields& fields, bool exported) {
  Symbol symbol;
  const std::string_view kind = fields.next(), binding = fields.next(), other = fields.next();
  symbol.name = fields.next();
  if (exported) symbol.forwarded_to = other;
  switch (kind.empty() ? objread::kUnknown : kind[0]) {
    case objread::kFunction:
      symbol.kind = Symbol::Kind::Function;
      break;
    case objread::kData:
      symbol.kind = Symbol::Kind::Data;
      break;
    case objread::kTls:
      symbol.kind = Symbol::Kind::Tls;
      break;
    case objread::kAbsolute:
      symbol.kind = Symbol::Kind::Absolute;
      break;
    default:
      break;
  }
  if (binding == "w") symbol.binding = Symbol::Binding::Weak;
  if (binding == "u") symbol.binding = Symbol::Binding::Unique;
  return symbol;
}

}  // namespace

std::vector<std::unique_ptr<Library>> read_foreign(std::unique_ptr<FileInput> input) {
  Answer answer = run_helper(*input, {"symbols"}, -1);
  if (answer.status != 0) fail_helper(*input, answer);
  const auto text = std::make_shared<const std::string>(std::move(answer.out));
  Fields fields(*input, *text);
  std::vector<std::unique_ptr<Library>> libraries;
  ForeignLibrary* current = nullptr;
  for (bool ended = false; !ended;) {
    if (!fields.more()) input->fail("contents", "the reader's answer is cut short");
    const std::string_view keyword = fields.next();
    if (keyword == "end") {
      ended = true;
    } else if (keyword == "library") {
      const std::string_view form = fields.next(), format = fields.next(), soname = fields.next();
      auto library = std::make_unique<ForeignLibrary>(input->name(), form, format, soname, text);
      current = library.get();
      libraries.push_back(std::move(library));
    } else if (current != nullptr && keyword == "needed") {
      current->add_needed(fields.next());
    } else if (current != nullptr && keyword == "export") {
      current->add_export(read_symbol(fields, true));
    } else if (current != nullptr && keyword == "import") {
      current->add_import(read_symbol(fields, false));
    } else {
      input->fail("contents", fmt::format("the reader's answer holds a record '{}'", keyword));
    }
  }
  for (const auto& library : libraries) static_cast<ForeignLibrary&>(*library).settle();
  if (libraries.empty()) input->fail("contents", "no library in it");
  return libraries;
}

std::vector<ZipMember> list_zip(const FileInput& zip) {
  const Answer answer = run_helper(zip, {"zip-list"}, -1);
  if (answer.status != 0) fail_helper(zip, answer);
  Fields fields(zip, answer.out);
  std::vector<ZipMember> members;
  for (std::string_view keyword = fields.next(); keyword != "end"; keyword = fields.next()) {
    ZipMember member;
    member.index = std::strtoull(std::string(fields.next()).c_str(), nullptr, 10);
    member.size = std::strtoull(std::string(fields.next()).c_str(), nullptr, 10);
    member.name = fields.next();
    members.push_back(std::move(member));
  }
  return members;
}

void check_member(const FileInput& zip, const ZipMember& member) {
  if (member.size > kMaxMember) {
    zip.fail("size of member " + member.name, member.size,
             fmt::format("at most {} are inflated", kMaxMember));
  }
}

std::unique_ptr<FileInput> open_member(const FileInput& zip, const ZipMember& member) {
  const std::string name = zip.name() + "!" + member.name;
  const std::string folder = temporary_folder();
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {  // a file system without unnamed files
    std::string path = folder + "/aoti-cts-XXXXXX";
    fd = mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) fail_temporary_folder(strerror(errno));
    unlink(path.c_str());
  }
  std::unique_ptr<FileInput> empty = FileInput::adopt(fd, name);  // closes the descriptor
  const Answer answer = run_helper(zip, {"zip-get", std::to_string(member.index)}, fd);
  constexpr std::string_view full = "write: ";  // what it says where the member has no room
  if (answer.status != 0 && answer.err.starts_with(full)) {
    const std::string line = answer.err.substr(0, answer.err.find('\n'));
    fail_temporary_folder(fmt::format("{} for {}", line.substr(full.size()), name));
  }
  if (answer.status != 0) fail_helper(zip, answer);
  return FileInput::adopt(dup(fd), name);
}

}  // namespace aoti_cts::symbols
