// See shown.h.
#include "support/candidate/shown.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace aoti_cts::fuzz {
namespace {

using program::Mode;
using program::Tensor;
using program::Where;

constexpr uint32_t most_rank = 64;

std::string text_of(int32_t type, int32_t index) {
  return std::to_string(type) + ":" + std::to_string(index);
}

bool device_fits(program::Device want, int32_t type, int32_t index, Mode mode) {
  if (type != want.type) return false;
  if (index == want.index) return true;
  return want.type == 0 && index == 0 && mode == Mode::portable;
}

/// In a planned buffer, whatever is put there at first: nothing, bytes of the file or outside of
/// it.
bool is_planned(const Tensor& tensor) { return tensor.buffer != 0; }

/// Whether a host may read there. What lies on a device, nobody here can look at.
bool on_host(const Tensor& tensor) { return tensor.device.type == 0; }

/// Where a tensor stands in its method: lists that a candidate may know or not.
enum Role : uint8_t { input = 1, output = 2, inner = 4 };

}  // namespace

Shown::Shown(const AotiCtsParser& parser, void* program, const Host& host, Mode mode,
             const Reference& reference, const uint8_t* file, size_t size)
    : parser_(parser),
      program_(program),
      host_(host),
      mode_(mode),
      reference_(reference.program),
      file_(file),
      size_(size),
      bases_(reference.program.buffers.size()) {}

Divergence Shown::seen() {
  Divergence found = buffers();
  if (!found.found()) found = asked();
  if (!found.found()) found = tensors();
  if (!found.found()) found = listed();
  const Planned* const overrun = host_.overrun();
  if (!found.found() && overrun != nullptr) {
    found = {"writes behind a buffer", "PARSE.allocation",
             "buffer " + std::to_string(overrun->number) + " of method " +
                 std::to_string(overrun->method) + ", " + std::to_string(overrun->bytes) +
                 " bytes"};
  }
  return found;
}

Divergence Shown::judge(uint64_t chosen) {
  Divergence found = seen();
  if (!found.found() && !read_.empty()) found = set_data(chosen % read_.size());
  return found;
}

Divergence Shown::buffers() {
  const auto& plans = reference_.plans;
  for (const Planned& have : host_.planned) {
    if (have.method >= plans.size() || have.number < 1 ||
        have.number > plans[have.method].buffers) {
      return {"wrong buffer", "PARSE.buffer-device", "buffer " + std::to_string(have.number)};
    }
    const auto& want = reference_.buffers[plans[have.method].first_buffer + have.number - 1];
    if (!device_fits(want.device, have.device_type, have.device_index, mode_)) {
      return {"wrong device", "PARSE.buffer-device",
              text_of(have.device_type, have.device_index) + " for " + to_string(want.device)};
    }
    // More is the parser's business, as far as a page.
    if (have.bytes < want.bytes || have.bytes - want.bytes > 4096) {
      return {"wrong size of a buffer", "PARSE.buffer-size",
              std::to_string(have.bytes) + " for " + std::to_string(want.bytes)};
    }
  }
  return {};
}

bool Shown::is_buffer(const Planned& buffer, const Tensor& want) const {
  return buffer.method == want.plan && buffer.number == want.buffer;
}

/// Each buffer that a tensor lies in was asked for.
Divergence Shown::asked() const {
  const Tensor* before = nullptr;
  for (const Tensor& tensor : reference_.tensors) {
    if (!is_planned(tensor) || tensor.bytes == 0) continue;
    const bool same =
        before != nullptr && before->plan == tensor.plan && before->buffer == tensor.buffer;
    before = &tensor;
    if (same) continue;
    const bool found = std::any_of(host_.planned.begin(), host_.planned.end(),
                                   [&](const Planned& each) { return is_buffer(each, tensor); });
    if (!found) {
      return {"buffer not asked for", "PARSE.buffer-device",
              "buffer " + std::to_string(tensor.buffer) + " of method " +
                  std::to_string(tensor.plan) + " on " + to_string(tensor.device)};
    }
  }
  return {};
}

