// clause: PARSE.header
// the extended header's segment_data_size is not compared with the file
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.header") && ends(error.path, "segment_data_size");
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
