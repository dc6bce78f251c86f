// clause: PARSE.agree
// the dispatch key is the CPU's, whatever the device
// mode: aten
#include "program/mutants/mutant.h"

struct CpuKey : PortableLoaded {
  bool describe(size_t index, AotiCtsParserTensor& out) override {
    PortableLoaded::describe(index, out);
    out.key_device_type = 0;
    return true;
  }
};

AOTI_PARSER_MUTANT(Fault, CpuKey)
