// aoti-cts devmap: the table of devices, what a mapping answers for each, the getter that generated
// code derives from the answer, the device type's code, and which runtimes have the getter.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/arguments.h"
#include "cli/mapping.h"
#include "cli/own_files.h"
#include "cli/subcommand.h"
#include "devmap/candidate.h"
#include "devmap/child.h"
#include "report/files.h"
#include "report/report.h"

namespace aoti_cts::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double timeout_s = 120;

struct Options {
  MappingOptions mapping;
  std::vector<std::string> runtimes;
  std::string json;
  std::string save;
};

/// A runtime of the table: its getters' codes, read by calling them in a process of their own.
struct Runtime {  // NOLINT(bugprone-exception-escape): what Json's move may throw, it never does
  std::string path;
  std::string prefix;
  std::string error;  ///< why nothing could be read
  Json codes;         ///< getter without prefix -> code; absent where it is not exported
};

// [PREFIX=]LIB. A file of that whole name wins, so that a path may hold '='.
Runtime parse_runtime(const std::string& text) {
  Runtime runtime;
  std::string path = text;
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && !fs::exists(text)) {
    runtime.prefix = text.substr(0, equals);
    path = text.substr(equals + 1);
  }
  std::error_code error;
  const fs::path full = fs::canonical(path, error);
  if (error) throw UsageError(fmt::format("--runtime {}: {}", text, error.message()));
  runtime.path = full.string();
  return runtime;
}

void read_codes(Runtime& runtime, const std::set<std::string>& getters) {
  try {
    const std::string text = devmap::in_child(runtime.path, timeout_s, [&] {
      void* library = dlopen(runtime.path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) throw std::runtime_error(dlerror());
      Json codes = Json::object();
      for (const std::string& getter : getters) {
        void* found = dlsym(library, (runtime.prefix + getter).c_str());
        if (found != nullptr) codes[getter] = reinterpret_cast<int32_t (*)()>(found)();
      }
      return codes.dump();
    });
    runtime.codes = Json::parse(text);
  } catch (const std::exception& error) {
    runtime.error = error.what();
  }
}

// The mapping's rows as JSON: a plug-in is executed in a child, which hands them over as text.
Json read_devices() {
  return Json::parse(devmap::in_child("the mapping", timeout_s, [] {
    Json rows = Json::array();
    for (const devmap::DeviceRow& row : devmap::subject().mapping->devices()) {
      const bool answers = row.reply.kind == devmap::Reply::Kind::Answer;
      const std::string derived = answers ? devmap::getter_of(row.reply.text) : "";
      const std::string& getter = row.getter.empty() ? derived : row.getter;
      const auto code = answers ? devmap::device_code(row.reply.text) : std::nullopt;
      Json json = {{"device", row.device}, {"class", row.override_class}};
      json["answer"] = answers ? Json(row.reply.text) : Json();
      json["error"] = answers ? Json() : Json(devmap::in_words(row.reply));
      json["getter"] = getter.empty() ? Json() : Json(getter);
      json["code"] = code ? Json(*code) : Json();
      rows.push_back(std::move(json));
    }
    return rows.dump(-1, ' ', false, Json::error_handler_t::replace);
  }));
}

std::string cell(const Runtime& runtime, const Json& row) {
  if (!runtime.error.empty()) return "?";
  if (row["getter"].is_null()) return "-";
  const auto found = runtime.codes.find(row["getter"].get<std::string>());
  if (found == runtime.codes.end()) return "missing";
  const bool wrong = !row["code"].is_null() && *found != row["code"];
  return wrong ? fmt::format("{} WRONG", found->get<int32_t>())
               : fmt::format("{}", found->get<int32_t>());
}

std::string text_or_dash(const Json& value) {
  if (value.is_null()) return "-";
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return text.empty() ? "-" : devmap::cut(text);
}

