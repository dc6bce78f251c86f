// ELF files as Library, and the choice of reader by a file's first bytes; see library.h.
#include "symbols/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "symbols/elf.h"
#include "symbols/foreign.h"

namespace aoti_cts::symbols {
namespace {

const char* machine_name(uint16_t machine) {
  switch (machine) {
    case 3:
      return "i386";
    case 8:
      return "MIPS";
    case 20:
      return "PowerPC";
    case 21:
      return "PowerPC64";
    case 22:
      return "S/390";
    case 40:
      return "ARM";
    case 62:
      return "x86-64";
    case 183:
      return "AArch64";
    case 243:
      return "RISC-V";
    case 258:
      return "LoongArch";
    default:
      return nullptr;
  }
}

class ElfLibrary final : public Library {
 public:
  explicit ElfLibrary(std::unique_ptr<FileInput> input) : input_(std::move(input)), file_(*input_) {
    path_ = input_->name();
    format_ = elf_format(file_);
    soname_ = file_.soname();
    needed_ = file_.needed();
    build_id_ = file_.build_id();
    form_ = Form::Elf;
  }

  const std::vector<Symbol>& exports() override {
    read();
    return exports_;
  }
  const std::vector<Symbol>& imports() override {
    read();
    return imports_;
  }

  std::optional<Symbol> find_export(std::string_view name) override {
    std::optional<Symbol> best;
    for (const ElfSymbol& row : file_.find(name)) {
      if (!row.exported()) continue;
      if (!best || !row.hidden_version) best = convert(row);
    }
    return best;
  }

  std::optional<Loading> loading() const override {
    return Loading{file_.text_relocations(), file_.executable_stack(), file_.has_soname()};
  }

 private:
  void read() {
    if (table_) return;
    ElfSymbolTable table = file_.read_all();
    for (const ElfSymbol& row : table.symbols) {
      if (row.exported()) exports_.push_back(convert(row));
      if (!row.defined() && row.binding != ElfSymbol::Local) imports_.push_back(convert(row));
    }
    table_ = std::move(table);  // moving a vector leaves its elements, and the names, in place
  }

  Symbol convert(const ElfSymbol& row) {
    Symbol symbol;
    symbol.name = row.name;
    symbol.value = row.value;
    symbol.protected_visibility = row.visibility == ElfSymbol::Protected;
    symbol.default_version = !row.hidden_version;
    if (row.version > 1) symbol.version = file_.versions()[row.version].name;
    if (row.binding == ElfSymbol::Weak) symbol.binding = Symbol::Binding::Weak;
    if (row.binding == ElfSymbol::Unique) symbol.binding = Symbol::Binding::Unique;
    switch (row.type) {
      case ElfSymbol::Function:
        symbol.kind = Symbol::Kind::Function;
        break;
      case ElfSymbol::Object:
      case ElfSymbol::Common:
        symbol.kind = Symbol::Kind::Data;
        break;
      case ElfSymbol::Tls:
        symbol.kind = Symbol::Kind::Tls;
        break;
      case ElfSymbol::IFunc:
        symbol.kind = Symbol::Kind::IFunc;
        break;
      default:
        break;
    }
    if (row.section == 0xfff1) symbol.kind = Symbol::Kind::Absolute;  // SHN_ABS
    return symbol;
  }

  std::unique_ptr<FileInput> input_;
  ElfFile file_;
  std::optional<ElfSymbolTable> table_;
  std::vector<Symbol> exports_, imports_;
};

enum class Magic { None, Elf, Foreign };

// Mach-O and PE share no length of magic; an object file of PE has none at all and is not taken.
Magic magic_of(Input& input) {
  std::array<std::byte, 8> bytes = {};
  if (input.size() < bytes.size()) return Magic::None;
  input.read(0, bytes, "magic");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x7f"
                       "ELF")) {
    std::array<std::byte, 18> header = {};
    if (input.size() < header.size()) return Magic::Elf;
    input.read(0, header, "ELF header");
    const bool big = header[5] == std::byte{2};
    const bool relocatable = header[big ? 17 : 16] == std::byte{1};
    return relocatable ? Magic::Foreign : Magic::Elf;
  }
  static constexpr std::string_view foreign[] = {"\xfe\xed\xfa\xce",
                                                 "\xce\xfa\xed\xfe",
                                                 "\xfe\xed\xfa\xcf",
                                                 "\xcf\xfa\xed\xfe",
                                                 "\xca\xfe\xba\xbe",
                                                 "\xca\xfe\xba\xbf",
                                                 "MZ",
                                                 "!<arch>\n",
                                                 "!<thin>\n"};
  for (const std::string_view magic : foreign) {
    if (text.starts_with(magic)) return Magic::Foreign;
  }
  return Magic::None;
}

}  // namespace

std::string machine_text(uint16_t machine) {
  const char* name = machine_name(machine);
  return name == nullptr ? fmt::format("{}", machine) : fmt::format("{} ({})", machine, name);
}

std::string elf_format(const ElfFile& file) {
  const char* name = machine_name(file.machine());
  return fmt::format("ELF {} ({}-bit {}-endian)",
                     name == nullptr ? fmt::format("machine {}", file.machine()) : name,
                     file.form().wide ? 64 : 32, file.form().big ? "big" : "little");
}

const char* to_string(Symbol::Kind kind) {
  static constexpr const char* names[] = {"NOTYPE", "FUNC", "OBJECT", "TLS", "IFUNC", "ABS"};
  return names[static_cast<size_t>(kind)];
}

const char* to_string(Symbol::Binding binding) {
  static constexpr const char* names[] = {"GLOBAL", "WEAK", "UNIQUE"};
  return names[static_cast<size_t>(binding)];
}

std::string Library::file_name() const {
  const size_t slash = path_.find_last_of("/!");
  return slash == std::string::npos ? path_ : path_.substr(slash + 1);
}

std::vector<std::unique_ptr<Library>> open_libraries(std::unique_ptr<FileInput> input) {
  switch (magic_of(*input)) {
    case Magic::Elf: {
      std::vector<std::unique_ptr<Library>> one;
      one.push_back(std::make_unique<ElfLibrary>(std::move(input)));
      return one;
    }
    case Magic::Foreign:
      return read_foreign(std::move(input));
    case Magic::None:
      break;
  }
  input->fail("first bytes", "neither ELF, Mach-O, PE nor a static archive");
}

bool is_library(Input& input) { return magic_of(input) != Magic::None; }

}  // namespace aoti_cts::symbols
