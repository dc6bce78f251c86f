// clause: PARSE.device-index
// tensor() throws for a device cuda:126
#include "program/mutants/mutant.h"

struct Loaded126 : PortableLoaded {
  bool describe(size_t index, AotiCtsParserTensor& out) override {
    if (views[index].device == Device{1, 126}) throw 126;
    return PortableLoaded::describe(index, out);
  }
};
struct Wrong : Fault {};

AOTI_PARSER_MUTANT(Wrong, Loaded126)
