// Section DEV: what holds of devices on a machine that has none but the CPU. The rows that need an
// accelerator are in device_cuda.cpp.
//
// Run alone: aoti-cts check --select 'DEV.*'; success prints one PASS line for each clause.
//
// Tensors are made here through every shim that takes a device; what a shim answers is put into one
// word, so that a report tells an error from a tensor that landed elsewhere.
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "suite/cuda.h"

namespace aoti_cts::suite {
namespace {

/// A device as the shims take it.
struct Device {
  int32_t type;
  int32_t index;
};

/// A shim that makes a tensor on a device.
enum class Maker { EmptyStrided, Pinned, FromBlob, FromBlobV2 };
constexpr Maker kMakers[] = {Maker::EmptyStrided, Maker::FromBlob, Maker::FromBlobV2,
                             Maker::Pinned};
/// Those that make a tensor on the device they are told; pinned memory is the host's.
constexpr Maker kPlacing[] = {Maker::EmptyStrided, Maker::FromBlob, Maker::FromBlobV2};

const char* name_of(Maker maker) {
  switch (maker) {
    case Maker::EmptyStrided:
      return "empty_strided";
    case Maker::Pinned:
      return "empty_strided_pinned";
    case Maker::FromBlob:
      return "from_blob";
    case Maker::FromBlobV2:
      return "from_blob_v2";
  }
  return "?";
}

/// The geometry that every tensor of this file has.
const Geometry& shape() {
  static const Geometry geometry{"", {2, 3}, {3, 1}, 0};
  return geometry;
}

/// Memory for the from_blob shims; outlives every tensor of a case.
std::byte* blob() {
  static Memory memory(shape(), float32());
  return memory.data();
}

AOTITorchError make(Case& c, Maker maker, Device device, AtenTensorHandle* out) {
  const int64_t ndim = shape().rank();
  const int64_t* sizes = shape().sizes.data();
  const int64_t* strides = shape().strides.data();
  const int32_t code = float32().code;
  switch (maker) {
    case Maker::EmptyStrided:
      return SHIM(aoti_torch_empty_strided)(ndim, sizes, strides, code, device.type, device.index,
                                            out);
    case Maker::Pinned:
      return SHIM(aoti_torch_empty_strided_pinned)(ndim, sizes, strides, code, device.type,
                                                   device.index, out);
    case Maker::FromBlob:
      return SHIM(aoti_torch_create_tensor_from_blob)(blob(), ndim, sizes, strides, int64_t{0},
                                                      code, device.type, device.index, out);
    case Maker::FromBlobV2:
      return SHIM(aoti_torch_create_tensor_from_blob_v2)(blob(), ndim, sizes, strides, int64_t{0},
                                                         code, device.type, device.index, out,
                                                         layout_strided, nullptr, int64_t{0});
  }
  return 1;
}

const char* const kError = "an error code";

std::string tensor_on(int32_t type) { return fmt::format("a tensor on device type {}", type); }

/// What a shim answers when asked for a tensor on a device, in words. Success that wrote no tensor
/// counts as the error that the runtime lost on its way: it fails TENSOR.error-leaves-out.
std::string answer(Case& c, Maker maker, Device device) {
  AtenTensorHandle handle = nullptr;
  if (make(c, maker, device, &handle) != 0 || handle == nullptr) return kError;
  return tensor_on(get_device_type(c, handle));
}

/// Ends the case where pinned memory is made for an accelerator: such a runtime looks at no device
/// here and fails TENSOR.pinned-device.
void judges_device(Case& c, Maker maker) {
  if (maker == Maker::Pinned && answer(c, maker, {device_cuda, 0}) != kError) {
    c.skip("empty_strided_pinned takes an accelerator for a device, see TENSOR.pinned-device");
  }
}

std::string asked(Maker maker, Device device) {
  return fmt::format("{} on device type {} index {}", name_of(maker), device.type, device.index);
}

Tensor cpu_tensor(Case& c, Maker maker, int32_t index) {
  return make_tensor(c, asked(maker, {device_cpu, index}), [&](AtenTensorHandle* out) {
    return make(c, maker, {device_cpu, index}, out);
  });
}

/// Text of a number as part of a case name.
std::string named(int64_t number) {
  return number < 0 ? fmt::format("minus_{}", -number) : std::to_string(number);
}

// ------------------------------------------------------------------------------ DEV.cpu-unindexed

void accept_cpu_index(Case& c, Maker maker, int32_t index) {
  const Tensor tensor = cpu_tensor(c, maker, index);
  HAVE_WANT_AS("reported device type", get_device_type(c, tensor.get()), device_cpu);
  const int32_t reported = get_device_index(c, tensor.get());
  HAVE_WANT_AS(fmt::format("the reported index {} is -1 or 0", reported),
               reported == -1 || reported == 0, true);
}

/// Whatever one says of itself, the other does too.
void indices_behave_alike(Case& c, Maker maker) {
  const Tensor zero = cpu_tensor(c, maker, 0);
  const Tensor none = cpu_tensor(c, maker, -1);
  const int64_t rank = shape().rank();
  HAVE_WANT(get_dim(c, zero.get()), get_dim(c, none.get()));
  HAVE_WANT(get_sizes(c, zero.get(), rank), get_sizes(c, none.get(), rank));
  HAVE_WANT(get_strides(c, zero.get(), rank), get_strides(c, none.get(), rank));
  HAVE_WANT(get_numel(c, zero.get()), get_numel(c, none.get()));
  HAVE_WANT(get_dtype(c, zero.get()), get_dtype(c, none.get()));
  HAVE_WANT(get_storage_offset(c, zero.get()), get_storage_offset(c, none.get()));
  HAVE_WANT(get_storage_size(c, zero.get()), get_storage_size(c, none.get()));
  HAVE_WANT(get_device_index(c, zero.get()), get_device_index(c, none.get()));
}

void copy_between_indices(Case& c, int32_t from, int32_t to) {
  const Tensor source = cpu_tensor(c, Maker::EmptyStrided, from);
  const Tensor target = cpu_tensor(c, Maker::EmptyStrided, to);
  fill(get_data_ptr(c, source.get()), shape(), float32(), 1);
  fill(get_data_ptr(c, target.get()), shape(), float32(), 50);
  NEED(SHIM(aoti_torch_copy_)(target.get(), source.get(), 0), 0);
  HAVE_WANT_AS("values copied", read(get_data_ptr(c, target.get()), shape(), float32()),
               patterns(float32(), numel(shape().sizes), 1));
}

// ------------------------------------------------------------------------------- DEV.unknown-type

/// True where the candidate exports the getter of a device type, and so may support it.
bool may_support(Case& c, int32_t type) {
  switch (type) {
    case 12:
      return c.has(&AotiShimTable::aoti_torch_device_type_xpu);
    case 13:
      return c.has(&AotiShimTable::aoti_torch_device_type_mps);
    case 14:
      return c.has(&AotiShimTable::aoti_torch_device_type_meta);
    case 20:
      return c.has(&AotiShimTable::aoti_torch_device_type_privateuse1);
    default:
      return false;
  }
}

void unknown_type(Case& c, Maker maker, Device device) {
  judges_device(c, maker);
  const std::string have = answer(c, maker, device);
  const bool supported = may_support(c, device.type) && have == tensor_on(device.type);
  HAVE_WANT_AS(asked(maker, device), have, supported ? have : kError);
}

/// Codes that libtorch has a name for, CPU and CUDA aside: one case each.
constexpr int32_t kFirstNamed = 2;
constexpr int32_t kLastNamed = 20;

void add_unknown_types(CaseList& cases, Maker maker) {
  cases.add(fmt::format("{}_type_minus_1", name_of(maker)), [maker](Case& c) {
    unknown_type(c, maker, {-1, -1});
  });
  for (int32_t type = kFirstNamed; type <= kLastNamed; ++type) {
    cases.add(fmt::format("{}_type_{}", name_of(maker), type), [maker, type](Case& c) {
      for (const int32_t index : {0, -1}) unknown_type(c, maker, {type, index});
    });
  }
  for (const auto& [first, last] : {std::pair{-128, -2}, std::pair{kLastNamed + 1, 127}}) {
    cases.add(fmt::format("{}_types_{}_to_{}", name_of(maker), named(first), named(last)),
              [maker, first = first, last = last](Case& c) {
                for (int32_t type = first; type <= last; ++type) unknown_type(c, maker, {type, 0});
              });
  }
}

// --------------------------------------------------------------------------------- DEV.type-width

/// Types whose low 8, 16 or 24 bits say CPU or CUDA.
constexpr int32_t kWideTypes[] = {256,
                                  257,
                                  512,
                                  513,
                                  -256,
                                  -255,
                                  0x7F00,
                                  0x7F01,
                                  0x10000,
                                  0x10001,
                                  -0x10000,
                                  -0xFFFF,
                                  0x01000000,
                                  0x01000001,
                                  0x7FFFFF00,
                                  0x7FFFFF01,
                                  std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::min() + 1};

void wide_type(Case& c, Maker maker, int32_t type) {
  judges_device(c, maker);
  HAVE_WANT_AS(asked(maker, {type, 0}), answer(c, maker, {type, 0}), std::string(kError));
}

/// Indices whose low 8 or 16 bits say 0 or -1.
constexpr int32_t kWideIndices[] = {255,
                                    256,
                                    -256,
                                    0xFFFF,
                                    0x10000,
                                    -0x10000,
                                    0x1000000,
                                    0x00FFFFFF,
                                    std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max()};

/// A CPU index is ignored or judged. A runtime that judges it, and so refuses 2, has to refuse
/// those that only a narrower type turns into 0 or -1.
void wide_cpu_index(Case& c, Maker maker, int32_t index) {
  const bool ignores = answer(c, maker, {device_cpu, 2}) != kError;
  const std::string have = answer(c, maker, {device_cpu, index});
  HAVE_WANT_AS(asked(maker, {device_cpu, index}), have,
               ignores ? tensor_on(device_cpu) : std::string(kError));
}

// ----------------------------------------------------------------------------------- DEV.preserve

/// A shim that makes a tensor of a tensor.
struct Derivation {
  const char* name;
  Tensor (*derive)(Case& c, AtenTensorHandle self);
};

Tensor derive_view(Case& c, AtenTensorHandle self) { return view(c, self, shape()); }

Tensor derive_clone(Case& c, AtenTensorHandle self) {
  return make_tensor(c, "clone",
                     [&](AtenTensorHandle* out) { return SHIM(aoti_torch_clone)(self, out); });
}

Tensor derive_clone_preserve_strides(Case& c, AtenTensorHandle self) {
  return make_tensor(c, "clone_preserve_strides", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_clone_preserve_strides)(self, out);
  });
}

