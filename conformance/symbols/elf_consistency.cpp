// Whether a hash table holds together before names are looked up in it: what makes a look-up in
// place as good as a reading of the whole. See elf.h.
//
// A damaged DT_GNU_HASH hides symbols: the look-up ends early and says "not there". So verify()
// holds against each other what takes no time (buckets in use and ends of chains, the number of
// rows and the section headers, a sample of the names and all that leads to them), and each look-up
// checks the chain that it walks: where it begins and ends, that its hashes are of its bucket,
// that the filter agrees, and its names where the filter promised one and it is not there. What the
// look-up of a name stands on is checked with it, at a cost that does not grow with the table.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "symbols/elf.h"
#include "symbols/elf_rows.h"

namespace aoti_cts::symbols {
namespace {

constexpr uint64_t kSample = 64;     // names; a table of no more is checked in all of them
constexpr uint8_t kSectionType = 3;  // STT_SECTION
constexpr uint64_t kSmall = 16384;   // rows; a table of no more is read in all of them

// Whether libraries for a machine give undefined functions the address of a stub, as MIPS's do.
bool has_stubs(uint16_t machine) {
  return machine != 3 && machine != 62 && machine != 183;  // i386, x86-64, AArch64
}

}  // namespace

void ElfFile::verify() {
  if (verified_) return;
  if (gnu_hash_ && gnu_hash_->buckets > 1) {
    verify_gnu_hash();
    verified_ = true;
  } else {
    read_all();  // DT_HASH leads through the names; and with one bucket there are few of them
  }
}

void ElfFile::read_words(Words& words, const Area& area, uint64_t count, std::string_view field) {
  const std::span<uint32_t> all = words.make(count);
  const std::span<std::byte> bytes = std::as_writable_bytes(all);
  input_.read(area.offset, bytes, field);
  if (form_.big == (std::endian::native == std::endian::big)) return;
  with_types(form_, [&](auto types) {
    using W = typename decltype(types)::Quarter;
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = elf::load<W>(bytes, i * sizeof(W)).plain();
    }
  });
}

ElfFile::GnuUse ElfFile::gnu_use() {
  read_words(buckets_, gnu_hash_->bucket, gnu_hash_->buckets, "DT_GNU_HASH bucket");
  uint32_t filled = 0, last = 0;  // words as the buckets are: that makes the loop one of vectors
  for (const uint32_t start : buckets_.all()) {
    filled += start != 0 ? 1 : 0;
    last = std::max(last, start);
  }
  return {filled, last};
}

// The words of all rows from symoffset on. An empty table need not have any.
void ElfFile::read_chains() {
  const uint32_t first = gnu_hash_->first;
  if (filled_ == 0 || rows_ <= first) return;
  read_words(chains_, gnu_hash_->chain, rows_ - first, "DT_GNU_HASH chain");
}

void ElfFile::verify_gnu_hash() {
  const GnuHash& hash = *gnu_hash_;
  const uint64_t rows = rows_ = count();
  const uint64_t hashed = rows > hash.first ? rows - hash.first : 0;
  read_chains();
  uint64_t ends = 0;
  for (const uint32_t word : chains_.all()) ends += word & 1;
  if (filled_ != ends) {
    input_.fail("DT_GNU_HASH buckets in use", filled_,
                fmt::format("the dynamic symbols form {} chains", ends));
  }
  // Buckets that led to the last rows may be lost with them; only the filter remembers then.
  if (!sysv_hash_ && !count_in_sections()) check_gnu_structure(hashed);
  const uint64_t sample = std::min(hashed, kSample);
  for (uint64_t i = 0; i < sample; ++i) check_found(hash.first + i * hashed / sample);
  if (rows <= kSmall) check_symbols(rows);
}

// A row's own name leads to it.
void ElfFile::check_found(uint64_t index) {
  const std::string name = check_gnu_row(index, gnu_word(index));
  const GnuChain chain = gnu_chain_of(gnu_hash(name));
  if (index < chain.begin || index >= chain.end || !chain.promised) {
    input_.fail("DT_GNU_HASH", index,
                "that dynamic symbol is in no chain of its hash, or behind no bit of the filter: "
                "no loader finds it");
  }
}

