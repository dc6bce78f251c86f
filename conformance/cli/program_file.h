// A .pte program on disk, for the subcommands that read one.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

#include "cli/subcommand.h"

namespace aoti_cts::cli {

/// The file, mapped: pages that no table is on are never read, however large its data is.
class ProgramFile {
 public:
  explicit ProgramFile(const std::string& path) : path_(path) {
    // Without O_NONBLOCK a FIFO nobody writes to would hold us here, before it is known to be one.
    const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat status {};
    const bool known = fd >= 0 && fstat(fd, &status) == 0;
    const int error = errno;
    if (known && S_ISREG(status.st_mode)) map(fd, static_cast<size_t>(status.st_size));
    if (fd >= 0) close(fd);
    if (!known) throw UsageError(fmt::format("FILE {}: {}", path, std::strerror(error)));
    if (!S_ISREG(status.st_mode)) throw UsageError(fmt::format("FILE {}: no regular file", path));
    if (data_ == MAP_FAILED) {
      throw std::runtime_error(fmt::format("{}: mapping it failed: {}", path, strerror(errno)));
    }
  }
  ~ProgramFile() {
    if (size_ != 0) munmap(data_, size_);
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;

  const void* data() const { return data_; }
  size_t size() const { return size_; }
  /// The same bytes for a plug-in, which gets a copy with a guard page behind it.
  std::span<const uint8_t> bytes() const {
    if (size_ > most_copied) {
      throw UsageError(fmt::format("FILE {}: {} bytes, and --parser is given at most {}", path_,
                                   size_, most_copied));
    }
    return {static_cast<const uint8_t*>(data_), size_};
  }

 private:
  static constexpr size_t most_copied = size_t{1} << 30;

  void map(int fd, size_t size) {
    size_ = size;
    if (size != 0) data_ = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  }

  static inline const uint64_t nothing_ = 0;
  std::string path_;
  void* data_ = const_cast<uint64_t*>(&nothing_);
  size_t size_ = 0;
};

}  // namespace aoti_cts::cli
