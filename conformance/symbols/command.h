// Running other programs: compilers and linkers, for the clauses that judge what comes of a link
// or an include, and helpers of our own.
#pragma once

#include <string>
#include <vector>

namespace aoti_cts::symbols {

struct Ran {
  bool ok = false;
  std::string output;  ///< both streams
  /// The first line that says "error", or the first there is.
  std::string reason() const;
};

/// Runs a shell command to its end. Throws std::runtime_error where no shell can be started.
Ran run_shell(const std::string& command);

/// `text` as one word of a shell.
std::string shell_word(const std::string& text);

/// $CXX, or c++; with $CXXFLAGS and $LDFLAGS, so that a sanitized archive can be linked.
std::string compile_command();
std::string link_command();

/// A file of our own: the first of these places, seen from this executable's folder, that has one.
/// Throws std::runtime_error that says where `what` was looked for.
std::string own_file(const std::string& what, const std::vector<std::string>& places);

/// A helper program or library of ours: beside this executable, one folder up (tests), or where it
/// was installed. Throws as own_file() does.
std::string helper_path(const std::string& name);

/// Where temporary files go: $TMPDIR, or /tmp. Throws std::runtime_error where that is no folder.
std::string temporary_folder();

/// Throws std::runtime_error that names the folder: it cannot be written to, or is full.
[[noreturn]] void fail_temporary_folder(const std::string& reason);

/// Reads $TMPDIR now, for good: a candidate that is loaded later may set another.
void remember_temporary_folder();

/// A folder that is gone when the object is.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// Writes a file in it and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace aoti_cts::symbols
