// Memory of the virtual device: addresses without access, bytes kept elsewhere, poison, quarantine.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

constexpr std::size_t page = 4096;
/// Real devices align to 256 or 512 bytes and no more: an address in the middle of a page shows who
/// counts on pages.
constexpr std::size_t lead = 512;
constexpr std::size_t fill_limit = std::size_t{16} << 20;
constexpr std::size_t quarantine_limit = 64;
constexpr std::size_t freed_limit = 65536;
constexpr unsigned char fresh_byte = 0xCD;
constexpr unsigned char freed_byte = 0xDF;

std::uintptr_t region_begin = 0;

/// Far from where the kernel puts programs, heaps and mappings: the filter of system calls outlives
/// execve, and a program started later, whose own memory lay in the range, would be killed by it.
constexpr std::uintptr_t out_of_the_way = std::uintptr_t{0x2000} << 32;

std::uintptr_t reserve() {
  constexpr std::size_t alignment = std::size_t{1} << 32;
  constexpr std::size_t size = Region::span * max_devices + alignment;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  auto* const wanted =
      reinterpret_cast<void*>(out_of_the_way);  // NOLINT(performance-no-int-to-ptr)
  void* at = mmap(wanted, size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  // A sanitizer may keep that range for itself, and small address spaces lack it.
  if (at == MAP_FAILED) at = mmap(nullptr, size, PROT_NONE, flags, -1, 0);
  if (at == MAP_FAILED) return 0;
  return (reinterpret_cast<std::uintptr_t>(at) + alignment - 1) / alignment * alignment;
}

std::size_t pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

/// Free addresses for `span` bytes with a page to spare on each side, or 0. Goes round the device's
/// range, so that freed addresses come back as late as they can.
std::uintptr_t find_addresses(int device, std::size_t span) {
  World& world = World::get();
  const std::uintptr_t begin = Region::begin() + Region::span * static_cast<unsigned>(device);
  const std::uintptr_t end = begin + Region::span;
  if (Region::begin() == 0 || span > Region::span / 2) return 0;
  std::uintptr_t at = std::max(world.device[static_cast<std::size_t>(device)].next, begin + page);
  for (int round = 0; round < 2; at = begin + page, ++round) {
    while (at + span + page <= end) {
      auto next = world.allocations.lower_bound(at - page);
      if (next != world.allocations.begin()) {
        auto before = std::prev(next);
        if (before->first + before->second.span > at) next = before;
      }
      while (next != world.allocations.end() && next->first < at + span + page &&
             next->second.state == Allocation::State::Freed) {
        std::free(next->second.data);
        next = world.allocations.erase(next);
      }
      if (next == world.allocations.end() || next->first >= at + span + page) {
        world.device[static_cast<std::size_t>(device)].next = at + span + page;
        return at;
      }
      at = next->first / page * page + next->second.span + page;
    }
  }
  return 0;
}

void stamp(Allocation& allocation) {
  allocation.made_by = World::get().call_count;
  std::memcpy(allocation.shim, self().shim, sizeof allocation.shim);
}

void forget_oldest_freed() {
  World& world = World::get();
  if (world.allocations.size() < 2 * freed_limit) return;
  for (auto it = world.allocations.begin(); it != world.allocations.end();) {
    if (it->second.state == Allocation::State::Freed && it->second.data == nullptr) {
      it = world.allocations.erase(it);
    } else {
      ++it;
    }
  }
}

}  // namespace

std::uintptr_t Region::begin() {
  static const std::uintptr_t begin = region_begin = reserve();
  return begin;
}

int Region::device_of(std::uintptr_t address) {
  const std::uintptr_t begin = region_begin;
  if (begin == 0 || address < begin || address - begin >= span * max_devices) return -1;
  return static_cast<int>((address - begin) / span);
}

Allocation* allocate_device(int device, std::size_t bytes, bool pooled) {
  World& world = World::get();
  Device& home = world.device[static_cast<std::size_t>(device)];
  if (bytes > world.memory || pages(bytes) > world.memory - home.used) return nullptr;
  const std::size_t span = pages(lead + bytes);
  const std::uintptr_t at = find_addresses(device, span);
  if (at == 0) return nullptr;
  auto* data = static_cast<unsigned char*>(std::malloc(std::max<std::size_t>(bytes, 1)));
  if (data == nullptr) return nullptr;
  if (bytes <= fill_limit) std::memset(data, fresh_byte, bytes);
  forget_oldest_freed();
  home.used += pages(bytes);
  Allocation& made = world.allocations[at + lead];
  made = Allocation{};
  made.base = at + lead;
  made.bytes = bytes;
  made.span = span;
  made.home = Home::Device;
  made.device = device;
  made.pooled = pooled;
  made.data = data;
  stamp(made);
  return &made;
}

