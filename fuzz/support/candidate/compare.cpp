// See compare.h.
#include "support/candidate/compare.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <set>

#include "program_generated.h"
#include "support/hash.h"

extern "C" __attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes();

namespace aoti_cts::fuzz {
namespace {

namespace wire = aoti_cts::program::wire;
using program::Mode;
using program::Tensor;
using program::Where;

constexpr uint32_t most_rank = 64;

size_t alignment_of(const AotiCtsParser& parser) {
  const bool says = parser.struct_size >= offsetof(AotiCtsParser, alignment) + sizeof(size_t);
  return says && parser.alignment != 0 ? parser.alignment : 16;
}

/// A code that a parser may refuse: it exists, and the schema lacks it.
bool is_gap(int8_t scalar_type) {
  return (scalar_type >= 8 && scalar_type <= 10) || (scalar_type >= 18 && scalar_type <= 21);
}

/// Whether a valid program needs something that a parser need not have.
bool needs_more(const uint8_t* data, const Reference& reference) {
  const wire::Program& program = *wire::GetProgram(data);
  for (const wire::ExecutionPlan* plan : *program.execution_plan()) {
    if (plan->delegates() != nullptr && plan->delegates()->size() != 0) return true;
    if (plan->operators() != nullptr && plan->operators()->size() != 0) return true;
    if (plan->chains() == nullptr || plan->chains()->size() == 0) return true;
    for (const wire::Chain* chain : *plan->chains()) {
      if (chain->instructions() == nullptr || chain->instructions()->size() != 0) return true;
    }
  }
  return std::any_of(reference.program.tensors.begin(), reference.program.tensors.end(),
                     [](const Tensor& tensor) {
                       return tensor.where == Where::external || is_gap(tensor.scalar_type);
                     });
}

/// Two methods of one name: which of them a parser loads under it, nobody says.
bool ambiguous(const uint8_t* data, const Reference& reference) {
  if (reference.rule() == "PARSE.header" || reference.rule() == "PARSE.verifier") return false;
  const auto* const plans = wire::GetProgram(data)->execution_plan();
  std::set<std::string> names;
  for (uint32_t i = 0; plans != nullptr && i < plans->size(); ++i) {
    const auto* const name = plans->Get(i)->name();
    if (!names.insert(name == nullptr ? "" : name->str()).second) return true;
  }
  return false;
}

/// The rule that a candidate holds against a valid program, as far as it says one: its error code,
/// and its message without what differs from input to input (numbers, quoted values). A clause that
/// the message names is the rule.
std::string refusal(int32_t code, const std::string& message) {
  const size_t clause = message.find("PARSE.");
  if (clause != std::string::npos) {
    return message.substr(clause, message.find_first_of(" ,;:]()", clause) - clause);
  }
  std::string text;
  char quote = 0;
  for (const char ch : message) {
    if (text.size() == 48) break;
    if (quote != 0) {
      if (ch == quote) quote = 0;
    } else if (ch == '"' || ch == '\'') {
      quote = ch;
    } else if (ch < '0' || ch > '9') {
      text += ch;
    }
  }
  return "error " + std::to_string(code) + (text.empty() ? "" : ": " + text);
}

std::string text_of(int32_t type, int32_t index) {
  return std::to_string(type) + ":" + std::to_string(index);
}

bool device_fits(program::Device want, int32_t type, int32_t index, Mode mode) {
  if (type != want.type) return false;
  if (index == want.index) return true;
  return want.type == 0 && index == 0 && mode == Mode::portable;
}

/// One parse call of the candidate, from the bytes to free().
class Call {
 public:
  Call(const AotiCtsParser& parser, Host& host, const uint8_t* data, size_t size, Mode mode,
       const Reference& reference)
      : parser_(parser), host_(host), mode_(mode), reference_(reference) {
    file_ = host.place(data, size, alignment_of(parser));
    size_ = size;
  }
  ~Call() {
    if (code_ == 0 && program_ != nullptr) parser_.free(program_);
  }

  Divergence run() {
    try {
      parse();
    } catch (const std::exception& thrown) {
      code_ = -1;
      return {"exception", reference_.rule(), thrown.what()};
    }
    if (code_ != 0 && !reference_.accepted) return {};
    if (code_ == 0 && ambiguous(file_, reference_)) return {};
    if (code_ != 0) return refused();
    if (!reference_.accepted) return accepted();
    if (program_ == nullptr) return {"wrong tensors", "PARSE.compat", "0 and no program"};
    Divergence found = buffers();
    const size_t count = parser_.tensors(program_);
    for (size_t i = 0; i < count && !found.found(); ++i) found = tensor(i, false);
    if (count != 0 && !found.found()) found = set_data(hash_of(file_, size_) % count);
    return found;
  }

