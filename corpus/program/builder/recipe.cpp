// Reads recipes and turns them into bytes. The rules of the format are in corpus/README.md; the
// schema that the linter applies is corpus/program/schema.json.
#include "recipe.h"

#include <aoti_program/program.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace aoti_cts::corpus {
namespace {

using nlohmann::json;

constexpr uint64_t most_appended = uint64_t{1} << 20;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw std::runtime_error(where + ": " + what);
}

json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  try {
    return json::parse(in);
  } catch (const json::exception& error) {
    fail(path.string(), error.what());
  }
}

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    if (!entry.is_regular_file()) fail(entry.path().string(), "is no regular file");
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// "execution_plan[0].name" as its steps: "execution_plan", "0", "name".
std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  size_t at = 0;
  const auto take = [&](const char* ends, bool number) {
    const size_t end = std::min(path.find_first_of(ends, at), path.size());
    const std::string step = path.substr(at, end - at);
    const bool digits = step.find_first_not_of("0123456789") == std::string::npos;
    if (step.empty() || (number && (!digits || step.size() > 9 || end == path.size()))) {
      fail("at", "\"" + path + "\" is no path like execution_plan[0].name");
    }
    steps.push_back(step);
    at = number ? end + 1 : end;
  };
  take(".[", false);
  while (at < path.size()) {
    const char mark = path[at++];
    if (mark == '[') {
      take("]", true);
    } else if (mark == '.') {
      take(".[", false);
    } else {
      fail("at", "\"" + path + "\" has something behind a bracket");
    }
  }
  return steps;
}

/// The same as a JSON pointer below `root`, which must lead to something, or be one step from it.
json::json_pointer pointer(const json& doc, const std::string& root, const std::string& path) {
  json::json_pointer result(root);
  for (const std::string& step : steps_of(path)) {
    if (!doc.contains(result)) fail(path, "leads on from where there is nothing");
    const json& parent = doc.at(result);
    const bool number = step.find_first_not_of("0123456789") == std::string::npos;
    if (parent.is_array() ? !number || std::stoul(step) > parent.size() : !parent.is_object()) {
      fail(path, "has no " + step + ": there stands " + parent.dump().substr(0, 60));
    }
    result /= step;
  }
  return result;
}

bool is_low_level(const json& edit) { return !edit.contains("set") && !edit.contains("remove"); }

/// An edit of the words: before the file is built.
void edit_words(json& doc, const json& edit) {
  const auto path = edit.at("at").get<std::string>();
  const bool around = path.rfind("file.", 0) == 0;
  const auto at = around ? pointer(doc, "/file", path.substr(5)) : pointer(doc, "/program", path);
  if (edit.contains("set")) {
    doc[at] = edit.at("set");
    return;
  }
  if (!doc.contains(at)) fail(path, "there is nothing to remove");
  json& parent = doc.at(at.parent_pointer());
  if (parent.is_array()) {
    parent.erase(std::stoul(at.back()));
  } else {
    parent.erase(at.back());
  }
}

const Place& place_of(const File& file, const std::string& name) {
  const auto found = file.places.find(name);
  if (found == file.places.end()) fail(name, "names no place in the file");
  return found->second;
}

/// An edit of the bytes.
void edit_bytes(File& file, const json& edit) {
  if (edit.contains("truncate")) {
    const auto keep = edit.at("truncate").get<int64_t>();
    const auto size = static_cast<int64_t>(file.bytes.size());
    if (keep >= size || keep < -size)
      fail("truncate", std::to_string(keep) + " of a file of " + std::to_string(size) + " bytes");
    file.bytes.resize(static_cast<size_t>(keep < 0 ? size + keep : keep));
    return;
  }
  if (edit.contains("append")) {
    const auto more = edit.at("append").get<uint64_t>();
    if (more > most_appended)
      fail("append", std::to_string(more) + " exceeds the limit of 1048576");
    file.bytes.resize(file.bytes.size() + more);
    return;
  }
  const Place place = place_of(file, edit.at("at").get<std::string>());
  const json& value = edit.at("write");
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (text.size() != place.width) fail(text, "does not fill its place");
    std::copy(text.begin(), text.end(), file.bytes.begin() + static_cast<int64_t>(place.at));
    return;
  }
  if (!fits(value, place.width)) {
    fail(edit.at("at"), value.dump() + " does not fit " + std::to_string(place.width) + " bytes");
  }
  const auto bits = value.is_number_unsigned() ? value.get<uint64_t>()
                                               : static_cast<uint64_t>(value.get<int64_t>());
  for (uint32_t i = 0; i < place.width; ++i) {
    file.bytes[place.at + i] = static_cast<uint8_t>(i < 8 ? bits >> (8 * i) : 0);
  }
}

