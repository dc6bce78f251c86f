// clause: PARSE.device-carried
// every device of a second method has index 0
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    if (tensor.plan == 1 && tensor.device.type == 1) tensor.device.index = 0;
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
