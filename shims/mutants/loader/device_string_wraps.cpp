// clause: DEV.string-range
// An index above 127 goes through a signed byte.
#include <cstdlib>
#include <cstring>

#include "mutants/mutant.h"

AOTITorchError aoti_cts_parse_device(const char* text, int32_t* ret_type, int32_t* ret_index) {
  const AOTITorchError error = ref_aoti_cts_parse_device(text, ret_type, ret_index);
  if (error == 0 || std::strncmp(text, "cuda:", 5) != 0 || std::strlen(text) > 8) return error;
  char* end = nullptr;
  const long index = std::strtol(text + 5, &end, 10);
  if (*end != '\0' || index < 128) return error;
  *ret_type = 1;
  *ret_index = static_cast<int32_t>((index & 0xff) - ((index & 0x80) << 1));
  return 0;
}
