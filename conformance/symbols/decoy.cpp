// Renames the decoy's symbols in a copy of the built template. That needs no linker on the machine
// that judges: each name stands behind a placeholder, so a symbol's name is made to start later in
// it, over the prefix; and a SysV hash table of one bucket holds whatever the names are. The
// template is our own file, in this machine's own form, so <elf.h> may describe it.
#include "symbols/decoy.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "symbols/command.h"

namespace aoti_cts::symbols {
namespace {

class Template {
 public:
  explicit Template(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    if (bytes_.size() < sizeof(ElfW(Ehdr))) fail("too short");
    const auto header = at<ElfW(Ehdr)>(0);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const auto segment = at<ElfW(Phdr)>(header.e_phoff + i * sizeof(ElfW(Phdr)));
      if (segment.p_type == PT_LOAD) loads_.push_back(segment);
      if (segment.p_type == PT_DYNAMIC) dynamic_ = segment.p_offset;
    }
    for (uint64_t offset = dynamic_;; offset += sizeof(ElfW(Dyn))) {
      const auto entry = at<ElfW(Dyn)>(offset);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_SYMTAB) symbols_ = offset_of(entry.d_un.d_ptr);
      if (entry.d_tag == DT_STRTAB) strings_ = offset_of(entry.d_un.d_ptr);
      if (entry.d_tag == DT_HASH) hash_ = offset_of(entry.d_un.d_ptr);
    }
    if (symbols_ == 0 || strings_ == 0 || hash_ == 0) fail("lacks a table");
  }

  void rename(const std::string& prefix) {
    const auto count = at<uint32_t>(hash_ + 4);
    const std::string placeholder(kDecoyPrefix, 'x');
    unsigned renamed = 0;
    for (uint32_t i = 1; i < count; ++i) {
      auto symbol = at<ElfW(Sym)>(symbols_ + i * sizeof(ElfW(Sym)));
      const uint64_t name = strings_ + symbol.st_name;
      if (bytes_.compare(name, kDecoyPrefix, placeholder) != 0) continue;
      symbol.st_name += static_cast<uint32_t>(kDecoyPrefix - prefix.size());
      put(symbols_ + i * sizeof(ElfW(Sym)), symbol);
      bytes_.replace(strings_ + symbol.st_name, prefix.size(), prefix);
      ++renamed;
    }
    if (renamed == 0) fail("holds no placeholder");
    // One bucket: 1 -> 2 -> ... -> the last. It needs no more words than the table has.
    put(hash_, uint32_t{1});
    put(hash_ + 8, uint32_t{count > 1 ? 1u : 0u});
    for (uint32_t i = 0; i < count; ++i) {
      put(hash_ + 12 + 4 * i, i == 0 || i + 1 == count ? uint32_t{0} : i + 1);
    }
  }

  const std::string& bytes() const { return bytes_; }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::runtime_error(fmt::format("{}: not the decoy that was built: {}", path_, what));
  }
  template <class T>
  T at(uint64_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) fail("a table is cut");
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  template <class T>
  void put(uint64_t offset, const T& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
  }
  uint64_t offset_of(uint64_t address) const {
    for (const auto& load : loads_) {
      if (address - load.p_vaddr < load.p_filesz) return load.p_offset + (address - load.p_vaddr);
    }
    fail("a table is in no segment");
  }

  std::string path_;
  std::string bytes_;
  std::vector<ElfW(Phdr)> loads_;
  uint64_t dynamic_ = 0, symbols_ = 0, strings_ = 0, hash_ = 0;
};

}  // namespace

void make_decoy(const std::string& prefix, const std::string& path) {
  if (prefix.size() > kDecoyPrefix) {
    throw std::runtime_error(
        fmt::format("prefix '{}': {} characters, at most {}", prefix, prefix.size(), kDecoyPrefix));
  }
  Template decoy(helper_path("libaoti_cts_decoy.so"));
  decoy.rename(prefix);
  std::ofstream out(path, std::ios::binary);
  out << decoy.bytes();
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace aoti_cts::symbols
