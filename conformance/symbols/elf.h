// ELF dynamic symbol tables, read the way the dynamic loader reads them: program headers,
// PT_DYNAMIC, and the tables it points at. Section headers are never needed, so a file stripped of
// them reads the same.
//
// ELF32 and ELF64, both byte orders, any machine. The number of symbols comes from DT_GNU_HASH or
// DT_HASH; where both are there they must agree. Everything is checked, and a table that is wrong
// anywhere is an error (BadFile): there is no partial answer. Names can be looked up in place, as
// the loader does it, at a cost that does not grow with the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_layout.h"
#include "symbols/input.h"

namespace aoti_cts::symbols {

/// One row of a dynamic symbol table, fields as ELF defines them.
struct ElfSymbol {
  enum Binding : uint8_t { Local = 0, Global = 1, Weak = 2, Unique = 10 };
  enum Type : uint8_t { NoType = 0, Object = 1, Function = 2, Common = 5, Tls = 6, IFunc = 10 };
  enum Visibility : uint8_t { Default = 0, Internal = 1, Hidden = 2, Protected = 3 };

  std::string_view name;  ///< lives as long as the table it came with
  uint64_t value = 0;
  uint64_t size = 0;
  uint32_t index = 0;
  uint16_t section = 0;
  uint8_t type = 0;
  uint8_t binding = 0;
  uint8_t visibility = 0;
  uint16_t version = 0;         ///< index into versions(); 0 local, 1 global
  bool hidden_version = false;  ///< name@VERSION, not name@@VERSION

  bool defined() const { return section != 0; }
  /// Whether another module can bind to it.
  bool exported() const {
    return defined() && (binding == Global || binding == Weak || binding == Unique) &&
           (visibility == Default || visibility == Protected);
  }
};

/// A version node; `name` is empty for an index that no table defines.
struct ElfVersion {
  std::string name;
  std::string file;   ///< of a needed version: the library it is needed from
  bool base = false;  ///< VER_FLG_BASE: names the library itself, no version
};

/// All rows, the null symbol included: `symbols[i].index == i`.
struct ElfSymbolTable {
  std::vector<ElfSymbol> symbols;
  std::vector<char> strings;  ///< what the names point into
};

class ElfFile {
 public:
  /// Reads headers and the dynamic section. `input` must outlive the object. Throws BadFile.
  explicit ElfFile(Input& input);

  /// Whether the bytes begin as an ELF file does.
  static bool is_elf(Input& input);

  elf::Form form() const { return form_; }
  uint16_t machine() const { return header_.machine; }
  uint16_t type() const { return header_.type; }  ///< ET_EXEC 2, ET_DYN 3
  const std::string& soname() const { return soname_; }
  bool has_soname() const { return dynamic_.soname.has_value(); }
  const std::vector<std::string>& needed() const { return needed_; }
  const std::string& rpath() const { return rpath_; }
  const std::string& runpath() const { return runpath_; }
  bool text_relocations() const;
  bool symbolic() const;
  /// PT_GNU_STACK: absent, or whether it asks for an executable stack.
  std::optional<bool> executable_stack() const { return executable_stack_; }
  uint64_t flags() const { return dynamic_.flags.value_or(0); }
  uint64_t flags_1() const { return dynamic_.flags_1.value_or(0); }
  bool has_gnu_hash() const { return dynamic_.gnu_hash.has_value(); }
  bool has_sysv_hash() const { return dynamic_.hash.has_value(); }

  /// Hex of the NT_GNU_BUILD_ID note, empty where there is none. Reads the notes.
  std::string build_id();

  /// Version nodes by index, from DT_VERDEF and DT_VERNEED; read on first use.
  const std::vector<ElfVersion>& versions();
  /// "@@NODE", "@NODE" or "" for a symbol.
  std::string version_suffix(const ElfSymbol& symbol);

  /// The whole table, with every hash chain, name and version index checked.
  ElfSymbolTable read_all();

  /// Throws BadFile where the hash table is damaged as a whole, by what can be told without reading
  /// the names, and a sample of those. find() calls it once.
  void verify();

  /// Every row of that name the loader can find, through the hash table and without reading more
  /// than it touches; `name` must outlive the rows. Throws BadFile, as verify() does, and where
  /// what this look-up stands on is damaged: "not there" is as good as after read_all().
  std::vector<ElfSymbol> find(std::string_view name);

 private:
  struct Tags {
    std::optional<uint64_t> hash, gnu_hash, strtab, symtab, strsz, syment, soname, rpath, runpath,
        textrel, symbolic, flags, flags_1, versym, verdef, verdefnum, verneed, verneednum;
  };
  struct Area {  // file bytes behind an address, up to the end of its segment
    uint64_t offset = 0;
    uint64_t left = 0;
  };
  struct GnuHash {
    uint32_t buckets = 0, first = 0, bloom_words = 0, bloom_shift = 0;
    Area bloom, bucket, chain;
  };
  struct SysvHash {
    uint64_t buckets = 0, chains = 0;
    unsigned entry = 4;  // bytes; 8 on Alpha and 64-bit S/390
    Area bucket, chain;
  };

  void read_header();
  void read_segments();
  void read_segment(const elf::Segment& segment);
  void read_dynamic();
  void keep_tag(const elf::Dynamic& entry, std::vector<uint64_t>& needed);
  void locate_tables();
  void read_gnu_hash_header();
  void read_sysv_hash_header();
  std::string build_id_in(std::span<const std::byte> notes, uint64_t alignment) const;
  void read_verdef();
  void read_verneed();
  void put_version(uint16_t index, ElfVersion version, std::string_view field);

