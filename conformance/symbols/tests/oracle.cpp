// Our reading of dynamic symbol tables against `nm -D`, `llvm-nm -D` and `readelf`, row by row, on
// every shared library of the folders given; and our reading of dylibs, DLLs and static archives
// against `llvm-nm`, `llvm-readobj --coff-exports` and `readelf`, name by name.
//
//   build/dev/conformance/symbols/aoti_cts_symbols_oracle [--every N] FOLDER...
//
// --every N takes the files whose path has a hash that N divides: the fast set reads a part of the
// machine, `ctest -L full` all of it.
//
// Success prints the number of libraries and rows compared, and no difference. At least one library
// must be found. A file that begins as ELF and is no dynamic object for either side (no dynamic
// section) is left out, and counted.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "symbols/elf.h"
#include "symbols/library.h"

namespace aoti_cts::symbols {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char ch : text) result += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
  return result + "'";
}

// Lines of a command's output; throws where it ends badly.
std::vector<std::string> lines_of(const std::string& command) {
  // NOLINTNEXTLINE(cert-env33-c): the tools of the machine are the oracle
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen: " + command);
  std::vector<std::string> lines(1);
  std::array<char, 65536> block = {};
  for (size_t got = 0; (got = fread(block.data(), 1, block.size(), pipe)) > 0;) {
    for (const char ch : std::string_view(block.data(), got)) {
      if (ch == '\n') {
        lines.emplace_back();
      } else {
        lines.back().push_back(ch);
      }
    }
  }
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("status {} of {}", status, command));
  }
  lines.pop_back();
  return lines;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string::npos;) {
    const size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

using Rows = std::multiset<std::string>;

// What nm's letter says and the dynamic table alone can say as well: sections are left out.
std::string letter_class(char letter) {
  switch (letter) {
    case 'U':
    case 'u':
    case 'i':
    case 'A':
      return std::string(1, letter);
    case 'w':
    case 'v':
      return "w";
    case 'W':
    case 'V':
      return "W";
    default:
      return islower(static_cast<unsigned char>(letter)) ? "t" : "T";
  }
}

std::string letter_of(const ElfSymbol& symbol) {
  if (!symbol.defined()) return symbol.binding == ElfSymbol::Weak ? "w" : "U";
  if (symbol.type == ElfSymbol::IFunc) return "i";
  if (symbol.binding == ElfSymbol::Weak) return "W";
  if (symbol.binding == ElfSymbol::Unique) return "u";
  if (symbol.section == 0xfff1) return symbol.binding == ElfSymbol::Local ? "t" : "A";
  return symbol.binding == ElfSymbol::Local ? "t" : "T";
}

Rows nm_rows(const std::string& tool, const fs::path& path) {
  Rows rows;
  for (const std::string& line :
       lines_of(fmt::format("exec {} -D {} 2>/dev/null", tool, quoted(path.string())))) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 2) {
      rows.insert(fmt::format("{} {}", letter_class(words[0][0]), words[1]));
    } else if (words.size() == 3) {
      rows.insert(fmt::format("{:#x} {} {}", std::stoull(words[0], nullptr, 16),
                              letter_class(words[1][0]), words[2]));
    }
  }
  return rows;
}

// The GNU tools leave the version off a symbol that is the version's own name.
std::string gnu_suffix(ElfFile& file, const ElfSymbol& symbol) {
  const std::string version = file.version_suffix(symbol);
  return version.ends_with("@" + std::string(symbol.name)) ? "" : version;
}

Rows our_nm_rows(ElfFile& file, const ElfSymbolTable& table, bool gnu) {
  Rows rows;
  for (const ElfSymbol& symbol : table.symbols) {
    const bool section = symbol.type == 3 || symbol.type == 4;  // STT_SECTION, STT_FILE
    if (symbol.index == 0 || section || symbol.name.empty()) continue;
    const std::string name =
        std::string(symbol.name) + (gnu ? gnu_suffix(file, symbol) : file.version_suffix(symbol));
    if (symbol.defined()) {
      rows.insert(fmt::format("{:#x} {} {}", symbol.value, letter_of(symbol), name));
    } else {
      rows.insert(fmt::format("{} {}", letter_of(symbol), name));
    }
  }
  return rows;
}

