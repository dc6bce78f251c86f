// Speed on a real GPU: a runtime's pinned copies against CUDA's own, its device tensors against
// another runtime's (libtorch's), side by side in one process.
//
//   cuda-speed --runtime LIB --prefix P [--against LIB[:LIB...] [--against-prefix P]]
//
// prints a table of medians and ratios and exits with 0; 3 where no device works. What is compared
// runs in turns, round by round, so that a clock that drifts hits both alike; a ratio above 1 says
// that the runtime is the faster one.
#include <aoti_shim/table.h>
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "virtual_cuda/table.h"

namespace {

namespace cu = aoti_cts::vcuda;
using Clock = std::chrono::steady_clock;

[[noreturn]] void stop(int code, const std::string& text) {
  std::fprintf(stderr, "cuda-speed: %s\n", text.c_str());
  std::exit(code);
}

void need(bool good, const std::string& what) {
  if (!good) stop(3, what + " failed");
}

struct Runtime {
  AotiShimTable shims{};
  std::string name;
};

Runtime load(const std::string& libraries, const std::string& prefix) {
  Runtime runtime;
  runtime.name = libraries.substr(libraries.rfind('/') + 1);
  std::vector<void*> handles;
  for (std::size_t at = 0; at <= libraries.size();) {
    const std::size_t end = std::min(libraries.find(':', at), libraries.size());
    const std::string path = libraries.substr(at, end - at);
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) stop(2, dlerror());
    handles.push_back(handle);
    at = end + 1;
  }
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* address = nullptr;
    for (void* handle : handles) {
      if (address == nullptr) address = dlsym(handle, (prefix + row.name).c_str());
    }
    std::memcpy(reinterpret_cast<char*>(&runtime.shims) + row.slot, &address, sizeof address);
  }
  if (runtime.shims.aoti_torch_empty_strided == nullptr) stop(2, libraries + " exports no shim");
  return runtime;
}

double seconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Medians of the contenders, measured in turns after a warm-up round.
std::vector<double> medians(const std::vector<std::function<void()>>& contenders, int rounds) {
  std::vector<std::vector<double>> times(contenders.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double time = seconds(contenders[i]);
      if (round > 0) times[i].push_back(time);
    }
  }
  std::vector<double> result;
  for (auto& series : times) {
    std::sort(series.begin(), series.end());
    result.push_back(series[series.size() / 2]);
  }
  return result;
}

AtenTensorHandle make(const Runtime& runtime, int64_t bytes, bool on_device) {
  const int64_t one = 1;
  AtenTensorHandle handle = nullptr;
  const auto call = on_device ? runtime.shims.aoti_torch_empty_strided
                              : runtime.shims.aoti_torch_empty_strided_pinned;
  need(call(1, &bytes, &one, 0, on_device ? 1 : 0, 0, &handle) == 0, "making a tensor");
  return handle;
}

void* data_of(const Runtime& runtime, AtenTensorHandle tensor) {
  void* data = nullptr;
  need(runtime.shims.aoti_torch_get_data_ptr(tensor, &data) == 0, "get_data_ptr");
  return data;
}

