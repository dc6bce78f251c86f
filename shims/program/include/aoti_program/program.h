// The reference parser for .pte programs: untrusted bytes become checked descriptions of tensors,
// or one error.
//
// This is the validation core. It knows nothing of tensors that can be computed with: the builders
// (aoti_program/portable.h, and the plug-in over real libtorch) turn a description into one and
// decide nothing. Every rule of section PARSE of the contract is kept here, once, for both modes.
//
// The core never dereferences planned memory, never copies tensor data, and takes time linear in
// the program: what refers to one table twice through another that is itself shared, the way to
// make a small file expensive, runs into a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aoti_cts::program {

/// Which kind of tensor the caller will build. The rules differ where one kind cannot hold a value.
enum class Mode : uint8_t {
  portable,  ///< 32-bit sizes and strides, no tensor without a bound
  aten,      ///< at::Tensor: 64-bit, and a CPU tensor never has an index
};

/// ExecuTorch's numbers for errors; the rows are in errors.def.
enum class Code : uint8_t {
#define AOTI_PROGRAM_ERROR(name, value, meaning) name = value,
#include "aoti_program/errors.def"
#undef AOTI_PROGRAM_ERROR
};
const char* to_string(Code code);

/// Hard limits. A program beyond one is refused with an error that names the limit by its name
/// here.
struct Limits {
  uint64_t program_bytes =
      (uint64_t{1} << 31) - 2;       ///< bytes of table data (FlatBuffers' own bound)
  uint32_t tables = 1'000'000;       ///< tables reached, also bounded by a quarter of program_bytes
  uint32_t execution_plans = 1'024;  ///< methods of a program
  uint32_t values = 65'536;          ///< values of one plan
  uint32_t buffers = 4'096;          ///< entries of one plan's non_const_buffer_sizes
  uint32_t segments = 16'384;        ///< data segments of a program
  uint32_t constants = 65'536;       ///< offsets into one segment
  uint32_t name_bytes = 4'096;       ///< bytes of a method's or tensor's name
  static constexpr uint32_t rank =
      16;  ///< dimensions of a tensor; the contract's, so not to be changed
};

/// A device as a tensor carries it. In ATen mode a CPU device has no index, written -1.
struct Device {
  int8_t type = 0;   ///< 0 CPU, 1 CUDA
  int8_t index = 0;  ///< as serialized
  friend bool operator==(Device a, Device b) { return a.type == b.type && a.index == b.index; }
};
std::string to_string(Device device);

enum class Dynamism : uint8_t { fixed = 0, bounded = 1, unbounded = 2 };

/// Where a tensor's bytes are.
enum class Where : uint8_t {
  runtime,   ///< nowhere yet: an input, or allocated when it is resized
  planned,   ///< in a planned buffer, contents undefined
  initial,   ///< in a planned buffer, with initial contents at `file_offset`
  constant,  ///< in this file at `file_offset`
  external,  ///< outside of the file under `name`
};
const char* to_string(Where where);

/// One tensor of a program, every field checked. Sizes and the like are in the Program's pools.
struct Tensor {
  uint32_t plan = 0;         ///< index into Program.plans
  uint32_t value = 0;        ///< index into the plan's values
  uint32_t dims = 0;         ///< first of `rank` entries in each pool
  uint32_t buffer = 0;       ///< planned: memory_id, counted from 1; 0 means none
  uint64_t bytes = 0;        ///< of the sizes as stored: exact, or an upper bound
  uint64_t offset = 0;       ///< planned: bytes from the start of the buffer
  uint64_t file_offset = 0;  ///< constant and initial: bytes from the start of the file
  std::string_view name;     ///< fully qualified name, or empty; points into the caller's bytes
  int8_t scalar_type = 0;
  uint8_t rank = 0;
  Dynamism dynamism = Dynamism::fixed;
  Where where = Where::runtime;
  Device device;
};

/// One planned buffer of a method.
struct Buffer {
  uint64_t bytes = 0;
  Device device;
};

/// One method of a program.
struct Plan {
  std::string_view name;  ///< points into the caller's bytes
  uint32_t values = 0;    ///< how many
  uint32_t first_tensor = 0;
  uint32_t tensors = 0;       ///< in Program.tensors, consecutive from first_tensor
  uint32_t first_buffer = 0;  ///< in Program.buffers: the entry of memory_id 1
  uint32_t buffers = 0;       ///< planned buffers, without the reserved entry
  uint32_t first_index = 0;   ///< in Program.indices: the inputs, and behind them the outputs
  uint32_t inputs = 0;
  uint32_t outputs = 0;
};

/// What parse() gives. The storage is reused when the same object is parsed into again; views point
/// into the bytes that were parsed, which the caller keeps alive.
struct Program {
  std::vector<Plan> plans;
  std::vector<Tensor> tensors;  ///< by plan, then by value
  std::vector<Buffer> buffers;
  std::vector<uint32_t> indices;  ///< values that are inputs and outputs of a method
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  std::vector<int64_t> strides;  ///< in elements; in portable mode each fits 32 bits
  uint64_t segment_base = 0;     ///< bytes from the start of the file to its segments; 0 for none

  const int32_t* sizes_of(const Tensor& tensor) const { return sizes.data() + tensor.dims; }
  const uint8_t* dim_order_of(const Tensor& tensor) const { return dim_order.data() + tensor.dims; }
  const int64_t* strides_of(const Tensor& tensor) const { return strides.data() + tensor.dims; }
  const Buffer& buffer_of(const Tensor& tensor) const {
    return buffers[plans[tensor.plan].first_buffer + tensor.buffer - 1];
  }
  void clear();
};

/// Why a program was refused.
struct Error {
  Code code = Code::Ok;
  const char* clause = "";   ///< id of the clause that it breaks
  std::string path;          ///< field on the wire: execution_plan[0].values[3].tensor.sizes[1]
  std::string value;         ///< what stands there
  std::string want;          ///< what may stand there, or the limit
  std::string text() const;  ///< all of it in one line
};

/// Makes a parser deliberately wrong; for the mutants that prove the suite, null everywhere else.
struct Sabotage {
  virtual ~Sabotage() = default;
  /// Called instead of refusing; true lets the parser go on as if the rule did not exist.
  virtual bool waive(const Error& error) = 0;
  /// Called for each tensor after all checks; may change it, or refuse it by returning false.
  virtual bool touch(Program& program, Tensor& tensor) = 0;
};

struct Options {
  Mode mode = Mode::portable;
  /// Structure is checked by FlatBuffers' verifier where true, by our own walk of the tables where
  /// false. Both refuse the same programs; the walk is slower and is what names the field.
  bool flatbuffers_verifier = true;
  Limits limits;
  Sabotage* sabotage = nullptr;
};

/// What the address of a file has to be a multiple of: the widest scalar in it.
inline constexpr size_t alignment = 8;

/// Parses a whole file.
///
/// @param data, size  the file, at a multiple of `alignment`. Must outlive `out`'s views.
/// @param out         filled on success and empty after an error
/// @param error       set after an error, untouched on success
/// @return true on success. Throws nothing but std::bad_alloc.
bool parse(const void* data, size_t size, const Options& options, Program& out, Error& error);

/// Bytes of one element, 0 for a code that is no scalar type.
uint32_t element_bytes(int8_t scalar_type);
/// Name of a scalar type as the schema spells it, or null.
const char* scalar_type_name(int8_t scalar_type);

}  // namespace aoti_cts::program
