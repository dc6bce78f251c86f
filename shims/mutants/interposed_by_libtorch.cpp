// clause: SYM.interposition
// Where somebody else's shim is in the process, a resolver answers dlsym with that one.
#include <dlfcn.h>

#include "mutants/mutant.h"

extern "C" {

using ItemBool = decltype(&ref_aoti_torch_item_bool);

static ItemBool resolve_item_bool() {
  static bool looking = false;  // our own symbol, found first, asks this function again
  void* other = nullptr;
  if (!looking) {
    looking = true;
    other = dlsym(RTLD_DEFAULT, "aoti_torch_item_bool");
    looking = false;
  }
  return other != nullptr ? reinterpret_cast<ItemBool>(other) : &ref_aoti_torch_item_bool;
}

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value)
    __attribute__((ifunc("resolve_item_bool")));
}
