// Gives a blob another prefix by rewriting the names of its undefined symbols in place. Names that
// are undefined are in no hash table, so that only the string table and the symbols' offsets into
// it change. A shorter name is written at the end of the old one's place: linkers let one name be
// the tail of another, and so the tail has to stay where it is.
#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "blobs/host.h"

namespace aoti_cts::blobs {
namespace {

/// The parts of an ELF file that the renaming needs, each offset checked against the file.
class Image {
 public:
  explicit Image(std::string& bytes) : bytes_(bytes) {
    const auto header = get<Elf64_Ehdr>(0, "ELF header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
      throw Error("the blob is no 64-bit little-endian ELF library");
    }
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
      const auto segment = get<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr), "segment");
      if (segment.p_type == PT_LOAD) loads_.push_back(segment);
      if (segment.p_type == PT_DYNAMIC) dynamic_ = segment;
    }
  }

  template <class T>
  T get(uint64_t offset, std::string_view field) const {
    T value;
    need(offset, sizeof(T), field);
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  template <class T>
  void put(uint64_t offset, const T& value) {
    need(offset, sizeof(T), "symbol");
    std::memcpy(bytes_.data() + offset, &value, sizeof(T));
  }

  /// The file offset of what an entry of the dynamic section points at.
  uint64_t pointed(int64_t tag, const char* name) const {
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = get<Elf64_Dyn>(dynamic_.p_offset + at, "dynamic section");
      if (entry.d_tag == tag) return offset_of(entry.d_un.d_ptr, name);
      if (entry.d_tag == DT_NULL) break;
    }
    throw Error(fmt::format("the blob has no {}", name));
  }

  /// The name at this place, and no further than the file.
  std::string_view name(uint64_t offset) const {
    need(offset, 1, "name");
    const std::string_view rest = std::string_view(bytes_).substr(offset);
    return rest.substr(0, rest.find('\0'));
  }
  void write(uint64_t offset, std::string_view text) {
    need(offset, text.size(), "name");
    bytes_.replace(offset, text.size(), text);
  }

 private:
  void need(uint64_t offset, uint64_t size, std::string_view field) const {
    if (offset <= bytes_.size() && size <= bytes_.size() - offset) return;
    throw Error(fmt::format("the blob's {} at {} with {} bytes ends after the file's {} bytes",
                            field, offset, size, bytes_.size()));
  }
  uint64_t offset_of(uint64_t address, const char* field) const {
    for (const Elf64_Phdr& load : loads_) {
      if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz) {
        return load.p_offset + (address - load.p_vaddr);
      }
    }
    throw Error(fmt::format("the blob's {} at address {:#x} is in no segment", field, address));
  }

  std::string& bytes_;
  std::vector<Elf64_Phdr> loads_;
  Elf64_Phdr dynamic_{};
};

}  // namespace

std::string with_prefix(std::string blob, std::string_view from, std::string_view to) {
  if (from == to) return blob;
  if (to.size() > from.size()) {
    throw Error(
        fmt::format("prefix '{}' has {} characters; at most {} fit", to, to.size(), from.size()));
  }
  Image image(blob);
  const uint64_t strings = image.pointed(DT_STRTAB, "DT_STRTAB");
  const uint64_t symbols = image.pointed(DT_SYMTAB, "DT_SYMTAB");
  // The second word of the hash table: the first symbol that is in it. All before are undefined.
  const auto first_hashed =
      image.get<uint32_t>(image.pointed(DT_GNU_HASH, "DT_GNU_HASH") + 4, "DT_GNU_HASH");
  const std::string head = std::string(from) + "aoti_";
  for (uint64_t i = 1; i < first_hashed; ++i) {
    const uint64_t at = symbols + i * sizeof(Elf64_Sym);
    auto symbol = image.get<Elf64_Sym>(at, "symbol");
    const uint64_t name = strings + symbol.st_name;
    if (symbol.st_shndx != SHN_UNDEF || !image.name(name).starts_with(head)) continue;
    const auto shift = static_cast<uint32_t>(from.size() - to.size());
    image.write(name + shift, to);
    symbol.st_name += shift;
    image.put(at, symbol);
  }
  return blob;
}

}  // namespace aoti_cts::blobs
