// The helper process aoti-cts-objread, which reads what is not a linked ELF file, and zips.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "symbols/library.h"

namespace aoti_cts::symbols {

/// Libraries in a Mach-O, PE, archive or object file. Throws BadFile with the helper's reason;
/// a helper that crashes or writes no whole answer is such a reason too.
std::vector<std::unique_ptr<Library>> read_foreign(std::unique_ptr<FileInput> input);

struct ZipMember {
  uint64_t index = 0;
  uint64_t size = 0;
  std::string name;
};

/// Members of a zip, in its order.
std::vector<ZipMember> list_zip(const FileInput& zip);

/// Throws BadFile where a member says that it inflates to more than any library has.
void check_member(const FileInput& zip, const ZipMember& member);

/// One member, inflated to a temporary file that has no name any more. Throws BadFile where it is
/// damaged or does not fit.
std::unique_ptr<FileInput> open_member(const FileInput& zip, const ZipMember& member);

}  // namespace aoti_cts::symbols
