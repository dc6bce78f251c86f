// See pe_bounds.h. Every address goes through from_address(), every count through entries().
#include "symbols/objread/pe_bounds.h"

#include <llvm/BinaryFormat/COFF.h>
#include <llvm/Support/Endian.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace aoti_cts::symbols::objread {
namespace {

namespace object = llvm::object;
namespace support = llvm::support;
using Bytes = llvm::ArrayRef<uint8_t>;

[[noreturn]] void fail(const std::string& field, uint64_t value, const std::string& limit) {
  throw std::runtime_error("PE " + field + ": " + std::to_string(value) + ": " + limit);
}

class Tables {
 public:
  explicit Tables(const object::COFFObjectFile& file) : file_(file) {}

  void check_exports() const {
    const auto* entry = file_.getDataDirectory(llvm::COFF::EXPORT_TABLE);
    if (entry != nullptr && entry->RelativeVirtualAddress == 0 && entry->Size != 0) {
      fail("export directory's address", 0,
           "and its size is " + std::to_string(uint32_t{entry->Size}) + ", must be 0 as well");
    }
    const Bytes directory = data_directory(llvm::COFF::EXPORT_TABLE);
    if (directory.empty()) return;
    object::export_directory_table_entry table;
    copy(directory, table, "export directory");
    name(table.NameRVA, "export directory's name");
    const Bytes addresses =
        entries(table.ExportAddressTableRVA, table.AddressTableEntries, 4, "export addresses");
    const Bytes names =
        entries(table.NamePointerRVA, table.NumberOfNamePointers, 4, "export names");
    const Bytes ordinals =
        entries(table.OrdinalTableRVA, table.NumberOfNamePointers, 2, "export ordinals");
    for (size_t i = 0; i < table.NumberOfNamePointers; ++i) {
      name(support::endian::read32le(names.data() + 4 * i), "export name");
      const uint16_t ordinal = support::endian::read16le(ordinals.data() + 2 * i);
      if (ordinal >= table.AddressTableEntries) {
        fail("export ordinal", ordinal,
             "there are " + std::to_string(table.AddressTableEntries) + " addresses");
      }
      if (support::endian::read32le(addresses.data() + 4 * ordinal) == 0) {
        fail("export address", 0,
             "name " + std::to_string(i) + " has that, and only a gap in the ordinals may be 0");
      }
    }
    for (size_t i = 0; i < table.AddressTableEntries; ++i) {
      const uint32_t address = support::endian::read32le(addresses.data() + 4 * i);
      if (address - entry->RelativeVirtualAddress < entry->Size) name(address, "forwarder");
    }
  }

  void check_imports() const {
    walk<object::coff_import_directory_table_entry>(
        llvm::COFF::IMPORT_TABLE, "import directory", [&](const auto& entry) {
          name(entry.NameRVA, "import library's name");
          // LLVM reads the one table where there is no other.
          const uint32_t lookup = entry.ImportLookupTableRVA;
          names(lookup != 0 ? lookup : entry.ImportAddressTableRVA, "import names");
        });
    walk<object::delay_import_directory_table_entry>(
        llvm::COFF::DELAY_IMPORT_DESCRIPTOR, "delayed import directory", [&](const auto& entry) {
          name(entry.Name, "delayed import library's name");
          names(entry.DelayImportNameTable, "delayed import names");
        });
  }

 private:
  // The file's bytes from an address to the end of its section.
  Bytes from_address(uint32_t address, const std::string& field) const {
    const llvm::StringRef data = file_.getData();
    for (const object::SectionRef& ref : file_.sections()) {
      const object::coff_section* section = file_.getCOFFSection(ref);
      const uint64_t into = uint64_t{address} - section->VirtualAddress;
      if (address < section->VirtualAddress || into >= section->SizeOfRawData) continue;
      const uint64_t start = section->PointerToRawData, size = section->SizeOfRawData;
      if (start > data.size() || size > data.size() - start) {
        fail(field, start,
             "its section runs past the file's " + std::to_string(data.size()) + " bytes");
      }
      return llvm::arrayRefFromStringRef(data.substr(start + into, size - into));
    }
    fail(field, address, "no section holds that address");
  }

