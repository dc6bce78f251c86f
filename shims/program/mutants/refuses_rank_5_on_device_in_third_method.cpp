// clause: PARSE.sizes
// in the third method a tensor on a device that is bound at run time has at most four dimensions
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    return !(tensor.plan == 2 && tensor.where == Where::runtime && tensor.device.type != 0 &&
             tensor.rank > 4);
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
