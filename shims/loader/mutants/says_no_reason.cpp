// clause: PATH.faults
// the error does not say what went wrong
#include "loader/mutants/mutant.h"

struct Wrong : Fault {
  std::string message(const std::exception& error) override {
    const std::string text = error.what();
    const bool of_the_model = text.find(" returned ") != std::string::npos;
    return of_the_model ? text : "cannot load the model";
  }
};

AOTI_LOADER_MUTANT(Wrong)
