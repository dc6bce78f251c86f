// clause: PARSE.default-cpu
// a planned CPU tensor has index -1, as if none were serialized
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    if (tensor.where == Where::planned && tensor.device == Device{0, 0}) tensor.device.index = -1;
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
