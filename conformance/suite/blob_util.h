// What cases of section BLOB, and those of VIEW that need a model, are written with: fixture models
// loaded over the candidate, run with tensors of the candidate's, outputs judged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/host.h"
#include "suite/tensor_util.h"

namespace aoti_cts::suite {

/// One fixture model (conformance/blobs/models/NAME.cpp), loaded over the candidate, with one
/// container. Ends the case with SKIP where the candidate lacks a shim that the model imports, and
/// with a failure where it does not load or its container is not made.
class Fixture {
 public:
  Fixture(Case& c, std::string_view name, const char* device = "cpu");

  /// Runs the model on inputs whose handles it takes. Ends the case where it fails. The outputs are
  /// the caller's, one for each slot; none for a slot that is null or repeats an earlier one.
  std::vector<Tensor> run(std::vector<Tensor> inputs);
  /// Runs it and returns its code and what is left in the slots; judges nothing.
  struct Ran {
    int32_t error;
    std::vector<AtenTensorHandle> inputs;
    std::vector<AtenTensorHandle> outputs;
  };
  Ran run_raw(std::vector<AtenTensorHandle> inputs);
  /// Deletes the container and judges the code.
  void end();

  blobs::Container& container() { return *container_; }
  const blobs::Blob& blob() const { return *blob_; }

 private:
  Case& c_;
  std::string name_;
  std::unique_ptr<blobs::Blob> blob_;
  std::unique_ptr<blobs::Container> container_;
};

/// The candidate's shims, visible to blobs; ends the case where the linker refuses.
void publish_candidate(Case& c);

/// A CPU tensor of float32 in fresh memory of the candidate's, `geometry.offset` not used, with
/// these values in logical order.
Tensor floats(Case& c, const Geometry& geometry, const std::vector<double>& values);

/// 0, 1, 2, ... as values for it.
std::vector<double> iota(int64_t count, double first = 0);

/// Judges sizes, strides, offset, dtype and all values of an output.
void judge_output(Case& c, std::string_view name, AtenTensorHandle output, const DType& type,
                  const Geometry& want, const std::vector<double>& values);

/// Judges sizes, dtype and all values, whatever the strides are.
void judge_values(Case& c, std::string_view name, AtenTensorHandle output, const DType& type,
                  const std::vector<int64_t>& sizes, const std::vector<double>& values);

}  // namespace aoti_cts::suite
