// An installed shim header whose renames leave one shim out: a consumer imports its plain name.
#pragma once
#define aoti_torch_delete_tensor_object executorch_aoti_torch_delete_tensor_object
#define aoti_torch_get_dim executorch_aoti_torch_get_dim
#ifdef __cplusplus
extern "C" {
#endif
int aoti_torch_clone(void* self, void** ret);
int aoti_torch_delete_tensor_object(void* tensor);
int aoti_torch_get_dim(void* tensor, long* ret);
#ifdef __cplusplus
}
#endif
