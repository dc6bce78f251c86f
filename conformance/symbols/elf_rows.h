// Single rows of ELF tables, shared by the files that implement ElfFile and by nobody else.
#pragma once

#include <fmt/format.h>

#include <array>

#include "symbols/elf.h"

namespace aoti_cts::symbols {

/// Row `index` of a table of wire structures; `select` names the structure: given wire::Types, it
/// returns one.
template <class Select>
auto ElfFile::read_row(const Area& area, uint64_t index, std::string_view field, Select select) {
  return with_types(form_, [&](auto types) {
    using W = decltype(select(types));
    if (index >= area.left / sizeof(W)) {
      input_.fail(fmt::format("index into {}", field), index,
                  fmt::format("its segment has room for {}", area.left / sizeof(W)));
    }
    std::array<std::byte, sizeof(W)> bytes;
    input_.read(area.offset + index * sizeof(W), bytes, field);
    return elf::load<W>(bytes).plain();
  });
}

inline ElfSymbol plain_symbol(const elf::Symbol& raw, uint32_t index, std::string_view name) {
  ElfSymbol symbol;
  symbol.name = name;
  symbol.value = raw.value;
  symbol.size = raw.size;
  symbol.index = index;
  symbol.section = raw.section;
  symbol.type = raw.info & 15;
  symbol.binding = raw.info >> 4;
  symbol.visibility = raw.other & 3;
  return symbol;
}

inline void set_version(ElfSymbol& symbol, uint16_t raw) {
  symbol.version = raw & 0x7fff;
  symbol.hidden_version = (raw & 0x8000) != 0;
}

}  // namespace aoti_cts::symbols
