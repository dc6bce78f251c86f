// Time per call of the shims that a model makes most, and of a model that makes many views: two
// runtimes by turns, in one run.
//
//   ./dev bench calls      the reference and libtorch
//   ./dev bench checked    the reference and the checked reference
//
// Arguments: FIRST.so PREFIX SECOND.so PREFIX ("" for none). They register as name/first and
// name/second.
#include <aoti_shim/table.h>
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int64_t rows = 64;
constexpr int64_t columns = 256;
constexpr int64_t shape[] = {rows, columns};
constexpr int64_t strides[] = {columns, 1};

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "calls_bench: %s\n", what);
  std::exit(1);
}

AotiShimTable load(const char* path, const std::string& prefix) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(library != nullptr, dlerror());
  AotiShimTable table{};
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* address = dlsym(library, (prefix + row.name).c_str());
    std::memcpy(reinterpret_cast<char*>(&table) + row.slot, &address, sizeof address);
  }
  require(table.aoti_torch_empty_strided != nullptr, "no empty_strided under this prefix");
  return table;
}

AtenTensorHandle matrix(const AotiShimTable& shims, int32_t dtype) {
  AtenTensorHandle handle = nullptr;
  require(shims.aoti_torch_empty_strided(2, shape, strides, dtype, 0, 0, &handle) == 0,
          "empty_strided failed");
  return handle;
}

AtenTensorHandle row_of(const AotiShimTable& shims, AtenTensorHandle self, int64_t row) {
  const int64_t stride = 1;
  AtenTensorHandle handle = nullptr;
  require(
      shims.aoti_torch__reinterpret_tensor(self, 1, &columns, &stride, row * columns, &handle) == 0,
      "_reinterpret_tensor failed");
  return handle;
}

float* data_of(const AotiShimTable& shims, AtenTensorHandle handle) {
  void* data = nullptr;
  require(shims.aoti_torch_get_data_ptr(handle, &data) == 0, "get_data_ptr failed");
  return static_cast<float*>(data);
}

/// A tensor that lives as long as its benchmark.
struct Source {
  explicit Source(const AotiShimTable& table)
      : shims(table), dtype(table.aoti_torch_dtype_float32()), handle(matrix(table, dtype)) {}
  ~Source() { shims.aoti_torch_delete_tensor_object(handle); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const AotiShimTable& shims;
  int32_t dtype;
  AtenTensorHandle handle;
};

void empty_and_delete(benchmark::State& state, const AotiShimTable& shims) {
  const int32_t dtype = shims.aoti_torch_dtype_float32();
  for ([[maybe_unused]] auto step : state) {
    shims.aoti_torch_delete_tensor_object(matrix(shims, dtype));
  }
}

void blob_and_delete(benchmark::State& state, const AotiShimTable& shims) {
  const int32_t dtype = shims.aoti_torch_dtype_float32();
  static float data[rows * columns];
  for ([[maybe_unused]] auto step : state) {
    AtenTensorHandle handle = nullptr;
    require(shims.aoti_torch_create_tensor_from_blob(data, 2, shape, strides, 0, dtype, 0, 0,
                                                     &handle) == 0,
            "create_tensor_from_blob failed");
    shims.aoti_torch_delete_tensor_object(handle);
  }
}

void view_and_delete(benchmark::State& state, const AotiShimTable& shims) {
  const Source source(shims);
  for ([[maybe_unused]] auto step : state) {
    shims.aoti_torch_delete_tensor_object(row_of(shims, source.handle, 1));
  }
}

/// y = 2 x + 1, a view of a row of either side at a time: 128 views and 1 new tensor.
void model(benchmark::State& state, const AotiShimTable& shims) {
  const Source x(shims);
  std::memset(data_of(shims, x.handle), 0, rows * columns * sizeof(float));
  for ([[maybe_unused]] auto step : state) {
    const Source y(shims);
    for (int64_t row = 0; row < rows; ++row) {
      AtenTensorHandle from = row_of(shims, x.handle, row);
      AtenTensorHandle to = row_of(shims, y.handle, row);
      const float* in = data_of(shims, from);
      float* out = data_of(shims, to);
      for (int64_t i = 0; i < columns; ++i) out[i] = 2 * in[i] + 1;
      shims.aoti_torch_delete_tensor_object(from);
      shims.aoti_torch_delete_tensor_object(to);
    }
  }
}

void new_handle_and_delete(benchmark::State& state, const AotiShimTable& shims) {
  const Source source(shims);
  for ([[maybe_unused]] auto step : state) {
    AtenTensorHandle handle = nullptr;
    require(shims.aoti_torch_new_tensor_handle(source.handle, &handle) == 0,
            "new_tensor_handle failed");
    shims.aoti_torch_delete_tensor_object(handle);
  }
}

/// One getter of one value; `Shim` is its member of the table.
template <auto Shim, class Value>
void getter(benchmark::State& state, const AotiShimTable& shims) {
  const Source source(shims);
  Value value{};
  require((shims.*Shim)(source.handle, &value) == 0, "a getter failed");
  for ([[maybe_unused]] auto step : state) {
    (shims.*Shim)(source.handle, &value);
    benchmark::DoNotOptimize(value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 5) {
    std::fprintf(stderr, "usage: calls_bench FIRST.so PREFIX SECOND.so PREFIX\n");
    return 2;
  }
  const AotiShimTable runtimes[] = {load(argv[1], argv[2]), load(argv[3], argv[4])};
  const auto add = [&](const std::string& name,
                       void (*body)(benchmark::State&, const AotiShimTable&)) {
    benchmark::RegisterBenchmark((name + "/first").c_str(), body, runtimes[0]);
    benchmark::RegisterBenchmark((name + "/second").c_str(), body, runtimes[1]);
  };
  add("model", model);
  add("empty_and_delete", empty_and_delete);
  add("blob_and_delete", blob_and_delete);
  add("view_and_delete", view_and_delete);
  add("new_handle_and_delete", new_handle_and_delete);
  add("get_data_ptr", getter<&AotiShimTable::aoti_torch_get_data_ptr, void*>);
  add("get_dim", getter<&AotiShimTable::aoti_torch_get_dim, int64_t>);
  add("get_numel", getter<&AotiShimTable::aoti_torch_get_numel, int64_t>);
  add("get_sizes", getter<&AotiShimTable::aoti_torch_get_sizes, int64_t*>);
  add("get_strides", getter<&AotiShimTable::aoti_torch_get_strides, int64_t*>);
  add("get_storage_offset", getter<&AotiShimTable::aoti_torch_get_storage_offset, int64_t>);
  add("get_storage_size", getter<&AotiShimTable::aoti_torch_get_storage_size, int64_t>);
  add("get_dtype", getter<&AotiShimTable::aoti_torch_get_dtype, int32_t>);
  add("get_device_type", getter<&AotiShimTable::aoti_torch_get_device_type, int32_t>);
  add("get_device_index", getter<&AotiShimTable::aoti_torch_get_device_index, int32_t>);
  benchmark::RunSpecifiedBenchmarks();
  for (const AotiShimTable& runtime : runtimes) {
    require(
        runtime.aoti_cts_checked_findings == nullptr || runtime.aoti_cts_checked_findings() == 0,
        "the benchmark itself misuses a handle");
  }
  return 0;
}
