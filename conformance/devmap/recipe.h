// The recipes of corpus/devmap as data. They are part of the binary (recipes.cpp is generated from
// the folder), so that every case of section MAP is one small text file and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aoti_cts::devmap {

/// What overrides answer with.
struct Value {
  enum class Kind { Text, Bytes, None, Integer };
  Kind kind = Kind::None;
  std::string text;
  std::int64_t integer = 0;
};

/// Throw-away overrides: a class, what it derives from, and what it answers or raises.
struct Overrides {
  enum class Base { Plain, NoOp, Cpu, Foreign, Other };
  std::string class_name;
  Base base = Base::Plain;
  std::shared_ptr<const Overrides> other;  ///< with Base::Other
  std::optional<Value> returns;
  std::optional<std::string> raises;
};

/// What a step has to give.
struct Want {
  enum class Kind { Nothing, Answer, AnyAnswer, Error, Fails, Either, AtMost };
  Kind kind = Kind::Nothing;
  std::string answer;
  std::vector<std::string> shows;  ///< with Error: texts that the error contains
  std::int64_t most = 0;           ///< with AtMost
};

struct Step {
  enum class Do { Register, Lookup, Code, AssignTable, Initialisations };
  Do what = Do::Lookup;
  std::string device;
  std::string operation;                                     ///< Code
  std::optional<Overrides> overrides;                        ///< Register
  std::vector<std::pair<std::string, std::string>> entries;  ///< AssignTable: device, answer
  Want want;
};

struct Recipe {
  std::string name;
  std::string clause;
  std::vector<Step> steps;
};

/// A recipe as it stands in the binary.
struct RecipeText {
  const char* name;
  const char* clause;
  const char* json;
};

/// All of them, sorted by name; from the generated file.
const std::vector<RecipeText>& recipe_texts();

/// Reads one recipe. Throws std::runtime_error that names the recipe, the step and the key for what
/// is not in the schema; the corpus linter has seen those that are built in.
Recipe read_recipe(std::string_view name, std::string_view json);

/// A number that changes when any built-in recipe does: a record of answers is for one corpus.
std::string corpus_digest();

}  // namespace aoti_cts::devmap
