// A handle for callers is `salt << 48 | id << 4`: an address that no memory has, since bit 62 is
// set and bit 63 is not. The salt comes from where the library lies, so that two of them tell their
// handles apart.
#include "checked/ledger.h"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "checked/pages.h"

namespace aoti_checked {

namespace {

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

/// All records; handle #1 is the first.
class Records {
 public:
  std::size_t size() const { return size_; }
  Record& operator[](std::size_t id) const { return blocks_[(id - 1) / kBlock][(id - 1) % kBlock]; }
  void add(const Call& birth, AtenTensorHandle real) {
    if (size_ % kBlock == 0) blocks_.emplace_back(new Record[kBlock]);
    Record& added = blocks_.back()[size_++ % kBlock];
    added.birth_shim = birth.shim;
    added.birth_number = static_cast<uint64_t>(birth.number);
    added.alive = 1;
    added.life = {real, nullptr};
  }

 private:
  static constexpr std::size_t kBlock = 4096;

  std::vector<std::unique_ptr<Record[]>> blocks_;
  std::size_t size_ = 0;
};

struct Ledger {
  std::mutex mutex;
  Records records;
  std::deque<std::string> findings;
  int64_t live = 0;
  std::size_t floor = 0;  // handles up to this number are the caller's own
};

std::atomic<const char*> last_shim{nullptr};
std::atomic<int64_t> last_number{0};

// Never destroyed: blobs delete their tensors as late as they like.
Ledger& ledger() {
  static Ledger& made = *new Ledger;
  return made;
}

std::uintptr_t salt() {
  return 0x4000 | ((reinterpret_cast<std::uintptr_t>(&last_shim) >> 12) & 0x3fff);
}

AtenTensorHandle handle_of(std::size_t id) {
  return reinterpret_cast<AtenTensorHandle>(salt() << 48 | id << 4);
}

/// The number of a handle, 0 for one that was never given out.
std::size_t id_of(AtenTensorHandle handle) {
  const auto bits = reinterpret_cast<std::uintptr_t>(handle);
  const std::size_t id = (bits & 0xffffffffffff) >> 4;
  if (bits >> 48 != salt() || (bits & 15) != 0 || id > ledger().records.size()) return 0;
  return id;
}

Record& record(std::size_t id) { return ledger().records[id]; }

/// The record of a handle that lives, or null.
Record* living(AtenTensorHandle handle) {
  const std::size_t id = id_of(handle);
  if (id == 0) return nullptr;
  Record& found = record(id);
  return found.alive != 0 ? &found : nullptr;
}

std::string born_text(std::size_t id) {
  return "handle #" + std::to_string(id) + ", born in " + text(record(id).birth());
}

bool has_one_thread() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace

std::string text(const Call& call) {
  return "call " + std::to_string(call.number) + " " + (call.shim == nullptr ? "?" : call.shim);
}

void add_finding(const char* kind, const std::string& text) {
  ledger().findings.push_back(std::string(kind) + ": " + text);
}

Call last_call() noexcept {
  return {last_shim.load(std::memory_order_relaxed), last_number.load(std::memory_order_relaxed)};
}

Lock::Lock() : taken_(!has_one_thread()) {
  if (taken_) ledger().mutex.lock();
}

Lock::~Lock() {
  if (taken_) ledger().mutex.unlock();
}

Calling::Calling(const char* shim) {
  call_ = {shim, last_number.load(std::memory_order_relaxed) + 1};
  last_shim.store(shim, std::memory_order_relaxed);
  last_number.store(call_.number, std::memory_order_relaxed);
}

AtenTensorHandle Calling::refuse(AtenTensorHandle given, const char* if_dead) {
  refused_ = true;
  const std::string where = text(call_) + ", handle argument " + std::to_string(arguments_) + ": ";
  const std::size_t id = id_of(given);
  if (id != 0) {
    add_finding(if_dead, where + born_text(id) + ", was deleted in " + text(record(id).end()));
  } else {
    char address[32];
    std::snprintf(address, sizeof(address), "%p", static_cast<void*>(given));
    add_finding(kForeignHandle, where + address + " was never given out by this runtime");
  }
  return nullptr;
}

AtenTensorHandle Calling::real(AtenTensorHandle given) {
  ++arguments_;
  if (given == nullptr) return nullptr;
  const Record* const found = living(given);
  return found == nullptr ? refuse(given, kUseAfterDelete) : found->life.real;
}

AtenTensorHandle Calling::born(AtenTensorHandle real) {
  Ledger& all = ledger();
  all.records.add(call_, real);
  ++all.live;
  return handle_of(all.records.size());
}

AtenTensorHandle Calling::die(AtenTensorHandle given) {
  ++arguments_;
  if (given == nullptr) return nullptr;
  Record* const dying = living(given);
  if (dying == nullptr) return refuse(given, kDoubleDelete);
  const Record::Life ended = dying->life;
  dying->alive = 0;
  dying->death = {call_.shim, call_.number};
  --ledger().live;
  if (ended.arrays != nullptr) close_pages(ended.arrays, call_);
  return ended.real;
}

int64_t* Calling::lend_arrays(AtenTensorHandle given, int64_t ndim, const int64_t* sizes,
                              const int64_t* strides) {
  const auto bytes = static_cast<int64_t>(sizeof(int64_t)) * 2 * ndim;
  void* data = open_pages(bytes, {.kind = kRetainedArgument,
                                  .what = "the sizes and strides of " + describe(given),
                                  .birth = call_,
                                  .death = {}});
  if (data == nullptr) return nullptr;
  auto* arrays = static_cast<int64_t*>(data);
  std::copy_n(sizes, ndim, arrays);
  std::copy_n(strides, ndim, arrays + ndim);
  return record(id_of(given)).life.arrays = arrays;
}

int64_t* Calling::arrays(AtenTensorHandle given) const { return record(id_of(given)).life.arrays; }

std::string Calling::describe(AtenTensorHandle given) const { return born_text(id_of(given)); }

int64_t findings() {
  const Lock lock;
  report_touches();
  return static_cast<int64_t>(ledger().findings.size());
}

const char* finding(int64_t i) {
  const Lock lock;
  const auto& all = ledger().findings;
  if (i < 0 || static_cast<std::size_t>(i) >= all.size()) return nullptr;
  return all[static_cast<std::size_t>(i)].c_str();
}

int64_t live() {
  const Lock lock;
  return ledger().live;
}

void report_leaks() {
  const Lock lock;
  for (std::size_t id = ledger().floor + 1; id <= ledger().records.size(); ++id) {
    if (record(id).alive != 0) add_finding(kLeak, born_text(id) + ", was never deleted");
  }
}

void reset() {
  const Lock lock;
  report_touches();
  ledger().findings.clear();
  ledger().floor = ledger().records.size();
}

void* lend(const char* shim, int64_t bytes, const char* what) {
  const Calling calling(shim);
  if (bytes < 0) return nullptr;
  void* data = open_pages(bytes, {.kind = kRetainedArgument,
                                  .what = what == nullptr ? "an argument" : what,
                                  .birth = calling.call(),
                                  .death = {}});
  if (data != nullptr) std::memset(data, 0, static_cast<std::size_t>(bytes));
  return data;
}

void end_loan(const char* shim, void* data) {
  const Calling calling(shim);
  close_pages(data, calling.call());
}

}  // namespace aoti_checked