std::string type_name(uint8_t type) {
  static const std::map<int, std::string> names = {{0, "NOTYPE"},  {1, "OBJECT"}, {2, "FUNC"},
                                                   {3, "SECTION"}, {4, "FILE"},   {5, "COMMON"},
                                                   {6, "TLS"},     {10, "IFUNC"}};
  const auto found = names.find(type);
  return found == names.end() ? fmt::format("type {}", type) : found->second;
}

std::string binding_name(uint8_t binding) {
  static const std::map<int, std::string> names = {
      {0, "LOCAL"}, {1, "GLOBAL"}, {2, "WEAK"}, {10, "UNIQUE"}};
  const auto found = names.find(binding);
  return found == names.end() ? fmt::format("binding {}", binding) : found->second;
}

// readelf shows everything we read: value, size, type, binding, visibility, definition, name and
// version. It reads section headers where there are any, and else the dynamic section.
Rows readelf_rows(const std::vector<std::string>& lines) {
  Rows rows;
  for (const std::string& line : lines) {
    std::vector<std::string> words = words_of(line);
    if (words.size() < 7 || words[0].back() != ':' || !isdigit(words[0][0])) continue;
    for (size_t i = 6; i < words.size();) {  // [<localentry>: 8] and the like
      if (words[i].front() != '[') break;
      while (words[i].back() != ']') words.erase(words.begin() + static_cast<long>(i));
      words.erase(words.begin() + static_cast<long>(i));
    }
    const uint64_t size = std::stoull(words[2], nullptr, 0);
    for (const size_t at : {3, 4}) {  // "<OS specific>: 10" where EI_OSABI is not GNU
      if (words[at] != "<OS") continue;
      words.erase(words.begin() + static_cast<long>(at), words.begin() + static_cast<long>(at) + 2);
      if (words[at] == "10") words[at] = at == 3 ? "IFUNC" : "UNIQUE";
    }
    std::string name = words.size() > 7 ? words[7] : "";
    if (words[6] == "UND" && name.find("@@") != std::string::npos) name.erase(name.find("@@"), 1);
    rows.insert(fmt::format("{} {:#x} {} {} {} {} {} {}", words[0],
                            std::stoull(words[1], nullptr, 16), size, words[3], words[4], words[5],
                            words[6] == "UND" ? "UND" : "DEF", name));
  }
  return rows;
}

Rows our_readelf_rows(ElfFile& file, const ElfSymbolTable& table) {
  static constexpr const char* visibilities[] = {"DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"};
  Rows rows;
  for (const ElfSymbol& symbol : table.symbols) {
    if (symbol.type == 3) continue;  // readelf gives a section symbol its section's name
    rows.insert(fmt::format("{}: {:#x} {} {} {} {} {} {}{}", symbol.index, symbol.value,
                            symbol.size, type_name(symbol.type), binding_name(symbol.binding),
                            visibilities[symbol.visibility], symbol.defined() ? "DEF" : "UND",
                            symbol.name, gnu_suffix(file, symbol)));
  }
  return rows;
}

struct Tally {
  size_t libraries = 0, rows = 0, left_out = 0, silent = 0, differences = 0;
};

void compare(const fs::path& path, const char* oracle, const Rows& have, const Rows& want,
             Tally& tally) {
  std::vector<std::string> ours, theirs;
  std::set_difference(have.begin(), have.end(), want.begin(), want.end(), std::back_inserter(ours));
  std::set_difference(want.begin(), want.end(), have.begin(), have.end(),
                      std::back_inserter(theirs));
  if (ours.empty() && theirs.empty()) return;
  ++tally.differences;
  fmt::print("{}: differs from {}: {} rows only ours, {} only theirs\n", path.string(), oracle,
             ours.size(), theirs.size());
  for (size_t i = 0; i < std::min<size_t>(ours.size(), 3); ++i) fmt::print("  have {}\n", ours[i]);
  for (size_t i = 0; i < std::min<size_t>(theirs.size(), 3); ++i) {
    fmt::print("  want {}\n", theirs[i]);
  }
}

