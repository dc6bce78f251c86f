// Bytes of a file on disk or in memory, and the failure funnel of the readers; see input.h.
#include "symbols/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace aoti_cts::symbols {
namespace {

// A look-up touches some bytes in each of three large tables: small chunks keep the read small, and
// the memory that the kernel has to find for them, which takes longer than the read. Whole tables
// are read past the cache.
constexpr uint64_t kChunk = 1024;
constexpr size_t kChunks = 1024;  // a power of two
constexpr size_t kBlock = 64;     // chunks whose memory is asked for at once

void read_fully(const Input& input, int fd, uint64_t offset, std::span<std::byte> into) {
  size_t done = 0;
  while (done < into.size()) {
    const ssize_t got =
        pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) input.fail("read", fmt::format("{} at offset {}", strerror(errno), offset + done));
    if (got == 0) input.fail("file size", input.size(), "the file ended before that while read");
    done += static_cast<size_t>(got);
  }
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "unknown";
}

}  // namespace

void Input::need(uint64_t offset, uint64_t length, std::string_view field) const {
  if (offset > size_) {
    fail(field, offset, fmt::format("starts behind the end of the file, {} bytes", size_));
  }
  if (length > size_ - offset) {
    fail(field, offset,
         fmt::format("{} bytes from there run past the end of the file, {} bytes", length, size_));
  }
}

void Input::read(uint64_t offset, std::span<std::byte> into, std::string_view field) {
  need(offset, into.size(), field);
  if (!into.empty()) read_checked(offset, into);
}

void Input::fail(std::string_view field, uint64_t value, std::string_view limit) const {
  throw BadFile(fmt::format("{}: {} is {} ({:#x}): {}", name_, field, value, value, limit));
}

void Input::fail(std::string_view field, std::string_view problem) const {
  throw BadFile(fmt::format("{}: {}: {}", name_, field, problem));
}

void MemoryInput::read_checked(uint64_t offset, std::span<std::byte> into) {
  std::memcpy(into.data(), bytes_.data() + offset, into.size());
}

std::unique_ptr<FileInput> FileInput::open(const std::string& path) {
  // O_NONBLOCK: a FIFO by that name must give an error, not wait for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw BadFile(fmt::format("{}: open: {}", path, strerror(errno)));
  return adopt(fd, path);
}

std::unique_ptr<FileInput> FileInput::adopt(int fd, std::string name) {
  struct stat status = {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    throw BadFile(
        fmt::format("{}: file type: {}, not a regular file", name, kind_of(status.st_mode)));
  }
  return std::unique_ptr<FileInput>(new FileInput(
      fd, std::move(name), static_cast<uint64_t>(status.st_size), {status.st_dev, status.st_ino}));
}

FileInput::FileInput(int fd, std::string name, uint64_t size,
                     std::pair<uint64_t, uint64_t> identity)
    : Input(std::move(name), size), fd_(fd), identity_(identity), cache_(kChunks) {}

FileInput::~FileInput() { close(fd_); }

std::span<const std::byte> FileInput::chunk(uint64_t number) {
  Chunk& slot = cache_[number % kChunks];
  const uint64_t offset = number * kChunk;
  const uint64_t length = std::min(kChunk, size() - offset);
  if (slot.bytes == nullptr) {  // in order of use, so that memory in use lies together
    if (used_ % kBlock == 0) {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlock * kChunk));
    }
    slot.bytes = blocks_.back().get() + used_++ % kBlock * kChunk;
  }
  if (slot.number != number) {
    slot.number = UINT64_MAX;
    read_fully(*this, fd_, offset, {slot.bytes, length});
    slot.number = number;
  }
  return {slot.bytes, length};
}

void FileInput::read_checked(uint64_t offset, std::span<std::byte> into) {
  if (into.size() > kChunk) return read_fully(*this, fd_, offset, into);
  while (!into.empty()) {
    const std::span<const std::byte> bytes = chunk(offset / kChunk).subspan(offset % kChunk);
    const size_t count = std::min(bytes.size(), into.size());
    std::memcpy(into.data(), bytes.data(), count);
    into = into.subspan(count);
    offset += count;
  }
}

uint64_t checked_add(const Input& input, uint64_t a, uint64_t b, std::string_view field) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    input.fail(field, a, fmt::format("overflows 64 bits when {} is added", b));
  }
  return sum;
}

uint64_t checked_mul(const Input& input, uint64_t a, uint64_t b, std::string_view field) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    input.fail(field, a, fmt::format("overflows 64 bits when multiplied by {}", b));
  }
  return product;
}

}  // namespace aoti_cts::symbols
