// What a parser plug-in gets from the tool: a file that ends at a guard page, planned memory that
// faults when it is a device's, and nothing else.
//
// A file has to start where the candidate needs it, so one whose size is no multiple of that has
// some bytes between its end and the page. Nobody faults there (but under AddressSanitizer, which
// is told of them), so those bytes tempt: they go on as the file was meant to, and a second parse
// with others there has to come to the same.
#pragma once

#include <aoti_cts/parser.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace aoti_cts::parser {

/// A planned buffer that the candidate asked for.
struct Buffer {
  uint32_t method = 0;
  uint32_t number = 0;  ///< counted from 1
  uint64_t bytes = 0;
  int32_t device_type = 0;
  int32_t device_index = 0;
  void* base = nullptr;
};

/// Data outside of the file that the candidate asked for: one byte over and over, another for each
/// name.
struct External {
  std::string name;
  uint64_t bytes = 0;  ///< there are
  const void* base = nullptr;
};

/// The byte that a name's data consists of.
uint8_t external_byte(const std::string& name);

/// A tensor as the candidate tells it.
struct Tensor {
  AotiCtsParserTensor raw{};
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

/// The most that a candidate may ask of a file's address.
inline constexpr size_t most_alignment = 16;

/// Told the name of each function of the plug-in before it is called, by whoever wants to say where
/// a process ended; empty where nobody does.
extern std::function<void(const char* function)> on_call;

/// What a candidate's parse() asks of it: its table's `alignment`, or the most.
size_t alignment_of(const AotiCtsParser& parser);

/// What lies between a file and the page behind it.
using Behind = std::array<uint8_t, most_alignment - 1>;
inline constexpr Behind junk_behind = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5,
                                       0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};

/// Pages of one's own: bytes that start at a multiple of `alignment` and end as near to a page
/// without access as that allows. Freed with the object.
class Guarded {
 public:
  Guarded(std::span<const uint8_t> bytes, size_t alignment, const Behind& behind);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  const void* data() const { return data_; }

 private:
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t padding_ = 0;
};

/// A function of the plug-in was left by an exception, which the interface forbids.
class ExceptionLeft : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One parse call, from the bytes to free().
class Parsed {
 public:
  /// Calls the candidate's parse(); on success reads all tensors. Throws ExceptionLeft.
  Parsed(const AotiCtsParser& parser, std::span<const uint8_t> bytes, int32_t mode, bool verify,
         const Behind& behind = junk_behind);
  ~Parsed();  // NOLINT(bugprone-exception-escape): see there
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  bool accepted() const { return returned_ == 0; }
  /// After an error: AotiCtsParserError.code where the plug-in set it, else what parse() returned.
  int32_t code() const { return code_ != 0 ? code_ : returned_; }
  std::string error() const;  ///< code and message in one line
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  const std::vector<External>& externals() const { return externals_; }
  const void* file() const { return file_.data(); }
  /// What went wrong between the two, though parse() succeeded; empty when nothing did.
  const std::string& broken() const { return broken_; }
  /// Binds `bytes` bytes at `data` to tensor `index` and reads it again. Returns the plug-in's
  /// code. Throws ExceptionLeft.
  int32_t set_data(size_t index, void* data, size_t bytes);

 private:
  static void* allocate(void* context, uint32_t method, uint32_t buffer, uint64_t bytes,
                        int32_t device_type, int32_t device_index);
  static const void* external(void* context, const char* name, uint64_t bytes);
  void unmap();
  void read_all(size_t file_bytes);
  std::string read(size_t index, Tensor& out);  ///< what is wrong with the answer, or empty

  const AotiCtsParser& parser_;
  Guarded file_;
  AotiCtsParserInput input_{};
  void* program_ = nullptr;
  int32_t returned_ = 0;
  int32_t code_ = 0;
  std::string message_;
  std::string broken_;
  std::vector<Tensor> tensors_;
  std::vector<Buffer> buffers_;
  std::vector<External> externals_;
  std::vector<std::pair<void*, size_t>> maps_;
};

}  // namespace aoti_cts::parser
