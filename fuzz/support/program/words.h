// Changes to a program that is unpacked; see mutator.h.
#pragma once

#include "support/hash.h"
#include "support/program/objects.h"

namespace aoti_cts::fuzz {

/// Changes one to three things.
void change_words(Objects& objects, Random& random);

/// Changes one thing.
void change_one_word(Objects& objects, Random& random);

/// Puts parts of `other` into `objects`.
void cross_words(Objects& objects, Objects& other, Random& random);

}  // namespace aoti_cts::fuzz