Tensor derive_new_handle(Case& c, AtenTensorHandle self) {
  return make_tensor(c, "new_tensor_handle", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_new_tensor_handle)(self, out);
  });
}

Tensor derive_assigned(Case& c, AtenTensorHandle self) {
  return make_tensor(c, "assign_tensors_out", [&](AtenTensorHandle* out) {
    return SHIM(aoti_torch_assign_tensors_out)(self, out);
  });
}

constexpr Derivation kDerivations[] = {{"view", derive_view},
                                       {"clone", derive_clone},
                                       {"clone_preserve_strides", derive_clone_preserve_strides},
                                       {"new_handle", derive_new_handle},
                                       {"assigned", derive_assigned}};

/// Derives three times in a row; the source's own answers are the measure, as the clause is about
/// what is kept.
void device_is_kept(Case& c, Maker maker, const Derivation& derivation) {
  std::vector<Tensor> chain;
  chain.push_back(cpu_tensor(c, maker, -1));
  const int32_t index = get_device_index(c, chain.back().get());
  for (int link = 1; link <= 3; ++link) {
    chain.push_back(derivation.derive(c, chain.back().get()));
    AtenTensorHandle derived = chain.back().get();
    HAVE_WANT_AS("device type of the derived tensor", get_device_type(c, derived), device_cpu);
    HAVE_WANT_AS("device index of the derived tensor", get_device_index(c, derived), index);
  }
}

