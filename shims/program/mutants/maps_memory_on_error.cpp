// clause: PARSE.no-partial
// each error leaves a page mapped
#include <sys/mman.h>

#include "program/mutants/mutant.h"

struct Wrong : Fault {
  void refused() override {
    static_cast<void>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
