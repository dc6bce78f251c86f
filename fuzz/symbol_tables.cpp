// The ELF reader on any bytes.
//
//   ./dev fuzz symbol_tables
//   build/dev/fuzz/fuzz_symbol_tables build/dev/conformance/symbols/zoo
//
// Oracle. Whatever the bytes, a table is either refused with an error that names the file or
// read whole; and what is read whole holds together by a second way in:
//   - every symbol that another module can bind to is found by name through the hash table, with
//     the same row, and a look-up returns nothing but rows of the listing;
//   - the same file without section headers reads the same, unless it is refused for an unknown
//     number of symbols;
//   - a row has its own index, and a version that the version tables know.
//
// fuzz-link: aoti_cts_symbols
// fuzz-seeds: aoti_cts_symbol_zoo
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "symbols/elf.h"

namespace {

using namespace aoti_cts::symbols;

[[noreturn]] void finding(const char* rule, const std::string& what) {
  std::fprintf(stderr, "finding: %s: %s\n", rule, what.c_str());
  std::abort();
}

bool same(const ElfSymbol& a, const ElfSymbol& b) {
  return a.name == b.name && a.value == b.value && a.size == b.size && a.index == b.index &&
         a.section == b.section && a.type == b.type && a.binding == b.binding &&
         a.visibility == b.visibility && a.version == b.version &&
         a.hidden_version == b.hidden_version;
}

void check_lookups(ElfFile& file, const ElfSymbolTable& table) {
  // A few hundred rows say as much as all of them; a hostile table may have thousands of one name.
  const size_t step = table.symbols.size() / 256 + 1;
  for (size_t i = 0; i < table.symbols.size(); i += step) {
    const ElfSymbol& symbol = table.symbols[i];
    if (symbol.index != i) finding("index", std::to_string(i));
    const std::vector<ElfSymbol> found = file.find(symbol.name);
    bool self = false;
    for (const ElfSymbol& row : found) {
      if (row.index >= table.symbols.size() || !same(row, table.symbols[row.index])) {
        finding("look-up returns a row that the listing lacks", std::string(symbol.name));
      }
      self |= row.index == i;
    }
    if (symbol.exported() && !self) finding("look-up misses", std::string(symbol.name));
    file.version_suffix(symbol);
  }
}

// The table, or nothing where the file was refused.
std::optional<ElfSymbolTable> read(Input& input, bool look_up) {
  try {
    ElfFile file(input);
    ElfSymbolTable table = file.read_all();
    if (look_up) check_lookups(file, table);
    file.build_id();
    return table;
  } catch (const BadFile& error) {
    if (std::string(error.what()).rfind("input: ", 0) != 0) {
      finding("an error that does not name the file", error.what());
    }
    return std::nullopt;
  }
}

std::vector<std::byte> without_sections(std::vector<std::byte> bytes) {
  const bool wide = bytes[4] == std::byte{2};
  const auto clear = [&](size_t offset, size_t length) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), length, std::byte{0});
  };
  clear(wide ? 0x28 : 0x20, wide ? 8 : 4);
  clear(wide ? 0x3c : 0x30, 4);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  MemoryInput input("input", std::span(bytes, size));
  const std::optional<ElfSymbolTable> table = read(input, true);
  if (!table) return 0;
  const std::vector<std::byte> stripped =
      without_sections(std::vector<std::byte>(bytes, bytes + size));
  MemoryInput other("input", stripped);
  const std::optional<ElfSymbolTable> again = read(other, false);
  if (!again) return 0;
  const bool equal = std::equal(table->symbols.begin(), table->symbols.end(),
                                again->symbols.begin(), again->symbols.end(), same);
  if (!equal) finding("reads otherwise without section headers", "");
  return 0;
}
