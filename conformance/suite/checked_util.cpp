#include "suite/checked_util.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "suite/files.h"
#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

constexpr const char* own_prefix = "checked_";

/// The functions of a checked reference that is published for blobs already.
AotiShimTable table_of(const std::string& path, const std::string& prefix) {
  AotiShimTable table{};
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* address = dlsym(library, (prefix + row.name).c_str());
    std::memcpy(reinterpret_cast<char*>(&table) + row.slot, &address, sizeof address);
  }
  return table;
}

/// A copy of an array in memory that the checked reference lends, and back into the array at its
/// end.
class Lent {
 public:
  Lent(const AotiShimTable& checked, std::vector<AtenTensorHandle>& array, const char* what)
      : checked_(checked),
        array_(array),
        data_(static_cast<AtenTensorHandle*>(
            checked.aoti_cts_checked_lend(static_cast<int64_t>(bytes()), what))) {
    if (data_ == nullptr) throw std::bad_alloc();
    std::copy(array.begin(), array.end(), data_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    std::copy_n(data_, array_.size(), array_.begin());
    checked_.aoti_cts_checked_end_loan(data_);
  }
  AtenTensorHandle* data() const { return data_; }

 private:
  std::size_t bytes() const { return array_.size() * sizeof(AtenTensorHandle); }

  const AotiShimTable& checked_;
  std::vector<AtenTensorHandle>& array_;
  AtenTensorHandle* data_;
};

}  // namespace

void CheckedModel::open(const std::string& library, const std::string& prefix,
                        const std::string& bytes, const std::string& what) {
  blobs::publish({library});
  table_ = table_of(library, prefix);
  checked_ = std::make_unique<Case>(table_, c_.sink());
  table_.aoti_cts_checked_reset();
  live_before_ = table_.aoti_cts_checked_live();
  try {
    blob_ = std::make_unique<blobs::Blob>(bytes);
  } catch (const blobs::Error& error) {
    const std::string why = error.what();
    const std::size_t at = why.find("undefined symbol: ");
    if (at != std::string::npos) c_.skip("it does not bind: " + why.substr(at));
    throw blobs::Error(what + ": " + why);
  }
  container_ = std::make_unique<blobs::Container>(*blob_);
}

CheckedModel::CheckedModel(Case& c, std::string_view name) : c_(c) {
  need_files(c);
  if (settings().checked.empty())
    c.skip("needs the checked reference, which is not beside aoti-cts");
  try {
    open(settings().checked, own_prefix,
         blobs::with_prefix(blobs::fixture(name), blobs::placeholder(), own_prefix),
         std::string(name));
  } catch (const blobs::Error& error) {
    c.fail(fmt::format("loading model {} over the checked reference", name), error.what(),
           "success");
    throw EndCase{};
  }
}

// A model of the user's has a prefix that may be shorter than checked_: it is taken off.
CheckedModel::CheckedModel(Case& c, const blobs::Given& model) : c_(c) {
  need_files(c);
  if (settings().checked.empty())
    c.skip("needs the checked reference, which is not beside aoti-cts");
  if (model.device.type != 0) c.skip("the checked reference has no device but the CPU");
  try {
    open(checked_without_prefix(settings().checked), "",
         blobs::with_prefix(model.bytes, settings().prefix, ""), model.path);
  } catch (const blobs::Error& error) {
    c.fail(fmt::format("loading {} over the checked reference", model.path), error.what(),
           "success");
    throw EndCase{};
  }
}

int32_t CheckedModel::run(std::vector<AtenTensorHandle>& inputs,
                          std::vector<AtenTensorHandle>& outputs) const {
  const Lent lent_inputs(table_, inputs, "the array of inputs");
  const Lent lent_outputs(table_, outputs, "the array of outputs");
  return container_->run(lent_inputs.data(), inputs.size(), lent_outputs.data(), outputs.size());
}

void CheckedModel::end_clean() {
  c_.judge(container_->end(), 0, "deleting the container over the checked reference");
  table_.aoti_cts_checked_report_leaks();
  c_.judge(findings(), std::vector<std::string>{}, "findings of the checked reference");
  c_.judge(table_.aoti_cts_checked_live(), live_before_, "handles alive afterwards");
}

void CheckedModel::end() {
  container_->end();
  table_.aoti_cts_checked_report_leaks();
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
