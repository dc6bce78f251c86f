// clause: PARSE.allocation
// a tensor that nothing is bound to points at memory of the parser's, as if it had data
#include "program/mutants/mutant.h"

struct Eager : PortableLoaded {
  bool describe(size_t index, AotiCtsParserTensor& out) override {
    static char scratch[64];
    PortableLoaded::describe(index, out);
    if (program.tensors[index].where == Where::runtime && out.data == nullptr) out.data = scratch;
    return true;
  }
};

AOTI_PARSER_MUTANT(Fault, Eager)
