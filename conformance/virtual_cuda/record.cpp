// The way into the virtual device, its record of calls and findings, and fault injection.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

constexpr std::size_t calls_kept = 16384;
constexpr std::size_t findings_kept = 1024;
constexpr std::uint64_t default_memory_mib = 1024;

/// A number of the environment, or `fallback`. A value that is no number stops the process: a test
/// that runs on another device than it asked for proves nothing.
long long setting(const char* name, long long fallback, long long low, long long high) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return fallback;
  long long value = 0;
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || at != end || value < low || value > high) {
    std::fprintf(stderr, "virtual CUDA: %s is '%s', wanted is a number from %lld to %lld\n", name,
                 text, low, high);
    std::_Exit(3);
  }
  return value;
}

bool is_sticky(unsigned code) {
  static constexpr struct {
    unsigned code;
    bool sticky;
  } rows[] = {
#define VCUDA_ERROR(code, name, sticky, words) {code, sticky},
#include "virtual_cuda/errors.def"
#undef VCUDA_ERROR
  };
  return std::any_of(std::begin(rows), std::end(rows),
                     [code](const auto& row) { return row.code == code && row.sticky; });
}

void tell_fault(const Fault& fault, const char* function) {
  char text[200];
  std::snprintf(text, sizeof text, "%s%s call %llu%s with code %u (%s)", function,
                fault.function == "*" ? "," : "", static_cast<unsigned long long>(fault.call),
                fault.function == "*" ? " of any function," : "", fault.code,
                cudaGetErrorName(static_cast<cudaError_t>(fault.code)));
  tell("fault", text);
}

/// The code to inject into this call, or 0.
unsigned strike(const char* function, unsigned traits) {
  World& world = World::get();
  if (world.faults.empty() || (world.faults_inside_only && self().shim[0] == '\0')) return 0;
  tell("call", function);
  const Fault* struck = nullptr;
  for (Fault& fault : world.faults) {
    const bool any = fault.function == "*";
    if (any ? (traits & Query) != 0 : fault.function != function) continue;
    if (++fault.calls == fault.call && struck == nullptr) struck = &fault;
  }
  if (struck == nullptr) return 0;
  ++world.faults_struck;
  tell_fault(*struck, function);
  if (is_sticky(struck->code)) world.sticky = struck->code;
  return struck->code;
}

/// A free that was made to fail leaves memory behind, and that is not the caller's fault.
void excuse(const aoti_cts_vcuda_call& call) {
  Allocation* memory = call.dst != 0 ? allocation_at(call.dst) : nullptr;
  if (memory != nullptr) memory->excused = true;
}

cudaError_t missing_device(const World& world) {
  if (world.devices > 0) return cudaSuccess;
  return world.devices < 0 ? cudaErrorInsufficientDriver : cudaErrorNoDevice;
}

/// The file of AOTI_CTS_VCUDA_LOG, or -1 where none is asked for.
int open_log() {
  const char* path = std::getenv("AOTI_CTS_VCUDA_LOG");
  if (path == nullptr || *path == '\0') return -1;
  const int log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (log >= 0) return log;
  std::fprintf(stderr, "virtual CUDA: AOTI_CTS_VCUDA_LOG: cannot write '%s': %s\n", path,
               std::strerror(errno));
  std::_Exit(3);
}

/// Writes one line at once, as the next thing the process does may be to die; also from a signal
/// handler, which is why it is C's kind of variadic: nothing is allocated.
// NOLINTNEXTLINE(cert-dcl50-cpp)
__attribute__((format(printf, 1, 2))) void log_line(const char* format, ...) {
  const int log = World::get().log;
  if (log < 0) return;
  char line[600];
  std::va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the line above began the list
  const int length = std::vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  const std::size_t size = std::min<std::size_t>(static_cast<std::size_t>(length), sizeof line - 2);
  line[size] = '\n';
  // A full disk loses lines and nothing else.
  if (write(log, line, size + 1) < 0) return;
}

void log_call(const aoti_cts_vcuda_call& call) {
  log_line("call %llu %s device=%d stream=%#zx dst=%#zx src=%#zx bytes=%llu error=%d%s %s",
           static_cast<unsigned long long>(call.number), call.function, call.device,
           static_cast<std::size_t>(call.stream), static_cast<std::size_t>(call.dst),
           static_cast<std::size_t>(call.src), static_cast<unsigned long long>(call.bytes),
           call.error, call.injected != 0 ? " injected" : "", call.shim);
}

}  // namespace

World::World()
    : devices(static_cast<int>(setting("AOTI_CTS_VCUDA_DEVICES", 2, -1, max_devices))),
      memory(static_cast<std::size_t>(setting(
                 "AOTI_CTS_VCUDA_MEMORY", static_cast<long long>(default_memory_mib), 1, 32 << 10))
             << 20) {
  const char* text = std::getenv("AOTI_CTS_VCUDA_FAULT");
  const std::string message = parse_faults(text != nullptr ? text : "", faults);
  if (!message.empty()) {
    std::fprintf(stderr, "virtual CUDA: AOTI_CTS_VCUDA_FAULT: %s\n", message.c_str());
    std::_Exit(3);
  }
  // Who keeps a log alone has nobody else to watch the host.
  log = open_log();
  watched = log >= 0 && watch() != ENOMEM;
}

