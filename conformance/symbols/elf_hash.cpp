// DT_GNU_HASH and DT_HASH: how many symbols there are, and the look-up of one name in place.
// Whether the tables hold together is in elf_consistency.cpp. See elf.h.
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
  const auto [filled, last] = gnu_use();
  filled_ = filled;
  if (last == 0) return empty_gnu_count();
  if (last < hash.first) {
    input_.fail("DT_GNU_HASH bucket", last, fmt::format("less than symoffset, {}", hash.first));
  }
  const uint64_t room = std::min(hash.chain.left / 4, kMaxSymbols);
  if (last - hash.first >= room) {
    input_.fail("DT_GNU_HASH bucket", last,
                fmt::format("its segment has room for symbols up to {}", room + hash.first));
  }
  for (uint64_t at = last - hash.first; at < room; ++at) {
    if ((u32(hash.chain, at, "DT_GNU_HASH chain") & 1) != 0) return at + hash.first + 1;
  }
  input_.fail(fmt::format("DT_GNU_HASH chain of dynamic symbol {}", last),
              fmt::format("does not end: its segment has room for symbols up to {}, and none has "
                          "bit 0 set in its hash",
                          room + hash.first));
}

// An empty table is one bucket and one word of the filter, both 0; one whose buckets were lost has
// more than that. lld and gold put the number of rows into symoffset, GNU ld writes 1 whatever it
// is.
std::optional<uint64_t> ElfFile::empty_gnu_count() {
  const GnuHash& hash = *gnu_hash_;
  if (hash.buckets > 1) {
    input_.fail("DT_GNU_HASH nbuckets", hash.buckets,
                "all are empty, and an empty table has 1: no loader finds a symbol");
  }
  for (const uint64_t word : gnu_bloom()) {
    if (word != 0) {
      input_.fail("DT_GNU_HASH bloom", word, "has bits, and all buckets are empty");
    }
  }
  if (hash.first <= 1) return std::nullopt;
  const std::optional<uint64_t> gap = rows_between_tables();
  if (gap && *gap != hash.first) {
    input_.fail("DT_GNU_HASH symoffset", hash.first,
                fmt::format("DT_STRTAB leaves room for {} dynamic symbols, and all buckets are "
                            "empty",
                            *gap));
  }
  return hash.first;
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
  const std::optional<uint64_t> sections = count_in_sections();
  if (!rows) rows = count_between_tables(sections);
  const uint64_t room = symbols_.left / (form_.wide ? 24 : 16);
  if (*rows > room) {
    input_.fail("number of dynamic symbols", *rows,
                fmt::format("the segment of DT_SYMTAB has room for {}", room));
  }
  if (*rows > kMaxSymbols) {
    input_.fail("number of dynamic symbols", *rows,
                fmt::format("at most {} are read", kMaxSymbols));
  }
  if (sections && *rows != *sections) {
    input_.fail(gnu_hash_ ? "symbols that DT_GNU_HASH counts" : "DT_HASH nchain", *rows,
                fmt::format("the section headers count {}", *sections));
  }
  return *rows;
}

// Where DT_STRTAB follows DT_SYMTAB and no other table lies between them: how many rows fit.
std::optional<uint64_t> ElfFile::rows_between_tables() const {
  const uint64_t row = form_.wide ? 24 : 16;
  if (*dynamic_.strtab <= *dynamic_.symtab) return std::nullopt;
  for (const auto& other :
       {dynamic_.hash, dynamic_.gnu_hash, dynamic_.versym, dynamic_.verdef, dynamic_.verneed}) {
    if (other && *other > *dynamic_.symtab && *other < *dynamic_.strtab) return std::nullopt;
  }
  const uint64_t bytes = *dynamic_.strtab - *dynamic_.symtab;
  if (bytes % row != 0) return std::nullopt;
  return bytes / row;
}

// For a library without a single export linked by GNU ld with a GNU hash table only: its symbol
// table ends where the string table begins, unless a tool has moved one of them; then the section
// headers say it, or nothing does.
uint64_t ElfFile::count_between_tables(std::optional<uint64_t> sections) const {
  const std::optional<uint64_t> gap = rows_between_tables();
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

// What SHT_DYNSYM says, a second opinion: no loader reads section headers, and where some tool left
// them behind there are none.
std::optional<uint64_t> ElfFile::count_in_sections() {
  const std::optional<elf::Section> section = dynsym_section();
  if (!section) return std::nullopt;
  const uint64_t row = form_.wide ? 24 : 16;
  if (section->size % row != 0) {
    input_.fail("sh_size of SHT_DYNSYM", section->size, fmt::format("no multiple of {}", row));
  }
  if (section->info != 0) first_global_ = section->info;
  return section->size / row;
}

std::optional<elf::Section> ElfFile::dynsym_section() {
  if (header_.section_offset == 0 || header_.section_count == 0) return std::nullopt;
  return with_types(form_, [&](auto types) -> std::optional<elf::Section> {
    using W = typename decltype(types)::Section;
    const uint64_t size = header_.section_count * sizeof(W);
    if (header_.section_entry != sizeof(W) || header_.section_offset > input_.size() ||
        size > input_.size() - header_.section_offset) {
      return std::nullopt;
    }
    std::vector<std::byte> bytes(size);
    input_.read(header_.section_offset, bytes, "section headers");
    for (size_t i = 0; i < header_.section_count; ++i) {
      const elf::Section section = elf::load<W>(bytes, i * sizeof(W)).plain();
      if (section.type == 11 && section.address == *dynamic_.symtab) return section;  // SHT_DYNSYM
    }
    return std::nullopt;
  });
}

std::vector<ElfSymbol> ElfFile::find(std::string_view name) {
  verify();
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
  const uint32_t want = gnu_hash(name);
  const GnuChain chain = gnu_chain_of(want);
  for (uint64_t index = chain.begin; index < chain.end; ++index) {
    if ((gnu_word(index) | 1) == (want | 1) && name_is(index, raw_symbol(index), name)) {
      found.push_back(symbol(index, name));
      check_symbol(found.back());
    }
  }
  if (found.empty()) {
    if (!chain.promised) return;
    // Not there, if this chain is what it was: a name or a hash that was altered hides a symbol.
    for (uint64_t index = chain.begin; index < chain.end; ++index) {
      check_gnu_row(index, gnu_word(index));
    }
  } else if (!chain.promised) {
    input_.fail("DT_GNU_HASH bloom", found[0].index,
                "lacks a bit of that dynamic symbol: no loader finds it");
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