/// copy_ from pinned memory of the runtime's against cudaMemcpyAsync from cudaHostAlloc memory and
/// from pageable memory, into the same device memory.
void pinned_copies(const cu::Table& cuda, const Runtime& runtime, int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  const AtenTensorHandle device = make(runtime, bytes, true);
  const AtenTensorHandle pinned = make(runtime, bytes, false);
  void* const target = data_of(runtime, device);
  std::memset(data_of(runtime, pinned), 1, size);
  void* own = nullptr;
  need(cuda.cudaHostAlloc(&own, size, 0) == cu::cudaSuccess, "cudaHostAlloc");
  std::memset(own, 2, size);
  std::vector<char> pageable(size, 3);
  const int repeat = static_cast<int>(std::max<int64_t>(1, (int64_t{256} << 20) / bytes));
  const auto plain = [&](const void* from) {
    for (int i = 0; i < repeat; ++i) {
      cuda.cudaMemcpyAsync(target, from, size, cu::cudaMemcpyHostToDevice, nullptr);
      cuda.cudaStreamSynchronize(nullptr);
    }
  };
  const auto time = medians({[&] {
                               for (int i = 0; i < repeat; ++i) {
                                 runtime.shims.aoti_torch_copy_(device, pinned, 0);
                               }
                             },
                             [&] { plain(data_of(runtime, pinned)); }, [&] { plain(own); },
                             [&] { plain(pageable.data()); }},
                            15);
  const auto rate = [&](double t) { return static_cast<double>(bytes) * repeat / t / 1e9; };
  std::printf(
      "host to device, %6.1f MiB  copy_ from empty_strided_pinned %7.2f GB/s | "
      "cudaMemcpyAsync from it %7.2f | from cudaHostAlloc %7.2f | from pageable %7.2f\n",
      static_cast<double>(bytes) / (1 << 20), rate(time[0]), rate(time[1]), rate(time[2]),
      rate(time[3]));
  std::printf(
      "    ratio to cudaHostAlloc: copy_ %.3f, cudaMemcpyAsync from the runtime's pinned "
      "memory %.3f; to pageable: copy_ %.2f\n",
      time[2] / time[0], time[2] / time[1], time[3] / time[0]);
  cuda.cudaFreeHost(own);
  runtime.shims.aoti_torch_delete_tensor_object(device);
  runtime.shims.aoti_torch_delete_tensor_object(pinned);
}

/// What CUDA's own calls cost, as the floor of what stands on them.
void own_calls(const cu::Table& cuda) {
  constexpr int calls = 2000;
  std::printf("\nCUDA's own calls\n");
  const auto row = [](const char* what, const std::function<void()>& work) {
    const auto time = medians({[&] {
                                for (int i = 0; i < calls; ++i) work();
                              }},
                              31);
    std::printf("%-44s %9.1f ns\n", what, time[0] / calls * 1e9);
  };
  int value = 0;
  void* memory = nullptr;
  const std::size_t bytes = std::size_t{1} << 20;
  row("cudaGetDeviceCount", [&] { cuda.cudaGetDeviceCount(&value); });
  row("cudaGetDevice", [&] { cuda.cudaGetDevice(&value); });
  row("cudaSetDevice(0)", [&] { cuda.cudaSetDevice(0); });
  row("cudaStreamQuery(null)", [&] { cuda.cudaStreamQuery(nullptr); });
  row("cudaMallocAsync + cudaFreeAsync of 1 MiB", [&] {
    cuda.cudaMallocAsync(&memory, bytes, nullptr);
    cuda.cudaFreeAsync(memory, nullptr);
  });
  row("the same, cudaStreamQuery in between", [&] {
    cuda.cudaMallocAsync(&memory, bytes, nullptr);
    cuda.cudaStreamQuery(nullptr);
    cuda.cudaFreeAsync(memory, nullptr);
  });
}

void compare(const char* what, const Runtime& runtime, const Runtime* other, int calls,
             const std::function<void(const Runtime&)>& work) {
  std::vector<std::function<void()>> contenders{[&] { work(runtime); }};
  if (other != nullptr) contenders.emplace_back([&] { work(*other); });
  const auto time = medians(contenders, 31);
  std::printf("%-44s %9.1f ns", what, time[0] / calls * 1e9);
  if (other != nullptr) {
    std::printf("   %9.1f ns   ratio %.2f", time[1] / calls * 1e9, time[1] / time[0]);
  }
  std::printf("\n");
}