 private:
  void parse() {
    AotiCtsParserInput input{};
    input.struct_size = sizeof(input);
    input.data = file_;
    input.size = size_;
    input.mode = mode_ == Mode::aten ? AOTI_CTS_PARSER_ATEN : AOTI_CTS_PARSER_PORTABLE;
    input.verify = 1;
    input.allocate = Host::allocate;
    input.external = Host::external;
    input.context = &host_;
    error_.struct_size = sizeof(error_);
    code_ = parser_.parse(&input, &program_, &error_);
  }

  Divergence refused() const {
    if (host_.refused || needs_more(file_, reference_)) return {};
    std::string message(error_.message, strnlen(error_.message, sizeof(error_.message)));
    return {"refused though valid", refusal(code_, message), message};
  }

  Divergence accepted() const {
    const auto code = reference_.error.code;
    const bool limit = code == program::Code::NotSupported &&
                       std::strcmp(reference_.error.clause, "PARSE.verifier") == 0;
    if (limit) return {};  // the reference's own
    return {"accepted though invalid", reference_.rule(), reference_.error.text()};
  }

  Divergence buffers() const {
    const auto& plans = reference_.program.plans;
    for (const Planned& have : host_.planned) {
      if (have.method >= plans.size() || have.number < 1 ||
          have.number > plans[have.method].buffers) {
        return {"wrong buffer", "PARSE.buffer-device", "buffer " + std::to_string(have.number)};
      }
      const auto& want =
          reference_.program.buffers[plans[have.method].first_buffer + have.number - 1];
      if (!device_fits(want.device, have.device_type, have.device_index, mode_)) {
        return {"wrong device", "PARSE.buffer-device",
                text_of(have.device_type, have.device_index) + " for " + to_string(want.device)};
      }
      if (have.bytes != want.bytes) {
        return {"wrong size of a buffer", "PARSE.buffer-size", std::to_string(have.bytes)};
      }
    }
    return {};
  }

  /// The reference's tensor that the candidate's is, or null.
  const Tensor* wanted(const AotiCtsParserTensor& have) const {
    const auto& all = reference_.program;
    if (have.method >= all.plans.size()) return nullptr;
    const auto& plan = all.plans[have.method];
    uint32_t value = have.index;
    if (have.named_by != AOTI_CTS_PARSER_BY_VALUE) {
      const bool input = have.named_by == AOTI_CTS_PARSER_BY_INPUT;
      if (have.index >= (input ? plan.inputs : plan.outputs)) return nullptr;
      value = all.indices[plan.first_index + (input ? 0 : plan.inputs) + have.index];
    }
    const auto first = all.tensors.begin() + plan.first_tensor;
    const auto last = first + plan.tensors;
    const auto found =
        std::find_if(first, last, [&](const Tensor& tensor) { return tensor.value == value; });
    return found == last ? nullptr : &*found;
  }

  Divergence tensor(size_t index, bool after_set_data) const {
    AotiCtsParserTensor have{};
    have.struct_size = sizeof(have);
    if (parser_.tensor(program_, index, &have) != 0) {
      return {"wrong tensors", "PARSE.compat", "tensor() fails"};
    }
    const Tensor* const want = wanted(have);
    if (want == nullptr) return {"wrong tensors", "PARSE.values", "a tensor that is none"};
    Divergence found = devices(have, *want);
    if (found.found() && after_set_data) found.rule = "PARSE.set-data";
    if (!found.found()) found = shape(have, *want);
    if (!found.found() && !after_set_data) found = data(have, *want);
    return found;
  }

