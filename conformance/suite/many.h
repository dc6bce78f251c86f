// Many handles at once: what a count of few bits or a table of few rows gets wrong.
#pragma once

#include "suite/tensor_makers.h"

namespace aoti_cts::suite {

/// One storage under more handles than 8 bits count, and then under more than 16 bits do where the
/// case's time allows it; it stays as it was until the last of them is deleted.
void many_share(Case& c, const Deriver& deriver);

/// 2,000 handles at once, fewer where they take long, each with a place of its own.
void many_alive(Case& c, const Maker& maker);

}  // namespace aoti_cts::suite
