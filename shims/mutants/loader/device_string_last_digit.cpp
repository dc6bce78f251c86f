// clause: DEV.string
// The last character of the device string is the index.
#include <cstring>

#include "mutants/mutant.h"

AOTITorchError aoti_cts_parse_device(const char* text, int32_t* ret_type, int32_t* ret_index) {
  const AOTITorchError error = ref_aoti_cts_parse_device(text, ret_type, ret_index);
  if (error == 0 && *ret_index >= 0) *ret_index = text[std::strlen(text) - 1] - '0';
  return error;
}
