// clause: PARSE.dim-order
// a tensor shows the strides of the identity order
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    int64_t step = 1;
    for (uint32_t i = tensor.dims + tensor.rank; i-- > tensor.dims;) {
      program.strides[i] = step;
      if (program.sizes[i] > 1) step *= program.sizes[i];
    }
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
