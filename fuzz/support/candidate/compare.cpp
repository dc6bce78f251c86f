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
#include "support/candidate/shown.h"
#include "support/hash.h"

extern "C" __attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes();

namespace aoti_cts::fuzz {
namespace {

namespace wire = aoti_cts::program::wire;
using program::Mode;
using program::Tensor;
using program::Where;

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

/// Whether a tensor is empty and its other sizes alone do not fit 64 bits. The contract counts the
/// product, which is 0; at::Tensor refuses what overflows on the way there.
bool overflows_beside_zero(const program::Program& program) {
  return std::any_of(program.tensors.begin(), program.tensors.end(), [&](const Tensor& tensor) {
    const int32_t* const sizes = program.sizes_of(tensor);
    int64_t product = 1;
    bool overflows = false;
    for (uint32_t i = 0; i < tensor.rank; ++i) {
      if (sizes[i] == 0) continue;
      overflows |= __builtin_mul_overflow(product, int64_t{sizes[i]}, &product);
    }
    return overflows;
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

/// One parse call of the candidate, from the bytes to free().
class Call {
 public:
  Call(const AotiCtsParser& parser, Host& host, const uint8_t* data, size_t size, Mode mode,
       const Reference& reference)
      : parser_(parser), host_(host), mode_(mode), reference_(reference), given_(data) {
    file_ = host.place(data, size, alignment_of(parser));
    size_ = size;
  }
  ~Call() { release(); }

  Divergence run() {
    Divergence found = parsed();
    if (!found.found() && live()) found = shown().judge(hash_of(file_, size_));
    release();
    // The interface says that the file stays as it is; whoever writes there spoils what comes next.
    if (!found.found() && size_ != 0 && std::memcmp(file_, given_, size_) != 0) {
      found = {"writes to the file", "PARSE.verifier", "its bytes are others after the call"};
    }
    return found;
  }

  /// Two programs at once: the second one changes nothing of the first.
  Divergence run_beside(Host& other) {
    Divergence found = parsed();
    if (!found.found() && live()) found = shown().seen();
    if (found.found() || !live()) return found;
    found = Call(parser_, other, given_, size_, mode_, reference_).run();
    if (!found.found()) found = shown().seen();
    if (found.found()) found.kind = "wrong beside another program";
    return found;
  }

 private:
  Shown shown() const { return {parser_, program_, host_, mode_, reference_, file_, size_}; }
  bool live() const {
    return code_ == 0 && program_ != nullptr && reference_.accepted &&
           !ambiguous(file_, reference_);
  }
  void release() {
    if (code_ == 0 && program_ != nullptr) parser_.free(program_);
    program_ = nullptr;
  }

  Divergence parsed() {
    try {
      parse();
    } catch (const std::exception& thrown) {
      code_ = -1;
      return {"exception", reference_.rule(), thrown.what()};
    }
    if (code_ == 0 && host_.no_memory) {
      return {"accepted without memory", "PARSE.no-partial", "allocate() gave nothing"};
    }
    if (code_ != 0 && !reference_.accepted) return {};
    if (code_ == 0 && ambiguous(file_, reference_)) return {};
    if (code_ != 0) return refused();
    if (!reference_.accepted) return accepted();
    if (program_ == nullptr) return {"wrong tensors", "PARSE.compat", "0 and no program"};
    return {};
  }

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
    if (overflows_beside_zero(reference_.program)) return {};
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

  const AotiCtsParser& parser_;
  Host& host_;
  Mode mode_;
  const Reference& reference_;
  const uint8_t* given_;
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

/// The least growth over some parses of what one leaves behind, after an error or after free(); a
/// pool's own growth comes now and then, a leak always.
Divergence leak(const AotiCtsParser& parser, Host& host, const uint8_t* data, size_t size,
                Mode mode, const Reference& reference) {
  const auto parse = [&] { return Call(parser, host, data, size, mode, reference).run(); };
  Divergence found = parse();  // what is made once is there by now
  if (found.found()) return found;
  Held least{SIZE_MAX, SIZE_MAX, SIZE_MAX};
  for (int i = 0; i < 8 && (least.bytes != 0 || least.files != 0 || least.pages != 0); ++i) {
    const Held before = held();
    parse();
    const Held after = held();
    const auto grown = [](size_t from, size_t to) { return to > from ? to - from : 0; };
    least.bytes = std::min(least.bytes, grown(before.bytes, after.bytes));
    least.files = std::min(least.files, grown(before.files, after.files));
    least.pages = std::min(least.pages, grown(before.pages, after.pages));
  }
  const char* const rule = "PARSE.no-partial";
  const std::string when = reference.accepted && !host.fails ? " after free()" : " after an error";
  if (least.bytes != 0) {
    return {"memory kept" + when, rule, std::to_string(least.bytes) + " bytes"};
  }
  if (least.files != 0) return {"a file kept open" + when, rule, "each time"};
  if (least.pages != 0) {
    return {"memory kept mapped" + when, rule, std::to_string(least.pages) + " pages"};
  }
  return {};
}

/// The same where the host has no memory for buffers.
Divergence leak_without_memory(const AotiCtsParser& parser, Host& host, const uint8_t* data,
                               size_t size, Mode mode, const Reference& reference) {
  host.fails = true;
  Divergence found = leak(parser, host, data, size, mode, reference);
  host.fails = false;
  return found;
}

}  // namespace

size_t alignment_of(const AotiCtsParser& parser) {
  const bool says = parser.struct_size >= offsetof(AotiCtsParser, alignment) + sizeof(size_t);
  return says && parser.alignment != 0 ? parser.alignment : 16;
}

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
  if (found.found()) return found;
  // Each of these takes many parses, so few inputs have them.
  if (knobs % 32 == 9) {
    static Host other;
    return Call(parser, host, data, size, mode, reference).run_beside(other);
  }
  if (knobs % (reference.accepted ? 32 : 16) == 1) {
    return leak(parser, host, data, size, mode, reference);
  }
  if (knobs % 32 == 13 && reference.accepted && !reference.program.buffers.empty()) {
    return leak_without_memory(parser, host, data, size, mode, reference);
  }
  return found;
}

}  // namespace aoti_cts::fuzz
