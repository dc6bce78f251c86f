// aoti-cts symbols: judges the symbol tables of libraries that it reads and never runs.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>

#include "cli/arguments.h"
#include "cli/subcommand.h"
#include "report/console.h"
#include "report/files.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/text.h"
#include "report/waivers.h"
#include "runner/check.h"
#include "symbols/baseline.h"
#include "symbols/judge.h"
#include "symbols/search.h"

namespace aoti_cts::cli {
namespace {

using symbols::Subject;

struct Options {
  std::vector<std::string> libraries, against, blobs;
  std::vector<std::string> profiles = {"core"};
  std::vector<std::string> select, exclude;
  std::string baseline, save_baseline, waivers;
  std::string json, sarif, junit;
  bool strict = false, quiet = false, verbose = false;
  Subject subject;  ///< the options that go straight to the clauses
};

// The files that are written to.
std::vector<NamedFile> outputs(const Options& options) {
  std::vector<NamedFile> files;
  for (const NamedFile& file : {NamedFile{"--json", options.json},
                                {"--sarif", options.sarif},
                                {"--junit", options.junit},
                                {"--save-baseline", options.save_baseline}}) {
    if (!file.path.empty()) files.push_back(file);
  }
  return files;
}

// Nothing, PACKAGE or PACKAGE:TARGET. By hand: to make a regular expression of it takes as long as
// to read a library.
bool names_target(std::string_view text) {
  const auto consists_of = [](std::string_view part, std::string_view further) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [&](unsigned char ch) {
      return std::isalnum(ch) != 0 || further.find(static_cast<char>(ch)) != further.npos;
    });
  };
  if (text.empty()) return true;
  const size_t colon = text.find(':');
  if (!consists_of(text.substr(0, colon), "_.+-")) return false;
  return colon == text.npos || consists_of(text.substr(colon + 1), "_.+:-");
}

void check_usage(const Options& options) {
  const std::string* to_stdout = nullptr;
  for (const std::string* path : {&options.json, &options.sarif, &options.junit}) {
    if (*path != "-") continue;
    if (to_stdout != nullptr) {
      throw UsageError("only one of --json, --sarif and --junit can write to standard output");
    }
    to_stdout = path;
  }
  if (options.quiet && options.verbose) {
    throw UsageError("--quiet and --verbose exclude each other");
  }
  const auto profiles = runner::known_profiles();
  for (const std::string& profile : options.profiles) {
    if (std::find(profiles.begin(), profiles.end(), profile) == profiles.end()) {
      throw UsageError(
          fmt::format("--profile {}: there are {}", profile, fmt::join(profiles, ", ")));
    }
  }
  check_prefix("--prefix", options.subject.prefix.value_or(""));
  check_prefix("--exporter-prefix", options.subject.exporter_prefix.value_or(""));
  if (!names_target(options.subject.link_cmake)) {
    throw UsageError(fmt::format("--link-cmake '{}': has to be PACKAGE or PACKAGE:TARGET",
                                 printable_line(options.subject.link_cmake)));
  }
  std::vector<NamedFile> inputs = {{"--waivers", options.waivers},
                                   {"--baseline", options.baseline},
                                   {"--header", options.subject.header}};
  for (const std::string& path : options.libraries) inputs.push_back({"LIB", path});
  for (const std::string& path : options.against) inputs.push_back({"--against", path});
  for (const std::string& path : options.blobs) inputs.push_back({"--blob", path});
  check_outputs(outputs(options), inputs);
  for (const NamedFile& file : outputs(options)) check_writable(file.path);
}

// A report over a library that was found in a folder would be the end of it.
void keep_inputs(const Options& options, const symbols::SeenFiles& seen) {
  for (const NamedFile& file : outputs(options)) {
    struct stat status = {};
    if (stat(file.path.c_str(), &status) == 0 && seen.count({status.st_dev, status.st_ino}) != 0) {
      throw UsageError(fmt::format("{}: an input, which an option would replace", file.path));
    }
  }
}

