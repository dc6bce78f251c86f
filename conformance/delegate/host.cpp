// See host.h. What a plug-in returns is copied before the next call.
#include "delegate/host.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace aoti_cts::delegate_host {
namespace {

constexpr int32_t most_rank = 16;

AotiCtsDelegateError empty_error() {
  AotiCtsDelegateError error{};
  error.struct_size = sizeof(error);
  return error;
}

std::string text_of(const char* call, int32_t code, const AotiCtsDelegateError& error) {
  const std::string message(error.message, strnlen(error.message, sizeof(error.message)));
  return fmt::format("{}() returned {}{}{}", call, code, message.empty() ? "" : ": ", message);
}

const AotiCtsDelegate* entry(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Error(dlerror());
  void* const found = dlsym(handle, "aoti_cts_delegate");
  if (found == nullptr) throw Error(path + ": exports no aoti_cts_delegate()");
  const auto* const table = reinterpret_cast<const AotiCtsDelegate* (*)()>(found)();
  if (table == nullptr) throw Error(path + ": aoti_cts_delegate() returned null");
  return table;
}

}  // namespace

std::vector<std::string>& subjects() {
  static std::vector<std::string> the_ones;
  return the_ones;
}

Plugin::Plugin(const std::string& path) : table_(entry(path)) {
  const AotiCtsDelegate& t = *table_;
  const bool has_version = t.struct_size >= offsetof(AotiCtsDelegate, mode);
  if (has_version && t.version != AOTI_CTS_DELEGATE_VERSION) {
    throw Error(fmt::format("{}: version {} of the interface, where {} is needed", path, t.version,
                            AOTI_CTS_DELEGATE_VERSION));
  }
  if (t.struct_size < sizeof(AotiCtsDelegate)) {
    throw Error(fmt::format("{}: struct_size {} of its AotiCtsDelegate, where {} is needed", path,
                            t.struct_size, sizeof(AotiCtsDelegate)));
  }
  if (t.mode > AOTI_CTS_DELEGATE_ATEN || t.backend == nullptr || t.name == nullptr) {
    throw Error(fmt::format("{}: mode {}, or no name, in its AotiCtsDelegate", path, t.mode));
  }
  const bool whole = t.registered != nullptr && t.init != nullptr && t.execute != nullptr &&
                     t.destroy != nullptr && t.make != nullptr && t.describe != nullptr &&
                     t.unmake != nullptr;
  if (!whole) throw Error(path + ": its AotiCtsDelegate lacks a function");
}

bool Plugin::registered(bool own) const {
  return table_->registered(own ? table_->mode : 1 - table_->mode, table_->backend) == 1;
}

Tensor::Tensor(const Plugin& plugin, const Description& what) : table_(&plugin.table()) {
  const AotiCtsDelegateTensor words = {sizeof(words),
                                       what.scalar_type,
                                       what.device_type,
                                       what.device_index,
                                       static_cast<int32_t>(what.sizes.size()),
                                       what.sizes.data(),
                                       what.strides.data(),
                                       what.data,
                                       what.bytes};
  AotiCtsDelegateError error = empty_error();
  tensor_ = table_->make(&words, &error);
  if (tensor_ == nullptr) throw Error(text_of("make", 1, error));
}

Tensor::~Tensor() {
  if (tensor_ != nullptr) table_->unmake(tensor_);
}

Tensor::Tensor(Tensor&& other) noexcept
    : table_(other.table_), tensor_(std::exchange(other.tensor_, nullptr)) {}

Description Tensor::describe() const {
  AotiCtsDelegateTensor words{};
  words.struct_size = sizeof(words);
  table_->describe(tensor_, &words);
  if (words.rank < 0 || words.rank > most_rank) {
    throw Error(fmt::format("describe() tells rank {}, which is outside of 0..16", words.rank));
  }
  Description what{words.scalar_type, words.device_type, words.device_index, {}, {},
                   words.data,        words.bytes};
  if (words.rank > 0) {
    what.sizes.assign(words.sizes, words.sizes + words.rank);
    what.strides.assign(words.strides, words.strides + words.rank);
  }
  return what;
}

Delegate::Delegate(const Plugin& plugin, std::span<const uint8_t> payload, const Runtime& runtime,
                   const std::string& device)
    : table_(&plugin.table()) {
  const AotiCtsDelegateInput input = {sizeof(input),        payload.data(),         payload.size(),
                                      runtime.path.c_str(), runtime.prefix.c_str(), device.c_str()};
  AotiCtsDelegateError error = empty_error();
  const int32_t code = table_->init(&input, &handle_, &error);
  if (code == 0 && handle_ != nullptr) return;
  throw Error(code == 0 ? "init() returned 0 and no handle" : text_of("init", code, error));
}

Delegate::Delegate(Delegate&& other) noexcept
    : table_(other.table_), handle_(std::exchange(other.handle_, nullptr)) {}

std::string Delegate::try_execute(const std::vector<const Tensor*>& arguments) const {
  std::vector<void*> tensors;
  tensors.reserve(arguments.size());
  for (const Tensor* tensor : arguments) tensors.push_back(tensor->get());
  AotiCtsDelegateError error = empty_error();
  const int32_t code = table_->execute(handle_, tensors.data(), tensors.size(), &error);
  return code == 0 ? "" : text_of("execute", code, error);
}

void Delegate::destroy() {
  if (handle_ != nullptr) table_->destroy(std::exchange(handle_, nullptr));
}

}  // namespace aoti_cts::delegate_host
