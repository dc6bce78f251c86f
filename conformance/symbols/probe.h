// The helper process aoti-cts-probe, in which libraries are loaded in an order of one's choice.
#pragma once

#include <string>
#include <vector>

#include "symbols/command.h"

namespace aoti_cts::symbols {

struct ProbeAnswer {
  std::string problem;             ///< empty where every step was done
  std::vector<std::string> lines;  ///< answers, in the steps' order
};

/// Runs the steps (probe/probe.cpp says which there are) in a fresh process. Throws
/// std::runtime_error where none can be started.
ProbeAnswer run_probe(const std::vector<std::string>& steps);

/// What dlsym found for one name.
struct Found {
  std::string name;
  bool found = false;
  std::string file;    ///< mapping that the address is in, resolved; empty: none
  int64_t offset = 0;  ///< of the address in that mapping
};

/// Reads a line that the step `find` gave.
Found read_found(const std::string& line);

}  // namespace aoti_cts::symbols
