// aoti-cts check: judges a candidate, or without one the built-in reference.
#include "runner/check.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "cli/arguments.h"
#include "cli/blob_options.h"
#include "cli/cuda_options.h"
#include "cli/delegating.h"
#include "cli/loadable.h"
#include "cli/loading.h"
#include "cli/mapping.h"
#include "cli/own_files.h"
#include "cli/parsing.h"
#include "cli/subcommand.h"
#include "devmap/candidate.h"
#include "parser/findings.h"
#include "parser/subject.h"
#include "path/host.h"
#include "path/subject.h"
#include "report/console.h"
#include "report/files.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/text.h"
#include "runner/build_id.h"
#include "suite/checked_util.h"
#include "suite/settings.h"
#include "symbols/command.h"
#include "symbols/search.h"

namespace aoti_cts::cli {
namespace {

struct Options {
  std::vector<std::string> candidates;
  std::vector<std::string> against;
  std::optional<std::string> prefix;
  runner::Selection selection;
  MappingOptions mapping;
  ParsingOptions parsing;
  BlobOptions blob;
  std::string exporter;                ///< a script's path; empty: this project's
  std::string loader;                  ///< a plug-in's path; empty: the reference
  std::vector<std::string> delegates;  ///< plug-ins' paths; none: the reference
  CudaCommand cuda;
  bool strict = false;
  bool list = false;
  bool quiet = false;
  bool verbose = false;
  int jobs = 0;
  double timeout_s = 10;
  uint64_t memory_mib = 1024;
  std::optional<uint64_t> shuffle;
  std::string json;
  std::string junit;
  std::string waivers;
};

int processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

void check_usage(const Options& options) {
  if (options.json == "-" && options.junit == "-") {
    throw UsageError("--json - and --junit - cannot both write to standard output");
  }
  if (options.quiet && options.verbose) {
    throw UsageError("--quiet and --verbose exclude each other");
  }
  if (!(options.timeout_s > 0) || options.timeout_s > 1e6) {
    throw UsageError(fmt::format("--timeout {}: has to be more than 0 and at most 1000000 seconds",
                                 options.timeout_s));
  }
  const auto profiles = runner::known_profiles();
  check_cuda_usage(options.cuda);
  check_prefix("--prefix", options.prefix.value_or(""));
  std::vector<NamedFile> inputs = {{"--waivers", options.waivers},
                                   {"--parser", options.parsing.plugin},
                                   {"--exporter", options.exporter},
                                   {"--loader", options.loader}};
  for (const std::string& path : options.candidates) inputs.push_back({"--candidate", path});
  for (const std::string& path : options.delegates) inputs.push_back({"--delegate", path});
  for (const std::string& path : options.against) inputs.push_back({"--against", path});
  for (const std::string& path : options.blob.models) inputs.push_back({"--blob", path});
  for (const std::string& path : options.blob.inputs) inputs.push_back({"--inputs", path});
  for (const std::string& path : options.blob.expect) inputs.push_back({"--expect", path});
  check_outputs({{"--json", options.json}, {"--junit", options.junit}}, inputs);
  for (const std::string& profile : options.selection.profiles) {
    if (std::find(profiles.begin(), profiles.end(), profile) == profiles.end()) {
      throw UsageError(
          fmt::format("--profile {}: there are {}", profile, fmt::join(profiles, ", ")));
    }
  }
}

// Empty where it is missing: the few cases that need it say so.
std::string checked_reference() {
  try {
    return built_in_checked_reference();
  } catch (const std::runtime_error&) {
    return "";
  }
}

// The built-in reference, under the prefix that the given models import where it is built so.
void use_reference(const Options& options, runner::Candidate& candidate) {
  const std::string prefix =
      options.prefix ? *options.prefix : imported_prefix().value_or("executorch_");
  if (options.cuda.asked()) {
    candidate.paths.push_back(built_in_cuda_reference());
    candidate.prefix = options.prefix.value_or("executorch_");
    return;
  }
  if (!options.prefix && !prefix.empty() && prefix != "executorch_") {
    throw UsageError(
        fmt::format("--blob {}: imports shims under the prefix '{}', and the built-in reference "
                    "has executorch_ or none: give --candidate and --prefix",
                    options.blob.models.front(), prefix));
  }
  const bool plain = !options.prefix && prefix.empty();
  candidate.paths.push_back(plain ? built_in_plain_reference() : built_in_reference());
  candidate.prefix = prefix;
}

// The report's head and what to load: the caller's libraries, or the built-in reference.
runner::Candidate candidate(const Options& options, Report& report) {
  runner::Candidate candidate;
  for (const std::string& path : options.candidates) {
    candidate.paths.push_back(loadable_library("--candidate", path));
  }
  candidate.prefix = options.prefix.value_or("");
  if (candidate.paths.empty()) use_reference(options, candidate);
  for (const std::string& path : candidate.paths) {
    report.candidate.push_back({path, runner::read_build_id(path)});
  }
  report.prefix = candidate.prefix;
  apply_cuda(options.cuda, candidate, report);
  symbols::remember_temporary_folder();
  suite::settings() = {candidate.paths,  candidate.prefix, {}, checked_reference(), {}, {},
                       options.timeout_s};
  if (candidate.cuda.devices > 0) suite::settings().preload = {candidate.cuda.library};
  for (const std::string& path : options.against) {
    if (path == "auto" && !options.blob.models.empty()) continue;  // only for what a model gives
    suite::settings().against.push_back(loadable_library("--against", path));
  }
  return candidate;
}

// Beside a library that is no libtorch, or with one as an oracle, nothing would be shown: a mistake
// that has to be told, not a SKIP.
void check_against(const Options& options) {
  const std::vector<std::string>& paths = suite::settings().against;
  if (paths.empty()) return;
  for (const std::string& path : paths) {
    try {  // most export shims themselves: cheaper to see than to load one
      symbols::Libraries libraries;
      symbols::SeenFiles seen;
      symbols::Notes notes;
      symbols::add_libraries(path, libraries, seen, notes);
      if (std::any_of(libraries.begin(), libraries.end(),
                      [](const auto& library) { return symbols::exports_shims(*library); })) {
        return;
      }
    } catch (const symbols::BadFile&) {  // not for the loader
    }
  }
  const std::string why = why_no_libtorch(paths, {options.timeout_s, options.memory_mib << 20U});
  if (why.empty()) return;
  throw UsageError(fmt::format("--against {}: {}",
                               printable_line(fmt::format("{}", fmt::join(paths, ", "))),
                               printable_line(why)));
}

int list_cases(const runner::Selected& selected) {
  std::string text;
  for (const suite::CaseRow* row : selected.cases) {
    text += fmt::format("{}/{}\n", row->clause, row->name);
  }
  print(text);
  return static_cast<int>(selected.cases.empty() ? Exit::NothingVerified : Exit::Conformant);
}

void write_report(const Options& options, const Report& report) {
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.json.empty()) files.emplace_back(options.json, json_text(report));
  if (!options.junit.empty()) files.emplace_back(options.junit, junit_text(report));
  write_files(files);
  const bool taken = options.json == "-" || options.junit == "-";
  std::FILE* out = taken ? stderr : stdout;
  const std::string text =
      console_text(report, {wants_colour(out), options.quiet, options.verbose});
  if (!taken) return print(text);
  fmt::print(stderr, "{}", text);
}

bool has_profile(const Options& options, const char* name) {
  const auto& profiles = options.selection.profiles;
  return std::find(profiles.begin(), profiles.end(), name) != profiles.end();
}

// Sections PARSE and PATH judge plug-ins and no runtime: where they are all that is judged, the
// plug-ins are what the servers load.
bool judges_plugins_alone(const Options& options) {
  static constexpr const char* profiles[] = {"parse", "parse_aten", "path"};
  return options.candidates.empty() &&
         std::all_of(options.selection.profiles.begin(), options.selection.profiles.end(),
                     [](const std::string& one) {
                       return std::find(std::begin(profiles), std::end(profiles), one) !=
                              std::end(profiles);
                     });
}

// Loaders and delegates make files out of payloads, and may end before they remove them.
bool makes_files(const Options& options) {
  return has_profile(options, "path") || has_profile(options, "delegate");
}

[[noreturn]] void refuse_without_profile(const Options& options, const char* option,
                                         const char* profile) {
  throw UsageError(fmt::format("{} needs profile {}; --profile has {}", option, profile,
                               fmt::join(options.selection.profiles, ",")));
}

void add_plugins(const Options& options, runner::Candidate& candidate, Report& report) {
  std::vector<std::string> plugins;
  if (has_profile(options, "parse") || has_profile(options, "parse_aten")) {
    plugins.push_back(use_parser(options.parsing));
    if (!options.parsing.plugin.empty()) check_parser(options.timeout_s);
  } else if (options.parsing.asked()) {
    refuse_without_profile(options, options.parsing.plugin.empty() ? "--mode" : "--parser",
                           "parse");
  }
  if (has_profile(options, "path")) {
    plugins.push_back(use_loader(options.loader, options.timeout_s));
  } else if (!options.loader.empty()) {
    refuse_without_profile(options, "--loader", "path");
  }
  if (!plugins.empty() && judges_plugins_alone(options)) {
    candidate = {plugins, "", false, {}};
    report.candidate.clear();
    report.prefix.clear();
  }
  for (const std::string& path : plugins) {
    report.candidate.push_back({path, runner::read_build_id(path)});
  }
}

// Section MAP judges a device mapping beside the runtime that blobs bind to.
void add_mapping(const Options& options, const runner::Candidate& runtime, Report& report) {
  const auto& profiles = options.selection.profiles;
  if (std::find(profiles.begin(), profiles.end(), "map") == profiles.end()) {
    if (options.mapping.mapping.empty()) return;
    throw UsageError(
        fmt::format("--devmap needs profile map; --profile has {}", fmt::join(profiles, ",")));
  }
  report.candidate.push_back({use_mapping(options.mapping), ""});
  devmap::subject().runtime_paths = runtime.paths;
  devmap::subject().runtime_prefix = runtime.prefix;
}

// What only running the models tells, before they are judged with the candidate.
void ask_models(const Options& options, const runner::Selected& selected,
                runner::RunOptions& run_options) {
  if (options.blob.models.empty()) return;
  const ChildLimits limits{options.timeout_s, run_options.memory_bytes};
  const auto is_judged = [&](const std::string& model) {
    return std::any_of(selected.cases.begin(), selected.cases.end(),
                       [&](const suite::CaseRow* row) { return row->name.starts_with(model); });
  };
  const std::string checked = suite::checked_without_prefix(suite::settings().checked);
  check_inputs(options.blob, run_options.candidate, checked, limits, is_judged);
  ask_libtorch(options.against, run_options.candidate, limits);
  run_options.memory_bytes += copied_bytes();
}

// Section DELEGATE judges a backend beside the runtime that its models bind to.
void add_delegates(const Options& options, Report& report) {
  if (!has_profile(options, "delegate")) {
    if (options.delegates.empty()) return;
    refuse_without_profile(options, "--delegate", "delegate");
  }
  for (const std::string& path : use_delegates(options.delegates, options.timeout_s)) {
    report.candidate.push_back({path, runner::read_build_id(path)});
  }
}

// EXPORT.prefix-support judges the script that compiles models under a prefix.
void add_exporter(const Options& options) {
  if (!has_profile(options, "prefix")) {
    if (options.exporter.empty()) return;
    refuse_without_profile(options, "--exporter", "prefix");
  }
  suite::settings().exporter =
      options.exporter.empty() ? built_in_exporter() : regular_file("--exporter", options.exporter);
}

int run(const Options& options) {
  check_usage(options);
  read_blobs(options.blob, options.cuda);  // before cases are made
  const runner::Selected selected = runner::select_cases(options.selection);
  if (options.list) return list_cases(selected);
  for (const std::string& path : {options.json, options.junit}) {
    if (!path.empty()) check_writable(path);
  }
  std::vector<Waiver> waivers;
  if (!options.waivers.empty()) {
    try {
      waivers = read_waivers(options.waivers);
    } catch (const std::runtime_error& error) {
      throw UsageError(error.what());
    }
  }
  Report report;
  report.profiles = options.selection.profiles;
  report.strict = options.strict;
  runner::RunOptions run_options;
  run_options.candidate = candidate(options, report);
  check_against(options);
  add_mapping(options, run_options.candidate, report);
  add_delegates(options, report);
  add_exporter(options);
  add_plugins(options, run_options.candidate, report);
  share_processes(options.cuda, run_options);
  run_options.jobs = options.jobs > 0 ? options.jobs : processors();
  run_options.timeout_s = options.timeout_s;
  run_options.memory_bytes = options.memory_mib << 20U;
  std::optional<path::RunFolder> scratch;
  if (makes_files(options)) path::subject().scratch = scratch.emplace().path();
  run_options.shuffle = options.shuffle;
  Progress progress(stderr);
  run_options.progress = [&](std::size_t done, std::size_t all, const std::string& name,
                             double seconds) {
    progress.show(done, all, name, seconds);
    if (scratch && seconds == 0) scratch->remove_orphans();
  };
  judge_blob_tables(options.blob, options.selection, run_options.candidate, options.against,
                    report);
  ask_models(options, selected, run_options);
  runner::check(report, run_options, selected, waivers);
  progress.clear();
  if (!parser::subject().path.empty()) {
    const auto grouped = parser::grouped_findings(report);
    report.notes.insert(report.notes.end(), grouped.begin(), grouped.end());
  }
  write_report(options, report);
  return static_cast<int>(outcome(report));
}

// What the other options ask for, where --profile does not say it.
std::vector<std::string> profiles_asked(const Options& options) {
  if (!options.loader.empty()) return {"path"};
  if (!options.exporter.empty()) return {"prefix"};
  if (!options.delegates.empty()) return {"delegate"};
  if (options.parsing.asked() && options.parsing.aten()) return {"parse", "parse_aten"};
  if (options.parsing.asked()) return {"parse"};
  if (!options.blob.models.empty()) return {"blob"};
  if (!options.mapping.mapping.empty()) return {"map"};
  return {"core"};
}

std::function<int()> setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  repeatable(app.add_option(
      "--candidate", options->candidates,
      "A library to judge; several form one runtime (default: the built-in reference)"));
  app.add_option(
      "--prefix", options->prefix,
      "What stands before each shim's name (default: none; executorch_ for the reference)");
  repeatable(app.add_option(
      "--against", options->against,
      "A libtorch library to load beside the candidate (repeatable; SYM.interposition); with "
      "--blob, what the model is compared with (auto: that of the active Python)"));
  const CLI::Option* profile =
      app.add_option(
             "--profile", options->selection.profiles,
             "Profiles to judge (default: core; with --devmap: map; with --parser or --mode: "
             "parse, in mode aten also parse_aten; with --loader: path; with --delegate: delegate; "
             "with --blob: blob)")
          ->delimiter(',');
  add_mapping_options(app, options->mapping);
  add_parsing_options(app, options->parsing);
  add_loader_option(app, options->loader);
  add_delegate_option(app, options->delegates);
  app.add_option("--exporter", options->exporter,
                 "A Python script that compiles models under a prefix (default: this project's)")
      ->check(named);
  add_blob_options(app, options->blob);
  repeatable(
      app.add_option("--select", options->selection.select,
                     "Only what this glob matches: a clause id or clause/case (repeatable)"));
  repeatable(app.add_option("--exclude", options->selection.exclude,
                            "Not what this glob matches (repeatable)"));
  add_cuda_options(app, options->cuda);
  app.add_flag("--strict", options->strict, "Failures of SHOULD clauses count");
  app.add_flag("--list", options->list, "Print the cases that would run, and run none");
  app.add_option("--jobs", options->jobs, "Processes at once (default: one per processor)")
      ->check(CLI::Range(1, 1024));
  app.add_option(
         "--timeout", options->timeout_s,
         "Seconds for the load and for each case, less those in which others had the processors")
      ->capture_default_str();
  app.add_option("--memory", options->memory_mib,
                 "MiB of private memory for a case, above the loaded candidate")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30U))
      ->capture_default_str();
  app.add_option("--shuffle", options->shuffle, "Run in the random order of this seed")
      ->check(whole_number);
  app.add_option("--json", options->json, "Write the report as JSON (- for standard output)")
      ->check(named);
  app.add_option("--junit", options->junit, "Write the report as JUnit XML (- likewise)")
      ->check(named);
  app.add_option("--waivers", options->waivers,
                 "Known failures, a TOML file (conformance/report/README.md)")
      ->check(named);
  app.add_flag("--quiet", options->quiet, "Print failures and the summary only");
  app.add_flag("--verbose", options->verbose, "Print a line for each case");
  app.footer(exit_code_table());
  return [options, profile] {
    if (profile->count() == 0) options->selection.profiles = profiles_asked(*options);
    return run(*options);
  };
}

const Subcommand command("check", "Judge a runtime", setup);

}  // namespace
}  // namespace aoti_cts::cli
