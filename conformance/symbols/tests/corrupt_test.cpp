// Damaged ELF files: each case breaks one field of a zoo library and wants the error that names it.
//
//   build/dev/conformance/symbols/aoti_cts_symbols_corrupt_test
//
// Success: every case PASSED. Cases are rows: the name is the defect, `member` the zoo library,
// `damage` the one change, `want` parts of the message in order (field, value, limit).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "symbols/command.h"
#include "symbols/elf.h"
#include "symbols/library.h"

namespace aoti_cts::symbols {
namespace {

// The bytes of a little-endian 64-bit zoo library, with the few finders that damage needs.
class Bytes {
 public:
  /// A member of the zoo, or the absolute path of a library.
  explicit Bytes(const std::string& member) : name_(member) {
    const auto input = FileInput::open((std::filesystem::path(AOTI_CTS_ZOO) / member).string());
    data.resize(input->size());
    input->read(0, data, "file");
  }

  uint64_t get(size_t at, size_t width) const {
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value |= static_cast<uint64_t>(data.at(at + i)) << (8 * i);
    }
    return value;
  }
  void put(size_t at, size_t width, uint64_t value) {
    for (size_t i = 0; i < width; ++i) data.at(at + i) = static_cast<std::byte>(value >> (8 * i));
  }

  size_t segment(uint32_t type, size_t nth = 0) const {
    const size_t table = get(0x20, 8), count = get(0x38, 2);
    for (size_t i = 0; i < count; ++i) {
      if (get(table + i * 56, 4) == type && nth-- == 0) return table + i * 56;
    }
    throw std::logic_error("zoo library lacks that segment");
  }
  size_t tag(uint64_t tag) const {  // offset of the entry
    const size_t table = get(segment(2) + 8, 8), count = get(segment(2) + 32, 8) / 16;
    for (size_t i = 0; i < count; ++i) {
      if (get(table + i * 16, 8) == tag) return table + i * 16;
    }
    throw std::logic_error("zoo library lacks that tag");
  }
  uint64_t value(uint64_t tag_number) const { return get(tag(tag_number) + 8, 8); }
  size_t offset(uint64_t address) const {
    for (size_t i = 0;; ++i) {
      const size_t load = segment(1, i);
      const uint64_t into = address - get(load + 16, 8);
      if (into < get(load + 32, 8)) return get(load + 8, 8) + into;
    }
  }
  size_t table(uint64_t tag_number) const { return offset(value(tag_number)); }

  std::vector<std::byte> data;

