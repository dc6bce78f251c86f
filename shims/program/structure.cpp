// Structure: every offset, vtable, vector and string of the table data lies inside it. Done before
// any field is used, in one of two ways that refuse the same programs: FlatBuffers' own verifier,
// which is fast and says yes or no, and a walk over the types that flatc generated, which names the
// field. After a no the walk is run to find it.
#include <cctype>

#include "check.h"
#include "flatbuffers/minireflect.h"

namespace aoti_cts::program {
namespace {

// FlatBuffers' verifier counts the root as depth 1; the schema nests far less.
constexpr uint32_t max_depth = 64;

// A large function, as all of the verifier's small ones are inlined into it, and a third faster.
[[gnu::flatten]] bool verified(flatbuffers::Verifier& verifier) {
  return wire::VerifyProgramBuffer(verifier);
}

/// A type's name as a field's: IntList becomes int_list.
void append_type(const char* name, std::string& text) {
  for (const char* ch = name; *ch != '\0'; ++ch) {
    const bool upper = std::isupper(static_cast<unsigned char>(*ch)) != 0;
    if (upper && ch != name) text += '_';
    text += upper ? static_cast<char>(std::tolower(static_cast<unsigned char>(*ch))) : *ch;
  }
}

}  // namespace

void Path::write(std::string& text) const {
  text.clear();
  append_to(text);
}

std::string Path::text() const {
  std::string text;
  append_to(text);
  return text;
}

void Path::append_to(std::string& text) const {
  if (up != nullptr) up->append_to(text);
  if (*field != '\0') {
    if (!text.empty()) text += '.';
    if (index != type_name) {
      text += field;
    } else {
      append_type(field, text);
    }
  }
  if (index < 0) return;
  text += '[';
  text += std::to_string(index);
  text += ']';
}

/// The walk. Positions are offsets from the start of the file, in 64 bits, so that no sum wraps.
class Walk {
 public:
  explicit Walk(Checker& checker, uint64_t max_tables)
      : checker_(checker), size_(checker.layout_.program_bytes), max_tables_(max_tables) {}

  bool root() {
    uint64_t at = 0;
    const Path path{nullptr, "root"};
    const Path top;
    return offset(0, path, at) && table(*wire::ProgramTypeTable(), at, top);
  }

 private:
  struct Vtable {
    uint64_t at = 0;
    uint16_t bytes = 0;
  };

  template <class T>
  T read(uint64_t at) const {
    return flatbuffers::ReadScalar<T>(checker_.data_ + at);
  }

  bool bad(const Path& path, uint64_t value, const char* want) {
    return checker_.refuse("PARSE.verifier", Code::InvalidProgram, path, Value(value), want);
  }

  bool inside(uint64_t at, uint64_t bytes) const { return bytes <= size_ && at <= size_ - bytes; }

  /// A scalar: in the data, and aligned to its width as every writer does it.
  bool scalar(uint64_t at, uint64_t width, const Path& path) {
    if (at % width != 0) return bad(path, at, "is an offset that its width does not divide");
    return inside(at, width) || bad(path, at, "is an offset outside of the program");
  }

  bool offset(uint64_t at, const Path& path, uint64_t& target) {
    if (!scalar(at, 4, path)) return false;
    const uint32_t distance = read<uint32_t>(at);
    target = at + distance;
    return (distance != 0 && distance <= 0x7fffffffu && inside(target, 1)) ||
           bad(path, distance, "is an offset that leads outside of the program");
  }

  bool vector(uint64_t at, uint64_t width, const Path& path, uint32_t& count) {
    if (!scalar(at, 4, path)) return false;
    count = read<uint32_t>(at);
    return inside(at + 4, count * width) ||
           bad(path, count, "elements do not fit into the program");
  }

  bool string(uint64_t at, const Path& path) {
    uint32_t count = 0;
    if (!vector(at, 1, path, count)) return false;
    const uint64_t end = at + 4 + count;
    return (inside(end, 1) && checker_.data_[end] == 0) ||
           bad(path, count, "is the length of a string without its terminator");
  }

  bool table_start(uint64_t at, const Path& path, Vtable& vtable) {
    if (!scalar(at, 4, path)) return false;
    if (++tables_ > max_tables_) {
      return checker_.within(tables_, max_tables_, "tables", path);
    }
    const int64_t vtable_at = static_cast<int64_t>(at) - read<int32_t>(at);
    if (vtable_at < 0 || !inside(static_cast<uint64_t>(vtable_at), 2) || vtable_at % 2 != 0) {
      return bad(path, at, "is a table whose vtable lies outside of the program");
    }
    vtable.at = static_cast<uint64_t>(vtable_at);
    vtable.bytes = read<uint16_t>(vtable.at);
    return (vtable.bytes % 2 == 0 && inside(vtable.at, vtable.bytes)) ||
           bad(path, vtable.bytes, "is the length of a vtable that is odd or leaves the program");
  }