uint32_t ElfFile::gnu_word(uint64_t index) {
  const uint64_t at = index - gnu_hash_->first;
  return chains_.has(at) ? chains_[at] : u32(gnu_hash_->chain, at, "DT_GNU_HASH chain");
}

uint32_t ElfFile::gnu_bucket(uint32_t bucket) {
  return buckets_.has(bucket) ? buckets_[bucket]
                              : u32(gnu_hash_->bucket, bucket, "DT_GNU_HASH bucket");
}

// The rows where a name of that hash would be, checked as far as the look-up stands on them.
ElfFile::GnuChain ElfFile::gnu_chain_of(uint32_t name_hash) {
  const GnuHash& hash = *gnu_hash_;
  const uint32_t bucket = name_hash % hash.buckets;
  GnuChain chain;
  chain.begin = chain.end = gnu_bucket(bucket);
  if (chain.begin == 0) return chain;
  check_chain_start(bucket, chain.begin);
  for (bool ended = false; !ended;) {  // gnu_count() saw the end of the last one
    const uint32_t word = gnu_word(chain.end);
    hash_in_bucket(word, bucket, chain.end++);
    ended = (word & 1) != 0;
  }
  if (chain.end < rows_) check_next_chain(chain.end);
  const uint32_t bits = form_.wide ? 64 : 32;
  const uint64_t word =
      read_row(hash.bloom, (name_hash / bits) & (hash.bloom_words - 1), "DT_GNU_HASH bloom",
               [](auto types) { return typename decltype(types)::Whole{}; });
  chain.promised =
      ((word >> (name_hash % bits)) & (word >> ((name_hash >> hash.bloom_shift) % bits)) & 1) != 0;
  return chain;
}

// Behind a chain another bucket's begins; where an end bit was set in its middle none does.
void ElfFile::check_next_chain(uint64_t index) {
  const uint32_t place = (gnu_word(index) & ~1u) % gnu_hash_->buckets;
  const uint32_t next = place + 1 == gnu_hash_->buckets ? 0 : place + 1;
  if (gnu_bucket(place) == index || gnu_bucket(next) == index) return;
  input_.fail(fmt::format("DT_GNU_HASH bucket {}", place), gnu_bucket(place),
              fmt::format("dynamic symbol {} begins the chain of that bucket or of {}, and neither "
                          "leads to it",
                          index, next));
}

// The name of a row hashes to what its chain says. Returns it.
std::string ElfFile::check_gnu_row(uint64_t index, uint32_t hash) {
  const elf::Symbol raw = raw_symbol(index);
  check_name(index, raw);
  std::string name = string_at(raw.name, "st_name", strings_.left);
  const uint32_t want = gnu_hash(name);
  if ((hash | 1) != (want | 1)) fail_chain_hash(index, hash, want);
  check_symbol(plain_symbol(raw, static_cast<uint32_t>(index), name));
  return name;
}

void ElfFile::fail_chain_hash(uint64_t index, uint32_t have, uint32_t want) const {
  input_.fail(fmt::format("DT_GNU_HASH chain of dynamic symbol {}", index), have,
              fmt::format("the hash of its name is {:#x}", want));
}

// What makes a row no export, though it is listed as one: a row that some damage turned into what
// no linker writes would vanish without a word. `symbol` need not have its name, but where it is
// empty.
void ElfFile::check_symbol(const ElfSymbol& symbol) const {
  if (symbol.index == 0) return;
  const bool local = symbol.binding == ElfSymbol::Local;
  if (!local && symbol.binding != ElfSymbol::Global && symbol.binding != ElfSymbol::Weak &&
      symbol.binding != ElfSymbol::Unique) {
    input_.fail(fmt::format("binding of dynamic symbol {}", symbol.index), symbol.binding,
                "must be 0, 1, 2 or 10");
  }
  const bool section = local && symbol.type == kSectionType;
  const auto field = [&](const char* name) {
    return fmt::format("{} of dynamic symbol {}", name, symbol.index);
  };
  if (gnu_hash_ && filled_ != 0 && symbol.index >= gnu_hash_->first) {
    check_hashed(symbol);
    if (!symbol.defined() && !is_program()) {
      input_.fail(field("st_shndx"), 0, "undefined, and DT_GNU_HASH lists definitions alone");
    }
  }
  if (symbol.name.empty() && !section) {
    input_.fail(field("st_name"), "an empty name, which sections' symbols alone have");
  }
  if (local && symbol.index >= first_global_) {
    input_.fail(field("st_info"), symbol.type,
                fmt::format("STB_LOCAL, and those end before {} by SHT_DYNSYM", first_global_));
  }
  if (local && !section && !symbol.defined()) {
    input_.fail(field("st_info"), symbol.type, "STB_LOCAL, and an undefined symbol is not local");
  }
  if (!symbol.defined() && symbol.value != 0 && !is_program() && !has_stubs(machine())) {
    input_.fail(field("st_value"), symbol.value, "of an undefined symbol, must be 0");
  }
}

