// clause: PATH.distinct-across
// names come from a generator that forked children inherit, and a file that is there is taken for
// its own
#include <mutex>
#include <random>

#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string name(std::string_view key) override {
    static std::mutex mutex;
    static std::mt19937_64 generator{std::random_device{}()};
    const std::lock_guard lock(mutex);
    return plain(key) + std::to_string(generator()) + ".so";
  }
  int create(const char* path) override { return create_or_take(path); }
};

AOTI_LOADER_MUTANT(Wrong)
