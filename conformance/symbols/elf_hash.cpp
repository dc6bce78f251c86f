// DT_GNU_HASH and DT_HASH: how many symbols there are, whether the tables hold together, and the
// look-up of one name in place. See elf.h.
#include <fmt/format.h>

#include <algorithm>

#include "symbols/elf.h"
#include "symbols/elf_rows.h"

namespace aoti_cts::symbols {
namespace {

constexpr uint16_t kAlpha = 0x9026, kAlphaOfficial = 41, kS390 = 22;
constexpr uint64_t kMaxSymbols = 4u << 20;  // libtorch_cpu has 76 thousand

}  // namespace

uint32_t gnu_hash(std::string_view name) {
  uint32_t hash = 5381;
  for (const char ch : name) hash = hash * 33 + static_cast<unsigned char>(ch);
  return hash;
}

uint32_t sysv_hash(std::string_view name) {
  uint32_t hash = 0;
  for (const char ch : name) {
    hash = (hash << 4) + static_cast<unsigned char>(ch);
    const uint32_t high = hash & 0xf0000000;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

void ElfFile::read_gnu_hash_header() {
  const uint64_t address = *dynamic_.gnu_hash;
  const Area header = locate(address, 16, "DT_GNU_HASH");
  GnuHash hash;
  hash.buckets = u32(header, 0, "DT_GNU_HASH header");
  hash.first = u32(header, 1, "DT_GNU_HASH header");
  hash.bloom_words = u32(header, 2, "DT_GNU_HASH header");
  hash.bloom_shift = u32(header, 3, "DT_GNU_HASH header");
  if (hash.buckets == 0) input_.fail("DT_GNU_HASH nbuckets", 0, "must not be 0");
  for (const auto& [have, what] : {std::pair{hash.buckets, "DT_GNU_HASH nbuckets"},
                                   {hash.bloom_words, "DT_GNU_HASH bloom_size"}}) {
    if (have > kMaxSymbols)
      input_.fail(what, have, fmt::format("at most {} are read", kMaxSymbols));
  }
  if (hash.bloom_words == 0 || (hash.bloom_words & (hash.bloom_words - 1)) != 0) {
    input_.fail("DT_GNU_HASH bloom_size", hash.bloom_words, "must be a power of two");
  }
  if (hash.bloom_shift > 31) {
    input_.fail("DT_GNU_HASH bloom_shift", hash.bloom_shift, "must be less than 32");
  }
  const uint64_t bloom = hash.bloom_words * form_.word();
  const uint64_t bucket = uint64_t{hash.buckets} * 4;
  const Area whole = locate(address, 16 + bloom + bucket, "DT_GNU_HASH");
  hash.bloom = {whole.offset + 16, bloom};
  hash.bucket = {hash.bloom.offset + bloom, bucket};
  // The chain may be empty and the table end the segment: so no locate() of its own.
  hash.chain = {hash.bucket.offset + bucket, locate(address, "DT_GNU_HASH").left - whole.left};
  gnu_hash_ = hash;
}

void ElfFile::read_sysv_hash_header() {
  SysvHash hash;
  const bool s390x = header_.machine == kS390 && form_.wide;
  if (header_.machine == kAlpha || header_.machine == kAlphaOfficial || s390x) hash.entry = 8;
  const uint64_t address = *dynamic_.hash;
  const Area header = locate(address, uint64_t{2} * hash.entry, "DT_HASH");
  hash.buckets = hash_word(hash, header, 0, "DT_HASH nbucket");
  hash.chains = hash_word(hash, header, 1, "DT_HASH nchain");
  if (hash.buckets == 0) input_.fail("DT_HASH nbucket", 0, "must not be 0");
  if (hash.buckets > kMaxSymbols) {
    input_.fail("DT_HASH nbucket", hash.buckets, fmt::format("at most {} are read", kMaxSymbols));
  }
  const uint64_t most = locate(address, "DT_HASH").left / hash.entry - 2;
  if (hash.buckets > most) {
    input_.fail("DT_HASH nbucket", hash.buckets, fmt::format("its segment has room for {}", most));
  }
  if (hash.chains > most - hash.buckets) {
    input_.fail("DT_HASH nchain", hash.chains,
                fmt::format("its segment has room for {}", most - hash.buckets));
  }
  hash.bucket = {header.offset + header.left, hash.buckets * hash.entry};
  hash.chain = {hash.bucket.offset + hash.bucket.left, hash.chains * hash.entry};
  sysv_hash_ = hash;
}

uint64_t ElfFile::hash_word(const SysvHash& hash, const Area& area, uint64_t index,
                            std::string_view field) {
  if (hash.entry == 4) return u32(area, index, field);
  return read_row(area, index, field, [](auto types) { return typename decltype(types)::Whole{}; });
}

// Number of rows by DT_GNU_HASH: one more than the last row of the last chain. Nothing where the
// table is empty: it then says nothing of the undefined symbols before it.
std::optional<uint64_t> ElfFile::gnu_count() {
  const GnuHash& hash = *gnu_hash_;
  uint32_t last = 0;
  for (uint32_t i = 0; i < hash.buckets; ++i) {
    last = std::max(last, u32(hash.bucket, i, "DT_GNU_HASH bucket"));
  }
  if (last == 0) {
    // lld and gold still put the number of rows there; GNU ld writes 1 whatever their number.
    if (hash.first > 1) return hash.first;
    return std::nullopt;
  }
  if (last < hash.first) {
    input_.fail("DT_GNU_HASH bucket", last, fmt::format("less than symoffset, {}", hash.first));
  }
  uint64_t index = last;
  while ((u32(hash.chain, index - hash.first, "DT_GNU_HASH chain") & 1) == 0) ++index;
  return index + 1;
}

uint64_t ElfFile::count() {
  std::optional<uint64_t> rows;
  if (gnu_hash_) rows = gnu_count();
  if (sysv_hash_) {
    if (rows && *rows != sysv_hash_->chains) {
      input_.fail("DT_HASH nchain", sysv_hash_->chains,
                  fmt::format("DT_GNU_HASH counts {} symbols", *rows));
    }
    rows = sysv_hash_->chains;
  }
  if (!rows) rows = count_between_tables();
  const uint64_t room = symbols_.left / (form_.wide ? 24 : 16);
  if (*rows > room) {
    input_.fail("number of dynamic symbols", *rows,
                fmt::format("the segment of DT_SYMTAB has room for {}", room));
  }
  if (*rows > kMaxSymbols) {
    input_.fail("number of dynamic symbols", *rows,
                fmt::format("at most {} are read", kMaxSymbols));
  }
  return *rows;
}

// For a library without a single export linked by GNU ld with a GNU hash table only: its symbol
// table ends where the string table begins, unless a tool has moved one of them; then the section
// headers say it, or nothing does.
uint64_t ElfFile::count_between_tables() {
  const uint64_t row = form_.wide ? 24 : 16;
  const std::optional<uint64_t> sections = count_in_sections();
  std::optional<uint64_t> gap;
  if (*dynamic_.strtab > *dynamic_.symtab) {
    const uint64_t bytes = *dynamic_.strtab - *dynamic_.symtab;
    bool between = false;
    for (const auto& other :
         {dynamic_.hash, dynamic_.gnu_hash, dynamic_.versym, dynamic_.verdef, dynamic_.verneed}) {
      between |= other && *other > *dynamic_.symtab && *other < *dynamic_.strtab;
    }
    if (bytes % row == 0 && !between) gap = bytes / row;
  }
  if (gap && sections && *gap != *sections) {
    input_.fail("DT_STRTAB", *dynamic_.strtab,
                fmt::format("leaves room for {} dynamic symbols, and the section headers count {}",
                            *gap, *sections));
  }
  if (gap) return *gap;
  if (sections) return *sections;
  input_.fail("DT_GNU_HASH",
              "empty, and no DT_HASH: symbol count unknown; DT_STRTAB does not follow DT_SYMTAB, "
              "and no section headers say it");
}

std::optional<uint64_t> ElfFile::count_in_sections() {
  if (header_.section_offset == 0 || header_.section_count == 0) return std::nullopt;
  return with_types(form_, [&](auto types) -> std::optional<uint64_t> {
    using W = typename decltype(types)::Section;
    if (header_.section_entry != sizeof(W)) {
      input_.fail("e_shentsize", header_.section_entry, fmt::format("must be {}", sizeof(W)));
    }
    const uint64_t size = header_.section_count * sizeof(W);
    input_.need(header_.section_offset, size, "e_shoff");
    std::vector<std::byte> bytes(size);
    input_.read(header_.section_offset, bytes, "section headers");
    for (size_t i = 0; i < header_.section_count; ++i) {
      const elf::Section section = elf::load<W>(bytes, i * sizeof(W)).plain();
      if (section.type != 11 || section.address != *dynamic_.symtab) continue;  // SHT_DYNSYM
      const uint64_t row = form_.wide ? 24 : 16;
      if (section.size % row != 0) {
        input_.fail("sh_size of SHT_DYNSYM", section.size, fmt::format("no multiple of {}", row));
      }
      return section.size / row;
    }
    return std::nullopt;
  });
}

// Every row from symoffset on must be where the loader looks for it: in its bucket, under its
// hash, behind its two bits of the filter. An empty table has nothing to look for.
void ElfFile::check_gnu_hash(const ElfSymbolTable& table) {
  const GnuHash& hash = *gnu_hash_;
  std::vector<uint64_t> bloom(hash.bloom_words);
  for (uint64_t i = 0; i < bloom.size(); ++i) {
    bloom[i] = read_row(hash.bloom, i, "DT_GNU_HASH bloom",
                        [](auto types) { return typename decltype(types)::Whole{}; });
  }
  uint32_t filled = 0;
  for (uint32_t i = 0; i < hash.buckets; ++i) {
    filled += u32(hash.bucket, i, "DT_GNU_HASH bucket") != 0 ? 1 : 0;
  }
  uint32_t chains = 0;
  uint32_t start = 0;  // first row of the chain that this row is in; 0 where it begins one
  for (const ElfSymbol& symbol : table.symbols) {
    if (symbol.index < hash.first || filled == 0) {
      if (!symbol.exported()) continue;
      input_.fail("DT_GNU_HASH symoffset", hash.first,
                  fmt::format("dynamic symbol {} is exported and in no chain: no loader finds it",
                              symbol.index));
    }
    const uint32_t want = gnu_hash(symbol.name);
    const uint32_t have = u32(hash.chain, symbol.index - hash.first, "DT_GNU_HASH chain");
    if ((have | 1) != (want | 1)) {
      input_.fail(fmt::format("DT_GNU_HASH chain of dynamic symbol {}", symbol.index), have,
                  fmt::format("the hash of its name is {:#x}", want));
    }
    chains += start == 0 ? 1 : 0;
    if (start == 0) start = symbol.index;
    const uint32_t bucket = u32(hash.bucket, want % hash.buckets, "DT_GNU_HASH bucket");
    if (bucket != start) {
      input_.fail(fmt::format("DT_GNU_HASH bucket {}", want % hash.buckets), bucket,
                  fmt::format("dynamic symbol {} is in the chain of {}", symbol.index, start));
    }
    check_gnu_bloom(hash, bloom, symbol, want);
    if ((have & 1) != 0) start = 0;
  }
  if (start != 0 || filled != chains) {
    input_.fail("DT_GNU_HASH buckets in use", filled,
                fmt::format("the dynamic symbols form {} chains", chains));
  }
}

void ElfFile::check_gnu_bloom(const GnuHash& hash, const std::vector<uint64_t>& bloom,
                              const ElfSymbol& symbol, uint32_t name_hash) const {
  const uint32_t bits = form_.wide ? 64 : 32;
  const uint64_t word = bloom[(name_hash / bits) & (hash.bloom_words - 1)];
  if (((word >> (name_hash % bits)) & (word >> ((name_hash >> hash.bloom_shift) % bits)) & 1) ==
      0) {
    input_.fail("DT_GNU_HASH bloom", word,
                fmt::format("lacks a bit of dynamic symbol {}: no loader finds it", symbol.index));
  }
}

void ElfFile::check_sysv_hash(const ElfSymbolTable& table) {
  const SysvHash& hash = *sysv_hash_;
  std::vector<bool> reached(table.symbols.size());
  for (uint64_t i = 0; i < hash.buckets; ++i) {
    for (uint64_t index = hash_word(hash, hash.bucket, i, "DT_HASH bucket"); index != 0;
         index = hash_word(hash, hash.chain, index, "DT_HASH chain")) {
      if (index >= table.symbols.size()) {
        input_.fail(fmt::format("DT_HASH chain of bucket {}", i), index,
                    fmt::format("there are {} dynamic symbols", table.symbols.size()));
      }
      if (reached[index]) {
        input_.fail(fmt::format("DT_HASH chain of bucket {}", i), index, "reached twice");
      }
      reached[index] = true;
      const uint32_t name_hash = sysv_hash(table.symbols[index].name);
      if (name_hash % hash.buckets != i) {
        input_.fail(fmt::format("DT_HASH bucket of dynamic symbol {}", index), i,
                    fmt::format("its name belongs in bucket {}", name_hash % hash.buckets));
      }
    }
  }
  for (const ElfSymbol& symbol : table.symbols) {
    if (symbol.exported() && !reached[symbol.index]) {
      input_.fail("DT_HASH", symbol.index,
                  "that dynamic symbol is exported and in no chain: no loader finds it");
    }
  }
}

std::vector<ElfSymbol> ElfFile::find(std::string_view name) {
  std::vector<ElfSymbol> found;
  if (gnu_hash_) {
    find_gnu(name, found);
  } else {
    find_sysv(name, found);
  }
  for (const ElfSymbol& symbol : found) check_version(symbol);
  return found;
}

void ElfFile::find_gnu(std::string_view name, std::vector<ElfSymbol>& found) {
  const GnuHash& hash = *gnu_hash_;
  const uint32_t bits = form_.wide ? 64 : 32;
  const uint32_t want = gnu_hash(name);
  const uint64_t word =
      read_row(hash.bloom, (want / bits) & (hash.bloom_words - 1), "DT_GNU_HASH bloom",
               [](auto types) { return typename decltype(types)::Whole{}; });
  if (((word >> (want % bits)) & (word >> ((want >> hash.bloom_shift) % bits)) & 1) == 0) return;
  uint64_t index = u32(hash.bucket, want % hash.buckets, "DT_GNU_HASH bucket");
  if (index == 0) return;
  if (index < hash.first) {
    input_.fail("DT_GNU_HASH bucket", index, fmt::format("less than symoffset, {}", hash.first));
  }
  for (;; ++index) {
    const uint32_t have = u32(hash.chain, index - hash.first, "DT_GNU_HASH chain");
    if ((have | 1) == (want | 1) && name_is(index, raw_symbol(index), name)) {
      found.push_back(symbol(index, name));
    }
    if ((have & 1) != 0) return;
  }
}

void ElfFile::find_sysv(std::string_view name, std::vector<ElfSymbol>& found) {
  const SysvHash& hash = *sysv_hash_;
  uint64_t index = hash_word(hash, hash.bucket, sysv_hash(name) % hash.buckets, "DT_HASH bucket");
  for (uint64_t steps = 0; index != 0; ++steps) {
    if (steps == hash.chains) input_.fail("DT_HASH chain", index, "the chain does not end");
    if (name_is(index, raw_symbol(index), name)) found.push_back(symbol(index, name));
    index = hash_word(hash, hash.chain, index, "DT_HASH chain");
  }
}

}  // namespace aoti_cts::symbols
