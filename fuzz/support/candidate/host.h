// What a parser plug-in gets from the fuzzer: the file, which ends at a page without access, and
// planned memory, of which a device's faults when it is touched. Mapped once, handed out anew for
// each input: a mapping per input would cost more than a parse.
#pragma once

#include <aoti_cts/parser.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aoti_cts::fuzz {

/// A planned buffer that the candidate asked for.
struct Planned {
  uint32_t method = 0;
  uint32_t number = 0;  ///< counted from 1
  uint64_t bytes = 0;
  int32_t device_type = 0;
  int32_t device_index = 0;
  uint8_t* base = nullptr;
};

/// What was given for data outside of the file: other bytes at another address for each name.
struct External {
  std::string name;
  uint64_t bytes = 0;  ///< that were asked for
  const uint8_t* base = nullptr;
};

/// What the data of a name consists of, byte for byte.
uint8_t external_byte(std::string_view name);

/// Up to `bytes` bytes at `address`, fewer or none where nobody may read them: the system looks, so
/// that a wild pointer of a candidate does not end the process.
size_t readable(const void* address, uint8_t* to, size_t bytes);

class Host {
 public:
  static constexpr size_t most_file_bytes = size_t{1} << 22;

  Host();
  /// Takes back what the last file used, and puts this one at a multiple of `alignment`.
  const uint8_t* place(const uint8_t* data, size_t size, size_t alignment);

  /// The first planned buffer in the host's memory that was written to behind its end, or null.
  const Planned* overrun() const;

  std::vector<Planned> planned;
  std::vector<External> externals;
  bool refused = false;    ///< something that the candidate asked for was not given
  bool no_memory = false;  ///< that was memory for a buffer
  bool fails = false;      ///< memory for buffers is never given

  static void* allocate(void* host, uint32_t method, uint32_t buffer, uint64_t bytes,
                        int32_t device_type, int32_t device_index);
  static const void* external(void* host, const char* name, uint64_t bytes);

 private:
  uint8_t* file_ = nullptr;         // most_file_bytes, with a page without access behind
  uint8_t* host_ = nullptr;         // memory of buffers on CPU
  uint8_t* device_ = nullptr;       // addresses without access
  const uint8_t* front_ = nullptr;  // of the file that was placed last
  size_t host_used_ = 0;
  size_t device_used_ = 0;
};

}  // namespace aoti_cts::fuzz
