// What a loader plug-in is given by the tool (a folder of its own) and how what it leaves is seen.
#pragma once

#include <aoti_cts/loader.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aoti_cts::path {

/// A run's folder for its cases' scratch folders. A case that crashed leaves its own behind.
/// Removed with all that is in it.
class RunFolder {
 public:
  /// Throws std::system_error where there can be none.
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return folder_; }
  /// Removes the scratch folders of processes that are gone.
  void remove_orphans() const;

 private:
  std::string folder_;
};

/// A scratch folder, and in it the directory that loads are given. Removed with all that is in it.
class Scratch {
 public:
  /// Also points TMPDIR at the directory. Throws std::system_error where there can be none,
  /// std::runtime_error where libraries could not be loaded from it.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// An absolute path inside of the folder, outside of the directory.
  std::string outside(const std::string& name) const;
  const std::string& directory() const { return directory_; }
  /// Names of all files, links and folders below the directory, relative to it, sorted.
  std::vector<std::string> left() const;
  /// The same of what lies outside of it, relative to the folder.
  std::vector<std::string> left_outside() const;

 private:
  std::string folder_;
  std::string directory_;
};

/// Whether the loader is told a device: its table has load_on().
bool takes_device(const AotiCtsLoader& loader);

/// One load call, and its destroy().
class Load {
 public:
  /// By load_on() where a device is given: one of takes_device().
  Load(const AotiCtsLoader& loader, std::span<const uint8_t> bytes, std::string_view key,
       const std::string& directory, const char* device = nullptr);
  ~Load() { destroy(); }
  Load(Load&& other) noexcept;
  Load& operator=(Load&&) = delete;
  Load(const Load&) = delete;

  /// Whether the call returned 0, with a handle and a path.
  bool loaded() const { return code_ == 0 && broken_.empty(); }
  /// What to say of a load that ought to have succeeded: "loaded", or what it returned.
  std::string outcome() const;
  const std::string& path() const { return path_; }
  const std::string& message() const { return message_; }
  /// At most once; the destructor does it where nobody has.
  void destroy();

 private:
  const AotiCtsLoader& loader_;
  int32_t code_ = 0;
  void* handle_ = nullptr;
  std::string path_;
  std::string message_;
  std::string broken_;  ///< what is wrong with an answer of 0
};

/// A file's bytes; empty where there is none.
std::vector<uint8_t> bytes_of(const std::string& path);

/// Paths under `folder` that are mapped into this process, also of files that are gone.
std::vector<std::string> mapped(const std::string& folder);

/// Number of this process's open descriptors.
size_t descriptors();

}  // namespace aoti_cts::path
