// What the options that name a plug-in (--parser, --loader, --delegate, --devmap) have in common.
#pragma once

#include <stdexcept>
#include <string>

#include "cli/subcommand.h"
#include "devmap/child.h"

namespace aoti_cts::cli {

/// The absolute path, links resolved, of a plug-in. Throws UsageError that names `option` for what
/// is no regular file.
std::string plugin_path(const char* option, const std::string& path);

/// Opens a plug-in in a child. Throws UsageError for a Mistake, which is of the caller (a plug-in
/// of another interface); one that does not load, crashes or hangs is the candidate's, and its
/// cases say so. `what` names the plug-in for the child.
template <class Mistake, class Open>
void check_plugin(const char* option, const char* what, double timeout_s, const Open& open) {
  std::string mistake;
  try {
    mistake = devmap::in_child(what, timeout_s, [&] {
      try {
        open();
      } catch (const Mistake& error) {
        return std::string(error.what());
      }
      return std::string();
    });
  } catch (const std::runtime_error&) {
    return;
  }
  if (!mistake.empty()) throw UsageError(std::string(option) + " " + mistake);
}

}  // namespace aoti_cts::cli
