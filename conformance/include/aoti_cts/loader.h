/* Loader plug-in: how a runtime's own loader of embedded blobs is judged.
 *
 * A candidate is a shared library that exports one function, aoti_cts_loader(), which returns a
 * table of functions. `aoti-cts check --loader PLUGIN.so` calls them in child processes, for every
 * clause of profile path, on small AOTInductor models that need no runtime. A plug-in does with a
 * blob what the runtime's delegate does when a program is initialised, by the same code; its
 * writing and naming of the file is what is judged.
 *
 * Versioning: each struct starts with struct_size, set by whoever fills it; a reader uses no field
 * that lies beyond it, and later versions only append. A table whose version the tool does not know
 * is refused.
 *
 * C11 and C++. Thread-safe: the tool loads and destroys from several threads at once, and in
 * processes forked after a load. A handle is destroyed once, in the process that loaded it.
 */
#ifndef AOTI_CTS_LOADER_H
#define AOTI_CTS_LOADER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AOTI_CTS_LOADER_VERSION 1u

/* A load call's arguments; they live until it returns. */
typedef struct AotiCtsLoaderInput {
  size_t struct_size;
  const void* data; /* the blob */
  size_t size;      /* bytes */
  const char* key;  /* content key: any bytes, behind which a NUL stands */
  size_t key_size;  /* bytes, without that NUL; others may stand among them */
  /* Absolute path of the directory for the file, and the only place to write to. It may be missing
   * or refuse writing. TMPDIR names it too, for a loader that can be told in no other way. */
  const char* directory;
} AotiCtsLoaderInput;

/* A loaded blob. The tool sets struct_size before the call. */
typedef struct AotiCtsLoaderLibrary {
  size_t struct_size;
  void* handle; /* handed to destroy(); not null */
  /* Absolute path that the library was loaded from; NUL-terminated, lives until destroy(). The file
   * itself may be gone by then. */
  const char* path;
} AotiCtsLoaderLibrary;

/* Why a load failed. The tool sets struct_size before the call. */
typedef struct AotiCtsLoaderError {
  size_t struct_size;
  char message[4096]; /* NUL-terminated; names the path and the reason, as strerror() puts it */
} AotiCtsLoaderError;

typedef struct AotiCtsLoader {
  size_t struct_size;
  uint32_t version; /* AOTI_CTS_LOADER_VERSION */
  const char* name; /* for reports, with a version */
  /* Writes the blob to a file, loads that as a library, looks up the entry points that the runtime
   * needs and makes one container: AOTInductorModelContainerCreateWithDevice(&container, 1, "cpu",
   * NULL). Returns 0 and the library, or another number and nothing that would have to be freed;
   * then `error` says why, with the text of the model's AOTInductorGetLastError where it has one.
   */
  int32_t (*load)(const AotiCtsLoaderInput* input, AotiCtsLoaderLibrary* library,
                  AotiCtsLoaderError* error);
  /* Deletes the container, closes the library and removes the file. */
  void (*destroy)(void* handle);
  /* As load(), with the container made for `device` (NUL-terminated, such as "cuda:1"; lives until
   * it returns) and handed to AOTInductorModelContainerCreateWithDevice as the loader hands it.
   * Null, or beyond struct_size, for a loader that is never told a device. */
  int32_t (*load_on)(const AotiCtsLoaderInput* input, const char* device,
                     AotiCtsLoaderLibrary* library, AotiCtsLoaderError* error);
} AotiCtsLoader;

/* The one exported function. The table lives as long as the library is loaded. */
__attribute__((visibility("default"))) const AotiCtsLoader* aoti_cts_loader(void);

#ifdef __cplusplus
}
#endif
#endif
