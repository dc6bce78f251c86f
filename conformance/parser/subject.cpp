// See subject.h.
#include "parser/subject.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "parser/judge.h"

namespace aoti_cts::parser {

Subject& subject() {
  static Subject the_one;
  return the_one;
}

const AotiCtsParser& open_subject() {
  void* const handle = dlopen(subject().path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  void* const entry = dlsym(handle, "aoti_cts_parser");
  if (entry == nullptr) {
    throw std::runtime_error(subject().path + " exports no aoti_cts_parser()");
  }
  const AotiCtsParser* const table = reinterpret_cast<const AotiCtsParser* (*)()>(entry)();
  if (table == nullptr || table->version != AOTI_CTS_PARSER_VERSION ||
      table->struct_size < sizeof(AotiCtsParser)) {
    throw std::runtime_error(fmt::format(
        "{}: version {} of {} bytes, where version {} of {} is needed", subject().path,
        table == nullptr ? 0 : table->version, table == nullptr ? 0 : table->struct_size,
        AOTI_CTS_PARSER_VERSION, sizeof(AotiCtsParser)));
  }
  if ((table->modes >> subject().mode & 1u) == 0) {
    throw std::runtime_error(
        fmt::format("{} has no {} mode", table->name, mode_name(subject().mode)));
  }
  return *table;
}

}  // namespace aoti_cts::parser
