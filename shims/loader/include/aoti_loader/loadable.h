// What the dynamic linker says badly, or not at all, of an ELF file that is no library for this
// machine: one of another machine is "No such file or directory" to it, and one that was cut short
// ends its process by SIGBUS.
//
// One check for everybody who is about to load a file (the reference loader, the command line). It
// reads the header and the segments alone, as the dynamic linker does, so that a library with odd
// section headers is let through. Nothing but the standard library, and no exception, so that it
// can be used anywhere.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <string>

// The header of the library or program that includes this, from the linker.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" __attribute__((visibility("hidden"))) const ElfW(Ehdr) __ehdr_start;

namespace aoti_loader {

/// A machine's number as text; a caller may know its name too.
using MachineText = std::string (*)(uint16_t machine);

namespace detail {

inline std::string number(uint16_t machine) { return std::to_string(machine); }

inline std::string not_ours(const std::string& field, const std::string& have,
                            const std::string& want) {
  return field + " is " + have + ", want " + want + ": built for another machine";
}

inline std::string header_problem(const ElfW(Ehdr) & header, MachineText machine_text) {
  const ElfW(Ehdr)& own = __ehdr_start;
  struct Byte {
    const char* field;
    int at;
  };
  for (const Byte& byte : {Byte{"EI_CLASS", EI_CLASS}, Byte{"EI_DATA", EI_DATA}}) {
    const unsigned have = header.e_ident[byte.at];
    const unsigned want = own.e_ident[byte.at];
    if (have != want) return not_ours(byte.field, std::to_string(have), std::to_string(want));
  }
  if (header.e_machine != own.e_machine) {
    return not_ours("e_machine", machine_text(header.e_machine), machine_text(own.e_machine));
  }
  if (header.e_type == ET_DYN) return "";
  return "e_type is " + std::to_string(header.e_type) + ", want " + std::to_string(ET_DYN) +
         ": no shared library";
}

}  // namespace detail

/// Why no dlopen() in this process could take an ELF file of `size` bytes, with the field, its
/// value and the limit; empty where nothing speaks against it. `read(offset, into, bytes)` copies
/// from the file and says whether it could; it is asked for nothing beyond `size`.
template <class Read>
std::string library_problem(uint64_t size, const Read& read,
                            MachineText machine_text = detail::number) {
  using std::to_string;
  const char* const unread = "cannot be read";
  const std::string cut = to_string(size) + " bytes, cut short: ";
  ElfW(Ehdr) header{};
  if (size < sizeof header) return cut + "an ELF header has " + to_string(sizeof header);
  if (!read(0, &header, sizeof header)) return unread;
  if (std::string problem = detail::header_problem(header, machine_text); !problem.empty()) {
    return problem;
  }
  const uint64_t table = header.e_phoff;
  const uint64_t bytes = uint64_t{header.e_phnum} * sizeof(ElfW(Phdr));
  if (table > size || bytes > size - table) {
    return cut + "e_phoff is " + to_string(table) + ", and the segments' table has " +
           to_string(bytes);
  }
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read(table + i * sizeof segment, &segment, sizeof segment)) return unread;
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset <= size && segment.p_filesz <= size - segment.p_offset) continue;
    return cut + "segment " + to_string(i) + " (PT_LOAD) has p_filesz " +
           to_string(segment.p_filesz) + " at p_offset " + to_string(segment.p_offset);
  }
  return "";
}

/// What to do about a text of dlerror() that a library of torch is missing; empty for other texts.
inline std::string missing_torch_hint(const std::string& dlerror_text) {
  const std::string end = ": cannot open shared object file";
  const std::string text = dlerror_text.substr(0, dlerror_text.find(end));
  if (text.size() == dlerror_text.size()) return "";
  const std::string library = text.substr(text.find_last_of("/ ") + 1);
  if (library.rfind("libtorch", 0) != 0 && library.rfind("libc10", 0) != 0) return "";
  return ": the model is linked to " + library +
         " (DT_NEEDED), which is not found here; one that was compiled with "
         "inductor_configs={\"aot_inductor.link_libtorch\": False} needs no library of torch";
}

}  // namespace aoti_loader
