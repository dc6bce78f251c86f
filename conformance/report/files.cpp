// See files.h.
#include "report/files.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace aoti_cts {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw std::runtime_error(fmt::format("{}: {}: {}", path, what, strerror(errno)));
}

void write_all(int file, const std::string& text, const std::string& path) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t size = write(file, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) refuse(path, "writing the report failed");
    done += static_cast<std::size_t>(size);
  }
}

bool in_place(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

// A symbolic link stays one: its target is what gets replaced.
std::string target_of(const std::string& path) {
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; i < 40 && std::filesystem::is_symlink(target, error); ++i) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
    if (error) return path;
  }
  return target.string();
}

// One file on its way: removed again unless it was committed.
class Pending {
 public:
  explicit Pending(std::string path) : path_(std::move(path)) {
    if (path_ == "-") {
      file_ = STDOUT_FILENO;
    } else if (in_place(path_)) {
      file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      if (file_ < 0) refuse(path_, "cannot be opened");
    } else {
      target_ = target_of(path_);
      temporary_ = target_ + ".XXXXXX";
      file_ = mkostemp(temporary_.data(), O_CLOEXEC);
      if (file_ < 0) refuse(path_, "no temporary file can be made beside it");
    }
  }
  Pending(Pending&& other) noexcept
      : path_(std::move(other.path_)),
        target_(std::move(other.target_)),
        temporary_(std::exchange(other.temporary_, "")),
        file_(std::exchange(other.file_, -1)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  Pending& operator=(Pending&&) = delete;
  ~Pending() {
    if (file_ > STDERR_FILENO) close(file_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }

  bool renames() const { return !target_.empty(); }

  void fill(const std::string& text) {
    write_all(file_, text, path_);
    if (!renames()) return;
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(file_, 0666 & ~mask) < 0 || fsync(file_) < 0) refuse(path_, "cannot be completed");
  }

  void commit() {
    if (!renames()) return;
    if (rename(temporary_.c_str(), target_.c_str()) < 0) refuse(path_, "cannot be replaced");
    temporary_.clear();
  }

 private:
  std::string path_;
  std::string target_;
  std::string temporary_;
  int file_ = -1;
};

}  // namespace

void write_files(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<Pending> pending;
  pending.reserve(files.size());
  for (const auto& [path, text] : files) pending.emplace_back(path);
  // What cannot be taken back comes after everything that can fail.
  for (const bool renames : {true, false}) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (pending[i].renames() == renames) pending[i].fill(files[i].second);
    }
  }
  for (Pending& file : pending) file.commit();
}

void check_writable(const std::string& path) {
  if (path == "-") return;
  if (in_place(path)) {
    struct stat info {};
    stat(path.c_str(), &info);
    if (S_ISDIR(info.st_mode)) {
      errno = EISDIR;
      refuse(path, "cannot be written");
    }
    if (access(path.c_str(), W_OK) < 0) refuse(path, "cannot be written");
    return;
  }
  const std::string folder = std::filesystem::path(target_of(path)).parent_path().string();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) < 0) {
    refuse(path, "its folder cannot be written");
  }
}

}  // namespace aoti_cts
