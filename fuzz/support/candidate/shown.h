// What a candidate shows of a program that it accepted, held against the reference's reading.
#pragma once

#include <aoti_cts/parser.h>
#include <aoti_program/program.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/candidate/compare.h"
#include "support/candidate/host.h"

namespace aoti_cts::fuzz {

/// One accepted program of the candidate's.
///
/// Left open is what a parser may do as it likes: to list inputs alone (but then all of them; and
/// the same for outputs and for the rest), to ask for a buffer that no tensor with a byte lies in,
/// to round its size up, to copy constants, to leave data outside of the file to its caller, to
/// have no data where there is no byte, and what a stride is that nothing is ever multiplied by.
class Shown {
 public:
  /// @param file, size  where the candidate was given the program
  Shown(const AotiCtsParser& parser, void* program, const Host& host, program::Mode mode,
        const Reference& reference, const uint8_t* file, size_t size);

  /// All that is shown.
  Divergence seen();

  /// The same; then binds other memory to one tensor that `chosen` says.
  Divergence judge(uint64_t chosen);

 private:
  /// A tensor as the candidate tells it, and which of the reference's it is.
  struct Read {
    AotiCtsParserTensor have{};
    size_t want = 0;  ///< index into the reference's tensors
  };

  Divergence buffers();
  Divergence asked() const;
  Divergence read(size_t index, Read& out) const;
  Divergence tensors();
  Divergence listed() const;
  Divergence judge(const Read& read);
  Divergence devices(const AotiCtsParserTensor& have, const program::Tensor& want) const;
  Divergence shape(const AotiCtsParserTensor& have, const program::Tensor& want) const;
  Divergence data(const AotiCtsParserTensor& have, const program::Tensor& want);
  Divergence planned(const uint8_t* at, const program::Tensor& want);
  Divergence constant(const uint8_t* at, const program::Tensor& want) const;
  Divergence external(const uint8_t* at, const program::Tensor& want) const;
  Divergence set_data(size_t index);
  Divergence bound(size_t index, const void* memory);
  bool is_buffer(const Planned& buffer, const program::Tensor& want) const;
  std::optional<size_t> wanted(const AotiCtsParserTensor& have) const;

  const AotiCtsParser& parser_;
  void* const program_;
  const Host& host_;
  const program::Mode mode_;
  const program::Program& reference_;
  const uint8_t* const file_;
  const size_t size_;
  std::vector<Read> read_;
  std::vector<const uint8_t*> bases_;  // of the reference's buffers, as tensors show them
};

}  // namespace aoti_cts::fuzz
