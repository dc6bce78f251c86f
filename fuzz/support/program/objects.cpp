// See objects.h. Compiled without the check of alignment: generated code loads elements of 64 bits
// where a hostile vector puts them, and FlatBuffers' verifier asks no more than the alignment of
// its length.
#include "support/program/objects.h"

#include <algorithm>
#include <cstring>

namespace aoti_cts::fuzz {
namespace {

// Tables may be shared, so that a small file can unpack into a large tree. The bounds keep a
// mutation cheap; no program of the corpus comes near them.
constexpr size_t most_bytes = size_t{1} << 16;
constexpr flatbuffers::uoffset_t most_tables = 2000;
constexpr flatbuffers::uoffset_t most_depth = 64;

template <class T>
T read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <class T>
void write(std::vector<uint8_t>& file, size_t at, T value) {
  std::memcpy(file.data() + at, &value, sizeof(value));
}

/// Packing and copying follow a union's value without asking whether it is there.
void drop_empty_unions(wire::ProgramT& program) {
  for (auto& plan : program.execution_plan) {
    for (auto& value : plan->values) {
      if (value->val.value != nullptr) continue;
      if (value->val.type == wire::KernelTypes_Null) {
        value->val.Set(wire::NullT());  // valid without content, and means the same
      } else {
        value->val.type = wire::KernelTypes_NONE;
      }
    }
    for (auto& chain : plan->chains) {
      for (auto& step : chain->instructions) {
        if (step->instr_args.value == nullptr) {
          step->instr_args.type = wire::InstructionArguments_NONE;
        }
      }
    }
  }
}

/// Reads the extended header leniently; returns the size of the tables' part.
size_t read_around(const uint8_t* data, size_t size, Objects& out) {
  if (size < 40 || std::memcmp(data + 8, "eh00", 4) != 0) return size;
  out.has_header = true;
  out.header_bytes = read<uint32_t>(data + 12);
  const auto program_bytes = read<uint64_t>(data + 16);
  const auto base = read<uint64_t>(data + 24);
  if (out.header_bytes >= 32) out.data_bytes = read<uint64_t>(data + 32);
  if (program_bytes < 40 || program_bytes > size) return size;
  if (base >= program_bytes && base <= size) {
    out.has_segments = true;
    out.base_remainder = base % 16;
    out.segments.assign(data + base, data + size);
  }
  return program_bytes;
}

}  // namespace

std::optional<Objects> unpack(const uint8_t* data, size_t size) {
  if (size < 16 || size > most_bytes || reinterpret_cast<uintptr_t>(data) % 8 != 0) return {};
  Objects out;
  const size_t tables = read_around(data, size, out);
  flatbuffers::Verifier verifier(data, tables, most_depth, most_tables);
  if (!wire::VerifyProgramBuffer(verifier)) return {};
  out.program = std::make_unique<wire::ProgramT>();
  wire::GetProgram(data)->UnPackTo(out.program.get());
  drop_empty_unions(*out.program);
  return out;
}

std::vector<uint8_t> pack(Objects& objects) {
  static flatbuffers::FlatBufferBuilder builder(4096);
  builder.Clear();
  wire::FinishProgramBuffer(builder, wire::Program::Pack(builder, objects.program.get()));
  const uint8_t* tables = builder.GetBufferPointer();
  std::vector<uint8_t> file(tables, tables + builder.GetSize());
  if (!objects.has_header) return file;
  // Behind the identifier, and a multiple of every alignment, so that the tables keep theirs.
  constexpr size_t inserted = 32;
  file.insert(file.begin() + 8, inserted, 0);
  write(file, 0, static_cast<uint32_t>(read<uint32_t>(file.data()) + inserted));
  std::memcpy(file.data() + 8, "eh00", 4);
  write(file, 12, objects.header_bytes);
  write(file, 16, static_cast<uint64_t>(file.size()));
  if (objects.data_bytes) write(file, 32, *objects.data_bytes);
  if (!objects.has_segments) return file;
  const size_t base = (file.size() + 15) / 16 * 16 + objects.base_remainder;
  write(file, 24, static_cast<uint64_t>(base));
  file.resize(base);
  file.insert(file.end(), objects.segments.begin(), objects.segments.end());
  return file;
}

}  // namespace aoti_cts::fuzz
