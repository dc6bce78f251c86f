// Section SYM, what a runtime exports: SYM.complete, unique-definer, no-collision, no-extra,
// registry-mode, well-formed.
#include <aoti_shim/table.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/text.h"
#include "symbols/judge.h"

namespace aoti_cts::symbols {
namespace {

// Object files of other systems do not say what a symbol is; ELF always does.
bool is_function(const Symbol& symbol, const Library& library) {
  if (symbol.kind == Symbol::Kind::Function) return true;
  return symbol.kind == Symbol::Kind::Unknown && library.form() != Library::Form::Elf;
}

void judge_complete(Subject& in, Judgement& out, std::string_view tier) {
  for (const AotiShimRow& row : aoti_shim_rows) {
    if (row.tier != tier) continue;
    const std::string name = std::string(in.p()) + row.name;
    const Library* library = nullptr;
    std::optional<Symbol> symbol;
    for (const auto& other : in.candidate) {
      symbol = other->find_export(name);
      library = other.get();
      if (symbol) break;
    }
    out.ok();
    if (!symbol) {
      out.fail(fmt::format("{} {}", name, row.signature), "not exported", "FUNC, GLOBAL or WEAK");
    } else if (!is_function(*symbol, *library) || symbol->binding == Symbol::Binding::Unique) {
      out.fail(fmt::format("{} of {}", name, library->file_name()),
               fmt::format("{} {}", to_string(symbol->kind), to_string(symbol->binding)),
               "FUNC, GLOBAL or WEAK");
    }
  }
}

// A version script is the one remedy that reaches everything; the others say where it comes from.
void suggest_hiding(const Subject& in, Judgement& out, const std::set<std::string_view>& groups,
                    bool unique) {
  std::string allowed;
  for (const std::string& glob : in.allow) allowed += fmt::format(" {};", glob);
  out.suggest(
      fmt::format("-Wl,--version-script=exports.map with exports.map: {{ global: "
                  "{}aoti_torch_*; {}aoti_record_function_*;{} local: *; }};",
                  in.p(), in.p(), allowed));
  std::string bundled;
  for (const std::string_view group : groups) {
    if (is_bundled(group)) bundled += fmt::format("{}{}", bundled.empty() ? "" : ", ", group);
  }
  if (!bundled.empty()) {
    out.suggest(
        fmt::format("-Wl,--exclude-libs,ALL hides what comes from static archives ({})", bundled));
  }
  if (groups.count("other") != 0) {
    out.suggest("-fvisibility=hidden -fvisibility-inlines-hidden hides the code of your own");
  }
  if (unique) {
    out.suggest("-fno-gnu-unique (g++) keeps inline variables from being unique in the process");
  }
}

using Groups = std::map<std::string_view, int64_t>;

// "12 libstdc++, 3 protobuf", most first.
std::string text_of(const Groups& groups) {
  std::vector<std::pair<std::string_view, int64_t>> rows(groups.begin(), groups.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [group, count] : rows) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, group);
  }
  return text;
}

void fail_collision(Judgement& out, const Symbol& symbol, const Library& library,
                    const Library& other) {
  out.fail_named(symbol.name, [&symbol, &library, &other] {
    return Failure{fmt::format("{} of {}", demangle(symbol.name), library.file_name()),
                   fmt::format("{} {}, exported by {} too", to_string(symbol.kind),
                               to_string(symbol.binding), other.file_name()),
                   "not exported, or weak"};
  });
}

bool allowed(const Subject& in, std::string_view name) {
  return std::any_of(in.allow.begin(), in.allow.end(),
                     [&](const std::string& glob) { return glob_match(glob, std::string(name)); });
}

}  // namespace

SYMBOL_CLAUSE(SYM, complete) { judge_complete(in, out, "core"); }

SYMBOL_CLAUSE(SYM, complete_cuda) { judge_complete(in, out, "cuda"); }

SYMBOL_CLAUSE(SYM, complete_cuda_ops) { judge_complete(in, out, "cuda_ops"); }

SYMBOL_CLAUSE(SYM, unique_definer) {
  std::map<std::string_view, std::vector<const SeenShim*>> definers;
  const std::vector<SeenShim> shims = exported_shims(in.candidate);
  for (const SeenShim& shim : shims) definers[shim.symbol->name].push_back(&shim);
  for (const auto& [name, seen] : definers) {
    out.ok();
    std::set<std::string> files;  // by path: the slices of a universal file are one library
    for (const SeenShim* shim : seen) files.insert(shim->library->path());
    if (files.size() == 1) continue;
    out.fail(std::string(name), fmt::format("defined by {}", fmt::join(files, ", ")),
             "defined by one library");
    for (const SeenShim* shim : seen) out.finding(describe(*shim->symbol, *shim->library));
  }
  if (definers.empty()) out.skip("the candidate exports no shim");
}

