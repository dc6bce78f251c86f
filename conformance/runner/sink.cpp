// Writes what a case says into shared memory; see sink.h.
#include "runner/sink.h"

#include <aoti_shim/table.h>
#include <pthread.h>

#include <unordered_map>

namespace aoti_cts::runner {
namespace {

constexpr uint64_t no_call = ~uint64_t{0};
thread_local uint64_t last_call = no_call;  // index into the ring, before wrapping
thread_local const char* last_name = nullptr;
std::atomic<bool> heard{true};

}  // namespace

int shim_row(std::string_view name) {
  static const std::unordered_map<std::string_view, int> rows = [] {
    std::unordered_map<std::string_view, int> map;
    for (int i = 0; i < aoti_shim_row_count; ++i) map.emplace(aoti_shim_rows[i].name, i);
    return map;
  }();
  const auto found = rows.find(name);
  return found == rows.end() ? -1 : found->second;
}

std::string shim_of_entry(uint32_t entry) {
  const uint32_t row = entry & ~SharedCase::returned_bit;
  if (row == 0 || row > static_cast<uint32_t>(aoti_shim_row_count)) return "an unknown function";
  return aoti_shim_rows[row - 1].name;
}

void SharedSink::hear_this_process() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { heard = false; });
  heard = registered == 0;
}

bool SharedSink::hears_this_process() { return heard; }

void SharedSink::assertion() {
  if (heard) out_.assertions.fetch_add(1, std::memory_order_relaxed);
}

void SharedSink::failure(std::string_view what, std::string_view have, std::string_view want) {
  if (!heard) return;
  const std::lock_guard lock(texts_);
  const uint64_t index = out_.failures.load(std::memory_order_relaxed);
  if (index < kept_failures) {
    SharedFailure& row = out_.failure[index];
    row.what.store(what);
    row.have.store(have);
    row.want.store(want);
  }
  out_.failures.store(index + 1, std::memory_order_release);
}

void SharedSink::saw(std::string_view text) {
  if (!heard) return;
  const std::lock_guard lock(texts_);
  if (out_.saw.size() > 0) out_.saw.append("; ");
  out_.saw.append(text);
}

void SharedSink::skip(std::string_view why) {
  if (!heard) return;
  const std::lock_guard lock(texts_);
  out_.skip.store(why);
  out_.skipped.store(1, std::memory_order_release);
}

void SharedSink::calling(const char* shim) {
  // A call that threw never said that it returned; the next call of its thread settles it.
  if (last_name != nullptr) returned();
  if (!heard) return;
  last_name = shim;
  if (enter_ != nullptr) enter_(shim);
  last_call = out_.calls.fetch_add(1, std::memory_order_relaxed);
  const auto entry = static_cast<uint32_t>(shim_row(shim) + 1);
  out_.call[last_call % kept_calls].store(entry, std::memory_order_relaxed);
}

void SharedSink::returned() {
  if (!heard || last_name == nullptr) return;
  last_name = nullptr;
  if (enter_ != nullptr) enter_(nullptr);
  // Another thread may have lapped this entry; marking that one's as returned costs a hint, no
  // more.
  out_.call[last_call % kept_calls].fetch_or(SharedCase::returned_bit, std::memory_order_relaxed);
}

void SharedSink::inside(std::string_view what) {
  if (heard) out_.inside.store(what);
}

void SharedSink::step() {
  if (heard) out_.steps.fetch_add(1, std::memory_order_relaxed);
}

const char* SharedSink::entered() { return last_name; }

}  // namespace aoti_cts::runner
