// clause: PARSE.sizes
// rank 16 is refused: one too early
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    return !(tensor.rank == 16 && program.dim_order_of(tensor)[0] == 0);
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