// A row that a hash table lists is there for others to bind to.
void ElfFile::check_hashed(const ElfSymbol& symbol) const {
  const auto field = [&](const char* name) {
    return fmt::format("{} of dynamic symbol {}", name, symbol.index);
  };
  if (symbol.binding == ElfSymbol::Local && symbol.type != kSectionType) {
    input_.fail(field("st_info"), symbol.type, "STB_LOCAL, and the hash table lists it");
  }
  if (symbol.defined() &&
      (symbol.visibility == ElfSymbol::Hidden || symbol.visibility == ElfSymbol::Internal)) {
    input_.fail(field("st_other"), symbol.visibility,
                "no other module may bind to it, and the hash table lists it");
  }
}

// A program may give an undefined function the address of its own stub, and list it.
bool ElfFile::is_program() const {
  constexpr uint64_t kPie = 0x08000000;  // DF_1_PIE
  return type() == 2 || interpreted_ || (flags_1() & kPie) != 0;
}

// All but their names, of which only an empty one is told from another.
void ElfFile::check_symbols(uint64_t rows) {
  with_types(form_, [&](auto types) {
    using W = typename decltype(types)::Symbol;
    constexpr uint64_t kRows = 1024;
    std::array<std::byte, kRows * sizeof(W)> bytes;
    for (uint64_t begin = 0; begin < rows; begin += kRows) {
      const uint64_t count = std::min(kRows, rows - begin);
      const auto block = std::span(bytes).first(count * sizeof(W));
      input_.read(symbols_.offset + begin * sizeof(W), block, "DT_SYMTAB");
      for (uint64_t i = 0; i < count; ++i) {
        const elf::Symbol raw = elf::load<W>(block, i * sizeof(W)).plain();
        check_symbol(plain_symbol(raw, static_cast<uint32_t>(begin + i), raw.name == 0 ? "" : "?"));
      }
    }
  });
}

ElfFile::Bits ElfFile::gnu_bloom() {
  Bits words(gnu_hash_->bloom_words);
  with_types(form_, [&](auto types) {
    using W = typename decltype(types)::Whole;
    std::vector<std::byte> bytes(words.size() * sizeof(W));
    input_.read(gnu_hash_->bloom.offset, bytes, "DT_GNU_HASH bloom");
    for (size_t i = 0; i < words.size(); ++i) {
      words[i] = elf::load<W>(bytes, i * sizeof(W)).plain();
    }
  });
  return words;
}

// The chains are a partition of the rows from symoffset on, each hash is in its bucket, and the
// filter is theirs.
void ElfFile::check_gnu_structure(uint64_t hashed) {
  const GnuHash& hash = *gnu_hash_;
  const Bits bloom = gnu_bloom();
  Bits expected(bloom.size());
  uint64_t seen = 0;
  for (uint32_t bucket = 0; bucket < hash.buckets; ++bucket) {
    uint64_t index = gnu_bucket(bucket);
    if (index == 0) continue;
    check_chain_start(bucket, index);
    for (bool ended = false; !ended; ++index, ++seen) {
      const uint32_t word = gnu_word(index);
      check_gnu_bloom(bloom, expected, index, hash_in_bucket(word, bucket, index));
      ended = (word & 1) != 0;
    }
  }
  if (seen != hashed) {
    input_.fail("dynamic symbols in chains of DT_GNU_HASH", seen,
                fmt::format("there are {} from symoffset on", hashed));
  }
  check_gnu_bloom_rest(bloom, expected);
}