 private:
  std::string name_;
};

constexpr uint64_t kHash = 4, kStrtab = 5, kSymtab = 6, kStrsz = 10, kSyment = 11, kSoname = 14,
                   kNeeded = 1, kGnuHash = 0x6ffffef5, kVersym = 0x6ffffff0, kVerdef = 0x6ffffffc,
                   kVerdefnum = 0x6ffffffd, kVerneed = 0x6ffffffe, kVerneednum = 0x6fffffff;
constexpr uint64_t kUnusedTag = 0x6ffffff9;  // DT_RELACOUNT: of no interest to the reader

struct Damage {
  const char* name;
  const char* member;
  std::function<void(Bytes&)> damage;
  std::vector<const char*> want;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }

void drop(Bytes& b, uint64_t tag) { b.put(b.tag(tag), 8, kUnusedTag); }

size_t symbol_row(const Bytes& b, size_t index) { return b.table(kSymtab) + 24 * index; }

// The last defined row: in the tables of GNU ld, one that a hash table lists.
size_t exported_row(const Bytes& b) {
  size_t index = 0, found = 0;
  for (size_t row = symbol_row(b, 0); row < b.table(kStrtab); row += 24, ++index) {
    if (b.get(row + 6, 2) != 0) found = index;
  }
  return symbol_row(b, found);
}

const Damage kDamages[] = {
    {"no_bytes",
     "bindings-gnu.so",
     [](Bytes& b) { b.data.clear(); },
     {"e_ident", "end of the file"}},
    {"not_elf", "bindings-gnu.so", [](Bytes& b) { b.put(1, 1, 'F'); }, {"e_ident", "not an ELF"}},
    {"class_3", "bindings-gnu.so", [](Bytes& b) { b.put(4, 1, 3); }, {"EI_CLASS", "3", "32 bits"}},
    {"data_0", "bindings-gnu.so", [](Bytes& b) { b.put(5, 1, 0); }, {"EI_DATA", "0", "endian"}},
    {"version_0", "bindings-gnu.so", [](Bytes& b) { b.put(6, 1, 0); }, {"EI_VERSION", "must be 1"}},
    {"relocatable", "bindings-gnu.so", [](Bytes& b) { b.put(16, 2, 1); }, {"e_type", "1", "3"}},
    {"header_cut", "bindings-gnu.so", [](Bytes& b) { b.data.resize(40); }, {"ELF header", "64"}},
    {"phentsize", "bindings-gnu.so", [](Bytes& b) { b.put(0x36, 2, 55); }, {"e_phentsize", "56"}},
    {"phoff_far", "bindings-gnu.so", [](Bytes& b) { b.put(0x20, 8, ~0ull); }, {"e_phoff", "end"}},
    {"phnum_huge",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(0x38, 2, 0xfffe); },
     {"e_phoff", "past"}},
    {"phnum_extended", "bindings-gnu.so", [](Bytes& b) { b.put(0x38, 2, 0xffff); }, {"PN_XNUM"}},
    {"no_dynamic_segment",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(2), 4, 0); },
     {"PT_DYNAMIC"}},
    {"two_dynamic_segments",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(4), 4, 2); },
     {"two PT_DYNAMIC"}},
    {"load_past_end",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(1) + 32, 8, 1u << 30); },
     {"p_offset of PT_LOAD", "1073741824", "past the end"}},
    {"load_filesz_over_memsz",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(1) + 40, 8, 1); },
     {"p_filesz of PT_LOAD", "p_memsz, 1"}},
    {"load_wraps",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(1, 3) + 16, 8, ~0ull - 8); },
     {"p_vaddr of PT_LOAD", "overflows"}},
    {"load_overlaps",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(1, 1) + 16, 8, 16); },
     {"p_vaddr of PT_LOAD", "16", "overlaps"}},
    {"dynamic_elsewhere",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(2) + 8, 8, b.get(b.segment(2) + 8, 8) + 16); },
     {"p_offset of PT_DYNAMIC", "PT_LOAD"}},
    {"dynamic_unmapped",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(2) + 16, 8, 1ull << 40); },
     {"p_vaddr of PT_DYNAMIC", "1099511627776", "no file bytes"}},
    {"dynamic_without_end",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.segment(2) + 32, 8, 32); },
     {"p_filesz of PT_DYNAMIC", "DT_NULL"}},
    {"symtab_twice",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kStrtab), 8, kSymtab); },
     {"DT_SYMTAB", "twice"}},
    {"no_strtab", "bindings-gnu.so", [](Bytes& b) { drop(b, kStrtab); }, {"no DT_STRTAB"}},
    {"no_strsz", "bindings-gnu.so", [](Bytes& b) { drop(b, kStrsz); }, {"no DT_STRSZ"}},
    {"no_symtab", "bindings-gnu.so", [](Bytes& b) { drop(b, kSymtab); }, {"no DT_SYMTAB"}},
    {"syment",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kSyment) + 8, 8, 16); },
     {"DT_SYMENT", "16", "24"}},
    {"strsz_zero",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kStrsz) + 8, 8, 0); },
     {"DT_STRSZ", "0"}},
    {"strsz_past_segment",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kStrsz) + 8, 8, 1 << 20); },
     {"DT_STRTAB", "1048576 bytes", "segment"}},
    {"strsz_over_limit",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kStrsz) + 8, 8, 1 << 30); },
     {"DT_STRSZ", "1073741824", "at most"}},
    {"last_string_unended",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kStrsz) + 8, 8, b.value(kStrsz) - 1); },
     {"DT_STRTAB", "no end"}},
    {"soname_outside",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kSoname) + 8, 8, 99999); },
     {"DT_SONAME", "99999", "string table"}},
    {"needed_outside",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kNeeded) + 8, 8, ~0ull); },
     {"DT_NEEDED", "string table"}},
    {"no_hash_table",
     "bindings-gnu.so",
     [](Bytes& b) { drop(b, kGnuHash); },
     {"symbol count unknown"}},
    {"empty_hash_moved_strings",
     "imports-only-nosections.so",
     [](Bytes& b) { b.put(b.tag(kSymtab) + 8, 8, b.value(kSymtab) + 8); },
     {"symbol count unknown"}},
    {"gnu_hash_unmapped",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kGnuHash) + 8, 8, ~0ull); },
     {"DT_GNU_HASH", "no file bytes"}},
    {"gnu_nbuckets_0",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kGnuHash), 4, 0); },
     {"nbuckets", "0"}},
    {"gnu_nbuckets_huge",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kGnuHash), 4, 1u << 20); },
     {"DT_GNU_HASH", "past the segment"}},
    {"gnu_bloom_size_3",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kGnuHash) + 8, 4, 3); },
     {"bloom_size", "3", "power of two"}},
    {"gnu_bloom_shift_32",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kGnuHash) + 12, 4, 32); },
     {"bloom_shift", "32"}},
    {"gnu_bloom_empty",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kGnuHash) + 16, 8, 0); },
     {"DT_GNU_HASH bloom", "no loader"}},
    {"gnu_symoffset_high",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kGnuHash) + 4, 4, 1000); },
     {"DT_GNU_HASH bucket", "1000"}},
    {"gnu_symoffset_low",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kGnuHash) + 4, 4, 1); },
     {"number of dynamic symbols", "room"}},
    {"gnu_chain_hash_wrong",
     "bindings-gnu.so",
     [](Bytes& b) {
       const size_t hash = b.table(kGnuHash);
       const size_t chain = hash + 16 + 8 * b.get(hash + 8, 4) + 4 * b.get(hash, 4);
       b.put(chain, 4, b.get(chain, 4) ^ 0x100);
     },
     {"DT_GNU_HASH chain of dynamic symbol", "hash of its name"}},
    {"gnu_bucket_skips",
     "many-gnu.so",
     [](Bytes& b) {
       const size_t hash = b.table(kGnuHash);
       const size_t bucket = hash + 16 + 8 * b.get(hash + 8, 4);
       b.put(bucket, 4, b.get(bucket, 4) + 1);
     },
     {"DT_GNU_HASH bucket 0"}},
    {"symtab_in_the_header",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.tag(kSymtab) + 8, 8, 20); },
     {"DT_SYMTAB", "20", "inside the ELF header of 64 bytes"}},
    {"nbuckets_over_limit",
     "bindings-sysv.so",
     [](Bytes& b) { b.put(b.table(kHash), 4, 5u << 20); },
     {"DT_HASH nbucket", "5242880", "at most"}},
    {"notes_over_limit",
     "flags-buildid.so",
     [](Bytes& b) {  // two segments that share their bytes
       b.data.resize(b.data.size() + (12u << 20));
       for (const size_t segment : {b.segment(4), b.segment(0x6474e551)}) {
         b.put(segment, 4, 4);
         b.put(segment + 8, 8, b.data.size() - (12u << 20));
         b.put(segment + 32, 8, 12u << 20);
       }
     },
     {"p_filesz of PT_NOTE", "12582912", "4194304 are left"}},
    {"name_outside",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(b.table(kSymtab) + 24, 4, 1 << 20); },
     {"st_name of dynamic symbol 1", "1048576", "string table"}},
    {"sysv_nbucket_0",
     "bindings-sysv.so",
     [](Bytes& b) { b.put(b.table(kHash), 4, 0); },
     {"nbucket", "0"}},
    {"sysv_nbucket_huge",
     "bindings-sysv.so",
     [](Bytes& b) { b.put(b.table(kHash), 4, 1u << 20); },
     {"DT_HASH nbucket", "1048576", "room"}},
    {"sysv_nchain_huge",
     "bindings-sysv.so",
     [](Bytes& b) { b.put(b.table(kHash) + 4, 4, ~0u); },
     {"DT_HASH nchain", "4294967295", "room"}},
    {"sysv_nchain_short",
     "many-sysv.so",
     [](Bytes& b) { b.put(b.table(kHash) + 4, 4, b.get(b.table(kHash) + 4, 4) - 1); },
     {"DT_HASH nchain", "1004", "section headers count 1005"}},
    {"sysv_chain_loops",
     "many-sysv.so",
     [](Bytes& b) {
       const size_t hash = b.table(kHash), buckets = b.get(hash, 4), first = b.get(hash + 8, 4);
       b.put(hash + 8 + 4 * (buckets + first), 4, first);
     },
     {"DT_HASH chain of bucket 0", "twice"}},
    {"sysv_symbol_unreachable",
     "many-sysv.so",
     [](Bytes& b) { b.put(b.table(kHash) + 8, 4, 0); },
     {"DT_HASH", "in no chain"}},
    {"hashes_disagree",
     "bindings-both.so",
     [](Bytes& b) { b.put(b.table(kHash) + 4, 4, b.get(b.table(kHash) + 4, 4) - 1); },
     {"DT_HASH nchain", "DT_GNU_HASH counts"}},
    {"listed_symbol_local",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(exported_row(b) + 4, 1, 2); },
     {"st_info of dynamic symbol", "is 2", "STB_LOCAL"}},
    {"listed_symbol_undefined",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(exported_row(b) + 6, 2, 0); },
     {"st_shndx of dynamic symbol", "is 0", "undefined"}},
    {"listed_symbol_hidden",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(exported_row(b) + 5, 1, 2); },
     {"st_other of dynamic symbol", "is 2", "no other module"}},
    {"binding_9",
     "bindings-gnu.so",
     [](Bytes& b) { b.put(exported_row(b) + 4, 1, 0x92); },
     {"binding of dynamic symbol", "is 9", "must be"}},
    {"sysv_listed_symbol_local",
     "bindings-sysv-nosections.so",
     [](Bytes& b) { b.put(exported_row(b) + 4, 1, 2); },
     {"st_info of dynamic symbol", "is 2", "the hash table lists it"}},
    {"sysv_listed_symbol_undefined",
     "bindings-sysv-nosections.so",
     [](Bytes& b) { b.put(exported_row(b) + 6, 2, 0); },
     {"st_value of dynamic symbol", "undefined symbol"}},
    {"import_zeroed",
     "imports-only-nosections.so",
     [](Bytes& b) {
       for (size_t i = 0; i < 24; ++i) b.put(symbol_row(b, 1) + i, 1, 0);
     },
     {"st_name of dynamic symbol 1", "empty name"}},
    {"import_local",
     "imports-only-nosections.so",
     [](Bytes& b) { b.put(symbol_row(b, 1) + 4, 1, 2); },
     {"st_info of dynamic symbol 1", "undefined symbol is not local"}},
    {"local_among_globals",
     "imports-only.so",
     [](Bytes& b) {
       b.put(symbol_row(b, 1) + 4, 1, 2);
       b.put(symbol_row(b, 1) + 6, 2, 1);
     },
     {"st_info of dynamic symbol 1", "STB_LOCAL", "before 1 by SHT_DYNSYM"}},
    {"verdef_without_versym",
     "versioned.so",
     [](Bytes& b) { drop(b, kVersym); },
     {"DT_VERDEF without DT_VERSYM"}},
    {"version_of_a_lost_definition",
     "versioned-sysv.so",
     [](Bytes& b) {
       for (size_t i = 6; i < 16; ++i) b.put(exported_row(b) + i, 1, 0);
     },
     {"DT_VERSYM of dynamic symbol", "defined here, and the symbol is not"}},
    {"versym_zeroed",
     "versioned.so",
     [](Bytes& b) {
       for (size_t row = symbol_row(b, 0), at = b.table(kVersym); row <= exported_row(b);
            row += 24) {
         b.put(at, 2, 0);
         at += 2;
       }
     },
     {"DT_VERSYM of dynamic symbol", "is 0", "local, and the symbol is exported"}},
    {"versym_unmapped",
     "versioned.so",
     [](Bytes& b) { b.put(b.tag(kVersym) + 8, 8, ~0ull); },
     {"DT_VERSYM", "no file bytes"}},
    {"versym_unknown_index",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVersym) + 2, 2, 77); },
     {"DT_VERSYM of dynamic symbol 1", "77", "DT_VERDEF"}},
    {"verdef_without_count",
     "versioned.so",
     [](Bytes& b) { drop(b, kVerdefnum); },
     {"DT_VERDEF without DT_VERDEFNUM"}},
    {"verneed_without_count",
     "versioned.so",
     [](Bytes& b) { drop(b, kVerneednum); },
     {"DT_VERNEED without DT_VERNEEDNUM"}},
    {"verdef_version_2",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerdef), 2, 2); },
     {"vd_version", "2", "must be 1"}},
    {"verdef_same_index",
     "versioned.so",
     [](Bytes& b) {
       const size_t second = b.table(kVerdef) + b.get(b.table(kVerdef) + 16, 4);
       b.put(second + 4, 2, 1);
     },
     {"vd_ndx", "1", "already"}},
    {"verdef_next_far",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerdef) + 16, 4, 0x7fffffff); },
     {"vd_next", "2147483647"}},
    {"verdef_next_0",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerdef) + 16, 4, 0); },
     {"vd_next", "0", "rows read"}},
    {"verdef_aux_far",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerdef) + 12, 4, 0x7fffffff); },
     {"vd_aux", "2147483647"}},
    {"verdef_name_outside",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerdef) + b.get(b.table(kVerdef) + 12, 4), 4, 1 << 20); },
     {"vda_name", "1048576", "string table"}},
    {"verneed_version_0",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerneed), 2, 0); },
     {"vn_version", "0", "must be 1"}},
    {"verneed_cnt_over",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerneed) + 2, 2, 9); },
     {"vna_next", "rows read"}},
    {"verneed_index_0",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerneed) + b.get(b.table(kVerneed) + 8, 4) + 6, 2, 0); },
     {"vna_other", "0"}},
    {"verneed_file_outside",
     "versioned.so",
     [](Bytes& b) { b.put(b.table(kVerneed) + 4, 4, 1 << 20); },
     {"vn_file", "1048576"}},
    {"note_name_huge",
     "flags-buildid.so",
     [](Bytes& b) {
       for (size_t i = 0; i < b.get(0x38, 2); ++i) {
         const size_t segment = b.get(0x20, 8) + 56 * i;
         if (b.get(segment, 4) == 4) b.put(b.get(segment + 8, 8), 4, ~0u);
       }
     },
     {"n_namesz", "4294967295"}},
};

