// The state of the virtual device: memory, streams, the record of calls, and the one way in.
//
// Everything hangs off one World behind one lock, because what is to be judged (who frees what,
// which copy is ordered before which) is global, and because no caller of a test double needs two
// calls at once. Device memory is two mappings: the address that callers get lies in a reserved
// range that nobody can read or write, and the bytes lie elsewhere, known to this library alone.
// Work on streams is a graph of deferred operations; nothing runs before a synchronisation asks
// for it, so that a caller who forgets one sees stale bytes every time instead of now and then.
#pragma once

#include <array>
#include <cstdarg>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "virtual_cuda/control.h"
#include "virtual_cuda/faults.h"
#include "virtual_cuda/types.h"

#ifndef VCUDA_RUNTIME
#error "VCUDA_RUNTIME is 12 or 13: which libcudart this is built as"
#endif

extern "C" {
namespace aoti_cts::vcuda {
// VCUDA_both(text), VCUDA_v12(text), VCUDA_v13(text): the text where this build has such a row.
#define VCUDA_both(...) __VA_ARGS__
#if VCUDA_RUNTIME == 13
#define VCUDA_v13(...) __VA_ARGS__
#define VCUDA_v12(...)
#else
#define VCUDA_v13(...)
#define VCUDA_v12(...) __VA_ARGS__
#endif
#define VCUDA(kind, runtimes, ret, name, params) VCUDA_##runtimes(ret name params;)
#include "virtual_cuda/functions.def"
#undef VCUDA
}  // namespace aoti_cts::vcuda
}

namespace aoti_cts::vcuda {

inline constexpr int max_devices = 8;

enum class Home { Device, Pinned, Registered, Managed };

/// One piece of memory that the runtime knows. Freed device memory stays listed until its
/// addresses are used again, so that a later use can be told from a stray pointer.
struct Allocation {
  enum class State { Live, Retiring, Freed };  ///< Retiring: cudaFreeAsync is queued
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  std::size_t span = 0;  ///< bytes of whole pages set apart for it
  Home home = Home::Device;
  int device = 0;
  bool pooled = false;  ///< by cudaMallocAsync
  State state = State::Live;
  unsigned char* data = nullptr;  ///< where the bytes are; null once they are gone
  std::uint64_t made_by = 0;      ///< number of the call
  unsigned flags = 0;
  bool excused = false;  ///< its free was made to fail
  int pending_reads = 0, pending_writes = 0;
  bool relaxed = false;  ///< a touch was let through: no protection until nothing is pending
  char shim[64] = "";
};

/// One deferred operation.
struct Op {
  struct Use {
    std::uintptr_t from, to;
    bool writes;
  };
  StreamObject* stream = nullptr;
  const char* name = "";
  std::function<void()> run;
  std::vector<std::shared_ptr<Op>> after;  ///< beside those before it in its stream
  std::vector<Use> uses;
  bool done = false;
};

struct StreamObject {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  bool legacy = false;
  bool destroyed = false;
  std::deque<std::shared_ptr<Op>> queue;
  bool blocking() const { return !legacy && (flags & 1U) == 0; }
};

struct EventObject {
  int device = 0;
  unsigned flags = 0;
  std::shared_ptr<Op> op;  ///< null before it is recorded
  std::uint64_t recorded = 0;
};

struct Device {
  std::size_t used = 0;
  std::uintptr_t next = 0;  ///< where the search for free addresses goes on
  std::unique_ptr<StreamObject> legacy;
  std::set<int> peers;
};

struct World {
  static World& get();

  std::recursive_mutex mutex;
  int devices = 2;  ///< -1: no driver
  std::size_t memory = 0;
  std::array<Device, max_devices> device;
  std::map<std::uintptr_t, Allocation> allocations;  ///< by base
  std::vector<std::uintptr_t> quarantine;            ///< freed memory whose bytes are kept
  std::set<StreamObject*> streams;
  std::set<EventObject*> events;
  std::uint64_t next_id = 3;
  std::map<const void*, std::string> kernels;
  struct Symbol {
    std::string name;
    std::size_t bytes;
    std::array<std::uintptr_t, max_devices> at;
  };
  std::map<const void*, Symbol> symbols;

