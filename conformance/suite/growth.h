// How much a process grows: what tells memory that is lost from memory that an allocator keeps.
//
// What is lost grows with every round; what is kept, in a cache or in a heap's gaps, grows with the
// first rounds only. So the first rounds are not counted, and a round that loses anything has to be
// run often enough to lose well more than the limit.
#pragma once

#include <cstdint>
#include <functional>

#include "suite/case.h"

namespace aoti_cts::suite {

/// Bytes that the process holds: resident ones, or where a sanitizer's allocator serves it (which
/// keeps freed blocks back) those that it has handed out. Ends the case with SKIP where the system
/// does not tell.
int64_t memory_held(Case& c);

/// Runs `round` as often as `rounds` says and then as often again, and judges that the second half
/// adds at most `limit` bytes to what the process holds; where it adds more, it has two more
/// chances, for an allocator that has not come to rest yet. Each half ends early after an eighth of
/// the case's time limit; where so few rounds were made that a loss could not show, the case ends
/// with SKIP. `what` names what a round does.
void want_no_growth(Case& c, std::string_view what, int rounds, int64_t limit,
                    const std::function<void()>& round);

/// The same for a round of one call that may take long, as a refused one does where its error holds
/// a stack trace. Where there is time for too few rounds the bytes that the C library's heap has
/// handed out are judged instead, of which a few rounds tell; SKIP where the candidate's handles
/// are not from there.
void want_no_loss(Case& c, std::string_view what, int rounds, int64_t limit,
                  const std::function<void()>& round);

/// How much `measure` tells more after `rounds` rounds; 0 unless it is `least` or more, and again
/// in each of several further windows of as many: what is lost grows on, what is kept for later
/// stops.
int64_t lasting_growth(const std::function<int64_t()>& measure, int rounds, int64_t least,
                       const std::function<void()>& round);

/// Whether it does grow so: for a case that judges a difference.
bool grows(Case& c, int rounds, int64_t limit, const std::function<void()>& round);

}  // namespace aoti_cts::suite
