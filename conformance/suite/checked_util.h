// What cases that judge a blob are written with: a fixture model over the checked reference
// (shims/checked/), which says what the blob did wrong, whatever candidate is judged beside it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/given.h"
#include "suite/case.h"

namespace aoti_cts::suite {

/// The checked reference without a prefix, which lies beside the one that has its own; empty where
/// that is.
inline std::string checked_without_prefix(std::string path) {
  constexpr std::string_view own = "_checked_checked_";
  const std::size_t at = path.rfind(own);
  if (at != std::string::npos) path.replace(at, own.size(), "_checked_none");
  return path;
}

class CheckedModel {
 public:
  /// Ends the case with SKIP where the checked reference is missing, and with a failure where the
  /// model does not load or its container is not made.
  CheckedModel(Case& c, std::string_view name);

  /// The same for a model that the command line names.
  CheckedModel(Case& c, const blobs::Given& model);

  /// For making and judging tensors of the checked reference's.
  Case& shims() { return *checked_; }
  const blobs::Container& container() const { return *container_; }
  const blobs::Blob& blob() const { return *blob_; }
  /// Runs the model and returns its code, as Container::run() does. Its arrays of handles are on
  /// loan for the call: who touches them later is found. Any thread may call it.
  int32_t run(std::vector<AtenTensorHandle>& inputs, std::vector<AtenTensorHandle>& outputs) const;

  /// Deletes the container and judges what it leaves: no finding, and as many handles as before it
  /// was made.
  void end_clean();

  /// Deletes the container and counts what lives afterwards as leaks; judges nothing.
  void end();

  /// All findings so far, as texts.
  std::vector<std::string> findings();
  /// The kinds of the findings so far, in order, neighbours of one kind once.
  std::vector<std::string> kinds();

  const AotiShimTable& table() const { return table_; }

 private:
  void open(const std::string& library, const std::string& prefix, const std::string& bytes,
            const std::string& what);

  Case& c_;
  AotiShimTable table_{};
  std::unique_ptr<Case> checked_;
  int64_t live_before_ = 0;
  std::unique_ptr<blobs::Blob> blob_;
  std::unique_ptr<blobs::Container> container_;
};

}  // namespace aoti_cts::suite
