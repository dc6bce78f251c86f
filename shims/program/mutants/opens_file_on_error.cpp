// clause: PARSE.no-partial
// each error leaves a file open
#include <fcntl.h>

#include "program/mutants/mutant.h"

struct Wrong : Fault {
  void refused() override { (void)open("/dev/null", O_RDONLY); }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
