// The array of sizes or strides of one tensor. Real models stay below seven dimensions, and so few
// lie in the object itself: a tensor then is one block of memory, as making one is a shim's most
// frequent work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

#include "tensor/error.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

class Dims {
 public:
  using value_type = int64_t;
  using iterator = int64_t*;
  using const_iterator = const int64_t*;

  Dims() = default;
  /// The same value for each of `size` dimensions.
  Dims(std::size_t size, int64_t value) { assign(size, value); }
  Dims(std::initializer_list<int64_t> values) { assign(values.begin(), values.end()); }
  /// Implicit, so that a list that was put together by push_back goes where Dims go.
  Dims(const std::vector<int64_t>& values) { assign(values.data(), values.data() + values.size()); }
  Dims(const Dims& other) {
    if (other.many_) {
      assign(other.begin(), other.end());
    } else {  // all of them at once, written or not: their number would cost more
      size_ = other.size_;
      std::memcpy(few_, other.few_, sizeof few_);
    }
  }
  Dims& operator=(const Dims& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  ~Dims() = default;

  void assign(const int64_t* first, const int64_t* last) {
    std::copy(first, last, room(static_cast<std::size_t>(last - first)));
  }
  void assign(std::size_t size, int64_t value) { std::fill_n(room(size), size, value); }

  std::size_t size() const { return size_; }
  /// Never null, also without a dimension: getters hand it out.
  const int64_t* data() const { return many_ ? many_.get() : few_; }
  int64_t* data() { return many_ ? many_.get() : few_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  int64_t operator[](std::size_t dim) const { return data()[dim]; }
  int64_t& operator[](std::size_t dim) { return data()[dim]; }

  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::size_t kFew = 6;

  int64_t* room(std::size_t size) {
    many_.reset(size > kFew ? new int64_t[size] : nullptr);
    size_ = size;
    return data();
  }

  std::size_t size_ = 0;
  std::unique_ptr<int64_t[]> many_;
  int64_t few_[kFew];
};

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