// Every row that another module can bind to is found by name, in place, as it was read.
void check_lookups(const fs::path& path, ElfFile& file, const ElfSymbolTable& table, Tally& tally) {
  for (const ElfSymbol& symbol : table.symbols) {
    if (!symbol.exported()) continue;
    const std::vector<ElfSymbol> found = file.find(symbol.name);
    const bool same = std::any_of(found.begin(), found.end(), [&](const ElfSymbol& other) {
      return other.index == symbol.index && other.value == symbol.value &&
             other.version == symbol.version && other.section == symbol.section;
    });
    if (same) continue;
    ++tally.differences;
    fmt::print("{}: have no {} by look-up, want dynamic symbol {}\n", path.string(), symbol.name,
               symbol.index);
  }
}

// The same file as if its section headers had been stripped.
class WithoutSections final : public Input {
 public:
  WithoutSections(Input& whole, bool wide) : Input(whole.name(), whole.size()), whole_(whole) {
    put_out_ =
        wide ? std::vector<Span>{{0x28, 8}, {0x3c, 4}} : std::vector<Span>{{0x20, 4}, {0x30, 4}};
  }

 private:
  struct Span {
    uint64_t offset, length;
  };
  void read_checked(uint64_t offset, std::span<std::byte> into) override {
    whole_.read(offset, into, "");
    for (const Span& span : put_out_) {
      for (uint64_t at = span.offset; at < span.offset + span.length; ++at) {
        if (at >= offset && at - offset < into.size()) into[at - offset] = std::byte{0};
      }
    }
  }

  Input& whole_;
  std::vector<Span> put_out_;  // e_shoff; e_shnum and e_shstrndx
};

void compare_stripped(const fs::path& path, Input& input, ElfFile& file,
                      const ElfSymbolTable& table, Tally& tally) {
  WithoutSections stripped(input, file.form().wide);
  ElfFile other(stripped);
  const ElfSymbolTable have = other.read_all();
  compare(path, "itself with sections", our_readelf_rows(other, have),
          our_readelf_rows(file, table), tally);
}

bool no_exports(const ElfSymbolTable& table) {
  return std::none_of(table.symbols.begin(), table.symbols.end(),
                      [](const ElfSymbol& symbol) { return symbol.exported(); });
}

std::vector<std::string> readelf(const char* options, const fs::path& path) {
  return lines_of(fmt::format("exec readelf -W {} {} 2>/dev/null", options, quoted(path.string())));
}

bool has_sections(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (line.find("Number of section headers:") != std::string::npos) {
      return words_of(line).back() != "0";
    }
  }
  return false;
}

void compare_file(const fs::path& path, Tally& tally) {
  const auto input = FileInput::open(path.string());
  if (!ElfFile::is_elf(*input)) return;
  const std::vector<std::string> told = readelf("-h -l --dyn-syms", path);
  if (std::none_of(told.begin(), told.end(), [](const std::string& line) {
        return line.find("  DYNAMIC  ") != std::string::npos;
      })) {
    ++tally.left_out;
    return;
  }
  ElfFile file(*input);
  const ElfSymbolTable table = file.read_all();
  ++tally.libraries;
  tally.rows += table.symbols.size();
  const bool sections = has_sections(told);
  if (sections) {  // without them neither nm finds a dynamic symbol table
    compare(path, "nm -D", our_nm_rows(file, table, true), nm_rows("nm", path), tally);
    compare(path, "llvm-nm -D", our_nm_rows(file, table, false), nm_rows("llvm-nm", path), tally);
  }
  const Rows want = readelf_rows(sections ? told : readelf("-s --use-dynamic", path));
  const bool silent = !sections && want.empty() && file.has_gnu_hash() && no_exports(table);
  if (silent) {  // readelf gives up on an empty DT_GNU_HASH without sections
    ++tally.silent;
  } else {
    compare(path, "readelf", our_readelf_rows(file, table), want, tally);
  }
  compare_stripped(path, *input, file, table, tally);
  check_lookups(path, file, table, tally);
}

