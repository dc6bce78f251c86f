// What a parser plug-in gets from the tool: a file that ends at a guard page, planned memory that
// faults when it is a device's, and nothing else.
#pragma once

#include <aoti_cts/parser.h>

#include <cstdint>
#include <span>
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

/// A tensor as the candidate tells it.
struct Tensor {
  AotiCtsParserTensor raw{};
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

/// Pages of one's own: `size` bytes that end at, or up to 15 bytes before, a page without access,
/// and start at a multiple of 16. Freed with the object.
class Guarded {
 public:
  Guarded(const void* data, size_t size);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  const void* data() const { return data_; }

 private:
  void* map_ = nullptr;
  size_t map_bytes_ = 0;
  void* data_ = nullptr;
};

/// One parse call, from the bytes to free().
class Parsed {
 public:
  /// Calls the candidate's parse(); on success reads all tensors.
  Parsed(const AotiCtsParser& parser, std::span<const uint8_t> bytes, int32_t mode, bool verify);
  ~Parsed();
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;

  bool accepted() const { return code_ == 0; }
  int32_t code() const { return code_; }
  std::string error() const;  ///< code and message in one line
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }
  const void* file() const { return file_.data(); }
  /// What went wrong between the two, though parse() succeeded; empty when nothing did.
  const std::string& broken() const { return broken_; }
  /// Binds `bytes` bytes at `data` to tensor `index` and reads it again. Returns the plug-in's
  /// code.
  int32_t set_data(size_t index, void* data, size_t bytes);

 private:
  static void* allocate(void* context, uint32_t method, uint32_t buffer, uint64_t bytes,
                        int32_t device_type, int32_t device_index);
  static const void* external(void* context, const char* name, uint64_t bytes);
  void read_all(size_t file_bytes);
  std::string read(size_t index, Tensor& out);  ///< what is wrong with the answer, or empty

  const AotiCtsParser& parser_;
  Guarded file_;
  AotiCtsParserInput input_{};
  void* program_ = nullptr;
  int32_t code_ = 0;
  std::string message_;
  std::string broken_;
  std::vector<Tensor> tensors_;
  std::vector<Buffer> buffers_;
  std::vector<std::pair<void*, size_t>> maps_;
};

}  // namespace aoti_cts::parser
