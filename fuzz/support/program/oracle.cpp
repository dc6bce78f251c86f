// See oracle.h.
#include "support/program/oracle.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "support/finding.h"
#include "support/hash.h"
#include "support/program/checker.h"
#include "support/program/objects.h"

namespace aoti_cts::fuzz {
namespace {

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

void walk(const uint8_t* data, size_t size, Options options, bool accepted, const Program& program,
          const Error& error) {
  options.flatbuffers_verifier = false;
  static Program walked;
  Error walk_error;
  const bool walk_accepted = parse(data, size, options, walked, walk_error);
  if (accepted != walk_accepted || error.text() != walk_error.text()) {
    finding("verifier and walk differ", error.text() + " | " + walk_error.text());
  }
  const char* const what = difference(program, data, walked, data);
  if (what != nullptr) finding("verifier and walk read something else", what);
}

}  // namespace

void examine(const uint8_t* data, size_t size, Mode mode) {
  // Aligned, and exact: AddressSanitizer sees a read behind its end.
  const std::vector<uint8_t> copy(data, data + size);
  data = copy.data();
  Options options;
  options.mode = mode;
  static Program program;  // reused, as a loader would
  Error error;
  const bool accepted = parse(data, size, options, program, error);
  Reading want;
  const char* const broken = check(data, size, mode, want);
  if (accepted && broken != nullptr) finding("accepted, though a rule is broken", broken);
  if (!accepted && broken == nullptr) {
    finding("refused, though no rule is broken", error.text());
  }
  if (accepted && !same_devices(program, want)) {
    finding("other devices", text_of(reading_of(program)) + " || " + text_of(want));
  }
  const uint64_t hash = hash_of(data, size);
  if (hash % 4 == 1) walk(data, size, options, accepted, program, error);
  if (accepted && hash % 16 == 0) round_trip(data, size, options, program);
}

}  // namespace aoti_cts::fuzz
