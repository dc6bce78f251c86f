// Section SYM, what a prefix must do, and that a slim runtime stands on its own: SYM.prefixed,
// disjoint, atomic, no-libtorch-import, libtorch-free, custom-ops. They share out the ways in which
// a prefix can be missed, so that one fault has one clause: an unprefixed export is SYM.prefixed's,
// an unprefixed import SYM.no-libtorch-import's, a third prefix SYM.atomic's, and operator shims
// under a wrong prefix SYM.custom-ops'. A shim that is exported without the prefix alone is
// SYM.atomic's finding too.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/text.h"
#include "symbols/judge.h"

namespace aoti_cts::symbols {
namespace {

std::string where(const SeenShim& shim) {
  return fmt::format("{} of {}", shim.symbol->name, shim.library->file_name());
}

std::string quoted_prefix(std::string_view prefix) {
  return prefix.empty() ? "no prefix" : fmt::format("'{}'", prefix);
}

// Weak ones are what inline functions of c10's headers leave in anybody.
bool defines_aten(const Libraries& libraries) {
  return std::any_of(libraries.begin(), libraries.end(), [](const auto& library) {
    const std::vector<Symbol>& all = library->exports();
    return std::any_of(all.begin(), all.end(), [](const Symbol& symbol) {
      return symbol.binding == Symbol::Binding::Strong && is_aten(symbol.name);
    });
  });
}

}  // namespace

SYMBOL_CLAUSE(SYM, prefixed) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  for (const auto& library : in.candidate) {
    int64_t wrong = 0;
    for (const Symbol& symbol : library->exports()) {
      if (!symbol.name.starts_with("aoti_torch_")) continue;
      ++wrong;
      out.fail(fmt::format("{} exports {}", library->file_name(), symbol.name), "exported",
               fmt::format("{}{} and not the plain name", in.p(), symbol.name));
      out.finding(describe(symbol, *library));
    }
    out.ok();
    if (wrong != 0) {
      out.suggest(fmt::format(
          "rename before the header is read (-include a file of #define NAME {}NAME lines), and "
          "export by a version script: {{ global: {}aoti_*; local: *; }};",
          in.p(), in.p()));
    }
  }
}

SYMBOL_CLAUSE(SYM, disjoint) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  if (no_others(in)) return out.skip(no_others(in));
  for (const SeenShim& shim : exported_shims(in.candidate)) {
    const std::vector<Library*> against = others(in, *shim.library);
    if (!against.empty()) out.ok();
    for (Library* const other : against) {
      const std::optional<Symbol> same = other->find_export(shim.symbol->name);
      if (!same) continue;
      out.fail(fmt::format("{} is exported by {} too", where(shim), other->file_name()), "both",
               "one of them");
      SymbolFinding finding = describe(*shim.symbol, *shim.library);
      describe_other(finding, *same, *other);
      out.finding(std::move(finding));
    }
  }
}

SYMBOL_CLAUSE(SYM, atomic) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  const std::vector<SeenShim> exports = exported_shims(in.candidate);
  std::set<std::string_view> with;
  for (const SeenShim& shim : exports) {
    if (shim.name.prefix == in.p()) with.insert(shim.name.stem);
  }
  for (const SeenShim& shim : exports) {
    out.ok();
    const std::string_view prefix = shim.name.prefix;
    if (prefix == in.p() || is_operator(shim.name.stem)) continue;
    if (prefix.empty() && with.count(shim.name.stem) != 0) continue;
    out.fail(fmt::format("exported: {}", where(shim)), quoted_prefix(prefix),
             quoted_prefix(in.p()));
    out.finding(describe(*shim.symbol, *shim.library));
  }
  const auto judge_imports = [&](const Libraries& libraries, const char* what) {
    for (const SeenShim& shim : imported_shims(libraries)) {
      out.ok();
      if (shim.name.prefix == in.p() || shim.name.prefix.empty()) continue;
      out.fail(fmt::format("imported by the {}: {}", what, where(shim)),
               quoted_prefix(shim.name.prefix), quoted_prefix(in.p()));
      out.finding(describe(*shim.symbol, *shim.library));
    }
  };
  judge_imports(in.candidate, "candidate");
  judge_imports(in.blobs, "blob");
}

SYMBOL_CLAUSE(SYM, no_libtorch_import) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  for (const auto& library : in.candidate) {
    for (const Symbol& symbol : library->imports()) {
      if (!symbol.name.starts_with("aoti_torch_")) continue;
      out.fail(fmt::format("{} imports {}", library->file_name(), symbol.name), "imported",
               fmt::format("{}{}", in.p(), symbol.name));
      out.finding(describe(symbol, *library));
    }
    out.ok();
  }
}

SYMBOL_CLAUSE(SYM, libtorch_free) {
  if (in.mode == "aten") return out.skip("an ATen-mode runtime stands on libtorch (--mode aten)");
  if (defines_aten(in.candidate)) return out.skip("the candidate defines at:: itself: a libtorch");
  for (const auto& library : in.candidate) {
    out.ok();
    for (const std::string& needed : library->needed()) {
      const std::string name = needed.substr(needed.find_last_of('/') + 1);
      if (!glob_match("libtorch*", name) && !glob_match("libc10*", name)) continue;
      out.fail(fmt::format("{} needs {}", library->file_name(), name), "DT_NEEDED", "none");
    }
    for (const Symbol& symbol : library->imports()) {
      if (!is_aten(symbol.name)) continue;
      out.fail(fmt::format("{} imports {}", library->file_name(), demangle(symbol.name)),
               "imported", "nothing of at:: or c10::");
      out.finding(describe(symbol, *library));
    }
  }
}

SYMBOL_CLAUSE(SYM, custom_ops) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  int64_t seen = 0;
  for (const SeenShim& shim : exported_shims(in.candidate)) {
    if (!is_operator(shim.name.stem)) continue;
    ++seen;
    out.ok();
    if (shim.name.prefix == in.p()) continue;
    out.fail(fmt::format("operator shim {}", where(shim)), quoted_prefix(shim.name.prefix),
             quoted_prefix(in.p()));
    out.finding(describe(*shim.symbol, *shim.library));
  }
  if (seen == 0) out.skip("the candidate exports no operator shim");
}

}  // namespace aoti_cts::symbols