  /// Offset of a field's content in the file, 0 where the field is absent.
  uint64_t field(uint64_t table, const Vtable& vtable, size_t index) const {
    const uint64_t entry = 4 + 2 * index;
    if (entry >= vtable.bytes || !inside(vtable.at + entry, 2)) return 0;
    const uint16_t distance = read<uint16_t>(vtable.at + entry);
    return distance == 0 ? 0 : table + distance;
  }

  bool table(const flatbuffers::TypeTable& type, uint64_t at, const Path& path) {
    Vtable vtable;
    if (!table_start(at, path, vtable)) return false;
    for (size_t i = 0; i < type.num_elems; ++i) {
      const uint64_t content = field(at, vtable, i);
      if (content == 0) continue;
      const flatbuffers::TypeCode code = type.type_codes[i];
      const Path here{&path, type.names[i]};
      const flatbuffers::TypeTable* child = code.base_type == flatbuffers::ET_SEQUENCE
                                                ? type.type_refs[code.sequence_ref]()
                                                : nullptr;
      bool ok = false;
      if (code.is_repeating != 0) {
        ok = vector_field(code, child, content, here);
      } else if (child != nullptr && child->st == flatbuffers::ST_UNION) {
        // The type of a union is the field before it, which was walked already.
        const uint64_t tag = field(at, vtable, i - 1);
        ok = union_field(*child, tag == 0 ? uint8_t{0} : read<uint8_t>(tag), content, path, here);
      } else {
        ok = single_field(code, child, content, here);
      }
      if (!ok) return false;
    }
    return true;
  }

  bool single_field(flatbuffers::TypeCode code, const flatbuffers::TypeTable* child, uint64_t at,
                    const Path& path) {
    const auto kind = static_cast<flatbuffers::ElementaryType>(code.base_type);
    if (kind != flatbuffers::ET_STRING && kind != flatbuffers::ET_SEQUENCE) {
      return scalar(at, flatbuffers::InlineSize(kind, nullptr), path);
    }
    uint64_t target = 0;
    if (!offset(at, path, target)) return false;
    return kind == flatbuffers::ET_STRING ? string(target, path) : table(*child, target, path);
  }

  bool union_field(const flatbuffers::TypeTable& type, uint8_t tag, uint64_t at,
                   const Path& table_path, const Path& path) {
    uint64_t target = 0;
    if (!offset(at, path, target)) return false;
    // A kind that this schema does not know may be anything, also no table at all.
    if (tag == 0 || tag >= type.num_elems) return true;
    const flatbuffers::TypeTable* member = type.type_refs[type.type_codes[tag].sequence_ref]();
    return table(*member, target, Path{&table_path, type.names[tag], Path::type_name});
  }

  bool vector_field(flatbuffers::TypeCode code, const flatbuffers::TypeTable* child, uint64_t at,
                    const Path& path) {
    const auto kind = static_cast<flatbuffers::ElementaryType>(code.base_type);
    uint64_t target = 0;
    uint32_t count = 0;
    if (!offset(at, path, target) ||
        !vector(target, flatbuffers::InlineSize(kind, child), path, count)) {
      return false;
    }
    if (child == nullptr) return true;  // scalars; the schema has no vector of strings
    for (uint32_t i = 0; i < count; ++i) {
      const Path here{path.up, path.field, i};
      const uint64_t element = target + 4 + uint64_t{4} * i;
      // As everywhere in FlatBuffers a vector's elements may be unaligned to the file's start only
      // together with its length, which was checked.
      const uint64_t member = element + read<uint32_t>(element);
      if (!table(*child, member, here)) return false;
    }
    return true;
  }

  Checker& checker_;
  uint64_t size_;
  uint64_t max_tables_;
  uint64_t tables_ = 0;
};

bool Checker::structure() {
  // Each table costs its user four bytes, unless what points to it is itself shared.
  const uint64_t max_tables = std::min<uint64_t>(options_.limits.tables, layout_.program_bytes / 4);
  if (options_.flatbuffers_verifier) {
    flatbuffers::Verifier verifier(data_, layout_.program_bytes, max_depth,
                                   static_cast<flatbuffers::uoffset_t>(max_tables));
    if (verified(verifier)) return true;
  }
  Walk walk(*this, max_tables);
  if (!walk.root()) return false;
  if (!options_.flatbuffers_verifier) return true;
  return refuse("PARSE.verifier", Code::InvalidProgram, Path{nullptr, "file"}, Value(size_),
                "bytes are no valid FlatBuffer");
}

}  // namespace aoti_cts::program
