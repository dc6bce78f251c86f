// Time per call of the shims that a model makes most: two runtimes by turns, in one run.
//
//   ./dev bench calls
//
// Arguments: OURS.so PREFIX OTHERS.so PREFIX ("" for none). The first registers as name/ours, the
// second as name/theirs.
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
  const int64_t stride = 1;
  for ([[maybe_unused]] auto step : state) {
    AtenTensorHandle view = nullptr;
    require(shims.aoti_torch__reinterpret_tensor(source.handle, 1, &columns, &stride, columns,
                                                 &view) == 0,
            "_reinterpret_tensor failed");
    shims.aoti_torch_delete_tensor_object(view);
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
    std::fprintf(stderr, "usage: calls_bench OURS.so PREFIX THEIRS.so PREFIX\n");
    return 2;
  }
  const AotiShimTable ours = load(argv[1], argv[2]);
  const AotiShimTable theirs = load(argv[3], argv[4]);
  const auto add = [&](const char* name, void (*body)(benchmark::State&, const AotiShimTable&)) {
    benchmark::RegisterBenchmark((std::string(name) + "/ours").c_str(), body, ours);
    benchmark::RegisterBenchmark((std::string(name) + "/theirs").c_str(), body, theirs);
  };
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
  return 0;
}
