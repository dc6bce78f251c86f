/* C code that calls the reference by plain names and imports prefixed ones. */
#include <aoti_shim/shim.h>
#include <string.h>

int main(void) {
  const int64_t size = 3;
  const int64_t stride = 1;
  int64_t numel = 0;
  AtenTensorHandle tensor = 0;
  if (strcmp(AOTI_SHIM_PREFIX, "executorch_") != 0) return 1;
  if (aoti_torch_empty_strided(1, &size, &stride, aoti_torch_dtype_int16(),
                               aoti_torch_device_type_cpu(), -1, &tensor) != 0) {
    return 2;
  }
  if (aoti_torch_get_numel(tensor, &numel) != 0 || numel != 3) return 3;
  return aoti_torch_delete_tensor_object(tensor);
}
