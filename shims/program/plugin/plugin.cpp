// The reference parser behind the plug-in interface: everything but the tensors themselves.
#include "program/plugin/plugin.h"

#include <algorithm>
#include <cstring>

namespace aoti_cts::program::plugin {

void set_error(AotiCtsParserError& error, int32_t code, std::string_view message) {
  error.code = code;
  const size_t length = std::min(message.size(), sizeof(error.message) - 1);
  std::memcpy(error.message, message.data(), length);
  error.message[length] = '\0';
}

int32_t load(const AotiCtsParserInput& input, Sabotage* sabotage, Loaded& loaded,
             AotiCtsParserError& error) {
  Options options;
  options.mode = input.mode == AOTI_CTS_PARSER_ATEN ? Mode::aten : Mode::portable;
  options.flatbuffers_verifier = input.verify != 0;
  options.sabotage = sabotage;
  Error refused;
  Program& program = loaded.program;
  if (!parse(input.data, input.size, options, program, refused)) {
    set_error(error, static_cast<int32_t>(refused.code), refused.text());
    return error.code;
  }
  loaded.described();
  Memory memory;
  memory.file = input.data;
  for (uint32_t method = 0; method < program.plans.size(); ++method) {
    const Plan& plan = program.plans[method];
    for (uint32_t i = 0; i < plan.buffers; ++i) {
      const Buffer& buffer = program.buffers[plan.first_buffer + i];
      void* const base = input.allocate(input.context, method, i + 1, buffer.bytes,
                                        buffer.device.type, buffer.device.index);
      if (base == nullptr) {
        set_error(error, static_cast<int32_t>(Code::MemoryAllocationFailed),
                  "the host has no memory for planned buffer " + std::to_string(i + 1) + " of " +
                      std::to_string(buffer.bytes) + " bytes");
        return error.code;
      }
      memory.buffers.push_back(base);
    }
  }
  memory.external = [&input](std::string_view name, uint64_t bytes) {
    return input.external == nullptr
               ? nullptr
               : input.external(input.context, std::string(name).c_str(), bytes);
  };
  loaded.sizes.assign(program.sizes.begin(), program.sizes.end());
  return loaded.build(memory, error) ? 0 : error.code;
}

void describe_common(const Loaded& loaded, size_t index, AotiCtsParserTensor& out) {
  const Tensor& tensor = loaded.program.tensors[index];
  out.method = tensor.plan;
  out.named_by = AOTI_CTS_PARSER_BY_VALUE;
  out.index = tensor.value;
  // NOLINTBEGIN(bugprone-signed-char-misuse,cert-str34-c): codes with a sign, which they keep
  out.scalar_type = tensor.scalar_type;
  // NOLINTEND(bugprone-signed-char-misuse,cert-str34-c)
  out.rank = tensor.rank;
  out.sizes = loaded.sizes.data() + tensor.dims;
  out.strides = loaded.program.strides_of(tensor);
}

bool PortableLoaded::build(const Memory& memory, AotiCtsParserError& /*error*/) {
  build_portable(program, memory, views);
  return true;
}

bool PortableLoaded::describe(size_t index, AotiCtsParserTensor& out) {
  describe_common(*this, index, out);
  const TensorView& view = views[index];
  // NOLINTBEGIN(bugprone-signed-char-misuse,cert-str34-c): codes with a sign, which they keep
  out.device_type = out.storage_device_type = out.key_device_type = view.device.type;
  out.device_index = out.storage_device_index = view.device.index;
  // NOLINTEND(bugprone-signed-char-misuse,cert-str34-c)
  out.data = view.data;
  return true;
}

bool PortableLoaded::set_data(size_t index, void* data, size_t bytes) {
  if (bytes < views[index].bytes) return false;
  views[index].data = data;
  return true;
}

size_t tensors(void* program) { return static_cast<Loaded*>(program)->program.tensors.size(); }

int32_t tensor(void* program, size_t index, AotiCtsParserTensor* out) {
  auto& loaded = *static_cast<Loaded*>(program);
  const bool ok = index < loaded.program.tensors.size() && loaded.describe(index, *out);
  return ok ? 0 : static_cast<int32_t>(Code::InvalidArgument);
}

int32_t set_data(void* program, size_t index, void* data, size_t bytes) {
  auto& loaded = *static_cast<Loaded*>(program);
  const bool ok = index < loaded.program.tensors.size() && loaded.set_data(index, data, bytes);
  return ok ? 0 : static_cast<int32_t>(Code::InvalidArgument);
}

void free_program(void* program) { delete static_cast<Loaded*>(program); }

}  // namespace aoti_cts::program::plugin
