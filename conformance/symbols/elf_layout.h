// The wire structures of ELF, once for each word size and byte order, and how each becomes a plain
// structure in the machine's own integers.
//
// Wire structures are made of integers of alignment 1 that know their byte order, so that a
// structure can be copied from any offset of any file; nothing here is ever a pointer cast. Field
// order and sizes are those of the System V ABI, chapter 4 and 5, and of the GNU symbol versioning
// text.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace aoti_cts::symbols::elf {

/// An unsigned integer as it lies in a file: any alignment, fixed byte order.
template <class T, std::endian Order>
class Wire {
 public:
  constexpr operator T() const {
    // One load, which a loop over many of them can do by the vector.
    if constexpr (Order == std::endian::native) return std::bit_cast<T>(*this);
    T value = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      const size_t at = Order == std::endian::little ? sizeof(T) - 1 - i : i;
      value = static_cast<T>((static_cast<uint64_t>(value) << 8) | bytes_[at]);
    }
    return value;
  }

 private:
  unsigned char bytes_[sizeof(T)];
};

/// Word size and byte order of a file.
struct Form {
  bool wide = true;  ///< ELFCLASS64
  bool big = false;  ///< ELFDATA2MSB
  uint64_t word() const { return wide ? 8 : 4; }
};

struct Header {
  uint16_t type, machine;
  uint64_t program_offset, section_offset;
  uint32_t flags;
  uint16_t header_size, program_entry, program_count, section_entry, section_count;
};

struct Segment {
  uint32_t type, flags;
  uint64_t offset, address, file_size, memory_size, alignment;
};

struct Section {
  uint32_t type, link, info;
  uint64_t flags, address, offset, size, entry_size;
};

struct Dynamic {
  uint64_t tag, value;
};

struct Symbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t section;
  uint64_t value, size;
};

struct Relocation {
  uint64_t offset;
  uint64_t info;  ///< symbol index above `type` bits
};

struct VersionDefinition {
  uint16_t version, flags, index, aux_count;
  uint32_t hash, aux, next;
};

struct VersionDefinitionAux {
  uint32_t name, next;
};

struct VersionNeed {
  uint16_t version, aux_count;
  uint32_t file, aux, next;
};

struct VersionNeedAux {
  uint32_t hash;
  uint16_t flags, other;
  uint32_t name, next;
};

struct Note {
  uint32_t name_size, description_size, type;
};

namespace wire {

template <bool Wide, std::endian Order>
struct Types {
  using U16 = Wire<uint16_t, Order>;
  using U32 = Wire<uint32_t, Order>;
  using Word = Wire<std::conditional_t<Wide, uint64_t, uint32_t>, Order>;

  struct Header {
    unsigned char ident[16];
    U16 type, machine;
    U32 version;
    Word entry, program_offset, section_offset;
    U32 flags;
    U16 header_size, program_entry, program_count, section_entry, section_count, section_names;
    elf::Header plain() const {
      return {type,        machine,       program_offset, section_offset, flags,
              header_size, program_entry, program_count,  section_entry,  section_count};
    }
  };

  struct Segment32 {
    U32 type;
    Word offset, address, physical, file_size, memory_size;
    U32 flags;
    Word alignment;
    elf::Segment plain() const {
      return {type, flags, offset, address, file_size, memory_size, alignment};
    }
  };
  struct Segment64 {
    U32 type, flags;
    Word offset, address, physical, file_size, memory_size, alignment;
    elf::Segment plain() const {
      return {type, flags, offset, address, file_size, memory_size, alignment};
    }
  };
  using Segment = std::conditional_t<Wide, Segment64, Segment32>;

  struct Section {
    U32 name, type;
    Word flags, address, offset, size;
    U32 link, info;
    Word alignment, entry_size;
    elf::Section plain() const {
      return {type, link, info, flags, address, offset, size, entry_size};
    }
  };

  struct Dynamic {
    Word tag, value;
    elf::Dynamic plain() const { return {tag, value}; }
  };

  struct Symbol32 {
    U32 name;
    Word value, size;
    unsigned char info, other;
    U16 section;
    elf::Symbol plain() const { return {name, info, other, section, value, size}; }
  };
  struct Symbol64 {
    U32 name;
    unsigned char info, other;
    U16 section;
    Word value, size;
    elf::Symbol plain() const { return {name, info, other, section, value, size}; }
  };
  using Symbol = std::conditional_t<Wide, Symbol64, Symbol32>;

  struct Relocation {
    Word offset, info;
    elf::Relocation plain() const { return {offset, info}; }
  };

  struct VersionDefinition {
    U16 version, flags, index, aux_count;
    U32 hash, aux, next;
    elf::VersionDefinition plain() const {
      return {version, flags, index, aux_count, hash, aux, next};
    }
  };
  struct VersionDefinitionAux {
    U32 name, next;
    elf::VersionDefinitionAux plain() const { return {name, next}; }
  };
  struct VersionNeed {
    U16 version, aux_count;
    U32 file, aux, next;
    elf::VersionNeed plain() const { return {version, aux_count, file, aux, next}; }
  };
  struct VersionNeedAux {
    U32 hash;
    U16 flags, other;
    U32 name, next;
    elf::VersionNeedAux plain() const { return {hash, flags, other, name, next}; }
  };
  struct Note {
    U32 name_size, description_size, type;
    elf::Note plain() const { return {name_size, description_size, type}; }
  };
  struct Half {
    U16 value;
    uint16_t plain() const { return value; }
  };
  struct Quarter {
    U32 value;
    uint32_t plain() const { return value; }
  };
  struct Whole {
    Word value;
    uint64_t plain() const { return value; }
  };
};

}  // namespace wire

/// Calls `f` with the wire::Types of a file's form.
template <class F>
decltype(auto) with_types(Form form, F f) {
  if (form.wide) {
    return form.big ? f(wire::Types<true, std::endian::big>{})
                    : f(wire::Types<true, std::endian::little>{});
  }
  return form.big ? f(wire::Types<false, std::endian::big>{})
                  : f(wire::Types<false, std::endian::little>{});
}

/// A wire structure copied out of bytes. The caller has checked that enough of them are there.
template <class W>
W load(std::span<const std::byte> bytes, size_t offset = 0) {
  static_assert(alignof(W) == 1 && std::is_trivially_copyable_v<W>);
  W value;
  std::memcpy(&value, bytes.data() + offset, sizeof(W));
  return value;
}

}  // namespace aoti_cts::symbols::elf
