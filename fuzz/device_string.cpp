// Device strings, as a loader hands them to a blob, on any text.
//
//   ./dev fuzz device_string
//   build/dev/fuzz/fuzz_device_string FILE|FOLDER...      "N inputs were run, from M files"
//
// Oracle. There are 131 valid strings, so all of them are written down: a text is accepted exactly
// where it is one of these, and then gives that device. A refusal leaves both outputs alone.
//
// fuzz-link: aoti_cts_fuzz_shims
// fuzz-needs: aoti_cts_reference_executorch_
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/beside.h"
#include "support/deterministic.h"
#include "support/finding.h"
#include "support/hash.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using aoti_cts::fuzz::finding;
using Device = std::pair<int32_t, int32_t>;
using Parse = int32_t (*)(const char* text, int32_t* type, int32_t* index);

const std::map<std::string, Device>& valid() {
  static const std::map<std::string, Device> all = [] {
    std::map<std::string, Device> map = {{"cpu", {0, -1}}, {"cpu:0", {0, -1}}, {"cuda", {1, -1}}};
    for (int i = 0; i < 128; ++i) map["cuda:" + std::to_string(i)] = {1, i};
    return map;
  }();
  return all;
}

Parse parser() {
  static const Parse parse = [] {
    void* const library =
        dlopen(aoti_cts::fuzz::beside(AOTI_CTS_REFERENCE_RUNTIME).c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const shim =
        library == nullptr ? nullptr : dlsym(library, "executorch_aoti_cts_parse_device");
    if (shim == nullptr) {
      std::fprintf(stderr, "device_string: %s\n", dlerror());
      std::exit(2);
    }
    return reinterpret_cast<Parse>(shim);
  }();
  return parse;
}

}  // namespace

/// One valid string with up to three bytes changed, added or taken away.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  aoti_cts::fuzz::Random random(seed);
  if (max_size < 32 || random.one_in(4)) return LLVMFuzzerMutate(data, size, max_size);
  std::string text = std::next(valid().begin(), static_cast<long>(random.below(131)))->first;
  for (size_t n = random.below(4); n-- > 0;) {
    const size_t at = random.below(text.size() + 1);
    const char* const likely = "0123456789:-+ cpudaCX\t";
    const char byte =
        random.one_in(4) ? static_cast<char>(random.next()) : likely[random.below(22)];
    if (random.one_in(3)) {
      text.insert(at, random.one_in(8) ? 12 : 1, byte);
    } else if (at < text.size() && random.one_in(2)) {
      text.erase(at, 1);
    } else if (at < text.size()) {
      text[at] = byte;
    }
  }
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Parse parse = parser();
  const aoti_cts::fuzz::Deterministic inside(data, size);
  // Exact, so that AddressSanitizer sees a read behind the terminator.
  std::vector<char> text(data, data + size);
  text.push_back('\0');
  const std::string shown(text.data());
  int32_t type = 77;
  int32_t index = 78;
  const bool accepted = parse(text.data(), &type, &index) == 0;
  const auto want = valid().find(shown);
  if (accepted && want == valid().end()) finding("accepted, though no device", "'" + shown + "'");
  if (!accepted && want != valid().end()) finding("refused, though a device", shown);
  if (accepted && Device{type, index} != want->second) {
    finding("another device",
            shown + " gives " + std::to_string(type) + ", " + std::to_string(index));
  }
  if (!accepted && (type != 77 || index != 78)) finding("a refusal writes its outputs", shown);
  return 0;
}
