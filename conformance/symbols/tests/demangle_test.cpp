// Names that a person reads: what libstdc++ says of a name, and hostile names.
//
//   build/dev/conformance/symbols/aoti_cts_symbols_demangle_test
//
// Success: every test PASSED.
#include <cxxabi.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <memory>

#include "symbols/elf.h"
#include "symbols/input.h"
#include "symbols/names.h"

namespace aoti_cts::symbols {
namespace {

std::string want_of(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return text == nullptr ? name : text.get();
}

TEST(Demangle, SaysWhatLibstdcxxSays) {
  const auto input = FileInput::open(AOTI_CTS_TOOL);
  ElfFile file(*input);
  const ElfSymbolTable table = file.read_all();
  size_t mangled = 0;
  for (const ElfSymbol& symbol : table.symbols) {
    const std::string name(symbol.name);
    mangled += name.starts_with("_Z") ? 1 : 0;
    ASSERT_EQ(demangle(name), want_of(name));
  }
  EXPECT_GT(mangled, 100u);
}

// References enough that the helper is asked, and a text that is short all the same.
TEST(Demangle, SaysItOfNamesFullOfReferencesToo) {
  std::string name = "_Z1f1a";
  for (int i = 0; i < 40; ++i) name += "S_";
  EXPECT_EQ(demangle(name), want_of(name));
  EXPECT_NE(demangle(name), name);
}

TEST(Demangle, ReadsMicrosoftsNames) {
  EXPECT_EQ(demangle("?f@at@@YAHH@Z"), "int __cdecl at::f(int)");
  EXPECT_EQ(demangle("?not a name"), "?not a name");
}

// f(a<int, int>, a<S0_, S0_>, a<S1_, S1_>, ...): the text doubles with each argument.
std::string doubling(int arguments) {
  std::string name = "_Z1f1aIiiE";
  for (int i = 0; i < arguments; ++i) {
    name += fmt::format("S_IS{0:c}_S{0:c}_E", i < 10 ? '0' + i : 'A' + i - 10);
  }
  return name;
}

// The name comes back, soon, and this process has not grown.
TEST(Demangle, AHostileNameStaysAName) {
  EXPECT_NE(demangle(doubling(6)), doubling(6));
  rusage before = {}, after = {};
  getrusage(RUSAGE_SELF, &before);
  for (const int arguments : {20, 28, 35}) {
    EXPECT_EQ(demangle(doubling(arguments)), doubling(arguments));
  }
  std::string microsoft = "?f@@YAX";
  for (int i = 0; i < 10; ++i) {
    microsoft += "P6AX";
    for (int j = 0; j < 20 && i > 0; ++j) microsoft += static_cast<char>('0' + i - 1);
    microsoft += "H@Z";
  }
  EXPECT_EQ(demangle(microsoft + "@Z"), microsoft + "@Z");
  const std::string deep = "_Z1f" + std::string(30000, 'P') + "i";
  EXPECT_EQ(demangle(deep), deep);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 32 * 1024) << "KiB";
}

}  // namespace
}  // namespace aoti_cts::symbols
