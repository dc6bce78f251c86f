// clause: PARSE.data-index
// mutable_data_segments_idx is not compared with the number of segments
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    return breaks(error, "PARSE.data-index") && ends(error.path, "mutable_data_segments_idx");
  }
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
