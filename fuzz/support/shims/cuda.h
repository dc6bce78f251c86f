// The virtual CUDA device (conformance/virtual_cuda) as the model of shim calls needs it: device
// memory read and written past the runtime under test, faults, and what the device saw.
#pragma once

#include <cstdint>
#include <string>

#include "virtual_cuda/table.h"

namespace aoti_cts::fuzz {

class VirtualCuda {
 public:
  /// Takes a libcudart that dlopen() gave. One that is not the virtual one is refused: see
  /// missing().
  explicit VirtualCuda(void* library) : table_(vcuda::load_table(library)) {}
  bool missing() const { return !table_.is_virtual(); }
  const vcuda::Table& table() const { return table_; }

  static constexpr int devices = 2;

  int current() const {
    int device = -1;
    table_.cudaGetDevice(&device);
    return device;
  }

  /// Waits for all work of every device, and leaves the current one as it is.
  void synchronize() const {
    const int before = current();
    for (int device = 0; device < devices; ++device) {
      table_.cudaSetDevice(device);
      table_.cudaDeviceSynchronize();
    }
    table_.cudaSetDevice(before);
  }

  bool owns(const void* at) const { return table_.device_of(reinterpret_cast<uintptr_t>(at)) >= 0; }
  bool read(const uint8_t* at, uint8_t* to, size_t bytes) const {
    return table_.peek(to, reinterpret_cast<uintptr_t>(at), bytes) == 0;
  }
  bool write(uint8_t* at, const uint8_t* from, size_t bytes) const {
    return table_.poke(reinterpret_cast<uintptr_t>(at), from, bytes) == 0;
  }

  /// From here to disarm() one CUDA call of the runtime fails.
  void arm(const std::string& fault) {
    table_.fault_inside_only(1);
    table_.fault(fault.c_str(), nullptr, 0);
    first_call_ = table_.call_count() + 1;
    table_.enter("shim");
  }

  struct Struck {
    bool failed = false;     ///< the fault struck
    bool recovered = false;  ///< and the runtime made the call again with success
  };
  Struck disarm() {
    table_.enter(nullptr);
    Struck struck{table_.faults_struck() > 0, false};
    std::string function;
    aoti_cts_vcuda_call call;
    for (uint64_t i = first_call_; struck.failed && table_.get_call(i, &call) == 0; ++i) {
      if (call.injected != 0) {
        function = call.function;
      } else if (function == call.function && call.error == 0) {
        struck.recovered = true;
      }
    }
    table_.fault(nullptr, nullptr, 0);
    return struck;
  }

  /// Device and page-locked allocations that live.
  int64_t live() const {
    aoti_cts_vcuda_live live{};
    table_.get_live(-1, &live);
    return live.device_allocations + live.pinned_allocations;
  }

 private:
  vcuda::Table table_;
  uint64_t first_call_ = 0;
};

}  // namespace aoti_cts::fuzz
