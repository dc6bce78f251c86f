// clause: SYM.complete
// One core shim is not exported.
// omits: aoti_torch_item_bool
#include "mutants/mutant.h"
