// clause: PARSE.buffer-agrees
// the devices of tensor and buffer are not compared
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override { return breaks(error, "PARSE.buffer-agrees"); }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
