// clause: BLOB.coexist
// Where another runtime has a shim without the prefix in the process, views are made by that one.
#include <dlfcn.h>

#include "mutants/mutant.h"

AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                              const int64_t* sizes_ptr, const int64_t* strides_ptr,
                                              int64_t storage_offset,
                                              AtenTensorHandle* ret_new_tensor) {
  auto* make = reinterpret_cast<decltype(&ref_aoti_torch__reinterpret_tensor)>(
      dlsym(RTLD_DEFAULT, "aoti_torch__reinterpret_tensor"));
  if (make == nullptr) make = &ref_aoti_torch__reinterpret_tensor;
  return make(self, ndim, sizes_ptr, strides_ptr, storage_offset, ret_new_tensor);
}