std::vector<std::string> paths_of(const symbols::Libraries& libraries) {
  std::vector<std::string> paths;
  for (const auto& library : libraries) {
    paths.push_back(printable_line(fmt::format("{}  {}", library->path(), library->format())));
  }
  return paths;
}

// A prefix that the candidate shows and nobody declared is most likely the answer to everything
// that fails.
void note_prefix(Report& report, const Subject& subject) {
  if (subject.prefix) return;
  std::set<std::string> seen;
  for (const symbols::SeenShim& shim : symbols::exported_shims(subject.candidate)) {
    if (shim.name.prefix.empty()) return;
    seen.emplace(shim.name.prefix);
  }
  for (const std::string& prefix : seen) {
    report.notes.push_back(fmt::format(
        "the candidate exports shims under the prefix '{0}': say --prefix {0}", prefix));
  }
}

void read_subject(Options& options, Report& report) {
  Subject& subject = options.subject;
  symbols::SeenFiles candidate, against, blobs;
  symbols::Notes notes;
  for (const std::string& path : options.libraries) {
    symbols::add_libraries(path, subject.candidate, candidate, notes);
  }
  for (const std::string& path : options.against) {
    if (path == "auto") {
      symbols::add_active_torch(subject.against, against, notes);
    } else {
      symbols::add_libraries(path, subject.against, against, notes);
    }
  }
  for (const std::string& path : options.blobs) {
    symbols::add_libraries(path, subject.blobs, blobs, notes);
  }
  for (const std::string& note : notes) report.notes.push_back(printable_line(note));
  for (const symbols::SeenFiles* seen : {&candidate, &against, &blobs}) keep_inputs(options, *seen);
  if (!options.baseline.empty()) subject.baseline = symbols::read_baseline(options.baseline);
  subject.details = options.verbose || !options.json.empty();
  for (const auto& library : subject.candidate) {
    report.candidate.push_back({printable_line(library->path()), library->build_id()});
  }
  report.prefix = subject.prefix.value_or("");
  report.symbols.emplace();
  report.symbols->against = paths_of(subject.against);
  report.symbols->blobs = paths_of(subject.blobs);
  note_prefix(report, subject);
}

std::vector<const Clause*> chosen_clauses(const Options& options, Report& report) {
  const auto matches = [](const std::vector<std::string>& globs, const Clause& clause) {
    return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
      return glob_match(glob, clause.id) || glob_match(glob, clause.id + "/" + static_case);
    });
  };
  std::vector<const Clause*> chosen;
  for (const Clause* clause : symbols::static_clauses()) {
    if (std::find(report.profiles.begin(), report.profiles.end(), clause->profile) ==
        report.profiles.end()) {
      continue;
    }
    if (matches(options.exclude, *clause)) continue;
    if (options.select.empty() || matches(options.select, *clause)) chosen.push_back(clause);
  }
  report.clauses_not_judged =
      static_cast<int64_t>(clauses().size()) - static_cast<int64_t>(chosen.size());
  return chosen;
}

// What the options declare chooses its profile too.
void choose_profiles(const Options& options, Report& report) {
  report.profiles = options.profiles;
  const auto add = [&](const char* profile) {
    if (std::find(report.profiles.begin(), report.profiles.end(), profile) ==
        report.profiles.end()) {
      report.profiles.emplace_back(profile);
    }
  };
  if (options.subject.prefixed()) add("prefix");
  if (!options.blobs.empty()) add("blob");
}

void apply_waiver_file(const Options& options, Report& report) {
  if (options.waivers.empty()) return;
  std::vector<Waiver> waivers;
  try {
    waivers = read_waivers(options.waivers);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
  apply_waivers(report, waivers, runner::known_cases(), today_utc());
}

void write_report(const Options& options, const Report& report) {
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.json.empty()) files.emplace_back(options.json, json_text(report));
  if (!options.sarif.empty()) files.emplace_back(options.sarif, sarif_text(report));
  if (!options.junit.empty()) files.emplace_back(options.junit, junit_text(report));
  if (!options.save_baseline.empty()) {
    files.emplace_back(options.save_baseline,
                       symbols::baseline_text(symbols::baseline_of(options.subject.candidate)));
  }
  write_files(files);
  const bool taken = options.json == "-" || options.sarif == "-" || options.junit == "-";
  std::FILE* out = taken ? stderr : stdout;
  const std::string text =
      console_text(report, {wants_colour(out), options.quiet, options.verbose});
  if (!taken) return print(text);
  fmt::print(stderr, "{}", text);
}

