// A small bounded reader for one thing: the build-id note that program headers point to. Files may
// be hostile: every size is limited before anything is read, and nothing is followed twice.
#include "runner/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

namespace aoti_cts::runner {
namespace {

constexpr std::size_t max_segments = 512;
constexpr std::size_t max_notes = 1U << 16U;  // bytes of one note segment
constexpr std::size_t max_id = 64;

bool read_at(int file, void* to, std::size_t size, uint64_t offset) {
  if (offset > static_cast<uint64_t>(INT64_MAX)) return false;
  return pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

std::size_t pad4(std::size_t size) { return (size + 3) / 4 * 4; }

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string id_in_notes(std::string_view notes) {
  constexpr std::string_view owner("GNU\0", 4);
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr head;
    std::memcpy(&head, notes.data(), sizeof(head));
    notes.remove_prefix(sizeof(head));
    const std::size_t name_size = pad4(head.n_namesz);
    if (name_size > notes.size() || head.n_descsz > notes.size() - name_size) return "";
    const std::string_view name = notes.substr(0, head.n_namesz);
    const std::string_view content = notes.substr(name_size, head.n_descsz);
    if (head.n_type == NT_GNU_BUILD_ID && name == owner && content.size() <= max_id) {
      return hex(content);
    }
    notes.remove_prefix(std::min(notes.size(), name_size + pad4(head.n_descsz)));
  }
  return "";
}

std::string id_in_file(int file) {
  Elf64_Ehdr head;
  if (!read_at(file, &head, sizeof(head), 0)) return "";
  constexpr int native = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
      head.e_ident[EI_DATA] != native || head.e_phentsize != sizeof(Elf64_Phdr) ||
      head.e_phnum > max_segments) {
    return "";
  }
  std::vector<Elf64_Phdr> segments(head.e_phnum);
  if (!read_at(file, segments.data(), segments.size() * sizeof(Elf64_Phdr), head.e_phoff))
    return "";
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE || segment.p_filesz > max_notes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (!read_at(file, notes.data(), notes.size(), segment.p_offset)) continue;
    if (std::string id = id_in_notes(notes); !id.empty()) return id;
  }
  return "";
}

}  // namespace

std::string read_build_id(const std::string& path) {
  // Non-blocking, so that a FIFO in the file's place cannot hold us.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return "";
  struct stat info {};
  std::string id;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) id = id_in_file(file);
  close(file);
  return id;
}

}  // namespace aoti_cts::runner
