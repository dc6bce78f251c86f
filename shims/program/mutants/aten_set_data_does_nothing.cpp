// clause: PARSE.set-data
// setting data says that it worked and leaves the tensor as it was
// mode: aten
#include "program/mutants/mutant.h"

struct Idle : PortableLoaded {
  bool set_data(size_t /*index*/, void* /*data*/, size_t /*bytes*/) override { return true; }
};

AOTI_PARSER_MUTANT(Fault, Idle)
