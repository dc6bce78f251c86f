// FlatBuffers' verifier alone as a target: what the others are measured against (bench-fuzz).
#include "program_generated.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 8) return 0;
  flatbuffers::Verifier verifier(data, size);
  [[maybe_unused]] static volatile bool result;  // so that it is not left out
  result = aoti_cts::program::wire::VerifyProgramBuffer(verifier);
  return 0;
}
