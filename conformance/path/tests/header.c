/* The plug-in header as C11 reads it: a loader that loads nothing, written as a C candidate would
 * write one. */
#include <aoti_cts/loader.h>
#include <stdio.h>

static int32_t load(const AotiCtsLoaderInput* input, AotiCtsLoaderLibrary* library,
                    AotiCtsLoaderError* error) {
  (void)library;
  snprintf(error->message, sizeof(error->message), "%s: not implemented", input->directory);
  return 1;
}

static void destroy(void* handle) { (void)handle; }

const AotiCtsLoader* aoti_cts_loader(void) {
  static const AotiCtsLoader table = {
      sizeof(AotiCtsLoader), AOTI_CTS_LOADER_VERSION, "empty", load, destroy, NULL};
  return &table;
}