World& World::get() {
  // Never destroyed: callers free memory in their own static destructors.
  static World& world = *new World;  // NOLINT(cppcoreguidelines-owning-memory)
  return world;
}

Thread& self() {
  static thread_local Thread thread;
  return thread;
}

cudaError_t api(const char* function, unsigned traits,
                const std::function<cudaError_t(aoti_cts_vcuda_call&)>& body, const void* freed) {
  World& world = World::get();
  Thread& thread = self();
  const std::lock_guard lock(world.mutex);
  ++thread.inside;
  aoti_cts_vcuda_call call{};
  call.number = ++world.call_count;
  call.function = function;
  std::memcpy(call.shim, thread.shim, sizeof call.shim);
  call.device = thread.device;
  call.kind = -1;
  call.dst = reinterpret_cast<std::uintptr_t>(freed);
  cudaError_t error = cudaSuccess;
  const unsigned injected = strike(function, traits);
  if (injected != 0) {
    call.injected = 1;
    excuse(call);
    error = static_cast<cudaError_t>(injected);
  } else if (world.sticky != 0 && (traits & Query) == 0) {
    error = static_cast<cudaError_t>(world.sticky);
  } else if ((traits & NoDevice) == 0 && missing_device(world) != cudaSuccess) {
    error = missing_device(world);
  } else {
    error = body(call);
  }
  call.error = static_cast<int32_t>(error);
  if (error != cudaSuccess && (traits & KeepError) == 0) thread.last_error = error;
  if (world.calls.size() >= calls_kept) world.calls.pop_front();
  world.calls.push_back(call);
  log_call(call);
  --thread.inside;
  return error;
}

// The compiler checks the arguments of a format; a parameter pack would need a formatter of its
// own. NOLINTNEXTLINE(cert-dcl50-cpp)
void find(const char* kind, std::uintptr_t address, const char* format, ...) {
  static constexpr struct {
    const char *kind, *clause;
  } kinds[] = {
#define VCUDA_FINDING(kind, clause, words) {#kind, clause},
#include "virtual_cuda/findings.def"
#undef VCUDA_FINDING
  };
  aoti_cts_vcuda_finding finding{};
  for (const auto& row : kinds) {
    if (std::strcmp(row.kind, kind) != 0) continue;
    finding.kind = row.kind;
    finding.clause = row.clause;
  }
  std::memcpy(finding.shim, self().shim, sizeof finding.shim);
  finding.address = address;
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(finding.text, sizeof finding.text, format, arguments);
  va_end(arguments);
  World& world = World::get();
  log_line("finding %s %s %s %s", finding.kind, finding.clause, finding.shim, finding.text);
  // The observer comes first: in a signal handler it may be the last thing that works.
  if (world.observer != nullptr) world.observer(&finding, world.observer_context);
  if (world.findings.size() < findings_kept) world.findings.push_back(finding);
}

void tell(const char* kind, const char* name) {
  const World& world = World::get();
  if (world.observer == nullptr) return;
  aoti_cts_vcuda_finding finding{};
  finding.kind = kind;
  finding.clause = "";
  std::memcpy(finding.shim, self().shim, sizeof finding.shim);
  std::snprintf(finding.text, sizeof finding.text, "%s", name);
  world.observer(&finding, world.observer_context);
}

}  // namespace aoti_cts::vcuda

using namespace aoti_cts::vcuda;

namespace {
std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(World::get().mutex); }
}  // namespace

