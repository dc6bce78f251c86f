// clause: PARSE.no-partial
// what was made before an error is kept
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  void refused() override { kept.push_back(std::make_unique<char[]>(64)); }
  std::vector<std::unique_ptr<char[]>> kept;
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
