// See written.h. The search goes over the places that the corpus writer names, so that what it
// finds has one defect by construction, as the corpus demands.
#include "support/candidate/written.h"

#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "flatbuffers/minireflect.h"
#include "program_generated.h"
#include "recipe.h"
#include "support/program/objects.h"
#include "writer.h"

namespace aoti_cts::fuzz {
namespace {

using json = nlohmann::ordered_json;
using nlohmann_json = nlohmann::json;

const corpus::Corpus& the_corpus() {
  static const corpus::Corpus all = corpus::read_corpus(AOTI_CTS_CORPUS);
  return all;
}

/// One edit in the recipe's words, and the program that it makes.
struct Edited {
  json edit;
  std::vector<uint8_t> file;
};

std::vector<int64_t> values_for(uint32_t width) {
  std::vector<int64_t> values = {0, 1, 2, 3, 4, 5, 7, 16, 17, 64, 100, 126, 127, -1, -2, -128};
  if (width >= 2) values.insert(values.end(), {255, 4096, 32767});
  if (width >= 4) values.insert(values.end(), {65536, INT32_MAX, INT32_MIN});
  if (width >= 8) values.insert(values.end(), {INT64_MAX, INT64_MIN});
  return values;
}

class Search {
 public:
  Search(const std::string& base, const Shows& shows) : base_(base), shows_(shows) {
    const auto& text = the_corpus().bases.at(base);
    program_ = text.at("program");
    around_ = text.value("file", nlohmann_json::object());
    sound_ = corpus::write_program(program_, around_);
  }

  std::optional<json> run() {
    for (const auto& [name, place] : sound_.places) {
      if (auto found = write(name, place)) return found;
    }
    if (auto found = replace()) return found;
    for (int64_t cut = 1; cut <= 24; ++cut) {
      std::vector<uint8_t> file = sound_.bytes;
      file.resize(file.size() - static_cast<size_t>(cut));
      if (shows_(file)) return json{{"truncate", -cut}};
    }
    return {};
  }

 private:
  std::optional<json> write(const std::string& name, corpus::Place place) {
    if (place.width > 8) return {};
    const bool structure = name.find('#') != std::string::npos;
    for (const int64_t value : values_for(place.width)) {
      std::vector<uint8_t> file = sound_.bytes;
      for (uint32_t i = 0; i < place.width; ++i) {
        file[place.at + i] = static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
      }
      if (!shows_(file)) continue;
      return json{{"at", name}, {structure ? "write" : "set", value}};
    }
    return {};
  }

  /// Fields that the bases leave out, with values of their own.
  std::optional<json> replace() {
    std::vector<nlohmann_json> extras;
    for (const int type : {1, 2, 7, -1, 0}) {
      for (const int index : {0, 3, 5, 64, -1, -128}) {
        extras.push_back({{"device_type", type}, {"device_index", index}});
      }
    }
    extras.push_back({{"location", 1}});
    extras.push_back({{"location", 1}, {"fully_qualified_name", ""}});
    extras.push_back({{"location", 2}});
    extras.push_back({{"mutable_data_segments_idx", 9}});
    for (const auto& extra : extras) {
      const std::string tensor = "execution_plan[0].values[0].tensor.extra_tensor_info";
      if (auto found = set(tensor, "/execution_plan/0/values/0/tensor/extra_tensor_info", extra)) {
        return found;
      }
      for (const int buffer : {1, 0, 2, -1}) {
        nlohmann_json entry = extra;
        if (!entry.contains("device_type")) continue;
        entry["buffer_idx"] = buffer;
        if (auto found =
                set("execution_plan[0].non_const_buffer_device",
                    "/execution_plan/0/non_const_buffer_device", nlohmann_json::array({entry}))) {
          return found;
        }
      }
    }
    return {};
  }