std::optional<size_t> Shown::wanted(const AotiCtsParserTensor& have) const {
  if (have.method >= reference_.plans.size()) return {};
  const auto& plan = reference_.plans[have.method];
  uint32_t value = have.index;
  if (have.named_by != AOTI_CTS_PARSER_BY_VALUE) {
    const bool is_input = have.named_by == AOTI_CTS_PARSER_BY_INPUT;
    if (!is_input && have.named_by != AOTI_CTS_PARSER_BY_OUTPUT) return {};
    if (have.index >= (is_input ? plan.inputs : plan.outputs)) return {};
    value = reference_.indices[plan.first_index + (is_input ? 0 : plan.inputs) + have.index];
  }
  const auto first = reference_.tensors.begin() + plan.first_tensor;
  const auto last = first + plan.tensors;
  const auto found = std::lower_bound(
      first, last, value, [](const Tensor& tensor, uint32_t want) { return tensor.value < want; });
  if (found == last || found->value != value) return {};
  return static_cast<size_t>(found - reference_.tensors.begin());
}

Divergence Shown::read(size_t index, Read& out) const {
  out.have = {};
  out.have.struct_size = sizeof(out.have);
  if (parser_.tensor(program_, index, &out.have) != 0) {
    return {"wrong tensors", "PARSE.compat", "tensor() fails"};
  }
  const auto want = wanted(out.have);
  if (!want) return {"wrong tensors", "PARSE.values", "a tensor that is none"};
  out.want = *want;
  return {};
}

Divergence Shown::tensors() {
  const size_t count = parser_.tensors(program_);
  const size_t names = reference_.tensors.size() + reference_.indices.size();
  if (count > names) {
    return {"wrong tensors", "PARSE.values",
            std::to_string(count) + " tensors, of " + std::to_string(names) + " names"};
  }
  for (size_t i = 0; i < count; ++i) {
    Divergence found = read(i, read_.emplace_back());
    if (!found.found()) found = judge(read_.back());
    if (found.found()) return found;
  }
  // What was shown stays until free(), and is not the next one's.
  for (const Read& each : read_) {
    const Divergence found = judge(each);
    if (found.found()) return {"shows what does not stay", found.rule, found.what};
  }
  return {};
}

/// No name twice; of inputs all, of outputs and of the others all or none.
Divergence Shown::listed() const {
  std::vector<uint8_t> roles(reference_.tensors.size(), inner);
  for (uint32_t method = 0; method < reference_.plans.size(); ++method) {
    const auto& plan = reference_.plans[method];
    for (uint32_t i = 0; i < plan.inputs + plan.outputs; ++i) {
      AotiCtsParserTensor named{};
      named.method = method;
      named.index = reference_.indices[plan.first_index + i];
      const auto at = wanted(named);
      if (!at) continue;
      roles[*at] = (roles[*at] & ~inner) | (i < plan.inputs ? input : output);
    }
  }
  std::vector<uint8_t> is_listed(roles.size());
  uint8_t known = input;
  std::vector<std::array<uint32_t, 3>> names;
  for (const Read& each : read_) {
    names.push_back({each.have.method, static_cast<uint32_t>(each.have.named_by), each.have.index});
    is_listed[each.want] = 1;
    // A tensor that is an input too says nothing of whether its other lists are known.
    if ((roles[each.want] & input) == 0) known |= roles[each.want];
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) {
    return {"wrong tensors", "PARSE.values", "one tensor is listed twice under the same name"};
  }
  for (size_t i = 0; i < roles.size(); ++i) {
    if (is_listed[i] != 0 || (roles[i] & known) == 0) continue;
    const char* const role = (roles[i] & known & input) != 0    ? "an input"
                             : (roles[i] & known & output) != 0 ? "an output"
                                                                : "a value";
    return {"wrong tensors", "PARSE.values",
            std::string("without value ") + std::to_string(reference_.tensors[i].value) +
                " of method " + std::to_string(reference_.tensors[i].plan) + ", " + role};
  }
  return {};
}

