/* The types that the shim ABI speaks in, spelled in C.
 *
 * Handles are opaque pointers. The c10 scalar types cross the ABI by pointer and by value, so each
 * gets a C struct of the same size, alignment and register class (System V x86-64 and AArch64 pass
 * both spellings alike). Source: torch/csrc/inductor/aoti_torch/c/shim.h and torch/headeronly/util
 * of libtorch 2.15.0.
 */
#ifndef AOTI_SHIM_TYPES_H
#define AOTI_SHIM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a shim returns: 0 for success, anything else for failure. libtorch uses 1. */
typedef int32_t AOTITorchError;

/** One reference to a tensor. Made by a shim, owned by the caller, ended by
 * aoti_torch_delete_tensor_object. */
typedef struct AtenTensorOpaque* AtenTensorHandle;
typedef struct CUDAGuardOpaque* CUDAGuardHandle;
typedef struct CUDAStreamGuardOpaque* CUDAStreamGuardHandle;
typedef struct DeviceGuardOpaque* DeviceGuardHandle;
typedef struct StreamOpaque* StreamHandle;
typedef struct C10IValueOpaque* C10IValueHandle;
typedef struct IValueMapOpaque* IValueMapHandle;
typedef struct AtenRecordFunctionOpaque* AtenRecordFunctionHandle;
typedef struct TorchLibraryOpaque* TorchLibraryHandle;
typedef struct AOTIProxyExecutorOpaque* AOTIProxyExecutorHandle;

/** A value on the stack of the stable dispatcher: 64 bits whose meaning the operator's schema
 * gives. */
typedef uint64_t StableIValue;

#ifdef __cplusplus
#define AOTI_SHIM_ALIGNAS(n) alignas(n)
#define AOTI_SHIM_STATIC_ASSERT static_assert
#define AOTI_SHIM_ALIGNOF alignof
#else
#define AOTI_SHIM_ALIGNAS(n) _Alignas(n)
#define AOTI_SHIM_STATIC_ASSERT _Static_assert
#define AOTI_SHIM_ALIGNOF _Alignof
#endif

/** c10::BFloat16: the upper half of an IEEE binary32. */
typedef struct AotiBFloat16 {
  uint16_t bits;
} AotiBFloat16;

/** c10::Half: an IEEE binary16. */
typedef struct AotiHalf {
  uint16_t bits;
} AotiHalf;

/** c10::complex<float>. */
typedef struct AotiComplexFloat {
  AOTI_SHIM_ALIGNAS(8) float real;
  float imag;
} AotiComplexFloat;

/** c10::complex<double>. */
typedef struct AotiComplexDouble {
  AOTI_SHIM_ALIGNAS(16) double real;
  double imag;
} AotiComplexDouble;

AOTI_SHIM_STATIC_ASSERT(sizeof(AotiBFloat16) == 2, "c10::BFloat16 is two bytes");
AOTI_SHIM_STATIC_ASSERT(sizeof(AotiHalf) == 2, "c10::Half is two bytes");
AOTI_SHIM_STATIC_ASSERT(sizeof(AotiComplexFloat) == 8, "c10::complex<float> is eight bytes");
AOTI_SHIM_STATIC_ASSERT(AOTI_SHIM_ALIGNOF(AotiComplexFloat) == 8,
                        "c10::complex<float> is aligned to its size");
AOTI_SHIM_STATIC_ASSERT(sizeof(AotiComplexDouble) == 16, "c10::complex<double> is sixteen bytes");
AOTI_SHIM_STATIC_ASSERT(AOTI_SHIM_ALIGNOF(AotiComplexDouble) == 16,
                        "c10::complex<double> is aligned to its size");
AOTI_SHIM_STATIC_ASSERT(sizeof(AtenTensorHandle) == sizeof(void*), "a handle is a pointer");
AOTI_SHIM_STATIC_ASSERT(sizeof(bool) == 1, "the ABI's bool is one byte");

#endif /* AOTI_SHIM_TYPES_H */
