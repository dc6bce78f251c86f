// See loader.h.
#include "loader/loader.h"

#include <aoti_loader/loadable.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

namespace aoti_cts::loader {
namespace {

constexpr size_t key_limit = 64;     // bytes of the key in a name; a name has room for 255
constexpr int name_tries = 16;       // names are random: a second one is hardly ever needed
constexpr mode_t owner_only = 0600;  // dlopen() needs no execute bit

std::string reason(int error) { return std::generic_category().message(error); }

uint64_t random_bits() {
  uint64_t bits = 0;
  ssize_t got = 0;
  do {
    got = getrandom(&bits, sizeof(bits), 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(bits)) throw Error("no random bytes for a file's name: " + reason(errno));
  return bits;
}

/// Letters, digits, '_' and '-' stay; a name made of these cannot be a path.
std::string sanitised(std::string_view key) {
  std::string out(key.substr(0, key_limit));
  for (char& ch : out) {
    const bool keep = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
                      (ch >= '0' && ch <= '9') || ch == '_' || ch == '-';
    if (!keep) ch = '_';
  }
  return out;
}

std::string hex(uint64_t bits) {
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; bits >>= 4u) text[i] = "0123456789abcdef"[bits & 15u];
  return text;
}

/// One word that the kernel sets to 0 in every forked child; null where it cannot.
std::atomic<uint64_t>* word_wiped_on_fork() {
  const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const page =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (madvise(page, size, MADV_WIPEONFORK) != 0) {
    munmap(page, size);
    return nullptr;
  }
  return new (page) std::atomic<uint64_t>(0);
}

std::atomic<uint64_t>* process_word() {
  static std::atomic<uint64_t>* const word = word_wiped_on_fork();
  return word;
}

/// Tells a process from those that it forks. Process ids do not: in a new pid namespace a child may
/// have its parent's number.
uint64_t process_token() {
  std::atomic<uint64_t>* const word = process_word();
  if (word == nullptr) return static_cast<uint64_t>(getpid());
  uint64_t token = word->load();
  if (token != 0) return token;
  const uint64_t fresh = random_bits() | 1u;
  return word->compare_exchange_strong(token, fresh) ? fresh : token;
}

bool is_this_process(uint64_t token) {
  const std::atomic<uint64_t>* const word = process_word();
  return token == (word == nullptr ? static_cast<uint64_t>(getpid()) : word->load());
}

/// Closes and removes what a failed load has made so far.
class Unfinished {
 public:
  Unfinished(Steps& steps, std::string path, int descriptor)
      : steps_(steps), path_(std::move(path)), descriptor_(descriptor) {}
  ~Unfinished() {
    if (descriptor_ >= 0) steps_.close(descriptor_);
    if (!kept_) steps_.remove(path_.c_str(), written_ ? Removal::LoadFailed : Removal::WriteFailed);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  void write(std::span<const uint8_t> bytes) {
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = steps_.write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      // A write of nothing would go on for ever.
      if (count <= 0) fail(done, bytes.size(), count < 0 ? errno : ENOSPC);
      done += static_cast<size_t>(count);
    }
    // Some file systems say only here that there was no room. After EINTR the descriptor is closed.
    const int closed = steps_.close(std::exchange(descriptor_, -1));
    if (closed != 0 && errno != EINTR) fail(done, bytes.size(), errno);
    written_ = true;
  }
  const std::string& path() const { return path_; }
  std::string keep() {
    kept_ = true;
    return std::move(path_);
  }

 private:
  [[noreturn]] void fail(size_t done, size_t size, int error) const {
    throw Error(path_ + ": " + reason(error) + " after " + std::to_string(done) + " of " +
                std::to_string(size) + " bytes");
  }