void tensors(const Runtime& runtime, const Runtime* other) {
  std::printf("\n%-44s %12s   %12s\n", "", runtime.name.c_str(),
              other != nullptr ? other->name.c_str() : "");
  constexpr int calls = 2000;
  for (const int64_t bytes : {int64_t{1} << 20, int64_t{4096}}) {
    const std::string what =
        "create + delete of a " + std::to_string(bytes >> 10) + " KiB device tensor";
    compare(what.c_str(), runtime, other, calls, [bytes](const Runtime& one) {
      for (int i = 0; i < calls; ++i) {
        one.shims.aoti_torch_delete_tensor_object(make(one, bytes, true));
      }
    });
  }
  // One tensor of each, alive for all rounds.
  const AtenTensorHandle of_runtime = make(runtime, 1 << 20, true);
  const AtenTensorHandle of_other = other != nullptr ? make(*other, 1 << 20, true) : nullptr;
  const auto tensor_of = [&](const Runtime& one) {
    return &one == &runtime ? of_runtime : of_other;
  };
  constexpr int reads = 20000;
  const auto getter = [&](const char* name, auto member, auto value) {
    compare(name, runtime, other, reads, [&](const Runtime& one) {
      auto out = value;
      const auto call = one.shims.*member;
      const AtenTensorHandle tensor = tensor_of(one);
      for (int i = 0; i < reads; ++i) call(tensor, &out);
    });
  };
  getter("get_data_ptr", &AotiShimTable::aoti_torch_get_data_ptr, static_cast<void*>(nullptr));
  getter("get_sizes", &AotiShimTable::aoti_torch_get_sizes, static_cast<int64_t*>(nullptr));
  getter("get_strides", &AotiShimTable::aoti_torch_get_strides, static_cast<int64_t*>(nullptr));
  getter("get_dim", &AotiShimTable::aoti_torch_get_dim, int64_t{0});
  getter("get_numel", &AotiShimTable::aoti_torch_get_numel, int64_t{0});
  getter("get_storage_size", &AotiShimTable::aoti_torch_get_storage_size, int64_t{0});
  getter("get_storage_offset", &AotiShimTable::aoti_torch_get_storage_offset, int64_t{0});
  getter("get_dtype", &AotiShimTable::aoti_torch_get_dtype, int32_t{0});
  getter("get_device_type", &AotiShimTable::aoti_torch_get_device_type, int32_t{0});
  getter("get_device_index", &AotiShimTable::aoti_torch_get_device_index, int32_t{0});
  compare("_reinterpret_tensor + delete", runtime, other, calls, [&](const Runtime& one) {
    const int64_t sizes[] = {16, 64};
    const int64_t strides[] = {64, 1};
    const AtenTensorHandle tensor = tensor_of(one);
    for (int i = 0; i < calls; ++i) {
      AtenTensorHandle view = nullptr;
      one.shims.aoti_torch__reinterpret_tensor(tensor, 2, sizes, strides, 128, &view);
      one.shims.aoti_torch_delete_tensor_object(view);
    }
  });
  runtime.shims.aoti_torch_delete_tensor_object(of_runtime);
  if (other != nullptr) other->shims.aoti_torch_delete_tensor_object(of_other);
}

int run(int argc, char** argv) {
  CLI::App app("Speed of a runtime's pinned copies and device tensors on a real GPU");
  std::string library;
  std::string prefix;
  std::string against;
  std::string against_prefix;
  app.add_option("--runtime", library, "Library of the runtime; several joined by :")->required();
  app.add_option("--prefix", prefix, "What stands before its shims' names");
  app.add_option("--against", against, "The runtime to compare with");
  app.add_option("--against-prefix", against_prefix, "What stands before its shims' names");
  CLI11_PARSE(app, argc, argv);
  const Runtime runtime = load(library, prefix);
  Runtime other;
  if (!against.empty()) other = load(against, against_prefix);
  void* cudart = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (cudart == nullptr) cudart = dlopen("libcudart.so.12", RTLD_NOW | RTLD_NOLOAD);
  if (cudart == nullptr) stop(3, "the runtime loads no libcudart");
  const cu::Table cuda = cu::load_table(cudart);
  int count = 0;
  need(cuda.cudaGetDeviceCount(&count) == cu::cudaSuccess && count > 0, "cudaGetDeviceCount");
  for (const int64_t bytes : {int64_t{1} << 20, int64_t{16} << 20, int64_t{256} << 20}) {
    pinned_copies(cuda, runtime, bytes);
  }
  tensors(runtime, against.empty() ? nullptr : &other);
  own_calls(cuda);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda-speed: %s\n", error.what());
    return 2;
  }
}
