// One model compiled twice, without a prefix over libtorch and under executorch_ over our runtime,
// in one process in which libtorch's shims are visible to all: equal numbers, and neither calls the
// other's runtime.
//
//   side_by_side LIBTORCH COUNTER PLAIN.so REFERENCE COUNTER_EXECUTORCH PREFIXED.so INPUTS.npz
//
// The counters (counted.h) stand before the runtimes. Success prints a line and ends with 0.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "blobs/given.h"

namespace {

using namespace aoti_cts::blobs;

constexpr int rounds = 3;

[[noreturn]] void fail(const std::string& what) {
  fmt::print(stderr, "{}\n", what);
  std::exit(1);
}

void* open(const char* path, int flags) {
  void* const library = dlopen(path, RTLD_NOW | flags);
  if (library == nullptr) fail(dlerror());
  return library;
}

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || bytes.empty()) fail(fmt::format("{}: cannot be read", path));
  return bytes;
}

template <class Fn>
Fn* find(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) fail(fmt::format("no {}", name));
  return reinterpret_cast<Fn*>(found);
}

/// A runtime, the counter before it, and a model that binds to that.
class Side {
 public:
  Side(const char* runtime, int visible, const char* counter, const char* model,
       const std::string& prefix)
      : counter_(open(counter, RTLD_GLOBAL)), runtime_(open(runtime, visible)) {
    find<void(void*)>(counter_, "aoti_counted_go_on_to")(runtime_);
    for (const AotiShimRow& row : aoti_shim_rows) {
      void* const shim = dlsym(runtime_, (prefix + row.name).c_str());
      std::memcpy(reinterpret_cast<char*>(&shims_) + row.slot, &shim, sizeof(shim));
    }
    blob_ = std::make_unique<Blob>(read(model));
    container_ = std::make_unique<Container>(*blob_);
  }
  /// The tensors that go in and come out are made and read past the counter.
  std::vector<Output> run(const std::vector<Array>& inputs) const {
    return run_once(shims_, *container_, inputs);
  }
  int64_t calls() const { return find<int64_t()>(counter_, "aoti_counted_calls")(); }

 private:
  void* counter_;
  void* runtime_;
  AotiShimTable shims_{};
  std::unique_ptr<Blob> blob_;
  std::unique_ptr<Container> container_;
};

/// Runs one side, which has to call its own runtime and leave the other's alone.
std::vector<Output> run_alone(const Side& side, const Side& other,
                              const std::vector<Array>& inputs) {
  const int64_t before = side.calls();
  const int64_t others = other.calls();
  auto outputs = side.run(inputs);
  if (side.calls() == before) fail("a run called no shim of its own runtime");
  if (other.calls() != others) {
    fail(fmt::format("a run called {} shims of the other runtime", other.calls() - others));
  }
  return outputs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8)
    fail("usage: side_by_side LIBTORCH COUNTER PLAIN REFERENCE COUNTER PREFIXED INPUTS");
  try {
    const std::vector<Array> inputs = read_npz(argv[7]);
    const Side plain(argv[1], RTLD_GLOBAL, argv[2], argv[3], "");
    const Side prefixed(argv[4], RTLD_LOCAL, argv[5], argv[6], "executorch_");
    for (int round = 0; round < rounds; ++round) {
      const auto want = run_alone(plain, prefixed, inputs);
      const auto have = run_alone(prefixed, plain, inputs);
      const std::string difference = first_difference(have, want);
      if (!difference.empty()) fail(fmt::format("round {}: {}", round, difference));
    }
    fmt::print("equal in {} rounds; {} calls of libtorch's shims, {} of executorch_'s\n", rounds,
               plain.calls(), prefixed.calls());
    return 0;
  } catch (const Error& error) {
    fail(error.what());
  }
}
