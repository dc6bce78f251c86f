// The clause table as data (conformance/clauses.def read through the preprocessor).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aoti_cts {

/// How strongly a clause binds: a failed Must makes a candidate non-conforming, a failed Should
/// does so under
/// `--strict` only, and a May clause records which answer was seen: only an ended process fails it.
enum class Level { Must, Should, May };

/// Who decides a clause. The one Load clause is decided by the runner itself, as it loads the
/// candidate. Planned clauses are listed and never counted as verified.
enum class Judge { Load, Run, Symbols, Both, Planned };

struct Clause {
  std::string id;       ///< "TENSOR.from-blob"
  std::string section;  ///< "TENSOR"
  Level level;
  Judge judge;
  std::string profile;   ///< judged when this profile is chosen
  std::string since;     ///< version of this suite that first judged it
  std::string source;    ///< source keys, as README.md defines them
  std::string sentence;  ///< the normative sentence
};

/// Name of the one case that a clause has in the static half (`aoti-cts symbols`).
inline constexpr const char* static_case = "symbols";

/// All rows, in the table's order. The vector lives as long as the process.
const std::vector<Clause>& clauses();

/// The row with this id, or nullptr.
const Clause* find_clause(std::string_view id);

/// True of the profiles whose clauses need a CUDA device.
bool is_cuda_profile(std::string_view profile);

const char* to_string(Level level);
const char* to_string(Judge judge);

}  // namespace aoti_cts
