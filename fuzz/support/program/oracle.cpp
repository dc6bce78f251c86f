// See oracle.h.
#include "support/program/oracle.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/finding.h"
#include "support/hash.h"
#include "support/program/checker.h"
#include "support/program/objects.h"

#if defined(__SANITIZE_ADDRESS__)
#define AOTI_CTS_FUZZ_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AOTI_CTS_FUZZ_ASAN
#endif
#endif
#ifdef AOTI_CTS_FUZZ_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace aoti_cts::fuzz {
namespace {

using program::Code;
using program::Device;
using program::Error;
using program::Mode;
using program::Options;
using program::Program;
using program::Tensor;
using program::Where;

std::string text_of(const Reading& reading) {
  std::string text;
  for (const Device device : reading.tensors) text += to_string(device) + " ";
  text += "| buffers: ";
  for (const Device device : reading.buffers) text += to_string(device) + " ";
  return text;
}

bool same_devices(const Program& program, const Reading& reading) {
  const auto equal = [](const auto& items, const std::vector<Device>& devices) {
    return std::equal(items.begin(), items.end(), devices.begin(), devices.end(),
                      [](const auto& item, Device device) { return item.device == device; });
  };
  return equal(program.tensors, reading.tensors) && equal(program.buffers, reading.buffers);
}

Reading reading_of(const Program& program) {
  Reading reading;
  for (const Tensor& tensor : program.tensors) reading.tensors.push_back(tensor.device);
  for (const auto& buffer : program.buffers) reading.buffers.push_back(buffer.device);
  return reading;
}

bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.plan == b.plan && a.value == b.value && a.dims == b.dims && a.buffer == b.buffer &&
         a.bytes == b.bytes && a.offset == b.offset && a.name == b.name &&
         a.scalar_type == b.scalar_type && a.rank == b.rank && a.dynamism == b.dynamism &&
         a.where == b.where && a.device == b.device;
}

bool same_buffers(const Program& a, const Program& b) {
  return std::equal(
      a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(),
      [](const auto& x, const auto& y) { return x.bytes == y.bytes && x.device == y.device; });
}

bool same_plans(const Program& a, const Program& b) {
  return std::equal(a.plans.begin(), a.plans.end(), b.plans.begin(), b.plans.end(),
                    [](const auto& x, const auto& y) {
                      return x.name == y.name && x.values == y.values && x.inputs == y.inputs &&
                             x.outputs == y.outputs;
                    });
}

/// What differs between two readings of one program, or null. Where contents are in the file may
/// differ, what they are may not.
const char* difference(const Program& a, const uint8_t* file_a, const Program& b,
                       const uint8_t* file_b) {
  if (!same_plans(a, b) || a.indices != b.indices) return "methods";
  if (!same_buffers(a, b)) return "buffers";
  if (a.sizes != b.sizes || a.dim_order != b.dim_order || a.strides != b.strides) return "shapes";
  if (a.tensors.size() != b.tensors.size()) return "number of tensors";
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const Tensor& x = a.tensors[i];
    if (!same_tensor(x, b.tensors[i])) return "tensors";
    const bool in_file = x.where == Where::constant || x.where == Where::initial;
    if (in_file &&
        std::memcmp(file_a + x.file_offset, file_b + b.tensors[i].file_offset, x.bytes) != 0) {
      return "contents";
    }
  }
  return nullptr;
}

void round_trip(const uint8_t* data, size_t size, const Options& options, const Program& program) {
  auto objects = unpack(data, size);
  if (!objects) return;  // larger than what is unpacked
  const std::vector<uint8_t> again = pack(*objects);
  static Program other;
  Error error;
  if (!parse(again.data(), again.size(), options, other, error)) {
    finding("refused after a round trip", error.text());
  }
  const char* const what = difference(program, data, other, again.data());
  if (what != nullptr) finding("other after a round trip", what);
}

bool same_error(const Error& a, const Error& b) {
  return a.code == b.code && std::strcmp(a.clause, b.clause) == 0 && a.path == b.path &&
         a.value == b.value && a.want == b.want;
}

