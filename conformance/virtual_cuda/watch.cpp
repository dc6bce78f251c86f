// Catches the host at device memory: by instruction through SIGSEGV, by system call through
// seccomp.
//
// An instruction that touches device memory faults, because those pages have no access; the handler
// says which memory it was and what was being called, and lets the process die as it would have. A
// system call that is given a device address only returns EFAULT, which callers overlook, so a
// seccomp filter traps those calls whose pointer argument lies in the device range; the handler
// records it and gives the same EFAULT. Addresses inside structures (iovec, msghdr) are not seen.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "virtual_cuda/world.h"

namespace aoti_cts::vcuda {
namespace {

struct sigaction previous_segv;
struct sigaction previous_bus;

struct Watched {
  int number;
  unsigned argument;
  const char* name;
};

constexpr Watched watched[] = {
    {SYS_read, 1, "read"},           {SYS_write, 1, "write"},   {SYS_pread64, 1, "pread64"},
    {SYS_pwrite64, 1, "pwrite64"},   {SYS_sendto, 1, "sendto"}, {SYS_recvfrom, 1, "recvfrom"},
    {SYS_getrandom, 0, "getrandom"},
};

/// True when the touch is let through: pinned memory that only pending copies had closed.
bool pinned_touch(std::uintptr_t address) {
  Allocation* memory = allocation_at(address);
  if (memory == nullptr || memory->home != Home::Pinned || memory->relaxed) return false;
  if (memory->pending_reads + memory->pending_writes == 0) return false;
  for (StreamObject* stream : all_streams()) {
    for (const auto& op : stream->queue) {
      for (const Op::Use& use : op->uses) {
        if (address < use.from || address >= use.to) continue;
        find("early_touch", address, "the host touched offset %zu of %s while %s on it is pending",
             static_cast<std::size_t>(address - memory->base), describe(*memory).c_str(), op->name);
      }
    }
  }
  memory->relaxed = true;
  protect(*memory);
  return true;
}

/// Says what a fault was about. Returns true when the instruction may be tried again.
bool explain(std::uintptr_t address) {
  // A fault inside this library is one on a host pointer that the caller passed in.
  if (self().inside > 0) return false;
  World& world = World::get();
  const std::lock_guard lock(world.mutex);
  const int device = Region::device_of(address);
  if (device < 0) return pinned_touch(address);
  const Allocation* memory = allocation_at(address);
  if (memory == nullptr) {
    find("host_touch", address, "the host touched 0x%zx of cuda:%d, where nothing is allocated",
         static_cast<std::size_t>(address), device);
  } else {
    find("host_touch", address, "the host touched offset %zu of %s%s",
         static_cast<std::size_t>(address - memory->base),
         memory->state == Allocation::State::Live ? "" : "freed ", describe(*memory).c_str());
  }
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context);

/// Puts our handler before whatever is there; called again it finds itself, and leaves that alone.
void take_over(int signal, const struct sigaction& action, struct sigaction& previous) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) return;
  previous = now;
  sigaction(signal, &action, nullptr);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  if (explain(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
    errno = error;
    return;
  }
  const struct sigaction& previous = signal == SIGBUS ? previous_bus : previous_segv;
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
  errno = error;
}

#if defined(__x86_64__)
constexpr unsigned audit_architecture = AUDIT_ARCH_X86_64;
std::uintptr_t argument_of(const ucontext_t& context, unsigned index) {
  constexpr int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[registers[index]]);
}
void set_result(ucontext_t& context, long result) { context.uc_mcontext.gregs[REG_RAX] = result; }
#elif defined(__aarch64__)
constexpr unsigned audit_architecture = AUDIT_ARCH_AARCH64;
std::uintptr_t argument_of(const ucontext_t& context, unsigned index) {
  return context.uc_mcontext.regs[index];
}
void set_result(ucontext_t& context, long result) {
  context.uc_mcontext.regs[0] = static_cast<unsigned long long>(result);
}
#else
#error "the system call watch knows x86-64 and AArch64"
#endif

void on_system_call(int, siginfo_t* info, void* context) {
  const int error = errno;
  auto& machine = *static_cast<ucontext_t*>(context);
  for (const Watched& call : watched) {
    if (call.number != info->si_syscall) continue;
    const std::uintptr_t address = argument_of(machine, call.argument);
    World& world = World::get();
    const std::lock_guard lock(world.mutex);
    const Allocation* memory = allocation_at(address);
    find("syscall_touch", address, "the system call %s was given %s", call.name,
         memory != nullptr ? describe(*memory).c_str() : "a device address");
  }
  set_result(machine, -EFAULT);
  errno = error;
}

/// Traps the watched calls whose pointer argument lies in the device range. The range begins and
/// ends at multiples of 4 GiB, so the upper half of the argument decides.
int filter_system_calls() {
  static bool filtered = false;
  if (filtered) return 0;
  const std::uintptr_t begin = Region::begin();
  const auto low = static_cast<unsigned>(begin >> 32);
  const auto high = static_cast<unsigned>((begin + Region::span * max_devices) >> 32);
  std::vector<sock_filter> program;
  const auto add = [&](unsigned code, unsigned k, unsigned char yes, unsigned char no) {
    program.push_back({static_cast<unsigned short>(code), yes, no, k});
  };
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch), 0, 0);
  add(BPF_JMP | BPF_JEQ | BPF_K, audit_architecture, 1, 0);
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  for (const Watched& call : watched) {
    const std::size_t upper =
        offsetof(seccomp_data, args) + std::size_t{8} * call.argument + std::size_t{4};
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call.number), 0, 5);
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(upper), 0, 0);
    add(BPF_JMP | BPF_JGE | BPF_K, low, 0, 2);
    add(BPF_JMP | BPF_JGE | BPF_K, high, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const long made =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
  filtered = made == 0;
  return filtered ? 0 : (made > 0 ? EBUSY : errno);
}

}  // namespace
}  // namespace aoti_cts::vcuda

using namespace aoti_cts::vcuda;

int aoti_cts::vcuda::watch() {
  if (Region::begin() == 0) return ENOMEM;
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  action.sa_sigaction = on_fault;
  take_over(SIGSEGV, action, previous_segv);
  take_over(SIGBUS, action, previous_bus);
  action.sa_sigaction = on_system_call;
  sigaction(SIGSYS, &action, nullptr);
  return filter_system_calls();
}

extern "C" int aoti_cts_vcuda_watch_host(void) {
  World& world = World::get();
  const std::lock_guard lock(world.mutex);
  const int refused = watch();
  if (refused == ENOMEM) return refused;
  world.watched = true;
  for (const auto& [base, memory] : world.allocations) protect(memory);
  return refused;
}
