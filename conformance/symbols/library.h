// A library as the symbol clauses see it: names that it offers and names that it wants, whatever
// its file format. ELF is read here (elf.h), everything else by a helper process (foreign.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/input.h"

namespace aoti_cts::symbols {

/// One exported or imported name. Texts live as long as the library they came from.
struct Symbol {
  enum class Kind { Unknown, Function, Data, Tls, IFunc, Absolute };
  enum class Binding { Strong, Weak, Unique };

  std::string_view name;  ///< without the leading underscore that Mach-O puts before each
  Kind kind = Kind::Unknown;
  Binding binding = Binding::Strong;
  bool protected_visibility = false;
  bool default_version = true;    ///< name@@NODE rather than name@NODE
  std::string_view version;       ///< version node, or empty
  std::string_view forwarded_to;  ///< PE: "OTHER.name" where the export is a forwarder
  uint64_t value = 0;
};

const char* to_string(Symbol::Kind kind);        ///< "FUNC", "OBJECT", ... as readelf says
const char* to_string(Symbol::Binding binding);  ///< "GLOBAL", "WEAK", "UNIQUE"

class Library {
 public:
  enum class Form { Elf, MachO, Pe, Archive, Object };

  virtual ~Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Where it was found, as a person would say it: "a.so", "torch.whl!torch/lib/libc10.so".
  const std::string& path() const { return path_; }
  /// The last component of path(), for messages.
  std::string file_name() const;
  /// "ELF x86-64 (64-bit little-endian)" and the like.
  const std::string& format() const { return format_; }
  Form form() const { return form_; }
  const std::string& soname() const { return soname_; }
  const std::vector<std::string>& needed() const { return needed_; }
  const std::string& build_id() const { return build_id_; }

  /// Names that another module can bind to, sorted by nothing in particular. Read on first use;
  /// throws BadFile where they cannot be read whole.
  virtual const std::vector<Symbol>& exports() = 0;
  /// Names that it wants from elsewhere.
  virtual const std::vector<Symbol>& imports() = 0;
  /// One export, without reading the others where the format allows that.
  virtual std::optional<Symbol> find_export(std::string_view name) = 0;

  /// What a whole ELF library says of itself; empty for other formats.
  struct Loading {
    bool text_relocations = false;
    std::optional<bool> executable_stack;  ///< nothing: no PT_GNU_STACK
    bool has_soname = false;
  };
  virtual std::optional<Loading> loading() const { return std::nullopt; }

 protected:
  Library() = default;

  std::string path_, format_, soname_, build_id_;
  std::vector<std::string> needed_;
  Form form_ = Form::Elf;
};

/// Opens what `input` holds, by its first bytes: one library, or one per architecture of a
/// universal Mach-O file. Throws BadFile where it is of no known format or cannot be read.
std::vector<std::unique_ptr<Library>> open_libraries(std::unique_ptr<FileInput> input);

/// Whether the first bytes are of a format that open_libraries() takes.
bool is_library(Input& input);

/// "183 (AArch64)", or the number alone.
std::string machine_text(uint16_t machine);

class ElfFile;
/// "ELF AArch64 (64-bit little-endian)".
std::string elf_format(const ElfFile& file);

}  // namespace aoti_cts::symbols
