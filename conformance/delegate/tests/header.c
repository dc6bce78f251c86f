/* The frame of a delegate plug-in in C: a backend that has nothing behind it. */
#include <aoti_cts/delegate.h>
#include <stdio.h>

static int32_t registered(uint32_t mode, const char* backend) {
  (void)mode;
  (void)backend;
  return 0;
}

static int32_t init(const AotiCtsDelegateInput* input, void** handle, AotiCtsDelegateError* error) {
  (void)handle;
  snprintf(error->message, sizeof(error->message), "no backend for %zu bytes", input->size);
  return 1;
}

static int32_t execute(void* handle, void* const* arguments, size_t count,
                       AotiCtsDelegateError* error) {
  (void)handle;
  (void)arguments;
  snprintf(error->message, sizeof(error->message), "no backend for %zu arguments", count);
  return 1;
}

static void destroy(void* handle) { (void)handle; }

static void* make(const AotiCtsDelegateTensor* tensor, AotiCtsDelegateError* error) {
  snprintf(error->message, sizeof(error->message), "no tensor of rank %d", (int)tensor->rank);
  return NULL;
}

static void describe(const void* tensor, AotiCtsDelegateTensor* out) {
  (void)tensor;
  out->rank = 0;
}

static void unmake(void* tensor) { (void)tensor; }

const AotiCtsDelegate* aoti_cts_delegate(void) {
  static const AotiCtsDelegate table = {sizeof(AotiCtsDelegate),
                                        AOTI_CTS_DELEGATE_VERSION,
                                        AOTI_CTS_DELEGATE_PORTABLE,
                                        "frame",
                                        "NoBackend",
                                        registered,
                                        init,
                                        execute,
                                        destroy,
                                        make,
                                        describe,
                                        unmake};
  return &table;
}
