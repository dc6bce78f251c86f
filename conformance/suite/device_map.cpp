// Section MAP, from Inductor's device name to ATen's device type.
//
//   aoti-cts check --profile map                       the reference mapping: every clause PASS or
//   INFO aoti-cts check --devmap torch --python PYTHON      the torch of that interpreter
//
// The cases are the recipes of corpus/devmap; a case here is what no recipe can hold, because it is
// about the devices that the mapping itself knows.
#include <dlfcn.h>

#include <cctype>

#include "devmap/candidate.h"
#include "suite/case.h"

namespace aoti_cts::suite {
namespace {

using devmap::Candidate;
using devmap::cut;
using devmap::DeviceRow;
using devmap::Recipe;
using devmap::Reply;
using devmap::Step;
using devmap::Want;

std::string words(const Want& want) {
  switch (want.kind) {
    case Want::Kind::Nothing:
      return "done";
    case Want::Kind::Answer:
      return fmt::format("answer '{}'", cut(want.answer));
    case Want::Kind::AnyAnswer:
      return "an answer";
    case Want::Kind::Error: {
      std::string text = "an error that says more than the device's name, with";
      for (const std::string& part : want.shows) text += fmt::format(" \"{}\"", cut(part));
      return text;
    }
    case Want::Kind::Fails:
      return "an error";
    case Want::Kind::Either:
      return "an answer or an error";
    case Want::Kind::AtMost:
      return fmt::format("at most {}", want.most);
  }
  return "?";
}

std::string words(const Step& step) {
  switch (step.what) {
    case Step::Do::Register:
      return fmt::format("register {} for '{}'", step.overrides->class_name, cut(step.device));
    case Step::Do::Lookup:
      return fmt::format("look up '{}'", cut(step.device));
    case Step::Do::Code:
      return fmt::format("{} of '{}'", step.operation, cut(step.device));
    case Step::Do::AssignTable:
      return "assign a table";
    case Step::Do::Initialisations:
      return "how often the built-ins were registered";
  }
  return "?";
}

// A container's bare key error says nothing: its text is the name, perhaps in quotes.
bool is_explicit(const Reply& reply, const std::string& device) {
  const std::string& text = reply.text;
  if (text == device || text == "'" + device + "'" || text.empty()) return false;
  return reply.type != "KeyError" || text.find(' ') != std::string::npos;
}

bool shows_all(const Reply& reply, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (reply.text.find(part) == std::string::npos) return false;
  }
  return true;
}

bool fits(const Reply& reply, const Step& step) {
  const Want& want = step.want;
  switch (want.kind) {
    case Want::Kind::Nothing:
      return reply.kind == Reply::Kind::Done;
    case Want::Kind::Answer:
      return reply.kind == Reply::Kind::Answer && reply.text == want.answer;
    case Want::Kind::AnyAnswer:
      return reply.kind == Reply::Kind::Answer && !reply.text.empty();
    case Want::Kind::Error:
      return reply.kind == Reply::Kind::Error && is_explicit(reply, step.device) &&
             shows_all(reply, want.shows);
    case Want::Kind::Fails:
      return reply.kind == Reply::Kind::Error;
    case Want::Kind::Either:
      return reply.kind == Reply::Kind::Answer || reply.kind == Reply::Kind::Error;
    case Want::Kind::AtMost:
      return reply.kind == Reply::Kind::Count && reply.count <= want.most;
  }
  return false;
}

Candidate& mapping(Case& c) {
  if (devmap::subject().mapping == nullptr) c.skip("no mapping was given (--devmap)");
  return *devmap::subject().mapping;
}

std::vector<DeviceRow> devices(Case& c) {
  try {
    return mapping(c).devices();
  } catch (const devmap::NotOffered& why) {
    c.skip(why.what());
  }
}

void judge_step(Case& c, const Step& step, const Reply& reply, bool last) {
  if (reply.kind == Reply::Kind::Unsupported) c.skip(reply.text);
  if (!fits(reply, step)) return c.fail(words(step), devmap::in_words(reply), words(step.want));
  c.sink().assertion();
  // What a MAY clause leaves open is what its last step shows.
  if (last && step.want.kind == Want::Kind::Either) c.saw(devmap::in_words(reply));
}

void run_recipe(Case& c, const devmap::RecipeText& text) {
  const Recipe recipe = devmap::read_recipe(text.name, text.json);
  const std::vector<Reply> replies = mapping(c).run(recipe);
  for (std::size_t i = 0; i < replies.size() && i < recipe.steps.size(); ++i) {
    judge_step(c, recipe.steps[i], replies[i], i + 1 == recipe.steps.size());
  }
  if (replies.size() != recipe.steps.size()) {
    c.fail("replies to the case's steps", fmt::format("{}", replies.size()),
           fmt::format("{}", recipe.steps.size()));
  }
}

// Adds the recipes of one clause; a case is called after its file.
void add_recipes(CaseList& cases, std::string_view clause) {
  for (const devmap::RecipeText& text : devmap::recipe_texts()) {
    if (clause != text.clause) continue;
    std::string name = text.name;
    for (char& ch : name) {
      if (ch == '-') ch = '_';
    }
    cases.add(std::move(name), [&text](Case& c) { run_recipe(c, text); });
  }
}

enum class Tier { Core, Torch, Other };

// Which part of the manifest has an answer's getter.
Tier tier_of(const std::string& getter) {
  for (const AotiShimRow& row : aoti_shim_rows) {
    if (getter == row.name) return std::string_view(row.tier) == "core" ? Tier::Core : Tier::Torch;
  }
  return Tier::Other;
}

// The runtime's function for a getter; the libraries are loaded already.
void* find_getter(const std::string& getter) {
  const devmap::Subject& subject = devmap::subject();
  for (const std::string& path : subject.runtime_paths) {
    void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (void* found = dlsym(library, (subject.runtime_prefix + getter).c_str())) return found;
  }
  return nullptr;
}

void judge_getter(Case& c, const DeviceRow& row, const std::string& getter, void* function) {
  const auto call = reinterpret_cast<int32_t (*)()>(function);
  const auto want = devmap::device_code(row.reply.text);
  if (!want) {
    c.sink().assertion();
    return c.saw(
        fmt::format("{}: {} gives {}; ATen has no {}", row.device, getter, call(), row.reply.text));
  }
  HAVE_WANT_AS(fmt::format("{}: {}()", row.device, getter), call(), *want);
}

// Whether a runtime may do without a getter. One that has the core's alone need not serve other
// devices of libtorch: then no blob for them targets it.
bool may_lack(const std::string& getter) {
  if (tier_of(getter) != Tier::Torch) return false;
  for (const AotiShimRow& row : aoti_shim_rows) {
    const std::string_view name = row.name;
    constexpr std::string_view stem = "aoti_torch_device_type_";
    if (name.substr(0, stem.size()) != stem || tier_of(row.name) != Tier::Torch) continue;
    if (find_getter(row.name) != nullptr) return false;
  }
  return true;
}

// One mapped device; returns its name where the runtime does not serve it.
std::string judge_device(Case& c, const DeviceRow& row) {
  const std::string derived = devmap::getter_of(row.reply.text);
  const std::string& getter = row.getter.empty() ? derived : row.getter;
  if (getter.empty()) return {};
  if (!derived.empty()) {
    HAVE_WANT_AS(fmt::format("getter that generated code calls for {}", row.device), getter,
                 derived);
  }
  if (void* function = find_getter(getter)) {
    judge_getter(c, row, getter, function);
    return {};
  }
  if (may_lack(getter)) return row.device;
  c.fail(fmt::format("{} ({})", row.device, row.reply.text),
         fmt::format("the runtime exports no {}{}", devmap::subject().runtime_prefix, getter),
         "the getter that generated code calls");
  return {};
}

// Whether an answer is out of form. A suffix beyond ASCII is MAP.unicode-suffix's affair.
bool is_malformed(const std::string& answer) {
  constexpr std::string_view form = "at::k";
  if (answer.compare(0, form.size(), form) != 0 || answer.size() == form.size()) return true;
  const std::string suffix = answer.substr(form.size());
  if (suffix[0] >= '0' && suffix[0] <= '9') return true;
  for (const char ch : suffix) {
    const bool ascii = static_cast<unsigned char>(ch) < 0x80;
    if (ascii && ch != '_' && std::isalnum(static_cast<unsigned char>(ch)) == 0) return true;
  }
  return false;
}

}  // namespace

