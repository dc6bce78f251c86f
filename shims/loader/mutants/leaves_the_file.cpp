// clause: PATH.removed
// the file stays after destroy
#include <mutex>
#include <set>

#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::unique_ptr<plugin::Blob> load_blob(const AotiCtsLoaderInput& input,
                                          const char* device) override {
    auto blob = Fault::load_blob(input, device);
    const std::lock_guard lock(mutex);
    made.insert(blob->path());
    return blob;
  }
  void remove(const char* path, Removal why) override {
    const std::lock_guard lock(mutex);
    if (made.count(path) == 0) Fault::remove(path, why);
  }

  std::mutex mutex;
  std::set<std::string> made;
};

AOTI_LOADER_MUTANT(Wrong)
