/* A loader plug-in that breaks the interface in the one way that AOTI_CTS_ROGUE names; without it,
 * it says that it loaded and has done nothing. Its table is right but where the fault is in the
 * table.
 */
#include <aoti_cts/loader.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char* fault) {
  const char* name = getenv("AOTI_CTS_ROGUE");
  return name != NULL && strcmp(name, fault) == 0;
}

static int32_t load(const AotiCtsLoaderInput* input, AotiCtsLoaderLibrary* library,
                    AotiCtsLoaderError* error) {
  if (is("crash")) abort();
  if (is("exit")) _exit(0);
  while (is("hang")) pause();
  if (is("message_without_end")) {
    memset(error->message, 'x', sizeof(error->message));
    return 7;
  }
  if (!is("no_handle")) library->handle = (void*)(uintptr_t)input->data;
  if (!is("no_path")) library->path = is("relative_path") ? "here" : "/nowhere";
  return 0;
}

static void destroy(void* handle) {
  (void)handle;
  if (is("crash_in_destroy")) abort();
}

const AotiCtsLoader* aoti_cts_loader(void) {
  static AotiCtsLoader table = {
      sizeof(AotiCtsLoader), AOTI_CTS_LOADER_VERSION, "rogue", load, destroy, NULL};
  if (is("crash_in_table")) abort();
  if (is("null_table")) return NULL;
  if (is("version_2")) table.version = 2;
  if (is("short_table")) table.struct_size = 8;
  if (is("longer_table")) table.struct_size += 64;
  if (is("no_load")) table.load = NULL;
  if (is("no_destroy")) table.destroy = NULL;
  return &table;
}