  Bytes entries(uint32_t address, uint32_t count, size_t width, const std::string& field) const {
    if (count == 0) return {};
    const Bytes bytes = from_address(address, field);
    if (count > bytes.size() / width) {
      fail("number of " + field, count,
           "the section has room for " + std::to_string(bytes.size() / width));
    }
    return bytes;
  }

  void name(uint32_t address, const std::string& field) const {
    const Bytes bytes = from_address(address, field);
    if (std::find(bytes.begin(), bytes.end(), 0) == bytes.end()) {
      fail(field, address, "the name does not end in its section");
    }
  }

  // A table of pointers to hints and names that a null one ends.
  void names(uint32_t address, const std::string& field) const {
    const size_t width = file_.is64() ? 8 : 4;
    const Bytes bytes = from_address(address, field);
    for (size_t at = 0; bytes.size() - at >= width; at += width) {
      const uint64_t entry = width == 8 ? support::endian::read64le(bytes.data() + at)
                                        : support::endian::read32le(bytes.data() + at);
      if (entry == 0) return;
      const bool by_number = (entry >> (8 * width - 1)) != 0;
      if (!by_number) name(static_cast<uint32_t>(entry & 0x7fffffff) + 2, field);
    }
    fail(field, address, "no null entry ends them in their section");
  }

  Bytes data_directory(uint32_t index) const {
    const auto* directory = file_.getDataDirectory(index);
    if (directory == nullptr || directory->RelativeVirtualAddress == 0) return {};
    return from_address(directory->RelativeVirtualAddress, "data directory");
  }

  template <class Row>
  static void copy(Bytes bytes, Row& row, const std::string& field) {
    if (bytes.size() < sizeof(Row)) {
      fail(field, bytes.size(), "bytes in its section; it takes " + std::to_string(sizeof(Row)));
    }
    std::copy_n(bytes.data(), sizeof(Row), reinterpret_cast<uint8_t*>(&row));
  }

  // Rows of a directory that a null one ends.
  template <class Row, class Visit>
  void walk(uint32_t index, const std::string& field, Visit visit) const {
    Bytes bytes = data_directory(index);
    if (bytes.empty()) return;
    for (;; bytes = bytes.drop_front(sizeof(Row))) {
      Row row;
      copy(bytes, row, field);
      const Bytes raw = bytes.take_front(sizeof(Row));
      if (std::all_of(raw.begin(), raw.end(), [](uint8_t byte) { return byte == 0; })) return;
      visit(row);
    }
  }

  const object::COFFObjectFile& file_;
};

}  // namespace

void check_pe_tables(const object::COFFObjectFile& file) {
  const uint16_t machine = file.getMachine();
  const bool wide = machine == llvm::COFF::IMAGE_FILE_MACHINE_AMD64 ||
                    machine == llvm::COFF::IMAGE_FILE_MACHINE_ARM64;
  const bool narrow = machine == llvm::COFF::IMAGE_FILE_MACHINE_I386 ||
                      machine == llvm::COFF::IMAGE_FILE_MACHINE_ARMNT;
  if ((wide && !file.is64()) || (narrow && file.is64())) {
    fail("optional header's magic", file.is64() ? 0x20b : 0x10b,
         std::string("the machine's word has ") + (wide ? "64" : "32") + " bits");
  }
  if (file.getDataDirectory(llvm::COFF::IMPORT_TABLE) == nullptr) {
    fail("NumberOfRvaAndSizes", 0, "too few for the export and the import directory");
  }
  const Tables tables(file);
  tables.check_exports();
  tables.check_imports();
}

}  // namespace aoti_cts::symbols::objread
