// See support/schema.h.
#include <fmt/format.h>

#include <algorithm>

#include "support/schema.h"

namespace aoti_cts::tests {
namespace {

using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return false;
}

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  std::string check(const Json& schema, const Json& value, const std::string& at) const {
    for (const auto& [key, rule] : schema.items()) {
      std::string problem = check_key(schema, key, rule, value, at);
      if (!problem.empty()) return problem;
    }
    return "";
  }

 private:
  std::string check_key(const Json& schema, const std::string& key, const Json& rule,
                        const Json& value, const std::string& at) const {
    const auto wrong = [&](const std::string& why) {
      return fmt::format("{}: {} ({})", at, why, value.dump().substr(0, 80));
    };
    if (key == "$schema" || key == "title" || key == "description" || key == "$defs") return "";
    if (key == "$ref") return check(resolve(rule), value, at);
    if (key == "const") return value == rule ? "" : wrong("has to be " + rule.dump());
    if (key == "minimum") return value >= rule ? "" : wrong("is below " + rule.dump());
    if (key == "minItems") return value.size() >= rule ? "" : wrong("has too few items");
    if (key == "maxItems") return value.size() <= rule ? "" : wrong("has too many items");
    if (key == "type")
      return any(rule, [&](const Json& type) { return has_type(value, type); })
                 ? ""
                 : wrong("has to be " + rule.dump());
    if (key == "enum")
      return any(rule, [&](const Json& one) { return value == one; })
                 ? ""
                 : wrong("has to be one of " + rule.dump());
    if (key == "oneOf")
      return any(rule, [&](const Json& one) { return check(one, value, at).empty(); })
                 ? ""
                 : wrong("fits none of oneOf");
    if (key == "required") {
      for (const Json& name : rule) {
        if (!value.contains(name.get<std::string>())) return wrong("lacks " + name.dump());
      }
      return "";
    }
    if (key == "additionalProperties")
      return rule == false ? closed(schema, value, at) : wrong("schema is open");
    if (key == "properties") return members(rule, value, at);
    if (key == "items") return elements(rule, value, at);
    return fmt::format("{}: the schema uses {}, which this checker does not know", at, key);
  }

  template <class Test>
  static bool any(const Json& rule, Test test) {
    if (!rule.is_array()) return test(rule);
    return std::any_of(rule.begin(), rule.end(), test);
  }

  const Json& resolve(const std::string& reference) const {
    return root_.at(Json::json_pointer(reference.substr(1)));
  }

  static std::string closed(const Json& schema, const Json& value, const std::string& at) {
    for (const auto& [name, ignored] : value.items()) {
      if (!schema.at("properties").contains(name))
        return fmt::format("{}: unknown field {}", at, name);
    }
    return "";
  }

  std::string members(const Json& rule, const Json& value, const std::string& at) const {
    for (const auto& [name, part] : rule.items()) {
      if (!value.contains(name)) continue;
      std::string problem = check(part, value.at(name), fmt::format("{}/{}", at, name));
      if (!problem.empty()) return problem;
    }
    return "";
  }

  std::string elements(const Json& rule, const Json& value, const std::string& at) const {
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string problem = check(rule, value[i], fmt::format("{}/{}", at, i));
      if (!problem.empty()) return problem;
    }
    return "";
  }

  const Json& root_;
};

}  // namespace

std::string violation(const Json& schema, const Json& document) {
  return Checker(schema).check(schema, document, "");
}

}  // namespace aoti_cts::tests
