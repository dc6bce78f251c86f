/* A conforming device mapping in C, as small as it can be: an example of the plug-in interface.
 *
 * Texts are kept as the caller gave them, which the interface allows for overrides; device names
 * are copied. Everything optional is left out. The other files here include this one and break it
 * in one way each, through the macros.
 */
#include <aoti_plugin/device_map.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifndef LOOKUP_FIRST
#define LOOKUP_FIRST
#endif
#ifndef HOOK_SIZE
#define HOOK_SIZE sizeof(AotiMapHook)
#endif
#ifndef HOOK_LOOKUP
#define HOOK_LOOKUP lookup
#endif
#ifndef SERVES
#define SERVES(version) ((version) == AOTI_MAP_VERSION)
#endif

enum { MOST = 16 };

typedef struct Mapping {
  struct {
    char* name;
    size_t size;
    const AotiMapOverrides* overrides;
  } row[MOST];
  int rows;
} Mapping;

static const struct {
  const char* device;
  const char* answer;
} builtin[] = {{"cpu", "at::kCPU"}, {"cuda", "at::kCUDA"}, {"xpu", "at::kXPU"},
               {"mps", "at::kMPS"}, {"meta", "at::kMeta"}, {"tpu", NULL},
               {"mtia", NULL}};

static bool is(AotiMapText text, const char* name, size_t size) {
  return text.size == size && memcmp(text.data, name, size) == 0;
}

static void say(AotiMapSink sink, const char* text) {
  sink.write(sink.to, (AotiMapText){text, strlen(text)});
}

static int32_t fail(AotiMapSink sink, const char* why, AotiMapText what) {
  say(sink, why);
  say(sink, " '");
  sink.write(sink.to, what);
  say(sink, "'");
  return AOTI_MAP_ERROR;
}

static void* create(void) { return calloc(1, sizeof(Mapping)); }

static void destroy(void* mapping) {
  Mapping* all = mapping;
  for (int i = 0; i < all->rows; ++i) free(all->row[i].name);
  free(all);
}

static int32_t add(void* mapping, AotiMapText device, const AotiMapOverrides* overrides,
                   AotiMapSink error) {
  Mapping* all = mapping;
  for (int i = 0; i < all->rows; ++i) {
    if (!is(device, all->row[i].name, all->row[i].size)) continue;
    all->row[i].overrides = overrides;
    return AOTI_MAP_OK;
  }
  char* name = all->rows == MOST ? NULL : malloc(device.size + 1);
  if (name == NULL) return fail(error, "no room for", device);
  memcpy(name, device.data, device.size);
  all->row[all->rows].name = name;
  all->row[all->rows].size = device.size;
  all->row[all->rows++].overrides = overrides;
  return AOTI_MAP_OK;
}

/* Letters beyond ASCII are refused: MAP.unicode-suffix allows that. */
static bool is_identifier(const char* text, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const char c = text[i];
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  return size > 0;
}

static int32_t ask(AotiMapText device, const AotiMapOverrides* first, AotiMapSink out) {
  const AotiMapOverrides* by = first;
  while (by->aten_device_type == NULL && by->base_kind == AOTI_MAP_BASE_OTHER) by = by->base;
  if (by->aten_device_type == NULL) {
    if (by->base_kind != AOTI_MAP_BASE_CPU) {
      return fail(out, "no device type in the overrides of", device);
    }
    say(out, "at::kCPU");
    return AOTI_MAP_OK;
  }
  AotiMapValue value = {.struct_size = sizeof value};
  if (by->aten_device_type(by->context, &value, out) != AOTI_MAP_OK) return AOTI_MAP_ERROR;
  if (value.kind == AOTI_MAP_NONE) return fail(out, "None from", first->class_name);
  if (value.kind == AOTI_MAP_INTEGER) {
    return fail(out, value.integer == 9 ? "9 from" : "1 from", first->class_name);
  }
  if (value.kind == AOTI_MAP_BYTES) return fail(out, "bytes b", value.text);
  if (value.text.size < 5 || memcmp(value.text.data, "at::k", 5) != 0 ||
      !is_identifier(value.text.data + 5, value.text.size - 5)) {
    return fail(out, "bad device type", value.text);
  }
  out.write(out.to, value.text);
  return AOTI_MAP_OK;
}

static int32_t lookup(void* mapping, AotiMapText device, AotiMapSink out) {
  LOOKUP_FIRST
  const Mapping* all = mapping;
  const bool meta = is(device, "meta", 4);
  for (int i = 0; i < all->rows && !meta; ++i) {
    if (is(device, all->row[i].name, all->row[i].size))
      return ask(device, all->row[i].overrides, out);
  }
  for (size_t i = 0; i < sizeof builtin / sizeof builtin[0]; ++i) {
    if (!is(device, builtin[i].device, strlen(builtin[i].device))) continue;
    if (builtin[i].answer == NULL) return fail(out, "no device type for", device);
    say(out, builtin[i].answer);
    return AOTI_MAP_OK;
  }
  return fail(out, "nothing is registered for", device);
}

const AotiMapHook* aoti_plugin_device_map(uint32_t version) {
  static const AotiMapHook hook = {.struct_size = HOOK_SIZE,
                                   .version = AOTI_MAP_VERSION,
                                   .create = create,
                                   .destroy = destroy,
                                   .add = add,
                                   .lookup = HOOK_LOOKUP};
  return SERVES(version) ? &hook : NULL;
}
