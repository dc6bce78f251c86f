// See search.h. Python is asked where torch lies and does not import it: `find_spec` only looks.
#include "symbols/search.h"

#include <aoti_shim/table.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "symbols/command.h"
#include "symbols/foreign.h"

namespace aoti_cts::symbols {
namespace {

namespace fs = std::filesystem;

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

// In a folder or a zip a file may bear a library's name and be none (a GNU ld script).
void add_found(std::unique_ptr<FileInput> input, Libraries& libraries) {
  if (is_library(*input)) add_file(std::move(input), libraries);
}

void add_folder(const std::string& path, Libraries& libraries) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (!entry.is_symlink() && entry.is_regular_file() && is_library_name(entry.path().string())) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) add_found(FileInput::open(file), libraries);
}

void add_zip(const FileInput& zip, Libraries& libraries) {
  for (const ZipMember& member : list_zip(zip)) {
    if (is_library_name(member.name)) add_found(open_member(zip, member), libraries);
  }
}

bool exports_shims(Library& library) {
  return std::any_of(
      std::begin(aoti_shim_rows), std::end(aoti_shim_rows),
      [&](const AotiShimRow& row) { return library.find_export(row.name).has_value(); });
}

}  // namespace

void add_libraries(const std::string& path, Libraries& libraries) {
  const size_t before = libraries.size();
  if (fs::is_directory(path)) {
    add_folder(path, libraries);
  } else {
    std::unique_ptr<FileInput> input = FileInput::open(path);
    if (is_zip(*input)) {
      add_zip(*input, libraries);
    } else {
      add_file(std::move(input), libraries);
    }
  }
  if (libraries.size() == before) throw BadFile(path + ": contents: no library was found in it");
}

void add_active_torch(Libraries& libraries) {
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
  add_folder(folder, all);
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
