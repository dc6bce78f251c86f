// See host.h. Everything a candidate returns is copied before the next call.
#include "parser/host.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <system_error>

extern "C" {
__attribute__((weak)) void __asan_poison_memory_region(const volatile void*, size_t);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void*, size_t);
}

namespace aoti_cts::parser {
namespace {

// Planned memory is only reserved, so a large buffer costs nothing; more than this nobody plans.
constexpr uint64_t planned_limit = uint64_t{1} << 36;
constexpr uint64_t external_limit = uint64_t{1} << 16;
// More dimensions no format has; a plug-in that says more is not followed into its arrays.
constexpr uint32_t rank_limit = uint32_t{1} << 16;

size_t pages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// Null where the host has none.
void* map(size_t bytes, int access) {
  void* at = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

/// Calls a function of the plug-in's table.
template <class Call>
auto call(const char* function, const Call& function_of_plugin) {
  if (on_call) on_call(function);
  try {
    return function_of_plugin();
  } catch (const std::exception& thrown) {
    throw ExceptionLeft(fmt::format("an exception left {}(): {}", function, thrown.what()));
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    throw ExceptionLeft(fmt::format("an exception left {}()", function));
  }
}

}  // namespace

std::function<void(const char* function)> on_call;

size_t alignment_of(const AotiCtsParser& parser) {
  const bool says = parser.struct_size >= offsetof(AotiCtsParser, alignment) + sizeof(size_t);
  return says && parser.alignment != 0 ? parser.alignment : most_alignment;
}

Guarded::Guarded(std::span<const uint8_t> bytes, size_t alignment, const Behind& behind)
    : size_(bytes.size()) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t room = (size_ + alignment - 1) / alignment * alignment;
  const size_t inner = pages(room);
  map_bytes_ = inner + 2 * page;
  map_ = map(map_bytes_, PROT_NONE);
  if (map_ == nullptr) {
    throw std::system_error(errno, std::generic_category(), fmt::format("mapping {} bytes", size_));
  }
  auto* start = static_cast<uint8_t*>(map_) + page;
  data_ = start + inner - room;
  if (inner == 0) return;
  if (mprotect(start, inner, PROT_READ | PROT_WRITE) != 0) {
    throw std::system_error(errno, std::generic_category(), "mprotect");
  }
  std::memset(start, junk_behind[0], inner - room);
  std::memcpy(data_, bytes.data(), size_);
  padding_ = room - size_;
  std::memcpy(data_ + size_, behind.data(), padding_);
  mprotect(start, inner, PROT_READ);
  if (__asan_poison_memory_region != nullptr) __asan_poison_memory_region(data_ + size_, padding_);
}

Guarded::~Guarded() {
  if (__asan_unpoison_memory_region != nullptr) {
    __asan_unpoison_memory_region(data_ + size_, padding_);
  }
  munmap(map_, map_bytes_);
}

Parsed::Parsed(const AotiCtsParser& parser, std::span<const uint8_t> bytes, int32_t mode,
               bool verify, const Behind& behind)
    : parser_(parser), file_(bytes, alignment_of(parser), behind) {
  input_ = {sizeof(input_), file_.data(), bytes.size(), mode,
            verify ? 1 : 0, allocate,     external,     this};
  AotiCtsParserError error{};
  error.struct_size = sizeof(error);
  try {
    returned_ = call("parse", [&] { return parser_.parse(&input_, &program_, &error); });
    code_ = error.code;
    message_ = std::string(error.message, strnlen(error.message, sizeof(error.message)));
    if (!accepted()) return;
    if (program_ == nullptr) {
      broken_ = "parse() returned 0 and no program";
      return;
    }
    read_all(bytes.size());
  } catch (...) {
    unmap();
    throw;
  }
}

void Parsed::read_all(size_t file_bytes) {
  const size_t count = call("tensors", [&] { return parser_.tensors(program_); });
  // A tensor, or a place in a list that names one, takes four bytes of the file.
  if (count > file_bytes / 4) {
    broken_ = fmt::format("tensors() says {}, of a file of {} bytes", count, file_bytes);
    return;
  }
  for (size_t i = 0; i < count && broken_.empty(); ++i) {
    Tensor tensor;
    const std::string wrong = read(i, tensor);
    if (!wrong.empty()) broken_ = fmt::format("tensor({}) of {}: {}", i, count, wrong);
    tensors_.push_back(std::move(tensor));
  }
}

// An exception that leaves free() ends the process here, with its text on standard error.
Parsed::~Parsed() {  // NOLINT(bugprone-exception-escape)
  if (program_ != nullptr && accepted()) {
    call("free", [&] { parser_.free(program_); });
  }
  unmap();
}

void Parsed::unmap() {
  for (const auto& [at, bytes] : maps_) munmap(at, bytes);
  maps_.clear();
}

std::string Parsed::read(size_t index, Tensor& out) {
  out = {};
  out.raw.struct_size = sizeof(out.raw);
  const int32_t code = call("tensor", [&] { return parser_.tensor(program_, index, &out.raw); });
  if (code != 0) return fmt::format("error {:#x}", code);
  const uint32_t rank = out.raw.rank;
  if (rank > rank_limit) return fmt::format("rank {}, more than {}", rank, rank_limit);
  if (rank == 0) return "";
  if (out.raw.sizes == nullptr) return fmt::format("rank {} and no sizes", rank);
  if (out.raw.strides == nullptr) return fmt::format("rank {} and no strides", rank);
  out.sizes.assign(out.raw.sizes, out.raw.sizes + rank);
  out.strides.assign(out.raw.strides, out.raw.strides + rank);
  return "";
}

std::string Parsed::error() const {
  return fmt::format("error {:#x}{}{}", code(), message_.empty() ? "" : ": ", message_);
}

int32_t Parsed::set_data(size_t index, void* data, size_t bytes) {
  const int32_t code =
      call("set_data", [&] { return parser_.set_data(program_, index, data, bytes); });
  if (code != 0) return code;
  const std::string wrong = read(index, tensors_.at(index));
  if (!wrong.empty()) broken_ = fmt::format("tensor({}) after set_data(): {}", index, wrong);
  return code;
}

void* Parsed::allocate(void* context, uint32_t method, uint32_t buffer, uint64_t bytes,
                       int32_t device_type, int32_t device_index) {
  auto& self = *static_cast<Parsed*>(context);
  if (bytes > planned_limit) return nullptr;
  const size_t room = pages(static_cast<size_t>(bytes) + 1);
  void* const base = map(room, device_type == 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
  if (base == nullptr) return nullptr;
  self.maps_.emplace_back(base, room);
  self.buffers_.push_back({method, buffer, bytes, device_type, device_index, base});
  return base;
}

const void* Parsed::external(void* context, const char* name, uint64_t bytes) {
  auto& self = *static_cast<Parsed*>(context);
  if (bytes > external_limit) return nullptr;
  // A parser that does not know the size yet says 0; it gets as much as there ever is.
  const size_t room = pages(static_cast<size_t>(bytes == 0 ? external_limit : bytes));
  void* const base = map(room, PROT_READ | PROT_WRITE);
  if (base == nullptr) return nullptr;
  self.maps_.emplace_back(base, room);
  std::memset(base, external_byte(name), room);
  self.externals_.push_back({name, room, base});
  return base;
}

uint8_t external_byte(const std::string& name) {
  uint8_t sum = 0;
  for (const char ch : name) sum = static_cast<uint8_t>(sum * 31 + static_cast<uint8_t>(ch));
  return sum | 1;  // never what fresh memory holds
}

}  // namespace aoti_cts::parser
