// ExecuTorch 1.5.1's shipped runtime (libexecutorch.so of its wheel) as a parser plug-in, through
// its public C++ API alone: Program::load, method_meta, load_method. Portable mode only, as
// shipped.
//
// What it reports are a method's inputs and outputs, the values that the API hands out. A method is
// loaded with planned memory from the tool; the runtime itself is asked for each buffer's device.
#include <aoti_cts/parser.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace executorch::runtime;

/// External data from the tool: every name, as long as the tool knows its size.
class ExternalData final : public NamedDataMap {
 public:
  explicit ExternalData(const AotiCtsParserInput& input) : input_(input) {}
  Result<const TensorLayout> get_tensor_layout(std::string_view) const override {
    return Error::NotFound;
  }
  Result<FreeableBuffer> get_data(std::string_view key) const override {
    const void* data = input_.external == nullptr
                           ? nullptr
                           : input_.external(input_.context, std::string(key).c_str(), 0);
    if (data == nullptr) return Error::NotFound;
    return FreeableBuffer(data, 0, nullptr);
  }
  Error load_data_into(std::string_view, void*, size_t) const override { return Error::NotFound; }
  Result<uint32_t> get_num_keys() const override { return 0u; }
  Result<const char*> get_key(uint32_t) const override { return Error::InvalidArgument; }

 private:
  const AotiCtsParserInput& input_;
};

/// The runtime's arena: blocks that are freed with the program.
class Arena final : public MemoryAllocator {
 public:
  Arena() : MemoryAllocator(0, nullptr) {}
  void* allocate(size_t size, size_t alignment) override {
    if (size > limit) return nullptr;
    blocks_.push_back(std::make_unique<uint8_t[]>(size + alignment));
    const auto start = reinterpret_cast<uintptr_t>(blocks_.back().get());
    return reinterpret_cast<void*>((start + alignment - 1) / alignment * alignment);
  }

 private:
  static constexpr size_t limit = size_t{1} << 28;
  std::vector<std::unique_ptr<uint8_t[]>> blocks_;
};

struct Place {
  uint32_t method;
  int32_t named_by;
  uint32_t index;
};

struct Tensor {
  Place place;
  executorch::aten::Tensor tensor;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

/// A method and what it was loaded with; members in the order that destruction needs.
struct LoadedMethod {
  Arena arena;
  std::vector<Span<uint8_t>> spans;
  std::vector<etensor::Device> devices;
  std::optional<HierarchicalAllocator> planned;
  std::optional<MemoryManager> memory;
  std::optional<Method> method;
};

struct Loaded {
  std::unique_ptr<executorch::extension::BufferDataLoader> loader;
  std::optional<Program> program;
  std::vector<std::unique_ptr<LoadedMethod>> methods;
  std::vector<Tensor> tensors;
};

Error planned_memory(const MethodMeta& meta, uint32_t index, const AotiCtsParserInput& input,
                     LoadedMethod& out) {
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const auto bytes = meta.memory_planned_buffer_size(i);
    if (!bytes.ok()) return bytes.error();
    const auto device = meta.memory_planned_buffer_device(i);
    if (!device.ok()) return device.error();
    void* const base = input.allocate(input.context, index, static_cast<uint32_t>(i + 1),
                                      static_cast<uint64_t>(*bytes),
                                      static_cast<int32_t>(device->type()), device->index());
    if (base == nullptr) return Error::MemoryAllocationFailed;
    out.spans.emplace_back(static_cast<uint8_t*>(base), static_cast<size_t>(*bytes));
    out.devices.push_back(*device);
  }
  out.planned.emplace(Span<Span<uint8_t>>(out.spans.data(), out.spans.size()),
                      Span<const etensor::Device>(out.devices.data(), out.devices.size()));
  out.memory.emplace(&out.arena, &*out.planned);
  return Error::Ok;
}

void list_tensors(uint32_t index, int32_t named_by, const std::vector<EValue>& values,
                  Loaded& out) {
  for (uint32_t i = 0; i < values.size(); ++i) {
    if (!values[i].isTensor()) continue;
    Tensor& entry =
        out.tensors.emplace_back(Tensor{{index, named_by, i}, values[i].toTensor(), {}, {}});
    entry.sizes.assign(entry.tensor.sizes().begin(), entry.tensor.sizes().end());
    entry.strides.assign(entry.tensor.strides().begin(), entry.tensor.strides().end());
  }
}

