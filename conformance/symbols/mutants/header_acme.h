// An installed shim header that declares its shims under the prefix acme_.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int acme_aoti_torch_clone(void* self, void** ret);
int acme_aoti_torch_delete_tensor_object(void* tensor);
#ifdef __cplusplus
}
#endif
#define aoti_torch_clone acme_aoti_torch_clone
#define aoti_torch_delete_tensor_object acme_aoti_torch_delete_tensor_object