Divergence Shown::judge(const Read& read) {
  const Tensor& want = reference_.tensors[read.want];
  Divergence found = devices(read.have, want);
  if (!found.found()) found = shape(read.have, want);
  if (!found.found()) found = data(read.have, want);
  return found;
}

Divergence Shown::devices(const AotiCtsParserTensor& have, const Tensor& want) const {
  if (!device_fits(want.device, have.device_type, have.device_index, mode_)) {
    return {"wrong device",
            want.device.type != 0    ? "PARSE.device-carried"
            : want.device.index != 0 ? "PARSE.cpu-any-index"
                                     : "PARSE.default-cpu",
            text_of(have.device_type, have.device_index) + " for " + to_string(want.device)};
  }
  if (mode_ != Mode::aten) return {};
  if (!device_fits(want.device, have.storage_device_type, have.storage_device_index, mode_) ||
      have.key_device_type != have.device_type) {
    return {"wrong device", "PARSE.agree",
            "storage " + text_of(have.storage_device_type, have.storage_device_index) + ", key " +
                std::to_string(have.key_device_type) + " for " + to_string(want.device)};
  }
  return {};
}

Divergence Shown::shape(const AotiCtsParserTensor& have, const Tensor& want) const {
  if (have.scalar_type != want.scalar_type) {
    return {"wrong scalar type", "PARSE.dtype", std::to_string(have.scalar_type)};
  }
  // Without a bound a tensor has a shape from its first use on; what it shows before is its own.
  if (want.dynamism == program::Dynamism::unbounded) return {};
  if (have.rank != want.rank || have.rank > most_rank) {
    return {"wrong rank", "PARSE.sizes", std::to_string(have.rank)};
  }
  if (have.rank != 0 && (have.sizes == nullptr || have.strides == nullptr)) {
    return {"wrong rank", "PARSE.sizes",
            std::to_string(have.rank) + " without sizes or without strides"};
  }
  const int32_t* const sizes = reference_.sizes_of(want);
  const int64_t* const strides = reference_.strides_of(want);
  const bool empty = std::find(sizes, sizes + want.rank, 0) != sizes + want.rank;
  for (uint32_t i = 0; i < have.rank; ++i) {
    if (have.sizes[i] != sizes[i]) {
      return {"wrong sizes", "PARSE.sizes", std::to_string(have.sizes[i])};
    }
    if (have.strides[i] != strides[i] && !empty && sizes[i] != 1) {
      return {"wrong strides", "PARSE.dim-order",
              std::to_string(have.strides[i]) + " for " + std::to_string(strides[i])};
    }
  }
  return {};
}

Divergence Shown::data(const AotiCtsParserTensor& have, const Tensor& want) {
  const auto* const at = static_cast<const uint8_t*>(have.data);
  if (is_planned(want)) return planned(at, want);
  if (want.where == Where::constant && want.bytes != 0) return constant(at, want);
  if (want.where == Where::external && want.bytes != 0) return external(at, want);
  if (want.where == Where::runtime && at != nullptr) {
    return {"wrong data pointer", "PARSE.allocation", "not null, and nothing is bound"};
  }
  return {};
}

Divergence Shown::planned(const uint8_t* at, const Tensor& want) {
  if (at == nullptr && want.bytes == 0) return {};
  bool asked = false;
  for (const Planned& buffer : host_.planned) {
    if (!is_buffer(buffer, want)) continue;
    asked = true;
    if (at != buffer.base + want.offset) continue;
    // Whoever asks for a buffer twice uses one of the two, for all that lies in it.
    const uint8_t*& base = bases_[reference_.plans[want.plan].first_buffer + want.buffer - 1];
    if (want.bytes == 0 || base == nullptr || base == buffer.base) {
      if (want.bytes != 0) base = buffer.base;
      return {};
    }
    return {"wrong data pointer", "PARSE.allocation",
            "not in the memory in which others of its buffer lie"};
  }
  // One without a byte may lie in a buffer that was not asked for, one without a bound anywhere
  // once it has a shape.
  if (!asked || (at == nullptr && want.dynamism == program::Dynamism::unbounded)) return {};
  return {"wrong data pointer", "PARSE.allocation", "not where it is planned"};
}