  std::optional<json> set(const std::string& path, const std::string& pointer,
                          const nlohmann_json& value) {
    nlohmann_json program = program_;
    try {
      const nlohmann_json::json_pointer at(pointer);
      if (!program.contains(at.parent_pointer())) return {};
      program[at] = value;
      if (!shows_(corpus::write_program(program, around_).bytes)) return {};
    } catch (const std::exception&) {
      return {};  // the base has no such place
    }
    return json{{"at", path}, {"set", json::parse(value.dump())}};
  }

  std::string base_;
  const Shows& shows_;
  nlohmann_json program_;
  nlohmann_json around_;
  corpus::File sound_;
};

std::string snake(const std::string& name) {
  std::string text;
  for (const char ch : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(ch)) != 0;
    if (upper && !text.empty()) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
  }
  return text;
}

/// Tables as the recipe's words, by the type tables of the schema.
class Words {
 public:
  explicit Words(const uint8_t* data) : data_(data) {}

  json table(const flatbuffers::TypeTable& type, size_t at) const {
    json out = json::object();
    const auto* const here = reinterpret_cast<const flatbuffers::Table*>(data_ + at);
    for (size_t i = 0; i < type.num_elems; ++i) {
      const uint16_t offset =
          here->GetOptionalFieldOffset(static_cast<flatbuffers::voffset_t>(4 + 2 * i));
      if (offset == 0) continue;
      const auto code = type.type_codes[i];
      if (code.base_type == flatbuffers::ET_UTYPE) continue;  // the union's key says it
      const flatbuffers::TypeTable* child =
          code.sequence_ref < 0 ? nullptr : type.type_refs[code.sequence_ref]();
      if (child != nullptr && child->st == flatbuffers::ST_UNION) {
        const uint8_t tag = here->GetField<uint8_t>(static_cast<uint16_t>(2 + 2 * i), 0);
        if (tag == 0 || tag >= child->num_elems) continue;
        const auto& member = *child->type_refs[child->type_codes[tag].sequence_ref]();
        // An EValue is its union's member alone.
        out[snake(child->names[tag])] = table(member, follow(at + offset));
        continue;
      }
      out[type.names[i]] = field(code, child, at + offset);
    }
    return out;
  }

 private:
  template <class T>
  T read(size_t at) const {
    T value;
    std::memcpy(&value, data_ + at, sizeof(value));
    return value;
  }
  size_t follow(size_t at) const { return at + read<uint32_t>(at); }

  json field(flatbuffers::TypeCode code, const flatbuffers::TypeTable* child, size_t at) const {
    const auto kind = static_cast<flatbuffers::ElementaryType>(code.base_type);
    if (code.is_repeating == 0) return element(kind, child, at);
    json list = json::array();
    const size_t vector = follow(at);
    const size_t width = flatbuffers::InlineSize(kind, child);
    for (uint32_t i = 0; i < read<uint32_t>(vector); ++i) {
      list.push_back(element(kind, child, vector + 4 + i * width));
    }
    return list;
  }

  json element(flatbuffers::ElementaryType kind, const flatbuffers::TypeTable* child,
               size_t at) const {
    switch (kind) {
      case flatbuffers::ET_BOOL:
        return read<uint8_t>(at) != 0;
      case flatbuffers::ET_CHAR:
        return read<int8_t>(at);
      case flatbuffers::ET_UCHAR:
        return read<uint8_t>(at);
      case flatbuffers::ET_INT:
        return read<int32_t>(at);
      case flatbuffers::ET_UINT:
        return read<uint32_t>(at);
      case flatbuffers::ET_LONG:
        return read<int64_t>(at);
      case flatbuffers::ET_ULONG:
        return read<uint64_t>(at);
      case flatbuffers::ET_DOUBLE:
        return read<double>(at);
      case flatbuffers::ET_STRING: {
        const size_t text = follow(at);
        return std::string(reinterpret_cast<const char*>(data_ + text + 4), read<uint32_t>(text));
      }
      case flatbuffers::ET_SEQUENCE:
        return table(*child, follow(at));
      default:
        throw std::runtime_error("the schema has a type that recipes have no words for");
    }
  }

