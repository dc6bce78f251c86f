// What a test of the suite is written with: CLAUSE_CASES, the Case that a body gets, and its
// assertions.
//
// A file of the suite holds one section of the contract. For each clause it defines
//
//   CLAUSE_CASES(TENSOR, clone) {
//     cases.add("independent", [](Case& c) {
//       ...
//       HAVE_WANT(SHIM(aoti_torch_clone)(self, &copy), 0);
//     });
//   }
//
// The functions are declared from clauses.def and their addresses taken in registry.cpp, so that a
// clause without cases does not link and cases without a clause do not compile. Bodies run in a
// child process of their own: they may leave anything behind. They judge the candidate by values
// they compute themselves, never by asking it twice.
#pragma once

#include <aoti_shim/table.h>
#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace aoti_cts::suite {

/// Receives what a case has to say. The runner's implementation writes through shared memory, so
/// that it survives whatever the candidate does to the process.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void assertion() = 0;  ///< one more value was judged
  virtual void failure(std::string_view what, std::string_view have, std::string_view want) = 0;
  virtual void saw(std::string_view text) = 0;  ///< a MAY clause: which of the allowed answers
  virtual void skip(std::string_view why) = 0;
  virtual void calling(const char* shim) = 0;    ///< about to enter the candidate
  virtual void returned() = 0;                   ///< came back from it
  virtual void code(AOTITorchError /*code*/) {}  ///< and with this code, after returned()
  /// About to enter code of the candidate that is no shim, in words; empty: came back from it.
  virtual void inside(std::string_view /*what*/) {}
  /// One of many steps ends and the next begins: the time limit is for each.
  virtual void step() {}
};

// What a copy of the process says, one that fork() made inside a body or a shim, is not heard.

/// Ends a case from inside its body; caught where bodies are called.
struct EndCase {};

template <class T>
std::string show(const T& value);

/// The test body's view of the candidate and of its own verdict.
class Case {
 public:
  Case(const AotiShimTable& table, Sink& sink) : table_(table), sink_(sink) {}

  /// The candidate's function behind one manifest row, as a callable that leaves a trace of the
  /// call; ends the case with SKIP when the candidate lacks it. Use through SHIM(name).
  template <class Fn>
  auto shim(Fn AotiShimTable::*member, const char* = nullptr) {
    const Fn fn = table_.*member;
    // The name comes from the manifest, so that reports can rely on it.
    const auto* slot = reinterpret_cast<const char*>(&(table_.*member));
    const auto offset = static_cast<std::size_t>(slot - reinterpret_cast<const char*>(&table_));
    const char* name = aoti_shim_rows[offset / sizeof(Fn)].name;
    if (fn == nullptr) skip(fmt::format("needs {}, which the candidate does not export", name));
    return [this, fn, name](auto... args) {
      sink_.calling(name);
      if constexpr (std::is_void_v<decltype(fn(args...))>) {
        fn(args...);
        sink_.returned();
      } else {
        auto result = fn(args...);
        sink_.returned();
        if constexpr (std::is_same_v<decltype(result), AOTITorchError>) sink_.code(result);
        return result;
      }
    };
  }

  /// True where the candidate exports the shim; for cases that work with or without it.
  template <class Fn>
  bool has(Fn AotiShimTable::*member) const {
    return table_.*member != nullptr;
  }

  /// Records one judged value; returns whether it is as wanted. Use through HAVE_WANT.
  template <class H, class W>
  bool judge(const H& have, const W& want, std::string_view what) {
    sink_.assertion();
    if (have == want) return true;
    sink_.failure(what, show(have), show(want));
    return false;
  }

  /// Records a failure whose texts the caller made.
  void fail(std::string_view what, std::string_view have, std::string_view want) {
    sink_.assertion();
    sink_.failure(what, have, want);
  }

  [[noreturn]] void skip(std::string_view why) {
    sink_.skip(why);
    throw EndCase{};
  }

  /// For MAY clauses: says which of the allowed answers the candidate gave. Counts as an assertion.
  void saw(std::string_view text) {
    sink_.assertion();
    sink_.saw(text);
  }

  const AotiShimTable& table() const { return table_; }
  Sink& sink() { return sink_; }

 private:
  const AotiShimTable& table_;
  Sink& sink_;
};

/// One registered case.
struct CaseRow {
  std::string clause;  ///< clause id
  std::string name;    ///< unique within the clause; [A-Za-z0-9_]+
  std::function<void(Case&)> body;
};

/// Collects the cases of one clause.
class CaseList {
 public:
  explicit CaseList(std::string clause) : clause_(std::move(clause)) {}
  void add(std::string name, std::function<void(Case&)> body) {
    rows_.push_back({clause_, std::move(name), std::move(body)});
  }
  const std::vector<CaseRow>& rows() const { return rows_; }

 private:
  std::string clause_;
  std::vector<CaseRow> rows_;
};

/// All cases of all delivered run clauses, in the table's order; built on first use, names checked.
const std::vector<CaseRow>& all_cases();

/// Text of a value for a report: numbers plain, 8-bit ones as numbers, pointers in hex, vectors in
/// braces.
template <class T>
std::string show(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
    return "null";
  } else if constexpr (std::is_pointer_v<T> &&
                       !std::is_same_v<std::decay_t<std::remove_pointer_t<T>>, char>) {
    return value == nullptr ? "null"
                            : fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format(
        "{}",
        static_cast<std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>(value));
  } else if constexpr (requires {
                         value.begin();
                         value.end();
                       } &&
                       !std::is_convertible_v<T, std::string_view>) {
    std::string text = "{";
    for (const auto& element : value) {
      if (text.size() > 1) text += ", ";
      if (text.size() > 400) return text + "...}";
      text += show(element);
    }
    return text + "}";
  } else {
    return fmt::format("{}", value);
  }
}

}  // namespace aoti_cts::suite

// Declared here from the table, defined in the suite's files: neither can go without the other.
namespace aoti_cts::suite::clause {
#define AOTI_CASES_run(section, name) void section##_##name(CaseList& cases);
#define AOTI_CASES_both(section, name) AOTI_CASES_run(section, name)
#define AOTI_CASES_load(section, name)
#define AOTI_CASES_symbols(section, name)
#define AOTI_CASES_planned(section, name)
#define AOTI_CLAUSE(judge, section, name, level, profile, since, source, sentence) \
  AOTI_CASES_##judge(section, name)
#include "clauses.def"
#undef AOTI_CLAUSE
#undef AOTI_CASES_run
#undef AOTI_CASES_both
#undef AOTI_CASES_load
#undef AOTI_CASES_symbols
#undef AOTI_CASES_planned
}  // namespace aoti_cts::suite::clause

/// Opens the function that adds the cases of one clause to `cases`.
#define CLAUSE_CASES(section, name)               \
  void aoti_cts::suite::clause::section##_##name( \
      [[maybe_unused]] ::aoti_cts::suite::CaseList& cases)

/// The candidate's function, callable; expects the Case to be called `c`.
#define SHIM(name) c.shim(&AotiShimTable::name, #name)

/// Judges a value: `have` is what the candidate gave, `want` what the contract says. Yields whether
/// they agree.
#define HAVE_WANT(have, want) c.judge((have), (want), #have)

/// The same with words of one's own for what was judged.
#define HAVE_WANT_AS(what, have, want) c.judge((have), (want), (what))

/// The same, and ends the case when they differ: for what the rest of the body stands on.
#define NEED(have, want)                                                     \
  do {                                                                       \
    if (!c.judge((have), (want), #have)) throw ::aoti_cts::suite::EndCase{}; \
  } while (false)
