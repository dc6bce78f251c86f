// Sequences of shim calls on a runtime, each predicted by a model.
//
//   ./dev fuzz shim_calls
//   build/dev/fuzz/fuzz_shim_calls FILE|FOLDER...      "N inputs were run, from M files"
//
//   --candidate=LIBRARY.so  the runtime; the reference without it
//   --prefix=PREFIX         of its shims: executorch_ for the reference, none for another candidate
//   --virtual-cuda          with two virtual CUDA devices: tensors there too, guards, and CUDA
//   calls
//                           that fail; the runtime is the CUDA reference, or the candidate given
//                           (--virtual-cuda=LIBCUDART.so where it links another than the reference)
//
// Oracle (support/shims/calls.h). Each call succeeds or fails as the contract says; every attribute
// of every tensor, the bytes of every storage and which storages are shared are those of the model
// after each call; and the numbers of living handles and storages, where the runtime tells them. A
// sixteenth of the sequences, by their hash, is made on two threads at once as well. With devices:
// which one is current, what the virtual device found (support/shims/cuda.h), and that a sequence
// made again takes no more memory.
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

#include "support/beside.h"
#include "support/deterministic.h"
#include "support/finding.h"
#include "support/hash.h"
#include "support/options.h"
#include "support/shims/calls.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace aoti_cts::fuzz;

struct Candidate {
  std::string path = beside(AOTI_CTS_REFERENCE_RUNTIME);
  std::string prefix = "executorch_";
  std::string cudart;  ///< of --virtual-cuda
  Runtime runtime;
};

Candidate& candidate() {
  static Candidate the_one;
  return the_one;
}

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "shim_calls: %s\n", what.c_str());
  std::exit(2);
}

/// The virtual device, before the runtime that would bring a real one.
void open_cuda() {
  Candidate& r = candidate();
  void* const library = dlopen(r.cudart.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) refuse(dlerror());
  static VirtualCuda cuda(library);
  if (cuda.missing()) refuse(r.cudart + " is not the virtual CUDA device");
  cuda.table().reset(VirtualCuda::devices, 64);
  r.runtime.cuda = &cuda;
}

void open() {
  Candidate& r = candidate();
  if (!r.cudart.empty()) open_cuda();
  void* const library = dlopen(r.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(dlerror());
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* const shim = dlsym(library, (r.prefix + row.name).c_str());
    const bool cuda = r.runtime.cuda != nullptr && std::strcmp(row.tier, "cuda") == 0;
    if (shim == nullptr && (cuda || std::strcmp(row.tier, "core") == 0)) {
      refuse(r.path + " lacks " + r.prefix + row.name + " (is --prefix right?)");
    }
    std::memcpy(reinterpret_cast<char*>(&r.runtime.table) + row.slot, &shim, sizeof(shim));
  }
}

/// What a program's checks call beside the shims; memory may be a device's.
constexpr const char* helpers = R"(/* Build with: cc -I shims/abi/include FILE.c -ldl -pthread */
#define _POSIX_C_SOURCE 200809L
#include <aoti_shim/table.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static AotiShimTable f;

/* Of the virtual CUDA device, where there is one. */
static int (*cuda_fault)(const char*, char*, size_t), (*cuda_peek)(void*, uintptr_t, size_t);
static int (*cuda_poke)(uintptr_t, const void*, size_t), (*cuda_device_of)(uintptr_t);
static void (*cuda_enter)(const char*), (*cuda_inside_only)(int);
static size_t (*cuda_findings)(void);
static int (*cuda_live)(int, int64_t*);
static int (*cuda_get)(int*), (*cuda_set)(int), (*cuda_wait)(void);
static int (*cuda_stream)(void**, unsigned);

