/* A model that ends its process as it runs, or hangs, in the way that AOTI_CRASHES names; without
 * it by SIGSEGV. Needs no runtime. */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void hang(void) {
  for (;;) pause();
}

static void crash(const char* how) {
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "exit") == 0) _exit(0);
  if (strcmp(how, "hang") == 0) hang();
  if (strcmp(how, "kill itself") == 0) kill(getpid(), SIGKILL);
  if (strcmp(how, "kill its parent") == 0) kill(getppid(), SIGKILL);
  if (strcmp(how, "stop its parent") == 0) kill(getppid(), SIGSTOP);
  if (strcmp(how, "leave a process") == 0 && fork() == 0) hang();
  if (strcmp(how, "leave a process") == 0) abort();
  raise(SIGSEGV);
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
  const char* how = getenv("AOTI_CRASHES");
  crash(how == NULL ? "" : how);
  return 0;
}
