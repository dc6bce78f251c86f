// The ELF reader on any bytes.
//
//   ./dev fuzz symbol_tables
//   build/dev/fuzz/fuzz_symbol_tables build/dev/conformance/symbols/zoo
//
// Oracle. Whatever the bytes, a table is either refused with an error that names the file or
// read whole; and what is read whole holds together by a second way in:
//   - every symbol that another module can bind to is found by name through the hash table, with
//     the same row, and a look-up returns nothing but rows of the listing; also where the file was
//     not read whole before;
//   - the same file without section headers reads the same, unless it is refused for an unknown
//     number of symbols;
//   - a row has its own index, and a version that the version tables know.
//
// Every second mutation strikes where the reader looks: a word of the ELF header, a program header,
// the dynamic section or one of the tables that it names, set to a neighbour, a limit or another
// word of them. A file is mostly padding and code, which random bytes hit.
//
// fuzz-link: aoti_cts_symbols
// fuzz-seeds: aoti_cts_symbol_zoo
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/deterministic.h"
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
    if (look_up) {
      try {
        ElfFile unread(input);
        check_lookups(unread, table);
      } catch (const BadFile& error) {
        finding("read whole, and refused in a look-up", error.what());
      }
    }
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

// The spans of a 64-bit little-endian file that the reader looks at; the header's alone of others.
class Layout {
 public:
  Layout(const uint8_t* data, size_t size) : data_(data), size_(size) {
    add(0, 64);
    if (size < 64 || data[4] != 2 || data[5] != 1) return;
    const uint64_t headers = get(0x20, 8), count = std::min<uint64_t>(get(0x38, 2), 64);
    add(headers, count * 56);
    for (uint64_t i = 0; i < count; ++i) {
      if (get(headers + 56 * i, 4) == 2) {
        add_dynamic(get(headers + 56 * i + 8, 8), get(headers + 56 * i + 32, 8));
      }
    }
  }

  // An aligned place in one of them.
  size_t place(std::minstd_rand& random) const {
    const auto& [offset, length] = spans_[random() % spans_.size()];
    return offset + random() % length / 4 * 4;
  }

 private:
  void add_dynamic(uint64_t offset, uint64_t length) {
    add(offset, length);
    for (uint64_t at = 0; at + 16 <= std::min<uint64_t>(length, 1024); at += 16) {
      const uint64_t tag = get(offset + at, 8), value = get(offset + at + 8, 8);
      // Tables: DT_HASH, DT_STRTAB, DT_SYMTAB, DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERNEED.
      for (const uint64_t table :
           {4ull, 5ull, 6ull, 0x6ffffef5ull, 0x6ffffff0ull, 0x6ffffffcull, 0x6ffffffeull}) {
        if (tag == table) add(value, 256);  // most zoo libraries map them where they lie
      }
    }
  }
  void add(uint64_t offset, uint64_t length) {
    if (offset < size_) spans_.emplace_back(offset, std::min<uint64_t>(length, size_ - offset));
    if (spans_.back().second == 0) spans_.pop_back();
  }
  uint64_t get(uint64_t at, size_t width) const {
    uint64_t value = 0;
    if (at > size_ || width > size_ - at) return 0;
    std::memcpy(&value, data_ + at, width);
    return value;
  }

  const uint8_t* data_;
  size_t size_;
  std::vector<std::pair<size_t, size_t>> spans_;
};

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  std::minstd_rand random(seed + 1);
  if (size < 64 || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const Layout layout(data, size);
  for (size_t strikes = 1 + random() % 3; strikes > 0; --strikes) {
    const size_t at = layout.place(random), width = random() % 2 == 0 ? 4 : 8;
    if (width > size - at) continue;
    uint64_t value = 0;
    std::memcpy(&value, data + at, width);
    switch (random() % 5) {
      case 0:
        value += random() % 64 - 32;
        break;
      case 1:
        value = uint64_t{1} << random() % 64;
        break;
      case 2:
        value = ~uint64_t{0} >> random() % 64;
        break;
      case 3: {
        const size_t from = layout.place(random);
        if (width <= size - from) std::memcpy(&value, data + from, width);
        break;
      }
      default:
        value = size - random() % 64;
        break;
    }
    std::memcpy(data + at, &value, width);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const aoti_cts::fuzz::Deterministic inside(data, size);
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
