// Reads recipes; see recipe.h and corpus/devmap/schema.json.
#include "devmap/recipe.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace aoti_cts::devmap {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", where, what));
}

// Refuses keys that nobody reads, so that a misspelt one is not ignored.
void only(const Json& object, const std::string& where, std::initializer_list<const char*> keys) {
  if (!object.is_object()) refuse(where, "is no object");
  for (const auto& item : object.items()) {
    bool known = false;
    for (const char* key : keys) known = known || item.key() == key;
    if (!known) refuse(where, fmt::format("unknown key '{}'", item.key()));
  }
}

const Json& member(const Json& object, const std::string& where, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) refuse(where, fmt::format("{} is missing", key));
  return *found;
}

std::string string_of(const Json& value, const std::string& where) {
  if (!value.is_string()) refuse(where, "is no string");
  return value.get<std::string>();
}

std::int64_t integer_of(const Json& value, const std::string& where) {
  if (!value.is_number_integer()) refuse(where, "is no integer");
  return value.get<std::int64_t>();
}

// A string, or start and a text repeated.
std::string text_of(const Json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  only(value, where, {"start", "repeat", "times"});
  constexpr std::int64_t most = 1 << 24;
  const std::string repeat = string_of(member(value, where, "repeat"), where + ".repeat");
  const std::int64_t times = integer_of(member(value, where, "times"), where + ".times");
  if (times < 0 || times > most) refuse(where, fmt::format("times is {}, at most {}", times, most));
  std::string text = value.value("start", "");
  for (std::int64_t i = 0; i < times; ++i) text += repeat;
  return text;
}

Value value_of(const Json& json, const std::string& where) {
  only(json, where, {"text", "bytes", "none", "integer"});
  if (json.size() != 1) refuse(where, "needs exactly one of text, bytes, none, integer");
  const std::string kind = json.items().begin().key();
  const Json& given = json.front();
  if (kind == "text") return {Value::Kind::Text, text_of(given, where), 0};
  if (kind == "bytes") return {Value::Kind::Bytes, string_of(given, where), 0};
  if (kind == "integer") return {Value::Kind::Integer, "", integer_of(given, where)};
  return {Value::Kind::None, "", 0};
}

Overrides overrides_of(const Json& json, const std::string& where) {
  only(json, where, {"class", "base", "returns", "raises"});
  Overrides overrides;
  overrides.class_name = string_of(member(json, where, "class"), where + ".class");
  const Json& base = member(json, where, "base");
  if (base.is_object()) {
    overrides.base = Overrides::Base::Other;
    overrides.other = std::make_shared<const Overrides>(overrides_of(base, where + ".base"));
  } else {
    const std::string name = string_of(base, where + ".base");
    if (name == "NoOpDeviceOpOverrides") {
      overrides.base = Overrides::Base::NoOp;
    } else if (name == "CpuDeviceOpOverrides") {
      overrides.base = Overrides::Base::Cpu;
    } else if (name == "foreign") {
      overrides.base = Overrides::Base::Foreign;
    } else if (name != "DeviceOpOverrides") {
      refuse(where + ".base", fmt::format("unknown base '{}'", name));
    }
  }
  if (json.contains("returns")) overrides.returns = value_of(json["returns"], where + ".returns");
  if (json.contains("raises")) overrides.raises = string_of(json["raises"], where + ".raises");
  return overrides;
}

Want want_of(const Json& json, const std::string& where) {
  only(json, where, {"answer", "any-answer", "error", "fails", "either", "at-most"});
  if (json.size() != 1) refuse(where, "needs exactly one key");
  const std::string kind = json.items().begin().key();
  const Json& given = json.front();
  Want want;
  if (kind == "answer") {
    want.kind = Want::Kind::Answer;
    want.answer = text_of(given, where + ".answer");
  } else if (kind == "error") {
    want.kind = Want::Kind::Error;
    for (const Json& text : given) want.shows.push_back(text_of(text, where + ".error"));
  } else if (kind == "at-most") {
    want.kind = Want::Kind::AtMost;
    want.most = integer_of(given, where + ".at-most");
  } else {
    want.kind = kind == "any-answer" ? Want::Kind::AnyAnswer
                : kind == "fails"    ? Want::Kind::Fails
                                     : Want::Kind::Either;
  }
  return want;
}

Step step_of(const Json& json, const std::string& where) {
  only(json, where, {"do", "device", "operation", "overrides", "entries", "want"});
  const std::string what = string_of(member(json, where, "do"), where + ".do");
  Step step;
  if (what == "register") {
    step.what = Step::Do::Register;
    step.overrides = overrides_of(member(json, where, "overrides"), where + ".overrides");
  } else if (what == "code") {
    step.what = Step::Do::Code;
    step.operation = string_of(member(json, where, "operation"), where + ".operation");
  } else if (what == "assign-table") {
    step.what = Step::Do::AssignTable;
    for (const auto& entry : member(json, where, "entries").items()) {
      step.entries.emplace_back(entry.key(), string_of(entry.value(), where + ".entries"));
    }
  } else if (what == "initialisations") {
    step.what = Step::Do::Initialisations;
  } else if (what != "lookup") {
    refuse(where, fmt::format("unknown step '{}'", what));
  }
  const bool has_device = step.what == Step::Do::Register || step.what == Step::Do::Lookup ||
                          step.what == Step::Do::Code;
  if (has_device) step.device = text_of(member(json, where, "device"), where + ".device");
  const bool judged = step.what != Step::Do::Register && step.what != Step::Do::AssignTable;
  if (judged) step.want = want_of(member(json, where, "want"), where + ".want");
  return step;
}

}  // namespace

Recipe read_recipe(std::string_view name, std::string_view json) {
  const std::string where = fmt::format("recipe {}", name);
  Json root;
  try {
    root = Json::parse(json);
  } catch (const Json::exception& error) {
    refuse(where, error.what());
  }
  Recipe recipe;
  recipe.name = name;
  recipe.clause = string_of(member(root, where, "clause"), where + ".clause");
  const Json& steps = member(root, where, "steps");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    recipe.steps.push_back(step_of(steps[i], fmt::format("{}.steps[{}]", where, i)));
  }
  return recipe;
}

std::string corpus_digest() {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const RecipeText& recipe : recipe_texts()) {
    for (const char* text : {recipe.name, recipe.json}) {
      for (; *text != '\0'; ++text) {
        hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3U;
      }
    }
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace aoti_cts::devmap
