// clause: PARSE.allocation
// a host tensor that fills its buffer is refused
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    return !(tensor.where == Where::planned && tensor.device.type == 0 && tensor.bytes > 0 &&
             tensor.bytes == program.buffer_of(tensor).bytes);
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
