// Tables are laid out from the type tables that flatc generates, so that the writer knows the
// schema without a list of its own.
#include "writer.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <stdexcept>

#include "flatbuffers/minireflect.h"
#include "program_generated.h"

namespace aoti_cts::corpus {
namespace {

using flatbuffers::ElementaryType;
using flatbuffers::TypeCode;
using flatbuffers::TypeTable;
using nlohmann::json;

constexpr uint32_t header_bytes = 24;
constexpr uint64_t segment_align = 16;
constexpr uint64_t file_align = 16;  // the most that a parser asks of an address
constexpr uint64_t most_repeated = 1'000'000;
// A vtable's own length, and the offsets in it, have 16 bits.
constexpr uint64_t most_table_bytes = 0xffff;
constexpr uint64_t most_field_id = (most_table_bytes - 4) / 2 - 1;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error((path.empty() ? "program" : path) + ": " + what);
}

std::string snake(const std::string& name) {
  std::string text;
  for (const char ch : name) {
    const auto upper = std::isupper(static_cast<unsigned char>(ch)) != 0;
    if (upper && !text.empty()) text += '_';
    text += upper ? static_cast<char>(std::tolower(static_cast<unsigned char>(ch))) : ch;
  }
  return text;
}

/// One field that a table is to have.
struct Slot {
  size_t id = 0;
  uint32_t width = 0;
  uint32_t offset = 0;  ///< from the table's start
  std::string name;
  TypeCode code{};
  const TypeTable* type = nullptr;
  const json* content = nullptr;
  std::string member;  ///< a union's: key that named it
  uint8_t tag = 0;     ///< a union type field's value
  bool is_tag = false;
};

class Writer {
 public:
  /// `front`: zeros between the headers and the first table.
  File run(const json& program, const json& file, uint64_t front) {
    const json segment = file.value("segment_data", json());
    const uint32_t header = file.value("extended_header", segment.is_null() ? 0u : 32u);
    put(4, 0, "#root");
    name("#identifier", 4);
    for (const char ch : {'E', 'T', '1', '2'}) out_.bytes.push_back(static_cast<uint8_t>(ch));
    if (header != 0) open_header(header);
    out_.bytes.resize(out_.bytes.size() + front);
    table(*program::wire::ProgramTypeTable(), program, "", 0);
    const uint64_t program_bytes = out_.bytes.size();
    if (header != 0) close_header(header, program_bytes, segment);
    return std::move(out_);
  }

 private:
  void name(const std::string& place, uint32_t width) {
    out_.places[place] = {out_.bytes.size(), width};
  }

  void put(uint32_t width, uint64_t value, const std::string& place) {
    if (!place.empty()) name(place, width);
    for (uint32_t i = 0; i < width; ++i) {
      out_.bytes.push_back(static_cast<uint8_t>(i < 8 ? value >> (8 * i) : 0));
    }
  }

  void set(uint64_t at, uint32_t width, uint64_t value) {
    for (uint32_t i = 0; i < width; ++i)
      out_.bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
  }

  /// Pads until `ahead` bytes further is a multiple of `align`.
  void align(uint64_t align, uint64_t ahead = 0) {
    while ((out_.bytes.size() + ahead) % align != 0) out_.bytes.push_back(0);
  }

  void open_header(uint32_t length) {
    name("#header.magic", 4);
    for (const char ch : {'e', 'h', '0', '0'}) out_.bytes.push_back(static_cast<uint8_t>(ch));
    put(4, length, "#header.length");
    put(8, 0, "#header.program_size");
    put(8, 0, "#header.segment_base_offset");
    if (length > header_bytes) put(8, 0, "#header.segment_data_size");
  }

  void close_header(uint32_t length, uint64_t program_bytes, const json& segment) {
    set(out_.places["#header.program_size"].at, 8, program_bytes);
    if (segment.is_null()) return;
    align(segment_align);
    set(out_.places["#header.segment_base_offset"].at, 8, out_.bytes.size());
    if (!segment.is_array()) fail("segment_data", "must be an array of bytes");
    for (const json& byte : segment) {
      if (!fits(byte, 1)) fail("segment_data", byte.dump() + " is no byte");
      put(1, static_cast<uint64_t>(byte.get<int64_t>()), "");
    }
    if (length > header_bytes) set(out_.places["#header.segment_data_size"].at, 8, segment.size());
  }

