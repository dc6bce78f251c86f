// Runs the cases of the profile cuda in this one process, for tools that follow a process and lose
// it at a fork: compute-sanitizer, cuda-gdb.
//
//   cuda-inline LIB PREFIX              such as libaoti_cts_reference_cuda_executorch_.so
//   executorch_
//
// prints one line per case that failed and a last one with the counts, and exits with 0; 1 when one
// failed, 2 where the library does not load, 3 when nothing was judged. A case that ends the
// process ends this one: `aoti-cts check` is what judges a candidate.
#include <fmt/format.h>

#include <cstdio>

#include "runner/cuda.h"
#include "runner/load.h"
#include "suite/case.h"
#include "suite/clause.h"

namespace {

namespace suite = aoti_cts::suite;

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
};

class PrintingSink final : public suite::Sink {
 public:
  explicit PrintingSink(const suite::CaseRow& row) : row_(row) {}
  void assertion() override {}
  void failure(std::string_view what, std::string_view have, std::string_view want) override {
    failed = true;
    fmt::print("FAIL {}/{}: {}: have {}, want {}\n", row_.clause, row_.name, what, have, want);
  }
  void saw(std::string_view) override {}
  void skip(std::string_view) override { skipped = true; }
  void calling(const char*) override {}
  void returned() override {}
  bool failed = false;
  bool skipped = false;

 private:
  const suite::CaseRow& row_;
};

void run(const suite::CaseRow& row, const AotiShimTable& table, Counts& counts) {
  PrintingSink sink(row);
  suite::Case c(table, sink);
  try {
    row.body(c);
  } catch (const suite::EndCase&) {
  } catch (const std::exception& error) {
    c.fail("exception", error.what(), "none");
  }
  suite::active_cuda->table.cudaGetLastError();
  suite::active_cuda->table.cudaSetDevice(0);
  ++(sink.failed ? counts.failed : (sink.skipped ? counts.skipped : counts.passed));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: cuda-inline LIBRARY PREFIX\n", stderr);
    return 2;
  }
  aoti_cts::runner::Candidate candidate;
  candidate.paths = {argv[1]};
  candidate.prefix = argv[2];
  candidate.cuda.mode = aoti_cts::runner::CudaMode::Real;
  const auto loaded = aoti_cts::runner::load(candidate);
  if (!loaded.error.empty()) {
    fmt::print(stderr, "cuda-inline: {}\n", loaded.error);
    return 2;
  }
  const suite::CudaAccess access = aoti_cts::runner::find_cuda(candidate.cuda);
  if (!access.missing.empty()) {
    fmt::print(stderr, "cuda-inline: {}\n", access.missing);
    return 2;
  }
  suite::active_cuda = &access;
  Counts counts;
  for (const suite::CaseRow& row : suite::all_cases()) {
    const std::string& profile = aoti_cts::find_clause(row.clause)->profile;
    // Once a process has looked for devices and holds memory of them, there is neither none nor a
    // full one.
    const bool alone =
        row.clause.rfind("DEV.no-device", 0) == 0 || row.clause == "DEV.alloc-failure";
    if (profile != "cuda" || alone) continue;
    run(row, loaded.table, counts);
  }
  fmt::print("cases {} passed, {} failed, {} skipped\n", counts.passed, counts.failed,
             counts.skipped);
  if (counts.passed + counts.failed == 0) return 3;
  return counts.failed == 0 ? 0 : 1;
}
