// clause: BLOB.check-fails
// A failed check prints and goes on.
#include "mutants/mutant.h"

void aoti_torch_check(bool cond, const char* func, const char* file, uint32_t line,
                      const char* msg) {
  if (!cond) ref_aoti_torch_warn(func, file, line, msg);
}
