// Cases over the models that the command line names (--blob): a clause of section BLOB adds one for
// each, besides those over fixture models.
#pragma once

#include "blobs/given.h"
#include "suite/blob_util.h"

namespace aoti_cts::suite {

/// A given model loaded over the candidate. Ends the case with SKIP where it does not bind, which
/// is BLOB.imports-bound's finding.
class GivenModel {
 public:
  GivenModel(Case& c, const blobs::Given& model);

  /// Runs it on its inputs; ends the case with a failure where that fails.
  std::vector<blobs::Output> run();
  blobs::Container& container() { return *container_; }
  const blobs::Blob& blob() const { return *blob_; }
  const blobs::Given& model() const { return model_; }
  /// Deletes the container and judges the code.
  void end();

 private:
  Case& c_;
  const blobs::Given& model_;
  std::unique_ptr<blobs::Blob> blob_;
  std::unique_ptr<blobs::Container> container_;
};

/// While it lives, this thread's case says which code of a model it is in.
class Watched {
 public:
  explicit Watched(Case& c) {
    blobs::watch([&c](std::string_view what) { c.sink().inside(what); });
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() { blobs::watch({}); }
};

/// Adds the case NAME or NAME_WHAT for each given model.
template <class Body>
void add_given(CaseList& cases, std::string_view what, Body body) {
  for (const blobs::Given& model : blobs::given()) {
    std::string name = model.name;
    if (!what.empty()) name += fmt::format("_{}", what);
    cases.add(name, [&model, body](Case& c) {
      const Watched watched(c);
      body(c, model);
    });
  }
}

void given_runs(Case& c, const blobs::Given& model);
void given_runs_in_threads(Case& c, const blobs::Given& model);
void given_twice_at_once(Case& c, const blobs::Given& model);
void given_keeps_grad_mode(Case& c, const blobs::Given& model);
void given_takes_its_inputs(Case& c, const blobs::Given& model);
void given_too_few_inputs(Case& c, const blobs::Given& model);
void given_leaves_nothing(Case& c, const blobs::Given& model);
void given_works_on_its_device(Case& c, const blobs::Given& model);
/// Each shim that a Run calls fails once, in a Run of its own: after such Runs the next one gives
/// what is expected, nothing is left, and grad mode is what it was.
void given_runs_after_failures(Case& c, const blobs::Given& model);
void given_failures_leave_nothing(Case& c, const blobs::Given& model);
void given_failures_keep_grad_mode(Case& c, const blobs::Given& model);
/// And each of them fails.
void given_fails_with_its_shims(Case& c, const blobs::Given& model);
/// Over the checked reference instead of the candidate: what the model itself does wrong.
void given_leaks(Case& c, const blobs::Given& model);
void given_misuses(Case& c, const blobs::Given& model);
void given_failures_leak(Case& c, const blobs::Given& model);
void given_failures_misuse(Case& c, const blobs::Given& model);

}  // namespace aoti_cts::suite
