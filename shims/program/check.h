// What the files of the validation core share: the one funnel through which a program is refused,
// and the path on the wire that it reports.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "aoti_program/program.h"
#include "program_generated.h"

namespace aoti_cts::program {

/// Where the checker stands, as a list on the stack: costs nothing until an error prints it.
struct Path {
  const Path* up = nullptr;
  const char* field = "";
  int64_t index = -1;  ///< element of a vector, or -1
  bool snake = false;  ///< `field` is a type's name and is printed as a field's
  std::string text() const;
};

/// The value an error shows: any integer, or a text.
struct Value {
  Value(int v) : text(std::to_string(v)) {}
  Value(unsigned v) : text(std::to_string(v)) {}
  Value(long v) : text(std::to_string(v)) {}
  Value(unsigned long v) : text(std::to_string(v)) {}
  Value(std::string v) : text(std::move(v)) {}
  Value(const char* v) : text(v) {}
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
  bool extra_info(const wire::Tensor& tensor, const Path& path, Tensor& out);
  bool shape(const wire::Tensor& tensor, const Path& path, Tensor& out);
  bool dim_order(const wire::Tensor& tensor, const Path& path, Tensor& out);
  bool strides(const Path& path, Tensor& out);
  bool place(const wire::Tensor& tensor, const Path& path, Tensor& out);
  bool planned(const wire::AllocationDetails& place, const Path& path, Tensor& out);
  bool constant_at(const wire::SubsegmentOffsets* table, uint32_t index, const Path& index_path,
                   Tensor& out);

  /// True where `ok`; else refuses, and true only where the refusal was sabotaged. The clause's id
  /// is kept as it is, so it must be a literal.
  template <class V>
  bool demand(bool ok, const char* clause, Code code, const Path& path, const V& value,
              const char* want) {
    if (ok) [[likely]] {
      return true;
    }
    return refuse(clause, code, path, Value(value), want);
  }
  /// The same for a limit, which the error names.
  bool within(uint64_t value, uint64_t limit, const char* name, const Path& path);
  /// Counts vector elements looked at; more than the program has bytes means nested sharing.
  bool spend(uint64_t elements, const Path& path);
  bool refuse(const char* clause, Code code, const Path& path, const Value& value,
              const std::string& want);

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
};

}  // namespace aoti_cts::program
