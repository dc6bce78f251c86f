// Shims of a loaded blob that fail on request, so that a Run of any model fails half-way: also of a
// real one, whose code is what torch made of it.
//
// The blob's own table of imports is written to, as the dynamic linker does: what it calls goes
// through here to what it was bound to, but for the one call that is to fail, which returns an
// error without a word to the runtime. Nobody else's calls are touched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blobs/host.h"

namespace aoti_cts::blobs {

/// One at a time in a process: the calls that are counted have one counter.
class FailingShims {
 public:
  /// Leads each shim that `blob` imports under `prefix` through here, if it answers with a code of
  /// success or failure and deletes nothing (generated code deletes where it cannot throw). The
  /// blob has to outlive it. Throws Error where the blob's imports cannot be written to.
  FailingShims(const Blob& blob, const std::string& prefix);
  FailingShims(const FailingShims&) = delete;
  FailingShims& operator=(const FailingShims&) = delete;
  ~FailingShims();

  /// Counts from 0 again; the `which`-th call from now on fails, counted from 1, or with 0 none.
  void fail(int64_t which);
  /// How many calls there were since.
  int64_t calls() const;
  /// The shim whose call failed, without a prefix, or null where it did not come to that.
  const char* failed() const;

 private:
  struct Import {
    void** slot;
    void* bound;
  };
  std::vector<Import> imports_;
};

}  // namespace aoti_cts::blobs
