// clause: PARSE.buffer-size
// a buffer of negative size is taken for one of 0 bytes
#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override { return breaks(error, "PARSE.buffer-size"); }
};

struct Empties : PortableLoaded {
  void described() override {
    for (Buffer& buffer : program.buffers) {
      if (static_cast<int64_t>(buffer.bytes) < 0) buffer.bytes = 0;
    }
  }
};

AOTI_PARSER_MUTANT(Wrong, Empties)
