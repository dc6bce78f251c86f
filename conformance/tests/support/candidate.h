// The libraries of conformance/tests/candidates/.
#pragma once

#include <string>

namespace aoti_cts::tests {

/// Path of the one with this name.
inline std::string candidate(const std::string& name) {
  return std::string(AOTI_CTS_CANDIDATES) + "/" + name + ".so";
}

}  // namespace aoti_cts::tests
