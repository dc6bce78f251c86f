// The Sink that a case's child process writes through: straight into shared memory, so that what
// was said before a crash survives it.
#pragma once

#include <mutex>
#include <string>

#include "runner/shared.h"
#include "suite/case.h"

namespace aoti_cts::runner {

/// Cases may call shims from many threads, so every member is thread-safe. Recording a call takes
/// no lock: one would order the candidate's threads and hide its races from ThreadSanitizer.
class SharedSink : public suite::Sink {
 public:
  /// `enter` tells the virtual CUDA device what is being called; may be null.
  explicit SharedSink(SharedCase& out, void (*enter)(const char* shim) = nullptr)
      : out_(out), enter_(enter) {}

  void assertion() override;
  void failure(std::string_view what, std::string_view have, std::string_view want) override;
  void saw(std::string_view text) override;
  void skip(std::string_view why) override;
  void calling(const char* shim) override;
  void returned() override;
  void inside(std::string_view what) override;
  void step() override;

  /// From now on this process is heard, and a copy that fork() makes of it is not: a shim may fork,
  /// and then two processes come back into the body.
  static void hear_this_process();
  static bool hears_this_process();

  /// The shim that this thread entered last and that did not return, or null.
  static const char* entered();

 private:
  SharedCase& out_;
  void (*enter_)(const char* shim);
  std::mutex texts_;
};

/// The manifest's row of a shim, counted from 0; -1 for a name that is not in it.
int shim_row(std::string_view name);

/// Name of a ring entry of SharedCase::call, whatever is in it.
std::string shim_of_entry(uint32_t entry);

}  // namespace aoti_cts::runner
