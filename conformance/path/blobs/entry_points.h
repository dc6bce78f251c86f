/* The entry points of an AOTInductor model that has no inputs, no outputs and no constants, and
 * needs no runtime: what a loader looks up. Names and signatures are those of torch 2.15.0's
 * torch/csrc/inductor/aoti_runtime/interface.h. CREATE_CODE is what making a container returns.
 */
#include <stddef.h>
#include <stdint.h>

#define ENTRY __attribute__((visibility("default")))

ENTRY int32_t AOTInductorModelContainerCreateWithDevice(void** container, size_t num_models,
                                                        const char* device, const char* cubin_dir);
ENTRY int32_t AOTInductorModelContainerDelete(void* container);
ENTRY int32_t AOTInductorModelContainerGetNumInputs(void* container, size_t* count);
ENTRY int32_t AOTInductorModelContainerGetNumOutputs(void* container, size_t* count);
ENTRY int32_t AOTInductorModelContainerGetNumConstants(void* container, size_t* count);
ENTRY int32_t AOTInductorModelContainerRun(void* container, void** inputs, size_t num_inputs,
                                           void** outputs, size_t num_outputs, void* stream,
                                           void* proxy_executor);

int32_t AOTInductorModelContainerCreateWithDevice(void** container, size_t num_models,
                                                  const char* device, const char* cubin_dir) {
  static char the_one;
  (void)num_models;
  (void)device;
  (void)cubin_dir;
  if (CREATE_CODE == 0) *container = &the_one;
  return CREATE_CODE;
}

int32_t AOTInductorModelContainerDelete(void* container) {
  (void)container;
  return 0;
}

int32_t AOTInductorModelContainerGetNumInputs(void* container, size_t* count) {
  (void)container;
  *count = 0;
  return 0;
}

int32_t AOTInductorModelContainerGetNumOutputs(void* container, size_t* count) {
  (void)container;
  *count = 0;
  return 0;
}

int32_t AOTInductorModelContainerGetNumConstants(void* container, size_t* count) {
  (void)container;
  *count = 0;
  return 0;
}

int32_t AOTInductorModelContainerRun(void* container, void** inputs, size_t num_inputs,
                                     void** outputs, size_t num_outputs, void* stream,
                                     void* proxy_executor) {
  (void)container;
  (void)inputs;
  (void)outputs;
  (void)stream;
  (void)proxy_executor;
  return num_inputs == 0 && num_outputs == 0 ? 0 : 1;
}
