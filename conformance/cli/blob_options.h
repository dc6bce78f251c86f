// The options that name compiled models to judge with the runtime, for `aoti-cts check`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/blob_child.h"
#include "cli/cuda_options.h"
#include "report/report.h"
#include "runner/check.h"
#include "runner/load.h"

namespace aoti_cts::cli {

struct BlobOptions {
  std::vector<std::string> models;    ///< .so or .pt2
  std::vector<std::string> inputs;    ///< .npz or random:..., one for each model, or none
  std::vector<std::string> expect;    ///< .npz, likewise
  std::optional<std::string> device;  ///< as given; none: cpu
};

/// Adds --blob, --inputs, --expect and --device.
void add_blob_options(CLI::App& app, BlobOptions& options);

/// Reads the models and arrays into blobs::given(), for cases to be made from. Executes nothing.
/// Throws UsageError for what cannot be read or does not go together.
void read_blobs(const BlobOptions& options, const CudaCommand& cuda);

/// The one prefix of the shims that the models which were read import; nothing where they import
/// none, or under several.
std::optional<std::string> imported_prefix();

/// The most that a case copies of a model and its inputs, in bytes: not the candidate's memory.
uint64_t copied_bytes();

/// Where no expectation was given and libtorch was: runs each model over libtorch, in a process of
/// its own and on the device and the CUDA that the candidate gets, for what it should give. Where
/// libtorch itself cannot run it, the model is left without an expectation, and expect_from says
/// why. Throws std::runtime_error where no process can be had.
void ask_libtorch(const std::vector<std::string>& against, const runner::Candidate& candidate,
                  const ChildLimits& limits);

/// Throws UsageError where a model of which `is_judged` takes another number of inputs than is
/// given, or where it says itself that they do not fit: that would be held against the candidate.
/// Asked over the checked reference without a prefix, `checked` (empty: there is none), or where
/// the model needs more than that has, over the candidate. Throws std::runtime_error, as above.
void check_inputs(const BlobOptions& options, const runner::Candidate& candidate,
                  const std::string& checked, const ChildLimits& limits,
                  const std::function<bool(const std::string&)>& is_judged);

/// Judges the models' symbol tables against the runtime's: the static rows of section BLOB that
/// the selection has, as `aoti-cts symbols` judges them.
void judge_blob_tables(const BlobOptions& options, const runner::Selection& selection,
                       const runner::Candidate& candidate, const std::vector<std::string>& against,
                       Report& report);

}  // namespace aoti_cts::cli
