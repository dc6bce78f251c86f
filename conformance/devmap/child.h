// Work in a process of its own: what may crash or hang costs its own result and no other's.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

namespace aoti_cts::devmap {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// A temporary file without a name. Throws std::runtime_error.
File temporary_file();

/// All that a file holds, from its beginning.
std::string whole_file(std::FILE* file);

/// As fork(), with a process in between that ends as the child does: a child that ends its parent
/// ends that one, and not the caller. It leads the group that both are in, and both die with the
/// caller, whom it gives the number of the one in between, for wait_for().
pid_t fork_guarded();

/// Whether the caller wants to wait no longer; asked a few times a second.
using Stop = std::function<bool()>;

/// Waits for a child that leads its process group, and kills what it left of the group. False where
/// the time ran out, or `stop` said so. `status` is the child's.
bool wait_for(pid_t pid, double timeout_s, int& status, const Stop& stop = {});

/// Runs `work` in a forked child and returns the text that it returned. Throws std::runtime_error
/// with the text of an exception of `work`, or with how the child ended; `what` names the work.
std::string in_child(const std::string& what, double timeout_s,
                     const std::function<std::string()>& work, const Stop& stop = {});

}  // namespace aoti_cts::devmap
