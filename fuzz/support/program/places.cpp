// See places.h. Walks the tables by the type tables that flatc generates, so that a field that the
// schema gains is found without a line here.
#include "support/program/places.h"

#include <cstring>
#include <utility>

#include "flatbuffers/minireflect.h"
#include "program_generated.h"

namespace aoti_cts::fuzz {
namespace {

namespace wire = aoti_cts::program::wire;

/// Collects the places of a program whose structure was verified.
class Collector {
 public:
  Collector(const uint8_t* data, size_t size) : data_(data) {
    places.structure.push_back({0, 4, 1});
    if (size >= 40 && std::memcmp(data + 8, "eh00", 4) == 0) {
      places.structure.insert(places.structure.end(),
                              {{12, 4, 4}, {16, 8, 4}, {24, 8, 4}, {32, 8, 4}});
    }
    table(*wire::ProgramTypeTable(), read<uint32_t>(0));
  }
  Places places;

 private:
  static constexpr size_t most = 4096;  // shared tables could make it many more

  template <class T>
  T read(size_t at) const {
    T value;
    std::memcpy(&value, data_ + at, sizeof(value));
    return value;
  }

  static uint64_t weight_of(const char* name) {
    static constexpr const char* judged[] = {"device_type", "device_index", "buffer_idx"};
    static constexpr const char* often[] = {"sizes",           "dim_order",
                                            "memory_id",       "memory_offset_low",
                                            "scalar_type",     "storage_offset",
                                            "shape_dynamism",  "location",
                                            "data_buffer_idx", "non_const_buffer_sizes"};
    for (const char* other : judged) {
      if (std::strcmp(name, other) == 0) return 12;
    }
    for (const char* other : often) {
      if (std::strcmp(name, other) == 0) return 4;
    }
    return 1;
  }

  void table(const flatbuffers::TypeTable& type, size_t at) {
    if (places.values.size() + places.structure.size() > most) return;
    const size_t vtable = at - static_cast<size_t>(static_cast<int64_t>(read<int32_t>(at)));
    const auto bytes = read<uint16_t>(vtable);
    places.structure.insert(places.structure.end(),
                            {{at, 4, 1}, {vtable, 2, 1}, {vtable + 2, 2, 1}});
    const auto content = [&](size_t field) -> size_t {
      const size_t entry = 4 + 2 * field;
      if (entry + 2 > bytes) return 0;
      const auto distance = read<uint16_t>(vtable + entry);
      return distance == 0 ? 0 : at + distance;
    };
    for (size_t i = 0; i < type.num_elems; ++i) {
      const size_t place = content(i);
      if (place == 0) continue;
      places.slots.push_back({vtable + 4 + 2 * i, 2, 1});
      const flatbuffers::TypeCode code = type.type_codes[i];
      const flatbuffers::TypeTable* child =
          code.sequence_ref < 0 ? nullptr : type.type_refs[code.sequence_ref]();
      const bool is_union = code.base_type == flatbuffers::ET_SEQUENCE && child != nullptr &&
                            child->st == flatbuffers::ST_UNION;
      if (is_union) {
        const size_t tag_at = content(i - 1);
        const uint8_t tag = tag_at == 0 ? uint8_t{0} : data_[tag_at];
        child = tag == 0 || tag >= child->num_elems
                    ? nullptr
                    : child->type_refs[child->type_codes[tag].sequence_ref]();
        places.structure.push_back({place, 4, 1});
        if (child != nullptr) table(*child, place + read<uint32_t>(place));
      } else {
        field(code, child, place, type.names[i]);
      }
    }
  }

  void field(flatbuffers::TypeCode code, const flatbuffers::TypeTable* child, size_t at,
             const char* name) {
    const auto kind = static_cast<flatbuffers::ElementaryType>(code.base_type);
    const size_t width = flatbuffers::InlineSize(kind, child);
    const bool table_kind = kind == flatbuffers::ET_SEQUENCE;
    if (code.is_repeating == 0 && kind != flatbuffers::ET_STRING && !table_kind) {
      places.values.push_back({at, width, weight_of(name)});
      return;
    }
    places.structure.push_back({at, 4, 1});
    const size_t target = at + read<uint32_t>(at);
    if (code.is_repeating == 0 && table_kind) return table(*child, target);
    places.structure.push_back({target, 4, 1});
    if (code.is_repeating == 0) return;
    const auto count = read<uint32_t>(target);
    for (uint32_t i = 0; i < count && places.values.size() < most; ++i) {
      const size_t element = target + 4 + i * width;
      if (table_kind) {
        places.structure.push_back({element, 4, 1});
        table(*child, element + read<uint32_t>(element));
      } else {
        places.values.push_back({element, width, weight_of(name)});
      }
    }
  }

  const uint8_t* data_;
};

}  // namespace

Places places_of(const uint8_t* data, size_t size) {
  return std::move(Collector(data, size).places);
}

}  // namespace aoti_cts::fuzz
