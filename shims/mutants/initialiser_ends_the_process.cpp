// clause: SYM.loads
// An initialiser of the library ends the process.
#include <unistd.h>

#include "mutants/mutant.h"

namespace {
[[gnu::constructor]] void end() { _exit(3); }
}  // namespace
