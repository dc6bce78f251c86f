// aoti-cts run: runs a .pte program whose work is a compiled model, by the reference delegate or
// another's, in a child: a program that crashes is a line of text.
#include "delegate/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "blobs/host.h"
#include "cli/arguments.h"
#include "cli/cuda_options.h"
#include "cli/delegating.h"
#include "cli/own_files.h"
#include "cli/program_file.h"
#include "cli/subcommand.h"
#include "devmap/child.h"
#include "report/text.h"
#include "runner/interrupt.h"
#include "runner/load.h"
#include "symbols/command.h"

namespace aoti_cts::cli {
namespace {

using delegate_host::Ran;

struct Options {
  std::string file;
  std::string method;
  std::string mode = "portable";
  std::string plugin;
  std::string inputs = "random:1";
  std::string expect;
  std::string candidate;
  std::string prefix = "executorch_";
  CudaCommand cuda;
  double timeout = 60;
};

constexpr int64_t shown_elements = 12;

std::string output_text(std::size_t number, const Ran& output) {
  std::vector<std::string> elements;
  const auto size = static_cast<std::size_t>(output.array.type->size);
  const auto count = static_cast<int64_t>(output.array.bytes.size() / size);
  for (int64_t i = 0; i < std::min(count, shown_elements); ++i) {
    elements.push_back(blobs::element_text(output.array, i));
  }
  return fmt::format("output {}: {}[{}] on {}: {}{}\n", number, output.array.type->name,
                     fmt::join(output.array.sizes, ","), output.device, fmt::join(elements, " "),
                     count > shown_elements ? " ..." : "");
}

/// Reads --inputs: a seed alone takes dtypes and sizes from the program.
void read_inputs(const Options& options, delegate_host::Request& request) {
  const std::string& text = options.inputs;
  try {
    if (text.rfind("random:", 0) != 0) {
      request.inputs = blobs::read_npz(text);
    } else if (text.find(':', 7) != std::string::npos) {
      request.inputs = blobs::random_arrays(text);
    } else if (const std::string wrong = whole_number(text.substr(7)); !wrong.empty()) {
      throw UsageError(fmt::format("--inputs {}: {}", text, wrong));
    } else {
      request.seed = std::stoull(text.substr(7));
    }
  } catch (const blobs::Error& error) {
    throw UsageError(fmt::format("--inputs {}", error.what()));
  }
}

std::vector<blobs::Array> read_expect(const Options& options) {
  try {
    return options.expect.empty() ? std::vector<blobs::Array>() : blobs::read_npz(options.expect);
  } catch (const blobs::Error& error) {
    throw UsageError(fmt::format("--expect {}", error.what()));
  }
}

/// Judges the outputs; throws with the first that differs.
void compare(const std::vector<Ran>& outputs, const std::vector<blobs::Array>& expect) {
  if (outputs.size() != expect.size()) {
    throw delegate_host::Error(
        fmt::format("{} outputs, --expect has {}", outputs.size(), expect.size()));
  }
  for (std::size_t i = 0; i < expect.size(); ++i) {
    const std::string difference = blobs::first_difference(outputs[i].array, expect[i]);
    if (!difference.empty())
      throw delegate_host::Error(fmt::format("output {}: {}", i, difference));
  }
}

/// What the virtual device has found; a wrong use of memory is an error of the run.
void judge_device(const runner::CudaOptions& options) {
  if (options.mode != runner::CudaMode::Virtual) return;
  const suite::CudaAccess access = runner::find_cuda(options);
  aoti_cts_vcuda_finding finding{};
  for (std::size_t i = 0; access.table.get_finding(i, &finding) == 0; ++i) {
    const std::string_view kind = finding.kind;
    if (kind == "fault") continue;
    throw delegate_host::Error(fmt::format("the virtual device found {}: {}", kind, finding.text));
  }
}

/// The whole run, in the child. Returns what is printed.
std::string run_here(const Options& options, delegate_host::Request request,
                     const runner::Candidate& runtime, const std::vector<blobs::Array>& expect,
                     const std::string& folder) {
  setenv("TMPDIR", folder.c_str(), 1);  // what a delegate leaves in it goes with it
  const runner::Loaded loaded = runner::load(runtime);
  if (!loaded.error.empty()) throw delegate_host::Error(loaded.error);
  if (loaded.shims_found == 0) {
    throw delegate_host::Error(
        fmt::format("{}: {}", runtime.paths.front(),
                    runner::no_shims_text(runtime.prefix, loaded.found_under)));
  }
  if (runtime.cuda.mode == runner::CudaMode::Virtual) {
    runner::find_cuda(runtime.cuda).table.watch_host();
  }
  blobs::publish(runtime.paths);
  request.shims = &loaded.table;
  const std::vector<Ran> outputs = delegate_host::run_program(request);
  judge_device(runtime.cuda);
  std::string text;
  for (std::size_t i = 0; i < outputs.size(); ++i) text += output_text(i, outputs[i]);
  if (!options.expect.empty()) {
    compare(outputs, expect);
    text += fmt::format("equal to {}\n", options.expect);
  }
  return text;
}

runner::Candidate runtime_of(const Options& options) {
  runner::Candidate runtime;
  runtime.prefix = options.prefix;
  runtime.paths = {!options.candidate.empty()
                       ? std::filesystem::canonical(options.candidate).string()
                   : options.cuda.asked() ? built_in_cuda_reference()
                                          : built_in_reference()};
  Report report;
  apply_cuda(options.cuda, runtime, report);
  for (const std::string& note : report.notes) fmt::print(stderr, "{}\n", note);
  return runtime;
}

/// Whether a delegate found no room for a file of its own: not the program's fault.
bool says_full(const std::string& text, const std::string& folder) {
  if (text.find(folder) == std::string::npos) return false;
  return text.find(std::strerror(ENOSPC)) != std::string::npos ||
         text.find(std::strerror(EDQUOT)) != std::string::npos;
}

int run(const Options& options) {
  check_cuda_usage(options.cuda);
  check_prefix("--prefix", options.prefix);
  const ProgramFile file(options.file);
  delegate_host::Request request;
  request.file = file.bytes();
  request.method = options.method;
  request.plugin = options.plugin.empty()
                       ? built_in_delegate(options.mode == "aten")
                       : use_delegates({options.plugin}, options.timeout).front();
  read_inputs(options, request);
  const std::vector<blobs::Array> expect = read_expect(options);
  const runner::Candidate runtime = runtime_of(options);
  request.runtime = {runtime.paths.front(), runtime.prefix};
  const symbols::ScratchFolder folder;
  std::optional<runner::Interrupt> interrupt(std::in_place);
  const auto work = [&] {
    interrupt.reset();  // the child's signals are its own
    return run_here(options, request, runtime, expect, folder.path());
  };
  std::string text;
  try {
    text = devmap::in_child("the program", options.timeout, work,
                            [] { return runner::Interrupt::signal() != 0; });
  } catch (const std::runtime_error& error) {
    if (const int signal = runner::Interrupt::signal(); signal != 0) {
      throw std::runtime_error(
          fmt::format("{}: interrupted by SIG{}", printable(options.file), sigabbrev_np(signal)));
    }
    if (says_full(error.what(), folder.path())) {
      symbols::fail_temporary_folder(fmt::format("no room: {}", printable(error.what())));
    }
    fmt::print(stderr, "{}: {}\n", options.file, printable(error.what()));
    return static_cast<int>(Exit::NotConformant);
  }
  print(text);
  return static_cast<int>(Exit::Conformant);
}

std::function<int()> setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("file", options->file, "A .pte program that hands its work to a delegate")
      ->required();
  app.add_option("--method", options->method, "The method to run (default: the first)");
  app.add_option("--mode", options->mode, "Tensors and registry of this mode")
      ->check(CLI::IsMember({"portable", "aten"}))
      ->capture_default_str();
  app.add_option("--delegate", options->plugin,
                 "The delegate, a plug-in, whose mode counts (default: the reference in --mode)")
      ->check(named);
  app.add_option("--inputs", options->inputs,
                 "F.npz, random:SEED, or random:SEED:float32[8,4];... for other sizes than planned")
      ->check(named)
      ->capture_default_str();
  app.add_option("--expect", options->expect, "An .npz file to compare the outputs with")
      ->check(named);
  app.add_option("--candidate", options->candidate,
                 "The runtime that payloads bind to (default: the built-in reference)")
      ->check(CLI::ExistingFile);
  app.add_option("--prefix", options->prefix, "What stands before each of its shims' names")
      ->capture_default_str();
  add_cuda_options(app, options->cuda);
  app.add_option("--timeout", options->timeout, "Seconds that the run may take")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  app.footer(
      "Exit codes: 0, it ran, and gave what --expect says; 1, it was refused, failed, crashed or "
      "differs;\n2, a bad option or no such file; 3, a fault of the tool.");
  return [options] { return run(*options); };
}

const Subcommand command("run", "Run a .pte program by its delegate", setup);

}  // namespace
}  // namespace aoti_cts::cli
