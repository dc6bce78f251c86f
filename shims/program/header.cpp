// The first bytes of a file: root offset, identifier, and the optional extended header that says
// how much of the file is table data and where segments start. Everything later trusts the Layout
// that comes from here.
#include <algorithm>
#include <cstring>

#include "check.h"

namespace aoti_cts::program {
namespace {

constexpr uint64_t root_bytes = 4;
constexpr uint64_t identifier_end = 8;
constexpr uint64_t header_at = 8;
constexpr uint32_t identifier = 0x32315445;  // ET12, as little-endian numbers both
constexpr uint32_t magic = 0x30306865;       // eh00
constexpr uint32_t shortest_header = 24;     // up to and with the segment base
constexpr uint32_t with_data_size = 32;      // later writers add the size of all segments

template <class T>
T little_endian(const uint8_t* at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(T{at[i]} << (8 * i));
  return value;
}

}  // namespace

Value::Value(Printable v) {
  text = '"';
  for (size_t i = 0; i < v.size; ++i) {
    text += v.at[i] >= 0x20 && v.at[i] < 0x7f ? static_cast<char>(v.at[i]) : '?';
  }
  text += '"';
}

bool Checker::header() {
  const Path file{nullptr, "file"};
  const auto address = reinterpret_cast<uintptr_t>(data_);
  if (!demand(address % alignment == 0, "PARSE.header", Code::InvalidArgument, file, address,
              "is an address that 8 does not divide, as FlatBuffers needs it")) {
    return false;
  }
  if (!demand(size_ >= identifier_end, "PARSE.header", Code::InvalidProgram, file, size_,
              "must be at least 8 bytes: root offset and identifier")) {
    return false;
  }
  if (!demand(little_endian<uint32_t>(data_ + root_bytes) == identifier, "PARSE.header",
              Code::InvalidProgram, Path{nullptr, "identifier"}, Printable{data_ + root_bytes, 4},
              "must be \"ET12\"")) {
    return false;
  }
  layout_.program_bytes = size_;
  if (size_ >= header_at + sizeof(magic) && little_endian<uint32_t>(data_ + header_at) == magic &&
      !extended_header()) {
    return false;
  }
  if (!within(layout_.program_bytes, options_.limits.program_bytes, "program_bytes", file)) {
    return false;
  }
  // A table has at least the four bytes that point to its vtable.
  const uint32_t root = little_endian<uint32_t>(data_);
  return demand(layout_.program_bytes >= identifier_end + 4 && root >= identifier_end &&
                    root <= layout_.program_bytes - 4,
                "PARSE.header", Code::InvalidProgram, Path{nullptr, "root"}, root,
                "must be the offset of a table behind the identifier and inside the program");
}

bool Checker::extended_header() {
  const Path at{nullptr, "extended_header"};
  const auto length_path = Path{&at, "length"};
  if (!demand(size_ >= header_at + shortest_header, "PARSE.header", Code::InvalidProgram,
              Path{nullptr, "file"}, size_, "is too short for the extended header it starts")) {
    return false;
  }
  const uint32_t length = little_endian<uint32_t>(data_ + header_at + 4);
  if (!demand(length >= shortest_header && length <= size_ - header_at, "PARSE.header",
              Code::InvalidProgram, length_path, length,
              "must be at least 24 and end inside the file")) {
    return false;
  }
  const uint64_t program = little_endian<uint64_t>(data_ + header_at + 8);
  const uint64_t base = little_endian<uint64_t>(data_ + header_at + 16);
  if (!demand(program <= size_ && program >= header_at + length, "PARSE.header",
              Code::InvalidProgram, Path{&at, "program_size"}, program,
              "must hold the extended header and end inside the file") ||
      !demand(base == 0 || (base >= program && base <= size_), "PARSE.header", Code::InvalidProgram,
              Path{&at, "segment_base_offset"}, base,
              "must be 0 for none, or lie behind the program and inside the file")) {
    return false;
  }
  layout_ = {program, base, base == 0 ? 0 : size_ - base};
  if (length < with_data_size) return true;
  const uint64_t data = little_endian<uint64_t>(data_ + header_at + 24);
  if (!demand(data <= layout_.segment_bytes, "PARSE.header", Code::InvalidProgram,
              Path{&at, "segment_data_size"}, data, "must end inside the file")) {
    return false;
  }
  layout_.segment_bytes = std::min(data, layout_.segment_bytes);
  return true;
}

}  // namespace aoti_cts::program
