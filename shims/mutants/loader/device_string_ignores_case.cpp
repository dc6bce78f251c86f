// clause: DEV.string
// The name of a device may be written in capitals.
#include <cctype>
#include <string>

#include "mutants/mutant.h"

AOTITorchError aoti_cts_parse_device(const char* text, int32_t* ret_type, int32_t* ret_index) {
  std::string small = text;
  for (char& ch : small) ch = static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
  return ref_aoti_cts_parse_device(small.c_str(), ret_type, ret_index);
}
