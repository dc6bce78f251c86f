// See aoti_program/delegation.h. Structure and payload indices were checked by parse(); what the
// calls refer to is checked here.
#include "aoti_program/delegation.h"

#include "check.h"

namespace aoti_cts::program {
namespace {

constexpr size_t most_arguments = 1'000'000;

[[noreturn]] void refuse(const Path& path, int64_t value, const std::string& want) {
  throw DelegationError(path.text() + ": " + std::to_string(value) + " " + want);
}

std::string_view text(const flatbuffers::String* string) {
  return string == nullptr ? std::string_view{} : std::string_view{string->c_str(), string->size()};
}

std::string_view bytes(const flatbuffers::Vector<uint8_t>* vector) {
  if (vector == nullptr) return {};
  return {reinterpret_cast<const char*>(vector->Data()), vector->size()};
}

class Reader {
 public:
  Reader(const void* data, const Program& program, uint32_t plan)
      : file_(static_cast<const char*>(data)),
        program_(program),
        wire_(*flatbuffers::GetRoot<wire::Program>(data)),
        plan_(*wire_.execution_plan()->Get(plan)),
        values_(program.plans[plan].values),
        path_{nullptr, "execution_plan", plan} {}

  Delegation read() {
    for (uint32_t i = 0; plan_.delegates() != nullptr && i < plan_.delegates()->size(); ++i) {
      out_.delegates.push_back(delegate(*plan_.delegates()->Get(i)));
    }
    for (uint32_t i = 0; plan_.chains() != nullptr && i < plan_.chains()->size(); ++i) {
      chain(*plan_.chains()->Get(i), Path{&path_, "chains", i});
    }
    return std::move(out_);
  }

 private:
  std::string_view payload(const wire::BackendDelegateDataReference& where) const {
    if (where.location() == wire::DataLocation_INLINE) {
      return bytes(wire_.backend_delegate_data()->Get(where.index())->data());
    }
    const wire::DataSegment& segment = *wire_.segments()->Get(where.index());
    return {file_ + program_.segment_base + segment.offset(), segment.size()};
  }

  Delegate delegate(const wire::BackendDelegate& from) const {
    Delegate made{text(from.id()), payload(*from.processed()), {}};
    for (uint32_t i = 0; from.compile_specs() != nullptr && i < from.compile_specs()->size(); ++i) {
      const wire::CompileSpec& spec = *from.compile_specs()->Get(i);
      made.settings.push_back({text(spec.key()), bytes(spec.value())});
    }
    return made;
  }

  void chain(const wire::Chain& chain, const Path& path) {
    for (uint32_t i = 0; chain.instructions() != nullptr && i < chain.instructions()->size(); ++i) {
      const Path here{&path, "instructions", i};
      const wire::DelegateCall* const call =
          chain.instructions()->Get(i)->instr_args_as_DelegateCall();
      if (call == nullptr) {
        refuse(here, chain.instructions()->Get(i)->instr_args_type(),
               "is no call of a delegate (kind 2), which is all that can be run");
      }
      out_.calls.push_back(read_call(*call, here));
    }
  }

  Call read_call(const wire::DelegateCall& call, const Path& path) {
    const int32_t delegate = call.delegate_index();
    if (delegate < 0 || static_cast<size_t>(delegate) >= out_.delegates.size()) {
      refuse(Path{&path, "delegate_index"}, delegate,
             "must be less than the number of delegates, " + std::to_string(out_.delegates.size()));
    }
    Call made{static_cast<uint32_t>(delegate), {}};
    for (uint32_t i = 0; call.args() != nullptr && i < call.args()->size(); ++i) {
      const int32_t value = element(*call.args(), i);
      const Path here{&path, "args", i};
      if (value < 0 || static_cast<uint32_t>(value) >= values_) {
        refuse(here, value, "must be less than the number of values, " + std::to_string(values_));
      }
      if (++arguments_ > most_arguments) refuse(here, value, "is one argument beyond a million");
      made.arguments.push_back(static_cast<uint32_t>(value));
    }
    return made;
  }

  const char* file_;
  const Program& program_;
  const wire::Program& wire_;
  const wire::ExecutionPlan& plan_;
  uint32_t values_;
  Path path_;
  size_t arguments_ = 0;
  Delegation out_;
};

}  // namespace

Delegation read_delegation(const void* data, const Program& program, uint32_t plan) {
  return Reader(data, program, plan).read();
}

}  // namespace aoti_cts::program
