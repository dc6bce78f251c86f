// SYM.complete and its like by dlsym: the shims of a tier, one case each, so that a report names
// what is missing. The static half of section SYM lives in conformance/symbols/.
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

/// A case for each shim of a tier. A profile with shims of its own gets a clause of its own, so
/// that choosing the profile chooses the cases.
void add_tier(CaseList& cases, std::string_view tier) {
  for (const AotiShimRow& row : aoti_shim_rows) {
    if (row.tier != tier) continue;
    cases.add(row.name, [&row](Case& c) {
      const bool found = found_at(c.table(), row) != nullptr;
      HAVE_WANT_AS(fmt::format("dlsym finds {} {}", row.name, row.signature),
                   std::string(found ? "an address" : "nothing"), std::string("an address"));
    });
  }
}

}  // namespace

CLAUSE_CASES(SYM, complete) { add_tier(cases, "core"); }

CLAUSE_CASES(SYM, complete_cuda) { add_tier(cases, "cuda"); }

CLAUSE_CASES(SYM, complete_cuda_ops) { add_tier(cases, "cuda_ops"); }

}  // namespace aoti_cts::suite
