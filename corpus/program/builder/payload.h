// Programs that carry a compiled model for a delegate. Their recipes (corpus/program/runnable/) are
// in the words of a base; the model is a file that is built elsewhere.
#pragma once

#include <string>

namespace aoti_cts::corpus {

/// Writes the program of a recipe. Where that has {"#payload": "bytes"} stand the payload's bytes,
/// and where it has {"#payload": "size"} their number. Throws std::runtime_error naming the file or
/// the path in the program.
void write_with_payload(const std::string& recipe, const std::string& payload,
                        const std::string& out);

}  // namespace aoti_cts::corpus
