// Headers, segments and the dynamic section of an ELF file, and single rows of its tables; see
// elf.h. Hash tables are in elf_hash.cpp and elf_consistency.cpp, versions and notes in
// elf_versions.cpp.
#include "symbols/elf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "symbols/elf_rows.h"

namespace aoti_cts::symbols {
namespace {

constexpr uint32_t kLoad = 1, kDynamic = 2, kInterpreter = 3, kNote = 4, kGnuStack = 0x6474e551;
constexpr uint64_t kMaxStrings = 256u << 20;  // bytes of names; libtorch_cpu has 5 MiB
constexpr uint64_t kMaxNeeded = 4096;
constexpr uint64_t kMaxString = 4096;     // of a library name or version
constexpr uint64_t kMaxPath = 64u << 10;  // of DT_RPATH and DT_RUNPATH, lists of folders
// Rows may share names, and overlapping ones of a hostile table add up to the square of its size.
constexpr uint64_t kMaxNameBytes = 512u << 20;

}  // namespace

bool ElfFile::is_elf(Input& input) {
  std::array<std::byte, 4> magic = {};
  if (input.size() < magic.size()) return false;
  input.read(0, magic, "magic");
  return magic == std::array{std::byte{0x7f}, std::byte{'E'}, std::byte{'L'}, std::byte{'F'}};
}

ElfFile::ElfFile(Input& input) : input_(input) {
  read_header();
  read_segments();
  read_dynamic();
  locate_tables();
}

void ElfFile::read_header() {
  std::array<std::byte, 16> ident = {};
  input_.read(0, ident, "e_ident");
  if (!is_elf(input_)) input_.fail("e_ident", "not an ELF file");
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(ident[i]); };
  if (byte(4) != 1 && byte(4) != 2) {
    input_.fail("EI_CLASS", byte(4), "must be 1 (32 bits) or 2 (64 bits)");
  }
  if (byte(5) != 1 && byte(5) != 2) {
    input_.fail("EI_DATA", byte(5), "must be 1 (little-endian) or 2 (big-endian)");
  }
  if (byte(6) != 1) input_.fail("EI_VERSION", byte(6), "must be 1");
  form_ = {.wide = byte(4) == 2, .big = byte(5) == 2};
  with_types(form_, [&](auto types) {
    using W = typename decltype(types)::Header;
    std::array<std::byte, sizeof(W)> bytes = {};
    input_.read(0, bytes, "ELF header");
    header_ = elf::load<W>(bytes).plain();
  });
  if (header_.type != 2 && header_.type != 3) {
    input_.fail("e_type", header_.type,
                "must be 3 (shared object) or 2 (executable): nothing else has a dynamic symbol "
                "table");
  }
}

void ElfFile::read_segments() {
  const uint64_t count = header_.program_count;
  if (count == 0xffff) input_.fail("e_phnum", count, "PN_XNUM: loaders take at most 65534");
  with_types(form_, [&](auto types) {
    using W = typename decltype(types)::Segment;
    if (count != 0 && header_.program_entry != sizeof(W)) {
      input_.fail("e_phentsize", header_.program_entry, fmt::format("must be {}", sizeof(W)));
    }
    input_.need(header_.program_offset, count * sizeof(W), "e_phoff");
    std::vector<std::byte> bytes(count * sizeof(W));
    input_.read(header_.program_offset, bytes, "program headers");
    for (uint64_t i = 0; i < count; ++i) {
      read_segment(elf::load<W>(bytes, i * sizeof(W)).plain());
    }
  });
  if (!dynamic_segment_) {
    input_.fail("program headers", "no PT_DYNAMIC: the file has no dynamic symbol table");
  }
}

void ElfFile::read_segment(const elf::Segment& segment) {
  if (segment.type == kLoad) {
    input_.need(segment.offset, segment.file_size, "p_offset of PT_LOAD");
    if (segment.file_size > segment.memory_size) {
      input_.fail("p_filesz of PT_LOAD", segment.file_size,
                  fmt::format("more than p_memsz, {}", segment.memory_size));
    }
    checked_add(input_, segment.address, segment.memory_size, "p_vaddr of PT_LOAD");
    if (!loads_.empty() && segment.address < loads_.back().address + loads_.back().memory_size) {
      input_.fail("p_vaddr of PT_LOAD", segment.address,
                  "overlaps or precedes the segment before it");
    }
    loads_.push_back(segment);
  } else if (segment.type == kInterpreter) {
    interpreted_ = true;
  } else if (segment.type == kNote) {
    notes_.push_back(segment);
  } else if (segment.type == kDynamic) {
    if (dynamic_segment_) input_.fail("program headers", "two PT_DYNAMIC segments");
    dynamic_segment_ = segment;
  } else if (segment.type == kGnuStack) {
    executable_stack_ = (segment.flags & 1) != 0;
  }
}