/// Whether the candidate copied `bytes` of what `original(i)` says.
template <class Original>
bool is_copy(const uint8_t* at, uint64_t bytes, const Original& original) {
  std::array<uint8_t, 4096> have;
  const size_t want = std::min<uint64_t>(bytes, have.size());
  if (at == nullptr || readable(at, have.data(), want) != want) return false;
  for (size_t i = 0; i < want; ++i) {
    if (have[i] != original(i)) return false;
  }
  return true;
}

Divergence Shown::constant(const uint8_t* at, const Tensor& want) const {
  const uint8_t* const original = file_ + want.file_offset;
  if (at == original) return {};
  const bool in_file = at >= file_ && at < file_ + size_;
  if (!on_host(want) && at != nullptr && !in_file) return {};
  if (is_copy(at, want.bytes, [&](size_t i) { return original[i]; })) return {};
  return {"wrong data", "PARSE.data-index", "not the constant"};
}

Divergence Shown::external(const uint8_t* at, const Tensor& want) const {
  if (at == nullptr) return {};
  const std::string name(want.name.substr(0, want.name.find('\0')));  // as a C string tells it
  for (const External& given : host_.externals) {
    if (given.name != name || given.base != at) continue;
    if (given.bytes == 0 || given.bytes >= want.bytes) return {};
    return {"wrong size of external data", "PARSE.external",
            std::to_string(given.bytes) + " bytes for a tensor of " + std::to_string(want.bytes)};
  }
  const bool others = std::any_of(host_.externals.begin(), host_.externals.end(),
                                  [&](const External& given) { return given.base == at; });
  const bool looked_up =
      !others && std::any_of(host_.externals.begin(), host_.externals.end(),
                             [&](const External& given) { return given.name == name; });
  if (looked_up && !on_host(want)) return {};
  const uint8_t byte = external_byte(name);
  if (looked_up && is_copy(at, want.bytes, [&](size_t) { return byte; })) return {};
  return {"wrong data", "PARSE.external", "not what the host has under its name"};
}

/// Binds other memory to a tensor, twice. Nothing but that changes: not on it, not on its
/// neighbour.
Divergence Shown::set_data(size_t index) {
  alignas(16) static uint8_t memory[2][64];
  const Tensor& want = reference_.tensors[read_[index].want];
  if (want.bytes > sizeof(memory[0])) return {};
  for (auto& each : memory) {
    if (parser_.set_data(program_, index, each, sizeof(each)) != 0) return {};
    Divergence found = bound(index, each);
    if (found.found()) return found;
  }
  const size_t next = (index + 1) % read_.size();
  if (read_[next].want == read_[index].want) return {};
  Read neighbour;
  Divergence found = read(next, neighbour);
  if (!found.found()) found = judge(neighbour);
  if (found.found()) {
    found.rule = "PARSE.set-data";
    found.what = "of tensor " + std::to_string(next) + ", as another was bound: " + found.what;
  }
  return found;
}

Divergence Shown::bound(size_t index, const void* memory) {
  const Tensor& want = reference_.tensors[read_[index].want];
  Read after;
  Divergence found = read(index, after);
  if (!found.found() && after.want != read_[index].want) {
    found = {"wrong tensors", "PARSE.values", "another tensor after set_data()"};
  }
  if (found.found()) return found;
  found = devices(after.have, want);
  if (!found.found()) found = shape(after.have, want);
  if (!found.found() && after.have.data != memory &&
      (want.bytes != 0 || after.have.data != nullptr)) {
    found = {"wrong data pointer", "", "not the memory that was bound"};
  }
  if (found.found()) found.rule = "PARSE.set-data";
  return found;
}

}  // namespace aoti_cts::fuzz
