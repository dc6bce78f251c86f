// What runs a blob over a runtime: loads the library, finds the container's entry points, runs it.
//
// Everything here executes the blob, and so belongs into a case's process or another child, never
// into the main one. The runtime's shims are bound by the dynamic linker, as in a real host:
// publish() the runtime's libraries first.
#pragma once

#include <aoti_shim/types.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace aoti_cts::blobs {

/// What could not be read, renamed, loaded or found, in words for a report.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The prefix that fixture models are built with; with_prefix() replaces it.
std::string_view placeholder();

/// A fixture model, models/NAME.cpp, under the placeholder's prefix. Throws Error for no such name.
std::string fixture(std::string_view name);

/// The library of a model: the bytes of a `.so`, or of the one library in a `.pt2` package. Throws
/// Error that names the file and what is wrong with it.
std::string read_model(const std::string& path);

/// The blob with another prefix before each shim that it imports, by rewriting its string table;
/// `to` may not be longer than `from`. Names without `from` stay. Throws Error for bytes that are
/// no 64-bit little-endian ELF library with a GNU hash table.
std::string with_prefix(std::string blob, std::string_view from, std::string_view to);

/// Makes the shims of these libraries visible to blobs that are loaded afterwards, whether or not
/// they are loaded already. Throws Error with what the dynamic linker says.
void publish(const std::vector<std::string>& libraries);

/// Told, on this thread, which code of a model begins ("a Run of the model"), and "" where it is
/// over: the words for a process that ended in between.
using Watcher = std::function<void(std::string_view)>;
void watch(Watcher watcher);

/// Tells this thread's watcher; inside of another, nothing.
class Doing {
 public:
  explicit Doing(std::string_view what);
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;
  ~Doing();
};

/// One loaded blob. Each has its own copy of the library, also of equal bytes.
class Blob {
 public:
  /// Binds all imports at once. Throws Error with what the dynamic linker says.
  explicit Blob(const std::string& bytes);
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;
  ~Blob();

  /// The address of an exported name, or null.
  void* symbol(const char* name) const;

  /// As dlopen() gave it.
  void* library() const { return library_; }

 private:
  int file_ = -1;  ///< a nameless copy; open as long as the library, so that no two share a path
  void* library_ = nullptr;
};

/// A constant for a container, as its entry points take it; the caller keeps the handle.
struct Constant {
  const char* name;
  AtenTensorHandle handle;
};

/// One container of a blob's model. The blob has to outlive it.
class Container {
 public:
  /// Throws Error where an entry point is missing or CreateWithDevice fails, with the text of the
  /// blob's last error where it tells one.
  explicit Container(const Blob& blob, const char* device = "cpu");
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container();

  std::size_t inputs() const;
  std::size_t outputs() const;
  /// Runs the model and returns its code. A handle that is taken leaves a null in its slot of
  /// `inputs`; each slot of `outputs` holds a handle of the caller's, or null, or a repetition.
  int32_t run(std::vector<AtenTensorHandle>& inputs, std::vector<AtenTensorHandle>& outputs) const;
  /// The same with arrays that lie where the caller wants.
  int32_t run(AtenTensorHandle* inputs, std::size_t num_inputs, AtenTensorHandle* outputs,
              std::size_t num_outputs) const;
  /// Gives the model constants of the caller's; returns the model's code, or throws Error where it
  /// has no such entry point.
  int32_t set_constants(const std::vector<Constant>& constants) const;
  /// Deletes the container now; returns the model's code.
  int32_t end();
  /// What the blob says of its last error on this thread, or nothing.
  std::string last_error() const;

 private:
  const Blob& blob_;
  int32_t (*delete_)(void*) = nullptr;  ///< looked up at once: the destructor cannot report
  void* container_ = nullptr;
};

}  // namespace aoti_cts::blobs