  const uint8_t* data_;
};

/// Every field of the file, set over a base; empty where that does not show the same.
std::optional<json> all_tables(const std::vector<uint8_t>& file, const Shows& shows) {
  const auto objects = unpack(file.data(), file.size());
  if (!objects) return {};
  try {
    const Words words(file.data());
    const uint32_t root = static_cast<uint32_t>(file[0]) | static_cast<uint32_t>(file[1]) << 8 |
                          static_cast<uint32_t>(file[2]) << 16;
    json program = words.table(*wire::ProgramTypeTable(), root);
    nlohmann_json around = nlohmann_json::object();
    if (objects->has_header) around["extended_header"] = objects->header_bytes >= 32 ? 32 : 24;
    if (objects->has_segments) around["segment_data"] = objects->segments;
    const auto plain = nlohmann_json::parse(program.dump());
    if (!shows(corpus::write_program(plain, around).bytes)) return {};
    json edits = json::array();
    for (const auto& [name, value] : program.items()) {
      edits.push_back({{"at", name}, {"set", value}});
    }
    for (const auto& [name, value] : around.items()) {
      edits.push_back({{"at", "file." + name}, {"set", json::parse(value.dump())}});
    }
    return edits;
  } catch (const std::exception&) {
    return {};  // no words for it
  }
}

json expectation(program::Mode mode, const std::vector<uint8_t>& file) {
  Reference reference;
  read_reference(file.data(), file.size(), mode, reference);
  json answer;
  if (!reference.accepted) {
    answer = {{"verdict", "invalid"}, {"error", "any"}, {"path", reference.error.path}};
  } else {
    answer = {{"verdict", "valid"}, {"devices", json::array()}};
    for (const auto& tensor : reference.program.tensors) {
      answer["devices"].push_back(tensor.device.index < 0 ? "cpu" : to_string(tensor.device));
    }
  }
  return {{mode == program::Mode::aten ? "aten" : "portable", answer}};
}

/// The clause, and flags of a case of the corpus that has it.
void label(const Divergence& divergence, json& recipe) {
  std::string clause = divergence.rule.substr(0, divergence.rule.find(' '));
  if (clause.rfind("PARSE.", 0) != 0) clause = "PARSE.compat";
  recipe["about"] = "Found by fuzzing: " + divergence.kind + " (" + divergence.what + ").";
  recipe["clause"] = clause;
  recipe["source"] = "C";
  recipe["flags"] = json::array();
  for (const auto& other : the_corpus().recipes) {
    if (other.text.at("clause").get<std::string>() != clause) continue;
    recipe["flags"].push_back(other.text.at("flags").at(0).get<std::string>());
    break;
  }
}

}  // namespace

Recipe recipe_of(const std::vector<uint8_t>& file, const Divergence& divergence, program::Mode mode,
                 const Shows& shows) {
  json recipe;
  label(divergence, recipe);
  std::vector<uint8_t> shown;  // what the recipe builds
  const Shows keep = [&](const std::vector<uint8_t>& other) {
    if (!shows(other)) return false;
    shown = other;
    return true;
  };
  const bool defect = divergence.kind == "accepted though invalid" || divergence.kind == "crash";
  for (const auto& [base, text] : the_corpus().bases) {
    std::optional<json> edit = Search(base, keep).run();
    if (!edit) continue;
    recipe["base"] = base;
    recipe[defect ? "defect" : "with"] = defect ? *edit : json::array({*edit});
    recipe["expect"] = expectation(mode, shown);
    return {recipe.dump(2) + "\n", "one edit of base " + base};
  }
  if (auto edits = all_tables(file, keep)) {
    recipe["base"] = "unplanned";
    recipe["with"] = *edits;
    recipe["expect"] = expectation(mode, shown);
    return {recipe.dump(2) + "\n", "all tables over base unplanned"};
  }
  return {"", "no recipe: its structure is broken in more than one place"};
}

}  // namespace aoti_cts::fuzz
