// See archive_index.h. The index is the second opinion on a member whose own tables were lost: what
// reads of such a member is no error by itself, only less. LLVM reads the index unchecked, so its
// bytes are read here, all through Cursor.
#include "symbols/objread/archive_index.h"

#include <llvm/Support/Endian.h>

#include <stdexcept>
#include <vector>

namespace aoti_cts::symbols::objread {
namespace {

using llvm::StringRef;
using llvm::object::Archive;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("archive symbol index: " + what);
}

struct Entry {
  StringRef name;
  uint64_t member;  ///< offset of its header
};

class Cursor {
 public:
  explicit Cursor(StringRef bytes) : bytes_(bytes) {}

  uint64_t number(size_t width, bool big, const char* field) {
    const StringRef raw = take(width, field);
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value = value << 8 | static_cast<unsigned char>(raw[big ? i : width - 1 - i]);
    }
    return value;
  }
  StringRef take(uint64_t size, const char* field) {
    if (size > bytes_.size()) {
      fail(std::string(field) + " is " + std::to_string(size) +
           " bytes: " + std::to_string(bytes_.size()) + " are left");
    }
    const StringRef taken = bytes_.take_front(size);
    bytes_ = bytes_.drop_front(size);
    return taken;
  }
  // A count of things, each of at least `width` bytes.
  uint64_t count(size_t number_width, bool big, size_t width, const char* field) {
    const uint64_t value = number(number_width, big, field);
    if (value <= bytes_.size() / width) return value;
    fail(std::string(field) + " is " + std::to_string(value) + ": there is room for " +
         std::to_string(bytes_.size() / width));
  }
  StringRef string(const char* field) {
    const size_t end = bytes_.find('\0');
    if (end == StringRef::npos) fail(std::string(field) + " has no end");
    const StringRef text = bytes_.take_front(end);
    bytes_ = bytes_.drop_front(end + 1);
    return text;
  }

 private:
  StringRef bytes_;
};

// A count, as many offsets, as many names in a row.
std::vector<Entry> read_gnu(Cursor bytes, size_t width) {
  std::vector<Entry> entries(bytes.count(width, true, width, "number of symbols"));
  for (Entry& entry : entries) entry.member = bytes.number(width, true, "member offset");
  for (Entry& entry : entries) entry.name = bytes.string("name");
  return entries;
}

// Bytes of the rows, rows of string offset and member offset, bytes of the strings, the strings.
std::vector<Entry> read_bsd(Cursor bytes, size_t width) {
  const uint64_t size = bytes.count(width, false, 1, "size of rows");
  Cursor rows(bytes.take(size, "rows"));
  const uint64_t string_bytes = bytes.count(width, false, 1, "size of strings");
  const StringRef strings = bytes.take(string_bytes, "strings");
  std::vector<Entry> entries(size / (2 * width));
  for (Entry& entry : entries) {
    const uint64_t at = rows.number(width, false, "name offset");
    if (at >= strings.size()) {
      fail("name offset is " + std::to_string(at) + ": the strings have " +
           std::to_string(strings.size()) + " bytes");
    }
    entry.name = Cursor(strings.drop_front(at)).string("name");
    entry.member = rows.number(width, false, "member offset");
  }
  return entries;
}

// Microsoft's second index: members, symbols as numbers of members from 1, names in a row.
std::vector<Entry> read_coff(Cursor bytes) {
  std::vector<uint64_t> members(bytes.count(4, false, 4, "number of members"));
  for (uint64_t& member : members) member = bytes.number(4, false, "member offset");
  std::vector<Entry> entries(bytes.count(4, false, 2, "number of symbols"));
  for (Entry& entry : entries) {
    const uint64_t number = bytes.number(2, false, "member number");
    if (number == 0 || number > members.size()) {
      fail("member number is " + std::to_string(number) + ": there are " +
           std::to_string(members.size()));
    }
    entry.member = members[number - 1];
  }
  for (Entry& entry : entries) entry.name = bytes.string("name");
  return entries;
}

std::vector<Entry> read_index(const Archive& archive) {
  const Cursor bytes(archive.getSymbolTable());
  switch (archive.kind()) {
    case Archive::K_GNU:
      return read_gnu(bytes, 4);
    case Archive::K_GNU64:
      return read_gnu(bytes, 8);
    case Archive::K_BSD:
    case Archive::K_DARWIN:
      return read_bsd(bytes, 4);
    case Archive::K_DARWIN64:
      return read_bsd(bytes, 8);
    case Archive::K_COFF:
      return read_coff(bytes);
    default:
      fail("of kind " + std::to_string(archive.kind()) + ", which is not read");
  }
}

}  // namespace

void check_archive_index(const Archive& archive, const ArchiveNames& names) {
  if (!archive.hasSymbolTable()) return;
  const std::vector<Entry> entries = read_index(archive);
  std::unordered_set<std::string> indexed;
  for (const Entry& entry : entries) {
    const std::string name = entry.name.str();
    indexed.insert(name);
    const auto member = names.find(entry.member);
    if (member == names.end()) {
      fail("member offset of " + name + " is " + std::to_string(entry.member) +
           ": no member begins there");
    }
    if (member->second.defined.count(name) == 0) {
      fail("it lists " + name + " in member " + member->second.member +
           ", which does not define that symbol");
    }
  }
  for (const auto& [offset, member] : names) {
    if (!member.elf) continue;  // other linkers' indexes leave some kinds of symbols out
    for (const std::string& name : member.defined) {
      if (indexed.count(name) != 0) continue;
      fail("it lacks " + name + ", which member " + member.member + " defines");
    }
  }
}

}  // namespace aoti_cts::symbols::objread
