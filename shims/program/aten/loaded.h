// The reference in ATen mode behind the plug-in interface; a header, so that the mutant over real
// libtorch shares it.
#pragma once

#include <c10/core/TensorOptions.h>

#include "program/aten/aten.h"
#include "program/plugin/plugin.h"

namespace aoti_cts::program::plugin {

class AtenLoaded : public Loaded {
 public:
  bool build(const Memory& memory, AotiCtsParserError& error) override {
    try {
      made = build_aten(program, memory);
      return true;
    } catch (const std::exception& thrown) {  // ATen's own errors never leave the interface
      set_error(error, static_cast<int32_t>(Code::InvalidProgram), thrown.what());
      return false;
    }
  }

  bool describe(size_t index, AotiCtsParserTensor& out) override {
    describe_common(*this, index, out);
    const at::Tensor& tensor = made[index];
    const at::Device storage = tensor.storage().device();
    out.device_type = static_cast<int32_t>(tensor.device().type());
    out.device_index = tensor.device().index();
    out.storage_device_type = static_cast<int32_t>(storage.type());
    out.storage_device_index = storage.index();
    const c10::DispatchKey key = c10::legacyExtractDispatchKey(tensor.key_set());
    out.key_device_type = static_cast<int32_t>(c10::dispatchKeyToDeviceType(key));
    out.rank = static_cast<uint32_t>(tensor.dim());
    out.sizes = tensor.sizes().data();
    out.strides = tensor.strides().data();
    out.data = tensor.storage().mutable_data();
    return true;
  }

  bool set_data(size_t index, void* data, size_t bytes) override {
    if (bytes < program.tensors[index].bytes) return false;
    program::set_data(made[index], data);
    return true;
  }

  std::vector<at::Tensor> made;
};

/// The interface's table for a Loaded in ATen mode.
template <class T>
const AotiCtsParser* aten_table(const char* name) {
  static const AotiCtsParser table = {
      sizeof(AotiCtsParser),
      AOTI_CTS_PARSER_VERSION,
      1u << AOTI_CTS_PARSER_ATEN,
      name,
      [](const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
        return parse_into<T>(input, nullptr, program, error);
      },
      tensors,
      tensor,
      plugin::set_data,
      free_program,
      alignment};
  return &table;
}

}  // namespace aoti_cts::program::plugin
