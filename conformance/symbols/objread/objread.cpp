// aoti-cts-objread: reads Mach-O, PE/COFF, static archives and zips for aoti-cts.
//
//   aoti-cts-objread symbols <FILE        exported and imported names
//   aoti-cts-objread zip-list <FILE       members of a zip
//   aoti-cts-objread zip-get INDEX <FILE >MEMBER
//   aoti-cts-objread demangle             names on standard input, each with its NUL; texts come
//   back so
//
// A process of its own for two reasons: LLVM's Object library and libzip would make every start of
// aoti-cts slower, and a file that crashes their parsers must not end more than its own reading.
// What it writes is in objread.h.
#include "symbols/objread/objread.h"

#include <cxxabi.h>
#include <llvm/BinaryFormat/COFF.h>
#include <llvm/BinaryFormat/MachO.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Object/Archive.h>
#include <llvm/Object/COFF.h>
#include <llvm/Object/COFFImportFile.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/MachO.h>
#include <llvm/Object/MachOUniversal.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <zip.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "symbols/objread/archive_index.h"
#include "symbols/objread/pe_bounds.h"

namespace aoti_cts::symbols::objread {
namespace {

namespace object = llvm::object;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

void check(llvm::Error error, const char* doing) {
  if (error) fail(std::string(doing) + ": " + llvm::toString(std::move(error)));
}

template <class T>
T value(llvm::Expected<T> expected, const char* doing) {
  if (!expected) fail(std::string(doing) + ": " + llvm::toString(expected.takeError()));
  return std::move(*expected);
}

void field(llvm::StringRef text) {
  if (text.contains('\0')) fail("a name holds a NUL byte");
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\0', stdout);
}

void record(std::initializer_list<llvm::StringRef> fields) {
  for (const llvm::StringRef text : fields) field(text);
}

void record_symbol(const char* keyword, char kind, char binding, llvm::StringRef other,
                   llvm::StringRef name) {
  record({keyword, llvm::StringRef(&kind, 1), llvm::StringRef(&binding, 1), other, name});
}

// --- Mach-O -----------------------------------------------------------------------------------

llvm::StringRef plain_name(llvm::StringRef name) {
  name.consume_front("_");
  return name;
}

// Code or data, by the section that holds an address.
class MachoSections {
 public:
  explicit MachoSections(const object::MachOObjectFile& file) {
    for (const object::SectionRef& section : file.sections()) {
      rows_.push_back({section.getAddress(), section.getSize(), section.isText()});
    }
  }
  char kind(uint64_t address) const {
    for (const Row& row : rows_) {
      if (address - row.address < row.size) return row.text ? kFunction : kData;
    }
    return kUnknown;
  }

