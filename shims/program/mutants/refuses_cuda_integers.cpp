// clause: PARSE.device-type
// CUDA tensors of 32-bit integers are refused: valid device, wrong answer
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    return !(tensor.device.type == 1 && tensor.scalar_type == 3);
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
