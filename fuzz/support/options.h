// A target's own options, those of two dashes. One that is misspelt must not be one that is not
// there: the reference would be judged instead of the candidate, and found without a fault.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>

namespace aoti_cts::fuzz {

/// Ends the process with exit code 2 and a text for an option that is none of `known`, or one that
/// lacks its value. A known one that takes a value ends with "=", one whose value may be empty with
/// "=*".
inline void check_options(const char* target, int argc, char** argv,
                          std::initializer_list<const char*> known) {
  for (int i = 1; i < argc; ++i) {
    const std::string have = argv[i];
    if (have.rfind("--", 0) != 0) continue;
    bool fits = false;
    std::string all;
    for (std::string one : known) {
      const bool may_be_empty = one.back() == '*';
      if (may_be_empty) one.pop_back();
      const bool value = one.back() == '=';
      fits |= value ? have.rfind(one, 0) == 0 && (may_be_empty || have.size() > one.size())
                    : have == one;
      all += (all.empty() ? "" : ", ") + one + (value ? "VALUE" : "");
    }
    if (fits) continue;
    std::fprintf(stderr, "%s: %s: no such option; it takes %s\n", target, have.c_str(),
                 all.c_str());
    std::exit(2);
  }
}

}  // namespace aoti_cts::fuzz