  static uint64_t number(const json& value, const TypeTable* names, const std::string& path) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number_unsigned()) return value.get<uint64_t>();
    if (value.is_number_integer()) return static_cast<uint64_t>(value.get<int64_t>());
    if (value.is_string() && names != nullptr) {
      for (size_t i = 0; i < names->num_elems; ++i) {
        if (value == names->names[i]) {
          return static_cast<uint64_t>(names->values == nullptr ? static_cast<int64_t>(i)
                                                                : names->values[i]);
        }
      }
    }
    fail(path, value.dump() + " is no value of this field");
  }

  static uint64_t scalar_bits(TypeCode code, const TypeTable* names, const json& value,
                              const std::string& path) {
    if (code.base_type != flatbuffers::ET_DOUBLE || !value.is_number()) {
      const auto kind = static_cast<ElementaryType>(code.base_type);
      if (value.is_number() && !fits(value, flatbuffers::InlineSize(kind, names))) {
        fail(path, value.dump() + " does not fit this field");
      }
      return number(value, names, path);
    }
    const auto real = value.get<double>();
    uint64_t bits = 0;
    std::memcpy(&bits, &real, sizeof(bits));
    return bits;
  }

  static const TypeTable* type_of(const TypeTable& table, TypeCode code) {
    return code.sequence_ref < 0 ? nullptr : table.type_refs[code.sequence_ref]();
  }

  static uint32_t width_of(TypeCode code, const TypeTable* type) {
    if (code.is_repeating != 0) return 4;
    const auto kind = static_cast<ElementaryType>(code.base_type);
    return static_cast<uint32_t>(flatbuffers::InlineSize(kind, type));
  }

  static size_t unknown_field(const std::string& key, const std::string& path) {
    const std::string digits = key.substr(1);
    const bool number = !digits.empty() && digits.size() < 9 &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
    if (!number || std::stoul(digits) > most_field_id) {
      fail(path, key + " is no field: # and a number up to " + std::to_string(most_field_id));
    }
    return std::stoul(digits);
  }

  static uint64_t times_of(const json& repeated, const std::string& path) {
    const json times = repeated.value("times", json());
    if (!times.is_number_unsigned() || times.get<uint64_t>() > most_repeated ||
        !repeated.contains("#repeat")) {
      fail(path, repeated.dump() + ": needs \"#repeat\", and \"times\" from 0 to " +
                     std::to_string(most_repeated));
    }
    return times.get<uint64_t>();
  }

  /// The slots that one key of a table's JSON stands for.
  void add_slots(const TypeTable& type, const std::string& key, const json& content,
                 const std::string& path, std::vector<Slot>& slots) {
    Slot slot;
    slot.content = &content;
    if (key.front() == '#') {  // a field that this version of the schema lacks
      slot.id = unknown_field(key, path);
      slot.width = 4;
      slot.name = key;
      slot.code.base_type = content.is_string() ? flatbuffers::ET_STRING : flatbuffers::ET_INT;
      slots.push_back(slot);
      return;
    }
    for (size_t i = 0; i < type.num_elems; ++i) {
      const TypeCode code = type.type_codes[i];
      const TypeTable* child = type_of(type, code);
      if (child != nullptr && child->st == flatbuffers::ST_UNION &&
          code.base_type != flatbuffers::ET_UTYPE) {
        for (size_t tag = 1; tag < child->num_elems; ++tag) {
          if (snake(child->names[tag]) != key) continue;
          Slot kind{i - 1,   1,       0,  type.names[i - 1],         {},
                    nullptr, nullptr, "", static_cast<uint8_t>(tag), true};
          slots.push_back(kind);
          slots.push_back({i, 4, 0, type.names[i], code, type_of(*child, child->type_codes[tag]),
                           &content, key, 0, false});
          return;
        }
      }
      if (key != type.names[i]) continue;
      slot.id = i;
      slot.width = width_of(code, child);
      slot.name = key;
      slot.code = code;
      slot.type = child;
      slots.push_back(slot);
      return;
    }
    fail(path, "the schema has no field \"" + key + "\" here");
  }

  void table(const TypeTable& type, const json& object, const std::string& path,
             uint64_t reference) {
    if (!object.is_object()) fail(path, "must be an object, as it is a table");
    std::vector<Slot> slots;
    for (const auto& [key, content] : object.items()) add_slots(type, key, content, path, slots);
    size_t entries = 0;
    for (const Slot& slot : slots) entries = std::max(entries, slot.id + 1);
    std::stable_sort(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) {
      return a.width != b.width ? a.width > b.width : a.id < b.id;
    });
    uint32_t size = 4;
    for (Slot& slot : slots) {
      size = (size + slot.width - 1) / slot.width * slot.width;
      slot.offset = size;
      size += slot.width;
    }
    const uint64_t vtable_bytes = 4 + 2 * entries;
    if (size > most_table_bytes) fail(path, "has more fields than a table can hold");
    align(8, vtable_bytes);
    const uint64_t vtable = out_.bytes.size();
    put(2, vtable_bytes, path + "#vtable_length");
    put(2, size, path + "#table_length");
    for (size_t id = 0; id < entries; ++id) {
      const auto slot =
          std::find_if(slots.begin(), slots.end(), [&](const Slot& s) { return s.id == id; });
      put(2, slot == slots.end() ? 0 : slot->offset,
          slot == slots.end() ? "" : path + "#slot." + slot->name);
    }
    const uint64_t start = out_.bytes.size();
    set(reference, 4, start - reference);
    put(4, start - vtable, path + "#vtable");
    for (const Slot& slot : slots) inline_part(slot, path, start);
    for (const Slot& slot : slots) content(slot, path, start + slot.offset);
  }

  static std::string join(const std::string& path, const std::string& field) {
    return path.empty() ? field : path + "." + field;
  }

  void inline_part(const Slot& slot, const std::string& path, uint64_t start) {
    while (out_.bytes.size() < start + slot.offset) out_.bytes.push_back(0);
    const std::string here = join(path, slot.member.empty() ? slot.name : slot.member);
    if (slot.is_tag) return put(1, slot.tag, here);
    if (refers(slot)) return put(4, 0, here + "#offset");
    put(slot.width, scalar_bits(slot.code, slot.type, *slot.content, here), here);
  }

  static bool refers(const Slot& slot) {
    return slot.code.is_repeating != 0 || slot.code.base_type == flatbuffers::ET_STRING ||
           slot.code.base_type == flatbuffers::ET_SEQUENCE;
  }

  void content(const Slot& slot, const std::string& path, uint64_t reference) {
    if (slot.is_tag || !refers(slot)) return;
    const std::string here = join(path, slot.member.empty() ? slot.name : slot.member);
    if (slot.code.is_repeating != 0) {
      vector(slot, *slot.content, here, reference);
    } else if (slot.code.base_type == flatbuffers::ET_STRING) {
      string(*slot.content, here, reference);
    } else {
      table(*slot.type, *slot.content, here, reference);
    }
  }

  void string(const json& text, const std::string& path, uint64_t reference) {
    const json& letters = text.is_object() ? text.value("#repeat", json()) : text;
    if (!letters.is_string() || (text.is_object() && letters.get<std::string>().size() != 1)) {
      fail(path, text.dump() + " is no text, nor one letter repeated");
    }
    const auto value = text.is_object()
                           ? std::string(times_of(text, path), letters.get<std::string>()[0])
                           : letters.get<std::string>();
    align(4);
    set(reference, 4, out_.bytes.size() - reference);
    put(4, value.size(), path + "#length");
    name(path, 1);
    for (const char ch : value) out_.bytes.push_back(static_cast<uint8_t>(ch));
    put(1, 0, path + "#terminator");
  }

  void vector(const Slot& slot, const json& items, const std::string& path, uint64_t reference) {
    const bool repeated = items.is_object();
    if (!repeated && !items.is_array()) fail(path, "must be an array");
    const uint64_t count = repeated ? times_of(items, path) : items.size();
    const bool tables = slot.code.base_type == flatbuffers::ET_SEQUENCE;
    const uint32_t width = static_cast<uint32_t>(
        flatbuffers::InlineSize(static_cast<ElementaryType>(slot.code.base_type), slot.type));
    align(std::max(width, uint32_t{4}), 4);
    set(reference, 4, out_.bytes.size() - reference);
    put(4, count, path + "#length");
    const uint64_t first = out_.bytes.size();
    for (uint64_t i = 0; i < count; ++i) {
      const json& item = repeated ? items.at("#repeat") : items[i];
      const std::string here = repeated && i > 0 ? "" : path + "[" + std::to_string(i) + "]";
      const uint64_t bits = tables ? 0 : scalar_bits(slot.code, slot.type, item, path);
      put(width, bits, here.empty() ? "" : here + (tables ? "#offset" : ""));
    }
    if (!tables || count == 0) return;
    if (!repeated) {
      for (uint64_t i = 0; i < count; ++i) {
        table(*slot.type, items[i], path + "[" + std::to_string(i) + "]", first + 4 * i);
      }
      return;
    }
    table(*slot.type, items.at("#repeat"), path + "[0]", first);
    uint32_t distance = 0;
    std::memcpy(&distance, &out_.bytes[first], sizeof(distance));
    for (uint64_t i = 1; i < count; ++i) set(first + 4 * i, 4, distance - 4 * i);
  }

  File out_;
};

}  // namespace

bool fits(const json& value, uint32_t width) {
  if (!value.is_number_integer() || width == 0) return false;
  if (width >= 8) return true;
  const int64_t top = int64_t{1} << (8 * width);
  if (value.is_number_unsigned()) return value.get<uint64_t>() < static_cast<uint64_t>(top);
  return value.get<int64_t>() >= -top / 2 && value.get<int64_t>() < top;
}

File write_program(const json& program, const json& file) {
  File written = Writer().run(program, file, 0);
  // Eight bytes move everything behind them and no alignment.
  if (written.bytes.size() % file_align == 8) written = Writer().run(program, file, 8);
  return written;
}

}  // namespace aoti_cts::corpus
