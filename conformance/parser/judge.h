// Holds what a parser did against what a vector expects.
#pragma once

#include <string>
#include <vector>

#include "parser/host.h"
#include "parser/vectors.h"

namespace aoti_cts::parser {

/// One disagreement. The kinds are the same in every report, so that findings can be grouped.
struct Finding {
  std::string kind;  ///< one of the constants below
  std::string have;
  std::string want;
};

inline constexpr const char* accepted_invalid = "accepted though invalid";
inline constexpr const char* refused_valid = "refused though valid";
inline constexpr const char* wrong_error = "wrong error code";
inline constexpr const char* wrong_device = "wrong device";
inline constexpr const char* wrong_buffer = "wrong device of a planned buffer";
inline constexpr const char* wrong_data = "wrong data pointer";
inline constexpr const char* wrong_type = "wrong scalar type";
inline constexpr const char* wrong_sizes = "wrong sizes";
inline constexpr const char* wrong_strides = "wrong strides";
inline constexpr const char* wrong_tensors = "wrong tensors";

const char* mode_name(int32_t mode);

/// True where the vector says something about this mode.
bool is_judged(const Vector& vector, int32_t mode);

/// All disagreements of one parse with a vector. Where the vector is "acceptable", only what an
/// accepting parser says of the devices is judged, if the vector names them.
std::vector<Finding> judge(const Recipe& recipe, const Vector& vector, int32_t mode,
                           const Parsed& parsed);

/// The vector's place of a tensor as the candidate names it, or -1.
int64_t tensor_index(const Recipe& recipe, const AotiCtsParserTensor& tensor);

/// "cuda:1", "cpu" for an index of -1.
std::string device_text(int32_t type, int32_t index);

}  // namespace aoti_cts::parser
