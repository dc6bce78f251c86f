// clause: PARSE.device-carried
// an external tensor is on the CPU
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    if (tensor.where == Where::external) tensor.device = {};
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