  Steps& steps_;
  std::string path_;
  int descriptor_;
  bool written_ = false;
  bool kept_ = false;
};

/// The directory's absolute path, so that the file is found again from another working directory.
std::string absolute(const std::string& directory) {
  const std::string given = directory.empty() ? default_directory() : directory;
  if (given.find('\0') != std::string::npos) {
    throw Error("directory " + given.substr(0, given.find('\0')) + ": its name has a NUL");
  }
  std::error_code error;
  std::string path = std::filesystem::absolute(given, error).string();
  if (error) throw Error("directory " + given + ": " + error.message());
  return path;
}

/// What dlerror() said, and the path where it did not say that too.
std::string load_failure(const std::string& path, const char* why) {
  std::string text = why != nullptr ? why : "could not be loaded";
  text += aoti_loader::missing_torch_hint(text);
  return text.find(path) != std::string::npos ? text : path + ": " + text;
}

/// Throws Error for an ELF file that dlopen() would misname or crash over; of others it says
/// enough.
void check_library(const std::string& path, std::span<const uint8_t> bytes) {
  if (bytes.size() < SELFMAG || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) return;
  const std::string problem =
      aoti_loader::library_problem(bytes.size(), [&](uint64_t offset, void* into, size_t size) {
        std::memcpy(into, bytes.data() + offset, size);
        return true;
      });
  if (!problem.empty()) throw Error(path + ": " + problem);
}

/// Makes the file; returns its descriptor and sets `path`.
int create(Steps& steps, const std::string& directory, std::string_view key, std::string& path) {
  for (int tried = 0;;) {
    path = directory + "/" + steps.name(key);
    const int descriptor = steps.create(path.c_str());
    if (descriptor >= 0) return descriptor;
    if (errno == EINTR) continue;
    if (errno != EEXIST || ++tried == name_tries) throw Error(path + ": " + reason(errno));
  }
}

}  // namespace

std::string Steps::name(std::string_view key) {
  static std::atomic<uint64_t> counter{0};
  return "aoti-" + sanitised(key) + "-" + std::to_string(getpid()) + "-" +
         std::to_string(counter.fetch_add(1)) + "-" + hex(random_bits()) + ".so";
}

int Steps::create(const char* path) {
  const int descriptor =
      ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, owner_only);
  // Whatever the umask takes away: the file has to be read again by its name. A file system without
  // modes refuses this, and needs it not.
  if (descriptor >= 0) fchmod(descriptor, owner_only);
  return descriptor;
}

ssize_t Steps::write(int descriptor, const void* data, size_t size) {
  return ::write(descriptor, data, size);
}

int Steps::close(int descriptor) { return ::close(descriptor); }

void Steps::remove(const char* path, Removal /*why*/) { unlink(path); }

void* Steps::open(const char* path, int flags) { return dlopen(path, flags); }

void Steps::unload(void* library) { dlclose(library); }

Steps& Steps::reference() {
  static Steps steps;
  return steps;
}

std::string default_directory() {
  const char* const given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

TemporaryLibrary TemporaryLibrary::load(std::span<const uint8_t> bytes, std::string_view key,
                                        const std::string& directory, int flags, Steps& steps) {
  const uint64_t owner = process_token();
  std::string path;
  const int descriptor = create(steps, absolute(directory), key, path);
  Unfinished file(steps, std::move(path), descriptor);
  file.write(bytes);
  check_library(file.path(), bytes);
  void* const library = steps.open(file.path().c_str(), flags);
  if (library == nullptr) throw Error(load_failure(file.path(), dlerror()));
  return {library, file.keep(), owner, steps};
}

TemporaryLibrary::TemporaryLibrary(void* library, std::string path, uint64_t owner, Steps& steps)
    : library_(library), path_(std::move(path)), owner_(owner), steps_(&steps) {}

TemporaryLibrary::TemporaryLibrary(TemporaryLibrary&& other) noexcept
    : library_(std::exchange(other.library_, nullptr)),
      path_(std::move(other.path_)),
      owner_(other.owner_),
      steps_(other.steps_) {
  other.path_.clear();
}

TemporaryLibrary& TemporaryLibrary::operator=(TemporaryLibrary&& other) noexcept {
  if (this == &other) return *this;
  destroy();
  library_ = std::exchange(other.library_, nullptr);
  path_ = std::move(other.path_);
  other.path_.clear();
  owner_ = other.owner_;
  steps_ = other.steps_;
  return *this;
}

TemporaryLibrary::~TemporaryLibrary() { destroy(); }

void TemporaryLibrary::destroy() noexcept {
  if (library_ == nullptr) return;
  steps_->unload(std::exchange(library_, nullptr));
  if (is_this_process(owner_)) steps_->remove(path_.c_str(), Removal::Destroyed);
}

void* TemporaryLibrary::symbol(const char* name) const {
  void* const address = library_ == nullptr ? nullptr : dlsym(library_, name);
  if (address == nullptr) throw Error(path_ + ": exports no " + name);
  return address;
}

}  // namespace aoti_cts::loader
