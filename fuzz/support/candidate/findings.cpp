// See findings.h.
#include "support/candidate/findings.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "support/candidate/written.h"
#include "support/program/reduce.h"

namespace aoti_cts::fuzz {
namespace {

std::string name_of(const Divergence& divergence) {
  std::string name;
  for (const char ch : divergence.kind + " " + divergence.rule) {
    const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(ch)));
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    name += plain ? lower : '-';
  }
  return name;
}

void write(const std::filesystem::path& path, const char* bytes, size_t size) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes, static_cast<std::streamsize>(size));
  if (!out.flush()) {
    std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
    std::exit(2);
  }
}

}  // namespace

Findings::Findings(std::string folder, program::Mode mode, Compare compare)
    : folder_(std::move(folder)), mode_(mode), compare_(std::move(compare)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    std::fprintf(stderr, "--findings=%s: %s\n", folder_.c_str(), error.message().c_str());
    std::exit(2);
  }
}

void Findings::add(const std::vector<uint8_t>& file, const Divergence& divergence) {
  static uint64_t number = 0;
  ++number;
  Row& row = rows_[divergence.kind + "|" + divergence.rule];
  ++row.seen;
  if (row.seen != 1) return;
  row.name = name_of(divergence);
  row.divergence = divergence;
  row.first = number;
  const auto shows = [&](const std::vector<uint8_t>& other) {
    const Divergence found = compare_(other);
    return found.found() && found.same(divergence);
  };
  const bool again = shows(file);
  const std::vector<uint8_t> small = again ? reduce_program(file, shows) : file;
  const Divergence found = compare_(small);
  if (found.found()) row.divergence = found;
  const std::filesystem::path folder(folder_);
  write(folder / (row.name + ".pte"), reinterpret_cast<const char*>(small.data()), small.size());
  const Recipe recipe =
      again ? recipe_of(small, row.divergence, mode_, shows)
            : Recipe{"", "no recipe: it does not show again on its own, inputs before it matter"};
  row.recipe = recipe.how;
  if (!recipe.text.empty()) {
    write(folder / (row.name + ".json"), recipe.text.data(), recipe.text.size());
  }
  std::fprintf(stderr, "divergence: %s: %s: %s (%s)\n", row.divergence.kind.c_str(),
               row.divergence.rule.c_str(), row.divergence.what.c_str(), row.recipe.c_str());
  listing();
}

std::string Findings::listing() const {
  std::string text;
  for (const auto& [key, row] : rows_) {
    text += row.divergence.kind + ": " + row.divergence.rule + ": " + row.divergence.what +
            "\n    " + std::to_string(row.seen) + " inputs; " + row.name + ".pte; " + row.recipe +
            "\n";
  }
  write(std::filesystem::path(folder_) / "divergences.txt", text.data(), text.size());
  return text;
}

void Findings::print(uint64_t inputs) const {
  std::printf("%s%zu distinct divergences in %llu inputs\n", listing().c_str(), rows_.size(),
              static_cast<unsigned long long>(inputs));
  std::fflush(stdout);
}

}  // namespace aoti_cts::fuzz
