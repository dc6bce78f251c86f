// Sequences of shim calls on a runtime, each predicted by a model.
//
//   ./dev fuzz shim_calls
//   build/dev/fuzz/fuzz_shim_calls FILE|FOLDER...      "N inputs were run, from M files"
//
//   --candidate=LIBRARY.so  the runtime; the reference without it
//   --prefix=PREFIX         of its shims: executorch_ for the reference, none for another candidate
//
// Oracle (support/shims/calls.h). Each call succeeds or fails as the contract says; every attribute
// of every tensor, the bytes of every storage and which storages are shared are those of the model
// after each call; and the numbers of living handles and storages, where the runtime tells them.
//
// A sequence that breaks a rule is made as short as it gets, and printed as a C program that makes
// the same calls on the library and ends with the check that fails.
//
// fuzz-link: aoti_cts_fuzz_shims
// fuzz-needs: aoti_cts_reference_executorch_
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/deterministic.h"
#include "support/finding.h"
#include "support/hash.h"
#include "support/shims/calls.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace aoti_cts::fuzz;

struct Runtime {
  std::string path = AOTI_CTS_REFERENCE_RUNTIME;
  std::string prefix = "executorch_";
  AotiShimTable table{};
};

Runtime& runtime() {
  static Runtime the_one;
  return the_one;
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "shim_calls: %s\n", what.c_str());
  std::exit(2);
}

void open() {
  Runtime& r = runtime();
  void* const library = dlopen(r.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(dlerror());
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* const shim = dlsym(library, (r.prefix + row.name).c_str());
    if (shim == nullptr && std::strcmp(row.tier, "core") == 0) {
      refuse(r.path + " lacks " + r.prefix + row.name + " (is --prefix right?)");
    }
    std::memcpy(reinterpret_cast<char*>(&r.table) + row.slot, &shim, sizeof(shim));
  }
}

/// The shims that a program's text calls, as functions that dlopen() found.
std::string c_program(const Mismatch& mismatch) {
  const Runtime& r = runtime();
  std::string text =
      "/* Build with: cc -I shims/abi/include FILE.c -ldl */\n"
      "#include <aoti_shim/table.h>\n#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      "#include <string.h>\n\n"
      "/* Arguments are gone after a call. */\nstatic int64_t a[4][4];\nstatic int n;\n"
      "#define A(...) memcpy(a[n++ % 4], (int64_t[]){__VA_ARGS__}, "
      "sizeof((int64_t[]){__VA_ARGS__}))\n"
      "#define CHECK(x) do { int ok = (x); memset(a, 85, sizeof(a)); "
      "if (!ok) { puts(\"broken: \" #x); return 1; } } while (0)\n\n"
      "static void fill(uint8_t* bytes, size_t count, int dtype) {\n"
      "  for (size_t i = 0; i < count; ++i) bytes[i] = dtype == 11 ? i % 2 : 37 * i + 11;\n}\n\n"
      "int main(void) {\n  AotiShimTable f;\n  void* library = dlopen(\"" +
      r.path + "\", RTLD_NOW);\n  CHECK(library);\n";
  text +=
      "  for (int i = 0; i < aoti_shim_row_count; ++i) {\n    char name[200];\n"
      "    snprintf(name, sizeof(name), \"" +
      r.prefix +
      "%s\", aoti_shim_rows[i].name);\n    void* shim = dlsym(library, name);\n"
      "    memcpy((char*)&f + aoti_shim_rows[i].slot, &shim, sizeof(shim));\n  }\n"
      "  int64_t i64 = 0, *dims = NULL;\n  int32_t i32 = 0;\n  void* data = NULL;\n"
      "  bool flag = false;\n  AtenTensorHandle out = NULL;\n"
      "  (void)i64, (void)i32, (void)dims, (void)data, (void)flag, (void)out, (void)fill;\n";
  std::string calls = mismatch.c_program;
  for (size_t at = 0; (at = calls.find("aoti_torch_", at)) != std::string::npos; at += 13) {
    calls.insert(at, "f.");
  }
  return text + calls + "  puts(\"as it should be\");\n  return 0;\n}\n";
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  bool given = false;
  std::string prefix;
  for (int i = 1; i < *argc; ++i) {
    const std::string text = (*argv)[i];
    if (text.rfind("--candidate=", 0) == 0) {
      runtime().path = text.substr(12);
      given = true;
    }
    if (text.rfind("--prefix=", 0) == 0) prefix = text.substr(9);
  }
  if (given) runtime().prefix = prefix;
  open();
  return 0;
}

/// Whole records: one is copied, dropped, moved or changed in one byte.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Random random(seed);
  constexpr size_t width = sizeof(Record);
  const size_t count = size / width;
  if (random.one_in(4)) return LLVMFuzzerMutate(data, size, max_size);
  if (count == 0 || (random.one_in(2) && (count + 1) * width <= max_size)) {
    if ((count + 1) * width > max_size) return LLVMFuzzerMutate(data, size, max_size);
    const size_t at = random.below(count + 1) * width;
    std::memmove(data + at + width, data + at, count * width - at);
    for (size_t i = 0; i < width; ++i) data[at + i] = static_cast<uint8_t>(random.next());
    return (count + 1) * width;
  }
  const size_t at = random.below(count) * width;
  switch (random.below(3)) {
    case 0:
      std::memmove(data + at, data + at + width, (count - 1) * width - at);
      return (count - 1) * width;
    case 1:
      std::memmove(data + at, data + random.below(count) * width, width);
      return count * width;
    default:
      data[at + random.below(width)] = static_cast<uint8_t>(random.next());
      return count * width;
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const aoti_cts::fuzz::Deterministic inside;
  const AotiShimTable& table = runtime().table;
  const std::vector<Record> records = records_of(data, size);
  try {
    run_calls(table, records);
  } catch (const Mismatch& first) {
    const std::vector<Record> fewest = shrink_calls(table, records, first.rule);
    try {
      run_calls(table, fewest);
    } catch (const Mismatch& mismatch) {
      std::fprintf(stderr, "%s", c_program(mismatch).c_str());
      finding(mismatch.rule, mismatch.what());
    }
    finding(first.rule, std::string(first.what()) + " (not every time)");
  }
  return 0;
}
