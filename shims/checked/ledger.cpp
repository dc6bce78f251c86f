// A handle for callers is `salt << 48 | id << 4`: an address that no memory has, since bit 62 is
// set and bit 63 is not. The salt comes from where the library lies, so that two of them tell their
// handles apart.
#include "checked/ledger.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <utility>

#include "checked/pages.h"

namespace aoti_checked {

namespace {

struct Record {
  AtenTensorHandle real = nullptr;  // null once dead
  Call birth;
  Call death;
  int64_t* arrays = nullptr;  // sizes, then strides, where a getter lent them
};

struct Ledger {
  std::mutex mutex;
  std::deque<Record> records;  // handle #1 is the first
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
  static const auto made = static_cast<std::uintptr_t>(
      0x4000 | ((reinterpret_cast<std::uintptr_t>(&last_shim) >> 12) & 0x3fff));
  return made;
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

Record& record(std::size_t id) { return ledger().records[id - 1]; }

std::string born_text(std::size_t id) {
  return "handle #" + std::to_string(id) + ", born in " + text(record(id).birth);
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

Calling::Calling(const char* shim) : lock_(ledger().mutex) {
  call_ = {shim, last_number.load(std::memory_order_relaxed) + 1};
  last_shim.store(shim, std::memory_order_relaxed);
  last_number.store(call_.number, std::memory_order_relaxed);
}

AtenTensorHandle Calling::refuse(AtenTensorHandle given, const char* if_dead) {
  refused_ = true;
  const std::string where = text(call_) + ", handle argument " + std::to_string(arguments_) + ": ";
  const std::size_t id = id_of(given);
  if (id != 0) {
    add_finding(if_dead, where + born_text(id) + ", was deleted in " + text(record(id).death));
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
  const std::size_t id = id_of(given);
  if (id == 0 || record(id).real == nullptr) return refuse(given, kUseAfterDelete);
  return record(id).real;
}

AtenTensorHandle Calling::born(AtenTensorHandle real) {
  Ledger& all = ledger();
  all.records.push_back({real, call_, {}, nullptr});
  ++all.live;
  return handle_of(all.records.size());
}

AtenTensorHandle Calling::die(AtenTensorHandle given) {
  ++arguments_;
  if (given == nullptr) return nullptr;
  const std::size_t id = id_of(given);
  if (id == 0 || record(id).real == nullptr) return refuse(given, kDoubleDelete);
  Record& dying = record(id);
  dying.death = call_;
  --ledger().live;
  if (dying.arrays != nullptr) close_pages(std::exchange(dying.arrays, nullptr), call_);
  return std::exchange(dying.real, nullptr);
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
  return record(id_of(given)).arrays = arrays;
}

int64_t* Calling::arrays(AtenTensorHandle given) const { return record(id_of(given)).arrays; }

std::string Calling::describe(AtenTensorHandle given) const { return born_text(id_of(given)); }

int64_t findings() {
  const std::lock_guard lock(ledger().mutex);
  report_touches();
  return static_cast<int64_t>(ledger().findings.size());
}

const char* finding(int64_t i) {
  const std::lock_guard lock(ledger().mutex);
  const auto& all = ledger().findings;
  if (i < 0 || static_cast<std::size_t>(i) >= all.size()) return nullptr;
  return all[static_cast<std::size_t>(i)].c_str();
}

int64_t live() {
  const std::lock_guard lock(ledger().mutex);
  return ledger().live;
}

void report_leaks() {
  const std::lock_guard lock(ledger().mutex);
  for (std::size_t id = ledger().floor + 1; id <= ledger().records.size(); ++id) {
    if (record(id).real != nullptr) add_finding(kLeak, born_text(id) + ", was never deleted");
  }
}

void reset() {
  const std::lock_guard lock(ledger().mutex);
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
