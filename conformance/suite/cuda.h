// The CUDA runtime that the candidate runs on, for cases of the profiles cuda and cuda_ops.
//
// Nothing here links CUDA: the runner finds the library that the candidate brought in, or the
// virtual one that it loaded first, and sets active_cuda. Cases call CUDA for what they have to
// know beside the shims (which device is current, what is in device memory) and for what they hand
// to them (a stream); the shims are judged by that and never by themselves.
#pragma once

#include <string>

#include "suite/tensor_util.h"
#include "virtual_cuda/table.h"

namespace aoti_cts::suite {

namespace cu = aoti_cts::vcuda;

/// What there is of CUDA in this process.
struct CudaAccess {
  cu::Table table;      ///< nulls where `missing` is set
  std::string missing;  ///< why there is none, as the reason of a SKIP; empty where there is one
};

/// Set by the runner in the process that runs cases, before the first of them.
inline const CudaAccess* active_cuda = nullptr;

/// The CUDA runtime; ends the case with SKIP where there is none, or where it has no device.
const cu::Table& cuda(Case& c);
/// The same, and SKIP on a real device: for what only the virtual one can show.
const cu::Table& virtual_cuda(Case& c);

/// Devices that there are.
int32_t device_count(Case& c);
/// Ends the case with SKIP where there are fewer.
void need_devices(Case& c, int32_t count);
/// The index of the device that is current in this thread.
int32_t current_device(Case& c);
/// The last device: not the first, where there is more than one.
int32_t last_device(Case& c);

/// Makes a device current for a scope, past the shims.
class OnDevice {
 public:
  OnDevice(Case& c, int32_t index);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  const cu::Table& cuda_;
  int before_ = 0;
};

/// A stream of the device that is current, destroyed at the end after its work is done.
class Stream {
 public:
  explicit Stream(Case& c);
  ~Stream();
  Stream(Stream&& other) noexcept
      : cuda_(other.cuda_), stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&&) = delete;
  cu::cudaStream_t get() const { return stream_; }

 private:
  const cu::Table* cuda_;
  cu::cudaStream_t stream_ = nullptr;
};

/// Memory that CUDA allocated, on the device that is current or page-locked on the host.
class CudaMemory {
 public:
  enum class Kind { Device, Pinned };
  CudaMemory(Case& c, int64_t bytes, Kind kind = Kind::Device);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  const cu::Table& cuda_;
  Kind kind_;
  int device_ = 0;
  void* data_ = nullptr;
};

/// Owns a guard of the candidate's, and deletes it. The handles are those of the two kinds of
/// guard.
class Guard {
 public:
  static Guard device(Case& c, int32_t index);
  static Guard stream(Case& c, cu::cudaStream_t stream, int32_t index);
  Guard(Guard&& other) noexcept
      : case_(other.case_),
        device_(std::exchange(other.device_, nullptr)),
        stream_(std::exchange(other.stream_, nullptr)) {}
  Guard& operator=(Guard&&) = delete;
  ~Guard() { reset(); }
  CUDAGuardHandle get() const { return device_; }
  void reset();

 private:
  explicit Guard(Case& c) : case_(&c) {}
  Case* case_;
  CUDAGuardHandle device_ = nullptr;
  CUDAStreamGuardHandle stream_ = nullptr;
};

/// A new tensor on a CUDA device, by empty_strided; the geometry's offset is not used. Like the
/// guards above it ends the case with SKIP where there is no CUDA runtime or no device.
Tensor on_cuda(Case& c, const Geometry& geometry, const DType& type, int32_t index);

/// Writes pattern(type, seed + i) into the elements of a device tensor of this geometry, past the
/// shims; `first` is what get_data_ptr gives. The gaps become 0xA5.
void fill_device(Case& c, std::byte* first, const Geometry& geometry, const DType& type,
                 int64_t seed = 0);
/// All elements of a device tensor in logical order, past the shims.
std::vector<uint64_t> read_device(Case& c, const std::byte* first, const Geometry& geometry,
                                  const DType& type);

/// The device that an address of device memory is on, or -1 where it is none.
int32_t device_of(Case& c, const void* ptr);

/// Leaves the candidate without a device: virtual ones are taken away, real ones hidden, which
/// works where it has not yet looked for any.
void hide_devices(bool driver = true);

/// What is alive on the virtual device.
aoti_cts_vcuda_live live(Case& c, int32_t device = -1);

}  // namespace aoti_cts::suite
