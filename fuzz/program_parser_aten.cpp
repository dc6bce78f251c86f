// The reference parser of .pte programs on any bytes, in ATen mode.
//
//   ./dev fuzz program_parser_aten
//   build/dev/fuzz/fuzz_program_parser_aten FILE|FOLDER...      "N inputs were run, from M files"
//
// Oracle (support/program/oracle.h). A second checker, written from the rules of section PARSE and
// sharing no rule with the parser, agrees on accepted or refused and on every device; the parser's
// two ways through the structure agree; what is accepted survives being unpacked and packed again.
//
// Mutations know the tables (support/program/mutator.h).
//
// fuzz-link: aoti_cts_fuzz_program aoti_cts_fuzz_program_entry
// fuzz-seeds: aoti_cts_program_seeds
// fuzz-dictionary: program.dict
#include "support/deterministic.h"
#include "support/program/oracle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const aoti_cts::fuzz::Deterministic inside(data, size);
  aoti_cts::fuzz::examine(data, size, aoti_cts::program::Mode::aten);
  return 0;
}
