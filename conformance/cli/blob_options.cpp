// See blob_options.h.
#include "cli/blob_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "aoti_device/device_string.h"
#include "blobs/given.h"
#include "cli/arguments.h"
#include "cli/blob_child.h"
#include "cli/subcommand.h"
#include "report/text.h"
#include "symbols/elf.h"
#include "symbols/judge.h"
#include "symbols/search.h"

namespace aoti_cts::cli {
namespace {

namespace fs = std::filesystem;

/// The file's name without its extension, or the folder's where that says more: a cache of models
/// has NAME/model.pt2.
std::string case_name(const std::string& path) {
  const fs::path full = fs::absolute(path).lexically_normal();
  std::string name = full.stem().string();
  if (name == "model" && full.has_parent_path()) name = full.parent_path().filename().string();
  for (char& ch : name) {
    if (isalnum(static_cast<unsigned char>(ch)) == 0) ch = '_';
  }
  name = "given_" + name;
  const auto taken = [&](const std::string& one) {
    return std::any_of(blobs::given().begin(), blobs::given().end(),
                       [&](const blobs::Given& model) { return model.name == one; });
  };
  if (!taken(name)) return name;
  int number = 2;
  while (taken(fmt::format("{}_{}", name, number))) ++number;
  return fmt::format("{}_{}", name, number);
}

std::vector<blobs::Array> read_inputs(const std::string& text) {
  return text.starts_with("random:") || text == "random" ? blobs::random_arrays(text)
                                                         : blobs::read_npz(text);
}

/// Sets what its symbol table says. Throws Error for one that cannot be read, or that is for
/// another machine than this program.
void read_imports(blobs::Given& model) {
  try {
    symbols::MemoryInput input(model.path, std::as_bytes(std::span(model.bytes)));
    symbols::ElfFile file(input);
    const auto self = symbols::FileInput::open("/proc/self/exe");
    const std::string have = symbols::elf_format(file);
    const std::string want = symbols::elf_format(symbols::ElfFile(*self));
    if (have != want) {
      throw blobs::Error(
          fmt::format("{}: is {}, and this machine runs {}", model.path, have, want));
    }
    const symbols::ElfSymbolTable table = file.read_all();
    for (const symbols::ElfSymbol& symbol : table.symbols) {
      const auto shim = symbol.defined() ? std::nullopt : symbols::shim_name(symbol.name);
      if (!shim) continue;
      model.prefixes.emplace(shim->prefix);
      if (symbol.binding != symbols::ElfSymbol::Weak) model.shims.emplace(symbol.name);
    }
  } catch (const symbols::BadFile& error) {
    throw blobs::Error(error.what());
  }
}

void check_counts(const BlobOptions& options) {
  const auto check = [&](const char* option, std::size_t count) {
    if (count == 0 || count == options.models.size()) return;
    throw UsageError(fmt::format("{} is given {} times, --blob {} times: one for each, in order",
                                 option, count, options.models.size()));
  };
  check("--inputs", options.inputs.size());
  check("--expect", options.expect.size());
  if (!options.expect.empty() && options.models.empty()) throw UsageError("--expect needs --blob");
  if (options.device && options.models.empty()) throw UsageError("--device needs --blob");
}

/// The device of --device, by the parser that the reference's loader hook has.
blobs::Device read_device(const std::string& text, const CudaCommand& cuda) {
  const aoti_device::DeviceString read = aoti_device::read_device_string(text);
  if (!read.problem.empty()) {
    throw UsageError(fmt::format("--device {}: {}; valid are cpu, cuda and cuda:0 to cuda:{}",
                                 printable_line(text.substr(0, 40)), read.problem,
                                 aoti_device::max_device_index));
  }
  blobs::Device device{text, read.type, std::max(read.index, 0)};
  if (device.type == 0) return device;
  if (!cuda.asked()) {
    throw UsageError(fmt::format("--device {} needs --virtual-cuda or --cuda real", text));
  }
  if (cuda.virtual_devices > 0 && device.index >= cuda.virtual_devices) {
    throw UsageError(fmt::format("--device {}: --virtual-cuda={} gives indexes 0 to {}", text,
                                 cuda.virtual_devices, cuda.virtual_devices - 1));
  }
  return device;
}

/// The files of --against, where `auto` stands for the libtorch of the active Python.
std::vector<std::string> libraries_of(const std::vector<std::string>& against) {
  std::vector<std::string> paths;
  for (const std::string& path : against) {
    if (path != "auto") {
      paths.push_back(fs::absolute(path).lexically_normal().string());
      continue;
    }
    symbols::Libraries found;
    symbols::SeenFiles seen;
    symbols::Notes told;  // by judge_blob_tables()
    symbols::add_active_torch(found, seen, told);
    for (const auto& library : found) {
      if (library->file_name().starts_with("libtorch_cpu")) paths.push_back(library->path());
    }
  }
  return paths;
}

}  // namespace

void add_blob_options(CLI::App& app, BlobOptions& options) {
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* what) {
    repeatable(app.add_option(name, into, what));
  };
  list("--blob", options.models,
       "A compiled model, .so or .pt2, to run over the candidate (repeatable; chooses profile "
       "blob)");
  list("--inputs", options.inputs,
       "Its inputs: F.npz, or random:SEED:DTYPE[SIZE,...];... (one for each --blob, in order)");
  list("--expect", options.expect, "The outputs that it should give, F.npz (likewise)");
  app.add_option("--device", options.device,
                 "Where models run: cpu (default), cuda or cuda:N, with --virtual-cuda or --cuda");
}

