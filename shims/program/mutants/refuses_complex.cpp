// clause: PARSE.dtype-gaps
// complex types are refused: the other answer that is allowed
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    return tensor.scalar_type < 8 || tensor.scalar_type > 10;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
