/* How a test drives the virtual CUDA device and asks it what it saw.
 *
 * The stand-in libcudart exports these beside CUDA's own functions. Whoever loaded it finds them by
 * dlsym; nothing links them. C, so that they can be called from anywhere; every function is
 * thread-safe. Text and records that are handed out are copies of the caller's.
 *
 * Without a caller the device is set up from the environment when it is first used:
 *
 *   AOTI_CTS_VCUDA_DEVICES   how many devices there are, 0-8 (2)
 *   AOTI_CTS_VCUDA_MEMORY    memory of each device in MiB (1024)
 *   AOTI_CTS_VCUDA_FAULT     faults to inject, as for aoti_cts_vcuda_fault()
 *   AOTI_CTS_VCUDA_LOG       a file to which each call and each finding is written at once. It also
 *                            begins to watch the host, as aoti_cts_vcuda_watch_host() does: what
 *                            touches device memory is in the log before the process dies of it, and
 *                            a touch of pinned memory under a pending copy is let through. Copies
 *                            that fork() makes write to the same file, a program that is executed
 *                            begins it anew.
 */
#ifndef AOTI_CTS_VIRTUAL_CUDA_CONTROL_H
#define AOTI_CTS_VIRTUAL_CUDA_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One call of the CUDA runtime, as it was recorded. */
typedef struct aoti_cts_vcuda_call {
  uint64_t number;      /**< counts from 1 since the last reset */
  const char* function; /**< static text */
  char shim[64];        /**< what aoti_cts_vcuda_enter() named last on this thread, or "" */
  int32_t device;       /**< current device of the calling thread */
  int32_t error;        /**< what the call returned */
  int32_t injected;     /**< 1 where the error was injected */
  int32_t kind;         /**< of a copy, else -1 */
  uintptr_t stream;     /**< as passed, 0 where there is none */
  uintptr_t dst;        /**< the pointer written, freed, filled or handed out */
  uintptr_t src;        /**< the pointer read */
  uint64_t bytes;
} aoti_cts_vcuda_call;

/** One thing that the caller should not have done. */
typedef struct aoti_cts_vcuda_finding {
  const char* kind;   /**< a kind of findings.def; static text */
  const char* clause; /**< the clause it speaks against; static text */
  char shim[64];      /**< what was being called, or "" */
  char text[256];     /**< what, where, how much */
  uintptr_t address;  /**< the address in question, or 0 */
} aoti_cts_vcuda_finding;

/** What is alive; `device` -1 sums over all devices. Pinned and managed memory counts for the
 * device that was current when it was made. */
typedef struct aoti_cts_vcuda_live {
  int64_t device_allocations;
  int64_t device_bytes;
  int64_t pinned_allocations;  /**< cudaHostAlloc and cudaMallocHost */
  int64_t managed_allocations; /**< cudaMallocManaged */
  int64_t registered_ranges;   /**< cudaHostRegister */
  int64_t streams;
  int64_t events;
  int64_t pending; /**< operations that no synchronisation has completed */
} aoti_cts_vcuda_live;

/** Called for each finding when it is made, also from a signal handler: it must not allocate. Four
 * more kinds come here alone, without a clause: `kernel` when a launch was refused, `refused` when
 * a function the device lacks was called, `call` for each call that faults may strike, and `fault`
 * when one struck; `text` has the name, and of a fault "FUNCTION call N with code C (NAME)". */
typedef void (*aoti_cts_vcuda_observer)(const aoti_cts_vcuda_finding* finding, void* context);

/** Forgets everything and starts with `devices` devices (0-8; -1 behaves as without a driver) of
 * `memory_mib` MiB each (0: 1024). Memory that is still allocated is given back. Returns 0, or
 * EINVAL. Registered kernels stay. */
int aoti_cts_vcuda_reset(int devices, uint64_t memory_mib);

/** Injects faults: "FUNCTION:N:CODE[,...]" fails the Nth call of FUNCTION from now on (`*`: of any
 * function that is not an error query) once with CODE, and the call does nothing. A sticky code
 * (see errors.def) stays. Null or "" takes all back. Returns 0, or EINVAL with a text in `message`
 * (of `size` bytes, may be null). */
int aoti_cts_vcuda_fault(const char* faults, char* message, size_t size);

/** With 1, faults strike (and count) only calls made between aoti_cts_vcuda_enter() and its taking
 * back, so that a test may call CUDA for itself. 0 after a reset. */
void aoti_cts_vcuda_fault_inside_only(int on);

/** How many injected faults have struck since the last aoti_cts_vcuda_fault(). */
int aoti_cts_vcuda_faults_struck(void);

/** Names what this thread is about to call, and takes the name back (null). */
void aoti_cts_vcuda_enter(const char* shim);

/** Calls recorded since the last reset; the last 16384 of them can be read. */
uint64_t aoti_cts_vcuda_call_count(void);
/** Copies call `number` (from 1). Returns 0, or ENOENT when it is not kept. */
int aoti_cts_vcuda_get_call(uint64_t number, aoti_cts_vcuda_call* call);

size_t aoti_cts_vcuda_finding_count(void);
/** Copies finding `index` (from 0). Returns 0, or ENOENT. */
int aoti_cts_vcuda_get_finding(size_t index, aoti_cts_vcuda_finding* finding);
void aoti_cts_vcuda_observe(aoti_cts_vcuda_observer observer, void* context);

/** Returns 0, or EINVAL for a device that is not there. */
int aoti_cts_vcuda_get_live(int device, aoti_cts_vcuda_live* live);
/** Makes a `leak` finding for each device or pinned allocation that was made after call number
 * `since` and is alive. Returns how many. */
int64_t aoti_cts_vcuda_check_leaks(uint64_t since);

/** Names of the kernels whose launch was refused, and of refused functions that were called; null
 * beyond the last. The text lives until the next reset. */
const char* aoti_cts_vcuda_kernel(size_t index);
const char* aoti_cts_vcuda_refused(size_t index);
/** Adds a name to them: for the stand-in driver library. */
void aoti_cts_vcuda_note_refused(const char* name);

/** Reads or writes device memory past all rules and records, for a test's own oracle. Pending
 * operations are not run. Returns 0, or EFAULT when the range is not one live allocation's. */
int aoti_cts_vcuda_peek(void* host, uintptr_t device, size_t bytes);
int aoti_cts_vcuda_poke(uintptr_t device, const void* host, size_t bytes);

/** The device an address belongs to, also after it was freed, or -1. */
int aoti_cts_vcuda_device_of(uintptr_t address);

/** From here on a touch of device memory by this process, by instruction or through a pointer
 * argument of a system call, is found and attributed. The system calls are watched by a seccomp
 * filter that stays for the life of the process. Returns 0, or the errno of what the system
 * refuses (then touches by instruction are still found). Until it is called pinned memory stays
 * open to the host under pending copies, and shows stale bytes. */
int aoti_cts_vcuda_watch_host(void);

#ifdef __cplusplus
}
#endif

#endif /* AOTI_CTS_VIRTUAL_CUDA_CONTROL_H */