/// A base program after the edits of its words.
json worded(const json& base, const std::vector<json>& edits) {
  json doc = {{"program", base.at("program")}, {"file", base.value("file", json::object())}};
  for (const json& edit : edits) {
    if (!is_low_level(edit)) edit_words(doc, edit);
  }
  return doc;
}

/// Its file after the edits of its bytes.
File build(const json& doc, const std::vector<json>& edits) {
  File file = write_program(doc.at("program"), doc.at("file"));
  for (const json& edit : edits) {
    if (is_low_level(edit)) edit_bytes(file, edit);
  }
  return file;
}

std::vector<uint32_t> value_indices(const json& plan, const char* list) {
  std::vector<uint32_t> row;
  const json indices = plan.value(list, json::array());
  for (size_t i = 0; indices.is_array() && i < indices.size(); ++i) {
    row.push_back(static_cast<uint32_t>(indices[i].get<int64_t>()));
  }
  return row;
}

/// What the words say of tensors and inputs; a method that is one of many copies says nothing.
void list_tensors(const json& program, Expanded& out) {
  const json plans = program.value("execution_plan", json::array());
  if (!plans.is_array()) return;
  for (const json& plan : plans) {
    const json values = plan.value("values", json::array());
    for (size_t i = 0; values.is_array() && i < values.size(); ++i) {
      if (!values[i].contains("tensor")) continue;
      out.tensors.emplace_back(static_cast<uint32_t>(out.inputs.size()), static_cast<uint32_t>(i));
    }
    out.inputs.push_back(value_indices(plan, "inputs"));
    out.outputs.push_back(value_indices(plan, "outputs"));
    const json sizes = plan.value("non_const_buffer_sizes", json::array());
    const bool any = sizes.is_array() && sizes.size() > 1;
    out.planned.push_back(any ? static_cast<uint32_t>(sizes.size() - 1) : 0);
  }
}

/// A scalar type's code, or null for what names none.
json type_code(const json& type) {
  if (type.is_number()) return type;
  for (int code = 0; code <= INT8_MAX; ++code) {
    const char* const name = program::scalar_type_name(static_cast<int8_t>(code));
    if (name != nullptr && type == name) return code;
  }
  return nullptr;
}

/// Strides of a tensor; null where nobody ever takes the step.
json strides_of(const json& sizes, const json& dim_order) {
  json strides(sizes.size(), nullptr);
  int64_t step = 1;
  for (size_t i = dim_order.size(); i-- > 0;) {
    const auto at = dim_order[i].get<size_t>();
    const auto size = sizes.at(at).get<int64_t>();
    if (size == 0) return json(sizes.size(), nullptr);
    if (size > 1) strides[at] = step;
    step *= size;
  }
  return strides;
}

/// What the words say that a tensor's description has to show, or null where they do not.
json shown_of(const std::string& key, const json& tensor) {
  if (tensor.value("shape_dynamism", "STATIC") != json("STATIC")) return nullptr;
  if (key == "scalar_types") return type_code(tensor.value("scalar_type", json("BYTE")));
  const json sizes = tensor.value("sizes", json());
  const json order = tensor.value("dim_order", json());
  if (!sizes.is_array() || !order.is_array()) return nullptr;
  return key == "sizes" ? sizes : strides_of(sizes, order);
}

/// A clause's valid programs also say what its tensors' description has to show.
void add_shown(const std::string& clause, const json& program, const Expanded& out, json& expect) {
  static const std::map<std::string, std::string> keys = {
      {"PARSE.sizes", "sizes"}, {"PARSE.dim-order", "strides"}, {"PARSE.dtype", "scalar_types"}};
  const auto key = keys.find(clause);
  if (key == keys.end()) return;
  for (auto& [mode, answer] : expect.items()) {
    if (answer.at("verdict") != "valid") continue;
    json& shown = answer[key->second] = json::array();
    for (const auto& [method, value] : out.tensors) {
      const json& tensor = program.at("execution_plan").at(method).at("values").at(value);
      shown.push_back(shown_of(key->second, tensor.at("tensor")));
    }
  }
}

json expect_of(const json& recipe) {
  const json& expect = recipe.at("expect");
  if (!expect.contains("both")) return expect;
  return {{"portable", expect.at("both")}, {"aten", expect.at("both")}};
}

std::string hex(uint8_t value) {
  static constexpr char digits[] = "0123456789abcdef";
  return {'0', 'x', digits[value >> 4], digits[value & 15]};
}

