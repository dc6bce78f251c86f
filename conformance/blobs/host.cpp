#include "blobs/host.h"

#include <aoti_loader/loadable.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aoti_cts::blobs {
namespace {

using Create = int32_t(void**, std::size_t, const char*, const char*);
using Delete = int32_t(void*);
using Count = int32_t(void*, std::size_t*);
using Run = int32_t(void*, AtenTensorHandle*, std::size_t, AtenTensorHandle*, std::size_t, void*,
                    void*);
using SetConstants = int32_t(void*, const void*, std::size_t, bool, bool);
using LastError = int32_t(const char**);

thread_local Watcher watcher_of_thread;
thread_local int doing = 0;

std::string linker_error() {
  const char* text = dlerror();
  return text == nullptr ? "the dynamic linker gives no reason" : text;
}

template <class Fn>
Fn* entry_point(const Blob& blob, const char* name) {
  void* address = blob.symbol(name);
  if (address == nullptr) throw Error(fmt::format("the blob does not export {}", name));
  return reinterpret_cast<Fn*>(address);
}

std::size_t count(const Blob& blob, void* container, const char* name) {
  std::size_t value = 0;
  const int32_t error = entry_point<Count>(blob, name)(container, &value);
  if (error != 0) throw Error(fmt::format("{} returned {}", name, error));
  return value;
}

/// A file without a name: nothing is left behind, however the process ends. The caller closes it.
int nameless_copy(const std::string& bytes) {
  const int file = memfd_create("blob", MFD_CLOEXEC);
  if (file < 0) throw Error(fmt::format("memfd_create: {}", std::strerror(errno)));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      close(file);
      throw Error(fmt::format("a copy of the blob could not be written: {}", std::strerror(error)));
    }
    done += static_cast<std::size_t>(written);
  }
  return file;
}

}  // namespace

std::string_view placeholder() { return AOTI_CTS_BLOB_PLACEHOLDER; }

void publish(const std::vector<std::string>& libraries) {
  for (const std::string& path : libraries) {
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) throw Error(linker_error());
  }
}

void watch(Watcher watcher) { watcher_of_thread = std::move(watcher); }

Doing::Doing(std::string_view what) {
  if (doing++ == 0 && watcher_of_thread) watcher_of_thread(what);
}

Doing::~Doing() {
  if (--doing == 0 && watcher_of_thread) watcher_of_thread("");
}

// The dynamic linker knows a library by the path it was given before it looks at the file behind
// it: while the file is open, no other blob gets this number.
Blob::Blob(const std::string& bytes) : file_(nameless_copy(bytes)) {
  const Doing loading("the model as it was loaded");
  library_ = dlopen(fmt::format("/proc/self/fd/{}", file_).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ != nullptr) return;
  const std::string why = linker_error();
  close(file_);
  throw Error(why + aoti_loader::missing_torch_hint(why));
}

Blob::~Blob() {
  const Doing unloading("the model as it was unloaded");
  dlclose(library_);
  close(file_);
}

void* Blob::symbol(const char* name) const { return dlsym(library_, name); }

Container::Container(const Blob& blob, const char* device)
    : blob_(blob), delete_(entry_point<Delete>(blob, "AOTInductorModelContainerDelete")) {
  auto* create = entry_point<Create>(blob, "AOTInductorModelContainerCreateWithDevice");
  const Doing creating("CreateWithDevice of the model");
  const int32_t error = create(&container_, 1, device, nullptr);
  if (error == 0 && container_ != nullptr) return;
  const std::string said = last_error();
  throw Error(fmt::format("AOTInductorModelContainerCreateWithDevice returned {}{}{}", error,
                          error == 0 ? " and no container" : "", said.empty() ? "" : ": " + said));
}

Container::~Container() { end(); }

int32_t Container::end() {
  if (container_ == nullptr) return 0;
  void* container = container_;
  container_ = nullptr;
  const Doing deleting("Delete of the model");
  return delete_(container);
}

std::size_t Container::inputs() const {
  return count(blob_, container_, "AOTInductorModelContainerGetNumInputs");
}

std::size_t Container::outputs() const {
  return count(blob_, container_, "AOTInductorModelContainerGetNumOutputs");
}

int32_t Container::run(std::vector<AtenTensorHandle>& inputs,
                       std::vector<AtenTensorHandle>& outputs) const {
  return run(inputs.data(), inputs.size(), outputs.data(), outputs.size());
}

int32_t Container::run(AtenTensorHandle* inputs, std::size_t num_inputs, AtenTensorHandle* outputs,
                       std::size_t num_outputs) const {
  auto* entry = entry_point<Run>(blob_, "AOTInductorModelContainerRun");
  const Doing running("a Run of the model");
  return entry(container_, inputs, num_inputs, outputs, num_outputs, nullptr, nullptr);
}

int32_t Container::set_constants(const std::vector<Constant>& constants) const {
  auto* set = entry_point<SetConstants>(
      blob_, "AOTInductorModelContainerUpdateUserManagedConstantBufferPairs");
  return set(container_, constants.data(), constants.size(), false, true);
}

std::string Container::last_error() const {
  auto* ask = reinterpret_cast<LastError*>(blob_.symbol("AOTInductorGetLastError"));
  const char* text = nullptr;
  if (ask == nullptr || ask(&text) != 0 || text == nullptr) return "";
  return text;
}

}  // namespace aoti_cts::blobs
