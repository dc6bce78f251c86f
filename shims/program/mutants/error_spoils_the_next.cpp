// clause: PARSE.no-partial
// after an error the next program's strides are 0
#include <algorithm>

#include "program/mutants/mutant.h"

bool after_error = false;

struct Wrong : Fault {
  void refused() override { after_error = true; }
};

struct Spoilt : PortableLoaded {
  void described() override {
    if (after_error) std::fill(program.strides.begin(), program.strides.end(), 0);
    after_error = false;
  }
};

AOTI_PARSER_MUTANT(Wrong, Spoilt)
