// clause: PARSE.external
// data outside of the file is looked up under the first part of a dotted name
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool touch(Program& program, Tensor& tensor) override {
    (void)program;
    if (tensor.where == Where::external) tensor.name = tensor.name.substr(0, tensor.name.find('.'));
    return true;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
