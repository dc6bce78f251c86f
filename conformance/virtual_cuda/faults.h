// Faults to inject, read from text: FUNCTION:N:CODE[,...]. Shared by the virtual device and by the
// command line, which has to refuse a bad one before anything runs.
#pragma once

#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace aoti_cts::vcuda {

struct Fault {
  std::string function;     ///< a name of functions.def, or `*` for any
  std::uint64_t call = 0;   ///< strikes the one of this number, from 1
  unsigned code = 0;        ///< of errors.def, never 0
  std::uint64_t calls = 0;  ///< made so far
};

/// Names of functions.def in its order; one of both runtimes whose form differs stands twice.
inline constexpr std::string_view function_names[] = {
#define VCUDA(kind, runtimes, ret, function, params) #function,
#include "virtual_cuda/functions.def"
#undef VCUDA
};
inline constexpr int function_count = static_cast<int>(std::size(function_names));

/// The first place of a name in that list, or -1.
inline int function_row(std::string_view name) {
  for (int i = 0; i < function_count; ++i) {
    if (function_names[i] == name) return i;
  }
  return -1;
}

inline bool is_error_code(unsigned code) {
  switch (code) {
#define VCUDA_ERROR(code, name, sticky, words) case code:
#include "virtual_cuda/errors.def"
#undef VCUDA_ERROR
    return code != 0;
    default:
      return false;
  }
}

/// Returns "" and the fault, or what is wrong.
inline std::string parse_fault(std::string_view text, Fault& fault) {
  const std::string quoted = "'" + std::string(text) + "'";
  const std::size_t second = text.rfind(':');
  const std::size_t first = second == std::string_view::npos || second == 0
                                ? std::string_view::npos
                                : text.rfind(':', second - 1);
  if (first == std::string_view::npos || first == 0) return quoted + " is not FUNCTION:N:CODE";
  const auto number = [](std::string_view digits, auto& value) {
    const char* end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, value);
    return error == std::errc{} && at == end && value > 0;
  };
  fault.function = text.substr(0, first);
  if (fault.function != "*" && function_row(fault.function) < 0) {
    return "'" + fault.function + "' is not a function of the virtual device";
  }
  if (!number(text.substr(first + 1, second - first - 1), fault.call)) {
    return quoted + ": N counts calls from 1";
  }
  if (!number(text.substr(second + 1), fault.code) || !is_error_code(fault.code)) {
    return quoted + ": CODE is no error code of CUDA";
  }
  return "";
}

inline std::string parse_faults(std::string_view text, std::vector<Fault>& faults) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string problem = parse_fault(text.substr(0, comma), faults.emplace_back());
    if (!problem.empty()) return problem;
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return "";
}

}  // namespace aoti_cts::vcuda