/* Arguments are gone after a call, and so is a fault. */
static _Thread_local int64_t a[4][4];
static _Thread_local int n;
#define A(...) memcpy(a[n++ % 4], (int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}))
#define FAULT(text) (cuda_inside_only(1), cuda_fault(text, NULL, 0), cuda_enter("shim"))
static pthread_barrier_t* others; /* of two threads, which go from check to check together */
#define CHECK(x) do { if (others) pthread_barrier_wait(others); \
  int ok = (x) != 0; memset(a, 85, sizeof(a)); \
  if (cuda_enter) { cuda_enter(NULL); cuda_fault(NULL, NULL, 0); } \
  if (!ok) { puts("broken: " #x); if (others) exit(1); return 1; } } while (0)

static int on_device(const uint8_t* at) {
  return cuda_device_of && cuda_device_of((uintptr_t)at) >= 0;
}
static int current_device(void) { int now = -1; cuda_get(&now); return now; }
static void wait_for_all(void) {
  int before = current_device();
  for (int i = 0; i < 2; ++i) { cuda_set(i); cuda_wait(); }
  cuda_set(before);
}
static int get(const uint8_t* bytes, size_t i) {
  uint8_t byte = 0;
  if (!on_device(bytes)) return bytes[i];
  wait_for_all();
  cuda_peek(&byte, (uintptr_t)(bytes + i), 1);
  return byte;
}
static void put(uint8_t* bytes, size_t i, uint8_t value) {
  if (on_device(bytes)) cuda_poke((uintptr_t)(bytes + i), &value, 1);
  else bytes[i] = value;
}
static int same(const uint8_t* one, const uint8_t* other, size_t count) {
  for (size_t i = 0; i < count; ++i) if (get(one, i) != get(other, i)) return 0;
  return 1;
}
static void fill(uint8_t* bytes, size_t count, int dtype) {
  for (size_t i = 0; i < count; ++i) put(bytes, i, dtype == 11 ? i % 2 : 37 * i + 11);
}
static int device_findings(void) { return (int)cuda_findings(); }
static int64_t live_allocations(void) {
  int64_t live[8] = {0};
  cuda_live(-1, live);
  return live[0] + live[2];
}
static void* stream_of(int device) {
  static void* streams[2];
  if (!streams[device]) {
    int before = current_device();
    cuda_set(device), cuda_stream(&streams[device], 1), cuda_set(before);
  }
  return streams[device];
}

)";

/// Opens the libraries and makes the calls.
std::string main_of(bool threads) {
  const Candidate& r = candidate();
  std::string text = "int main(void) {\n";
  if (!r.cudart.empty()) {
    text += "  void* cuda = dlopen(\"" + r.cudart + "\", RTLD_NOW | RTLD_GLOBAL);\n" +
            R"(  int (*reset)(int, uint64_t) = NULL;
  const struct { const char* name; void* to; } names[] = {
    {"aoti_cts_vcuda_reset", &reset}, {"aoti_cts_vcuda_fault", &cuda_fault},
    {"aoti_cts_vcuda_peek", &cuda_peek}, {"aoti_cts_vcuda_poke", &cuda_poke},
    {"aoti_cts_vcuda_device_of", &cuda_device_of}, {"aoti_cts_vcuda_enter", &cuda_enter},
    {"aoti_cts_vcuda_fault_inside_only", &cuda_inside_only},
    {"aoti_cts_vcuda_finding_count", &cuda_findings}, {"aoti_cts_vcuda_get_live", &cuda_live},
    {"cudaGetDevice", &cuda_get}, {"cudaSetDevice", &cuda_set},
    {"cudaDeviceSynchronize", &cuda_wait},
    {"cudaStreamCreateWithFlags", &cuda_stream}};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    void* at = dlsym(cuda, names[i].name);
    memcpy(names[i].to, &at, sizeof(at));
  }
  reset(2, 64);
)";
  }
  text += "  void* library = dlopen(\"" + r.path + "\", RTLD_NOW);\n  CHECK(library);\n" +
          "  for (int i = 0; i < aoti_shim_row_count; ++i) {\n    char name[200];\n"
          "    snprintf(name, sizeof(name), \"" +
          r.prefix +
          "%s\", aoti_shim_rows[i].name);\n    void* shim = dlsym(library, name);\n"
          "    memcpy((char*)&f + aoti_shim_rows[i].slot, &shim, sizeof(shim));\n  }\n"
          "  void* result[2] = {NULL, NULL};\n";
  if (threads) {
    text +=
        "  pthread_t thread[2];\n  static pthread_barrier_t both;\n"
        "  CHECK(pthread_barrier_init(&both, NULL, 2) == 0);\n  others = &both;\n"
        "  for (int i = 0; i < 2; ++i)\n"
        "    if (pthread_create(&thread[i], NULL, calls, NULL) != 0) exit(2);\n"
        "  for (int i = 0; i < 2; ++i) pthread_join(thread[i], &result[i]);\n";
  } else {
    // A leak shows when the calls are made again.
    text += "  for (int i = 0; i < 4 && !result[0]; ++i) result[0] = calls(NULL);\n";
  }
  return text +
         "  if (result[0] || result[1]) return 1;\n  puts(\"as it should be\");\n"
         "  return 0;\n}\n";
}