// --- other formats: names alone

// Names by llvm-nm's letters: defined, or undefined ones.
Rows llvm_nm_names(const fs::path& path, const char* option, bool macho) {
  Rows rows;
  const char* global = macho ? "-g --arch=all" : "";  // -g loses the data of an import library
  for (const std::string& line : lines_of(
           fmt::format("llvm-nm {} {} {} 2>/dev/null", global, option, quoted(path.string())))) {
    std::vector<std::string> words = words_of(line);
    const bool bare = std::string_view(option) == "-u" && words.size() == 1;
    if (!bare && (words.size() < 2 || words[words.size() - 2].size() != 1)) continue;
    std::string name = words.back();
    if (name.ends_with(":")) continue;  // a member's or an architecture's title
    if (!bare && islower(static_cast<unsigned char>(words[words.size() - 2][0]))) continue;
    if (name.starts_with("__imp_")) name.erase(0, 6);  // the pointer through which it is reached
    if (macho && name.starts_with("_")) name.erase(0, 1);
    rows.insert(name);
  }
  return rows;
}

// Numbers without a function (address 0) are listed by llvm-readobj and are no exports.
Rows readobj_names(const fs::path& path) {
  Rows rows;
  std::string ordinal, name;
  for (const std::string& line :
       lines_of("llvm-readobj --coff-exports " + quoted(path.string()) + " 2>/dev/null")) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 2 && line.find("Name:") == std::string::npos) continue;
    if (words[0] == "Ordinal:") ordinal = words[1];
    if (words[0] == "Name:") name = words.size() > 1 ? words[1] : "#" + ordinal;
    if (words[0] == "ForwardedTo:") rows.insert(name);
    if (words[0] == "RVA:" && words[1] != "0x0") rows.insert(name);
  }
  return rows;
}

Rows readelf_archive_names(const fs::path& path) {
  Rows rows;
  std::set<std::string> seen;
  for (const std::string& line :
       lines_of("readelf -sW " + quoted(path.string()) + " 2>/dev/null || true")) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() < 8 || words[0].back() != ':' || !isdigit(words[0][0])) continue;
    const bool visible =
        line.find(" HIDDEN ") == std::string::npos && line.find(" INTERNAL ") == std::string::npos;
    if (words[4] == "LOCAL" || !visible || line.find(" UND ") != std::string::npos) continue;
    seen.insert(words.back());
  }
  rows.insert(seen.begin(), seen.end());
  return rows;
}

bool has_elf_members(const fs::path& path) {
  return !lines_of("readelf -h " + quoted(path.string()) + " 2>/dev/null | grep Class: || true")
              .empty();
}

// What llvm-nm cannot read either is no difference.
bool llvm_nm_refuses(const fs::path& path) {
  return !lines_of("llvm-nm " + quoted(path.string()) + " 2>&1 >/dev/null | grep error: || true")
              .empty();
}

Rows once(const Rows& rows) {
  const std::set<std::string> names(rows.begin(), rows.end());
  return {names.begin(), names.end()};
}

