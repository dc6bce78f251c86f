// The fixture models as bytes in the tool's own image.
#include <fmt/format.h>

#include "blobs/host.h"

namespace {

struct Row {
  std::string_view name;
  const char* begin;
  const char* end;
};

}  // namespace

#define AOTI_FIXTURE(name, path)                                                                  \
  extern "C" const char aoti_fixture_##name[];                                                    \
  extern "C" const char aoti_fixture_##name##_end[];                                              \
  asm(".section .rodata\n.balign 16\n.hidden aoti_fixture_" #name "\n.global aoti_fixture_" #name \
      "\naoti_fixture_" #name ":\n.incbin \"" path "\"\n.hidden aoti_fixture_" #name              \
      "_end\n.global aoti_fixture_" #name "_end\naoti_fixture_" #name "_end:\n.previous\n");
#include "fixtures.inc"
#undef AOTI_FIXTURE

namespace aoti_cts::blobs {

std::string fixture(std::string_view name) {
#define AOTI_FIXTURE(name, path) {#name, aoti_fixture_##name, aoti_fixture_##name##_end},
  static constexpr Row rows[] = {
#include "fixtures.inc"
  };
#undef AOTI_FIXTURE
  for (const Row& row : rows) {
    if (row.name == name) return {row.begin, row.end};
  }
  throw Error(fmt::format("there is no fixture model '{}'", name));
}

}  // namespace aoti_cts::blobs
