// What the ledger costs: the plain reference and the checked one by turns, on a model that makes
// many views, and on single shims.
//
//   ./dev bench checked
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

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "checked_bench: %s\n", what);
  std::exit(1);
}

AotiShimTable load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(library != nullptr, path);
  AotiShimTable table{};
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* address = dlsym(library, (std::string("executorch_") + row.name).c_str());
    std::memcpy(reinterpret_cast<char*>(&table) + row.slot, &address, sizeof address);
  }
  return table;
}

AtenTensorHandle matrix(const AotiShimTable& shims) {
  const int64_t sizes[] = {rows, columns};
  const int64_t strides[] = {columns, 1};
  AtenTensorHandle handle = nullptr;
  require(shims.aoti_torch_empty_strided(2, sizes, strides, shims.aoti_torch_dtype_float32(), 0, 0,
                                         &handle) == 0,
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

void end(const AotiShimTable& shims, AtenTensorHandle handle) {
  require(shims.aoti_torch_delete_tensor_object(handle) == 0, "delete failed");
}

/// y = 2 x + 1, a view of a row of either side at a time: 128 views and 1 new tensor.
void model(benchmark::State& state, const AotiShimTable& shims) {
  AtenTensorHandle x = matrix(shims);
  std::memset(data_of(shims, x), 0, rows * columns * sizeof(float));
  for ([[maybe_unused]] auto step : state) {
    AtenTensorHandle y = matrix(shims);
    for (int64_t row = 0; row < rows; ++row) {
      AtenTensorHandle from = row_of(shims, x, row);
      AtenTensorHandle to = row_of(shims, y, row);
      const float* in = data_of(shims, from);
      float* out = data_of(shims, to);
      for (int64_t i = 0; i < columns; ++i) out[i] = 2 * in[i] + 1;
      end(shims, from);
      end(shims, to);
    }
    end(shims, y);
  }
  end(shims, x);
}

void view_and_delete(benchmark::State& state, const AotiShimTable& shims) {
  AtenTensorHandle x = matrix(shims);
  for ([[maybe_unused]] auto step : state) end(shims, row_of(shims, x, 1));
  end(shims, x);
}

void get_data_ptr(benchmark::State& state, const AotiShimTable& shims) {
  AtenTensorHandle x = matrix(shims);
  for ([[maybe_unused]] auto step : state) benchmark::DoNotOptimize(data_of(shims, x));
  end(shims, x);
}

void empty_and_delete(benchmark::State& state, const AotiShimTable& shims) {
  for ([[maybe_unused]] auto step : state) end(shims, matrix(shims));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "usage: checked_bench PLAIN.so CHECKED.so, both of prefix executorch_\n");
    return 2;
  }
  const AotiShimTable plain = load(argv[1]);
  const AotiShimTable checked = load(argv[2]);
  const auto add = [&](const char* name, void (*body)(benchmark::State&, const AotiShimTable&)) {
    benchmark::RegisterBenchmark((std::string(name) + "/plain").c_str(), body, plain);
    benchmark::RegisterBenchmark((std::string(name) + "/checked").c_str(), body, checked);
  };
  add("model", model);
  add("view_and_delete", view_and_delete);
  add("get_data_ptr", get_data_ptr);
  add("empty_and_delete", empty_and_delete);
  benchmark::RunSpecifiedBenchmarks();
  require(checked.aoti_cts_checked_findings() == 0, "the benchmark itself misuses a handle");
  return 0;
}
