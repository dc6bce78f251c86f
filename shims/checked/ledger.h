// The ledger of the checked reference: every call has a number, every handle a birth and a death.
//
// A caller never sees the reference's own handles. It gets a number in the shape of a pointer that
// no memory has, a new one for each birth, so that a dead handle is recognised however long ago it
// died, and one of another runtime is told from both. Each birth costs 32 bytes for good.
//
// One lock is held during each call, so that a call on a handle and its deletion by another thread
// come in one order or the other: the second of them is a finding, and never a crash in here. A
// process that has one thread does without: no thread begins inside a call.
#pragma once

#include <aoti_shim/types.h>
#include <sys/single_threaded.h>

#include <atomic>
#include <string>

namespace aoti_checked {

/// One call of a shim. Number 0 is no call.
struct Call {
  const char* shim = nullptr;
  int64_t number = 0;
};

/// "call 12 aoti_torch_clone"
std::string text(const Call& call);

/// The kinds of finding: the first word of its text.
inline constexpr const char* kUseAfterDelete = "use-after-delete";
inline constexpr const char* kDoubleDelete = "double-delete";
inline constexpr const char* kLeak = "leak";
inline constexpr const char* kForeignHandle = "foreign-handle";
inline constexpr const char* kOutOfStorageView = "out-of-storage-view";
inline constexpr const char* kUseAfterFree = "use-after-free";
inline constexpr const char* kRetainedArgument = "retained-argument";

/// One handle. Small, as there are as many as handles were given out.
struct Record {
  struct Place {
    const char* shim;
    int64_t number;
  };
  struct Life {
    AtenTensorHandle real;
    int64_t* arrays;  // sizes, then strides, where a getter lent them
  };

  const char* birth_shim;
  uint64_t birth_number : 63;
  uint64_t alive : 1;
  union {
    Life life;
    Place death;
  };

  Call birth() const { return {birth_shim, static_cast<int64_t>(birth_number)}; }
  Call end() const { return {death.shim, death.number}; }
};
static_assert(sizeof(Record) == 32);

/// What every call reads and writes: here, for those few lines to be inlined. Made before any code
/// runs and never destroyed, as blobs call while they are loaded and delete as late as they like.
struct Books {
  static constexpr std::size_t kBlock = 4096;

  std::atomic<const char*> last_shim{nullptr};
  std::atomic<int64_t> last_number{0};
  Record** blocks = nullptr;
  std::size_t handles = 0;  // given out so far; handle #1 is the first
  int64_t live = 0;

  Record& operator[](std::size_t id) const { return blocks[(id - 1) / kBlock][(id - 1) % kBlock]; }
};
extern Books books;

/// The top of this library's handles, which are `salt() << 48 | id << 4`: addresses that no memory
/// has, since bit 62 is set and bit 63 is not. The salt comes from where the library lies, so that
/// two of them tell their handles apart.
inline std::uintptr_t salt() {
  return 0x4000 | ((reinterpret_cast<std::uintptr_t>(&books) >> 12) & 0x3fff);
}

inline AtenTensorHandle handle_of(std::size_t id) {
  return reinterpret_cast<AtenTensorHandle>(salt() << 48 | id << 4);
}

/// The number of a handle, 0 for one that was never given out.
inline std::size_t id_of(AtenTensorHandle handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  const std::size_t id = (bits & 0xffffffffffff) >> 4;
  if (bits >> 48 != salt() || (bits & 15) != 0 || id > books.handles) return 0;
  return id;
}

/// The record of a handle that lives, or null.
inline Record* living(AtenTensorHandle handle) {
  const std::size_t id = id_of(handle);
  if (id == 0) return nullptr;
  Record& found = books[id];
  return found.alive != 0 ? &found : nullptr;
}

/// The ledger's lock, where another thread could take it.
class Lock {
 public:
  Lock() : taken_(__libc_single_threaded == 0) {
    if (taken_) take();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (taken_) leave();
  }

 private:
  static void take();
  static void leave();

  bool taken_;
};

/// Keeps a finding. The caller holds the lock: it is inside a Calling, or in a function below.
void add_finding(const char* kind, const std::string& text);

/// The last call that began, in any thread; readable in a signal handler.
Call last_call() noexcept;

/// A call of a shim: takes its number and the lock.
class Calling {
 public:
  explicit Calling(const char* shim) {
    call_ = {shim, books.last_number.load(std::memory_order_relaxed) + 1};
    books.last_shim.store(shim, std::memory_order_relaxed);
    books.last_number.store(call_.number, std::memory_order_relaxed);
  }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

  /// The reference's handle behind an argument. Null stays null, which the reference judges; a
  /// dead or foreign one is a finding, and refused() from then on.
  AtenTensorHandle real(AtenTensorHandle given) {
    ++arguments_;
    if (given == nullptr) return nullptr;
    const Record* const found = living(given);
    return found == nullptr ? refuse(given, kUseAfterDelete) : found->life.real;
  }
  bool refused() const { return refused_; }

  /// Enters a handle that the reference made, and gives the one for the caller.
  AtenTensorHandle born(AtenTensorHandle real) {
    if (books.handles % Books::kBlock == 0) add_block();
    Record& added = books[++books.handles];
    added.birth_shim = call_.shim;
    added.birth_number = static_cast<uint64_t>(call_.number);
    added.alive = 1;
    added.life = {real, nullptr};
    ++books.live;
    return handle_of(books.handles);
  }

  /// Marks an argument dead before the reference deletes it: the reference's handle to delete.
  AtenTensorHandle die(AtenTensorHandle given) {
    ++arguments_;
    if (given == nullptr) return nullptr;
    Record* const dying = living(given);
    if (dying == nullptr) return refuse(given, kDoubleDelete);
    const Record::Life ended = dying->life;
    dying->alive = 0;
    dying->death = {call_.shim, call_.number};
    --books.live;
    if (ended.arrays != nullptr) close_arrays(ended.arrays);
    return ended.real;
  }

  /// A copy of an array that the reference lends with the handle `given`, which is alive: `ndim`
  /// entries of sizes and strides each, in pages that close as the handle dies.
  int64_t* lend_arrays(AtenTensorHandle given, int64_t ndim, const int64_t* sizes,
                       const int64_t* strides);

  /// The arrays that were lent before, or null.
  int64_t* arrays(AtenTensorHandle given) const;

  /// "handle #7, born in call 12 aoti_torch_empty_strided"
  std::string describe(AtenTensorHandle given) const;

  Call call() const { return call_; }

 private:
  AtenTensorHandle refuse(AtenTensorHandle given, const char* if_dead);
  static void add_block();
  void close_arrays(int64_t* arrays) const;

  Lock lock_;
  Call call_;
  int arguments_ = 0;  // handles among the arguments so far
  bool refused_ = false;
};

/// True where the reference takes such sizes and strides at all.
bool is_geometry(int64_t ndim, const int64_t* sizes, const int64_t* strides) noexcept;

// What the extension functions of tier checked answer; see extensions.def.
int64_t findings();
const char* finding(int64_t i);
int64_t live();
void report_leaks();
void reset();
void* lend(const char* shim, int64_t bytes, const char* what);
void end_loan(const char* shim, void* data);

}  // namespace aoti_checked