class Corrupt : public testing::TestWithParam<Damage> {};

TEST_P(Corrupt, IsAnErrorThatNamesTheField) {
  Bytes bytes(GetParam().member);
  GetParam().damage(bytes);
  MemoryInput input("damaged.so", bytes.data);
  std::string have = "no error";
  try {
    ElfFile file(input);
    file.read_all();
    file.versions();
    file.build_id();
  } catch (const BadFile& error) {
    have = error.what();
  }
  EXPECT_EQ(have.find("damaged.so: "), 0u) << have;
  size_t at = 0;
  for (const char* want : GetParam().want) {
    at = have.find(want, at);
    ASSERT_NE(at, std::string::npos) << "have: " << have << "\nwant: ..." << want << "...";
  }
}

INSTANTIATE_TEST_SUITE_P(Elf, Corrupt, testing::ValuesIn(kDamages),
                         [](const auto& info) { return std::string(info.param.name); });

// What hides symbols from a look-up, each in a table of a thousand.
class GnuTable {
 public:
  explicit GnuTable(const Bytes& bytes) : at(bytes.table(kGnuHash)) {
    buckets = bytes.get(at, 4);
    first = bytes.get(at + 4, 4);
    words = bytes.get(at + 8, 4);
    bucket = at + 16 + 8 * words;
    chain = bucket + 4 * buckets;
  }
  size_t at, buckets = 0, first = 0, words = 0, bucket = 0, chain = 0;
};

