// Memory that can be taken away: pages of its own for each storage and each array that is lent.
//
// What is closed becomes inaccessible, and nobody is given its address; it is watched until
// kQuarantine later ones were closed. A touch of it is noted by a signal handler, which opens the
// pages again, zeroed, so that the process goes on: the first touch of each is a finding. All
// functions but the handler are called under the ledger's lock.
#pragma once

#include <cstdint>
#include <string>

#include "checked/ledger.h"

namespace aoti_checked {

/// Closed memory that is remembered.
inline constexpr int kQuarantine = 1024;

struct Pages {
  const char* kind = nullptr;  ///< of the finding that a later touch is
  std::string what;            ///< "the array of inputs"; empty: a storage of so many bytes
  Call birth;
  Call death;
};

/// At least `bytes`, and one page, of memory with any contents; null where the system refuses.
void* open_pages(int64_t bytes, Pages pages);

/// Ends what open_pages() gave; anything else is left alone, with false.
bool close_pages(void* data, const Call& death) noexcept;

/// Calls add_finding() for each touch of closed memory that was not reported yet.
void report_touches();

}  // namespace aoti_checked
