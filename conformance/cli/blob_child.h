// What the main process wants to know of a compiled model and may not find out itself, because that
// executes it: asked in a process of its own, under the limits of a case.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "blobs/given.h"
#include "runner/cuda.h"

namespace aoti_cts::cli {

struct ChildLimits {
  double timeout_s = 10;
  uint64_t memory_bytes = uint64_t{1} << 30U;  ///< private memory, as --memory counts it
};

/// What `work` returns in a process of its own, or {"error": why there is nothing}, with "broken"
/// where it broke a limit. `work` says by `loaded` when it has loaded the runtime: memory is
/// counted from there on. The process is ended with all that it started when it takes too much.
/// Throws std::runtime_error where there is none.
nlohmann::json in_a_child(const ChildLimits& limits,
                          const std::function<nlohmann::json(const std::function<void()>&)>& work);

/// What a model is run over.
struct Runtime {
  std::vector<std::string> libraries;
  std::string prefix;  ///< of the model's imports, taken off
  runner::CudaOptions cuda;
};

/// Why these libraries, or what they bring along, are no libtorch: they do not load, or export no
/// shim. Empty where they are one. Asked in such a process.
std::string why_no_libtorch(const std::vector<std::string>& libraries, const ChildLimits& limits);

/// Runs the model once over this, in such a process: {"outputs": ...} or {"error": ...}, with
/// "unfit" where the runtime does not load or lacks a shim that the model needs.
nlohmann::json run_over(const Runtime& runtime, const blobs::Given& model,
                        const ChildLimits& limits);

/// How many inputs the model takes, {"inputs": N}, and with as many given {"refused": ...} where a
/// run with them fails by the model's own word; {"error": ...} where it does not come to that.
nlohmann::json ask_inputs(const Runtime& runtime, const blobs::Given& model,
                          const ChildLimits& limits);

/// The outputs in an answer of run_over().
std::vector<blobs::Output> outputs_of(const nlohmann::json& answer);

}  // namespace aoti_cts::cli
