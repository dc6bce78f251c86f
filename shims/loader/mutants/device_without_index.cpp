// clause: BLOB.device-string
// the device string is cut at its colon
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string device(const std::string& given) override { return given.substr(0, given.find(':')); }
};

AOTI_LOADER_MUTANT(Wrong)
