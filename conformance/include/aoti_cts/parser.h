/* Parser plug-in: how a .pte parser is judged without being relinked.
 *
 * A candidate is a shared library that exports one function, aoti_cts_parser(), which returns a
 * table of five functions. `aoti-cts check --parser PLUGIN.so --mode portable` calls them in child
 * processes, on every vector of the corpus and for every PARSE clause. A plug-in over an existing
 * runtime takes about fifty lines.
 *
 * Versioning: each struct starts with struct_size, set by whoever fills it; a reader uses no field
 * that lies beyond it, and later versions only append. A table whose version the tool does not know
 * is refused.
 *
 * C11 and C++. No exception may leave a function. Nothing here is thread-safe; the tool calls from
 * one thread.
 */
#ifndef AOTI_CTS_PARSER_H
#define AOTI_CTS_PARSER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AOTI_CTS_PARSER_VERSION 1u

/* Modes: which kind of tensor the parser makes. */
#define AOTI_CTS_PARSER_PORTABLE 0
#define AOTI_CTS_PARSER_ATEN 1

/* What names a tensor, in AotiCtsParserTensor.named_by. */
#define AOTI_CTS_PARSER_BY_VALUE 0  /* its index in the method's values */
#define AOTI_CTS_PARSER_BY_INPUT 1  /* its position among the method's inputs */
#define AOTI_CTS_PARSER_BY_OUTPUT 2 /* its position among the method's outputs */

/* A parse call's arguments. */
typedef struct AotiCtsParserInput {
  size_t struct_size;
  const void* data; /* the file; stays readable and unchanged until free(). Starts at a multiple of
                       16, or of the table's `alignment` where that is less. Nothing behind it is
                       readable, but for the fewer than `alignment` bytes of padding that a file
                       needs whose size is no multiple of that; what they hold must not matter. */
  size_t size;      /* bytes */
  int32_t mode;     /* AOTI_CTS_PARSER_PORTABLE or _ATEN */
  int32_t verify;   /* 1: the fullest verification the parser has; 0: the least */
  /* Gives memory for a planned buffer. `buffer` counts from 1, as memory_id does. Returns at least
   * `bytes` bytes, or null where the host has none: then parse() fails. Memory for an accelerator
   * must not be touched: the host maps it without access. The memory lives until free(). To be
   * called with the device the parser read, whatever it is. */
  void* (*allocate)(void* context, uint32_t method, uint32_t buffer, uint64_t bytes,
                    int32_t device_type, int32_t device_index);
  /* Bytes of a tensor that lies outside of the file, or null where there is none of that name and
   * size. `bytes` is the tensor's size, or 0 where the parser does not know it yet. They live until
   * free(). */
  const void* (*external)(void* context, const char* name, uint64_t bytes);
  void* context; /* handed to both */
} AotiCtsParserInput;

/* Why a program was refused. The tool sets struct_size before the call. */
typedef struct AotiCtsParserError {
  size_t struct_size;
  /* ExecuTorch's number: 0x23 is InvalidProgram, 0x10 NotSupported. What is judged is this one, or
   * where it is left at 0 the number that parse() returns. */
  int32_t code;
  char message[500]; /* NUL-terminated; may stay empty */
} AotiCtsParserError;

/* One tensor. The tool sets struct_size before the call; pointers live until free(). */
typedef struct AotiCtsParserTensor {
  size_t struct_size;
  uint32_t method; /* index in the program */
  int32_t named_by;
  uint32_t index;
  int32_t device_type; /* 0 CPU, 1 CUDA */
  int32_t device_index;
  /* In ATen mode: the device of the storage's data pointer, and the device type that the dispatch
   * key stands for. */
  int32_t storage_device_type;
  int32_t storage_device_index;
  int32_t key_device_type;
  int32_t scalar_type;
  uint32_t rank;
  const int64_t* sizes;   /* rank entries */
  const int64_t* strides; /* rank entries, in elements */
  void* data;             /* null while unbound */
} AotiCtsParserTensor;

typedef struct AotiCtsParser {
  size_t struct_size;
  uint32_t version; /* AOTI_CTS_PARSER_VERSION */
  uint32_t modes;   /* bit 1 << AOTI_CTS_PARSER_PORTABLE, bit 1 << AOTI_CTS_PARSER_ATEN */
  const char* name; /* for reports, with a version */
  /* Parses a program and loads all of its methods. Returns 0 and the program, or another number and
   * nothing that would have to be freed; then `error` says why. */
  int32_t (*parse)(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error);
  size_t (*tensors)(void* program);
  /* Describes one of them. Returns 0, or another number when it cannot. */
  int32_t (*tensor)(void* program, size_t index, AotiCtsParserTensor* tensor);
  /* Binds other memory of `bytes` bytes, which the host keeps. Returns 0, or another number when it
   * cannot. */
  int32_t (*set_data)(void* program, size_t index, void* data, size_t bytes);
  void (*free)(void* program);
  /* What parse() needs `data` to be a multiple of: 1, 2, 4, 8 or 16. 0, or a table that ends before
   * this field: 16. With 1 every file ends directly at a page without access. */
  size_t alignment;
} AotiCtsParser;

/* The one exported function. The table lives as long as the library is loaded. */
__attribute__((visibility("default"))) const AotiCtsParser* aoti_cts_parser(void);

#ifdef __cplusplus
}
#endif
#endif
