// The two forms in which vectors leave this folder: packed for the suite's binary, and as an
// archive that needs none of our code.
#pragma once

#include <string>

namespace aoti_cts::corpus {

/// Writes OUT/vectors.json and OUT/vectors.bin. The index has one entry per recipe: its words, its
/// file as [offset, size] in the .bin, the same program without the defect, and its vectors; a
/// vector whose "expect" is absent has its recipe's.
void pack(const std::string& corpus, const std::string& out);

/// Writes OUT/index.json and one OUT/ID.pte for each vector.
void export_archive(const std::string& corpus, const std::string& out);

/// Writes one OUT/ID.pte for each recipe that is small enough to start a fuzzer from.
void write_seeds(const std::string& corpus, const std::string& out);

/// Writes one OUT/NAME.pte for each base program.
void write_bases(const std::string& corpus, const std::string& out);

}  // namespace aoti_cts::corpus
