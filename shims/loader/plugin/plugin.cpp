// See plugin.h.
#include "loader/plugin/plugin.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace aoti_cts::loader::plugin {
namespace {

using Create = int32_t (*)(void** container, size_t models, const char* device, const char* cubin);
using Delete = int32_t (*)(void* container);
using LastError = int32_t (*)(const char** text);

class Model : public Blob {
 public:
  explicit Model(TemporaryLibrary library) : library_(std::move(library)) {}
  ~Model() override {
    if (container_ != nullptr) delete_(container_);
  }
  void create(const std::string& device, Faults& faults) {
    delete_ = reinterpret_cast<Delete>(library_.symbol("AOTInductorModelContainerDelete"));
    const char* const name = "AOTInductorModelContainerCreateWithDevice";
    const int32_t code =
        reinterpret_cast<Create>(library_.symbol(name))(&container_, 1, device.c_str(), nullptr);
    if (code == 0) return;
    container_ = nullptr;
    const std::string why = faults.reason(last_error());
    throw Error(path() + ": " + name + " returned " + std::to_string(code) +
                (why.empty() ? "" : ": " + why));
  }
  const std::string& path() const override { return library_.path(); }

 private:
  /// Models of older versions have no such function.
  std::string last_error() const {
    const char* text = nullptr;
    try {
      const auto ask = reinterpret_cast<LastError>(library_.symbol("AOTInductorGetLastError"));
      if (ask(&text) != 0 || text == nullptr) return "";
    } catch (const Error&) {
      return "";
    }
    return text;
  }

  TemporaryLibrary library_;  // first, so that it goes last
  Delete delete_ = nullptr;
  void* container_ = nullptr;
};

}  // namespace

std::unique_ptr<Blob> Faults::load_blob(const AotiCtsLoaderInput& input, const char* device) {
  const std::span bytes(static_cast<const uint8_t*>(input.data), input.size);
  auto model = std::make_unique<Model>(TemporaryLibrary::load(
      bytes, {input.key, input.key_size}, input.directory, RTLD_NOW | RTLD_LOCAL, *this));
  try {
    model->create(this->device(device), *this);
  } catch (const Error&) {
    if (forgets_failed()) static_cast<void>(model.release());
    throw;
  }
  return model;
}

int32_t load(const AotiCtsLoaderInput* input, const char* device, Faults& faults,
             AotiCtsLoaderLibrary* library, AotiCtsLoaderError* error) {
  try {
    auto blob = faults.load_blob(*input, device);
    library->path = blob->path().c_str();
    library->handle = blob.release();
    return 0;
  } catch (const std::exception& thrown) {
    const std::string text = faults.message(thrown);
    const size_t size = std::min(text.size(), sizeof(error->message) - 1);
    std::memcpy(error->message, text.data(), size);
    error->message[size] = '\0';
    return 1;
  }
}

void destroy(void* handle) { delete static_cast<Blob*>(handle); }

}  // namespace aoti_cts::loader::plugin
