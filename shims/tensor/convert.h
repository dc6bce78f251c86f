// Conversion of single elements between dtypes, as libtorch converts where the value is
// representable. An element is read into a Number and written from it: one reader and one writer
// per dtype instead of a function per pair.
#pragma once

#include <cstddef>

#include "tensor/dtype.h"

namespace aoti_reference::inline AOTI_SHIM_NAMESPACE {

/// A value wide enough for every convertible dtype.
struct Number {
  enum class Kind { Signed, Unsigned, Real };
  Kind kind = Kind::Signed;
  int64_t as_signed = 0;
  uint64_t as_unsigned = 0;
  double as_real = 0;
};

using ReadElement = Number (*)(const std::byte* from);
using WriteElement = void (*)(std::byte* to, const Number& value);

/// The reader or writer of a dtype; null for dtypes that have no conversion here (complex and 8-bit
/// floating point), whose elements can only be copied as they are. Elements may be misaligned.
ReadElement reader_of(DType dtype);
WriteElement writer_of(DType dtype);

/// IEEE binary16 and bfloat16 as bits; narrowing rounds to nearest, ties to even, keeps NaN a NaN
/// and turns what is too large into infinity.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bfloat16_to_float(uint16_t bits);
uint16_t float_to_bfloat16(float value);

}  // namespace aoti_reference::inline AOTI_SHIM_NAMESPACE
