// The symbol index ("armap") of a static archive, held against the archive's members.
#pragma once

#include <llvm/Object/Archive.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

namespace aoti_cts::symbols::objread {

/// What the members define, as their files spell it, by the offset of the member's header.
struct MemberNames {
  std::string member;
  bool elf = false;
  std::unordered_set<std::string> defined;
};
using ArchiveNames = std::map<uint64_t, MemberNames>;

/// Throws std::runtime_error where the archive's index, if it has one, is damaged, names a symbol
/// that its member does not define, or lacks one that an ELF member defines.
void check_archive_index(const llvm::object::Archive& archive, const ArchiveNames& names);

}  // namespace aoti_cts::symbols::objread
