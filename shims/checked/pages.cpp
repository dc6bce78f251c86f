// The signal handler reads atomics alone, and makes no text: that is report_touches()'s to do.
#include "checked/pages.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aoti_checked {

namespace {

// Memory behind closed pages is used again behind others; this much is kept for that.
constexpr std::size_t kSpareBytes = 64 << 20;

std::size_t rounded(int64_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (static_cast<std::size_t>(bytes) + page - 1) / page * page;
}

/// Zeroed memory at an address where nothing is; false where it cannot be.
bool map_at(void* data, std::size_t size, int access) noexcept {
  void* made = mmap(data, size, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == data) return true;
  if (made != MAP_FAILED) munmap(made, size);
  return false;
}

struct Open {
  int64_t bytes;     // asked for
  std::size_t size;  // in whole pages
  Pages pages;
};
using OpenOnes = std::unordered_map<void*, Open>;

/// Closed memory. What the handler reads and writes is atomic; `pages` is the ledger's.
struct Grave {
  std::atomic<std::uintptr_t> begin{0};  // 0: empty
  std::atomic<std::size_t> size{0};
  std::atomic<bool> touched{false};
  std::atomic<std::uintptr_t> address{0};  // of the first touch
  std::atomic<const char*> shim{nullptr};  // the last call before it
  std::atomic<int64_t> number{0};
  int64_t bytes = 0;
  Pages pages;
};

/// Inaccessible addresses that nobody watches any more. They go back to the system many at a time,
/// as most lie beside each other.
class Unwatched {
 public:
  void add(std::uintptr_t begin, std::size_t size) noexcept {
    ranges_[count_++] = {begin, begin + size};
    if (count_ < ranges_.size()) return;
    std::sort(ranges_.begin(), ranges_.end());
    for (std::size_t i = 0; i < count_;) {
      const std::uintptr_t first = ranges_[i].first;
      std::uintptr_t end = first;
      while (i < count_ && ranges_[i].first == end) {
        end = ranges_[i++].second;
      }
      munmap(reinterpret_cast<void*>(first), end - first);
    }
    count_ = 0;
  }

 private:
  std::array<std::pair<std::uintptr_t, std::uintptr_t>, 64> ranges_;
  std::size_t count_ = 0;
};

struct Graveyard {
  std::array<Grave, kQuarantine> graves;
  std::size_t next = 0;
  Unwatched unwatched;
  std::atomic<int> touches{0};  // not reported yet
};

// Never destroyed: blobs delete their tensors as late as they like.
Graveyard& graveyard() {
  static Graveyard& made = *new Graveyard;
  return made;
}

OpenOnes& open_ones() {
  static auto& made = *new OpenOnes;
  return made;
}

/// Addresses for storages, each given once. They lie far below where the system places what has no
/// wish, so that the hole which a dead storage leaves stays one: nothing needs to hold it.
class Addresses {
 public:
  /// Where so many bytes would go; null where there are none (under ThreadSanitizer, for one, these
  /// addresses are not for programs).
  void* next(std::size_t size) {
    if (at_ == 0) at_ = begin_ = find();
    return size > end_ - at_ ? nullptr : reinterpret_cast<void*>(at_);
  }
  /// They went there.
  void give(std::size_t size) { at_ += size; }
  bool gave(const void* data) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    return address >= begin_ && address < at_;
  }

 private:
  static constexpr std::uintptr_t kFirst = std::uintptr_t{1} << 45;
  static constexpr std::uintptr_t kSize = std::uintptr_t{1} << 42;
  static constexpr int kWindows = 8;  // one for each checked library in the process

  /// A page at the start of a window says that it is taken.
  std::uintptr_t find() {
    for (int i = 0; i < kWindows; ++i) {
      const std::uintptr_t begin = kFirst + static_cast<std::uintptr_t>(i) * kSize;
      const std::size_t page = rounded(1);
      if (!map_at(reinterpret_cast<void*>(begin), page, PROT_NONE)) continue;
      end_ = begin + kSize;
      return begin + page;
    }
    return end_ = 1;  // nothing is left
  }

  std::uintptr_t begin_ = 0;
  std::uintptr_t at_ = 0;
  std::uintptr_t end_ = 0;
};

/// Memory of dead storages for new ones, at addresses that nobody has had. Fresh memory from the
/// system costs more than all else that is done for a storage.
class Spares {
 public:
  /// Memory of exactly this size, or null where the system refuses.
  void* take(std::size_t size) {
    const auto found = by_size_.find(size);
    if (found == by_size_.end() || found->second.empty()) return fresh(size);
    void* data = found->second.back();
    found->second.pop_back();
    bytes_ -= size;
    return data;
  }