/// The shims that a program's text calls, as functions that dlopen() found.
std::string c_program(const Mismatch& mismatch, bool threads) {
  std::string text = helpers;
  text +=
      "static int run(void) {\n"
      "  int64_t i64 = 0, *dims = NULL;\n  int32_t i32 = 0;\n  void* data = NULL;\n"
      "  bool flag = false;\n  AtenTensorHandle out = NULL;\n"
      "  (void)i64, (void)i32, (void)dims, (void)data, (void)flag, (void)out, (void)fill;\n"
      "  (void)same, (void)device_findings, (void)live_allocations, (void)stream_of;\n";
  std::string calls = mismatch.c_program;
  for (size_t at = 0; (at = calls.find("aoti_torch_", at)) != std::string::npos; at += 13) {
    calls.insert(at, "f.");
  }
  return text + calls +
         "  return 0;\n}\n\nstatic void* calls(void* unused) {\n  return run() ? &f : "
         "unused;\n}\n\n" +
         main_of(threads);
}

/// Makes the calls; a sequence that breaks a rule is made as short as it gets, shown and reported.
void judge(const std::vector<Record>& records, RunCalls run) {
  const Runtime& runtime = candidate().runtime;
  try {
    run(runtime, records);
  } catch (const Mismatch& first) {
    const std::vector<Record> fewest = shrink_calls(runtime, records, first.rule, run);
    try {
      run(runtime, fewest);
    } catch (const Mismatch& mismatch) {
      std::fprintf(stderr, "%s", c_program(mismatch, run == run_calls_on_threads).c_str());
      finding(mismatch.rule, mismatch.what());
    }
    finding(first.rule, std::string(first.what()) + " (not every time)");
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  check_options("shim_calls", *argc, *argv,
                {"--candidate=", "--prefix=*", "--virtual-cuda", "--virtual-cuda="});
  bool given = false;
  std::string prefix;
  for (int i = 1; i < *argc; ++i) {
    const std::string text = (*argv)[i];
    if (text.rfind("--candidate=", 0) == 0) {
      candidate().path = absolute(text.substr(12));
      given = true;
    }
    if (text.rfind("--prefix=", 0) == 0) prefix = text.substr(9);
    if (text == "--virtual-cuda") candidate().cudart = beside(AOTI_CTS_VIRTUAL_CUDA);
    if (text.rfind("--virtual-cuda=", 0) == 0) candidate().cudart = absolute(text.substr(15));
  }
  if (given) candidate().prefix = prefix;
  if (!given && !candidate().cudart.empty()) {
    candidate().path = beside(AOTI_CTS_REFERENCE_CUDA_RUNTIME);
    if (candidate().path.empty()) refuse("this build has no CUDA reference: give a --candidate");
  }
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
  const aoti_cts::fuzz::Deterministic inside(data, size);
  const std::vector<Record> records = records_of(data, size);
  judge(records, run_calls);
  const bool threads = candidate().runtime.cuda == nullptr && (hash_of(data, size) >> 32) % 16 == 0;
  if (threads && !records.empty()) judge(records, run_calls_on_threads);
  return 0;
}
