// clause: PATH.distinct-across
// names are a hash of process id and counter, and a file that is there is taken for its own
// needs: equal_pids
#include <atomic>

#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string name(std::string_view key) override {
    static std::atomic<uint64_t> count{0};
    uint64_t bits = (static_cast<uint64_t>(getpid()) << 32u) + count++;
    for (int round = 0; round < 4; ++round) bits = (bits ^ bits >> 29u) * 0x9e3779b97f4a7c15u;
    return plain(key) + std::to_string(bits) + ".so";
  }
  int create(const char* path) override { return create_or_take(path); }
};

AOTI_LOADER_MUTANT(Wrong)
