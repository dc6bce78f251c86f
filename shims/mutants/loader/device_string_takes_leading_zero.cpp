// clause: DEV.string-leading-zero
// A leading zero in an index of two digits is passed over.
#include <string>

#include "mutants/mutant.h"

AOTITorchError aoti_cts_parse_device(const char* text, int32_t* ret_type, int32_t* ret_index) {
  std::string plain = text;
  if (plain.size() == 7 && plain.compare(0, 6, "cuda:0") == 0) plain.erase(5, 1);
  return ref_aoti_cts_parse_device(plain.c_str(), ret_type, ret_index);
}
