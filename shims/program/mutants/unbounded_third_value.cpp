// clause: PARSE.unbound
// a missing bound is noticed on the first two values only
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.unbound") && error.path.find("values[2]") != std::string::npos;
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
