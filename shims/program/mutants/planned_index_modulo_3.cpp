// clause: PARSE.device-carried
// a planned tensor's index is wrapped to three devices
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    if (tensor.where == Where::planned && tensor.device.index == 3) tensor.device.index = 0;
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