  std::uint64_t call_count = 0;
  std::deque<aoti_cts_vcuda_call> calls;
  std::deque<aoti_cts_vcuda_finding> findings;
  std::vector<std::string> launched, refused;
  std::vector<Fault> faults;
  int faults_struck = 0;
  bool faults_inside_only = false;
  bool pools_open = false;  ///< cudaMemPoolSetAccess was called
  unsigned sticky = 0;
  int log = -1;          ///< descriptor of AOTI_CTS_VCUDA_LOG
  bool watched = false;  ///< watch() was called: a touch is found, and pinned memory can be closed
  aoti_cts_vcuda_observer observer = nullptr;
  void* observer_context = nullptr;

 private:
  World();
};

/// Device memory's address range: `max_devices` spans of equal size. Reserved when first asked for.
struct Region {
  static constexpr std::size_t span = std::size_t{64} << 30;
  static std::uintptr_t begin();
  /// The device whose span holds the address, or -1; safe in a signal handler.
  static int device_of(std::uintptr_t address);
};

/// What a thread has of its own.
struct Thread {
  int device = 0;
  unsigned last_error = 0;
  int inside = 0;  ///< depth of calls into this library
  int capture_mode = 0;
  char shim[64] = "";
  struct Launch {
    dim3 grid, block;
    std::size_t shared;
    cudaStream_t stream;
  };
  std::vector<Launch> launches;
};
Thread& self();

// --- the way in ---------------------------------------------------------------------------------

enum Traits : unsigned {
  Plain = 0,
  Query = 1,      ///< neither counted for `*` faults nor stopped by a sticky error
  NoDevice = 2,   ///< works without any device
  KeepError = 4,  ///< does not set the last error
};

/// Runs one API call: takes the lock, records it, injects faults, keeps the last error. `body`
/// gets the record to fill in and returns the error. `freed` is the pointer that a call gives back:
/// where a fault keeps it from doing so, what stays behind is no leak of the caller's.
cudaError_t api(const char* function, unsigned traits,
                const std::function<cudaError_t(aoti_cts_vcuda_call&)>& body,
                const void* freed = nullptr);

void find(const char* kind, std::uintptr_t address, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/// Tells the observer of what is no finding: a kernel, a refused function or an injected fault, by
/// name.
void tell(const char* kind, const char* name);

/// Begins to watch the host (see aoti_cts_vcuda_watch_host); uses no World.
int watch();

/// "cuda:0 memory 0x... of 24 bytes, made by SHIM".
std::string describe(const Allocation& allocation);

// --- memory -------------------------------------------------------------------------------------

/// New device memory, or null when the limit or the system refuses. Its bytes are filled with a
/// pattern, as no caller may count on zeros.
Allocation* allocate_device(int device, std::size_t bytes, bool pooled);
/// Host memory in pages of its own.
Allocation* allocate_host(int device, std::size_t bytes, Home home, unsigned flags);
/// Gives device memory back: poisons it, and keeps its address out of use.
void retire(Allocation& allocation);
void release_host(Allocation& allocation);
/// The allocation that holds the address (or begins there, for one of no bytes), or null.
Allocation* allocation_at(std::uintptr_t address);
/// Where the bytes of an address are now, or null when they are gone; a pageable address is its
/// own.
unsigned char* bytes_at(std::uintptr_t address);
/// Sets the pages of pinned memory to what the pending operations allow the host.
void protect(const Allocation& allocation);
void reset_memory();

// --- streams ------------------------------------------------------------------------------------

StreamObject* legacy_stream(int device);
/// The stream behind a handle of the API (null: the default stream of the current device), or null
/// with a finding when it is none.
StreamObject* resolve(cudaStream_t stream, const char* function);
/// Appends work; finds races with work on other streams that it is not ordered after.
std::shared_ptr<Op> enqueue(StreamObject* stream, const char* name, std::vector<Op::Use> uses,
                            std::function<void()> run, std::vector<std::shared_ptr<Op>> after = {});
void complete(const std::shared_ptr<Op>& op);
void drain(StreamObject* stream);
void drain_device(int device);
void drain_all();
std::size_t pending_on(const StreamObject* stream);
/// Every stream that may have work, destroyed ones included.
std::vector<StreamObject*> all_streams();
void reset_streams();

}  // namespace aoti_cts::vcuda
