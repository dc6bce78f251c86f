// SYM.complete by dlsym: the shims of the core tier, one case each, so that a report names what is
// missing. The static half of section SYM lives in conformance/symbols/.
//
// Run alone: aoti-cts check --select 'SYM.complete'; success prints "SYM.complete PASS".
#include <cstring>

#include "suite/case.h"

namespace aoti_cts::suite {
namespace {

/// The address that dlsym gave for a manifest row; null where the candidate lacks it.
const void* found_at(const AotiShimTable& table, const AotiShimRow& row) {
  const void* address = nullptr;
  std::memcpy(&address, reinterpret_cast<const char*>(&table) + row.slot, sizeof(address));
  return address;
}

}  // namespace

CLAUSE_CASES(SYM, complete) {
  for (const AotiShimRow& row : aoti_shim_rows) {
    if (std::string_view(row.tier) != "core") continue;
    cases.add(row.name, [&row](Case& c) {
      const bool found = found_at(c.table(), row) != nullptr;
      HAVE_WANT_AS(fmt::format("dlsym finds {} {}", row.name, row.signature),
                   std::string(found ? "an address" : "nothing"), std::string("an address"));
    });
  }
}

}  // namespace aoti_cts::suite
