// clause: PARSE.sizes
// a tensor shows its sizes from the last to the first
#include <algorithm>

#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    const auto first = program.sizes.begin() + tensor.dims;
    std::reverse(first, first + tensor.rank);
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
