// clause: PARSE.dtype
// a tensor shows float32 whatever its type
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    tensor.scalar_type = 6;
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
