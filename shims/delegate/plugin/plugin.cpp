// See plugin.h. A library has one build, which the C functions find here.
#include "delegate/plugin/plugin.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace aoti_cts::delegate::plugin {
namespace {

const Tensors* the_tensors = nullptr;
Steps* the_steps = nullptr;

/// What make() gives: the mode's tensor, and where its description's arrays live.
struct Held {
  void* tensor = nullptr;
  mutable Seen described;
};

int32_t guarded(AotiCtsDelegateError* error, const std::function<void()>& body) {
  try {
    body();
    return 0;
  } catch (const std::exception& thrown) {
    const size_t size = std::min(std::strlen(thrown.what()), sizeof(error->message) - 1);
    std::memcpy(error->message, thrown.what(), size);
    error->message[size] = '\0';
    return 1;
  }
}

int32_t registered(uint32_t mode, const char* backend) {
  return find_backend(static_cast<Mode>(mode), backend) != nullptr ? 1 : 0;
}

int32_t init(const AotiCtsDelegateInput* input, void** handle, AotiCtsDelegateError* error) {
  return guarded(error, [&] {
    const std::span blob(static_cast<const uint8_t*>(input->payload), input->size);
    *handle = new Delegate({blob, input->runtime, input->prefix, input->device}, *the_tensors,
                           *the_steps);
  });
}

int32_t execute(void* handle, void* const* arguments, size_t count, AotiCtsDelegateError* error) {
  return guarded(error, [&] {
    std::vector<void*> tensors;
    for (size_t i = 0; i < count; ++i) {
      tensors.push_back(static_cast<const Held*>(arguments[i])->tensor);
    }
    static_cast<Delegate*>(handle)->execute(tensors);
  });
}

void destroy(void* handle) { delete static_cast<Delegate*>(handle); }

void* make(const AotiCtsDelegateTensor* from, AotiCtsDelegateError* error) {
  Held* held = nullptr;
  const int32_t code = guarded(error, [&] {
    auto made = std::make_unique<Held>();
    made->tensor = the_tensors->make({from->scalar_type,
                                      from->device_type,
                                      from->device_index,
                                      {from->sizes, from->sizes + from->rank},
                                      {from->strides, from->strides + from->rank},
                                      from->data,
                                      from->bytes});
    held = made.release();
  });
  return code == 0 ? held : nullptr;
}

void describe(const void* tensor, AotiCtsDelegateTensor* out) {
  const auto& held = *static_cast<const Held*>(tensor);
  held.described = the_tensors->see(held.tensor);
  const Seen& seen = held.described;
  *out = {out->struct_size,
          seen.scalar_type,
          seen.device_type,
          seen.device_index,
          static_cast<int32_t>(seen.sizes.size()),
          seen.sizes.data(),
          seen.strides.data(),
          seen.data,
          seen.bytes};
}

void unmake(void* tensor) {
  auto* const held = static_cast<Held*>(tensor);
  the_tensors->unmake(held->tensor);
  delete held;
}

}  // namespace

Build::Build(const Tensors& tensors, Steps& steps, const char* name)
    : modes_(steps.registries(tensors.mode())),
      table_{sizeof(AotiCtsDelegate),
             AOTI_CTS_DELEGATE_VERSION,
             static_cast<uint32_t>(tensors.mode()),
             name,
             backend_name,
             registered,
             init,
             execute,
             destroy,
             make,
             describe,
             unmake} {
  the_tensors = &tensors;
  the_steps = &steps;
  for (const Mode mode : modes_) add_backend(mode, backend_);
}

Build::~Build() {
  for (const Mode mode : modes_) remove_backend(mode, backend_);
}

}  // namespace aoti_cts::delegate::plugin
