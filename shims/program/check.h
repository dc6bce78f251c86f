// What the files of the validation core share: the one funnel through which a program is refused,
// and the path on the wire that it reports.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "aoti_program/program.h"
#include "program_generated.h"

namespace aoti_cts::program {

/// Where the checker stands, as a list on the stack: costs nothing until an error prints it.
struct Path {
  static constexpr int64_t no_index = -1;
  static constexpr int64_t type_name = -2;  ///< `field` is a type's name, printed as a field's

  const Path* up = nullptr;
  const char* field = "";
  int64_t index = no_index;  ///< element of a vector, or one of the above
  /// Replaces `text` by the path. Into a text that has the room already this allocates nothing.
  void write(std::string& text) const;
  std::string text() const;

 private:
  void append_to(std::string& text) const;
};

/// Bytes that an error shows as characters, in quotes.
struct Printable {
  const uint8_t* at;
  size_t size;
};

/// Dimension whose stride an error is about.
struct StrideOf {
  uint32_t dim;
};

/// The value an error shows: any integer, or a text. Made of what a check has at hand, and only
/// once the check has failed.
struct Value {
  Value(int v) : text(std::to_string(v)) {}
  Value(unsigned v) : text(std::to_string(v)) {}
  Value(long v) : text(std::to_string(v)) {}
  Value(unsigned long v) : text(std::to_string(v)) {}
  Value(const char* v) : text(v) {}
  Value(Device v) : text(to_string(v)) {}
  Value(Printable v);
  Value(StrideOf v) : text("stride of dimension " + std::to_string(v.dim)) {}
  std::string text;
};

/// One element of a vector of numbers. FlatBuffers' verifier asks no alignment of elements beyond
/// that of the vector's length, so that its own accessor may load a misaligned 64-bit number.
template <class T>
T element(const flatbuffers::Vector<T>& vector, uint32_t index) {
  T value;
  std::memcpy(&value, vector.Data() + size_t{index} * sizeof(T), sizeof(T));
  return flatbuffers::EndianScalar(value);
}

/// Where things are in the file, from the header.
struct Layout {
  uint64_t program_bytes = 0;  ///< the table data: a prefix of the file
  uint64_t segment_base = 0;   ///< 0: the file has no segments
  uint64_t segment_bytes = 0;
};

/// A tensor's fields. Read at once, before anything is written: each accessor looks its vtable up,
/// and only so the compiler can do that once for all.
struct Fields {
  explicit Fields(const wire::Tensor& t)
      : sizes(t.sizes()),
        dim_order(t.dim_order()),
        allocation(t.allocation_info()),
        extra(t.extra_tensor_info()),
        storage_offset(t.storage_offset()),
        data_buffer_idx(t.data_buffer_idx()),
        scalar_type(static_cast<int8_t>(t.scalar_type())),
        dynamism(static_cast<int8_t>(t.shape_dynamism())) {}
  const flatbuffers::Vector<int32_t>* sizes;
  const flatbuffers::Vector<uint8_t>* dim_order;
  const wire::AllocationDetails* allocation;
  const wire::ExtraTensorInfo* extra;
  int32_t storage_offset;
  uint32_t data_buffer_idx;
  int8_t scalar_type;
  int8_t dynamism;
};

/// One parse. Each step returns false after it refused.
class Checker {
 public:
  Checker(const void* data, size_t size, const Options& options, Program& out, Error& error)
      : data_(static_cast<const uint8_t*>(data)),
        size_(size),
        options_(options),
        out_(out),
        error_(error) {}

  bool run();

 private:
  friend class Walk;

  // header.cpp
  bool header();
  bool extended_header();
  // structure.cpp
  bool structure();
  // check_program.cpp
  bool program();
  bool segments();
  bool offsets(const wire::SubsegmentOffsets& table, const Path& path);
  bool constants();
  bool named_data();
  bool plan(const wire::ExecutionPlan& plan, const Path& path);
  bool buffers(const wire::ExecutionPlan& plan, const Path& path);
  bool buffer_device(const wire::NonConstBufferDevice& entry, const Path& path);
  bool values(const wire::ExecutionPlan& plan, const Path& path);
  bool value(const wire::ExecutionPlan& plan, const wire::EValue& value, const Path& path);
  template <class T>
  bool list(const wire::ExecutionPlan& plan, const flatbuffers::Vector<T>* items,
            wire::KernelTypes kind, const Path& path);
  template <class T>
  bool references(const wire::ExecutionPlan& plan, const flatbuffers::Vector<T>* items,
                  wire::KernelTypes kind, const Path& path);
  bool delegates(const wire::ExecutionPlan& plan, const Path& path);
  // check_tensor.cpp
  bool tensor(const wire::Tensor& tensor, const Path& path);
  bool device(int8_t type, int8_t index, const Path& path, const char* type_clause,
              const char* index_clause, Device& out);
  bool extra_info(const wire::ExtraTensorInfo* extra, const Path& path, Tensor& out);
  bool shape(const Fields& in, const Path& path, Tensor& out);
  void reserve_dims(uint32_t count);
  bool layout(const flatbuffers::Vector<uint8_t>& order, uint64_t elements, const Path& path,
              Tensor& out);
  bool no_negative_size(const Path& path, const Tensor& out);
  bool no_bad_dimension(const Path& path, const Tensor& out);
  bool checked_strides(int64_t limit, const Path& path, Tensor& out);
  bool place(const Fields& in, const Path& path, Tensor& out);
  bool planned(const wire::AllocationDetails& place, const Path& path, Tensor& out);
  bool constant_at(const wire::SubsegmentOffsets* table, uint32_t index, const Path& index_path,
                   Tensor& out);

  /// True where `ok`; else refuses, and true only where the refusal was sabotaged. The clause's id
  /// is kept as it is, so it must be a literal.
  template <class V>
  [[gnu::always_inline]] bool demand(bool ok, const char* clause, Code code, const Path& path,
                                     const V& value, const char* want) {
    if (ok) [[likely]] {
      return true;
    }
    return refuse_value(clause, code, path.up, path.field, path.index, value, want);
  }
  /// All that a refusal needs is made here, out of line, so that a check costs a comparison. Not
  /// even its path is put together before: it comes in pieces, which stay in registers.
  template <class V>
  [[gnu::cold, gnu::noinline]] bool refuse_value(const char* clause, Code code, const Path* up,
                                                 const char* field, int64_t index, V value,
                                                 const char* want) {
    return refuse(clause, code, Path{up, field, index}, Value(value), want);
  }
  /// The same for a limit, which the error names.
  [[gnu::always_inline]] bool within(uint64_t value, uint64_t limit, const char* name,
                                     const Path& path) {
    return value <= limit || beyond(value, limit, name, path.up, path.field, path.index);
  }
  /// Counts vector elements looked at; more than the program has bytes means nested sharing.
  bool spend(uint64_t elements, const Path& path);
  [[gnu::cold]] bool refuse(const char* clause, Code code, const Path& path, const Value& value,
                            std::string_view want);
  [[gnu::cold]] bool beyond(uint64_t value, uint64_t limit, const char* name, const Path* up,
                            const char* field, int64_t index);

  const uint8_t* data_;
  uint64_t size_;
  const Options& options_;
  Program& out_;
  Error& error_;
  Layout layout_;
  const wire::Program* program_ = nullptr;
  uint64_t spent_ = 0;
  uint32_t plan_index_ = 0;
  uint32_t value_index_ = 0;
  uint32_t dims_ = 0;  ///< used entries of the pools of sizes, orders and strides
};

}  // namespace aoti_cts::program