// ---------------------------------------------------------------------------------- DEV.no-device

/// With the devices hidden before the candidate has looked for any, there is none.
void no_device(Case& c, Maker maker, int32_t index) {
  hide_devices();
  const std::string have = answer(c, maker, {device_cuda, index});
  if (have == tensor_on(device_cuda) && access("/dev/nvidiactl", F_OK) == 0) {
    c.skip("this machine has a device, and the candidate found it before it could be hidden");
  }
  HAVE_WANT_AS(asked(maker, {device_cuda, index}), have, std::string(kError));
}

}  // namespace

CLAUSE_CASES(DEV, cpu_unindexed) {
  for (const Maker maker : kPlacing) {
    for (const int32_t index : {0, -1}) {
      cases.add(fmt::format("{}_index_{}", name_of(maker), named(index)),
                [maker, index](Case& c) { accept_cpu_index(c, maker, index); });
    }
    cases.add(fmt::format("{}_alike", name_of(maker)),
              [maker](Case& c) { indices_behave_alike(c, maker); });
  }
  cases.add("copy_from_0_to_minus_1", [](Case& c) { copy_between_indices(c, 0, -1); });
  cases.add("copy_from_minus_1_to_0", [](Case& c) { copy_between_indices(c, -1, 0); });
}

CLAUSE_CASES(DEV, cpu_index) {
  for (const int32_t index : {0, -1}) {
    cases.add(fmt::format("asked_for_{}", named(index)), [index](Case& c) {
      const Tensor tensor = cpu_tensor(c, Maker::EmptyStrided, index);
      c.saw(fmt::format("index {} reported for a CPU tensor made with index {}",
                        get_device_index(c, tensor.get()), index));
    });
  }
}

