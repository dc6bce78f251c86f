// See subject.h.
#include "parser/subject.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "parser/host.h"
#include "parser/judge.h"

namespace aoti_cts::parser {

Subject& subject() {
  static Subject the_one;
  return the_one;
}

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InterfaceError(fmt::format("{}: {}", subject().path, what));
}

/// The table has what this version of the interface calls. What lies beyond its struct_size is not
/// looked at.
void check_table(const AotiCtsParser& table) {
  const bool has_version = table.struct_size >= offsetof(AotiCtsParser, modes);
  if (has_version && table.version != AOTI_CTS_PARSER_VERSION) {
    refuse(fmt::format("version {} of the interface, where {} is needed", table.version,
                       AOTI_CTS_PARSER_VERSION));
  }
  constexpr size_t needed = offsetof(AotiCtsParser, alignment);
  if (table.struct_size < needed) {
    refuse(fmt::format("struct_size {} of its AotiCtsParser, where {} is needed", table.struct_size,
                       needed));
  }
  const std::pair<const char*, bool> functions[] = {{"parse", table.parse != nullptr},
                                                    {"tensors", table.tensors != nullptr},
                                                    {"tensor", table.tensor != nullptr},
                                                    {"set_data", table.set_data != nullptr},
                                                    {"free", table.free != nullptr}};
  for (const auto& [name, there] : functions) {
    if (!there) refuse(fmt::format("its AotiCtsParser has no {}()", name));
  }
  const size_t alignment = alignment_of(table);
  if (alignment > most_alignment || (alignment & (alignment - 1)) != 0) {
    refuse(fmt::format("alignment {} of its AotiCtsParser, where 1, 2, 4, 8 or 16 is needed",
                       alignment));
  }
  if ((table.modes >> subject().mode & 1u) == 0) {
    refuse(fmt::format("has no {} mode", mode_name(subject().mode)));
  }
}

}  // namespace

const AotiCtsParser& open_subject() {
  void* const handle = dlopen(subject().path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  void* const entry = dlsym(handle, "aoti_cts_parser");
  if (entry == nullptr) refuse("exports no aoti_cts_parser()");
  const AotiCtsParser* const table = reinterpret_cast<const AotiCtsParser* (*)()>(entry)();
  if (table == nullptr) refuse("aoti_cts_parser() returned null");
  check_table(*table);
  return *table;
}

}  // namespace aoti_cts::parser