  Divergence devices(const AotiCtsParserTensor& have, const Tensor& want) const {
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

  Divergence shape(const AotiCtsParserTensor& have, const Tensor& want) const {
    if (have.scalar_type != want.scalar_type) {
      return {"wrong scalar type", "PARSE.dtype", std::to_string(have.scalar_type)};
    }
    if (have.rank != want.rank || have.rank > most_rank) {
      return {"wrong rank", "PARSE.sizes", std::to_string(have.rank)};
    }
    const int32_t* const sizes = reference_.program.sizes_of(want);
    const int64_t* const strides = reference_.program.strides_of(want);
    for (uint32_t i = 0; i < have.rank; ++i) {
      if (have.sizes[i] != sizes[i]) {
        return {"wrong sizes", "PARSE.sizes", std::to_string(have.sizes[i])};
      }
      if (have.strides[i] != strides[i]) {
        return {"wrong strides", "PARSE.dim-order",
                std::to_string(have.strides[i]) + " for " + std::to_string(strides[i])};
      }
    }
    return {};
  }

  Divergence data(const AotiCtsParserTensor& have, const Tensor& want) const {
    const auto* const at = static_cast<const uint8_t*>(have.data);
    const bool planned = want.where == Where::planned || want.where == Where::initial;
    if (planned) {
      for (const Planned& buffer : host_.planned) {
        const bool its = buffer.method == want.plan && buffer.number == want.buffer;
        if (its && at != buffer.base + want.offset) {
          return {"wrong data pointer", "PARSE.allocation", "not where it is planned"};
        }
      }
    }
    if (want.where == Where::constant && want.bytes != 0 && at != file_ + want.file_offset) {
      // A copy is as good, where it can be read.
      if (at == nullptr || want.device.type != 0 ||
          std::memcmp(at, file_ + want.file_offset, want.bytes) != 0) {
        return {"wrong data", "PARSE.data-index", "not the constant"};
      }
    }
    return {};
  }

  Divergence set_data(size_t index) const {
    static uint8_t other[64];
    AotiCtsParserTensor have{};
    have.struct_size = sizeof(have);
    parser_.tensor(program_, index, &have);
    const Tensor& want = *wanted(have);
    if (want.bytes > sizeof(other)) return {};
    if (parser_.set_data(program_, index, other, sizeof(other)) != 0) return {};
    return tensor(index, true);
  }

  const AotiCtsParser& parser_;
  Host& host_;
  Mode mode_;
  const Reference& reference_;
  const uint8_t* file_ = nullptr;
  size_t size_ = 0;
  void* program_ = nullptr;
  int32_t code_ = -1;
  AotiCtsParserError error_{};
};

/// What a process holds: bytes, where the allocator tells, open files, and mapped pages.
struct Held {
  size_t bytes = 0;
  size_t files = 0;
  size_t pages = 0;
};

Held held() {
  Held now;
  // The lowest free number: it grows by a file that stays open below it, and so in the end by all.
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    char text[32] = {};
    if (read(file, text, sizeof(text) - 1) > 0) now.pages = std::strtoull(text, nullptr, 10);
    now.files = static_cast<size_t>(file);
    close(file);
  }
  const auto bytes = __sanitizer_get_current_allocated_bytes;
  if (bytes != nullptr) now.bytes = bytes();
  return now;
}

/// The least growth over some refused parses of what one leaves behind; a pool's own growth comes
/// now and then, a leak always.
Divergence leak(const AotiCtsParser& parser, Host& host, const uint8_t* data, size_t size,
                Mode mode, const Reference& reference) {
  if (reference.accepted) return {};
  Call(parser, host, data, size, mode, reference).run();  // what is made once is there by now
  Held least{SIZE_MAX, SIZE_MAX, SIZE_MAX};
  for (int i = 0; i < 8 && (least.bytes != 0 || least.files != 0 || least.pages != 0); ++i) {
    const Held before = held();
    Call(parser, host, data, size, mode, reference).run();
    const Held after = held();
    const auto grown = [](size_t from, size_t to) { return to > from ? to - from : 0; };
    least.bytes = std::min(least.bytes, grown(before.bytes, after.bytes));
    least.files = std::min(least.files, grown(before.files, after.files));
    least.pages = std::min(least.pages, grown(before.pages, after.pages));
  }
  const char* const rule = "PARSE.no-partial";
  if (least.bytes != 0) {
    return {"memory kept after an error", rule, std::to_string(least.bytes) + " bytes"};
  }
  if (least.files != 0) return {"a file kept open after an error", rule, "each time"};
  if (least.pages != 0) {
    return {"memory kept mapped after an error", rule, std::to_string(least.pages) + " pages"};
  }
  return {};
}

}  // namespace

std::string Reference::rule() const {
  if (accepted) return "valid";
  std::string clause = error.clause;
  if (clause == "PARSE.verifier" || clause == "PARSE.header") return clause;
  std::string field = error.path.substr(error.path.find_last_of('.') + 1);
  field = field.substr(0, field.find('['));
  return clause + " " + field;
}

void read_reference(const uint8_t* data, size_t size, Mode mode, Reference& out) {
  program::Options options;
  options.mode = mode;
  out.accepted = parse(data, size, options, out.program, out.error);
}

Divergence compare(const AotiCtsParser& parser, Host& host, const uint8_t* data, size_t size,
                   Mode mode, const Reference& reference) {
  if (size > Host::most_file_bytes) return {};
  const uint64_t knobs = hash_of(data, size) >> 32;
  // After an error the parser goes on as if nothing had been.
  static const uint8_t none[16] = {8, 0, 0, 0, 'E', 'T', '1', '2'};
  if (knobs % 4 == 0) {
    static Reference refused;
    if (refused.error.path.empty()) read_reference(none, sizeof(none), mode, refused);
    Call(parser, host, none, sizeof(none), mode, refused).run();
  }
  Divergence found = Call(parser, host, data, size, mode, reference).run();
  if (!found.found() && knobs % 16 == 1) {
    found = leak(parser, host, data, size, mode, reference);
  }
  return found;
}

}  // namespace aoti_cts::fuzz