ElfFile::Area ElfFile::locate(uint64_t address, std::string_view field) const {
  const auto after = std::upper_bound(
      loads_.begin(), loads_.end(), address,
      [](uint64_t value, const elf::Segment& segment) { return value < segment.address; });
  if (after == loads_.begin()) input_.fail(field, address, "no PT_LOAD segment holds that address");
  const elf::Segment& segment = *(after - 1);
  const uint64_t into = address - segment.address;
  if (into >= segment.file_size) {
    input_.fail(field, address,
                fmt::format("no file bytes stand behind it: the PT_LOAD at {:#x} has {}",
                            segment.address, segment.file_size));
  }
  const uint64_t offset = segment.offset + into;
  const uint64_t header = form_.wide ? 64 : 52;
  if (offset < header) {  // no linker does that, and it would give e_shoff a second meaning
    input_.fail(
        field, address,
        fmt::format("at offset {} of the file, inside the ELF header of {} bytes", offset, header));
  }
  return {offset, segment.file_size - into};
}

ElfFile::Area ElfFile::locate(uint64_t address, uint64_t length, std::string_view field) const {
  const Area area = locate(address, field);
  if (length > area.left) {
    input_.fail(
        field, address,
        fmt::format("{} bytes from there run past the segment's {} file bytes", length, area.left));
  }
  return {area.offset, length};
}

void ElfFile::read_dynamic() {
  const elf::Segment& segment = *dynamic_segment_;
  const Area area = locate(segment.address, segment.file_size, "p_vaddr of PT_DYNAMIC");
  if (area.offset != segment.offset) {
    input_.fail("p_offset of PT_DYNAMIC", segment.offset,
                fmt::format("the PT_LOAD segments put its address at {}", area.offset));
  }
  std::vector<uint64_t> needed;
  const bool ended = with_types(form_, [&](auto types) {
    using W = typename decltype(types)::Dynamic;
    for (uint64_t i = 0; i < area.left / sizeof(W); ++i) {
      std::array<std::byte, sizeof(W)> bytes = {};
      input_.read(area.offset + i * sizeof(W), bytes, "dynamic entry");
      const elf::Dynamic entry = elf::load<W>(bytes).plain();
      if (entry.tag == 0) return true;
      keep_tag(entry, needed);
    }
    return false;
  });
  if (!ended) {
    input_.fail("p_filesz of PT_DYNAMIC", segment.file_size, "no DT_NULL entry within it");
  }
  for (const auto& [tag, name] : {std::pair{dynamic_.strtab, "DT_STRTAB"},
                                  {dynamic_.strsz, "DT_STRSZ"},
                                  {dynamic_.symtab, "DT_SYMTAB"}}) {
    if (!tag) input_.fail("dynamic section", fmt::format("no {}", name));
  }
  if (*dynamic_.strsz > kMaxStrings) {
    input_.fail("DT_STRSZ", *dynamic_.strsz, fmt::format("at most {} are read", kMaxStrings));
  }
  strings_ = locate(*dynamic_.strtab, *dynamic_.strsz, "DT_STRTAB");
  std::array<std::byte, 1> first = {}, last = {};
  if (strings_.left == 0) input_.fail("DT_STRSZ", 0, "a string table holds at least one NUL");
  input_.read(strings_.offset, first, "DT_STRTAB");
  if (first[0] != std::byte{0}) {
    input_.fail("first byte of DT_STRTAB", static_cast<uint64_t>(first[0]), "must be 0");
  }
  input_.read(strings_.offset + strings_.left - 1, last, "DT_STRTAB");
  if (last[0] != std::byte{0}) input_.fail("DT_STRTAB", "its last string has no end");
  for (const uint64_t offset : needed)
    needed_.push_back(string_at(offset, "DT_NEEDED", kMaxString));
  if (dynamic_.soname) soname_ = string_at(*dynamic_.soname, "DT_SONAME", kMaxString);
  if (dynamic_.rpath) rpath_ = string_at(*dynamic_.rpath, "DT_RPATH", kMaxPath);
  if (dynamic_.runpath) runpath_ = string_at(*dynamic_.runpath, "DT_RUNPATH", kMaxPath);
}

