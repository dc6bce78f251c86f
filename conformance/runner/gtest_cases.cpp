// GoogleTest's side of the runner; see gtest_cases.h.
//
// A case is a GoogleTest test so that whatever GoogleTest offers (assertions, skips, its own
// filter) works inside a body, but results leave through the Sink alone: a candidate may write to
// any descriptor, so GoogleTest prints nothing.
#include "runner/gtest_cases.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "runner/sink.h"

extern "C" __attribute__((weak)) int __lsan_do_recoverable_leak_check();

namespace aoti_cts::runner {
namespace {

struct Current {
  const AotiShimTable* table = nullptr;
  SharedSink* sink = nullptr;
  bool ran = false;
};
Current current;

std::string suite_name(const suite::CaseRow& row) {
  std::string name = row.clause;
  std::replace(name.begin(), name.end(), '.', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void escaped(const char* text) {
  const char* shim = SharedSink::entered();
  current.sink->assertion();
  if (shim != nullptr) {
    current.sink->failure(fmt::format("exception escaped from {}", shim), text,
                          "a return code: nothing is thrown through the C boundary");
  } else {
    current.sink->failure("exception in the case's body", text, "none");
  }
}

class CaseTest : public testing::Test {
 public:
  explicit CaseTest(const suite::CaseRow& row) : row_(row) {}

  void TestBody() override {
    current.ran = true;
    suite::Case c(*current.table, *current.sink);
    try {
      row_.body(c);
    } catch (const suite::EndCase&) {
    } catch (const std::exception& error) {
      escaped(error.what());
    } catch (abi::__forced_unwind&) {
      _exit(0);  // pthread_exit(): unwinding further would run the main process's destructors
    } catch (...) {
      escaped("an exception that is no std::exception");
    }
  }

 private:
  const suite::CaseRow& row_;
};

// Brings assertions and skips written with GoogleTest's own macros into the report.
class PartListener : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (current.sink == nullptr) return;
    if (part.skipped()) return current.sink->skip(part.message());
    current.sink->assertion();
    if (part.failed()) current.sink->failure(part.summary(), "see the text", "no failure");
  }
};

// What GoogleTest reads from the environment of whoever started us must not change a verdict.
void ignore_environment() {
  for (const char* name : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE",
                           "TEST_PREMATURE_EXIT_FILE", "XML_OUTPUT_FILE", "TESTBRIDGE_TEST_ONLY"}) {
    unsetenv(name);
  }
  GTEST_FLAG_SET(output, "");
  GTEST_FLAG_SET(stream_result_to, "");
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(fail_fast, false);
  GTEST_FLAG_SET(list_tests, false);
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  GTEST_FLAG_SET(catch_exceptions, false);
  GTEST_FLAG_SET(also_run_disabled_tests, true);
  // After the flags: it opens what they name.
  int argc = 1;
  char name[] = "aoti-cts";
  char* argv[] = {name, nullptr};
  testing::InitGoogleTest(&argc, argv);
}

// A candidate that calls exit() has ended its case: the tool's own destructors, which are behind
// this handler, have nothing to free, take long, and could end in something else. Processes that it
// forked are its own and go their way.
void end_at_exit() {
  static const int registered = on_exit(
      [](int status, void*) {
        if (!SharedSink::hears_this_process()) return;
        fflush(nullptr);
        _exit(status);
      },
      nullptr);
  (void)registered;
}

}  // namespace

void register_cases(const std::vector<const suite::CaseRow*>& cases) {
  ignore_environment();
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new PartListener);
  for ([[maybe_unused]] const suite::CaseRow* row : cases) {
#ifndef __clang_analyzer__  // which takes GoogleTest's registry, an owner for ever, for a leak
    testing::RegisterTest(suite_name(*row).c_str(), row->name.c_str(), nullptr, nullptr,
                          "clauses.def", 0, [row] { return new CaseTest(*row); });
#endif
  }
}

std::vector<std::string> foreign_tests(const std::vector<const suite::CaseRow*>& cases) {
  std::set<std::string> own;
  for (const suite::CaseRow* row : cases) own.insert(suite_name(*row) + "." + row->name);
  std::vector<std::string> foreign;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string name = fmt::format("{}.{}", suite.name(), suite.GetTestInfo(j)->name());
      if (own.count(name) == 0) foreign.push_back(name);
    }
  }
  return foreign;
}

void run_case(const suite::CaseRow& row, const AotiShimTable& table, const CudaOptions& cuda,
              SharedCase& out) {
  const suite::CudaAccess access = find_cuda(cuda);
  suite::active_cuda = &access;
  SharedSink sink(out, access.table.enter);
  begin_case(cuda, access, out);
  current = {&table, &sink, false};
  SharedSink::hear_this_process();
  end_at_exit();
  out.body_pid = getpid();
  out.phase = Phase::Body;
  GTEST_FLAG_SET(filter, suite_name(row) + "." + row.name);
  const int failed = RUN_ALL_TESTS();
  // Shims may fork, and a copy of this process may get here too: only the first may speak.
  if (out.body_pid != getpid()) _exit(0);
  if (!current.ran || testing::UnitTest::GetInstance()->test_to_run_count() != 1) {
    out.phase = Phase::NotRun;
    return;
  }
  if (failed != 0 && out.failures == 0 && out.skipped == 0) {
    sink.failure("GoogleTest", "failed without a text", "no failure");
  }
  if (&__lsan_do_recoverable_leak_check != nullptr && getenv("AOTI_CTS_LEAK_CHECK") != nullptr &&
      __lsan_do_recoverable_leak_check() != 0) {
    sink.failure("memory leaked by the case", "see the text on stderr", "none");
  }
  out.phase = Phase::Done;
}

}  // namespace aoti_cts::runner
