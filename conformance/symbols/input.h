// Random access to the bytes of one file, and the one way to say that they are wrong.
//
// Readers ask for the few bytes they need, wherever those lie. A file on disk is read with pread
// through a small cache of chunks and never mapped: mapping a 500 MB library counts as resident
// what the kernel reads ahead, and a file that shrinks under a mapping ends the process.
//
// Everything here works on untrusted files. Offsets are compared by subtraction, and every
// complaint leaves through fail(), whose message names the file, the field, its value and the
// limit that it broke.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aoti_cts::symbols {

/// A file that cannot be read as what it claims to be. what() is complete: file, field, value,
/// limit.
class BadFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Read-only bytes with a name for messages. Not thread-safe: each thread opens its own.
class Input {
 public:
  virtual ~Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }

  /// Fills `into` from `offset`. Throws BadFile, naming `field`, where the file ends before.
  void read(uint64_t offset, std::span<std::byte> into, std::string_view field);

  /// Throws BadFile unless [offset, offset + length) lies in the file.
  void need(uint64_t offset, uint64_t length, std::string_view field) const;

  /// The failure funnel: "NAME: FIELD is VALUE (0xVALUE): LIMIT".
  [[noreturn]] void fail(std::string_view field, uint64_t value, std::string_view limit) const;
  /// The same for what is no number.
  [[noreturn]] void fail(std::string_view field, std::string_view problem) const;

 protected:
  Input(std::string name, uint64_t size) : name_(std::move(name)), size_(size) {}

 private:
  virtual void read_checked(uint64_t offset, std::span<std::byte> into) = 0;

  std::string name_;
  uint64_t size_;
};

/// Bytes in memory, which must outlive the object.
class MemoryInput final : public Input {
 public:
  MemoryInput(std::string name, std::span<const std::byte> bytes)
      : Input(std::move(name), bytes.size()), bytes_(bytes) {}

 private:
  void read_checked(uint64_t offset, std::span<std::byte> into) override;

  std::span<const std::byte> bytes_;
};

/// A regular file on disk, or a descriptor of one (an unlinked temporary, for a zip's member).
class FileInput final : public Input {
 public:
  /// Throws BadFile where the path cannot be opened or is no regular file.
  static std::unique_ptr<FileInput> open(const std::string& path);
  /// Takes over `fd`; `name` is for messages.
  static std::unique_ptr<FileInput> adopt(int fd, std::string name);
  ~FileInput() override;

  int fd() const { return fd_; }
  /// Device and inode: the same for two paths to one file.
  std::pair<uint64_t, uint64_t> identity() const { return identity_; }

 private:
  struct Chunk {
    uint64_t number = UINT64_MAX;
    std::byte* bytes = nullptr;  // in one of blocks_
  };

  FileInput(int fd, std::string name, uint64_t size, std::pair<uint64_t, uint64_t> identity);
  void read_checked(uint64_t offset, std::span<std::byte> into) override;
  std::span<const std::byte> chunk(uint64_t number);

  int fd_;
  std::pair<uint64_t, uint64_t> identity_;
  std::vector<Chunk> cache_;  // direct-mapped by chunk number
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t used_ = 0;  // chunks of blocks_ in use
};

/// Sums that wrap around become a failure of `field`.
uint64_t checked_add(const Input& input, uint64_t a, uint64_t b, std::string_view field);
uint64_t checked_mul(const Input& input, uint64_t a, uint64_t b, std::string_view field);

}  // namespace aoti_cts::symbols