CLAUSE_CASES(MAP, builtin) { add_recipes(cases, "MAP.builtin"); }
CLAUSE_CASES(MAP, meta) { add_recipes(cases, "MAP.meta"); }
CLAUSE_CASES(MAP, unregistered) { add_recipes(cases, "MAP.unregistered"); }
CLAUSE_CASES(MAP, missing) { add_recipes(cases, "MAP.missing"); }
CLAUSE_CASES(MAP, unsupported) { add_recipes(cases, "MAP.unsupported"); }
CLAUSE_CASES(MAP, noop_kept) { add_recipes(cases, "MAP.noop-kept"); }
CLAUSE_CASES(MAP, meta_fixed) { add_recipes(cases, "MAP.meta-fixed"); }
CLAUSE_CASES(MAP, lazy) { add_recipes(cases, "MAP.lazy"); }
CLAUSE_CASES(MAP, explicit_kept) { add_recipes(cases, "MAP.explicit-kept"); }
CLAUSE_CASES(MAP, raises) { add_recipes(cases, "MAP.raises"); }
CLAUSE_CASES(MAP, unicode_suffix) { add_recipes(cases, "MAP.unicode-suffix"); }

CLAUSE_CASES(MAP, out_of_tree) {
  add_recipes(cases, "MAP.out-of-tree");
  cases.add("no_table", [](Case& c) {
    const auto exists = mapping(c).table_exists();
    if (!exists) c.skip("a mapping that is written down does not say whether a table exists");
    HAVE_WANT_AS("a module-level table exists", *exists, false);
  });
}

CLAUSE_CASES(MAP, invalid) {
  add_recipes(cases, "MAP.invalid");
  // What the mapping answers for its own devices, those of imported backends included.
  cases.add("answers_of_the_mapping", [](Case& c) {
    for (const DeviceRow& row : devices(c)) {
      c.sink().assertion();
      const bool answers = row.reply.kind == Reply::Kind::Answer;
      if (row.reply.kind == Reply::Kind::NotText || (answers && is_malformed(row.reply.text))) {
        c.fail(row.device, devmap::in_words(row.reply),
               "a text of the form at::kName, or an error");
      }
    }
  });
}

CLAUSE_CASES(MAP, token_exported) {
  cases.add("getters_of_mapped_devices", [](Case& c) {
    std::string not_served;
    for (const DeviceRow& row : devices(c)) {
      // An answer out of form is MAP.invalid's affair.
      if (row.reply.kind != Reply::Kind::Answer || is_malformed(row.reply.text)) continue;
      const std::string lacking = judge_device(c, row);
      if (!lacking.empty()) not_served += (not_served.empty() ? "" : ", ") + lacking;
    }
    if (!not_served.empty()) c.saw(fmt::format("the runtime does not serve {}", not_served));
  });
}

}  // namespace aoti_cts::suite
