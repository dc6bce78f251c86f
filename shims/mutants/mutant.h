// What a mutant is written with. A mutant's file looks like
//
//   // clause: TENSOR.clone
//   // What is wrong, in one line.
//   #include "mutants/mutant.h"
//
//   AOTITorchError aoti_torch_clone(AtenTensorHandle self, AtenTensorHandle* ret) {
//     return ref_aoti_torch_new_tensor_handle(self, ret);
//   }
//
// Shims that it does not define are the reference's. ref_<shim> is the reference's own, and the
// reference's internals can be included too ("tensor/copy.h", namespace aoti_reference). A third
// comment line `// omits: <shim> <shim>` makes a library that lacks those shims.
#pragma once

#include <aoti_shim/shim.h>

extern "C" {
#define AOTI_MUTANT_ROW_core(ret, name, params) ret name params;
#define AOTI_MUTANT_ROW_extension(ret, name, params) ret name params;
#ifdef AOTI_REFERENCE_CUDA
#define AOTI_MUTANT_ROW_cuda(ret, name, params) ret name params;
#define AOTI_MUTANT_ROW_cuda_ops(ret, name, params) ret name params;
#else
#define AOTI_MUTANT_ROW_cuda(ret, name, params)
#define AOTI_MUTANT_ROW_cuda_ops(ret, name, params)
#endif
#define AOTI_MUTANT_ROW_torch(ret, name, params)
#define AOTI_MUTANT_ROW_checked(ret, name, params)
// Pasted here and not a macro further down, so that the name is not replaced by its prefixed one
// before.
#define AOTI_SHIM(tier, origin, ret, name, params) AOTI_MUTANT_ROW_##tier(ret, ref_##name, params)
#include <aoti_shim/extensions.def>
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
#undef AOTI_MUTANT_ROW_core
#undef AOTI_MUTANT_ROW_extension
#undef AOTI_MUTANT_ROW_cuda
#undef AOTI_MUTANT_ROW_cuda_ops
#undef AOTI_MUTANT_ROW_torch
#undef AOTI_MUTANT_ROW_checked
}
