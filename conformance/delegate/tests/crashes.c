/* A model that crashes as it runs; needs no runtime. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#define ENTRY __attribute__((visibility("default"))) int32_t

ENTRY AOTInductorModelContainerCreateWithDevice(void** container, size_t models, const char* device,
                                                const char* cubin) {
  static int instance;
  (void)models;
  (void)device;
  (void)cubin;
  *container = &instance;
  return 0;
}

ENTRY AOTInductorModelContainerDelete(void* container) {
  (void)container;
  return 0;
}

static int32_t one(size_t* ret) {
  *ret = 1;
  return 0;
}

ENTRY AOTInductorModelContainerGetNumInputs(void* container, size_t* ret) {
  (void)container;
  return one(ret);
}

ENTRY AOTInductorModelContainerGetNumOutputs(void* container, size_t* ret) {
  (void)container;
  return one(ret);
}

ENTRY AOTInductorModelContainerRun(void* container, void** inputs, size_t num_inputs,
                                   void** outputs, size_t num_outputs, void* stream, void* proxy) {
  (void)container;
  (void)inputs;
  (void)num_inputs;
  (void)outputs;
  (void)num_outputs;
  (void)stream;
  (void)proxy;
  raise(SIGSEGV);
  return 0;
}
