/* Delegate plug-in: how a backend that runs compiled models out of programs is judged.
 *
 * A candidate is a shared library that exports one function, aoti_cts_delegate(), which returns a
 * table. `aoti-cts check --delegate PLUGIN.so` calls it in child processes for every DELEGATE
 * clause, and `aoti-cts run PROGRAM.pte` to run a program. A plug-in is one build of a backend, for
 * one mode: it registers as it is loaded, and its tensors are its mode's own, which the tool holds
 * by address and sees through describe() alone. A runtime with both modes has two plug-ins, which
 * are loaded into one process.
 *
 * Versioning: each struct starts with struct_size, set by whoever fills it; a reader uses no field
 * that lies beyond it, and later versions only append. A table whose version the tool does not know
 * is refused.
 *
 * C11 and C++. Not called from several threads at once.
 */
#ifndef AOTI_CTS_DELEGATE_H
#define AOTI_CTS_DELEGATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AOTI_CTS_DELEGATE_VERSION 1u

enum { AOTI_CTS_DELEGATE_PORTABLE = 0, AOTI_CTS_DELEGATE_ATEN = 1 };

/* A tensor in words. Codes are those of the program's format, which are the shims' too. */
typedef struct AotiCtsDelegateTensor {
  size_t struct_size;
  int32_t scalar_type;
  int32_t device_type;    /* 0 CPU, 1 CUDA */
  int32_t device_index;   /* of a CPU tensor: any */
  int32_t rank;           /* 0-16 */
  const int64_t* sizes;   /* `rank` of each; null where it is 0. describe()'s live until the next */
  const int64_t* strides; /* call with this tensor; elements, never negative */
  void* data;             /* of that device; may be null where there are no bytes */
  size_t bytes;           /* that may be used there: what an output can grow to */
} AotiCtsDelegateTensor;

/* What a delegate is made of; lives until init() returns. */
typedef struct AotiCtsDelegateInput {
  size_t struct_size;
  const void* payload; /* a compiled model: the library's bytes */
  size_t size;         /* bytes */
  /* The runtime whose shims the model imports, loaded already and visible to libraries that are
   * loaded later: path, and what stands before each shim's name. A backend that is linked with a
   * runtime of its own has no use for it. */
  const char* runtime;
  const char* prefix;
  const char* device; /* as AOTInductorModelContainerCreateWithDevice takes it: "cpu", "cuda:0" */
} AotiCtsDelegateInput;

/* Why a call failed. The tool sets struct_size before the call. */
typedef struct AotiCtsDelegateError {
  size_t struct_size;
  char message[4096]; /* NUL-terminated */
} AotiCtsDelegateError;

typedef struct AotiCtsDelegate {
  size_t struct_size;
  uint32_t version;    /* AOTI_CTS_DELEGATE_VERSION */
  uint32_t mode;       /* which of the two this is a build for */
  const char* name;    /* for reports, with a version */
  const char* backend; /* what it registers as, and programs name it by */
  /* 1 where that mode's registry in this process has a backend of that name, otherwise 0. */
  int32_t (*registered)(uint32_t mode, const char* backend);
  /* Makes a delegate as the registered backend does when a program is loaded. Returns 0 and a
   * handle, or another number and nothing that would have to be freed. */
  int32_t (*init)(const AotiCtsDelegateInput* input, void** handle, AotiCtsDelegateError* error);
  /* Runs it: `arguments` are tensors of make()'s, the model's inputs and behind them its outputs,
   * which are given the sizes that the model's have. Returns 0, or another number. */
  int32_t (*execute)(void* handle, void* const* arguments, size_t count,
                     AotiCtsDelegateError* error);
  void (*destroy)(void* handle);
  /* A tensor of the mode over the caller's memory, which outlives it and is not touched. Null and
   * an error where the mode has no such tensor. */
  void* (*make)(const AotiCtsDelegateTensor* tensor, AotiCtsDelegateError* error);
  /* What it is now. The tool sets struct_size before the call. */
  void (*describe)(const void* tensor, AotiCtsDelegateTensor* out);
  void (*unmake)(void* tensor);
} AotiCtsDelegate;

/* The one exported function. The table lives as long as the library is loaded. */
__attribute__((visibility("default"))) const AotiCtsDelegate* aoti_cts_delegate(void);

#ifdef __cplusplus
}
#endif
#endif