Allocation* allocate_host(int device, std::size_t bytes, Home home, unsigned flags) {
  const std::size_t span = pages(std::max<std::size_t>(bytes, 1));
  if (span < bytes) return nullptr;
  void* at = mmap(nullptr, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  Allocation& made = World::get().allocations[reinterpret_cast<std::uintptr_t>(at)];
  made = Allocation{};
  made.base = reinterpret_cast<std::uintptr_t>(at);
  made.bytes = bytes;
  made.span = span;
  made.home = home;
  made.device = device;
  made.data = static_cast<unsigned char*>(at);
  made.flags = flags;
  stamp(made);
  return &made;
}

void retire(Allocation& allocation) {
  World& world = World::get();
  world.device[static_cast<std::size_t>(allocation.device)].used -= pages(allocation.bytes);
  allocation.state = Allocation::State::Freed;
  if (allocation.bytes > fill_limit) {
    std::free(allocation.data);
    allocation.data = nullptr;
    return;
  }
  std::memset(allocation.data, freed_byte, allocation.bytes);
  world.quarantine.push_back(allocation.base);
  if (world.quarantine.size() <= quarantine_limit) return;
  const auto oldest = world.allocations.find(world.quarantine.front());
  world.quarantine.erase(world.quarantine.begin());
  if (oldest != world.allocations.end() && oldest->second.state == Allocation::State::Freed) {
    std::free(oldest->second.data);
    oldest->second.data = nullptr;
  }
}

void release_host(Allocation& allocation) {
  const std::uintptr_t base = allocation.base;
  if (allocation.home != Home::Registered) munmap(allocation.data, allocation.span);
  World::get().allocations.erase(base);
}

Allocation* allocation_at(std::uintptr_t address) {
  World& world = World::get();
  auto it = world.allocations.upper_bound(address);
  if (it == world.allocations.begin()) return nullptr;
  --it;
  Allocation& found = it->second;
  const std::uintptr_t offset = address - found.base;
  return offset < std::max<std::size_t>(found.bytes, 1) ? &found : nullptr;
}

unsigned char* bytes_at(std::uintptr_t address) {
  const Allocation* memory = allocation_at(address);
  if (memory == nullptr) {
    return Region::device_of(address) >= 0 ? nullptr : reinterpret_cast<unsigned char*>(address);
  }
  return memory->data == nullptr ? nullptr : memory->data + (address - memory->base);
}

void protect(const Allocation& allocation) {
  // Unwatched, a touch of closed pages would end the process and tell nobody why.
  if (allocation.home != Home::Pinned || !World::get().watched) return;
  int access = PROT_READ | PROT_WRITE;
  if (!allocation.relaxed && allocation.pending_writes > 0) {
    access = PROT_NONE;
  } else if (!allocation.relaxed && allocation.pending_reads > 0) {
    access = PROT_READ;
  }
  mprotect(allocation.data, allocation.span, access);
}

std::string describe(const Allocation& allocation) {
  static constexpr const char* homes[] = {"memory", "pinned memory", "registered memory",
                                          "managed memory"};
  char text[200];
  std::snprintf(text, sizeof text, "cuda:%d %s 0x%zx of %zu bytes%s%s", allocation.device,
                homes[static_cast<int>(allocation.home)], static_cast<std::size_t>(allocation.base),
                allocation.bytes, allocation.shim[0] != '\0' ? ", made by " : "", allocation.shim);
  return text;
}

void reset_memory() {
  World& world = World::get();
  for (auto& [base, allocation] : world.allocations) {
    if (allocation.home == Home::Device) {
      std::free(allocation.data);
    } else if (allocation.home != Home::Registered) {
      munmap(allocation.data, allocation.span);
    }
  }
  world.allocations.clear();
  world.quarantine.clear();
  for (auto& [host, symbol] : world.symbols) symbol.at.fill(0);
  for (Device& device : world.device) {
    device.used = 0;
    device.next = 0;
    device.peers.clear();
  }
}

}  // namespace aoti_cts::vcuda
