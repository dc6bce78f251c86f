// Streams and events as a graph of deferred operations.
//
// An operation runs when somebody waits for it, and never before: what a real device leaves to luck
// (has the copy arrived already?) is thereby always answered "no". Order follows CUDA: within a
// stream; between the default stream and every stream not made non-blocking, both ways; and where
// an event says so.
#include <algorithm>
#include <set>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

cudaStream_t const legacy_handle = reinterpret_cast<cudaStream_t>(1);
cudaStream_t const per_thread_handle = reinterpret_cast<cudaStream_t>(2);

/// Everything pending that is ordered before `op`, which is last in its stream.
std::set<const Op*> ancestors(const std::shared_ptr<Op>& op) {
  std::set<const Op*> seen;
  std::vector<const Op*> open{op.get()};
  while (!open.empty()) {
    const Op* at = open.back();
    open.pop_back();
    for (const auto& before : at->stream->queue) {
      if (before.get() == at) break;
      if (seen.insert(before.get()).second) open.push_back(before.get());
    }
    for (const auto& dependency : at->after) {
      if (!dependency->done && seen.insert(dependency.get()).second) {
        open.push_back(dependency.get());
      }
    }
  }
  return seen;
}

const Op::Use* overlap(const Op& one, const Op& other) {
  for (const Op::Use& a : one.uses) {
    for (const Op::Use& b : other.uses) {
      if (a.from < b.to && b.from < a.to && (a.writes || b.writes)) return &a;
    }
  }
  return nullptr;
}

void look_for_races(const std::shared_ptr<Op>& op) {
  if (op->uses.empty()) return;
  std::set<const Op*> before;
  bool known = false;
  for (StreamObject* stream : all_streams()) {
    if (stream == op->stream) continue;
    for (const auto& other : stream->queue) {
      const Op::Use* use = overlap(*op, *other);
      if (use == nullptr) continue;
      if (!known) before = ancestors(op);
      known = true;
      if (before.count(other.get()) != 0) continue;
      const Allocation* memory = allocation_at(use->from);
      find("race", use->from, "%s while %s is pending on another stream: %s", op->name, other->name,
           memory != nullptr ? describe(*memory).c_str() : "host memory");
      return;
    }
  }
}

/// Counts an operation's uses of pinned memory up or down and sets the pages' protection to match.
void guard_pinned(const Op& op, int step) {
  for (const Op::Use& use : op.uses) {
    Allocation* memory = allocation_at(use.from);
    if (memory == nullptr || memory->home != Home::Pinned) continue;
    (use.writes ? memory->pending_writes : memory->pending_reads) += step;
    if (memory->pending_reads + memory->pending_writes == 0) memory->relaxed = false;
    protect(*memory);
  }
}

/// Opens or restores the pinned pages that an operation is about to work on.
void open_pinned(const Op& op, bool open) {
  for (const Op::Use& use : op.uses) {
    Allocation* memory = allocation_at(use.from);
    if (memory == nullptr || memory->home != Home::Pinned) continue;
    const bool relaxed = memory->relaxed;
    memory->relaxed = open || relaxed;
    protect(*memory);
    memory->relaxed = relaxed;
  }
}

void run_front(StreamObject* stream) {
  const std::shared_ptr<Op> op = stream->queue.front();
  for (const auto& dependency : op->after) complete(dependency);
  if (op->done) return;
  open_pinned(*op, true);
  if (op->run) op->run();
  op->done = true;
  stream->queue.pop_front();
  guard_pinned(*op, -1);
  op->after.clear();
  op->run = nullptr;
}

}  // namespace

StreamObject* legacy_stream(int device) {
  auto& stream = World::get().device[static_cast<std::size_t>(device)].legacy;
  if (!stream) {
    stream = std::make_unique<StreamObject>();
    stream->device = device;
    stream->legacy = true;
    stream->id = 1;
  }
  return stream.get();
}

std::vector<StreamObject*> all_streams() {
  World& world = World::get();
  std::vector<StreamObject*> all(world.streams.begin(), world.streams.end());
  for (Device& device : world.device) {
    if (device.legacy) all.push_back(device.legacy.get());
  }
  return all;
}

StreamObject* resolve(cudaStream_t stream, const char* function) {
  // One default stream per device stands for the per-thread ones too: it orders more, never less.
  if (stream == nullptr || stream == legacy_handle || stream == per_thread_handle) {
    return legacy_stream(self().device);
  }
  World& world = World::get();
  const auto it = world.streams.find(stream);
  if (it != world.streams.end() && !(*it)->destroyed) return *it;
  find("dead_stream", reinterpret_cast<std::uintptr_t>(stream), "%s on stream 0x%zx, which %s",
       function, reinterpret_cast<std::size_t>(stream),
       it != world.streams.end() ? "was destroyed" : "does not exist");
  return nullptr;
}

std::shared_ptr<Op> enqueue(StreamObject* stream, const char* name, std::vector<Op::Use> uses,
                            std::function<void()> run, std::vector<std::shared_ptr<Op>> after) {
  auto op = std::make_shared<Op>();
  op->stream = stream;
  op->name = name;
  op->run = std::move(run);
  op->uses = std::move(uses);
  for (auto& dependency : after) {
    if (dependency && !dependency->done) op->after.push_back(std::move(dependency));
  }
  for (StreamObject* other : all_streams()) {
    if (other == stream || other->device != stream->device || other->queue.empty()) continue;
    if (stream->legacy ? other->blocking() : (other->legacy && stream->blocking())) {
      op->after.push_back(other->queue.back());
    }
  }
  stream->queue.push_back(op);
  look_for_races(op);
  guard_pinned(*op, +1);
  return op;
}

void complete(const std::shared_ptr<Op>& op) {
  while (!op->done) run_front(op->stream);
}

void drain(StreamObject* stream) {
  while (!stream->queue.empty()) run_front(stream);
  World& world = World::get();
  if (stream->destroyed) {
    world.streams.erase(stream);
    delete stream;
  }
}

void drain_device(int device) {
  for (StreamObject* stream : all_streams()) {
    if (stream->device == device) drain(stream);
  }
}

void drain_all() {
  for (StreamObject* stream : all_streams()) drain(stream);
}

std::size_t pending_on(const StreamObject* stream) {
  std::size_t pending = 0;
  for (const auto& op : stream->queue) pending += op->run ? 1 : 0;
  return pending;
}

void reset_streams() {
  World& world = World::get();
  for (StreamObject* stream : all_streams()) stream->queue.clear();
  for (StreamObject* stream : world.streams) delete stream;
  for (EventObject* event : world.events) delete event;
  world.streams.clear();
  world.events.clear();
  for (Device& device : world.device) device.legacy.reset();
}

}  // namespace aoti_cts::vcuda
