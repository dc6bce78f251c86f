// What the kernel says of processes that belong to a case: how many there are, what processor time
// they took, and what memory is theirs. Read off /proc by number; a process that is gone by then
// counts for nothing.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aoti_cts::runner {

/// The processes below `root`, itself not counted; at most `most` of them.
std::vector<pid_t> descendants(pid_t root, std::size_t most);

/// Milliseconds that the process's first thread was ready to run while others had the processors;
/// 0 where the kernel does not tell.
double queued_ms(pid_t pid);

/// Milliseconds of processor time that all processes below `root` took, ended ones that were waited
/// for included, less what the first thread of `but` took: one of them, the root itself (which
/// counts then), or 0 for none.
double others_ms(pid_t root, pid_t but);

/// Bytes of anonymous memory that the processes have together: what several of them share, as
/// fork() leaves it, counts once, and what others share with them in part. 0 where the kernel does
/// not tell (before Linux 5.4).
uint64_t anonymous_bytes(const std::vector<pid_t>& pids);

/// The parent of a process, or -1.
pid_t parent_of(pid_t pid);

/// Tells cheaply when it may be worth to count a case's processes: the machine has many more tasks
/// than when it was last asked to remember.
class Crowd {
 public:
  Crowd();
  /// Whether tasks became many; remembers their number if so, or if they became fewer.
  bool grew();

 private:
  std::size_t remembered_;
};

}  // namespace aoti_cts::runner
