// The fork server: a process that has loaded the candidate once and forks a child for each case.
#pragma once

#include <sys/types.h>

#include <vector>

#include "runner/load.h"
#include "runner/shared.h"
#include "suite/case.h"

namespace aoti_cts::runner {

/// What a server inherits from the main process.
struct ServerPlan {
  SharedArea* area = nullptr;
  std::size_t slots = 0;  ///< of the area
  SharedSlot* slot = nullptr;
  const Candidate* candidate = nullptr;
  const std::vector<const suite::CaseRow*>* cases = nullptr;
  int output = -1;    ///< descriptor that takes stdout and stderr
  bool cold = false;  ///< children load the candidate themselves, one fresh load for each case
};

/// Forks a server; returns its process id. Throws std::system_error.
pid_t start_server(const ServerPlan& plan);

/// Kills every child of the calling process but those in `spare`, and theirs as they fall to it.
void kill_children(const std::vector<pid_t>& spare);

}  // namespace aoti_cts::runner
