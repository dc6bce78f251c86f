// .npz: a zip of .npy members. A .npy is the magic bytes, a version, a header that is a Python
// dictionary with the keys descr, fortran_order and shape, and the elements (numpy's "NPY format").
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "blobs/arrays.h"
#include "blobs/host.h"
#include "blobs/zip.h"

namespace aoti_cts::blobs {
namespace {

constexpr uint64_t max_member_bytes = uint64_t{1} << 32U;

/// The text of a key's value in the header, up to where the next key or the end begins.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) throw Error(fmt::format("no {} in the header", key));
  std::string_view rest = header.substr(at + quoted.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const char last = rest.starts_with('(') ? ')' : ',';
  return rest.substr(0, rest.find(last));
}

const ElementType* type_of(std::string_view descr, std::string_view dtype_in_name) {
  struct Row {
    std::string_view descr;
    std::string_view name;
  };
  static constexpr Row rows[] = {{"'|u1'", "uint8"},   {"'|i1'", "int8"},    {"'<i2'", "int16"},
                                 {"'<i4'", "int32"},   {"'<i8'", "int64"},   {"'<f2'", "float16"},
                                 {"'<f4'", "float32"}, {"'<f8'", "float64"}, {"'|b1'", "bool"}};
  if (dtype_in_name == "bfloat16" && (descr == "'<u2'" || descr == "'<i2'")) {
    return find_element_type("bfloat16");
  }
  for (const Row& row : rows) {
    if (row.descr == descr) return find_element_type(row.name);
  }
  throw Error(fmt::format("descr {} is no dtype that is read here", descr));
}

std::vector<int64_t> sizes_of(std::string_view shape) {
  std::vector<int64_t> sizes;
  const char* at = shape.data() + 1;  // behind the parenthesis
  const char* end = shape.data() + shape.size();
  while (at < end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0) throw Error(fmt::format("shape {}) is none", shape));
    sizes.push_back(size);
    at = next;
  }
  return sizes;
}

/// Throws Error without the names of the file and the member.
Array read_npy(std::string_view bytes, std::string_view dtype_in_name) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12) throw Error("is no .npy");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool first_version = byte(6) == 1;
  const std::size_t begin = first_version ? 10 : 12;
  const std::size_t length = first_version
                                 ? byte(8) | byte(9) << 8U
                                 : byte(8) | byte(9) << 8U | byte(10) << 16U | byte(11) << 24U;
  if (length > bytes.size() - begin) {
    throw Error(fmt::format("header of {} bytes ends after the member's {}", length, bytes.size()));
  }
  const std::string_view header = bytes.substr(begin, length);
  if (value_of(header, "fortran_order") != "False") throw Error("fortran_order is not False");
  Array array;
  array.type = type_of(value_of(header, "descr"), dtype_in_name);
  const std::string_view shape = value_of(header, "shape");
  if (!shape.starts_with('(')) throw Error(fmt::format("shape {} is none", shape));
  array.sizes = sizes_of(shape);
  int64_t want = array.type->size;
  for (const int64_t size : array.sizes) {
    if (__builtin_mul_overflow(want, size, &want))
      throw Error("the product of the shape overflows");
  }
  const std::string_view data = bytes.substr(begin + length);
  if (static_cast<int64_t>(data.size()) != want) {
    throw Error(fmt::format("{} bytes of elements, the shape says {}", data.size(), want));
  }
  array.bytes = data;
  return array;
}

std::optional<int64_t> number_at_end(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

/// Puts arrays in the order of their numbers. Throws Error where the numbers leave open which array
/// is which: one twice (arr_1, arr_01), or one that is missing.
void order(const std::string& path, std::vector<Array>& arrays) {
  const auto number = [](const Array& array) { return *number_at_end(array.name); };
  std::stable_sort(arrays.begin(), arrays.end(),
                   [&](const Array& a, const Array& b) { return number(a) < number(b); });
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    const int64_t before = number(arrays[i - 1]);
    if (number(arrays[i]) - before == 1) continue;
    throw Error(
        fmt::format("{}: members {} and {}: their names end with the numbers {} and {}, "
                    "want each number once and none left out",
                    path, arrays[i - 1].name, arrays[i].name, before, number(arrays[i])));
  }
  if (arrays.size() < 2 || number(arrays[0]) <= 1) return;
  throw Error(
      fmt::format("{}: member {}: the lowest number that a name ends with is {}, want 0 or 1", path,
                  arrays[0].name, number(arrays[0])));
}

/// Throws Error for a name that is there twice.
void check_distinct(const std::string& path, const std::vector<Array>& arrays) {
  std::set<std::string> names;
  for (const Array& array : arrays) {
    if (names.insert(array.name).second) continue;
    throw Error(fmt::format("{}: member {}: there are two of that name", path, array.name));
  }
}

}  // namespace

std::vector<Array> read_npz(const std::string& path) {
  const Zip zip(path);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < zip.names().size(); ++i) {
    std::string name = zip.names()[i];
    if (!name.ends_with(".npy")) {
      throw Error(fmt::format("{}: member {} is no .npy", path, name));
    }
    name.resize(name.size() - 4);
    const std::string bytes = zip.read(i, max_member_bytes);
    const std::size_t dot = name.find('.');
    const std::string dtype = dot == std::string::npos ? "" : name.substr(dot + 1);
    try {
      arrays.push_back(read_npy(bytes, dtype));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: member {}: {}", path, zip.names()[i], error.what()));
    }
    arrays.back().name = name.substr(0, dot);
  }
  check_distinct(path, arrays);
  if (std::all_of(arrays.begin(), arrays.end(),
                  [](const Array& array) { return number_at_end(array.name).has_value(); })) {
    order(path, arrays);
  }
  return arrays;
}

}  // namespace aoti_cts::blobs
