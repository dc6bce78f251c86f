// clause: PARSE.allocation
// memory_offset_high is left out of a tensor's address
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    tensor.offset &= 0xffffffffU;
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
