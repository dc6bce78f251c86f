// Portable builder: from checked descriptions to a plain view of each tensor, for runtimes without
// libtorch. Adds pointers and decides nothing.
#pragma once

#include <functional>
#include <vector>

#include "aoti_program/program.h"

namespace aoti_cts::program {

/// A tensor as a portable runtime sees it. Arrays belong to the Program it was built from.
struct TensorView {
  uint32_t plan = 0;
  uint32_t value = 0;
  int8_t scalar_type = 0;
  uint8_t rank = 0;
  Dynamism dynamism = Dynamism::fixed;
  Device device;
  const int32_t* sizes = nullptr;
  const uint8_t* dim_order = nullptr;
  const int64_t* strides = nullptr;  ///< in elements; each fits 32 bits
  uint64_t bytes = 0;
  void* data = nullptr;  ///< null while unbound; on `device`, so not for the host to follow
  const void* initial =
      nullptr;  ///< contents that planned memory starts with, in the file, or null
};

/// Where a tensor's memory comes from.
struct Memory {
  const void* file = nullptr;  ///< the bytes that were parsed
  std::vector<void*> buffers;  ///< one for each of Program.buffers
  std::function<const void*(std::string_view name, uint64_t bytes)> external;  ///< may be empty
};

/// Address of a tensor's bytes, null where it is bound at run time. Reads nothing behind it.
void* address(const Program& program, const Tensor& tensor, const Memory& memory);

/// One view for each tensor, in the same order. `out`'s storage is reused.
void build_portable(const Program& program, const Memory& memory, std::vector<TensorView>& out);

}  // namespace aoti_cts::program
