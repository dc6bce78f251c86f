// Whether the tables of a PE file lie in the file, before LLVM 14 walks them: it takes counts and
// addresses at their word, and reads names wherever they point.
#pragma once

#include <llvm/Object/COFF.h>

namespace aoti_cts::symbols::objread {

/// Throws std::runtime_error that names field, value and limit where an export or import table, or
/// a name in one, does not lie in a section, or does not end there.
void check_pe_tables(const llvm::object::COFFObjectFile& file);

}  // namespace aoti_cts::symbols::objread
