// See names.h.
#include "path/names.h"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <set>

namespace aoti_cts::path {
namespace {

constexpr size_t foretold = 8;
constexpr size_t digits_limit = 18;  // fit 64 bits

/// Runs of digits and what stands between them.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  bool in_number = false;
  for (const char ch : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(ch)) != 0;
    if (parts.empty() || digit != in_number) parts.emplace_back();
    in_number = digit;
    parts.back() += ch;
  }
  return parts;
}

bool is_number(const std::string& part) {
  return part.size() <= digits_limit && std::isdigit(static_cast<unsigned char>(part[0])) != 0;
}

int64_t value(const std::string& part) { return std::stoll(part); }

/// Of three rows of parts: the place of the one number that grows evenly; the size where there is
/// none.
size_t growing(const std::vector<std::vector<std::string>>& rows) {
  const size_t size = rows[0].size();
  if (rows[1].size() != size || rows[2].size() != size) return size;
  size_t found = size;
  for (size_t i = 0; i < size; ++i) {
    if (rows[0][i] == rows[1][i] && rows[1][i] == rows[2][i]) continue;
    const bool numbers = is_number(rows[0][i]) && is_number(rows[1][i]) && is_number(rows[2][i]);
    if (found != size || !numbers) return size;
    const int64_t step = value(rows[1][i]) - value(rows[0][i]);
    if (step <= 0 || value(rows[2][i]) - value(rows[1][i]) != step) return size;
    found = i;
  }
  return found;
}

}  // namespace

std::vector<std::string> next_names(const std::vector<std::string>& used) {
  std::set<std::string> names(used.begin(), used.end());
  if (used.size() >= 3) {
    std::vector<std::vector<std::string>> rows;
    for (auto name = used.end() - 3; name != used.end(); ++name) rows.push_back(parts_of(*name));
    const size_t at = growing(rows);
    if (at != rows[0].size()) {
      const int64_t last = value(rows[2][at]);
      const int64_t step = last - value(rows[1][at]);
      const bool padded = rows[2][at][0] == '0' && rows[2][at].size() > 1;
      const size_t width = padded ? rows[2][at].size() : 1;
      for (size_t k = 1; k <= foretold; ++k) {
        std::string name;
        for (size_t i = 0; i < rows[2].size(); ++i) {
          name += i == at ? fmt::format("{:0{}}", last + static_cast<int64_t>(k) * step, width)
                          : rows[2][i];
        }
        names.insert(name);
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace aoti_cts::path
