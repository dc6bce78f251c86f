// What a fixture model is written with: a model in the style of the code that AOTInductor
// generates, small enough to read, made against the shim header alone (no torch).
//
// A file of models/ holds one model:
//
//   class Doubled : public Model {
//     void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) override { ... }
//   };
//   AOTI_MODEL(Doubled, 1 /* inputs */, 1 /* outputs */)
//
// and is linked with entry_points.cpp into a library that exports what a loader of blobs needs.
// Like real blobs, its shims are bound by the dynamic linker as it is loaded, its codes are read in
// static initialisers, and a call that fails is an exception that ends Run with an error.
#pragma once

#include <aoti_shim/shim.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace aoti_model {

/// Throws what a failed call of generated code throws.
inline void check(AOTITorchError code, const char* call, const char* file, int line) {
  if (code == 0) return;
  throw std::runtime_error(std::string(call) + " failed at " + file + ":" + std::to_string(line));
}
#define AOTI_CALL(call) ::aoti_model::check((call), #call, __FILE__, __LINE__)

/// Owns one tensor handle. A handle taken from elsewhere is deleted with it.
class Handle {
 public:
  Handle() = default;
  explicit Handle(AtenTensorHandle handle) : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this == &other) return *this;
    reset();
    handle_ = other.release();
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  AtenTensorHandle get() const { return handle_; }
  operator AtenTensorHandle() const { return handle_; }  // as the generated RAII type converts
  AtenTensorHandle release() { return std::exchange(handle_, nullptr); }
  void reset() {
    if (handle_ != nullptr) aoti_torch_delete_tensor_object(release());
  }

  template <class T = float>
  T* data() const {
    void* data = nullptr;
    AOTI_CALL(aoti_torch_get_data_ptr(handle_, &data));
    return static_cast<T*>(data);
  }
  int64_t numel() const {
    int64_t numel = 0;
    AOTI_CALL(aoti_torch_get_numel(handle_, &numel));
    return numel;
  }
  int64_t ndim() const {
    int64_t ndim = 0;
    AOTI_CALL(aoti_torch_get_dim(handle_, &ndim));
    return ndim;
  }
  int32_t dtype() const {
    int32_t dtype = -1;
    AOTI_CALL(aoti_torch_get_dtype(handle_, &dtype));
    return dtype;
  }
  int64_t size(int64_t axis) const {
    int64_t* sizes = nullptr;
    AOTI_CALL(aoti_torch_get_sizes(handle_, &sizes));
    return sizes[axis];
  }
  int64_t stride(int64_t axis) const {
    int64_t* strides = nullptr;
    AOTI_CALL(aoti_torch_get_strides(handle_, &strides));
    return strides[axis];
  }

 private:
  AtenTensorHandle handle_ = nullptr;
};

/// Codes as generated code caches them: read from the runtime while the blob is being loaded.
inline const int32_t cached_float32 = aoti_torch_dtype_float32();
inline const int32_t cached_int64 = aoti_torch_dtype_int64();
inline const int32_t cached_cpu = aoti_torch_device_type_cpu();
inline const int32_t cached_strided = aoti_torch_layout_strided();

using Ints = std::initializer_list<int64_t>;

/// A fresh tensor on the CPU.
inline Handle empty_strided(Ints sizes, Ints strides, int32_t dtype = cached_float32) {
  AtenTensorHandle handle = nullptr;
  AOTI_CALL(aoti_torch_empty_strided(static_cast<int64_t>(sizes.size()), sizes.begin(),
                                     strides.begin(), dtype, cached_cpu, 0, &handle));
  return Handle(handle);
}

/// A view, `offset` elements after where `self` begins.
inline Handle reinterpret(AtenTensorHandle self, Ints sizes, Ints strides, int64_t offset) {
  AtenTensorHandle handle = nullptr;
  AOTI_CALL(aoti_torch__reinterpret_tensor(self, static_cast<int64_t>(sizes.size()), sizes.begin(),
                                           strides.begin(), offset, &handle));
  return Handle(handle);
}

inline Handle new_handle(AtenTensorHandle self) {
  AtenTensorHandle handle = nullptr;
  AOTI_CALL(aoti_torch_new_tensor_handle(self, &handle));
  return Handle(handle);
}

inline Handle clone(AtenTensorHandle self) {
  AtenTensorHandle handle = nullptr;
  AOTI_CALL(aoti_torch_clone(self, &handle));
  return Handle(handle);
}

/// A constant on memory of the blob itself; null where it has no bytes.
inline Handle constant(const void* data, Ints sizes, Ints strides, int32_t dtype = cached_float32) {
  AtenTensorHandle handle = nullptr;
  AOTI_CALL(aoti_torch_create_tensor_from_blob_v2(
      const_cast<void*>(data), static_cast<int64_t>(sizes.size()), sizes.begin(), strides.begin(),
      0, dtype, cached_cpu, 0, &handle, cached_strided, nullptr, 0));
  return Handle(handle);
}

/// A constant that the caller owns the memory of.
struct NamedConstant {
  const char* name;
  AtenTensorHandle handle;  ///< the caller's; the model keeps a handle of its own on the storage
};

/// One model; a container makes one and runs it.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// `inputs` are the model's own and end with the call at the latest. Writes one owned handle, or
  /// null, into each slot of `outputs`. Throws where a call fails.
  virtual void run(std::vector<Handle>& inputs, AtenTensorHandle* outputs) = 0;

  /// Takes user-managed constants; a model without any refuses them.
  virtual void set_constants(const NamedConstant* /*constants*/, std::size_t count) {
    if (count != 0) throw std::runtime_error("this model has no constants of the user's");
  }
};

/// What entry_points.cpp needs of a model's file.
struct Description {
  std::size_t inputs;
  std::size_t outputs;
  std::unique_ptr<Model> (*make)(const char* device);  ///< the device string as it came
};
extern const Description description;

}  // namespace aoti_model

/// Names the model of this file. A model that wants the device string has a constructor that takes
/// it.
#define AOTI_MODEL(type, inputs, outputs)                                                  \
  namespace aoti_model {                                                                   \
  const Description description{                                                           \
      inputs, outputs, []([[maybe_unused]] const char* device) -> std::unique_ptr<Model> { \
        if constexpr (std::is_constructible_v<type, const char*>) {                        \
          return std::make_unique<type>(device);                                           \
        } else {                                                                           \
          return std::make_unique<type>();                                                 \
        }                                                                                  \
      }};                                                                                  \
  }
