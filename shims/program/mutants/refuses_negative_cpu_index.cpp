// clause: PARSE.cpu-any-index
// a negative index is refused with CPU too
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    return !(tensor.device.type == 0 && tensor.device.index < 0);
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
