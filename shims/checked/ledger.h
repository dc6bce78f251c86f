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

/// The ledger's lock, where another thread could take it.
class Lock {
 public:
  Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  bool taken_;
};

/// Keeps a finding. The caller holds the lock: it is inside a Calling, or in a function below.
void add_finding(const char* kind, const std::string& text);

/// The last call that began, in any thread; readable in a signal handler.
Call last_call() noexcept;

/// A call of a shim: takes its number and the lock.
class Calling {
 public:
  explicit Calling(const char* shim);
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;

  /// The reference's handle behind an argument. Null stays null, which the reference judges; a
  /// dead or foreign one is a finding, and refused() from then on.
  AtenTensorHandle real(AtenTensorHandle given);
  bool refused() const { return refused_; }

  /// Enters a handle that the reference made, and gives the one for the caller.
  AtenTensorHandle born(AtenTensorHandle real);

  /// Marks an argument dead before the reference deletes it: the reference's handle to delete.
  AtenTensorHandle die(AtenTensorHandle given);

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
