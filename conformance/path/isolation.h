// What a loader meets that a test has to make first: other processes, namespaces, full and
// read-only file systems, refused system calls. All of it ends with the processes that it was made
// for.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace aoti_cts::path {

/// Gives this process a mount namespace of its own, with a user namespace where it has no right
/// otherwise. Returns why not; empty where it has one.
std::string own_mounts();

/// A tmpfs over `directory` until the end of its scope; needs own_mounts().
class Mounted {
 public:
  /// `options` as in "size=64k". Throws std::system_error.
  Mounted(std::string directory, unsigned long flags, const std::string& options);
  ~Mounted();
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

 private:
  std::string directory_;
};

/// From now on creating a file without O_EXCL fails with EPERM, in this process. Returns why that
/// could not be had; empty where it is so.
std::string refuse_creation_without_excl();

/// A forked process that works at the same time as others, reports lines, and stays until it is
/// released, so that what it has loaded stays loaded.
class Peer {
 public:
  using Work = std::function<std::vector<std::string>()>;
  enum class Pids { Shared, Own };

  /// Forks. With Pids::Own the work runs as process 1 of a pid namespace; where there can be none
  /// the report is one line that starts with refusal.
  Peer(const Work& work, Pids pids);
  /// Releases it and waits for its end.
  ~Peer();
  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  Peer(const Peer&) = delete;

  /// Waits for the report: the work's lines. A process that ended before gives one line that says
  /// so, an exception its text.
  std::vector<std::string> report();

  static constexpr const char* refusal = "no pid namespace: ";

 private:
  pid_t pid_ = 0;
  int report_ = -1;
  int release_ = -1;
};

}  // namespace aoti_cts::path