void ElfFile::keep_tag(const elf::Dynamic& entry, std::vector<uint64_t>& needed) {
  // A 32-bit tag of the OS range is the same number in either word size.
  struct Row {
    uint64_t tag;
    std::optional<uint64_t> Tags::*member;
    const char* name;
  };
  static constexpr Row rows[] = {
      {4, &Tags::hash, "DT_HASH"},
      {0x6ffffef5, &Tags::gnu_hash, "DT_GNU_HASH"},
      {5, &Tags::strtab, "DT_STRTAB"},
      {6, &Tags::symtab, "DT_SYMTAB"},
      {10, &Tags::strsz, "DT_STRSZ"},
      {11, &Tags::syment, "DT_SYMENT"},
      {14, &Tags::soname, "DT_SONAME"},
      {15, &Tags::rpath, "DT_RPATH"},
      {29, &Tags::runpath, "DT_RUNPATH"},
      {22, &Tags::textrel, "DT_TEXTREL"},
      {16, &Tags::symbolic, "DT_SYMBOLIC"},
      {30, &Tags::flags, "DT_FLAGS"},
      {0x6ffffffb, &Tags::flags_1, "DT_FLAGS_1"},
      {0x6ffffff0, &Tags::versym, "DT_VERSYM"},
      {0x6ffffffc, &Tags::verdef, "DT_VERDEF"},
      {0x6ffffffd, &Tags::verdefnum, "DT_VERDEFNUM"},
      {0x6ffffffe, &Tags::verneed, "DT_VERNEED"},
      {0x6fffffff, &Tags::verneednum, "DT_VERNEEDNUM"},
  };
  if (entry.tag == 1) {
    if (needed.size() == kMaxNeeded) {
      input_.fail("DT_NEEDED", needed.size() + 1, fmt::format("at most {} are read", kMaxNeeded));
    }
    needed.push_back(entry.value);
    return;
  }
  for (const Row& row : rows) {
    if (row.tag != entry.tag) continue;
    if (dynamic_.*row.member) input_.fail(row.name, "stands twice in the dynamic section");
    dynamic_.*row.member = entry.value;
  }
}

void ElfFile::locate_tables() {
  const uint64_t row = form_.wide ? 24 : 16;
  if (dynamic_.syment && *dynamic_.syment != row) {
    input_.fail("DT_SYMENT", *dynamic_.syment, fmt::format("must be {}", row));
  }
  symbols_ = locate(*dynamic_.symtab, "DT_SYMTAB");
  for (const auto& [tag, name] :
       {std::pair{dynamic_.verdef, "DT_VERDEF"}, {dynamic_.verneed, "DT_VERNEED"}}) {
    if (tag && !dynamic_.versym) {
      input_.fail("dynamic section", fmt::format("{} without DT_VERSYM", name));
    }
  }
  if (dynamic_.versym) version_rows_ = locate(*dynamic_.versym, "DT_VERSYM");
  if (dynamic_.gnu_hash) read_gnu_hash_header();
  if (dynamic_.hash) read_sysv_hash_header();
  if (!gnu_hash_ && !sysv_hash_) {
    input_.fail("dynamic section",
                "neither DT_GNU_HASH nor DT_HASH: symbol count unknown, and the loader finds none");
  }
}

bool ElfFile::text_relocations() const { return dynamic_.textrel || (flags() & 4) != 0; }

bool ElfFile::symbolic() const { return dynamic_.symbolic || (flags() & 2) != 0; }

elf::Symbol ElfFile::raw_symbol(uint64_t index) {
  return read_row(symbols_, index, "dynamic symbol",
                  [](auto types) { return typename decltype(types)::Symbol{}; });
}

uint16_t ElfFile::raw_version(uint64_t index) {
  return read_row(version_rows_, index, "DT_VERSYM",
                  [](auto types) { return typename decltype(types)::Half{}; });
}

uint32_t ElfFile::u32(const Area& area, uint64_t index, std::string_view field) {
  return read_row(area, index, field,
                  [](auto types) { return typename decltype(types)::Quarter{}; });
}

std::string ElfFile::version_name(uint64_t offset, std::string_view field) {
  return string_at(offset, field, kMaxString);
}

