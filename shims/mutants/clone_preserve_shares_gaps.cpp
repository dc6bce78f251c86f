// clause: TENSOR.clone-strides
// clone_preserve_strides reserves what the elements of a gapped tensor need without the gaps.
#include <array>
#include <cstddef>
#include <cstring>

#include "mutants/replace.h"

AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle self, AtenTensorHandle* ret) {
  // Memory that the mutant's copies follow one another in, so that nothing else is overwritten.
  static std::array<std::byte, 1 << 16> room;
  static std::size_t at = 0;
  const AOTITorchError error = ref_aoti_torch_clone_preserve_strides(self, ret);
  if (error != 0) return error;
  const aoti_reference::Tensor& made = aoti_reference::tensor_of(*ret, "ret");
  const auto bytes = static_cast<std::size_t>(made.storage()->bytes());
  if (extent(made.geometry()) <= made.numel() || bytes > room.size()) return 0;
  if (bytes > room.size() - at) at = 0;
  std::byte* const base = room.data() + at;
  std::memcpy(base, made.storage()->data(), bytes);
  const int64_t reserved = made.numel() * aoti_reference::item_size(made.dtype());
  at += (static_cast<std::size_t>(reserved) + 63) / 64 * 64;
  aoti_mutant::replace(
      ret, aoti_reference::Storage::borrow(made.device(), base, made.storage()->bytes()),
      made.dtype());
  return 0;
}