  /// Takes the memory behind these pages and leaves them inaccessible.
  void keep(void* data, std::size_t size) {
    const bool wanted = size <= kSpareBytes - bytes_ && addresses_.gave(data);
    void* to = wanted ? addresses_.next(size) : nullptr;
    if (to != nullptr &&
        mremap(data, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) {
      addresses_.give(size);
      by_size_[size].push_back(to);
      bytes_ += size;
      return;
    }
    // The memory goes back to the system, and the address is held.
    (void)mmap(data, size, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
               0);
  }

 private:
  void* fresh(std::size_t size) {
    constexpr int access = PROT_READ | PROT_WRITE;
    void* at = addresses_.next(size);
    if (at != nullptr && map_at(at, size, access)) {
      addresses_.give(size);
      return at;
    }
    at = mmap(nullptr, size, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
  }

  Addresses addresses_;
  std::unordered_map<std::size_t, std::vector<void*>> by_size_;
  std::size_t bytes_ = 0;
};

Spares& spares() {
  static Spares& made = *new Spares;
  return made;
}

struct sigaction previous;

/// Notes a touch of closed memory and opens it again; false where the address is another's.
bool note_touch(Graveyard& yard, std::uintptr_t address) noexcept {
  for (Grave& grave : yard.graves) {
    const std::uintptr_t begin = grave.begin.load();
    const std::size_t size = grave.size.load();
    if (begin == 0 || address < begin || address - begin >= size) continue;
    // A hole, or addresses that are held.
    constexpr int access = PROT_READ | PROT_WRITE;
    auto* data = reinterpret_cast<void*>(begin);
    if (mprotect(data, size, access) != 0 && !map_at(data, size, access) &&
        mprotect(data, size, access) != 0) {  // another thread may have come in between
      return false;
    }
    if (grave.touched.exchange(true)) return true;  // another thread was first
    const Call call = last_call();
    grave.address = address;
    grave.shim = call.shim;
    grave.number = call.number;
    yard.touches.fetch_add(1);
    return true;
  }
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const bool ours = note_touch(graveyard(), reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = error;
  if (ours) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // The instruction faults again, now with nobody in between.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
  }
}

void watch_faults() {
  graveyard();  // made before a handler needs it
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_fault;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous);
}

std::string touch_text(const Grave& grave) {
  const Pages& pages = grave.pages;
  const std::string what =
      pages.what.empty() ? "a storage of " + std::to_string(grave.bytes) + " bytes" : pages.what;
  return "byte " + std::to_string(grave.address.load() - grave.begin.load()) + " of " + what +
         ", which began with " + text(pages.birth) + " and ended with " + text(pages.death) +
         ", was touched after " + text({grave.shim.load(), grave.number.load()});
}

}  // namespace

void* open_pages(int64_t bytes, Pages pages) {
  static const bool watching = (watch_faults(), true);
  (void)watching;
  const std::size_t size = rounded(bytes < 1 ? 1 : bytes);
  void* data = spares().take(size);
  if (data == nullptr) return nullptr;
  open_ones().emplace(data, Open{bytes, size, std::move(pages)});
  return data;
}

bool close_pages(void* data, const Call& death) noexcept {
  const auto found = open_ones().find(data);
  if (found == open_ones().end()) return false;
  report_touches();  // one of them may be that of the grave which is cleared
  Graveyard& yard = graveyard();
  Grave& grave = yard.graves[yard.next];
  yard.next = (yard.next + 1) % yard.graves.size();
  if (const std::uintptr_t old = grave.begin.exchange(0); old != 0) {
    yard.unwatched.add(old, grave.size);
  }
  grave.pages = std::move(found->second.pages);
  grave.pages.death = death;
  grave.bytes = found->second.bytes;
  grave.size = found->second.size;
  grave.touched = false;
  grave.begin = reinterpret_cast<std::uintptr_t>(data);
  spares().keep(data, found->second.size);
  open_ones().erase(found);
  return true;
}

void report_touches() {
  Graveyard& yard = graveyard();
  if (yard.touches.load() == 0) return;
  for (Grave& grave : yard.graves) {
    if (grave.number.load() == 0) continue;
    add_finding(grave.pages.kind, touch_text(grave));
    grave.number = 0;
    yard.touches.fetch_sub(1);
  }
}

}  // namespace aoti_checked