int run(Options& options) {
  check_usage(options);
  const auto start = std::chrono::steady_clock::now();
  Report report;
  report.strict = options.strict;
  choose_profiles(options, report);
  try {
    read_subject(options, report);
    symbols::judge(report, options.subject, chosen_clauses(options, report));
  } catch (const symbols::BadFile& error) {
    throw UsageError(printable_line(error.what()));
  } catch (const symbols::BaselineError& error) {
    throw UsageError(printable_line(error.what()));
  }
  apply_waiver_file(options, report);
  settle(report);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_report(options, report);
  return static_cast<int>(outcome(report));
}

CLI::Option* file(CLI::Option* option) { return option->check(named); }

void add_inputs(CLI::App& app, Options& options) {
  app.add_option(
         "LIB", options.libraries,
         "Libraries of the candidate, together one runtime; a folder or a wheel is searched")
      ->required();
  app.add_option("--prefix", options.subject.prefix, "What stands before each shim's name");
  repeatable(
      file(app.add_option("--against", options.against,
                          "A libtorch library, folder or wheel to hold the candidate against; "
                          "auto: that of the active Python (repeatable)")));
  repeatable(file(app.add_option("--blob", options.blobs, "A compiled model (repeatable)")));
  file(app.add_option("--baseline", options.baseline, "What an earlier build exported"));
  file(app.add_option("--save-baseline", options.save_baseline, "Write what this build exports"));
  repeatable(app.add_option("--allow", options.subject.allow,
                            "Glob of further names that may be exported (repeatable)"));
  app.add_option("--mode", options.subject.mode, "What the runtime was built for")
      ->check(CLI::IsMember({"portable", "aten"}));
  app.add_option("--header", options.subject.header, "The candidate's installed shim header")
      ->check(CLI::ExistingFile);
  app.add_option("--compile-args", options.subject.compile_args,
                 "Compiler arguments of a unit that includes it");
  app.add_option("--build-flags", options.subject.build_flags,
                 "Flags that the candidate was built with (its -D...PREFIX...=)");
  app.add_option("--exporter-prefix", options.subject.exporter_prefix,
                 "The exporter's shim_symbol_prefix setting");
  app.add_option("--link-args", options.subject.link_args,
                 "Linker arguments by which a static archive is published");
  app.add_option("--link-cmake", options.subject.link_cmake,
                 "PACKAGE:TARGET by which it is published, found through CMAKE_PREFIX_PATH");
}

std::function<int()> setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_inputs(app, *options);
  app.add_option("--profile", options->profiles,
                 "Profiles to judge; --prefix adds prefix, --blob adds blob")
      ->delimiter(',')
      ->capture_default_str();
  repeatable(app.add_option("--select", options->select, "Only clauses that this glob matches"));
  repeatable(app.add_option("--exclude", options->exclude, "Not clauses that this glob matches"));
  app.add_flag("--strict", options->strict, "Failures of SHOULD clauses count");
  file(app.add_option("--waivers", options->waivers,
                      "Known failures, a TOML file (conformance/report/README.md)"));
  file(app.add_option("--json", options->json, "Write the report as JSON (- for standard output)"));
  file(app.add_option("--sarif", options->sarif, "Write the report as SARIF (- likewise)"));
  file(app.add_option("--junit", options->junit, "Write the report as JUnit XML (- likewise)"));
  app.add_flag("--quiet", options->quiet, "Print failures and the summary only");
  app.add_flag("--verbose", options->verbose, "Print every symbol that was found");
  app.footer(exit_code_table());
  return [options] { return run(*options); };
}

const Subcommand command("symbols", "Judge symbol tables, without running anything", setup);

}  // namespace
}  // namespace aoti_cts::cli
