// The options that name compiled models to judge with the runtime, for `aoti-cts check`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "report/report.h"
#include "runner/check.h"
#include "runner/load.h"

namespace aoti_cts::cli {

struct BlobOptions {
  std::vector<std::string> models;  ///< .so or .pt2
  std::vector<std::string> inputs;  ///< .npz or random:..., one for each model, or none
  std::vector<std::string> expect;  ///< .npz, likewise
};

/// Adds --blob, --inputs and --expect.
void add_blob_options(CLI::App& app, BlobOptions& options);

/// Reads the models and arrays into blobs::given(), for cases to be made from. Executes nothing.
/// Throws UsageError for what cannot be read or does not go together.
void read_blobs(const BlobOptions& options);

/// Where no expectation was given and libtorch was: runs each model over libtorch, in a process of
/// its own, for what it should give. Where libtorch itself cannot run it, the model is left without
/// an expectation, and expect_from says why. Throws std::runtime_error where no process can be had.
void ask_libtorch(const std::vector<std::string>& against, const std::string& prefix,
                  double timeout_s);

/// Judges the models' symbol tables against the runtime's: the static rows of section BLOB that
/// the selection has, as `aoti-cts symbols` judges them.
void judge_blob_tables(const BlobOptions& options, const runner::Selection& selection,
                       const runner::Candidate& candidate, const std::vector<std::string>& against,
                       Report& report);

}  // namespace aoti_cts::cli
