#include "suite/checked_util.h"

#include <dlfcn.h>

#include <cstring>

#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

constexpr const char* prefix = "checked_";

/// The checked reference's functions. It is published for blobs already.
AotiShimTable table_of_checked() {
  AotiShimTable table{};
  void* library = dlopen(settings().checked.c_str(), RTLD_NOW | RTLD_NOLOAD);
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* address = dlsym(library, (std::string(prefix) + row.name).c_str());
    std::memcpy(reinterpret_cast<char*>(&table) + row.slot, &address, sizeof address);
  }
  return table;
}

}  // namespace

CheckedModel::CheckedModel(Case& c, std::string_view name) : c_(c) {
  if (settings().checked.empty())
    c.skip("needs the checked reference, which is not beside aoti-cts");
  try {
    blobs::publish({settings().checked});
    table_ = table_of_checked();
    checked_ = std::make_unique<Case>(table_, c.sink());
    table_.aoti_cts_checked_reset();
    live_before_ = table_.aoti_cts_checked_live();
    const std::string bytes =
        blobs::with_prefix(blobs::fixture(name), blobs::placeholder(), prefix);
    blob_ = std::make_unique<blobs::Blob>(bytes);
    container_ = std::make_unique<blobs::Container>(*blob_);
  } catch (const blobs::Error& error) {
    c.fail(fmt::format("loading model {} over the checked reference", name), error.what(),
           "success");
    throw EndCase{};
  }
}

void CheckedModel::end_clean() {
  c_.judge(container_->end(), 0, "deleting the container over the checked reference");
  table_.aoti_cts_checked_report_leaks();
  c_.judge(findings(), std::vector<std::string>{}, "findings of the checked reference");
  c_.judge(table_.aoti_cts_checked_live(), live_before_, "handles alive afterwards");
}

std::vector<std::string> CheckedModel::findings() {
  std::vector<std::string> all;
  const int64_t count = table_.aoti_cts_checked_findings();
  for (int64_t i = 0; i < count; ++i) all.emplace_back(table_.aoti_cts_checked_finding(i));
  return all;
}

std::vector<std::string> CheckedModel::kinds() {
  std::vector<std::string> kinds;
  for (const std::string& finding : findings()) {
    std::string kind = finding.substr(0, finding.find(':'));
    if (kinds.empty() || kinds.back() != kind) kinds.push_back(std::move(kind));
  }
  return kinds;
}

}  // namespace aoti_cts::suite