void zero(Bytes& b, size_t at, size_t count) {
  for (size_t i = 0; i < count; ++i) b.put(at + i, 1, 0);
}

size_t fullest_bucket(const Bytes& b, const GnuTable& table) {  // that of the last chain
  size_t best = 0;
  for (size_t i = 1; i < table.buckets; ++i) {
    if (b.get(table.bucket + 4 * i, 4) > b.get(table.bucket + 4 * best, 4)) best = i;
  }
  return table.bucket + 4 * best;
}

const Damage kHidden[] = {
    {"bloom_zeroed",
     "",
     [](Bytes& b) {
       const GnuTable table(b);
       zero(b, table.at + 16, 8 * table.words);
     },
     {"DT_GNU_HASH", "no loader finds it"}},
    {"a_bloom_word_zeroed",
     "",
     [](Bytes& b) {
       const GnuTable table(b);
       size_t word = table.at + 16;
       while (b.get(word, 8) == 0) word += 8;
       zero(b, word, 8);
     },
     {"DT_GNU_HASH", "no loader finds it"}},
    {"buckets_zeroed",
     "",
     [](Bytes& b) {
       const GnuTable table(b);
       zero(b, table.bucket, 4 * table.buckets);
     },
     {"DT_GNU_HASH nbuckets", "all are empty"}},
    {"last_bucket_zeroed",
     "",
     [](Bytes& b) { zero(b, fullest_bucket(b, GnuTable(b)), 4); },
     {"DT_GNU_HASH"}},
    {"strings_zeroed",
     "",
     [](Bytes& b) { zero(b, b.table(kStrtab), b.value(kStrsz)); },
     {"DT_GNU_HASH chain of dynamic symbol", "hash of its name"}},
    {"symbols_zeroed",
     "",
     [](Bytes& b) {
       const GnuTable table(b);
       zero(b, b.table(kSymtab) + 24 * table.first, 24 * size_t{8});
     },
     {"DT_GNU_HASH chain of dynamic symbol", "hash of its name"}},
    {"listed_symbol_local",
     "",
     [](Bytes& b) { b.put(symbol_row(b, GnuTable(b).first) + 4, 1, 2); },
     {"st_info of dynamic symbol", "STB_LOCAL"}},
    {"listed_symbol_undefined",
     "",
     [](Bytes& b) { b.put(symbol_row(b, GnuTable(b).first) + 6, 2, 0); },
     {"st_shndx of dynamic symbol", "undefined"}},
    {"first_string_not_empty",
     "",
     [](Bytes& b) { b.put(b.table(kStrtab), 1, 'x'); },
     {"first byte of DT_STRTAB", "120", "must be 0"}},
    {"chain_without_end",
     "",
     [](Bytes& b) {
       const GnuTable table(b);
       size_t load = 0;  // the segment that the table is in, whose end bounds the chain
       while (b.get(b.segment(1, load) + 8, 8) + b.get(b.segment(1, load) + 32, 8) <= table.chain) {
         ++load;
       }
       const size_t end = b.get(b.segment(1, load) + 8, 8) + b.get(b.segment(1, load) + 32, 8);
       for (size_t at = table.chain; at + 4 <= end; at += 4) {
         b.put(at, 4, b.get(at, 4) & ~1ull);
       }
     },
     {"DT_GNU_HASH chain of dynamic symbol", "does not end", "room for symbols up to"}},
    {"chain_ends_early",
     "",
     [](Bytes& b) {
       size_t at = GnuTable(b).chain;
       while ((b.get(at, 4) & 1) != 0) at += 4;
       b.put(at, 4, b.get(at, 4) | 1);
     },
     {"DT_GNU_HASH"}},
};