Error load_method(uint32_t index, const AotiCtsParserInput& input, Loaded& out) {
  const auto name = out.program->get_method_name(index);
  if (!name.ok()) return name.error();
  const auto meta = out.program->method_meta(*name);
  if (!meta.ok()) return meta.error();
  auto loaded = std::make_unique<LoadedMethod>();
  if (const Error error = planned_memory(*meta, index, input, *loaded); error != Error::Ok)
    return error;
  const ExternalData external(input);
  auto method = out.program->load_method(*name, &*loaded->memory, nullptr, &external);
  if (!method.ok()) return method.error();
  loaded->method.emplace(std::move(*method));
  std::vector<EValue> values(loaded->method->inputs_size());
  if (const Error error = loaded->method->get_inputs(values.data(), values.size());
      error != Error::Ok) {
    return error;
  }
  list_tensors(index, AOTI_CTS_PARSER_BY_INPUT, values, out);
  values = std::vector<EValue>(loaded->method->outputs_size());
  if (const Error error = loaded->method->get_outputs(values.data(), values.size());
      error != Error::Ok) {
    return error;
  }
  list_tensors(index, AOTI_CTS_PARSER_BY_OUTPUT, values, out);
  out.methods.push_back(std::move(loaded));
  return Error::Ok;
}

Error load(const AotiCtsParserInput& input, Loaded& out) {
  out.loader = std::make_unique<executorch::extension::BufferDataLoader>(input.data, input.size);
  auto program =
      Program::load(out.loader.get(), input.verify != 0 ? Program::Verification::InternalConsistency
                                                        : Program::Verification::Minimal);
  if (!program.ok()) return program.error();
  out.program.emplace(std::move(*program));
  for (uint32_t i = 0; i < out.program->num_methods(); ++i) {
    if (const Error error = load_method(i, input, out); error != Error::Ok) return error;
  }
  return Error::Ok;
}

int32_t parse(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  runtime_init();
  auto loaded = std::make_unique<Loaded>();
  const Error result = load(*input, *loaded);
  error->code = static_cast<int32_t>(result);
  if (result == Error::Ok) *program = loaded.release();
  return error->code;
}

size_t tensors(void* program) { return static_cast<Loaded*>(program)->tensors.size(); }

int32_t tensor(void* program, size_t index, AotiCtsParserTensor* out) {
  const Tensor& entry = static_cast<Loaded*>(program)->tensors.at(index);
  out->method = entry.place.method;
  out->named_by = entry.place.named_by;
  out->index = entry.place.index;
  const etensor::Device device = entry.tensor.unsafeGetTensorImpl()->device();
  out->device_type = out->storage_device_type = out->key_device_type =
      static_cast<int32_t>(device.type());
  out->device_index = out->storage_device_index = device.index();
  out->scalar_type = static_cast<int32_t>(entry.tensor.scalar_type());
  out->rank = static_cast<uint32_t>(entry.sizes.size());
  out->sizes = entry.sizes.data();
  out->strides = entry.strides.data();
  out->data = entry.tensor.mutable_data_ptr();
  return 0;
}

int32_t set_data(void* program, size_t index, void* data, size_t bytes) {
  const Tensor& entry = static_cast<Loaded*>(program)->tensors.at(index);
  if (bytes < entry.tensor.nbytes()) return static_cast<int32_t>(Error::InvalidArgument);
  entry.tensor.unsafeGetTensorImpl()->set_data(data);
  return 0;
}

void free_program(void* program) { delete static_cast<Loaded*>(program); }

}  // namespace

const AotiCtsParser* aoti_cts_parser() {
  static constexpr AotiCtsParser table = {sizeof(AotiCtsParser),
                                          AOTI_CTS_PARSER_VERSION,
                                          1u << AOTI_CTS_PARSER_PORTABLE,
                                          "ExecuTorch 1.5.1, portable",
                                          parse,
                                          tensors,
                                          tensor,
                                          set_data,
                                          free_program,
                                          16};
  return &table;
}
