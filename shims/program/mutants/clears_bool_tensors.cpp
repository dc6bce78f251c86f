// clause: PARSE.no-host-touch
// planned bool tensors are cleared by the host, wherever they are
#include "program/mutants/mutant.h"

struct Clears : PortableLoaded {
  bool build(const Memory& memory, AotiCtsParserError& error) override {
    if (!PortableLoaded::build(memory, error)) return false;
    for (const TensorView& view : views) {
      if (view.scalar_type == 11 && view.data != nullptr) std::memset(view.data, 0, view.bytes);
    }
    return true;
  }
};

AOTI_PARSER_MUTANT(Fault, Clears)