const char* const kHashed[] = {"many-gnu.so", "many-lld.so", "many-nosections.so"};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const BadFile& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> exported_names(const char* member) {
  const Bytes sound(member);
  MemoryInput input("sound.so", sound.data);
  ElfFile file(input);
  std::vector<std::string> names;
  const ElfSymbolTable table = file.read_all();
  for (const ElfSymbol& symbol : table.symbols) {
    if (symbol.exported()) names.emplace_back(symbol.name);
  }
  return names;
}

// Whether a table refuses to answer for any of the names; none is found missing.
bool is_noticed(const Bytes& bytes, const std::vector<std::string>& names) {
  MemoryInput input("damaged.so", bytes.data);
  ElfFile file(input);
  if (!error_of([&] { file.verify(); }).empty()) return true;
  bool noticed = false;
  for (const std::string& name : names) {
    size_t found = 0;
    const std::string error = error_of([&] { found = file.find(name).size(); });
    EXPECT_TRUE(found != 0 || !error.empty()) << name << " is not found, and nothing is said";
    noticed |= !error.empty();
  }
  return noticed;
}

class Hidden : public testing::TestWithParam<Damage> {};

// Read whole and looked up in, such a table is an error, never one with fewer symbols.
TEST_P(Hidden, IsAnErrorBothWays) {
  for (const char* member : kHashed) {
    Bytes bytes(member);
    if (GnuTable(bytes).buckets == 1) GTEST_FAIL() << member << " has one bucket";
    GetParam().damage(bytes);
    MemoryInput input("damaged.so", bytes.data);
    const std::string whole = error_of([&] { ElfFile(input).read_all(); });
    EXPECT_NE(whole, "") << member;
    std::string looked_up;
    for (const std::string& name : exported_names(member)) {
      looked_up = error_of([&] { ElfFile(input).find(name); });
      if (!looked_up.empty()) break;
    }
    size_t at = 0;
    for (const char* want : GetParam().want) {
      at = looked_up.find(want, at);
      ASSERT_NE(at, std::string::npos)
          << member << "\nhave: " << looked_up << "\nwant: ..." << want << "...";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Elf, Hidden, testing::ValuesIn(kHidden),
                         [](const auto& info) { return std::string(info.param.name); });

// One word of a chain altered: an end more or less, or another hash, be it one of the same bucket.
TEST(Hidden, OneWordAtATime) {
  const std::vector<std::string> names = exported_names("many-gnu.so");
  const Bytes sound("many-gnu.so");
  const GnuTable table(sound);
  size_t noticed = 0, altered = 0;
  for (size_t i = 0; i < names.size(); i += 17) {
    for (const uint64_t flip : {uint64_t{1}, uint64_t{2}, uint64_t{2} * table.buckets}) {
      Bytes bytes(sound);
      bytes.put(table.chain + 4 * i, 4, bytes.get(table.chain + 4 * i, 4) ^ flip);
      ++altered;
      noticed += is_noticed(bytes, names) ? 1 : 0;
    }
  }
  EXPECT_EQ(noticed, altered);
}

// More rows than look-ups read in advance (16384): of the rows a sample of 64 is read then, and
// each look-up reads the rest of what its own answer stands on. `row` is of none of the sample.
constexpr int kLarge = 20000;
struct LargeDamage {
  const char* name;
  std::function<void(Bytes&, size_t row)> damage;
  const char* want;
};

void PrintTo(const LargeDamage& damage, std::ostream* out) { *out << damage.name; }

const LargeDamage kLargeDamages[] = {
    {"another_name",
     [](Bytes& b, size_t row) { b.put(symbol_row(b, row), 4, b.get(symbol_row(b, row + 1), 4)); },
     "DT_GNU_HASH chain of dynamic symbol"},
    {"no_name", [](Bytes& b, size_t row) { b.put(symbol_row(b, row), 4, 0); },
     "DT_GNU_HASH chain of dynamic symbol"},
    {"local", [](Bytes& b, size_t row) { b.put(symbol_row(b, row) + 4, 1, 2); }, "STB_LOCAL"},
    {"binding_7", [](Bytes& b, size_t row) { b.put(symbol_row(b, row) + 4, 1, 0x72); },
     "must be 0, 1, 2 or 10"},
    {"hidden", [](Bytes& b, size_t row) { b.put(symbol_row(b, row) + 5, 1, 2); }, "st_other"},
    {"undefined", [](Bytes& b, size_t row) { b.put(symbol_row(b, row) + 6, 2, 0); }, "st_shndx"},
    {"hash",
     [](Bytes& b, size_t row) {
       const GnuTable table(b);
       const size_t at = table.chain + 4 * (row - table.first);
       b.put(at, 4, b.get(at, 4) ^ 4);
     },
     "DT_GNU_HASH chain of dynamic symbol"},
};

// A library of kLarge functions, made once.
const std::string& large_library() {
  static const ScratchFolder scratch;
  static const std::string path = [] {
    std::string source = ".text\n";
    for (int i = 0; i < kLarge; ++i) {
      source += fmt::format(
          ".globl large_function_{0}\n.type large_function_{0}, @function\nlarge_function_{0}:\n",
          i);
    }
    scratch.write("large.s", source + "  .byte 0\n.section .note.GNU-stack,\"\",@progbits\n");
    const Ran ran = run_shell("cc -shared -nostdlib -Wl,--hash-style=gnu -Wl,-soname,large.so " +
                              scratch.file("large.s") + " -o " + scratch.file("large.so"));
    if (!ran.ok) throw std::runtime_error(ran.output);
    return scratch.file("large.so");
  }();
  return path;
}

TEST(LargeTable, IsReadWholeAndLookedUpIn) {
  std::set<std::string> want, have;
  const Ran nm = run_shell("nm -D --defined-only " + large_library());
  ASSERT_TRUE(nm.ok) << nm.output;
  std::istringstream lines(nm.output);
  for (std::string line; std::getline(lines, line);) {
    want.insert(line.substr(line.find_last_of(' ') + 1));
  }
  ASSERT_GE(want.size(), size_t{kLarge});
  const auto input = FileInput::open(large_library());
  ElfFile whole(*input), looked_up(*input);
  const ElfSymbolTable table = whole.read_all();
  for (const ElfSymbol& symbol : table.symbols) {
    if (symbol.exported()) have.emplace(symbol.name);
  }
  EXPECT_EQ(have, want);
  for (const std::string& name : want) ASSERT_EQ(looked_up.find(name).size(), 1u) << name;
  for (int i = kLarge; i < 2 * kLarge; ++i) {
    EXPECT_TRUE(looked_up.find("large_function_" + std::to_string(i)).empty()) << i;
  }
}

class Large : public testing::TestWithParam<LargeDamage> {};

// Read whole it is an error; looked up in, wherever the answer stands on that row, and there alone.
TEST_P(Large, ADamagedRowIsAnErrorWhereItIsLookedUp) {
  Bytes bytes(large_library());
  const GnuTable table(bytes);
  const size_t row = table.first + kLarge / 128;
  const auto name_of = [&](size_t index) {
    const size_t at = bytes.table(kStrtab) + bytes.get(symbol_row(bytes, index), 4);
    return std::string(reinterpret_cast<const char*>(bytes.data.data()) + at);
  };
  const std::string name = name_of(row), other = name_of(table.first + kLarge / 2);
  GetParam().damage(bytes, row);
  MemoryInput input("damaged.so", bytes.data);
  EXPECT_NE(error_of([&] { ElfFile(input).read_all(); }), "");
  EXPECT_NE(error_of([&] { ElfFile(input).find(name); }).find(GetParam().want), std::string::npos)
      << error_of([&] { ElfFile(input).find(name); });
  EXPECT_EQ(error_of([&] { EXPECT_EQ(ElfFile(input).find(other).size(), 1u); }), "");
}

INSTANTIATE_TEST_SUITE_P(Elf, Large, testing::ValuesIn(kLargeDamages),
                         [](const auto& info) { return std::string(info.param.name); });

// Other formats: what is lost from one table shows in another.
uint64_t little(const std::string& b, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(b.at(at + i));
  return value;
}

void put_little(std::string& b, size_t at, size_t width, uint64_t value) {
  for (size_t i = 0; i < width; ++i) b.at(at + i) = static_cast<char>(value >> (8 * i));
}

// Where the contents of the first object in foreign-gnu.a begin, and how long they are.
size_t first_object(const std::string& b) { return b.find("g.o/  ") + 60; }
size_t object_size(const std::string& b) { return std::stoull(b.substr(first_object(b) - 12, 10)); }

// The header of its symbol table, and that of the strings.
size_t section_of(const std::string& b, size_t object, bool strings) {
  const size_t table = object + little(b, object + 40, 8);
  for (size_t i = 0; i < little(b, object + 60, 2); ++i) {
    if (little(b, table + 64 * i + 4, 4) != 2) continue;
    return strings ? table + 64 * little(b, table + 64 * i + 40, 4) : table + 64 * i;
  }
  throw std::logic_error("the object lacks a symbol table");
}

void zero_section(std::string& b, bool strings, uint64_t part) {
  const size_t object = first_object(b), section = section_of(b, object, strings);
  const uint64_t size = little(b, section + 32, 8);
  const uint64_t kept = size / part / 24 * 24;
  const size_t start = object + little(b, section + 24, 8);
  for (size_t i = part == 1 ? 0 : kept; i < size; ++i) b.at(start + i) = 0;
}

size_t macho_command(const std::string& b, uint64_t command) {
  size_t at = 32;
  for (uint64_t i = 0; i < little(b, 16, 4); ++i, at += little(b, at + 4, 4)) {
    if (little(b, at, 4) == command) return at;
  }
  throw std::logic_error("the library lacks that load command");
}

size_t macho_trie(const std::string& b) {  // of LC_DYLD_INFO_ONLY
  return little(b, macho_command(b, 0x80000022) + 40, 4);
}

size_t pe_header(const std::string& b) { return little(b, 0x3c, 4) + 24; }

size_t pe_offset(const std::string& b, uint64_t address) {
  const size_t header = pe_header(b), table = header + little(b, header - 4, 2);
  for (size_t i = 0; i < little(b, header - 18, 2); ++i) {
    const size_t row = table + 40 * i;
    const uint64_t into = address - little(b, row + 12, 4);
    if (into < little(b, row + 16, 4)) return little(b, row + 20, 4) + into;
  }
  throw std::logic_error("no section holds that address");
}

struct ForeignDamage {
  const char* name;
  const char* member;
  std::function<void(std::string&)> damage;
  std::vector<const char*> want;
};

void PrintTo(const ForeignDamage& damage, std::ostream* out) { *out << damage.name; }

const ForeignDamage kForeign[] = {
    {"member_without_sections",
     "foreign-gnu.a",
     [](std::string& b) {
       put_little(b, first_object(b) + 40, 8, 0);
       put_little(b, first_object(b) + 60, 2, 0);
     },
     {"archive member g.o", "e_shoff", "no section headers"}},
    {"member_without_symbols",
     "foreign-gnu.a",
     [](std::string& b) { put_little(b, section_of(b, first_object(b), false) + 4, 4, 0); },
     {"archive member g.o", "no SHT_SYMTAB", "relocations"}},
    {"member_symbols_cut",
     "foreign-gnu.a",
     [](std::string& b) {
       const size_t section = section_of(b, first_object(b), false);
       put_little(b, section + 32, 8, 24 * little(b, section + 44, 4));
     },
     {"archive symbol index", "in member g.o, which does not define"}},
    {"member_symbols_zeroed",
     "foreign-gnu.a",
     [](std::string& b) { zero_section(b, false, 2); },
     {"archive member g.o", "empty name"}},
    {"member_strings_zeroed",
     "foreign-gnu.a",
     [](std::string& b) { zero_section(b, true, 1); },
     {"archive member g.o", "empty name"}},
    {"cut_behind_a_member",
     "foreign-gnu.a",
     [](std::string& b) { b.resize(first_object(b) + object_size(b)); },
     {"archive symbol index", "no member begins there"}},
    {"cut_behind_the_magic",
     "foreign-gnu.a",
     [](std::string& b) { b.resize(8); },
     {"archive: no member"}},
    {"index_emptied",
     "foreign-gnu.a",
     [](std::string& b) { put_little(b, 68, 4, 0); },
     {"archive symbol index", "it lacks"}},
    {"index_count_huge",
     "foreign-gnu.a",
     [](std::string& b) { put_little(b, 68, 4, 0xffffffff); },
     {"archive symbol index", "number of symbols is 4294967295", "room for"}},
    {"object_without_sections",
     "foreign-gnu.a",
     [](std::string& b) {
       b = b.substr(first_object(b), object_size(b));
       put_little(b, 40, 8, 0);
       put_little(b, 60, 2, 0);
     },
     {"ELF relocatable object", "no section headers"}},
    {"trie_of_other_names",
     "foreign-arm64.dylib",
     [](std::string& b) { b.at(macho_trie(b) + 2) = 'Q'; },
     {"Mach-O export trie", "which the symbol table has"}},
    {"symbols_zeroed",
     "foreign-arm64.dylib",
     [](std::string& b) {
       const size_t command = macho_command(b, 2);
       const size_t rows = little(b, command + 8, 4);
       for (size_t i = 0; i < 16 * little(b, command + 12, 4); ++i) b.at(rows + i) = 0;
     },
     {"Mach-O symbol table: 0 external symbols", "LC_DYSYMTAB"}},
    {"exports_at_no_address",
     "foreign.dll",
     [](std::string& b) { put_little(b, pe_header(b) + 112, 4, 0); },
     {"PE export directory's address", "0"}},
    {"export_addresses_zeroed",
     "foreign.dll",
     [](std::string& b) {
       const size_t directory = pe_offset(b, little(b, pe_header(b) + 112, 4));
       const size_t table = pe_offset(b, little(b, directory + 28, 4));
       for (size_t i = 0; i < 4 * little(b, directory + 20, 4); ++i) b.at(table + i) = 0;
     },
     {"PE export address", "0"}},
    {"word_of_32_bits",
     "foreign.dll",
     [](std::string& b) { put_little(b, pe_header(b), 2, 0x10b); },
     {"PE optional header's magic", "267", "64 bits"}},
};

class Foreign : public testing::TestWithParam<ForeignDamage> {};

TEST_P(Foreign, IsAnErrorThatNamesTheTable) {
  std::ifstream file(std::string(AOTI_CTS_ZOO) + "/" + GetParam().member, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  GetParam().damage(bytes);
  const ScratchFolder scratch;
  const std::string path = scratch.write("damaged", bytes);
  const std::string have = error_of([&] { open_libraries(FileInput::open(path)); });
  EXPECT_EQ(have.find(path + ": "), 0u) << have;
  size_t at = 0;
  for (const char* want : GetParam().want) {
    at = have.find(want, at);
    ASSERT_NE(at, std::string::npos) << "have: " << have << "\nwant: ..." << want << "...";
  }
}

INSTANTIATE_TEST_SUITE_P(Objread, Foreign, testing::ValuesIn(kForeign),
                         [](const auto& info) { return std::string(info.param.name); });

std::string listing(Input& input) {
  ElfFile file(input);
  std::string text;
  const ElfSymbolTable table = file.read_all();
  for (const ElfSymbol& symbol : table.symbols) {
    text += std::string(symbol.name) + file.version_suffix(symbol) + "\n";
  }
  return text;
}

// A file cut short anywhere reads whole or not at all.
TEST(Cut, EveryLengthIsWholeOrAnError) {
  for (const char* member : {"versioned.so", "bindings-sysv.so", "imports-only.so"}) {
    const Bytes bytes(member);
    MemoryInput whole("whole.so", bytes.data);
    const std::string want = listing(whole);
    size_t errors = 0;
    for (size_t size = 0; size < bytes.data.size(); size += size < 4096 ? 1 : 61) {
      MemoryInput cut("cut.so", std::span(bytes.data).first(size));
      try {
        EXPECT_EQ(listing(cut), want) << member << " cut to " << size;
      } catch (const BadFile&) {
        ++errors;
      }
    }
    EXPECT_GT(errors, 4096u) << member;
  }
}

// 64-bit S/390 and Alpha have 8-byte words in DT_HASH. No linker here writes them, so a big-endian
// member gets its table widened, over the bytes of `wide_table`, and the machine changed.
TEST(WideHash, EightByteWords) {
  Bytes bytes("bindings-ppc64be-sysv.so");
  MemoryInput plain("plain.so", bytes.data);
  const std::string want = listing(plain);
  const auto get = [&](size_t at, size_t width) {
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value = value << 8 | static_cast<uint64_t>(bytes.data.at(at + i));
    }
    return value;
  };
  const auto put = [&](size_t at, size_t width, uint64_t value) {
    for (size_t i = 0; i < width; ++i) {
      bytes.data.at(at + i) = static_cast<std::byte>(value >> (8 * (width - 1 - i)));
    }
  };
  // A new PT_LOAD at the end of the file, in the place of PT_GNU_STACK, holds the widened table.
  const uint64_t end = (bytes.data.size() + 7) / 8 * 8, address = 1ull << 32;
  uint64_t dynamic = 0, hash = 0, stack = 0;
  for (uint64_t i = 0, at = get(0x20, 8); i < get(0x38, 2); ++i, at += 56) {
    if (get(at, 4) == 2) dynamic = get(at + 8, 8);
    if (get(at, 4) == 0x6474e551) stack = at;
  }
  while (get(dynamic, 8) != 4) dynamic += 16;
  hash = get(dynamic + 8, 8);  // the first segment maps the file's start at address 0
  const uint64_t words = 2 + get(hash, 4) + get(hash + 4, 4);
  bytes.data.resize(end + words * 8);
  for (uint64_t i = 0; i < words; ++i) put(end + 8 * i, 8, get(hash + 4 * i, 4));
  put(dynamic + 8, 8, address);
  const uint64_t segment[] = {end, address, address, words * 8, words * 8, 8};
  put(stack, 4, 1);
  for (size_t i = 0; i < 6; ++i) put(stack + 8 + 8 * i, 8, segment[i]);
  put(18, 2, 22);  // EM_S390
  MemoryInput wide("wide.so", bytes.data);
  EXPECT_EQ(listing(wide), want);
  ElfFile file(wide);
  EXPECT_EQ(file.find("plain_function").size(), 1u);
}

}  // namespace
}  // namespace aoti_cts::symbols
