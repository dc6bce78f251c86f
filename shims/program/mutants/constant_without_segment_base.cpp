// clause: PARSE.data-index
// a constant's data is looked for from the start of the file
#include "program/mutants/mutant.h"

struct WithoutBase : PortableLoaded {
  bool build(const Memory& memory, AotiCtsParserError& error) override {
    for (Tensor& tensor : program.tensors) {
      if (tensor.where == Where::constant) tensor.file_offset -= program.segment_base;
    }
    return PortableLoaded::build(memory, error);
  }
};
struct Wrong : Fault {};

AOTI_PARSER_MUTANT(Wrong, WithoutBase)