 private:
  struct Row {
    uint64_t address, size;
    bool text;
  };
  std::vector<Row> rows_;
};

// A segment's name fills its 16 bytes or ends before.
bool is_text(const char* name) { return llvm::StringRef(name, strnlen(name, 16)) == "__TEXT"; }

uint64_t macho_base(const object::MachOObjectFile& file) {
  for (const auto& command : file.load_commands()) {
    if (command.C.cmd == llvm::MachO::LC_SEGMENT_64) {
      const auto segment = file.getSegment64LoadCommand(command);
      if (is_text(segment.segname)) return segment.vmaddr;
    } else if (command.C.cmd == llvm::MachO::LC_SEGMENT) {
      const auto segment = file.getSegmentLoadCommand(command);
      if (is_text(segment.segname)) return segment.vmaddr;
    }
  }
  return 0;
}

struct NlistEntry {
  uint8_t type;
  uint16_t description;
  uint64_t value;
};

NlistEntry nlist_entry(const object::MachOObjectFile& file, const object::SymbolRef& symbol) {
  const auto raw = symbol.getRawDataRefImpl();
  if (file.is64Bit()) {
    const auto entry = file.getSymbol64TableEntry(raw);
    return {entry.n_type, entry.n_desc, entry.n_value};
  }
  const auto entry = file.getSymbolTableEntry(raw);
  return {entry.n_type, static_cast<uint16_t>(entry.n_desc), entry.n_value};
}

bool is_external(const NlistEntry& entry) {
  return (entry.type & llvm::MachO::N_STAB) == 0 && (entry.type & llvm::MachO::N_EXT) != 0 &&
         (entry.type & llvm::MachO::N_PEXT) == 0;
}

bool is_undefined(const NlistEntry& entry) {
  return (entry.type & llvm::MachO::N_TYPE) == llvm::MachO::N_UNDF && entry.value == 0;
}

// LC_DYSYMTAB counts the external symbols as well.
void check_externals(const object::MachOObjectFile& file, uint64_t have) {
  const auto counts = file.getDysymtabLoadCommand();
  const uint64_t want = uint64_t{counts.nextdefsym} + counts.nundefsym;
  if (counts.cmdsize == 0 || want == have) return;
  fail("Mach-O symbol table: " + std::to_string(have) + " external symbols, and LC_DYSYMTAB has " +
       std::to_string(counts.nextdefsym) + " defined and " + std::to_string(counts.nundefsym) +
       " undefined ones");
}

using Names = std::unordered_set<std::string>;

// External symbols of the nlist table. Exports of a linked file come from its trie instead. Returns
// the names that are defined here.
Names macho_nlist(const object::MachOObjectFile& file, bool exports) {
  const MachoSections sections(file);
  Names defined;
  uint64_t externals = 0;
  for (const object::SymbolRef& symbol : file.symbols()) {
    const NlistEntry entry = nlist_entry(file, symbol);
    constexpr unsigned kExternal = llvm::MachO::N_STAB | llvm::MachO::N_EXT;
    if ((entry.type & kExternal) == llvm::MachO::N_EXT) ++externals;
    if (!is_external(entry)) continue;
    const llvm::StringRef name = plain_name(value(symbol.getName(), "Mach-O symbol name"));
    if (name.empty()) fail("Mach-O symbol table: an external symbol has an empty name");
    if (is_undefined(entry)) {
      const bool weak = (entry.description & llvm::MachO::N_WEAK_REF) != 0;
      record_symbol("import", kUnknown, weak ? kWeak : kGlobal, "", name);
      continue;
    }
    // N_INDR: another symbol's name, which a trie has as a re-export.
    if ((entry.type & llvm::MachO::N_TYPE) != llvm::MachO::N_INDR) defined.insert(name.str());
    if (!exports) continue;
    const bool weak = (entry.description & llvm::MachO::N_WEAK_DEF) != 0;
    record_symbol("export", sections.kind(entry.value), weak ? kWeak : kGlobal, "", name);
  }
  check_externals(file, externals);
  return defined;
}

// The export trie of LC_DYLD_INFO(_ONLY) or LC_DYLD_EXPORTS_TRIE; LLVM 14 finds the former only.
bool macho_trie(const object::MachOObjectFile& file, llvm::ArrayRef<uint8_t>& trie) {
  bool found = false;
  for (const auto& command : file.load_commands()) {
    uint64_t offset = 0, size = 0;
    if (command.C.cmd == llvm::MachO::LC_DYLD_EXPORTS_TRIE) {
      const auto data = file.getLinkeditDataLoadCommand(command);
      offset = data.dataoff, size = data.datasize;
    } else if (command.C.cmd == llvm::MachO::LC_DYLD_INFO ||
               command.C.cmd == llvm::MachO::LC_DYLD_INFO_ONLY) {
      const auto data = file.getDyldInfoLoadCommand(command);
      offset = data.export_off, size = data.export_size;
    } else {
      continue;
    }
    if (found) fail("Mach-O: two export tries");
    const llvm::StringRef bytes = file.getData();
    if (offset > bytes.size() || size > bytes.size() - offset) {
      fail("Mach-O: export trie: offset " + std::to_string(offset) + " and size " +
           std::to_string(size) + " run past the file's " + std::to_string(bytes.size()) +
           " bytes");
    }
    trie = llvm::arrayRefFromStringRef(bytes.substr(offset, size));
    found = true;
  }
  return found;
}

// A linker writes one export twice: damage to the one table shows in the other. A file that was
// stripped of its symbol table has no second opinion.
void check_macho_exports(const Names& trie, const Names& reexports, const Names& symbols) {
  if (symbols.empty()) return;
  for (const std::string& name : symbols) {
    if (trie.count(name) != 0 || reexports.count(name) != 0) continue;
    fail("Mach-O export trie: " + std::to_string(trie.size()) + " names, and not " + name +
         ", which the symbol table has among " + std::to_string(symbols.size()) +
         " defined external symbols");
  }
  for (const std::string& name : trie) {
    if (symbols.count(name) != 0) continue;
    fail("Mach-O symbol table: " + std::to_string(symbols.size()) +
         " defined external symbols, and not " + name + ", which the export trie has among " +
         std::to_string(trie.size()) + " names");
  }
}

void macho_exports(const object::MachOObjectFile& file) {
  llvm::ArrayRef<uint8_t> trie;
  if (!macho_trie(file, trie)) {
    macho_nlist(file, true);
    return;
  }
  const MachoSections sections(file);
  const uint64_t base = macho_base(file);
  Names names, reexports;
  // A root without a name and without children: no exports. LLVM 14 calls that malformed.
  if (trie.size() >= 2 && trie[0] == 0 && trie[1] == 0) trie = {};
  llvm::Error error = llvm::Error::success();
  for (const object::ExportEntry& entry : object::MachOObjectFile::exports(error, trie, &file)) {
    const uint64_t flags = entry.flags();
    const bool reexport = (flags & llvm::MachO::EXPORT_SYMBOL_FLAGS_REEXPORT) != 0;
    (reexport ? reexports : names).insert(plain_name(entry.name()).str());
    char kind = sections.kind(base + entry.address());
    std::string forward;
    if (reexport) {
      kind = kUnknown;
      forward = plain_name(entry.otherName().empty() ? entry.name() : entry.otherName()).str();
    } else if ((flags & 3) == llvm::MachO::EXPORT_SYMBOL_FLAGS_KIND_THREAD_LOCAL) {
      kind = kTls;
    } else if ((flags & 3) == llvm::MachO::EXPORT_SYMBOL_FLAGS_KIND_ABSOLUTE) {
      kind = kAbsolute;
    }
    const bool weak = (flags & llvm::MachO::EXPORT_SYMBOL_FLAGS_WEAK_DEFINITION) != 0;
    record_symbol("export", kind, weak ? kWeak : kGlobal, forward, plain_name(entry.name()));
  }
  check(std::move(error), "Mach-O export trie");
  check_macho_exports(names, reexports, macho_nlist(file, false));
}

std::string dylib_name(const object::MachOObjectFile& file,
                       const object::MachOObjectFile::LoadCommandInfo& command) {
  const auto dylib = file.getDylibIDLoadCommand(command);
  const uint32_t offset = dylib.dylib.name;
  if (offset >= command.C.cmdsize) {
    fail("Mach-O: dylib name offset " + std::to_string(offset) +
         " is outside its load command of " + std::to_string(command.C.cmdsize) + " bytes");
  }
  const char* text = command.Ptr + offset;
  return std::string(text, strnlen(text, command.C.cmdsize - offset));
}

void read_macho(const object::MachOObjectFile& file) {
  std::string soname;
  std::vector<std::string> needed;
  for (const auto& command : file.load_commands()) {
    switch (command.C.cmd) {
      case llvm::MachO::LC_ID_DYLIB:
        soname = dylib_name(file, command);
        break;
      case llvm::MachO::LC_LOAD_DYLIB:
      case llvm::MachO::LC_LOAD_WEAK_DYLIB:
      case llvm::MachO::LC_REEXPORT_DYLIB:
      case llvm::MachO::LC_LAZY_LOAD_DYLIB:
      case llvm::MachO::LC_LOAD_UPWARD_DYLIB:
        needed.push_back(dylib_name(file, command));
        break;
      default:
        break;
    }
  }
  const bool relocatable = file.isRelocatableObject();
  const std::string arch = llvm::Triple::getArchTypeName(file.getArch()).str();
  record({"library", relocatable ? "object" : "macho", "Mach-O " + arch, soname});
  for (const std::string& name : needed) record({"needed", name});
  if (relocatable) {
    macho_nlist(file, true);
  } else {
    macho_exports(file);
  }
}

// --- PE/COFF ----------------------------------------------------------------------------------

// Code or data, by the section that holds a relative virtual address.
char pe_kind(const object::COFFObjectFile& file, uint32_t rva) {
  for (const object::SectionRef& ref : file.sections()) {
    const object::coff_section* section = file.getCOFFSection(ref);
    const uint32_t size = section->VirtualSize;
    if (rva - section->VirtualAddress >= size) continue;
    return (section->Characteristics & llvm::COFF::IMAGE_SCN_MEM_EXECUTE) != 0 ? kFunction : kData;
  }
  return kUnknown;
}

void pe_exports(const object::COFFObjectFile& file) {
  for (const object::ExportDirectoryEntryRef& entry : file.export_directories()) {
    llvm::StringRef name, forward;
    uint32_t rva = 0, ordinal = 0;
    bool forwarder = false;
    check(entry.getExportRVA(rva), "PE export address");
    if (rva == 0) continue;  // a gap between ordinals
    check(entry.getSymbolName(name), "PE export name");
    check(entry.getOrdinal(ordinal), "PE export ordinal");
    check(entry.isForwarder(forwarder), "PE export");
    if (forwarder) check(entry.getForwardTo(forward), "PE forwarder");
    const std::string numbered = "#" + std::to_string(ordinal);
    record_symbol("export", forwarder ? kUnknown : pe_kind(file, rva), kGlobal, forward,
                  name.empty() ? llvm::StringRef(numbered) : name);
  }
}

template <class Directory>
void pe_imports(const Directory& directory) {
  llvm::StringRef library;
  check(directory.getName(library), "PE import library name");
  record({"needed", library});
  for (const object::ImportedSymbolRef& symbol : directory.imported_symbols()) {
    bool by_ordinal = false;
    check(symbol.isOrdinal(by_ordinal), "PE import");
    if (by_ordinal) {
      uint16_t ordinal = 0;
      check(symbol.getOrdinal(ordinal), "PE import ordinal");
      record_symbol("import", kUnknown, kGlobal, library, "#" + std::to_string(ordinal));
    } else {
      llvm::StringRef name;
      check(symbol.getSymbolName(name), "PE import name");
      record_symbol("import", kUnknown, kGlobal, library, name);
    }
  }
}

void read_pe(const object::COFFObjectFile& file) {
  check_pe_tables(file);
  llvm::StringRef name;
  const auto exports = file.export_directories();
  if (exports.begin() != exports.end()) {
    check((*exports.begin()).getDllName(name), "PE library name");
  }
  const std::string arch = llvm::Triple::getArchTypeName(file.getArch()).str();
  record({"library", "pe", "PE " + arch, name});
  pe_exports(file);
  for (const auto& directory : file.import_directories()) pe_imports(directory);
  for (const auto& directory : file.delay_import_directories()) pe_imports(directory);
}

// --- relocatable objects and archives -----------------------------------------------------------

char elf_binding(const object::SymbolRef& symbol) {
  const uint8_t binding = object::ELFSymbolRef(symbol).getBinding();
  if (binding == llvm::ELF::STB_GNU_UNIQUE) return kUnique;
  return binding == llvm::ELF::STB_WEAK ? kWeak : kGlobal;
}

char other_kind(const object::SymbolRef& symbol) {
  const auto type = value(symbol.getType(), "symbol type");
  if (type == object::SymbolRef::ST_Function) return kFunction;
  return type == object::SymbolRef::ST_Data ? kData : kUnknown;
}

char elf_kind(const object::SymbolRef& symbol) {
  switch (object::ELFSymbolRef(symbol).getELFType()) {
    case llvm::ELF::STT_FUNC:
    case llvm::ELF::STT_GNU_IFUNC:
      return kFunction;
    case llvm::ELF::STT_OBJECT:
    case llvm::ELF::STT_COMMON:
      return kData;
    case llvm::ELF::STT_TLS:
      return kTls;
    default:
      return kUnknown;
  }
}

// What ties an import library together; no name of the DLL.
bool is_import_glue(llvm::StringRef name) {
  return name.startswith("__IMPORT_DESCRIPTOR_") || name == "__NULL_IMPORT_DESCRIPTOR" ||
         (name.startswith("\x7f") && name.endswith("_NULL_THUNK_DATA"));
}

// What is left of an object without one would read as an object without symbols. One that is
// stripped of all symbols may do without, but no relocation can.
void check_symbol_table(const object::ELFObjectFileBase& file) {
  if (file.section_begin() == file.section_end()) {
    fail("ELF relocatable object: e_shoff or e_shnum is 0: it has no section headers");
  }
  bool relocations = false, symbols = false;
  for (const object::SectionRef& section : file.sections()) {
    const uint32_t type = object::ELFSectionRef(section).getType();
    if (type == llvm::ELF::SHT_DYNAMIC) {
      fail("ELF e_type: 1: a relocatable object, and it has a dynamic section");
    }
    symbols |= type == llvm::ELF::SHT_SYMTAB;
    relocations |= type == llvm::ELF::SHT_RELA || type == llvm::ELF::SHT_REL;
  }
  if (relocations && !symbols) {
    fail("ELF relocatable object: no SHT_SYMTAB among its sections, and relocations that need it");
  }
}

void read_object_symbols(const object::ObjectFile& file) {
  if (const auto* macho = llvm::dyn_cast<object::MachOObjectFile>(&file)) {
    macho_nlist(*macho, true);
    return;
  }
  const bool elf = file.isELF();
  if (elf) check_symbol_table(llvm::cast<object::ELFObjectFileBase>(file));
  for (const object::SymbolRef& symbol : file.symbols()) {
    const uint32_t flags = value(symbol.getFlags(), "symbol flags");
    if ((flags & object::SymbolRef::SF_FormatSpecific) != 0) continue;
    if ((flags & object::SymbolRef::SF_Global) == 0 &&
        (flags & object::SymbolRef::SF_Undefined) == 0) {
      continue;
    }
    const llvm::StringRef name = value(symbol.getName(), "symbol name");
    if (elf && name.empty()) {
      fail("ELF symbol table: row " + std::to_string(symbol.getRawDataRefImpl().d.b) +
           " has an empty name, which sections' and local symbols alone have");
    }
    if (name.empty() || is_import_glue(name)) continue;
    const bool weak = (flags & object::SymbolRef::SF_Weak) != 0;
    const char binding = elf ? elf_binding(symbol) : weak ? kWeak : kGlobal;
    const char kind = elf ? elf_kind(symbol) : other_kind(symbol);
    if ((flags & object::SymbolRef::SF_Undefined) != 0) {
      record_symbol("import", kind, binding, "", name);
      continue;
    }
    // Hidden and internal symbols are no export of what the archive is linked into.
    const uint8_t visibility = elf ? object::ELFSymbolRef(symbol).getOther() & 3 : 0;
    if (visibility == llvm::ELF::STV_HIDDEN || visibility == llvm::ELF::STV_INTERNAL) continue;
    record_symbol("export", kind, binding, "", name);
  }
}

// A member of an import library: a name that the DLL exports.
void read_import_member(const object::COFFImportFile& file) {
  const auto* header = file.getCOFFImportHeader();
  const llvm::StringRef bytes = file.getData().substr(sizeof(*header));
  const size_t end = bytes.find('\0');
  if (end == llvm::StringRef::npos) fail("import library: a member's symbol name has no end");
  const llvm::StringRef dll = bytes.substr(end + 1).split('\0').first;
  const bool data = header->getType() == llvm::COFF::IMPORT_DATA;
  record_symbol("export", data ? kData : kFunction, kGlobal, dll, bytes.take_front(end));
}

// Names for the archive's index, as LLVM's own archiver chooses them.
MemberNames names_of(const std::string& member, const object::SymbolicFile& file) {
  MemberNames names;
  names.member = member;
  names.elf = file.isELF();
  for (const object::BasicSymbolRef& symbol : file.symbols()) {
    const uint32_t flags = value(symbol.getFlags(), "symbol flags");
    if ((flags & object::SymbolRef::SF_FormatSpecific) != 0) continue;
    if ((flags & object::SymbolRef::SF_Global) == 0) continue;
    if ((flags & object::SymbolRef::SF_Undefined) != 0) continue;
    std::string name;
    llvm::raw_string_ostream stream(name);
    check(symbol.printName(stream), "symbol name");
    names.defined.insert(stream.str());
  }
  return names;
}

void read_member(const object::Binary& binary) {
  if (const auto* file = llvm::dyn_cast<object::ObjectFile>(&binary)) {
    read_object_symbols(*file);
  } else if (const auto* import = llvm::dyn_cast<object::COFFImportFile>(&binary)) {
    read_import_member(*import);
  } else {
    fail("neither an object file nor an import");
  }
}

void read_archive(const object::Archive& archive) {
  if (archive.isThin()) fail("thin archive: its members are other files, give it those");
  record({"library", "archive", "static archive", ""});
  llvm::Error error = llvm::Error::success();
  ArchiveNames names;
  for (const object::Archive::Child& child : archive.children(error)) {
    const std::string name = value(child.getName(), "archive member name").str();
    auto binary = child.getAsBinary();
    if (!binary) {
      fail("archive member " + name + ": " + llvm::toString(binary.takeError()));
    }
    try {
      read_member(**binary);
    } catch (const std::runtime_error& what) {
      fail("archive member " + name + ": " + what.what());
    }
    names[child.getChildOffset()] = names_of(name, llvm::cast<object::SymbolicFile>(**binary));
  }
  check(std::move(error), "archive");
  if (names.empty()) fail("archive: no member in it");
  check_archive_index(archive, names);
}

// --- entry points -------------------------------------------------------------------------------

void read_universal(const object::MachOUniversalBinary& universal) {
  for (const auto& slice : universal.objects()) {
    auto file = slice.getAsObjectFile();
    if (file) {
      read_macho(**file);
      continue;
    }
    llvm::consumeError(file.takeError());
    read_archive(*value(slice.getAsArchive(), "Mach-O universal slice"));
  }
}

void read_symbols() {
  auto buffer = llvm::MemoryBuffer::getOpenFile(STDIN_FILENO, "input", -1, false);
  if (!buffer) fail("read: " + buffer.getError().message());
  const auto binary = value(object::createBinary((*buffer)->getMemBufferRef()), "file");
  if (const auto* universal = llvm::dyn_cast<object::MachOUniversalBinary>(binary.get())) {
    read_universal(*universal);
  } else if (const auto* archive = llvm::dyn_cast<object::Archive>(binary.get())) {
    read_archive(*archive);
  } else if (const auto* macho = llvm::dyn_cast<object::MachOObjectFile>(binary.get())) {
    read_macho(*macho);
  } else if (const auto* coff = llvm::dyn_cast<object::COFFObjectFile>(binary.get())) {
    if (coff->isRelocatableObject()) fail("a COFF object file is no library");
    read_pe(*coff);
  } else if (const auto* file = llvm::dyn_cast<object::ObjectFile>(binary.get())) {
    record({"library", "object", "relocatable object", ""});
    read_object_symbols(*file);
  } else {
    fail("neither Mach-O, PE nor a static archive");
  }
}

class Zip {
 public:
  Zip() {
    const int fd = dup(STDIN_FILENO);
    int error = 0;
    archive_ = zip_fdopen(fd, 0, &error);
    if (archive_ != nullptr) return;
    zip_error_t text;
    zip_error_init_with_code(&text, error);
    fail(std::string("zip: ") + zip_error_strerror(&text));
  }
  ~Zip() { zip_discard(archive_); }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  zip_t* get() const { return archive_; }
  [[noreturn]] void fail_here(const char* doing) const {
    fail(std::string("zip: ") + doing + ": " + zip_strerror(archive_));
  }

