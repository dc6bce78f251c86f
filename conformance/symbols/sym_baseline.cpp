// SYM.baseline, and the file that remembers what a runtime exported; see baseline.h.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "symbols/baseline.h"

namespace aoti_cts::symbols {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr size_t kMaxBytes = 16u << 20;  // all of libtorch's shims take 100 thousand

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw BaselineError(fmt::format("{}: {}", path, what));
}

std::string text_member(const Json& json, const char* key, const std::string& path,
                        const std::string& shim) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) {
    fail(path, fmt::format("shims.{}.{}: want a string", shim, key));
  }
  return *found;
}

}  // namespace

Baseline baseline_of(const Libraries& libraries) {
  Baseline baseline;
  for (const SeenShim& shim : exported_shims(libraries)) {
    const Symbol& symbol = *shim.symbol;
    if (!symbol.default_version && baseline.count(symbol.name) != 0) continue;
    baseline[std::string(symbol.name)] = {to_string(symbol.kind), to_string(symbol.binding),
                                          std::string(symbol.version)};
  }
  return baseline;
}

std::string baseline_text(const Baseline& baseline) {
  Json json;
  json["aoti_cts_baseline"] = kVersion;
  json["shims"] = Json::object();
  for (const auto& [name, shim] : baseline) {
    json["shims"][name] = {
        {"type", shim.kind}, {"binding", shim.binding}, {"version", shim.version}};
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Baseline read_baseline(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) fail(path, "cannot be read");
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxBytes) fail(path, fmt::format("size: more than {} bytes", kMaxBytes));
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) fail(path, "not a JSON object");
  const auto version = json.find("aoti_cts_baseline");
  if (version == json.end() || *version != kVersion) {
    fail(path, fmt::format("aoti_cts_baseline: want {}", kVersion));
  }
  const auto shims = json.find("shims");
  if (shims == json.end() || !shims->is_object()) fail(path, "shims: want an object");
  Baseline baseline;
  for (const auto& [name, row] : shims->items()) {
    if (!row.is_object()) fail(path, fmt::format("shims.{}: want an object", name));
    baseline[name] = {text_member(row, "type", path, name), text_member(row, "binding", path, name),
                      text_member(row, "version", path, name)};
  }
  if (baseline.empty()) fail(path, "shims: empty, so it holds nobody to anything");
  return baseline;
}

SYMBOL_CLAUSE(SYM, baseline) {
  if (!in.baseline) return out.skip("no baseline is given (--baseline)");
  const Baseline now = baseline_of(in.candidate);
  for (const auto& [name, was] : *in.baseline) {
    out.ok();
    const auto found = now.find(name);
    if (found == now.end()) {
      out.fail(name, "gone", fmt::format("{} {}", was.kind, was.binding));
    } else if (was.kind == "FUNC" && found->second.kind != "FUNC") {
      out.fail(name, found->second.kind, "FUNC");
    } else if (found->second.version != was.version) {
      out.fail(name, found->second.version.empty() ? "no version node" : found->second.version,
               was.version.empty() ? "no version node" : was.version);
    }
  }
}

}  // namespace aoti_cts::symbols
