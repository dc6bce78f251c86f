// The AOTInductorModelContainer entry points over one Model: what a loader of blobs calls. Names
// and signatures are those of torch 2.15.0's torch/csrc/inductor/aoti_runtime/interface.h, told in
// C.
#include <cstring>

#include "model.h"

#ifndef AOTI_TAKE_INPUT  // a mutant takes its inputs otherwise
#define AOTI_TAKE_INPUT(slot) std::exchange(slot, nullptr)
#endif
#ifndef AOTI_NO_GRAD  // and keeps grad mode otherwise
#define AOTI_NO_GRAD const NoGrad no_grad
#endif

namespace {

using aoti_model::description;
using aoti_model::Handle;
using aoti_model::Model;

thread_local std::string last_error;

struct Container {
  std::unique_ptr<Model> model;
};

/// No exception leaves the blob: it becomes an error code and a text.
template <class Body>
int32_t guarded(Body&& body) {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    last_error = error.what();
  } catch (...) {
    last_error = "unknown exception";
  }
  return 1;
}

/// Off while a model runs, as generated code has it, and afterwards what it was.
class NoGrad {
 public:
  NoGrad() : before_(aoti_torch_grad_mode_is_enabled()) { aoti_torch_grad_mode_set_enabled(false); }
  ~NoGrad() { aoti_torch_grad_mode_set_enabled(before_); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

void need(std::size_t have, std::size_t want, const char* what) {
  if (have == want) return;
  throw std::runtime_error(std::string("the model has ") + std::to_string(want) + " " + what +
                           ", given are " + std::to_string(have));
}

}  // namespace

#define AOTI_ENTRY extern "C" __attribute__((visibility("default"))) int32_t

AOTI_ENTRY AOTInductorModelContainerCreateWithDevice(void** container, std::size_t /*num_models*/,
                                                     const char* device, const char* /*cubin*/) {
  return guarded([&] {
    auto made = std::make_unique<Container>();
    made->model = description.make(device);
    *container = made.release();
  });
}

AOTI_ENTRY AOTInductorModelContainerDelete(void* container) {
  return guarded([&] { delete static_cast<Container*>(container); });
}

AOTI_ENTRY AOTInductorModelContainerGetNumInputs(void* /*container*/, std::size_t* ret) {
  return guarded([&] { *ret = description.inputs; });
}

AOTI_ENTRY AOTInductorModelContainerGetNumOutputs(void* /*container*/, std::size_t* ret) {
  return guarded([&] { *ret = description.outputs; });
}

AOTI_ENTRY AOTInductorModelContainerRun(void* container, AtenTensorHandle* inputs,
                                        std::size_t num_inputs, AtenTensorHandle* outputs,
                                        std::size_t num_outputs, void* /*stream*/,
                                        void* /*proxy_executor*/) {
  return guarded([&] {
    // Judged before anything is taken: after an error the caller owns the slots that are not null.
    need(num_inputs, description.inputs, "inputs");
    need(num_outputs, description.outputs, "outputs");
    AOTI_NO_GRAD;
    std::vector<Handle> taken;
    taken.reserve(num_inputs);
    for (std::size_t i = 0; i < num_inputs; ++i) {
      taken.emplace_back(AOTI_TAKE_INPUT(inputs[i]));
    }
    static_cast<Container*>(container)->model->run(taken, outputs);
  });
}

AOTI_ENTRY AOTInductorModelContainerUpdateUserManagedConstantBufferPairs(
    void* container, const void* pairs, std::size_t num_pairs, bool /*use_inactive*/,
    bool /*validate_full_update*/) {
  // The array's type is the interface's, name and handle; each side of the call has its own name
  // for it.
  const auto* constants = static_cast<const aoti_model::NamedConstant*>(pairs);
  return guarded(
      [&] { static_cast<Container*>(container)->model->set_constants(constants, num_pairs); });
}

AOTI_ENTRY AOTInductorGetLastError(const char** ret) {
  *ret = last_error.c_str();
  return 0;
}
