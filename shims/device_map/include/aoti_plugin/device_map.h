/* The C interface through which a device mapping is judged (section MAP of the contract).
 *
 * A plug-in is a shared library that exports aoti_plugin_device_map(). It needs about 50 lines:
 * make an empty mapping, register overrides in it, look a device up. C11 and C++.
 *
 * Every struct starts with its size as its maker saw it, so that fields can be added at the end; a
 * reader touches no field beyond that size. Texts are UTF-8 with a size: they are not terminated
 * and may hold NUL. A pointer that a function receives is borrowed for the call, but for what
 * AotiMapOverrides says.
 */
#ifndef AOTI_PLUGIN_DEVICE_MAP_H
#define AOTI_PLUGIN_DEVICE_MAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AOTI_MAP_VERSION 1

typedef struct AotiMapText {
  const char* data;
  size_t size; /**< in bytes */
} AotiMapText;

/** Where a function writes its text; write() copies, and may be called several times. */
typedef struct AotiMapSink {
  void* to;
  void (*write)(void* to, AotiMapText text);
} AotiMapSink;

/** What functions return. */
enum {
  AOTI_MAP_OK = 0,
  AOTI_MAP_ERROR = 1,      /**< the sink got the error's text */
  AOTI_MAP_UNSUPPORTED = 2 /**< the mapping has no such thing; the case is skipped */
};

/** Kinds of a value that overrides answer with; only a text can be a right answer. */
enum { AOTI_MAP_TEXT = 0, AOTI_MAP_BYTES = 1, AOTI_MAP_NONE = 2, AOTI_MAP_INTEGER = 3 };

typedef struct AotiMapValue {
  size_t struct_size;
  int32_t kind;
  AotiMapText
      text;        /**< AOTI_MAP_TEXT, AOTI_MAP_BYTES; valid until the next call on the overrides */
  int64_t integer; /**< AOTI_MAP_INTEGER */
} AotiMapValue;

/** What overrides derive from in the mapping's own terms. */
enum {
  AOTI_MAP_BASE_PLAIN = 0,   /**< the base of all overrides: no device type */
  AOTI_MAP_BASE_NO_OP = 1,   /**< the shared no-op overrides: no device type either */
  AOTI_MAP_BASE_CPU = 2,     /**< the CPU's overrides: at::kCPU */
  AOTI_MAP_BASE_FOREIGN = 3, /**< none of these: an object that only looks like overrides */
  AOTI_MAP_BASE_OTHER = 4    /**< other overrides of the caller: see `base` */
};

/** Overrides that the suite registers. The struct, what it points to and the texts live until the
 * mapping is destroyed. */
typedef struct AotiMapOverrides {
  size_t struct_size;
  AotiMapText class_name;
  int32_t base_kind;
  const struct AotiMapOverrides* base; /**< with AOTI_MAP_BASE_OTHER, else null */
  /** The device type that these overrides answer; null where they do not implement it and inherit
   * what the base has. Returns AOTI_MAP_OK and fills the value (struct_size set by the caller), or
   * AOTI_MAP_ERROR for an exception, with its text to `raised`. */
  int32_t (*aten_device_type)(void* context, AotiMapValue* value, AotiMapSink raised);
  void* context;
} AotiMapOverrides;

typedef struct AotiMapEntry {
  AotiMapText device;
  AotiMapText answer;
} AotiMapEntry;

/** A mapping under judgement. Functions marked optional may be null. */
typedef struct AotiMapHook {
  size_t struct_size;
  uint32_t version; /**< AOTI_MAP_VERSION */

  /** A mapping as it is before anybody used it; null on failure. The suite makes one per process,
   * so a plug-in over a process-wide registry may return that. */
  void* (*create)(void);
  void (*destroy)(void* mapping);

  /** Registers overrides for a device. */
  int32_t (*add)(void* mapping, AotiMapText device, const AotiMapOverrides* overrides,
                 AotiMapSink error);

  /** The device type of a device as C++ source, at::kCUDA for one, to `out`; or an error's text. */
  int32_t (*lookup)(void* mapping, AotiMapText device, AotiMapSink out);

  /** Optional. Names of all devices that have overrides, one write each. */
  int32_t (*devices)(void* mapping, AotiMapSink out);

  /** Optional. The source text for one of the device's other operations (set_device, synchronize,
   * device_guard, cpp_kernel_type) with index 0. */
  int32_t (*code)(void* mapping, AotiMapText device, AotiMapText operation, AotiMapSink out);

  /** Optional: null where there is no table to assign. Replaces the module-level table from
   * devices to answers by one with these entries. */
  int32_t (*assign_table)(void* mapping, const AotiMapEntry* entries, size_t count,
                          AotiMapSink error);

  /** Optional. How often the built-in devices were registered so far. */
  int32_t (*initialisations)(void* mapping, int64_t* count);
} AotiMapHook;

/** The plug-in's one export. `version` is the caller's AOTI_MAP_VERSION; a plug-in that cannot
 * serve it returns null. The hook lives as long as the library is loaded. */
#if defined(_WIN32)
#define AOTI_MAP_EXPORT __declspec(dllexport)
#else
#define AOTI_MAP_EXPORT __attribute__((visibility("default")))
#endif
AOTI_MAP_EXPORT const AotiMapHook* aoti_plugin_device_map(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* AOTI_PLUGIN_DEVICE_MAP_H */