void walk(const uint8_t* data, size_t size, Options options, bool accepted, const Program& program,
          const Error& error) {
  options.flatbuffers_verifier = false;
  static Program walked;
  static Error walk_error;
  const bool walk_accepted = parse(data, size, options, walked, walk_error);
  if (accepted != walk_accepted || (!accepted && !same_error(error, walk_error))) {
    finding("verifier and walk differ", error.text() + " | " + walk_error.text());
  }
  const char* const what = difference(program, data, walked, data);
  if (what != nullptr) finding("verifier and walk read something else", what);
}

/// Whatever the parser says can be told: no name is missing, and an error names all it has to.
void told(bool accepted, const Program& program, const Error& error) {
  if (!accepted) {
    const bool named = std::strcmp(to_string(error.code), "?") != 0 && error.code != Code::Ok;
    const bool whole = *error.clause != '\0' && !error.path.empty() && !error.want.empty();
    const std::string text = error.text();
    const auto says = [&text](std::string_view part) { return text.find(part) != text.npos; };
    if (!named || !whole || !says(error.clause) || !says(error.path) || !says(error.want)) {
      finding("an error that does not say all", text);
    }
    return;
  }
  for (const Tensor& tensor : program.tensors) {
    if (std::strcmp(to_string(tensor.where), "?") == 0) {
      finding("a place without a name", std::to_string(static_cast<int>(tensor.where)));
    }
    if (program::scalar_type_name(tensor.scalar_type) == nullptr ||
        program::element_bytes(tensor.scalar_type) == 0) {
      finding("a scalar type without a name", std::to_string(tensor.scalar_type));
    }
    if (to_string(tensor.device).find("type") != std::string::npos) {
      finding("a device without a name", to_string(tensor.device));
    }
  }
}

/// Bytes at an aligned address, behind which AddressSanitizer sees a read: an engine's own, where
/// they are so already, or else a copy.
class Exact {
 public:
  Exact(const uint8_t* data, size_t size) : data_(data) {
    if (reinterpret_cast<uintptr_t>(data) % program::alignment == 0 && ends_in_poison(size)) return;
    copy_.assign(data, data + size);
    data_ = copy_.data();
  }
  const uint8_t* data() const { return data_; }

 private:
  [[nodiscard]] bool ends_in_poison([[maybe_unused]] size_t size) const {
#ifdef AOTI_CTS_FUZZ_ASAN
    return __asan_address_is_poisoned(data_ + size) != 0;
#else
    return true;  // nobody looks
#endif
  }
  const uint8_t* data_;
  std::vector<uint8_t> copy_;
};

/// What the second checker is told of the structure. The parser asked FlatBuffers' verifier before
/// any rule of its own, so that it is not asked again but for a hash-chosen eighth.
Structure structure_after(bool accepted, const Error& error, uint64_t hash) {
  const std::string_view clause = accepted ? "" : error.clause;
  const bool asked = clause != "PARSE.header" && clause != "PARSE.verifier";
  return asked && hash % 8 != 0 ? Structure::sound : Structure::unknown;
}

}  // namespace

void examine(const uint8_t* data, size_t size, Mode mode) {
  const Exact exact(data, size);
  data = exact.data();
  Options options;
  options.mode = mode;
  // Reused, as a loader would.
  static Program program;
  static Error error;
  static Reading want;
  const uint64_t hash = hash_of(data, size);
  const bool accepted = parse(data, size, options, program, error);
  const char* const broken = check(data, size, mode, structure_after(accepted, error, hash), want);
  if (accepted && broken != nullptr) finding("accepted, though a rule is broken", broken);
  if (!accepted && broken == nullptr) {
    finding("refused, though no rule is broken", error.text());
  }
  if (accepted && !same_devices(program, want)) {
    finding("other devices", text_of(reading_of(program)) + " || " + text_of(want));
  }
  if (hash % 64 == 2) told(accepted, program, error);
  if (hash % 64 == 1) walk(data, size, options, accepted, program, error);
  if (accepted && hash % 16 == 0) round_trip(data, size, options, program);
}

}  // namespace aoti_cts::fuzz
