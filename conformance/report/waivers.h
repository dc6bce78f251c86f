// Waivers: failures that are known and accepted, each with a reason, in a TOML file.
//
//   [[waiver]]
//   clause    = "TENSOR.bad-dtype"            # glob of clause ids
//   cases     = ["code_99"]                   # optional: globs of case names
//   candidate = "libtorch_cpu.so*"            # optional: glob of the candidate's file name
//   reason    = "an unknown dtype is accepted with a broken tensor"
//   link      = "https://..."                 # optional
//   expiry    = 2027-06-30                    # optional: last day on which it holds
//   varies    = true                          # optional: with `cases`; see below
//
// A waiver has to keep being true: an entry that covers nothing, has expired, or names something
// that passes is a problem, and each problem fails the run. `varies` is for a defect that does not
// show in every run, as a read outside of a table does: its cases may pass or fail. Where all of
// them pass the report has a note: that the defect is gone, one run cannot tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace aoti_cts {

struct Waiver {
  std::string file;
  long line = 0;
  std::string clause;
  std::vector<std::string> cases;  ///< empty: every failing case of the clauses
  std::string candidate = "*";
  std::string reason;
  std::string link;
  std::string expiry;   ///< "YYYY-MM-DD", or empty
  bool varies = false;  ///< the cases may pass as well; only with `cases`
};

/// Reads a waiver file. Throws std::runtime_error that names file, line and field for anything that
/// is not exactly as above.
std::vector<Waiver> read_waivers(const std::string& path);

/// The same from a text; `path` is for messages.
std::vector<Waiver> parse_waivers(const std::string& text, const std::string& path);

/// A case that exists, whether or not it was selected.
struct KnownCase {
  std::string clause;
  std::string name;
};

/// Turns waived failures into Verdict::Waived and adds every problem to the report. `known` are all
/// cases there are, so that deselected ones make no entry stale; `today` is "YYYY-MM-DD". Entries
/// for another candidate are left alone, and so is everything when the candidate did not load, but
/// for entries on the load itself.
void apply_waivers(Report& report, const std::vector<Waiver>& waivers,
                   const std::vector<KnownCase>& known, const std::string& today);

/// Today in UTC as "YYYY-MM-DD".
std::string today_utc();

}  // namespace aoti_cts