SYMBOL_CLAUSE(SYM, no_collision) {
  if (no_others(in)) return out.skip(no_others(in));
  Groups by_group, weak_by_group;
  std::set<std::string_view> hide;
  bool unique = false;
  for (const auto& library : in.candidate) {
    const std::vector<Library*> against = others(in, *library);
    if (against.empty()) continue;
    for (const Symbol& symbol : library->exports()) {
      if (shim_name(symbol.name) || is_linker_name(symbol.name)) continue;
      out.ok();
      for (Library* const other : against) {
        const std::optional<Symbol> same = other->find_export(symbol.name);
        if (!same) continue;
        const bool counts = symbol.binding != Symbol::Binding::Weak;
        const std::string_view group = group_of(symbol.name);
        hide.insert(group);
        if (counts) {
          ++by_group[group];
          unique |= symbol.binding == Symbol::Binding::Unique;
          fail_collision(out, symbol, *library, *other);
        } else {
          ++weak_by_group[group];
        }
        if (in.details) {
          SymbolFinding finding = describe(symbol, *library);
          describe_other(finding, *same, *other);
          finding.counts = counts;
          out.finding(std::move(finding));
        }
        break;  // one libtorch library is enough to collide with
      }
    }
  }
  if (!by_group.empty()) out.note("strong or unique: " + text_of(by_group));
  if (!weak_by_group.empty()) out.note("weak, listed only: " + text_of(weak_by_group));
  if (!hide.empty()) suggest_hiding(in, out, hide, unique);
}

SYMBOL_CLAUSE(SYM, no_extra) {
  Groups by_group;
  std::set<std::string_view> hide;
  bool unique = false;
  int64_t extra = 0;
  for (const auto& library : in.candidate) {
    for (const Symbol& symbol : library->exports()) {
      const std::string_view name = symbol.name;
      out.ok();
      const std::optional<ShimName> shim = shim_name(name);
      if ((shim && in_manifest(shim->stem)) || is_linker_name(name) || allowed(in, name)) continue;
      if (name.starts_with(in.p()) && is_extension(name.substr(in.p().size()))) continue;
      if (symbol.kind == Symbol::Kind::Absolute && symbol.version == name) continue;  // a node
      // An archive exports nothing itself; what inline functions leave in it is the host's to hide.
      const bool archive = library->form() == Library::Form::Archive;
      if (archive && symbol.binding != Symbol::Binding::Strong) continue;
      ++extra;
      const std::string_view group = group_of(name);
      ++by_group[group];
      hide.insert(group);
      unique |= symbol.binding == Symbol::Binding::Unique;
      out.fail_named(name, [name, &library] {
        return Failure{fmt::format("{} of {}", demangle(name), library->file_name()), "exported",
                       "a shim of the manifest, or a name that --allow lets through"};
      });
      if (in.details) out.finding(describe(symbol, *library));
    }
  }
  if (extra == 0) return;
  out.note(fmt::format("{} names beside the manifest: {}", extra, text_of(by_group)));
  suggest_hiding(in, out, hide, unique);
}

SYMBOL_CLAUSE(SYM, registry_mode) {
  // register_backend(executorch::runtime::Backend const&), in either namespace, both manglings.
  static constexpr std::string_view aten[] = {"_ZN10executorch7runtime4aten16register_backendE",
                                              "?register_backend@aten@runtime@executorch@@"};
  static constexpr std::string_view portable[] = {"_ZN10executorch7runtime16register_backendE",
                                                  "?register_backend@runtime@executorch@@"};
  std::string in_aten, in_portable;
  const auto look = [&](const Library& library, const std::vector<Symbol>& symbols) {
    for (const Symbol& symbol : symbols) {
      for (const std::string_view start : aten) {
        if (symbol.name.starts_with(start)) in_aten = library.file_name();
      }
      for (const std::string_view start : portable) {
        if (symbol.name.starts_with(start)) in_portable = library.file_name();
      }
    }
  };
  for (const auto& library : in.candidate) {
    look(*library, library->exports());
    look(*library, library->imports());
  }
  if (in_aten.empty() && in_portable.empty()) {
    return out.skip(
        "inconclusive: no library of the candidate imports or defines register_backend; a static "
        "runtime whose symbols were stripped shows neither");
  }
  const std::string have = in_aten.empty() ? "portable" : in_portable.empty() ? "aten" : "both";
  out.ok();
  if (have == "both") {
    out.fail("register_backend", fmt::format("aten by {}, portable by {}", in_aten, in_portable),
             "one registry");
  } else if (!in.mode.empty() && have != in.mode) {
    out.fail("register_backend", fmt::format("{} by {}", have, in_aten + in_portable),
             fmt::format("{} (--mode)", in.mode));
  } else {
    out.note("registers in the " + have + " registry");
  }
}

SYMBOL_CLAUSE(SYM, well_formed) {
  for (const auto& library : in.candidate) {
    const std::optional<Library::Loading> loading = library->loading();
    if (!loading) continue;
    const std::string file = library->file_name();
    out.ok(3);
    if (loading->text_relocations) {
      out.fail(file + ": text relocations", "DT_TEXTREL", "none");
      out.suggest("-fPIC for every object, so that no text relocation is needed");
    }
    if (!loading->executable_stack) {
      out.fail(file + ": stack", "no PT_GNU_STACK: executable on most machines", "not executable");
      out.suggest("-Wl,-z,noexecstack, and .note.GNU-stack in assembly files");
    } else if (*loading->executable_stack) {
      out.fail(file + ": stack", "executable", "not executable");
      out.suggest("-Wl,-z,noexecstack, and .note.GNU-stack in assembly files");
    }
    if (!loading->has_soname) {
      out.fail(file + ": SONAME", "none", "a name");
      out.suggest(fmt::format("-Wl,-soname,{}", file));
    }
  }
}

}  // namespace aoti_cts::symbols
