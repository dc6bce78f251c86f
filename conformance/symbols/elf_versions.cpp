// Version nodes (DT_VERDEF, DT_VERNEED) and notes of an ELF file; see elf.h.
#include <fmt/format.h>

#include "symbols/elf.h"
#include "symbols/elf_rows.h"

namespace aoti_cts::symbols {
namespace {

constexpr uint16_t kIndexMask = 0x7fff;
constexpr uint64_t kMaxNotes = 16u << 20;  // bytes of all note segments, which may overlap

}  // namespace

const std::vector<ElfVersion>& ElfFile::versions() {
  if (!versions_) {
    versions_.emplace(2);  // indexes 0 and 1 have no node
    if (dynamic_.verdef) read_verdef();
    if (dynamic_.verneed) read_verneed();
  }
  return *versions_;
}

void ElfFile::put_version(uint16_t index, ElfVersion version, std::string_view field) {
  if (versions_->size() <= index) versions_->resize(index + size_t{1});
  ElfVersion& slot = (*versions_)[index];
  if (!slot.name.empty()) {
    input_.fail(field, index, fmt::format("{} has that index already", slot.name));
  }
  slot = std::move(version);
}

void ElfFile::read_verdef() {
  if (!dynamic_.verdefnum) input_.fail("dynamic section", "DT_VERDEF without DT_VERDEFNUM");
  const uint64_t count = *dynamic_.verdefnum;
  Area at = locate(*dynamic_.verdef, "DT_VERDEF");
  for (uint64_t i = 0; i < count; ++i) {
    const auto row = read_row(at, 0, "DT_VERDEF", [](auto types) {
      return typename decltype(types)::VersionDefinition{};
    });
    if (row.version != 1) input_.fail("vd_version", row.version, "must be 1");
    const uint16_t index = row.index & kIndexMask;
    if (index == 0) input_.fail("vd_ndx", row.index, "must not be 0");
    if (row.aux_count == 0) input_.fail("vd_cnt", 0, "a version has at least its name");
    if (row.aux > at.left) {
      input_.fail("vd_aux", row.aux, fmt::format("{} bytes are left in the segment", at.left));
    }
    const auto aux =
        read_row({at.offset + row.aux, at.left - row.aux}, 0, "vd_aux",
                 [](auto types) { return typename decltype(types)::VersionDefinitionAux{}; });
    ElfVersion version{version_name(aux.name, "vda_name"), "", (row.flags & 1) != 0};
    if (version.name.empty()) input_.fail("vda_name", aux.name, "an empty version name");
    put_version(index, std::move(version), "vd_ndx");
    if (i + 1 == count) return;
    if (row.next == 0 || row.next > at.left) {
      input_.fail("vd_next", row.next,
                  fmt::format("{} of DT_VERDEFNUM's {} rows read, {} bytes left in the segment",
                              i + 1, count, at.left));
    }
    at = {at.offset + row.next, at.left - row.next};
  }
}

void ElfFile::read_verneed() {
  if (!dynamic_.verneednum) input_.fail("dynamic section", "DT_VERNEED without DT_VERNEEDNUM");
  const uint64_t count = *dynamic_.verneednum;
  Area at = locate(*dynamic_.verneed, "DT_VERNEED");
  for (uint64_t i = 0; i < count; ++i) {
    const auto row = read_row(at, 0, "DT_VERNEED",
                              [](auto types) { return typename decltype(types)::VersionNeed{}; });
    if (row.version != 1) input_.fail("vn_version", row.version, "must be 1");
    // Every row claims an index of its own, so a loop of rows ends at the 32767th.
    if (row.aux_count == 0) input_.fail("vn_cnt", 0, "a library is needed for some version");
    const std::string file = version_name(row.file, "vn_file");
    uint64_t into = row.aux;
    for (uint32_t j = 0; j < row.aux_count; ++j) {
      if (into > at.left) {
        input_.fail("vn_aux", into, fmt::format("{} bytes are left in the segment", at.left));
      }
      const auto aux = read_row({at.offset + into, at.left - into}, 0, "vn_aux", [](auto types) {
        return typename decltype(types)::VersionNeedAux{};
      });
      const uint16_t index = aux.other & kIndexMask;
      if (index < 2) input_.fail("vna_other", aux.other, "0 and 1 are no version's index");
      ElfVersion version{version_name(aux.name, "vna_name"), file, false};
      if (version.name.empty()) input_.fail("vna_name", aux.name, "an empty version name");
      put_version(index, std::move(version), "vna_other");
      if (j + 1 < row.aux_count && aux.next == 0) {
        input_.fail("vna_next", 0,
                    fmt::format("{} of vn_cnt's {} rows read", j + 1, row.aux_count));
      }
      into += aux.next;
    }
    if (i + 1 == count) return;
    if (row.next == 0 || row.next > at.left) {
      input_.fail("vn_next", row.next,
                  fmt::format("{} of DT_VERNEEDNUM's {} rows read, {} bytes left in the segment",
                              i + 1, count, at.left));
    }
    at = {at.offset + row.next, at.left - row.next};
  }
}

void ElfFile::check_version(const ElfSymbol& symbol) {
  const bool null = symbol.index == 0;
  if (dynamic_.versym && (null ? symbol.version != 0 : symbol.exported() && symbol.version == 0)) {
    input_.fail(fmt::format("DT_VERSYM of dynamic symbol {}", symbol.index), symbol.version,
                null ? "must be 0, that of the null symbol" : "local, and the symbol is exported");
  }
  if (symbol.version < 2) return;
  if (symbol.version >= versions().size() || versions()[symbol.version].name.empty()) {
    input_.fail(fmt::format("DT_VERSYM of dynamic symbol {}", symbol.index), symbol.version,
                "neither DT_VERDEF nor DT_VERNEED has that index");
  }
  // A program may define what it has copied from a library, under the library's version.
  const bool needed = !versions()[symbol.version].file.empty();
  if (needed != symbol.defined() || is_program()) return;
  input_.fail(fmt::format("DT_VERSYM of dynamic symbol {}", symbol.index), symbol.version,
              needed ? "a needed version, and the symbol is defined here"
                     : "a version that is defined here, and the symbol is not");
}

std::string ElfFile::version_suffix(const ElfSymbol& symbol) {
  if (symbol.version < 2) return "";
  const bool plain = symbol.hidden_version || !symbol.defined();
  return (plain ? "@" : "@@") + versions().at(symbol.version).name;
}

std::string ElfFile::build_id() {
  uint64_t left = kMaxNotes;
  for (const elf::Segment& segment : notes_) {
    if (segment.file_size > left) {
      input_.fail("p_filesz of PT_NOTE", segment.file_size,
                  fmt::format("at most {} of all of them are read, {} are left", kMaxNotes, left));
    }
    left -= segment.file_size;
    std::vector<std::byte> bytes(segment.file_size);
    input_.read(segment.offset, bytes, "p_offset of PT_NOTE");
    std::string id = build_id_in(bytes, segment.alignment);
    if (!id.empty()) return id;
  }
  return "";
}

std::string ElfFile::build_id_in(std::span<const std::byte> bytes, uint64_t alignment) const {
  const uint64_t align = alignment == 8 ? 8 : 4;
  const auto padded = [align](uint64_t size) { return (size + align - 1) / align * align; };
  return with_types(form_, [&](auto types) -> std::string {
    using W = typename decltype(types)::Note;
    uint64_t at = 0;
    while (bytes.size() - at >= sizeof(W)) {
      const elf::Note note = elf::load<W>(bytes, at).plain();
      const uint64_t name = at + sizeof(W);
      if (note.name_size > bytes.size() - name) {
        input_.fail("n_namesz", note.name_size, "runs past its PT_NOTE segment");
      }
      const uint64_t description = at + padded(sizeof(W) + note.name_size);
      if (description > bytes.size() || note.description_size > bytes.size() - description) {
        input_.fail("n_descsz", note.description_size, "runs past its PT_NOTE segment");
      }
      const auto* text = reinterpret_cast<const char*>(bytes.data());
      if (note.type == 3 &&
          std::string_view(text + name, note.name_size) == std::string_view("GNU\0", 4)) {
        std::string hex;
        for (const std::byte b : bytes.subspan(description, note.description_size)) {
          hex += fmt::format("{:02x}", static_cast<unsigned>(b));
        }
        return hex;
      }
      at = std::min<uint64_t>(description + padded(note.description_size), bytes.size());
    }
    return "";
  });
}

}  // namespace aoti_cts::symbols