/// What is expected of one value of a byte sweep; `$` in a device stands for the value, signed.
json expect_value(const json& mode, uint8_t value) {
  for (const json& row : mode.at("values")) {
    bool inside = false;
    for (const json& range : row.at("bytes")) {
      inside = inside || (value >= range.at(0).get<int>() && value <= range.at(1).get<int>());
    }
    if (!inside) continue;
    json expect = row;
    expect.erase("bytes");
    for (const char* list : {"devices", "buffers"}) {
      if (!expect.contains(list)) continue;
      for (json& device : expect.at(list)) {
        auto text = device.get<std::string>();
        const size_t mark = text.find('$');
        if (mark != std::string::npos) {
          text.replace(mark, 1, std::to_string(static_cast<int8_t>(value)));
        }
        device = text;
      }
    }
    return expect;
  }
  fail(hex(value), "no row of the sweep's expectation has this value");
}

void sweep(const Recipe& recipe, const File& file, Expanded& out) {
  const json& what = recipe.text.at("sweep");
  const json expect = expect_of(recipe.text);
  if (what.contains("truncate")) {
    for (uint64_t keep = 0; keep < file.bytes.size(); ++keep) {
      out.vectors.push_back(
          {recipe.id + "/" + std::to_string(keep), {Spoil::Kind::cut, keep, 0}, expect});
    }
    return;
  }
  if (what.contains("poke")) {
    for (uint64_t at = 0; at < file.bytes.size(); ++at) {
      for (const json& value : what.at("poke")) {
        const auto byte = value.get<uint8_t>();
        out.vectors.push_back({recipe.id + "/" + std::to_string(at) + "=" + hex(byte),
                               {Spoil::Kind::byte, at, byte},
                               expect});
      }
    }
    return;
  }
  const Place place = place_of(file, what.at("at").get<std::string>());
  for (int value = 0; value < 256; ++value) {
    const auto byte = static_cast<uint8_t>(value);
    Vector vector{recipe.id + "/" + hex(byte), {Spoil::Kind::byte, place.at, byte}, json::object()};
    for (const auto& [mode, rows] : expect.items()) vector.expect[mode] = expect_value(rows, byte);
    out.vectors.push_back(std::move(vector));
  }
}

}  // namespace

Corpus read_corpus(const std::string& folder) {
  Corpus corpus;
  for (const auto& path : json_files(std::filesystem::path(folder) / "cases")) {
    corpus.recipes.push_back({path.stem().string(), read_json(path)});
  }
  for (const auto& path : json_files(std::filesystem::path(folder) / "bases")) {
    corpus.bases[path.stem().string()] = read_json(path);
  }
  return corpus;
}

Expanded expand(const Corpus& corpus, const Recipe& recipe) {
  try {
    const auto base = corpus.bases.find(recipe.text.at("base").get<std::string>());
    if (base == corpus.bases.end()) fail("base", "there is no such file in bases/");
    auto edits = recipe.text.value("with", std::vector<json>{});
    Expanded out;
    const bool defect = recipe.text.contains("defect");
    if (defect) out.sound = build(worded(base->second, edits), edits).bytes;
    if (defect) edits.push_back(recipe.text.at("defect"));
    const json doc = worded(base->second, edits);
    list_tensors(doc.at("program"), out);
    File file = build(doc, edits);
    out.file = file.bytes;
    if (recipe.text.contains("sweep")) {
      sweep(recipe, file, out);
    } else {
      json expect = expect_of(recipe.text);
      // An edit of the bytes makes something else of the words.
      if (std::none_of(edits.begin(), edits.end(), is_low_level)) {
        add_shown(recipe.text.at("clause"), doc.at("program"), out, expect);
      }
      out.vectors.push_back({recipe.id, {}, expect});
    }
    return out;
  } catch (const std::exception& error) {
    fail("recipe " + recipe.id, error.what());
  }
}

std::vector<uint8_t> with_defect(const Corpus& corpus, const Recipe& recipe, const json& defect) {
  Recipe other = recipe;
  other.text["defect"] = defect;
  return expand(corpus, other).file;
}

std::vector<uint8_t> bytes_of(const Expanded& expanded, const Vector& vector) {
  std::vector<uint8_t> bytes = expanded.file;
  if (vector.spoil.kind == Spoil::Kind::cut) bytes.resize(vector.spoil.at);
  if (vector.spoil.kind == Spoil::Kind::byte) bytes.at(vector.spoil.at) = vector.spoil.value;
  return bytes;
}

}  // namespace aoti_cts::corpus
