// The reference parser in ATen mode as a plug-in: real at::Tensors, real libtorch.
#include "program/aten/loaded.h"

const AotiCtsParser* aoti_cts_parser() {
  using namespace aoti_cts::program::plugin;
  return aten_table<AtenLoaded>("aoti-cts reference parser over libtorch");
}
