// The reference loader as a plug-in.
#include "loader/plugin/plugin.h"

const AotiCtsLoader* aoti_cts_loader() {
  return aoti_cts::loader::plugin::table<aoti_cts::loader::plugin::Faults>("aoti-cts reference");
}