extern "C" {

int aoti_cts_vcuda_reset(int devices, uint64_t memory_mib) {
  if (devices < -1 || devices > max_devices || memory_mib > (32 << 10)) return EINVAL;
  const auto held = lock();
  World& world = World::get();
  reset_streams();
  reset_memory();
  world.devices = devices;
  world.memory = static_cast<std::size_t>(memory_mib == 0 ? default_memory_mib : memory_mib) << 20;
  world.calls.clear();
  world.findings.clear();
  world.launched.clear();
  world.refused.clear();
  world.faults.clear();
  world.call_count = 0;
  world.faults_struck = 0;
  world.faults_inside_only = false;
  world.sticky = 0;
  world.pools_open = false;
  self().device = 0;
  self().last_error = 0;
  return 0;
}

int aoti_cts_vcuda_fault(const char* faults, char* message, size_t size) {
  std::vector<Fault> parsed;
  const std::string problem = parse_faults(faults != nullptr ? faults : "", parsed);
  if (!problem.empty()) {
    if (message != nullptr && size > 0) std::snprintf(message, size, "%s", problem.c_str());
    return EINVAL;
  }
  const auto held = lock();
  World& world = World::get();
  world.faults = std::move(parsed);
  world.faults_struck = 0;
  world.sticky = 0;
  return 0;
}

void aoti_cts_vcuda_fault_inside_only(int on) {
  const auto held = lock();
  World::get().faults_inside_only = on != 0;
}

int aoti_cts_vcuda_faults_struck(void) {
  const auto held = lock();
  return World::get().faults_struck;
}

void aoti_cts_vcuda_enter(const char* shim) {
  Thread& thread = self();
  std::snprintf(thread.shim, sizeof thread.shim, "%s", shim != nullptr ? shim : "");
}

uint64_t aoti_cts_vcuda_call_count(void) {
  const auto held = lock();
  return World::get().call_count;
}

int aoti_cts_vcuda_get_call(uint64_t number, aoti_cts_vcuda_call* call) {
  const auto held = lock();
  const World& world = World::get();
  // Calls of several threads end in another order than they began in.
  for (const auto& kept : world.calls) {
    if (kept.number != number) continue;
    *call = kept;
    return 0;
  }
  return ENOENT;
}

size_t aoti_cts_vcuda_finding_count(void) {
  const auto held = lock();
  return World::get().findings.size();
}

int aoti_cts_vcuda_get_finding(size_t index, aoti_cts_vcuda_finding* finding) {
  const auto held = lock();
  const World& world = World::get();
  if (index >= world.findings.size()) return ENOENT;
  *finding = world.findings[index];
  return 0;
}

void aoti_cts_vcuda_observe(aoti_cts_vcuda_observer observer, void* context) {
  const auto held = lock();
  World::get().observer = observer;
  World::get().observer_context = context;
}

int aoti_cts_vcuda_get_live(int device, aoti_cts_vcuda_live* live) {
  const auto held = lock();
  World& world = World::get();
  if (device < -1 || device >= max_devices) return EINVAL;
  const auto counts = [&](int owner) { return device == -1 || owner == device; };
  *live = {};
  for (const auto& [base, memory] : world.allocations) {
    if (!counts(memory.device) || memory.state != Allocation::State::Live) continue;
    if (memory.home == Home::Device) {
      ++live->device_allocations;
      live->device_bytes += static_cast<int64_t>(memory.bytes);
    } else if (memory.home == Home::Pinned) {
      ++live->pinned_allocations;
    } else if (memory.home == Home::Managed) {
      ++live->managed_allocations;
    } else {
      ++live->registered_ranges;
    }
  }
  for (StreamObject* stream : all_streams()) {
    if (!counts(stream->device)) continue;
    live->streams += stream->legacy || stream->destroyed ? 0 : 1;
    live->pending += static_cast<int64_t>(pending_on(stream));
  }
  for (const EventObject* event : world.events) live->events += counts(event->device) ? 1 : 0;
  return 0;
}

int64_t aoti_cts_vcuda_check_leaks(uint64_t since) {
  const auto held = lock();
  int64_t leaks = 0;
  for (const auto& [base, memory] : World::get().allocations) {
    if (memory.state != Allocation::State::Live || memory.made_by <= since || memory.excused) {
      continue;
    }
    if (memory.home != Home::Device && memory.home != Home::Pinned) continue;
    ++leaks;
    find("leak", base, "%s was not freed", describe(memory).c_str());
  }
  return leaks;
}

const char* aoti_cts_vcuda_kernel(size_t index) {
  const auto held = lock();
  const auto& names = World::get().launched;
  return index < names.size() ? names[index].c_str() : nullptr;
}

const char* aoti_cts_vcuda_refused(size_t index) {
  const auto held = lock();
  const auto& names = World::get().refused;
  return index < names.size() ? names[index].c_str() : nullptr;
}

int aoti_cts_vcuda_peek(void* host, uintptr_t device, size_t bytes) {
  const auto held = lock();
  const Allocation* memory = allocation_at(device);
  if (memory == nullptr || memory->state == Allocation::State::Freed ||
      bytes > memory->bytes - (device - memory->base)) {
    return EFAULT;
  }
  std::memcpy(host, memory->data + (device - memory->base), bytes);
  return 0;
}

int aoti_cts_vcuda_poke(uintptr_t device, const void* host, size_t bytes) {
  const auto held = lock();
  const Allocation* memory = allocation_at(device);
  if (memory == nullptr || memory->state == Allocation::State::Freed ||
      bytes > memory->bytes - (device - memory->base)) {
    return EFAULT;
  }
  std::memcpy(memory->data + (device - memory->base), host, bytes);
  return 0;
}

int aoti_cts_vcuda_device_of(uintptr_t address) {
  const int device = Region::device_of(address);
  if (device >= 0) return device;
  const auto held = lock();
  const Allocation* memory = allocation_at(address);
  return memory != nullptr ? memory->device : -1;
}
}
