// See run.h. Memory of a program is made here, by the rules of the format: planned buffers on their
// devices, what is bound at run time, constants copied out of the file. Device memory comes from
// the runtime's own shims, and is reached by its copy_ alone.
#include "delegate/run.h"

#include <aoti_program/delegation.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

namespace aoti_cts::delegate_host {
namespace {

using blobs::Array;
using program::Program;

constexpr int32_t uint8_code = 0;
constexpr std::string_view device_setting = "device";

std::vector<int64_t> packed(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (std::size_t axis = sizes.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * std::max<int64_t>(sizes[axis], 1);
  }
  return strides;
}

/// "float32"; what arrays cannot hold as programs name it.
std::string dtype_text(int32_t code) {
  const auto* const type = blobs::find_element_type(code);
  if (type != nullptr) return std::string(type->name);
  const bool narrow = code >= 0 && code <= INT8_MAX;
  const char* const name = narrow ? program::scalar_type_name(static_cast<int8_t>(code)) : nullptr;
  return fmt::format("dtype {}{}{}", code, name == nullptr ? "" : " ", name == nullptr ? "" : name);
}

/// Memory of the program on hosts and devices, alive as long as this.
class Memory {
 public:
  explicit Memory(const AotiShimTable& shims) : shims_(shims) {}
  ~Memory() {
    for (AtenTensorHandle handle : on_devices_) shims_.aoti_torch_delete_tensor_object(handle);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Zeros on the host, undefined on a device. At least 16-byte aligned.
  void* make(uint64_t bytes, program::Device device) {
    if (device.type == 0) {
      return on_hosts_.emplace_back(bytes / sizeof(std::max_align_t) + 1).data();
    }
    const auto size = static_cast<int64_t>(bytes);
    const int64_t stride = 1;
    AtenTensorHandle handle = nullptr;
    check(shims_.aoti_torch_empty_strided(1, &size, &stride, uint8_code, device.type, device.index,
                                          &handle),
          fmt::format("empty_strided of {} bytes on {}", bytes, program::to_string(device)));
    on_devices_.push_back(handle);
    void* data = nullptr;
    check(shims_.aoti_torch_get_data_ptr(handle, &data), "get_data_ptr");
    return data;
  }

  /// Copies elements from one tensor to another of equal sizes, wherever they are.
  void copy(const Description& to, const Description& from) const {
    Borrowed target(shims_, to);
    Borrowed source(shims_, from);
    check(shims_.aoti_torch_copy_(target.handle, source.handle, 0), "copy_");
  }

  static void check(AOTITorchError code, const std::string& call) {
    if (code != 0) throw Error(fmt::format("the runtime's {} returned {}", call, code));
  }

 private:
  /// A tensor of the runtime for one copy.
  struct Borrowed {
    Borrowed(const AotiShimTable& table, const Description& what) : shims(table) {
      check(shims.aoti_torch_create_tensor_from_blob_v2(
                what.data, static_cast<int64_t>(what.sizes.size()), what.sizes.data(),
                what.strides.data(), 0, what.scalar_type, what.device_type, what.device_index,
                &handle, shims.aoti_torch_layout_strided(), nullptr, 0),
            "create_tensor_from_blob_v2");
    }
    ~Borrowed() { shims.aoti_torch_delete_tensor_object(handle); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    const AotiShimTable& shims;
    AtenTensorHandle handle = nullptr;
  };

  const AotiShimTable& shims_;
  std::deque<std::vector<std::max_align_t>> on_hosts_;
  std::vector<AtenTensorHandle> on_devices_;
};

/// One method, ready to run.
class Method {
 public:
  Method(const Request& request, const Plugin& plugin, const Program& program, uint32_t plan)
      : request_(request),
        plugin_(plugin),
        program_(program),
        plan_(program.plans[plan]),
        memory_(*request.shims),
        delegation_(program::read_delegation(request.file.data(), program, plan)) {
    for (uint32_t i = 0; i < plan_.buffers; ++i) {
      const program::Buffer& buffer = program.buffers[plan_.first_buffer + i];
      buffers_.push_back(memory_.make(buffer.bytes, buffer.device));
    }
    for (uint32_t i = 0; i < plan_.tensors; ++i) {
      const program::Tensor& tensor = program.tensors[plan_.first_tensor + i];
      planned_.emplace(tensor.value, describe(tensor));
    }
  }

  std::vector<Ran> run() {
    const std::vector<Array> inputs = bind_inputs();
    for (const auto& [value, description] : planned_) {
      tensors_.emplace(value, Tensor(plugin_, description));
    }
    std::deque<Delegate> delegates;
    for (const program::Delegate& from : delegation_.delegates) {
      try {
        delegates.push_back(load(from));
      } catch (const Error& error) {
        throw Error(fmt::format("delegate {}: {}", delegates.size(), error.what()));
      }
    }
    for (const program::Call& call : delegation_.calls) {
      std::vector<const Tensor*> arguments;
      for (const uint32_t value : call.arguments) arguments.push_back(&tensor(value));
      const std::string said = delegates[call.delegate].try_execute(arguments);
      if (!said.empty()) throw Error(fmt::format("delegate {}: {}", call.delegate, said));
    }
    std::vector<Ran> outputs;
    for (uint32_t i = 0; i < plan_.outputs; ++i) outputs.push_back(read(index(plan_.inputs + i)));
    return outputs;
  }

 private:
  uint32_t index(uint32_t i) const { return program_.indices[plan_.first_index + i]; }

  const Tensor& tensor(uint32_t value) const {
    const auto found = tensors_.find(value);
    if (found == tensors_.end()) throw Error(fmt::format("value {} is no tensor", value));
    return found->second;
  }

  /// A tensor in its memory, with the contents that the program gives it.
  Description describe(const program::Tensor& tensor) {
    const int32_t* const sizes = program_.sizes_of(tensor);
    const int64_t* const strides = program_.strides_of(tensor);
    Description what{tensor.scalar_type,
                     tensor.device.type,
                     std::max<int32_t>(tensor.device.index, 0),  // a CPU's is -1 in ATen mode
                     {sizes, sizes + tensor.rank},
                     {strides, strides + tensor.rank},
                     nullptr,
                     tensor.bytes};
    if (tensor.dynamism == program::Dynamism::unbounded) {
      throw Error(fmt::format("value {} has no bound to plan memory by", tensor.value));
    }
    if (tensor.where == program::Where::external) {
      throw Error(
          fmt::format("value {}: its data \"{}\" is in another file", tensor.value, tensor.name));
    }
    what.data = tensor.buffer != 0
                    ? reinterpret_cast<void*>(
                          reinterpret_cast<uintptr_t>(buffers_[tensor.buffer - 1]) + tensor.offset)
                    : memory_.make(tensor.bytes, tensor.device);
    const bool filled =
        tensor.where == program::Where::initial || tensor.where == program::Where::constant;
    if (filled && tensor.bytes > 0) {
      void* const host = memory_.make(tensor.bytes, {});
      std::memcpy(host, request_.file.data() + tensor.file_offset, tensor.bytes);
      Description source = what;
      source.device_type = 0;
      source.data = host;
      memory_.copy(what, source);
    }
    return what;
  }

  /// Gives the inputs their contents, and what is dynamic its sizes.
  std::vector<Array> bind_inputs() {
    std::vector<Array> arrays = request_.inputs ? *request_.inputs : random_inputs();
    if (arrays.size() != plan_.inputs) {
      throw Error(fmt::format("the method has {} inputs, given are {} arrays", plan_.inputs,
                              arrays.size()));
    }
    for (uint32_t i = 0; i < plan_.inputs; ++i) {
      const auto found = planned_.find(index(i));
      if (found == planned_.end()) throw Error(fmt::format("input {} is no tensor", i));
      bind(i, found->second, arrays[i]);
    }
    return arrays;
  }

  void bind(uint32_t number, Description& input, Array& array) {
    bool fits = input.scalar_type == array.type->code && input.sizes.size() == array.sizes.size();
    for (std::size_t axis = 0; fits && axis < input.sizes.size(); ++axis) {
      fits = dynamic(index(number)) ? array.sizes[axis] <= input.sizes[axis]
                                    : array.sizes[axis] == input.sizes[axis];
    }
    if (!fits) {
      throw Error(fmt::format("input {} is {}[{}], the method takes {}{}[{}]", number,
                              array.type->name, fmt::join(array.sizes, ","),
                              dynamic(index(number)) ? "at most " : "",
                              dtype_text(input.scalar_type), fmt::join(input.sizes, ",")));
    }
    if (input.sizes != array.sizes) {
      input.sizes = array.sizes;
      input.strides = packed(array.sizes);
    }
    if (array.bytes.empty()) return;
    memory_.copy(input, {input.scalar_type, 0, 0, array.sizes, packed(array.sizes),
                         array.bytes.data(), array.bytes.size()});
  }

  bool dynamic(uint32_t value) const {
    const auto first = program_.tensors.begin() + plan_.first_tensor;
    const auto found = std::find_if(first, first + plan_.tensors,
                                    [&](const auto& tensor) { return tensor.value == value; });
    return found->dynamism == program::Dynamism::bounded;
  }

  std::vector<Array> random_inputs() const {
    std::vector<std::string> parts;
    for (uint32_t i = 0; i < plan_.inputs; ++i) {
      const auto found = planned_.find(index(i));
      if (found == planned_.end()) throw Error(fmt::format("input {} is no tensor", i));
      const auto* const type = blobs::find_element_type(found->second.scalar_type);
      if (type == nullptr) throw Error(fmt::format("input {}: give it by --inputs F.npz", i));
      parts.push_back(fmt::format("{}[{}]", type->name, fmt::join(found->second.sizes, ",")));
    }
    if (parts.empty()) return {};
    return blobs::random_arrays(fmt::format("random:{}:{}", request_.seed, fmt::join(parts, ";")));
  }

  Delegate load(const program::Delegate& from) const {
    if (from.backend != plugin_.table().backend) {
      throw Error(fmt::format("the program names backend \"{}\", the plug-in is \"{}\"",
                              from.backend, plugin_.table().backend));
    }
    if (!plugin_.registered(true)) {
      throw Error(fmt::format("backend \"{}\" is not in the registry of {} mode", from.backend,
                              plugin_.mode()));
    }
    std::string device = "cpu";
    for (const program::Setting& setting : from.settings) {
      if (setting.key == device_setting) device = setting.value;
    }
    const auto* const first = reinterpret_cast<const uint8_t*>(from.payload.data());
    return {plugin_, {first, from.payload.size()}, request_.runtime, device};
  }

  Ran read(uint32_t value) const {
    const Description what = tensor(value).describe();
    Ran output;
    output.device = what.device_type == 0 ? "cpu" : fmt::format("cuda:{}", what.device_index);
    output.array.type = blobs::find_element_type(what.scalar_type);
    output.array.sizes = what.sizes;
    if (output.array.type == nullptr) {
      throw Error(
          fmt::format("value {} is {}, not known here", value, dtype_text(what.scalar_type)));
    }
    int64_t elements = 1;
    for (const int64_t size : what.sizes) elements *= size;
    output.array.bytes.resize(static_cast<std::size_t>(elements * output.array.type->size));
    if (elements > 0) {
      memory_.copy({what.scalar_type, 0, 0, what.sizes, packed(what.sizes),
                    output.array.bytes.data(), output.array.bytes.size()},
                   what);
    }
    return output;
  }

  const Request& request_;
  const Plugin& plugin_;
  const Program& program_;
  const program::Plan& plan_;
  Memory memory_;
  program::Delegation delegation_;
  std::vector<void*> buffers_;
  std::map<uint32_t, Description> planned_;  ///< by value; behind the memory that they describe
  std::map<uint32_t, Tensor> tensors_;
};

uint32_t find_method(const Program& program, const std::string& name) {
  for (uint32_t i = 0; i < program.plans.size(); ++i) {
    if (name.empty() || program.plans[i].name == name) return i;
  }
  throw Error(name.empty() ? "the program has no method"
                           : fmt::format("the program has no method \"{}\"", name));
}

}  // namespace

std::vector<Ran> run_program(const Request& request) {
  const Plugin plugin(request.plugin);
  program::Options options;
  options.mode = plugin.aten() ? program::Mode::aten : program::Mode::portable;
  Program program;
  program::Error refused;
  if (!program::parse(request.file.data(), request.file.size(), options, program, refused)) {
    throw Error(refused.text());
  }
  try {
    return Method(request, plugin, program, find_method(program, request.method)).run();
  } catch (const program::DelegationError& error) {
    throw Error(error.what());
  }
}

}  // namespace aoti_cts::delegate_host