void read_blobs(const BlobOptions& options, const CudaCommand& cuda) {
  check_counts(options);
  const blobs::Device device = read_device(options.device.value_or("cpu"), cuda);
  for (std::size_t i = 0; i < options.models.size(); ++i) {
    blobs::Given model;
    model.path = options.models[i];
    model.name = case_name(model.path);
    model.device = device;
    try {
      model.bytes = blobs::read_model(model.path);
      read_imports(model);
      if (!options.inputs.empty()) model.inputs = read_inputs(options.inputs[i]);
      if (!options.expect.empty()) {
        model.expect_from = options.expect[i];
        model.expect.emplace();
        for (blobs::Array& array : blobs::read_npz(options.expect[i])) {
          model.expect->emplace_back(std::move(array));
        }
      }
    } catch (const blobs::Error& error) {
      throw UsageError(printable_line(error.what()));
    }
    blobs::given().push_back(std::move(model));
  }
}

std::optional<std::string> imported_prefix() {
  std::set<std::string> all;
  for (const blobs::Given& model : blobs::given()) {
    all.insert(model.prefixes.begin(), model.prefixes.end());
  }
  if (all.size() != 1) return std::nullopt;
  return *all.begin();
}

uint64_t copied_bytes() {
  constexpr uint64_t threads = 4;  // that run a model at once, each with inputs of its own
  uint64_t most = 0;
  for (const blobs::Given& model : blobs::given()) {
    uint64_t sum = model.bytes.size();
    for (const blobs::Array& array : model.inputs) sum += threads * array.bytes.size();
    most = std::max(most, sum);
  }
  return most;
}

void ask_libtorch(const std::vector<std::string>& against, const runner::Candidate& candidate,
                  const ChildLimits& limits) {
  if (against.empty()) return;
  std::vector<std::string> libraries;
  for (blobs::Given& model : blobs::given()) {
    if (model.expect) continue;
    if (libraries.empty()) libraries = libraries_of(against);
    const Runtime libtorch{libraries, candidate.prefix, candidate.cuda};
    const auto answer = run_over(libtorch, model, limits);
    if (answer.contains("unfit")) {
      throw UsageError(fmt::format("--against {}: {}",
                                   printable_line(fmt::format("{}", fmt::join(libraries, ", "))),
                                   printable_line(answer["error"].get<std::string>())));
    }
    if (answer.contains("error")) {
      model.expect_from = fmt::format("{} over --against {}: {}", model.path, libraries[0],
                                      answer["error"].get<std::string>());
      continue;
    }
    model.expect = outputs_of(answer);
    model.expect_from = libraries[0];
  }
}

