// Two runtimes of different prefixes in one executable: what lives in one is not seen by the other.
//
//   shims_host_apart
//
// Exit 0, and no output, when each keeps its own account.
#include <aoti_shim/types.h>

#include <cstdio>

// Declared here: one translation unit can read one prefix only.
extern "C" {
AOTITorchError executorch_aoti_torch_empty_strided(int64_t, const int64_t*, const int64_t*, int32_t,
                                                   int32_t, int32_t, AtenTensorHandle*);
AOTITorchError executorch_aoti_torch_delete_tensor_object(AtenTensorHandle);
int64_t executorch_aoti_cts_live_handles(void);
int64_t acme_aoti_cts_live_handles(void);
}

int main() {
  const int64_t size = 4;
  const int64_t stride = 1;
  AtenTensorHandle tensor = nullptr;
  if (executorch_aoti_torch_empty_strided(1, &size, &stride, 6, 0, -1, &tensor) != 0) return 2;
  const long long here = executorch_aoti_cts_live_handles();
  const long long there = acme_aoti_cts_live_handles();
  executorch_aoti_torch_delete_tensor_object(tensor);
  if (here == 1 && there == 0) return 0;
  std::fprintf(stderr, "live handles: have %lld and %lld, want 1 and 0\n", here, there);
  return 1;
}
