// clause: PARSE.aten-negative
// a negative size of a dynamic input is an exception
// mode: aten
#include <stdexcept>

#include "program/mutants/mutant.h"

struct Wrong : Fault {
  bool waive(const Error& error) override {
    throws = breaks(error, "PARSE.aten-negative") && error.value == "-1";
    return false;
  }
  void refused() override {
    if (throws) throw std::runtime_error("negative dimension");
  }
  bool throws = false;
};

AOTI_PARSER_MUTANT(Wrong, PortableLoaded)