std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    std::string padded;
    for (std::size_t i = 0; i < line.size(); ++i) {
      padded += fmt::format("{:<{}}", line[i], widths[i] + 2);
    }
    text += padded.substr(0, padded.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string table_text(const std::string& name, const Json& devices,
                       const std::vector<Runtime>& runtimes) {
  std::string text = fmt::format("mapping   {}\n", name);
  std::vector<std::vector<std::string>> lines = {{"device", "class", "answer", "getter", "code"}};
  for (std::size_t i = 0; i < runtimes.size(); ++i) {
    const Runtime& runtime = runtimes[i];
    text += fmt::format("runtime {} {}, prefix {}\n", i + 1, runtime.path,
                        runtime.prefix.empty() ? "(none)" : runtime.prefix);
    if (!runtime.error.empty()) text += fmt::format("          error: {}\n", runtime.error);
    lines.front().push_back(fmt::format("runtime {}", i + 1));
  }
  std::string errors;
  for (const Json& row : devices) {
    std::vector<std::string> line;
    for (const char* key : {"device", "class", "answer", "getter", "code"}) {
      line.push_back(text_or_dash(row[key]));
    }
    if (row["answer"].is_null()) {
      line[2] = "error";
      errors += fmt::format("{}: {}\n", line[0], row["error"].get<std::string>());
    }
    for (const Runtime& runtime : runtimes) line.push_back(cell(runtime, row));
    lines.push_back(std::move(line));
  }
  text += "\n" + aligned(lines);
  if (!errors.empty()) text += "\n" + errors;
  const auto bad = devmap::subject().mapping->bad_overrides();
  if (!bad.empty()) text += "\nthrow-away overrides, each in a process of its own\n";
  for (const auto& [kind, reply] : bad) {
    text += fmt::format("  {:<31} {}\n", kind, devmap::in_words(reply));
  }
  return text;
}

std::string json_table(const std::string& name, Json devices,
                       const std::vector<Runtime>& runtimes) {
  Json root = {{"schema_version", 1}, {"mapping", name}};
  root["runtimes"] = Json::array();
  for (const Runtime& runtime : runtimes) {
    root["runtimes"].push_back({{"path", runtime.path},
                                {"prefix", runtime.prefix},
                                {"error", runtime.error.empty() ? Json() : Json(runtime.error)}});
  }
  for (Json& row : devices) {
    row["runtimes"] = Json::array();
    for (const Runtime& runtime : runtimes) {
      const bool known = runtime.error.empty() && !row["getter"].is_null();
      const auto found =
          known ? runtime.codes.find(row["getter"].get<std::string>()) : runtime.codes.end();
      row["runtimes"].push_back(known && found != runtime.codes.end() ? *found : Json());
    }
  }
  root["devices"] = std::move(devices);
  root["bad_overrides"] = Json::object();
  for (const auto& [kind, reply] : devmap::subject().mapping->bad_overrides()) {
    root["bad_overrides"][kind] = devmap::in_words(reply);
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

int run(const Options& options) {
  if (!options.save.empty() && options.mapping.mapping != "torch") {
    throw UsageError("--save records the answers of --devmap torch, and of nothing else");
  }
  std::vector<Runtime> runtimes;
  for (const std::string& text : options.runtimes) runtimes.push_back(parse_runtime(text));
  if (runtimes.empty()) runtimes.push_back(parse_runtime("executorch_=" + built_in_reference()));
  for (const std::string& path : {options.json, options.save}) {
    if (!path.empty()) check_writable(path);
  }
  std::string record;
  const std::string name = use_mapping(options.mapping, &record);
  const Json devices = read_devices();
  std::set<std::string> getters;
  for (const Json& row : devices) {
    if (!row["getter"].is_null()) getters.insert(row["getter"].get<std::string>());
  }
  bool unread = false;
  for (Runtime& runtime : runtimes) {
    read_codes(runtime, getters);
    unread = unread || !runtime.error.empty();
  }
  std::vector<std::pair<std::string, std::string>> files;
  if (!options.save.empty()) files.emplace_back(options.save, record);
  if (!options.json.empty()) files.emplace_back(options.json, json_table(name, devices, runtimes));
  write_files(files);
  if (options.json != "-" && options.save != "-") print(table_text(name, devices, runtimes));
  return static_cast<int>(unread ? Exit::Tool : Exit::Conformant);
}

std::function<int()> setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_mapping_options(app, options->mapping);
  repeatable(app.add_option(
      "--runtime", options->runtimes,
      "[PREFIX=]LIB, a runtime whose getters are looked for (repeatable; default: the built-in "
      "reference)"));
  app.add_option("--json", options->json, "Write the table as JSON (- for standard output)")
      ->check(named);
  app.add_option("--save", options->save,
                 "Write the record of --devmap torch, which --devmap FILE.json reads again")
      ->check(named);
  app.footer("Exit codes: 0; 2 usage; 3 where the mapping or a runtime could not be read.");
  return [options] { return run(*options); };
}

const Subcommand command("devmap", "Show what a device mapping answers, and who has the getters",
                         setup);

}  // namespace
}  // namespace aoti_cts::cli
