// The reference loader of embedded blobs: bytes become a file that nobody else has, the file a
// library, and the file goes again with it.
//
// A blob (the compiled model in a program) can be loaded by its file name alone, so each load needs
// a file of its own: two that share one would overwrite a library in use, and the dynamic linker
// takes an equal path for the same library. The name has the content key (sanitised), the process
// id, a counter and 64 random bits; it is created with O_EXCL and O_NOFOLLOW, for its owner alone.
//
// A handle belongs to the process that made it. In a forked child, destroying it closes the child's
// copy of the library and leaves the file to the parent.
#pragma once

#include <dlfcn.h>
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace aoti_cts::loader {

/// What could not be done: one line that names the path and the reason.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Why a file is removed.
enum class Removal { Destroyed, WriteFailed, LoadFailed };

/// What a load asks of the system, one call each. Tests replace a step to let it fail, mutants to
/// do it wrong. Thread-safe; must outlive the libraries that were loaded with it.
class Steps {
 public:
  virtual ~Steps() = default;
  /// A name that no other load has had, in any process: no slash, no NUL, at most 255 bytes.
  /// Throws Error where the system has no random bytes.
  virtual std::string name(std::string_view key);
  /// A new and empty file. Returns its descriptor, or -1 with errno: EEXIST where the name is taken
  /// in any way, a dangling link's included.
  virtual int create(const char* path);
  /// As write(2).
  virtual ssize_t write(int descriptor, const void* data, size_t size);
  /// As close(2).
  virtual int close(int descriptor);
  virtual void remove(const char* path, Removal why);
  /// As dlopen(3) and dlclose(3).
  virtual void* open(const char* path, int flags);
  virtual void unload(void* library);

  /// The right ones; live as long as the process.
  static Steps& reference();
};

/// Where blobs go when the caller names no directory: $TMPDIR, or /tmp where that is unset or
/// empty.
std::string default_directory();

/// A library loaded from bytes, and the file that it was loaded from. Moved, never copied. Several
/// threads may load and destroy at once; one object is for one thread at a time.
class TemporaryLibrary {
 public:
  /// Writes `bytes` to a new file in `directory` (empty: default_directory()) and loads it. `key`
  /// is any bytes; it shows in the file's name and decides nothing. `flags` are dlopen's.
  /// Throws Error, and then nothing is left: no file, no descriptor, no library. A blob that was
  /// cut short or is for another machine is refused before dlopen() sees it.
  static TemporaryLibrary load(std::span<const uint8_t> bytes, std::string_view key,
                               const std::string& directory = "", int flags = RTLD_NOW | RTLD_LOCAL,
                               Steps& steps = Steps::reference());

  /// Closes the library and removes the file; in a forked child of the process that loaded it, the
  /// file stays.
  ~TemporaryLibrary();
  TemporaryLibrary(TemporaryLibrary&& other) noexcept;
  TemporaryLibrary& operator=(TemporaryLibrary&& other) noexcept;
  TemporaryLibrary(const TemporaryLibrary&) = delete;
  TemporaryLibrary& operator=(const TemporaryLibrary&) = delete;

  /// The address of an exported symbol, valid as long as this object. Throws Error where there is
  /// none of that name.
  void* symbol(const char* name) const;
  /// Absolute; empty once moved from.
  const std::string& path() const { return path_; }

 private:
  TemporaryLibrary(void* library, std::string path, uint64_t owner, Steps& steps);
  void destroy() noexcept;

  void* library_ = nullptr;
  std::string path_;
  uint64_t owner_ = 0;  ///< the process that loaded it; see process_token() in loader.cpp
  Steps* steps_ = nullptr;
};

}  // namespace aoti_cts::loader
