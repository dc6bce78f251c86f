// The parts of the ledger that most calls do not need, and the functions of tier checked.
#include "checked/ledger.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

#include "checked/pages.h"

namespace aoti_checked {

namespace {

struct Ledger {
  std::mutex mutex;
  std::vector<Record*> blocks;
  std::deque<std::string> findings;
  std::size_t floor = 0;  // handles up to this number are the caller's own
};

// Never destroyed: blobs delete their tensors as late as they like.
Ledger& ledger() {
  static Ledger& made = *new Ledger;
  return made;
}

std::string born_text(std::size_t id) {
  return "handle #" + std::to_string(id) + ", born in " + text(books[id].birth());
}

}  // namespace

constinit Books books;

std::string text(const Call& call) {
  return "call " + std::to_string(call.number) + " " + (call.shim == nullptr ? "?" : call.shim);
}

void add_finding(const char* kind, const std::string& text) {
  ledger().findings.push_back(std::string(kind) + ": " + text);
}

Call last_call() noexcept {
  return {books.last_shim.load(std::memory_order_relaxed),
          books.last_number.load(std::memory_order_relaxed)};
}

void Lock::take() { ledger().mutex.lock(); }
void Lock::leave() { ledger().mutex.unlock(); }

AtenTensorHandle Calling::refuse(AtenTensorHandle given, const char* if_dead) {
  refused_ = true;
  const std::string where = text(call_) + ", handle argument " + std::to_string(arguments_) + ": ";
  const std::size_t id = id_of(given);
  if (id != 0) {
    add_finding(if_dead, where + born_text(id) + ", was deleted in " + text(books[id].end()));
  } else {
    char address[32];
    std::snprintf(address, sizeof(address), "%p", static_cast<void*>(given));
    add_finding(kForeignHandle, where + address + " was never given out by this runtime");
  }
  return nullptr;
}

// The system is asked for all pages at once: a fault for each of them, as the records come, costs
// several times as much. Where it does not know the request, that is how they come.
void Calling::add_block() {
  constexpr std::size_t bytes = sizeof(Record) * Books::kBlock;
  constexpr auto page = std::align_val_t{4096};
  auto& blocks = ledger().blocks;
  blocks.push_back(static_cast<Record*>(operator new(bytes, page)));
  books.blocks = blocks.data();
  (void)madvise(blocks.back(), bytes, MADV_POPULATE_WRITE);
}

void Calling::close_arrays(int64_t* arrays) const { close_pages(arrays, call_); }

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
  return books[id_of(given)].life.arrays = arrays;
}

int64_t* Calling::arrays(AtenTensorHandle given) const { return books[id_of(given)].life.arrays; }

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
  return books.live;
}

void report_leaks() {
  const Lock lock;
  for (std::size_t id = ledger().floor + 1; id <= books.handles; ++id) {
    if (books[id].alive != 0) add_finding(kLeak, born_text(id) + ", was never deleted");
  }
}

void reset() {
  const Lock lock;
  report_touches();
  ledger().findings.clear();
  ledger().floor = books.handles;
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
