// Prints for each code point whether it may start (1), continue (2), do both (3) an identifier, or
// neither (0), as one byte '0'..'3'; xid_compare.py reads it.
#include <cstdio>
#include <string>

#include "device_map/identifier.h"

int main() {
  std::string answers;
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    const int start = aoti_cts::device_map::is_xid_start(code_point) ? 1 : 0;
    const int go_on = aoti_cts::device_map::is_xid_continue(code_point) ? 2 : 0;
    answers += static_cast<char>('0' + start + go_on);
  }
  return std::fwrite(answers.data(), 1, answers.size(), stdout) == answers.size() ? 0 : 1;
}
