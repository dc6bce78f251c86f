// An installed shim header that declares its shims under the prefix executorch_.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int executorch_aoti_torch_clone(void* self, void** ret);
int executorch_aoti_torch_delete_tensor_object(void* tensor);
#ifdef __cplusplus
}
#endif
#define aoti_torch_clone executorch_aoti_torch_clone
#define aoti_torch_delete_tensor_object executorch_aoti_torch_delete_tensor_object