// A chain starts at symoffset or behind the end of another. With the end of the last one, which
// gnu_count() found, that keeps every walk among the rows.
void ElfFile::check_chain_start(uint32_t bucket, uint64_t start) {
  const uint32_t first = gnu_hash_->first;
  const std::string_view wrong = start < first    ? "less than symoffset"
                                 : start >= rows_ ? "more than the last dynamic symbol"
                                 : start != first && (gnu_word(start - 1) & 1) == 0
                                     ? "leads into the middle of a chain"
                                     : "";
  if (wrong.empty()) return;
  input_.fail(
      fmt::format("DT_GNU_HASH bucket {}", bucket), start,
      fmt::format("{}; symoffset is {}, and there are {} dynamic symbols", wrong, first, rows_));
}

// A chain's word is a hash without its lowest bit, which the bucket tells: there is more than one.
uint32_t ElfFile::hash_in_bucket(uint32_t word, uint32_t bucket, uint64_t index) const {
  const uint32_t buckets = gnu_hash_->buckets;
  const uint32_t even = word & ~1u;
  const uint32_t place = even % buckets;
  if (place == bucket) return even;
  const uint32_t next = place + 1 == buckets ? 0 : place + 1;
  if (next == bucket) return even | 1;
  input_.fail(fmt::format("DT_GNU_HASH chain of dynamic symbol {}", index), word,
              fmt::format("in bucket {}, and that hash belongs in {} or {}", bucket, place, next));
}

// Every row from symoffset on must be where the loader looks for it: in its bucket, under its
// hash, behind its two bits of the filter. An empty table has nothing to look for.
void ElfFile::check_gnu_hash(const ElfSymbolTable& table) {
  const GnuHash& hash = *gnu_hash_;
  read_chains();
  const auto bloom = gnu_bloom();
  Bits expected(bloom.size());
  const uint64_t filled = filled_;
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
    const uint32_t have = gnu_word(symbol.index);
    if ((have | 1) != (want | 1)) fail_chain_hash(symbol.index, have, want);
    chains += start == 0 ? 1 : 0;
    if (start == 0) start = symbol.index;
    const uint32_t bucket = gnu_bucket(want % hash.buckets);
    if (bucket != start) {
      input_.fail(fmt::format("DT_GNU_HASH bucket {}", want % hash.buckets), bucket,
                  fmt::format("dynamic symbol {} is in the chain of {}", symbol.index, start));
    }
    check_gnu_bloom(bloom, expected, symbol.index, want);
    if ((have & 1) != 0) start = 0;
  }
  if (start != 0 || filled != chains) {
    input_.fail("DT_GNU_HASH buckets in use", filled,
                fmt::format("the dynamic symbols form {} chains", chains));
  }
  check_gnu_bloom_rest(bloom, expected);
}

// A hash has two bits of the filter, and the filter has no others: those are of symbols that are
// not among the rows. Where something else counts the rows too, they are left alone.
void ElfFile::check_gnu_bloom(const Bits& bloom, Bits& expected, uint64_t index,
                              uint32_t name_hash) const {
  const uint32_t bits = form_.wide ? 64 : 32;
  const uint64_t at = (name_hash / bits) & (gnu_hash_->bloom_words - 1);
  const uint64_t both = uint64_t{1} << (name_hash % bits) |
                        uint64_t{1} << ((name_hash >> gnu_hash_->bloom_shift) % bits);
  expected[at] |= both;
  if ((bloom[at] & both) == both) return;
  input_.fail("DT_GNU_HASH bloom", bloom[at],
              fmt::format("lacks a bit of dynamic symbol {}: no loader finds it", index));
}

void ElfFile::check_gnu_bloom_rest(const Bits& bloom, const Bits& expected) {
  if (bloom == expected || sysv_hash_ || count_in_sections()) return;
  const auto [at, want] = std::mismatch(bloom.begin(), bloom.end(), expected.begin());
  input_.fail(
      fmt::format("DT_GNU_HASH bloom word {}", at - bloom.begin()), *at,
      fmt::format("the symbols in the chains have the bits {:#x}: some are missing", *want));
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
      check_hashed(table.symbols[index]);
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

}  // namespace aoti_cts::symbols
