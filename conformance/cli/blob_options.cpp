// See blob_options.h.
#include "cli/blob_options.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "blobs/given.h"
#include "cli/subcommand.h"
#include "report/text.h"
#include "symbols/judge.h"
#include "symbols/search.h"

namespace aoti_cts::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

void check_counts(const BlobOptions& options) {
  const auto check = [&](const char* option, std::size_t count) {
    if (count == 0 || count == options.models.size()) return;
    throw UsageError(fmt::format("{} is given {} times, --blob {} times: one for each, in order",
                                 option, count, options.models.size()));
  };
  check("--inputs", options.inputs.size());
  check("--expect", options.expect.size());
  if (!options.expect.empty() && options.models.empty()) throw UsageError("--expect needs --blob");
}

// ------------------------------------------------------------------------------ libtorch's answer

json as_json(const std::vector<blobs::Output>& outputs) {
  json list = json::array();
  for (const blobs::Output& output : outputs) {
    if (!output) {
      list.push_back(nullptr);
      continue;
    }
    const std::vector<uint8_t> bytes(output->bytes.begin(), output->bytes.end());
    list.push_back({{"dtype", std::string(output->type->name)},
                    {"sizes", output->sizes},
                    {"bytes", json::binary(bytes)}});
  }
  return list;
}

std::vector<blobs::Output> from_json(const json& list) {
  std::vector<blobs::Output> outputs;
  for (const json& entry : list) {
    if (entry.is_null()) {
      outputs.emplace_back();
      continue;
    }
    blobs::Array array;
    array.type = blobs::find_element_type(entry.at("dtype").get<std::string>());
    array.sizes = entry.at("sizes").get<std::vector<int64_t>>();
    const auto& bytes = entry.at("bytes").get_binary();
    array.bytes.assign(bytes.begin(), bytes.end());
    outputs.emplace_back(std::move(array));
  }
  return outputs;
}

json run_over(const std::vector<std::string>& libraries, const std::string& prefix,
              const blobs::Given& model) {
  runner::Candidate libtorch;
  libtorch.paths = libraries;
  const runner::Loaded loaded = runner::load(libtorch);
  if (!loaded.error.empty()) return {{"error", loaded.error}};
  try {
    blobs::publish(libraries);
    const blobs::Blob blob(blobs::with_prefix(model.bytes, prefix, ""));
    const blobs::Container container(blob);
    if (container.inputs() != model.inputs.size()) {
      return {{"error", fmt::format("it has {} inputs, given are {}", container.inputs(),
                                    model.inputs.size())}};
    }
    return {{"outputs", as_json(blobs::run_once(loaded.table, container, model.inputs))}};
  } catch (const blobs::Error& error) {
    return {{"error", error.what()}};
  }
}

void write_all(int file, const std::vector<uint8_t>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
}

/// What comes until the other end is closed, or nothing where that takes longer than it may.
std::optional<std::vector<uint8_t>> read_all(int file, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  while (Clock::now() < end) {
    pollfd ready{file, POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    const ssize_t got = read(file, chunk, sizeof chunk);
    if (got == 0) return bytes;
    if (got > 0) bytes.insert(bytes.end(), chunk, chunk + got);
    if (got < 0 && errno != EINTR) return bytes;
  }
  return std::nullopt;
}

/// libtorch takes its time to load, which is not the model's.
constexpr double seconds_to_load = 60;

/// In a process of its own, which is ended with all that it started when it takes too long.
json in_a_child(const std::vector<std::string>& libraries, const std::string& prefix,
                const blobs::Given& model, double timeout_s) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  }
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) {
    setpgid(0, 0);
    close(ends[0]);
    dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output may be the report
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    write_all(ends[1], json::to_cbor(run_over(libraries, prefix, model)));
    _exit(0);
  }
  setpgid(child, child);
  close(ends[1]);
  const auto bytes = read_all(ends[0], timeout_s + seconds_to_load);
  close(ends[0]);
  kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!bytes) return {{"error", fmt::format("no answer in {} s", timeout_s + seconds_to_load)}};
  const json answer = json::from_cbor(*bytes, true, false);
  if (answer.is_object()) return answer;
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
    return {{"error", fmt::format("signal {}", WTERMSIG(status))}};
  }
  return {{"error", "its process ended early"}};
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
    symbols::add_active_torch(found, seen);
    for (const auto& library : found) {
      if (library->file_name().starts_with("libtorch_cpu")) paths.push_back(library->path());
    }
  }
  return paths;
}

}  // namespace

void add_blob_options(CLI::App& app, BlobOptions& options) {
  const auto list = [&](const char* name, std::vector<std::string>& into, const char* what) {
    app.add_option(name, into, what)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  list("--blob", options.models,
       "A compiled model, .so or .pt2, to run over the candidate (repeatable; chooses profile "
       "blob)");
  list("--inputs", options.inputs,
       "Its inputs: F.npz, or random:SEED:DTYPE[SIZE,...];... (one for each --blob, in order)");
  list("--expect", options.expect, "The outputs that it should give, F.npz (likewise)");
}

void read_blobs(const BlobOptions& options) {
  check_counts(options);
  for (std::size_t i = 0; i < options.models.size(); ++i) {
    blobs::Given model;
    model.path = options.models[i];
    model.name = case_name(model.path);
    try {
      model.bytes = blobs::read_model(model.path);
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

void ask_libtorch(const std::vector<std::string>& against, const std::string& prefix,
                  double timeout_s) {
  if (against.empty()) return;
  std::vector<std::string> libraries;
  for (blobs::Given& model : blobs::given()) {
    if (model.expect) continue;
    if (libraries.empty()) libraries = libraries_of(against);
    const json answer = in_a_child(libraries, prefix, model, timeout_s);
    if (answer.contains("error")) {
      model.expect_from = fmt::format("{} over --against {}: {}", model.path, libraries[0],
                                      answer["error"].get<std::string>());
      continue;
    }
    model.expect = from_json(answer.at("outputs"));
    model.expect_from = libraries[0];
  }
}

void judge_blob_tables(const BlobOptions& options, const runner::Selection& selection,
                       const runner::Candidate& candidate, const std::vector<std::string>& against,
                       Report& report) {
  if (options.models.empty()) return;
  symbols::Subject subject;
  symbols::SeenFiles seen_candidate, seen_against, seen_blobs;
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
      symbols::add_libraries(path, subject.candidate, seen_candidate);
    }
    for (const std::string& path : against) {
      if (path == "auto") {
        symbols::add_active_torch(subject.against, seen_against);
      } else {
        symbols::add_libraries(path, subject.against, seen_against);
      }
    }
    for (const std::string& path : options.models) {
      symbols::add_libraries(path, subject.blobs, seen_blobs);
    }
    symbols::judge(report, subject, chosen);  // tables are read when they are asked for
  } catch (const symbols::BadFile& error) {
    throw UsageError(printable_line(error.what()));
  }
  report.symbols.reset();  // the findings are in the cases; the full lists are `symbols`' own
}

}  // namespace aoti_cts::cli