  Area locate(uint64_t address, std::string_view field) const;
  Area locate(uint64_t address, uint64_t length, std::string_view field) const;
  template <class Select>
  auto read_row(const Area& area, uint64_t index, std::string_view field, Select select);
  uint32_t u32(const Area& area, uint64_t index, std::string_view field);
  uint64_t hash_word(const SysvHash& hash, const Area& area, uint64_t index,
                     std::string_view field);
  elf::Symbol raw_symbol(uint64_t index);
  ElfSymbol symbol(uint64_t index, std::string_view name);
  uint16_t raw_version(uint64_t index);
  std::string string_at(uint64_t offset, std::string_view field, uint64_t limit);
  void check_name(uint64_t index, const elf::Symbol& raw) const;
  std::string version_name(uint64_t offset, std::string_view field);
  bool name_is(uint64_t index, const elf::Symbol& raw, std::string_view name);

  using Bits = std::vector<uint64_t>;  // words of the filter
  std::optional<uint64_t> gnu_count();
  std::optional<uint64_t> empty_gnu_count();
  uint64_t count();
  std::optional<uint64_t> rows_between_tables() const;
  uint64_t count_between_tables(std::optional<uint64_t> sections) const;
  std::optional<uint64_t> count_in_sections();
  std::optional<elf::Section> dynsym_section();
  class Words {  // of a hash table, in the machine's byte order
   public:
    bool has(uint64_t index) const { return index < count_; }
    uint32_t operator[](uint64_t index) const { return words_[index]; }
    std::span<const uint32_t> all() const { return {words_.get(), count_}; }
    std::span<uint32_t> make(uint64_t count) {
      words_ = std::make_unique_for_overwrite<uint32_t[]>(count);
      count_ = count;
      return {words_.get(), count};
    }

   private:
    std::unique_ptr<uint32_t[]> words_;
    uint64_t count_ = 0;
  };
  void read_words(Words& words, const Area& area, uint64_t count, std::string_view field);
  void read_chains();
  struct GnuUse {
    uint64_t filled = 0;  // buckets
    uint32_t last = 0;    // the first row of the last chain, 0 where there is none
  };
  GnuUse gnu_use();
  uint32_t gnu_word(uint64_t index);
  uint32_t gnu_bucket(uint32_t bucket);
  Bits gnu_bloom();
  void verify_gnu_hash();
  struct GnuChain {  // rows [begin, end) of a bucket's chain, none where it is empty
    uint64_t begin = 0, end = 0;
    bool promised = false;  // the filter has the bits of the hash
  };
  GnuChain gnu_chain_of(uint32_t name_hash);
  void check_found(uint64_t index);
  void check_next_chain(uint64_t index);
  std::string check_gnu_row(uint64_t index, uint32_t hash);
  [[noreturn]] void fail_chain_hash(uint64_t index, uint32_t have, uint32_t want) const;
  void check_gnu_structure(uint64_t hashed);
  void check_chain_start(uint32_t bucket, uint64_t start);
  uint32_t hash_in_bucket(uint32_t word, uint32_t bucket, uint64_t index) const;
  void check_gnu_hash(const ElfSymbolTable& table);
  void check_gnu_bloom(const Bits& bloom, Bits& expected, uint64_t index, uint32_t name_hash) const;
  void check_gnu_bloom_rest(const Bits& bloom, const Bits& expected);
  void check_sysv_hash(const ElfSymbolTable& table);
  void check_version(const ElfSymbol& symbol);
  void check_symbol(const ElfSymbol& symbol) const;
  void check_symbols(uint64_t rows);
  void check_hashed(const ElfSymbol& symbol) const;
  bool is_program() const;
  void find_gnu(std::string_view name, std::vector<ElfSymbol>& found);
  void find_sysv(std::string_view name, std::vector<ElfSymbol>& found);

  Input& input_;
  elf::Form form_;
  elf::Header header_ = {};
  std::vector<elf::Segment> loads_;  // by address, none overlapping
  std::vector<elf::Segment> notes_;
  std::optional<elf::Segment> dynamic_segment_;
  std::optional<bool> executable_stack_;
  bool interpreted_ = false;  // has PT_INTERP, as programs have
  bool verified_ = false;     // find() may rely on the hash table
  Tags dynamic_;
  Area strings_, symbols_, version_rows_;
  std::optional<GnuHash> gnu_hash_;
  Words buckets_, chains_;  // of DT_GNU_HASH, whole once rows_ is known: every look-up needs them
  uint64_t rows_ = 0;       // dynamic symbols, once verify() or read_all() has counted them
  uint64_t filled_ = 0;     // buckets of DT_GNU_HASH in use, known with rows_
  uint64_t first_global_ = UINT64_MAX;  // sh_info of SHT_DYNSYM, known with rows_
  std::optional<SysvHash> sysv_hash_;
  std::optional<std::vector<ElfVersion>> versions_;
  std::string soname_, rpath_, runpath_;
  std::vector<std::string> needed_;
};

/// The hash functions of DT_GNU_HASH and DT_HASH.
uint32_t gnu_hash(std::string_view name);
uint32_t sysv_hash(std::string_view name);

}  // namespace aoti_cts::symbols