std::string ElfFile::string_at(uint64_t offset, std::string_view field, uint64_t limit) {
  if (offset >= strings_.left) {
    input_.fail(field, offset, fmt::format("outside the string table of {} bytes", strings_.left));
  }
  std::string text;
  std::array<std::byte, 64> block = {};
  for (uint64_t at = offset; text.size() < limit;) {
    const size_t size = std::min<uint64_t>(block.size(), strings_.left - at);
    input_.read(strings_.offset + at, std::span(block).first(size), field);
    const auto* begin = reinterpret_cast<const char*>(block.data());
    const auto* end = static_cast<const char*>(std::memchr(begin, 0, size));
    text.append(begin, end == nullptr ? size : static_cast<size_t>(end - begin));
    if (end != nullptr) {
      if (text.size() > limit) break;
      return text;
    }
    at += size;  // ends: the table's last byte is NUL
  }
  input_.fail(field, offset, fmt::format("names a string of more than {} bytes", limit));
}

void ElfFile::check_name(uint64_t index, const elf::Symbol& raw) const {
  if (raw.name < strings_.left) return;
  input_.fail(fmt::format("st_name of dynamic symbol {}", index), raw.name,
              fmt::format("outside the string table of {} bytes", strings_.left));
}

bool ElfFile::name_is(uint64_t index, const elf::Symbol& raw, std::string_view name) {
  check_name(index, raw);
  if (name.size() >= strings_.left - raw.name) return false;
  std::array<std::byte, 256> block = {};
  uint64_t at = strings_.offset + raw.name;
  for (size_t done = 0; done < name.size();) {
    const size_t size = std::min(block.size(), name.size() - done);
    input_.read(at, std::span(block).first(size), "DT_STRTAB");
    if (std::memcmp(block.data(), name.data() + done, size) != 0) return false;
    done += size;
    at += size;
  }
  input_.read(at, std::span(block).first(1), "DT_STRTAB");
  return block[0] == std::byte{0};
}

ElfSymbol ElfFile::symbol(uint64_t index, std::string_view name) {
  ElfSymbol result = plain_symbol(raw_symbol(index), static_cast<uint32_t>(index), name);
  if (dynamic_.versym) set_version(result, raw_version(index));
  return result;
}

ElfSymbolTable ElfFile::read_all() {
  const uint64_t rows = rows_ = count();
  ElfSymbolTable table;
  table.strings.resize(strings_.left);
  input_.read(strings_.offset, std::as_writable_bytes(std::span(table.strings)), "DT_STRTAB");
  table.symbols.resize(rows);
  std::vector<std::byte> bytes;
  uint64_t name_bytes = 0;
  with_types(form_, [&](auto types) {
    using Types = decltype(types);
    using W = typename Types::Symbol;
    bytes.resize(rows * sizeof(W));
    input_.read(symbols_.offset, bytes, "DT_SYMTAB");
    for (uint32_t i = 0; i < rows; ++i) {
      const elf::Symbol raw = elf::load<W>(bytes, i * sizeof(W)).plain();
      check_name(i, raw);
      table.symbols[i] = plain_symbol(raw, i, table.strings.data() + raw.name);
      name_bytes += table.symbols[i].name.size();
      if (name_bytes > kMaxNameBytes) {
        input_.fail("bytes of names", name_bytes,
                    fmt::format("at most {} are read, and {} of {} dynamic symbols have that",
                                kMaxNameBytes, i + 1, rows));
      }
    }
    if (!dynamic_.versym) return;
    using H = typename Types::Half;
    if (rows > version_rows_.left / sizeof(H)) {
      input_.fail("DT_VERSYM", *dynamic_.versym,
                  fmt::format("{} rows from there run past the segment", rows));
    }
    bytes.resize(rows * sizeof(H));
    input_.read(version_rows_.offset, bytes, "DT_VERSYM");
    for (uint32_t i = 0; i < rows; ++i) {
      set_version(table.symbols[i], elf::load<H>(bytes, i * sizeof(H)).plain());
    }
  });
  for (const ElfSymbol& symbol : table.symbols) check_version(symbol);
  if (gnu_hash_) check_gnu_hash(table);
  if (sysv_hash_) check_sysv_hash(table);
  for (const ElfSymbol& symbol : table.symbols) check_symbol(symbol);
  verified_ = true;
  return table;
}

}  // namespace aoti_cts::symbols
