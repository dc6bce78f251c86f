// Section DEV, device strings: what a runtime's loader makes of `cuda:12` and its like.
//
// Run alone: aoti-cts check --profile blob --select 'DEV.string*'; success prints one PASS line for
// each clause. The loader is asked through the hook aoti_cts_parse_device (extensions.def); a
// runtime without it gets SKIP.
#include <array>

#include "suite/tensor_util.h"

namespace aoti_cts::suite {
namespace {

struct Device {
  int32_t type;
  int32_t index;
};

/// What was made of a string: a device, or an error.
struct Answer {
  AOTITorchError error;
  Device device;
};

Answer ask(Case& c, const std::string& text) {
  Answer answer{0, {-99, -99}};
  answer.error =
      SHIM(aoti_cts_parse_device)(text.c_str(), &answer.device.type, &answer.device.index);
  return answer;
}

std::string named(const Device& device) {
  return fmt::format("type {} index {}", device.type, device.index);
}

/// `index` -1: none or 0, as both mean the device that is meant by no index.
void reads(Case& c, const std::string& text, Device want) {
  const Answer answer = ask(c, text);
  NEED(answer.error, 0);
  Device have = answer.device;
  if (want.index == -1 && have.index == 0) have.index = -1;
  HAVE_WANT_AS(fmt::format("device of '{}'", text), named(have), named(want));
}

void refuses(Case& c, const std::string& text) {
  const Answer answer = ask(c, text);
  HAVE_WANT_AS(fmt::format("device of '{}'", text.substr(0, 40)),
               answer.error == 0 ? named(answer.device) : std::string("an error"),
               std::string("an error"));
}

struct Refused {
  const char* name;
  const char* text;
};

constexpr std::array<Refused, 16> refused{{{"empty", ""},
                                           {"colon_alone", ":"},
                                           {"no_index", "cuda:"},
                                           {"minus_1", "cuda:-1"},
                                           {"plus_1", "cuda:+1"},
                                           {"letter_after", "cuda:1x"},
                                           {"letter_before", "cuda:x1"},
                                           {"space_before", " cuda"},
                                           {"space_after", "cuda:1 "},
                                           {"space_inside", "cuda: 1"},
                                           {"capitals", "CUDA:0"},
                                           {"capital", "Cuda"},
                                           {"unknown", "tuba:0"},
                                           {"longer_name", "cudaa"},
                                           {"no_colon", "cuda0"},
                                           {"two_indexes", "cuda:0:0"}}};

}  // namespace

CLAUSE_CASES(DEV, string) {
  cases.add("cpu", [](Case& c) { reads(c, "cpu", {device_cpu, -1}); });
  cases.add("cuda", [](Case& c) { reads(c, "cuda", {device_cuda, -1}); });
  for (const int32_t index : {0, 1, 2, 9, 10, 12, 100, 127}) {
    cases.add(fmt::format("cuda_{}", index), [index](Case& c) {
      reads(c, fmt::format("cuda:{}", index), {device_cuda, index});
    });
  }
  for (const Refused& row : refused) {
    cases.add(row.name, [&row](Case& c) { refuses(c, row.text); });
  }
  cases.add("overlong_name", [](Case& c) { refuses(c, std::string(100000, 'c')); });
  cases.add("overlong_index", [](Case& c) { refuses(c, "cuda:" + std::string(100000, '1')); });
}

CLAUSE_CASES(DEV, string_range) {
  for (const char* index : {"128", "129", "255", "256", "257", "384", "65536", "2147483648",
                            "4294967296", "18446744073709551616"}) {
    cases.add(fmt::format("cuda_{}", index),
              [index](Case& c) { refuses(c, fmt::format("cuda:{}", index)); });
  }
}

CLAUSE_CASES(DEV, string_leading_zero) {
  for (const char* text : {"cuda:01", "cuda:00"}) {
    cases.add(fmt::format("cuda_{}", text + 5), [text](Case& c) {
      const Answer answer = ask(c, text);
      c.saw(answer.error != 0 ? "an error" : named(answer.device));
    });
  }
}

}  // namespace aoti_cts::suite
