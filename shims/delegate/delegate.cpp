// See delegate.h. Entry points of a model are those of torch 2.15.0's interface.h.
#include "delegate/delegate.h"

#include "delegate/extent.h"
#include "delegate/runtime.h"

namespace aoti_cts::delegate {
namespace {

using Create = int32_t(void**, std::size_t, const char*, const char*);
using Delete = int32_t(void*);
using Count = int32_t(void*, std::size_t*);
using Run = int32_t(void*, AtenTensorHandle*, std::size_t, AtenTensorHandle*, std::size_t, void*,
                    void*);
using LastError = int32_t(const char**);

template <class Fn>
Fn* entry_point(const loader::TemporaryLibrary& library, const char* name) {
  return reinterpret_cast<Fn*>(library.symbol(name));
}

/// What tells payloads apart in the names of files; decides nothing.
std::string content_key(std::span<const uint8_t> bytes) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  return std::to_string(hash);
}

std::string counted(const char* what, std::size_t number) {
  return std::string(what) + " " + std::to_string(number);
}

}  // namespace

std::shared_ptr<loader::TemporaryLibrary> Steps::load(std::span<const uint8_t> blob) {
  return std::make_shared<loader::TemporaryLibrary>(
      loader::TemporaryLibrary::load(blob, content_key(blob)));
}

Delegate::Delegate(const Payload& payload, const Tensors& tensors, Steps& steps)
    : tensors_(tensors),
      steps_(steps),
      library_(steps.load(payload.blob)),
      runtime_(std::make_unique<Runtime>(payload.runtime, payload.prefix)),
      device_(payload.device) {
  for (const char* name :
       {"AOTInductorModelContainerDelete", "AOTInductorModelContainerRun",
        "AOTInductorModelContainerGetNumInputs", "AOTInductorModelContainerGetNumOutputs"}) {
    library_->symbol(name);  // throws now rather than in the middle of a run
  }
  const char* const name = "AOTInductorModelContainerCreateWithDevice";
  const int32_t code =
      entry_point<Create>(*library_, name)(&container_, 1, device_.c_str(), nullptr);
  if (code != 0) {
    throw Error(std::string(name) + " returned " + std::to_string(code) + last_error());
  }
}

Delegate::~Delegate() {
  entry_point<Delete>(*library_, "AOTInductorModelContainerDelete")(container_);
}

std::string Delegate::last_error() const {
  try {
    const char* text = nullptr;
    entry_point<LastError>(*library_, "AOTInductorGetLastError")(&text);
    if (text != nullptr && *text != '\0') return std::string(": ") + text;
  } catch (const loader::Error&) {  // optional, as older models have no such entry point
  }
  return "";
}

std::size_t Delegate::count(const char* name) const {
  std::size_t value = 0;
  Runtime::check(entry_point<Count>(*library_, name)(container_, &value), name);
  return value;
}

void Delegate::execute(std::span<void* const> arguments) {
  const std::size_t inputs = count("AOTInductorModelContainerGetNumInputs");
  const std::size_t outputs = count("AOTInductorModelContainerGetNumOutputs");
  if (arguments.size() != inputs + outputs) {
    throw Error(counted("the model has", inputs) + counted(" inputs and", outputs) +
                counted(" outputs, given are", arguments.size()) + " arguments");
  }
  Handles in(*runtime_, inputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    in.slots[i] =
        runtime_->borrow(steps_.input(*runtime_, steps_.see(tensors_, arguments[i]), device_));
  }
  Handles out(*runtime_, outputs);
  const int32_t code = entry_point<Run>(*library_, "AOTInductorModelContainerRun")(
      container_, in.slots.data(), inputs, out.slots.data(), outputs, nullptr, nullptr);
  if (code != 0) {
    throw Error("AOTInductorModelContainerRun returned " + std::to_string(code) + last_error());
  }
  for (std::size_t i = 0; i < outputs; ++i) deliver(out.slots[i], arguments[inputs + i], i);
}

void Delegate::deliver(AtenTensorHandle output, void* argument, std::size_t number) {
  const std::string what = counted("output", number);
  if (output == nullptr) throw Error(what + " was left null by the model");
  const int32_t dtype = runtime_->dtype_of(output);
  const int32_t planned = steps_.see(tensors_, argument).scalar_type;
  if (dtype != planned) {
    throw Error(what + " is " + dtype_text(dtype) + ", the program planned " + dtype_text(planned));
  }
  try {
    tensors_.resize(argument, steps_.output_sizes(runtime_->sizes_of(output)));
  } catch (const Error& error) {
    throw Error(what + ": " + error.what());
  }
  Handles target(*runtime_, 1);
  target.slots[0] = runtime_->borrow(steps_.see(tensors_, argument));
  Runtime::check(runtime_->shims().aoti_torch_copy_(target.slots[0], output, 0), "copy_");
}

}  // namespace aoti_cts::delegate
