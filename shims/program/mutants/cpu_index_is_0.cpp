// clause: PARSE.cpu-raw-index
// a CPU tensor carries index 0, whatever was serialized: the other answer that is allowed
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    if (tensor.device.type == 0) tensor.device.index = 0;
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
