// Section BLOB, what can be told of a compiled model without loading it: BLOB.imports-bound,
// no-silent-libtorch, entry-points, libtorch-needed. Under a declared prefix an unprefixed import
// is BLOB.no-silent-libtorch's finding and not counted as unbound once more.
#include <fmt/format.h>

#include "report/text.h"
#include "symbols/judge.h"

namespace aoti_cts::symbols {

SYMBOL_CLAUSE(BLOB, imports_bound) {
  if (in.blobs.empty()) return out.skip("no blob is given (--blob)");
  for (const SeenShim& shim : imported_shims(in.blobs)) {
    if (in.prefixed() && shim.name.prefix.empty()) continue;
    out.ok();
    bool bound = false;
    for (const auto& library : in.candidate) {
      bound |= library->find_export(shim.symbol->name).has_value();
    }
    if (bound) continue;
    std::string who;
    for (const auto& other : in.against) {
      if (other->find_export(shim.symbol->name)) who = ", but by " + other->file_name();
    }
    out.fail(fmt::format("{} imports {}", shim.library->file_name(), shim.symbol->name),
             fmt::format("exported by no library of the candidate{}", who), "exported");
    out.finding(describe(*shim.symbol, *shim.library));
  }
}

SYMBOL_CLAUSE(BLOB, no_silent_libtorch) {
  if (!in.prefixed()) return out.skip("no prefix is declared (--prefix)");
  if (in.blobs.empty()) return out.skip("no blob is given (--blob)");
  for (const auto& blob : in.blobs) {
    out.ok();
    for (const Symbol& symbol : blob->imports()) {
      if (!symbol.name.starts_with("aoti_torch_")) continue;
      out.fail(fmt::format("{} imports {}", blob->file_name(), symbol.name),
               "binds to libtorch where that is loaded", fmt::format("{}{}", in.p(), symbol.name));
      out.finding(describe(symbol, *blob));
    }
  }
}

SYMBOL_CLAUSE(BLOB, entry_points) {
  if (in.blobs.empty()) return out.skip("no blob is given (--blob)");
  static constexpr std::string_view start = "AOTInductorModelContainer";
  static constexpr std::string_view wanted[] = {"CreateWithDevice", "Delete", "GetNumInputs",
                                                "GetNumOutputs", "Run"};
  for (const auto& blob : in.blobs) {
    for (const std::string_view name : wanted) {
      out.ok();
      const std::string full = fmt::format("{}{}", start, name);
      const std::optional<Symbol> symbol = blob->find_export(full);
      if (!symbol) {
        out.fail(fmt::format("{}: {}", blob->file_name(), full), "not exported", "a function");
      } else if (symbol->kind == Symbol::Kind::Data) {
        out.fail(fmt::format("{}: {}", blob->file_name(), full), "OBJECT", "a function");
      }
    }
    int64_t others = 0;
    for (const Symbol& symbol : blob->exports()) others += symbol.name.starts_with("AOTInductor");
    if (in.blobs.size() == 1) out.note(fmt::format("{} AOTInductor names in all", others));
  }
}

SYMBOL_CLAUSE(BLOB, libtorch_needed) {
  if (in.blobs.empty()) return out.skip("no blob is given (--blob)");
  if (in.mode == "aten") return out.skip("an ATen-mode runtime stands on libtorch (--mode aten)");
  for (const auto& blob : in.blobs) {
    out.ok();
    for (const std::string& needed : blob->needed()) {
      const std::string name = needed.substr(needed.find_last_of('/') + 1);
      if (!glob_match("libtorch*", name)) continue;
      out.fail(fmt::format("{} needs {}", blob->file_name(), name), "DT_NEEDED", "none");
      out.suggest("compile the model with aot_inductor.link_libtorch=False");
    }
  }
}

}  // namespace aoti_cts::symbols
