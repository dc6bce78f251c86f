// Runs a command as a user would and gives back everything that it did.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aoti_cts::tests {

struct Ran {
  int code = -1;  ///< exit code, or 1000 + signal
  std::string out;
  std::string err;
};

/// Runs argv[0] with these arguments, in `folder` if given, with extra environment variables.
Ran run(const std::vector<std::string>& argv, const std::string& folder = "",
        const std::map<std::string, std::string>& environment = {});

/// Runs the tool with a file system of this size ("8k") mounted on `folder`, and TMPDIR naming it.
/// Code 77 and the reason in `err` where this machine lets nobody mount one.
Ran on_small_disk(const std::string& tool, const std::string& folder, const std::string& size,
                  const std::vector<std::string>& arguments);

/// A fresh empty folder that is removed with everything in it.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path(const std::string& name = "") const;
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  /// Names of what is in it, sorted.
  std::vector<std::string> files() const;

 private:
  std::string path_;
};

/// Verdicts of a JSON report: "CLAUSE/case" to verdict.
std::map<std::string, std::string> verdicts(const nlohmann::json& report);

/// The object of one case; null where it is missing.
nlohmann::json case_of(const nlohmann::json& report, const std::string& id);

}  // namespace aoti_cts::tests
