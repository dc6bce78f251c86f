// See search.h. Python is asked where torch lies and does not import it: `find_spec` only looks.
#include "symbols/search.h"

#include <aoti_shim/table.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <span>

#include "symbols/command.h"
#include "symbols/foreign.h"

namespace aoti_cts::symbols {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEmptyArchive = "an archive without a member";
constexpr uint64_t kMaxInflated = 16ull << 30;  // bytes of one zip; torch's has 4 GiB with CUDA's

bool is_library_name(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  static constexpr std::string_view ends[] = {".so", ".dylib", ".dll", ".pyd", ".a", ".lib"};
  if (std::any_of(std::begin(ends), std::end(ends),
                  [&](std::string_view end) { return name.ends_with(end); })) {
    return true;
  }
  // libNAME.so.13 and libNAME.so.1.2.3
  const size_t at = name.rfind(".so.");
  return at != std::string::npos &&
         name.find_first_not_of("0123456789.", at + 4) == std::string::npos;
}

bool is_zip(Input& input) {
  std::array<std::byte, 4> magic = {};
  if (input.size() < magic.size()) return false;
  input.read(0, magic, "magic");
  return magic == std::array{std::byte{'P'}, std::byte{'K'}, std::byte{3}, std::byte{4}};
}

void add_file(std::unique_ptr<FileInput> input, Libraries& libraries) {
  for (auto& library : open_libraries(std::move(input))) libraries.push_back(std::move(library));
}

// A text by a library's name that names the libraries to link instead, as glibc's libc.so does.
bool is_linker_script(Input& input) {
  constexpr uint64_t kMaxScript = 64u << 10;
  if (input.size() == 0 || input.size() > kMaxScript) return false;
  std::string text(input.size(), '\0');
  input.read(0, std::as_writable_bytes(std::span(text)), "text");
  if (text.find('\0') != std::string::npos) return false;
  static constexpr std::string_view commands[] = {"INPUT", "GROUP", "OUTPUT_FORMAT"};
  return std::any_of(std::begin(commands), std::end(commands), [&](std::string_view command) {
    const size_t at = text.find(command);
    if (at == std::string::npos) return false;
    const size_t next = text.find_first_not_of(" \t\r\n", at + command.size());
    return next != std::string::npos && text[next] == '(';
  });
}

// Legal, and glibc installs some for the libraries that became part of libc. There is nothing to
// judge in it, which is told, as what is left of an archive that was cut looks the same; alone it
// leaves nothing verified.
bool is_empty_archive(Input& input) {
  std::array<std::byte, 8> magic = {};
  if (input.size() != magic.size()) return false;
  input.read(0, magic, "magic");
  return std::memcmp(magic.data(), "!<arch>\n", magic.size()) == 0;
}

// Nothing is left out without a word: a file that should have been a library and is none may be
// what is left of one.
void note_no_library(const std::string& path, const std::string& what, Notes& notes) {
  notes.push_back(fmt::format("{}: not judged: it bears a library's name, and is {}", path, what));
}

// A wheel holds libraries, whole ones; a linker script may bear such a name. Says whether it is
// one.
bool add_member(std::unique_ptr<FileInput> input, Libraries& libraries, Notes& notes) {
  if (is_empty_archive(*input)) {
    note_no_library(input->name(), kEmptyArchive, notes);
  } else if (is_library(*input) || !is_linker_script(*input)) {
    add_file(std::move(input), libraries);
  } else {
    note_no_library(input->name(), "a linker script", notes);
    return false;
  }
  return true;
}

// The libraries' paths in a folder, sorted. A part of it that cannot be read is an error: what lies
// there would not be judged.
std::vector<std::string> files_in(const std::string& path, Notes& notes) {
  std::vector<std::string> files;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_symlink() || !is_library_name(entry.path().string())) continue;
      if (entry.is_regular_file()) {
        files.push_back(entry.path().string());
      } else if (!entry.is_directory()) {
        note_no_library(entry.path().string(), "no regular file", notes);
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw BadFile(fmt::format("{}: search: {}", path, error.code().message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Says whether there was any library, seen before or not.
bool add_folder(const std::string& path, Libraries& libraries, SeenFiles& seen, Notes& notes) {
  bool any = false;
  for (const std::string& file : files_in(path, notes)) {
    std::unique_ptr<FileInput> input = FileInput::open(file);
    if (!is_library(*input)) {
      note_no_library(file,
                      is_linker_script(*input) ? "a linker script"
                                               : "neither ELF, Mach-O, PE nor a static archive",
                      notes);
      continue;
    }
    any = true;
    if (is_empty_archive(*input)) {
      note_no_library(file, kEmptyArchive, notes);
      continue;
    }
    if (seen.insert(input->identity()).second) add_file(std::move(input), libraries);
  }
  return any;
}

bool add_zip(const FileInput& zip, Libraries& libraries, Notes& notes) {
  std::vector<ZipMember> members = list_zip(zip);
  members.erase(std::remove_if(members.begin(), members.end(),
                               [](const ZipMember& one) { return !is_library_name(one.name); }),
                members.end());
  // Before the first byte is inflated: what a small file claims to hold may fill a disk.
  uint64_t bytes = 0;
  for (const ZipMember& member : members) {
    check_member(zip, member);
    if (member.size > kMaxInflated - bytes) {
      zip.fail("sizes of the members up to " + member.name, member.size,
               fmt::format("at most {} bytes are inflated, {} are left", kMaxInflated,
                           kMaxInflated - bytes));
    }
    bytes += member.size;
  }
  bool any = false;
  for (const ZipMember& member : members) {
    any |= add_member(open_member(zip, member), libraries, notes);
  }
  return any;
}

}  // namespace

bool exports_shims(Library& library) {
  return std::any_of(
      std::begin(aoti_shim_rows), std::end(aoti_shim_rows),
      [&](const AotiShimRow& row) { return library.find_export(row.name).has_value(); });
}

void add_libraries(const std::string& path, Libraries& libraries, SeenFiles& seen, Notes& notes) {
  std::error_code unreadable;  // FileInput::open() says why
  if (fs::is_directory(path, unreadable)) {
    if (add_folder(path, libraries, seen, notes)) return;
    throw BadFile(path + ": contents: no library was found in it");
  }
  std::unique_ptr<FileInput> input = FileInput::open(path);
  if (!seen.insert(input->identity()).second) return;
  if (is_empty_archive(*input)) return note_no_library(path, kEmptyArchive, notes);
  if (!is_zip(*input)) return add_file(std::move(input), libraries);
  if (!add_zip(*input, libraries, notes))
    throw BadFile(path + ": contents: no library was found in it");
}

void add_active_torch(Libraries& libraries, SeenFiles& seen, Notes& notes) {
  static constexpr const char* script =
      "import importlib.util as u; s = u.find_spec(\"torch\"); "
      "print(s.submodule_search_locations[0] if s else \"\")";
  const Ran ran = run_shell(fmt::format("python3 -c {}", shell_word(script)));
  std::string folder = ran.output.substr(0, ran.output.find('\n'));
  if (!ran.ok) {
    throw std::runtime_error("--against auto: python3 does not run: " + ran.reason());
  }
  if (folder.empty()) {
    throw std::runtime_error("--against auto: the active python3 has no module torch");
  }
  folder += "/lib";
  if (!fs::is_directory(folder)) {
    throw std::runtime_error("--against auto: torch has no folder " + folder);
  }
  Libraries all;
  // Nothing new: the folder was named as well.
  if (add_folder(folder, all, seen, notes) && all.empty()) return;
  const size_t before = libraries.size();
  for (auto& library : all) {
    if (exports_shims(*library)) libraries.push_back(std::move(library));
  }
  if (libraries.size() == before) {
    throw std::runtime_error(fmt::format(
        "--against auto: none of {} libraries in {} exports a shim", all.size(), folder));
  }
}

}  // namespace aoti_cts::symbols
