// aoti-cts-corpus: builds, exports and lints the program corpus.
//
//   aoti-cts-corpus pack CORPUS OUT       what the suite carries: vectors.json and vectors.bin
//   aoti-cts-corpus export CORPUS OUT     for other projects: a .pte for each vector, index.json
//   aoti-cts-corpus seeds CORPUS OUT      for fuzzers: a .pte for each recipe
//   aoti-cts-corpus bases CORPUS OUT      a .pte for each base program
//   aoti-cts-corpus lint CORPUS CLAUSES   every rule of corpus/README.md: exit 1, a line per fault
//   aoti-cts-corpus program RECIPE PAYLOAD OUT.pte    a program that carries a compiled model
//
// CORPUS is corpus/program, CLAUSES is conformance/clauses.def.
#include <cstdio>
#include <exception>
#include <string>

#include "lint.h"
#include "pack.h"
#include "payload.h"

namespace {

int write_program(const char* recipe, const char* payload, const char* out) {
  try {
    aoti_cts::corpus::write_with_payload(recipe, payload, out);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aoti-cts-corpus: %s\n", error.what());
    return 3;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "program" && argc == 5) return write_program(argv[2], argv[3], argv[4]);
  if (argc != 4 || (verb != "pack" && verb != "export" && verb != "seeds" && verb != "bases" &&
                    verb != "lint")) {
    std::fputs(
        "usage: aoti-cts-corpus pack|export|seeds|bases CORPUS OUT | lint CORPUS CLAUSES |\n"
        "       aoti-cts-corpus program RECIPE PAYLOAD OUT.pte\n",
        stderr);
    return 2;
  }
  try {
    if (verb == "pack") aoti_cts::corpus::pack(argv[2], argv[3]);
    if (verb == "export") aoti_cts::corpus::export_archive(argv[2], argv[3]);
    if (verb == "seeds") aoti_cts::corpus::write_seeds(argv[2], argv[3]);
    if (verb == "bases") aoti_cts::corpus::write_bases(argv[2], argv[3]);
    if (verb != "lint") return 0;
    const auto faults = aoti_cts::corpus::lint(argv[2], argv[3]);
    for (const std::string& fault : faults) std::fprintf(stderr, "%s\n", fault.c_str());
    if (faults.empty()) std::printf("no faults\n");
    return faults.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aoti-cts-corpus: %s\n", error.what());
    return 3;
  }
}
