// clause: PARSE.device-index
// indexes above 63 are refused, but for the largest
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    return !(tensor.device.type == 1 && tensor.device.index > 63 && tensor.device.index < 127);
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
