// The corpus linter.
#pragma once

#include <string>
#include <vector>

namespace aoti_cts::corpus {

/// Checks a corpus folder against its schema, its labels and the clause table, and that each recipe
/// builds. Returns one line per fault, naming the file.
std::vector<std::string> lint(const std::string& corpus, const std::string& clauses);

}  // namespace aoti_cts::corpus
