// Inputs and expected outputs of a model: arrays of any dtype, from .npz files or made at random.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aoti_cts::blobs {

/// One element type that arrays can have.
struct ElementType {
  std::string_view name;  ///< as in the shim that gives its code: "float32"
  int32_t code;           ///< the ABI's code
  int64_t size;           ///< bytes of an element
};

/// By name, or by the ABI's code; null for one that is not known.
const ElementType* find_element_type(std::string_view name);
const ElementType* find_element_type(int32_t code);

/// A row-major array.
struct Array {
  std::string name;
  const ElementType* type = nullptr;
  std::vector<int64_t> sizes;
  std::string bytes;  ///< numel * type->size
};

/// The arrays of an .npz file, by the number that their names end with (input_0, input_1, ...), or
/// else in the file's order. Numbers begin with 0 or 1 and leave none out. A member NAME.DTYPE.npy
/// holds elements of a dtype that numpy lacks (bfloat16) as integers of its width. Throws Error
/// that names the file, the member and what is wrong.
std::vector<Array> read_npz(const std::string& path);

/// Arrays from a text such as `random:7:float32[8,4];int64[5]`: the seed, then dtype and sizes of
/// each; a float is in [-1, 1), an integer in [0, 10), a bool either. Throws Error that shows the
/// part that is wrong.
std::vector<Array> random_arrays(std::string_view text);

/// One element as a report shows it: a number.
std::string element_text(const Array& array, int64_t index);

/// The first element in which two arrays of equal type and sizes differ by more than arithmetic in
/// another order may: in words, or empty. Integers and bools are compared exactly; NaN equals NaN.
std::string first_difference(const Array& have, const Array& want);

}  // namespace aoti_cts::blobs