 private:
  zip_t* archive_;
};

void list_zip() {
  const Zip zip;
  const zip_int64_t count = zip_get_num_entries(zip.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    if (zip_stat_index(zip.get(), static_cast<zip_uint64_t>(i), 0, &status) != 0) {
      zip.fail_here("member");
    }
    if ((status.valid & ZIP_STAT_NAME) == 0 || (status.valid & ZIP_STAT_SIZE) == 0) {
      fail("zip: a member without name or size");
    }
    record({"member", std::to_string(i), std::to_string(status.size), status.name});
  }
}

void get_member(const char* index) {
  const Zip zip;
  zip_file_t* member = zip_fopen_index(zip.get(), std::strtoull(index, nullptr, 10), 0);
  if (member == nullptr) zip.fail_here("open member");
  zip_stat_t status;
  if (zip_stat_index(zip.get(), std::strtoull(index, nullptr, 10), 0, &status) != 0) {
    zip.fail_here("member");
  }
  zip_uint64_t left = status.size;
  std::array<char, 1 << 16> block;
  for (;;) {
    const zip_int64_t got = zip_fread(member, block.data(), block.size());
    if (got < 0) fail("zip: read member: damaged data or checksum");
    if (got == 0) break;
    if (static_cast<zip_uint64_t>(got) > left) {
      fail("zip: read member: it inflates to more than the " + std::to_string(status.size) +
           " bytes that it says");
    }
    left -= static_cast<zip_uint64_t>(got);
    if (std::fwrite(block.data(), 1, static_cast<size_t>(got), stdout) !=
        static_cast<size_t>(got)) {
      fail(std::string("write: ") + strerror(errno));
    }
  }
  if (zip_fclose(member) != 0) fail("zip: close member: damaged data or checksum");
}

// A text that is longer, or takes longer to write, than anybody would read is not told: the name
// comes back. A quarter of a second ends this process, and a GiB of memory, of which a sanitizer
// needs more.
void demangle_names() {
  if (!kSanitized) {
    const rlimit memory = {1u << 30, 1u << 30};
    setrlimit(RLIMIT_AS, &memory);
  }
  constexpr size_t kMaxText = 64u << 10;
  const itimerval allowed = {{0, 0}, {0, 250000}}, never = {{0, 0}, {0, 0}};
  std::string name;
  for (int ch = std::getchar(); ch != EOF; ch = std::getchar()) {
    if (ch != 0) {
      name += static_cast<char>(ch);
      continue;
    }
    setitimer(ITIMER_REAL, &allowed, nullptr);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        name[0] == '?' ? llvm::microsoftDemangle(name.c_str(), nullptr, nullptr, nullptr, &status)
                       : abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
        &std::free);
    const bool told = status == 0 && text != nullptr && std::strlen(text.get()) <= kMaxText;
    field(told ? llvm::StringRef(text.get()) : llvm::StringRef(name));
    if (std::fflush(stdout) != 0) return;
    setitimer(ITIMER_REAL, &never, nullptr);
    name.clear();
  }
}

int run(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "symbols" && argc == 2) {
    read_symbols();
    record({"end"});
  } else if (command == "zip-list" && argc == 2) {
    list_zip();
    record({"end"});
  } else if (command == "zip-get" && argc == 3) {
    get_member(argv[2]);
  } else if (command == "demangle" && argc == 2) {
    demangle_names();
  } else {
    std::fprintf(stderr, "usage: aoti-cts-objread symbols|zip-list|zip-get INDEX|demangle <FILE\n");
    return 2;
  }
  if (std::fflush(stdout) != 0) fail(std::string("write: ") + strerror(errno));
  return 0;
}

}  // namespace
}  // namespace aoti_cts::symbols::objread

int main(int argc, char** argv) {
  try {
    return aoti_cts::symbols::objread::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
