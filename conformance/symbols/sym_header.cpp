// Section SYM, the installed header: SYM.header-consumers and SYM.one-prefix. The header is
// compiled, not parsed: what counts is the names that an object file imports, whatever macros or
// labels led to them. A consumer that imports a plain name is SYM.header-consumers' finding, one
// that imports another prefix SYM.one-prefix's.
#include <aoti_shim/table.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "report/text.h"
#include "symbols/command.h"
#include "symbols/judge.h"

namespace aoti_cts::symbols {
namespace {

constexpr const char* kMark = "aoti_cts_mark_after_header";

struct HeaderReading {
  std::string problem;               ///< why the header could not be judged
  std::vector<std::string> imports;  ///< shims that a unit which uses each declared one imports
};

std::set<std::string> identifiers(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char ch : text + " ") {
    if (isalnum(static_cast<unsigned char>(ch)) || ch == '_') {
      word += ch;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  return words;
}

std::string compiler(const Subject& in) {
  return compile_command() + " -x c++ -w " + in.compile_args;
}

// The names by which a consumer can call the declared shims: the plain one where the header renames
// it or declares it, the prefixed one where it declares that.
std::vector<std::string> callable_names(const Subject& in, const ScratchFolder& scratch,
                                        const std::string& include, HeaderReading& reading) {
  std::string unit = include + kMark + "\n";
  for (const AotiShimRow& row : aoti_shim_rows) unit += fmt::format("{}\n", row.name);
  const std::string path = scratch.write("names.cpp", unit);
  const Ran ran = run_shell(compiler(in) + " -E -P " + shell_word(path));
  const size_t mark = ran.output.find(kMark);
  if (!ran.ok || mark == std::string::npos) {
    reading.problem = "the header does not compile: " + ran.reason();
    return {};
  }
  const std::set<std::string> declared = identifiers(ran.output.substr(0, mark));
  std::string expanded;
  std::vector<std::string> expansions;
  for (const char ch : ran.output.substr(mark + std::string_view(kMark).size()) + "\n") {
    if (!isspace(static_cast<unsigned char>(ch))) {
      expanded += ch;
    } else if (!expanded.empty()) {
      expansions.push_back(std::exchange(expanded, ""));
    }
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min<size_t>(expansions.size(), aoti_shim_row_count); ++i) {
    const std::string plain = aoti_shim_rows[i].name;
    const std::string prefixed = std::string(in.p()) + plain;
    if (declared.count(expansions[i]) != 0) {
      names.push_back(plain);
    } else if (declared.count(prefixed) != 0) {
      names.push_back(prefixed);
    }
  }
  if (names.empty()) reading.problem = "the header declares no shim of the manifest";
  return names;
}

HeaderReading read_header(const Subject& in) {
  HeaderReading reading;
  const ScratchFolder scratch;
  const std::string header = std::filesystem::absolute(in.header).string();
  const std::string include = fmt::format("#include \"{}\"\n", header);
  const std::vector<std::string> names = callable_names(in, scratch, include, reading);
  if (names.empty()) return reading;
  std::string unit = include +
                     "extern \"C\" {\nextern void (*const aoti_cts_calls[])();\n"
                     "void (*const aoti_cts_calls[])() = {\n";
  for (const std::string& name : names) {
    unit += fmt::format("  reinterpret_cast<void (*)()>(&{}),\n", name);
  }
  unit += "};\n}\n";
  const std::string source = scratch.write("consumer.cpp", unit);
  const std::string object = scratch.file("consumer.o");
  const Ran ran = run_shell(
      fmt::format("{} -c {} -o {}", compiler(in), shell_word(source), shell_word(object)));
  if (!ran.ok) {
    reading.problem = "a unit that uses each declared shim does not compile: " + ran.reason();
    return reading;
  }
  for (const auto& library : open_libraries(FileInput::open(object))) {
    for (const Symbol& symbol : library->imports()) {
      if (shim_name(symbol.name)) reading.imports.emplace_back(symbol.name);
    }
  }
  if (reading.imports.empty()) reading.problem = "the unit imports no shim: are they all inline?";
  return reading;
}

// The prefix that most names of a set carry.
std::string usual_prefix(const std::vector<std::string>& names) {
  std::map<std::string, size_t> counts;
  for (const std::string& name : names) ++counts[std::string(shim_name(name)->prefix)];
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

std::string shown(std::string_view prefix) {
  return prefix.empty() ? "no prefix" : fmt::format("'{}'", prefix);
}

}  // namespace

SYMBOL_CLAUSE(SYM, header_consumers) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  if (in.header.empty()) return out.skip("no installed shim header is given (--header)");
  const HeaderReading reading = read_header(in);
  if (!reading.problem.empty()) {
    return out.fail(in.header, reading.problem, "a header that a unit can include");
  }
  for (const std::string& name : reading.imports) {
    out.ok();
    if (!shim_name(name)->prefix.empty()) continue;
    out.fail(fmt::format("a unit that includes {} imports", in.header), name,
             std::string(in.p()) + name);
  }
}

SYMBOL_CLAUSE(SYM, one_prefix) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  std::vector<std::pair<std::string, std::string>> seen;  // where, prefix
  std::vector<std::string> exports;
  for (const SeenShim& shim : exported_shims(in.candidate)) {
    exports.emplace_back(shim.symbol->name);
  }
  if (!exports.empty()) seen.emplace_back("exports", usual_prefix(exports));
  if (!in.header.empty()) {
    const HeaderReading reading = read_header(in);
    if (reading.problem.empty()) {
      seen.emplace_back("header " + in.header, usual_prefix(reading.imports));
    }
  }
  // -DSOMETHING_PREFIX=acme_, with or without quotes around the value.
  static const std::regex flag(R"(-D\s*([A-Za-z0-9_]*PREFIX[A-Za-z0-9_]*)=[\\"']*([A-Za-z0-9_]*))");
  for (std::sregex_iterator match(in.build_flags.begin(), in.build_flags.end(), flag), end;
       match != end; ++match) {
    seen.emplace_back("build flag " + (*match)[1].str(), (*match)[2].str());
  }
  if (in.exporter_prefix) seen.emplace_back("exporter", *in.exporter_prefix);
  for (const auto& [where, prefix] : seen) {
    out.ok();
    if (prefix == in.p()) continue;
    out.fail(fmt::format("prefix of the {}", where), shown(prefix),
             fmt::format("{} (--prefix)", shown(in.p())));
  }
  if (seen.empty()) out.skip("no exported shim, header, build flag or exporter setting to compare");
}

}  // namespace aoti_cts::symbols
