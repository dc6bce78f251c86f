// See host.h. What a candidate returns is copied before the next call.
#include "path/host.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "path/subject.h"

namespace aoti_cts::path {

namespace fs = std::filesystem;

namespace {

// Two deep, so that a key with two parents in it stays in sight.
constexpr const char* directory_name = "inner/loads";

/// Everything below `folder` but what is below `spare`, as paths relative to it.
std::vector<std::string> below(const std::string& folder, const std::string& spare) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    if (at->path() == spare) {
      at.disable_recursion_pending();
    } else {
      found.push_back(at->path().lexically_relative(folder).string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

fs::path temporary() {
  const char* const given = std::getenv("TMPDIR");
  return fs::canonical(given != nullptr && *given != '\0' ? given : "/tmp");
}

std::string new_folder(const fs::path& in, const std::string& name) {
  std::string folder = (in / (name + "-XXXXXX")).string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), folder);
  }
  return folder;
}

/// Also what a case made read-only.
void remove_whole(const fs::path& folder) {
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    std::error_code refused;
    if (at->is_symlink(refused) || !at->is_directory(refused)) continue;
    fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, refused);
  }
  fs::remove_all(folder, ignored);
}

}  // namespace

RunFolder::RunFolder() : folder_(new_folder(temporary(), "aoti-cts-path")) {}

RunFolder::~RunFolder() { remove_whole(folder_); }

void RunFolder::remove_orphans() const {
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t owner = 0;
    std::from_chars(name.data(), name.data() + name.size(), owner);
    if (owner > 0 && kill(owner, 0) != 0 && errno == ESRCH) remove_whole(at->path());
  }
}

Scratch::Scratch() {
  const fs::path root = subject().scratch.empty() ? temporary() : fs::path(subject().scratch);
  const std::string owner = std::to_string(getpid());
  folder_ = new_folder(root, subject().scratch.empty() ? "aoti-cts-path" : owner);
  directory_ = outside(directory_name);
  fs::create_directories(directory_);
  struct statvfs info {};
  if (statvfs(directory_.c_str(), &info) == 0 && (info.f_flag & ST_NOEXEC) != 0) {
    fs::remove_all(folder_);
    throw std::runtime_error(fmt::format(
        "{} is mounted noexec: set TMPDIR to a folder that libraries load from", root.string()));
  }
  setenv("TMPDIR", directory_.c_str(), 1);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Scratch::outside(const std::string& name) const { return folder_ + "/" + name; }

std::vector<std::string> Scratch::left() const { return below(directory_, ""); }

std::vector<std::string> Scratch::left_outside() const { return below(folder_, directory_); }

bool takes_device(const AotiCtsLoader& loader) {
  constexpr size_t needed = offsetof(AotiCtsLoader, load_on) + sizeof(loader.load_on);
  return loader.struct_size >= needed && loader.load_on != nullptr;
}

Load::Load(const AotiCtsLoader& loader, std::span<const uint8_t> bytes, std::string_view key,
           const std::string& directory, const char* device)
    : loader_(loader) {
  const std::string terminated(key);
  const AotiCtsLoaderInput input = {sizeof(input),     bytes.data(), bytes.size(),
                                    terminated.data(), key.size(),   directory.c_str()};
  AotiCtsLoaderLibrary library{};
  library.struct_size = sizeof(library);
  AotiCtsLoaderError error{};
  error.struct_size = sizeof(error);
  code_ = device == nullptr ? loader_.load(&input, &library, &error)
                            : loader_.load_on(&input, device, &library, &error);
  message_ = std::string(error.message, strnlen(error.message, sizeof(error.message)));
  if (code_ != 0) return;
  handle_ = library.handle;
  if (library.handle == nullptr) broken_ = "load() returned 0 and no handle";
  if (library.path == nullptr || *library.path != '/') {
    broken_ = "load() returned 0 and no absolute path";
  } else {
    path_ = library.path;
  }
}

Load::Load(Load&& other) noexcept
    : loader_(other.loader_),
      code_(other.code_),
      handle_(std::exchange(other.handle_, nullptr)),
      path_(std::move(other.path_)),
      message_(std::move(other.message_)),
      broken_(std::move(other.broken_)) {}

std::string Load::outcome() const {
  if (loaded()) return "loaded";
  if (code_ == 0) return broken_;
  return fmt::format("error {}{}{}", code_, message_.empty() ? "" : ": ", message_);
}

void Load::destroy() {
  if (handle_ != nullptr) loader_.destroy(std::exchange(handle_, nullptr));
}

std::vector<uint8_t> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> mapped(const std::string& folder) {
  std::vector<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t at = line.find(folder + "/");
    if (at == std::string::npos) continue;
    const std::string path = line.substr(at);
    if (paths.empty() || paths.back() != path) paths.push_back(path);
  }
  return paths;
}

size_t descriptors() {
  const fs::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

}  // namespace aoti_cts::path
