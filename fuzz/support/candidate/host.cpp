// See host.h.
#include "support/candidate/host.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/hash.h"

extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(const volatile void*, size_t);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void*, size_t);
}

namespace aoti_cts::fuzz {
namespace {

constexpr size_t host_bytes = size_t{1} << 28;
constexpr size_t device_bytes = size_t{1} << 40;
constexpr size_t external_bytes = size_t{1} << 16;
constexpr size_t red_zone = 4096;  // in front of a file
constexpr uint8_t behind = 0xa5;   // what lies behind a buffer

uint8_t* map(size_t bytes, int access) {
  void* const at = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    std::perror("mapping memory for the candidate");
    std::exit(2);
  }
  return static_cast<uint8_t*>(at);
}

}  // namespace

Host::Host()
    : file_(map(most_file_bytes + 4096, PROT_READ | PROT_WRITE)),
      host_(map(host_bytes, PROT_READ | PROT_WRITE)),
      device_(map(device_bytes, PROT_NONE)) {
  mprotect(file_ + most_file_bytes, 4096, PROT_NONE);
}

const uint8_t* Host::place(const uint8_t* data, size_t size, size_t alignment) {
  if (host_used_ > (size_t{1} << 16)) madvise(host_, host_used_, MADV_DONTNEED);
  host_used_ = device_used_ = 0;
  planned.clear();
  externals.clear();
  refused = no_memory = false;
  const size_t room = (size + alignment - 1) / alignment * alignment;
  uint8_t* const end = file_ + most_file_bytes;
  uint8_t* const at = end - room;
  if (__asan_unpoison_memory_region != nullptr) {
    __asan_unpoison_memory_region(end - 16, 16);
    if (front_ != nullptr) __asan_unpoison_memory_region(front_ - red_zone, red_zone);
  }
  if (size != 0) std::memcpy(at, data, size);
  std::memset(at + size, 0xa5, room - size);  // what lies behind a file must not matter
  front_ = room + red_zone <= most_file_bytes ? at : nullptr;
  if (__asan_poison_memory_region != nullptr) {
    __asan_poison_memory_region(at + size, room - size);
    if (front_ != nullptr) __asan_poison_memory_region(front_ - red_zone, red_zone);
  }
  return at;
}

void* Host::allocate(void* host, uint32_t method, uint32_t buffer, uint64_t bytes,
                     int32_t device_type, int32_t device_index) {
  Host& self = *static_cast<Host*>(host);
  const bool on_host = device_type == 0;
  size_t& used = on_host ? self.host_used_ : self.device_used_;
  const size_t all = on_host ? host_bytes : device_bytes;
  if (self.fails || bytes > all - used) {
    self.refused = self.no_memory = true;
    return nullptr;
  }
  uint8_t* const base = (on_host ? self.host_ : self.device_) + used;
  // Never two at one address, and something behind each that nobody may write to.
  const size_t taken = std::min((static_cast<size_t>(bytes) + 128) / 64 * 64, all - used);
  used += taken;
  if (on_host) std::memset(base + bytes, behind, taken - bytes);
  self.planned.push_back({method, buffer, bytes, device_type, device_index, base});
  return base;
}

const Planned* Host::overrun() const {
  for (const Planned& buffer : planned) {
    if (buffer.device_type != 0) continue;
    const uint8_t* const end = buffer.base + buffer.bytes;
    const size_t gap = std::min<size_t>(64, static_cast<size_t>(host_ + host_used_ - end));
    if (std::any_of(end, end + gap, [](uint8_t byte) { return byte != behind; })) return &buffer;
  }
  return nullptr;
}

const void* Host::external(void* host, const char* name, uint64_t bytes) {
  // A parser that does not know the size yet says 0; it gets as much as there ever is.
  Host& self = *static_cast<Host*>(host);
  const uint64_t given = bytes == 0 ? external_bytes : bytes;
  if (given > external_bytes || given > host_bytes - self.host_used_) {
    self.refused = true;
    return nullptr;
  }
  uint8_t* const base = self.host_ + self.host_used_;
  self.host_used_ += (static_cast<size_t>(given) + 64) / 64 * 64;
  std::memset(base, external_byte(name), given);
  self.externals.push_back({name, bytes, base});
  return base;
}

uint8_t external_byte(std::string_view name) {
  return static_cast<uint8_t>(
      1 + hash_of(reinterpret_cast<const uint8_t*>(name.data()), name.size()) % 255);
}

size_t readable(const void* address, uint8_t* to, size_t bytes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return 0;
  const ssize_t written = write(ends[1], address, std::min<size_t>(bytes, 4096));
  const ssize_t copied = written > 0 ? read(ends[0], to, static_cast<size_t>(written)) : 0;
  close(ends[0]);
  close(ends[1]);
  return static_cast<size_t>(std::max<ssize_t>(copied, 0));
}

}  // namespace aoti_cts::fuzz
