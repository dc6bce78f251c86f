// clause: PARSE.device-carried
// a tensor of the second method in its second buffer is refused, on a device alone
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    return !(tensor.plan == 1 && tensor.buffer == 2 && tensor.device.type != 0);
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