CLAUSE_CASES(DEV, unknown_type) {
  for (const Maker maker : kMakers) add_unknown_types(cases, maker);
}

CLAUSE_CASES(DEV, type_width) {
  for (const Maker maker : kMakers) {
    for (const int32_t type : kWideTypes) {
      cases.add(fmt::format("{}_type_{}", name_of(maker), named(type)),
                [maker, type](Case& c) { wide_type(c, maker, type); });
    }
  }
  for (const Maker maker : kPlacing) {
    for (const int32_t index : kWideIndices) {
      cases.add(fmt::format("{}_cpu_index_{}", name_of(maker), named(index)),
                [maker, index](Case& c) { wide_cpu_index(c, maker, index); });
    }
  }
}

CLAUSE_CASES(DEV, preserve) {
  for (const Maker maker : {Maker::EmptyStrided, Maker::FromBlob}) {
    for (const Derivation& derivation : kDerivations) {
      cases.add(fmt::format("{}_of_{}", derivation.name, name_of(maker)),
                [maker, &derivation](Case& c) { device_is_kept(c, maker, derivation); });
    }
  }
}

CLAUSE_CASES(DEV, no_device) {
  for (const Maker maker : kPlacing) {
    for (const int32_t index : {0, 1, -1}) {
      cases.add(fmt::format("{}_index_{}", name_of(maker), named(index)),
                [maker, index](Case& c) { no_device(c, maker, index); });
    }
  }
}

}  // namespace aoti_cts::suite