void compare_foreign(const fs::path& path, Tally& tally) {
  Rows exports, imports;
  Library::Form form = Library::Form::Object;
  for (const auto& library : open_libraries(FileInput::open(path.string()))) {
    ++tally.libraries;
    form = library->form();
    for (const Symbol& symbol : library->exports()) exports.insert(std::string(symbol.name));
    for (const Symbol& symbol : library->imports()) imports.insert(std::string(symbol.name));
  }
  tally.rows += exports.size() + imports.size();
  const bool gnu = form == Library::Form::Archive && has_elf_members(path);
  if (form == Library::Form::Pe) {
    compare(path, "llvm-readobj --coff-exports", exports, readobj_names(path), tally);
  } else if (gnu) {
    compare(path, "readelf -s", exports, readelf_archive_names(path), tally);
  } else {
    const bool macho =
        form == Library::Form::MachO || path.string().find("macho") != std::string::npos;
    Rows want = llvm_nm_names(path, "-U", macho);
    const auto glue = [](const std::string& name) {
      return name.starts_with("__IMPORT_DESCRIPTOR") || name.starts_with("__NULL_IMPORT") ||
             name.starts_with("\x7f") || name.starts_with(".idata$");
    };
    for (auto row = want.begin(); row != want.end();) {
      row = glue(*row) ? want.erase(row) : std::next(row);
    }
    const bool archive = form == Library::Form::Archive;
    compare(path, "llvm-nm -gU", exports, archive ? once(want) : want, tally);
    if (!archive) compare(path, "llvm-nm -gu", imports, llvm_nm_names(path, "-u", macho), tally);
  }
}

bool ends_with_any(const std::string& name, std::initializer_list<const char*> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](const char* end) { return name.ends_with(end); });
}

// GNU ld scripts are called lib*.so and lib*.a too. An archive of its magic alone, as glibc
// installs some, is refused on purpose: what is left of one that was cut looks the same.
bool has_library_magic(const fs::path& path) {
  constexpr uintmax_t archive_magic_bytes = 8;
  if (fs::file_size(path) == archive_magic_bytes) return false;
  const auto input = FileInput::open(path.string());
  return is_library(*input);
}

void compare_entry(const fs::directory_entry& entry, Tally& tally) {
  const fs::path& path = entry.path();
  const std::string name = path.filename().string();
  if (name.ends_with(".so") || name.find(".so.") != std::string::npos) {
    compare_file(path, tally);
  } else if (ends_with_any(name, {".dylib", ".dll", ".lib", ".a"}) && has_library_magic(path)) {
    if (llvm_nm_refuses(path)) {
      ++tally.left_out;
    } else {
      compare_foreign(path, tally);
    }
  }
}

// FNV-1a, so that the same files are taken in every run.
uint32_t path_hash(const std::string& path) {
  uint32_t hash = 2166136261u;
  for (const char ch : path) hash = (hash ^ static_cast<unsigned char>(ch)) * 16777619u;
  return hash;
}

int run(const std::vector<std::string>& folders, uint32_t every) {
  Tally tally;
  for (const std::string& folder : folders) {
    const auto options = fs::directory_options::skip_permission_denied;
    for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
      if (!entry.is_regular_file() || entry.is_symlink()) continue;
      if (path_hash(entry.path().string()) % every != 0) continue;
      try {
        compare_entry(entry, tally);
      } catch (const std::exception& error) {
        ++tally.differences;
        fmt::print("{}: {}\n", entry.path().string(), error.what());
      }
    }
  }
  fmt::print(
      "{} libraries, {} rows, {} differences; {} files that neither side can read, readelf silent "
      "on {}\n",
      tally.libraries, tally.rows, tally.differences, tally.left_out, tally.silent);
  if (tally.libraries == 0) fmt::print("no library was compared\n");
  return tally.libraries != 0 && tally.differences == 0 ? 0 : 1;
}

}  // namespace
}  // namespace aoti_cts::symbols

int main(int argc, char** argv) try {
  std::vector<std::string> folders(argv + 1, argv + argc);
  uint32_t every = 1;
  if (folders.size() > 1 && folders[0] == "--every") {
    every = static_cast<uint32_t>(std::stoul(folders[1]));
    if (every == 0) throw std::invalid_argument("--every 0: must be 1 or more");
    folders.erase(folders.begin(), folders.begin() + 2);
  }
  return aoti_cts::symbols::run(folders, every);
} catch (const std::exception& error) {
  std::fprintf(stderr, "oracle: %s\n", error.what());
  return 1;
}
