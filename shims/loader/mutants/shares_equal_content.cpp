// clause: PATH.distinct
// a second load of the same content is given the library that is there
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  struct Shared : plugin::Blob {
    explicit Shared(std::shared_ptr<plugin::Blob> the_blob) : blob(std::move(the_blob)) {}
    const std::string& path() const override { return blob->path(); }
    std::shared_ptr<plugin::Blob> blob;
  };

  std::unique_ptr<plugin::Blob> load_blob(const AotiCtsLoaderInput& input,
                                          const char* device) override {
    const std::lock_guard lock(mutex);
    if (std::exchange(owner, getpid()) != getpid()) kept.clear();
    const std::string key(input.key, input.key_size);
    std::shared_ptr<plugin::Blob> blob = kept[key].lock();
    if (blob == nullptr) kept[key] = blob = Fault::load_blob(input, device);
    return std::make_unique<Shared>(blob);
  }

  std::mutex mutex;
  pid_t owner = 0;
  std::map<std::string, std::weak_ptr<plugin::Blob>> kept;
};

AOTI_LOADER_MUTANT(Wrong)