void check_inputs(const BlobOptions& options, const runner::Candidate& candidate,
                  const std::string& checked, const ChildLimits& limits,
                  const std::function<bool(const std::string&)>& is_judged) {
  for (std::size_t i = 0; i < blobs::given().size(); ++i) {
    const blobs::Given& model = blobs::given()[i];
    if (!is_judged(model.name)) continue;  // its symbol table may be all that is asked for
    nlohmann::json answer;
    // The checked reference has no device but the CPU.
    if (!checked.empty() && model.device.type == 0) {
      answer = ask_inputs({{checked}, candidate.prefix, {}}, model, limits);
    }
    const bool reference = answer.contains("inputs");
    if (!reference && !answer.contains("broken")) {
      answer = ask_inputs({candidate.paths, "", candidate.cuda}, model, limits);
    }
    if (!answer.contains("inputs")) continue;  // it does not bind or crashes: its cases say so
    const auto wanted = answer.at("inputs").get<std::size_t>();
    const std::string given = options.inputs.empty() ? "" : printable_line(options.inputs[i]);
    if (given.empty() && wanted != 0) {
      throw UsageError(
          fmt::format("--blob {}: the model takes {} inputs and none are given: --inputs F.npz or "
                      "random:SEED:DTYPE[SIZE,...];...",
                      printable_line(model.path), wanted));
    }
    if (wanted != model.inputs.size()) {
      throw UsageError(fmt::format("--inputs {}: has {} arrays, and {} takes {}", given,
                                   model.inputs.size(), printable_line(model.path), wanted));
    }
    // Over the reference alone: from a runtime under judgement a refusal may be its own fault.
    std::string refused = answer.value("refused", "");
    refused.resize(refused.find_last_not_of('\n') + 1);
    if (reference && refused.find("input_handles[") != std::string::npos) {
      throw UsageError(fmt::format("--inputs {}: {} refuses them: {}", given,
                                   printable_line(model.path), printable_line(refused)));
    }
  }
}

void judge_blob_tables(const BlobOptions& options, const runner::Selection& selection,
                       const runner::Candidate& candidate, const std::vector<std::string>& against,
                       Report& report) {
  if (options.models.empty()) return;
  symbols::Subject subject;
  symbols::SeenFiles seen_candidate, seen_against, seen_blobs;
  symbols::Notes notes;
  subject.prefix = candidate.prefix;
  std::vector<const Clause*> chosen;
  runner::Selection wanted = selection;
  if (!candidate.prefix.empty()) wanted.profiles.emplace_back("prefix");
  for (const Clause* clause : symbols::static_clauses()) {
    if (clause->section == "BLOB" && runner::is_selected(wanted, *clause, static_case)) {
      chosen.push_back(clause);
    }
  }
  if (chosen.empty()) return;
  try {
    for (const std::string& path : candidate.paths) {
      symbols::add_libraries(path, subject.candidate, seen_candidate, notes);
    }
    for (const std::string& path : against) {
      if (path == "auto") {
        symbols::add_active_torch(subject.against, seen_against, notes);
      } else {
        symbols::add_libraries(path, subject.against, seen_against, notes);
      }
    }
    for (const std::string& path : options.models) {
      symbols::add_libraries(path, subject.blobs, seen_blobs, notes);
    }
    for (const std::string& note : notes) report.notes.push_back(printable_line(note));
    symbols::judge(report, subject, chosen);  // tables are read when they are asked for
  } catch (const symbols::BadFile& error) {
    throw UsageError(printable_line(error.what()));
  }
  report.symbols.reset();  // the findings are in the cases; the full lists are `symbols`' own
}

}  // namespace aoti_cts::cli
