// See calls.h.
#include "support/shims/calls.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "support/deterministic.h"
#include "support/shims/convert.h"
#include "support/shims/model.h"

namespace aoti_cts::fuzz {
namespace {

constexpr size_t most_calls = 200;
constexpr size_t most_tensors = 12;
constexpr int32_t dtypes[] = {0, 1, 2, 3, 4, 5, 6, 11, 15};

std::string text_of(const Dims& dims) {
  std::string text;
  for (const int64_t dim : dims) text += (text.empty() ? "" : ", ") + std::to_string(dim);
  return text.empty() ? "NULL" : "A(" + text + ")";
}

/// An injected fault came back as the error it has to be.
struct Struck {};

struct Guard {
  bool stream = false;
  void* handle = nullptr;
  std::string name;
  int before = 0;                 ///< current device
  int index = 0;                  ///< of a stream guard
  void* stream_before = nullptr;  ///< of that index
};

class Run {
 public:
  /// `alone`: nobody else has tensors of this runtime meanwhile, so they can be counted.
  Run(const Runtime& runtime, bool alone)
      : table_(runtime.table), cuda_(runtime.cuda), counts_(alone && has_counts(runtime.table)) {
    if (counts_) {
      handles_before_ = table_.aoti_cts_live_handles();
      storages_before_ = table_.aoti_cts_live_storages();
    }
    if (cuda_ != nullptr) findings_before_ = cuda_->table().finding_count();
  }
  ~Run() {
    if (cuda_ != nullptr) cuda_->disarm();
    for (; !guards_.empty(); guards_.pop_back()) delete_guard(guards_.back());
    for (const ModelTensor& tensor : live_) table_.aoti_torch_delete_tensor_object(tensor.handle);
    if (cuda_ != nullptr) cuda_->table().cudaSetDevice(0);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// `between` is called between two records.
  void run(const std::vector<Record>& records, const std::function<void()>& between = {}) {
    bool first = true;
    for (const Record& record : records) {
      if (between && !first) between();
      first = false;
      contents_rule_ = "VIEW.shares";
      step(record);
      check_counts();
      check_contents();
    }
    for (const ModelTensor& tensor : live_) check_attributes(tensor);
    while (!guards_.empty()) drop_guard();
    while (!live_.empty()) remove(live_.size() - 1);
    check_counts();
    check_device();
  }

  /// More is allocated after the same calls than before, again and again.
  [[noreturn]] void leaks(int64_t more) {
    fail("DEV.no-leak", std::to_string(more) + " allocations more after each time",
         "CHECK(live_allocations() == 0);");
  }

 private:
  static bool has_counts(const AotiShimTable& table) {
    return table.aoti_cts_live_handles != nullptr && table.aoti_cts_live_storages != nullptr;
  }

  [[noreturn]] void fail(const std::string& rule, const std::string& what,
                         const std::string& check) {
    throw Mismatch(rule, what, program_ + "  /* " + rule + ": " + what + " */\n  " + check + "\n");
  }

  /// Holds a call's result against what is expected, and writes the call down.
  void expect(bool success, int32_t have, const std::string& rule, const std::string& call) {
    if (armed_) after_fault(success, have, call);
    if ((have == 0) == success) {
      program_ += "  CHECK(" + call + (success ? " == 0" : " != 0") + ");\n";
      return;
    }
    fail(rule, "returns " + std::to_string(have) + (success ? ", not 0" : ", not an error"),
         "CHECK(" + call + (success ? " == 0" : " != 0") + ");");
  }

  /// A call whose failure is allowed, too.
  bool may(int32_t have, const std::string& call) {
    if (armed_) after_fault(true, have, call);
    program_ += "  CHECK(" + call + (have == 0 ? " == 0" : " != 0") + ");\n";
    return have == 0;
  }

  void arm() {
    if (fault_.empty()) return;
    program_ += "  FAULT(\"" + fault_ + "\");\n";
    cuda_->arm(fault_);
    fault_.clear();
    armed_ = true;
  }

  VirtualCuda::Struck disarm() {
    armed_ = false;
    return cuda_->disarm();
  }

  void after_fault(bool success, int32_t have, const std::string& call) {
    const VirtualCuda::Struck struck = disarm();
    if (!struck.failed || !success) return;
    if (have != 0) {
      program_ += "  CHECK(" + call + " != 0);\n";
      throw Struck{};
    }
    // Pinned memory may be pageable where CUDA gives none.
    if (struck.recovered || call.rfind("aoti_torch_empty_strided_pinned", 0) == 0) return;
    fail("DEV.call-failure", "succeeds though a CUDA call failed in it",
         "CHECK(" + call + " != 0);");
  }

  std::string new_name() {
    std::string name = "t" + std::to_string(++names_);
    program_ += "  AtenTensorHandle " + name + " = NULL;\n";
    return name;
  }

  ModelTensor* tensor(uint8_t which) {
    return live_.empty() ? nullptr : &live_[which % live_.size()];
  }

  // --- arguments ---

  struct Shape {
    Dims sizes;
    Dims strides;
    bool negative = false;
  };

  static Shape shape_of(const Record& record) {
    Shape shape;
    const size_t rank = record.dims % 5;
    for (size_t i = 0; i < rank; ++i) shape.sizes.push_back(record.sizes[i] % 5);
    shape.strides.resize(rank);
    int64_t packed = 1;
    const size_t form = record.form % 8;
    for (size_t i = 0; i < rank; ++i) {
      // Packed: by rows, or by columns.
      const size_t dim = form == 1 ? i : rank - 1 - i;
      shape.strides[dim] = packed;
      packed *= std::max<int64_t>(shape.sizes[dim], 1);
    }
    if (form == 2 || form == 3) {
      for (size_t i = 0; i < rank; ++i) shape.strides[i] = record.strides[i] % 9;
    }
    if (form == 4 && rank != 0) {  // with room between the rows
      for (size_t i = 0; i + 1 < rank; ++i) shape.strides[i] *= 1 + record.strides[0] % 3;
    }
    if (rank != 0 && form == 5 && record.value % 4 == 0) {
      shape.sizes[record.value / 4 % rank] = -1;
      shape.negative = true;
    }
    if (rank != 0 && form == 6 && record.value % 4 == 0) {
      shape.strides[record.value / 4 % rank] = -1;
      shape.negative = true;
    }
    return shape;
  }

  /// The same sizes, in another order of the dimensions.
  static void alike(const ModelTensor& other, const Record& record, Shape& shape) {
    shape.sizes = other.sizes;
    shape.strides.assign(shape.sizes.size(), 0);
    int64_t packed = 1 + record.strides[0] % 2;
    for (size_t i = 0; i < shape.sizes.size(); ++i) {
      const size_t dim = (i + record.value) % shape.sizes.size();
      shape.strides[dim] = packed;
      packed *= std::max<int64_t>(shape.sizes[dim], 1);
    }
  }

  std::string arguments(const Shape& shape) const {
    return std::to_string(shape.sizes.size()) + ", " + text_of(shape.sizes) + ", " +
           text_of(shape.strides);
  }

  void step(const Record& record) {
    if (live_.size() >= most_tensors) remove(0);
    const unsigned call = record.call % (cuda_ == nullptr ? 13 : 17);
    if (call >= 13) return cuda_step(call, record);
    if (call != 8) arm();  // of a delete that fails nobody says what is left
    try {
      make(call, record);
    } catch (const Struck&) {
    }
    if (armed_) disarm();
    check_device();
  }

  void make(unsigned call, const Record& record) {
    switch (call) {
      case 0:
        return empty(record);
      case 1:
        return from_blob(record);
      case 2:
      case 3:
        return view(record);
      case 4:
        return clone(record, false);
      case 5:
        return clone(record, true);
      case 6:
        return copy(record);
      case 7:
        return another_handle(record);
      case 8:
        if (!live_.empty()) remove(record.first % live_.size());
        return;
      case 9:
        return write(record);
      case 10:
        return item_bool(record);
      case 11:
        return bad_call(record);
      default:
        if (const ModelTensor* const one = tensor(record.first)) check_attributes(*one);
    }
  }

  // --- calls ---

  void add(ModelTensor tensor, AtenTensorHandle handle, const std::string& rule) {
    for (const ModelTensor& other : live_) {
      if (other.handle != handle) continue;
      fail(rule, "the handle is another tensor's",
           "CHECK(" + tensor.name + " != " + other.name + ");");
    }
    tensor.handle = handle;
    live_.push_back(std::move(tensor));
    if (handle == nullptr) {
      live_.pop_back();
      fail(rule, "success and no handle", "CHECK(t" + std::to_string(names_) + ");");
    }
    find_storage(live_.back());
    check_attributes(live_.back());
  }

  /// Learns where the storage is, once.
  void find_storage(ModelTensor& tensor) {
    ModelStorage& storage = *tensor.storage;
    if (storage.real != nullptr || storage.bytes.empty() || numel(tensor.sizes) == 0) return;
    void* at = nullptr;
    expect(true, table_.aoti_torch_get_data_ptr(tensor.handle, &at), "TENSOR.data-ptr",
           "aoti_torch_get_data_ptr(" + tensor.name + ", &data)");
    storage.real = static_cast<uint8_t*>(at) - tensor.offset * item_bytes(tensor.dtype);
    storage.on_device = tensor.device >= 0;
    name_storage(tensor, "(uint8_t*)data");
    // Fresh memory holds anything; from here on it holds this.
    fill(storage.bytes.data(), storage.bytes.size(), tensor.dtype);
    program_ += "  fill(" + storage.name + ", " + std::to_string(storage.bytes.size()) + ", " +
                std::to_string(tensor.dtype) + ");\n";
    put(tensor, 0, storage.bytes.size());
  }

  /// Writes bytes of the model where the runtime has them.
  void put(const ModelTensor& tensor, size_t at, size_t count) {
    ModelStorage& storage = *tensor.storage;
    if (!storage.on_device) {
      std::memcpy(storage.real + at, storage.bytes.data() + at, count);
    } else if (!cuda_->write(storage.real + at, storage.bytes.data() + at, count)) {
      fail("TENSOR.data-ptr", "the data pointer is not in memory of the device",
           "CHECK(on_device(" + storage.name + "));");
    }
  }

  /// What the runtime has there.
  std::vector<uint8_t> real_bytes(const ModelStorage& storage) {
    std::vector<uint8_t> bytes(storage.bytes.size());
    if (!storage.on_device) {
      std::memcpy(bytes.data(), storage.real, bytes.size());
    } else if (!cuda_->read(storage.real, bytes.data(), bytes.size())) {
      fail("TENSOR.data-ptr", "the data pointer is not in memory of the device",
           "CHECK(on_device(" + storage.name + "));");
    }
    return bytes;
  }

  void name_storage(const ModelTensor& tensor, const std::string& where) {
    tensor.storage->name = "s" + tensor.name.substr(1);
    program_ += "  uint8_t* " + tensor.storage->name + " = " + where + ";\n";
  }

  /// The C program's function of this name does the same.
  static void fill(uint8_t* bytes, size_t count, int32_t dtype) {
    for (size_t i = 0; i < count; ++i) {
      bytes[i] = dtype == 11 ? i % 2 : static_cast<uint8_t>(37 * i + 11);
    }
  }

  void empty(const Record& record) {
    Shape shape = shape_of(record);
    ModelTensor tensor;
    tensor.dtype = dtypes[record.dtype % std::size(dtypes)];
    if (const ModelTensor* const like = this->tensor(record.first); like && record.form % 8 == 7) {
      alike(*like, record, shape);  // something to copy from and to, perhaps converting
      if (record.offset % 2 == 0) tensor.dtype = like->dtype;
    }
    tensor.name = new_name();
    if (cuda_ != nullptr && record.second % 4 >= 2) tensor.device = record.second % 4 - 2;
    AtenTensorHandle handle = nullptr;
    const bool pinned =
        record.value >= 192 && table_.aoti_torch_empty_strided_pinned != nullptr && !shape.negative;
    auto* const make =
        pinned ? table_.aoti_torch_empty_strided_pinned : table_.aoti_torch_empty_strided;
    const int32_t type = tensor.device >= 0 ? 1 : 0;
    const int32_t index = std::max(tensor.device, 0);
    const int32_t have = make(static_cast<int64_t>(shape.sizes.size()), shape.sizes.data(),
                              shape.strides.data(), tensor.dtype, type, index, &handle);
    const std::string call =
        (pinned ? "aoti_torch_empty_strided_pinned(" : "aoti_torch_empty_strided(") +
        arguments(shape) + ", " + std::to_string(tensor.dtype) + ", " + std::to_string(type) +
        ", " + std::to_string(index) + ", &" + tensor.name + ")";
    if (pinned && type == 0) {
      if (!may(have, call)) return;
    } else if (pinned) {
      return expect(false, have, "TENSOR.pinned-device", call);
    } else {
      expect(!shape.negative, have, shape.negative ? "TENSOR.negative-size" : "TENSOR.empty", call);
      if (shape.negative) return;
    }
    tensor.sizes = shape.sizes;
    tensor.strides = shape.strides;
    tensor.storage = std::make_shared<ModelStorage>();
    tensor.storage->bytes.resize(
        static_cast<size_t>(extent(shape.sizes, shape.strides) * item_bytes(tensor.dtype)));
    add(std::move(tensor), handle, pinned ? "TENSOR.pinned" : "TENSOR.empty");
  }

  void from_blob(const Record& record) {
    const Shape shape = shape_of(record);
    if (shape.negative) return;
    ModelTensor tensor;
    tensor.dtype = dtypes[record.dtype % std::size(dtypes)];
    tensor.offset = record.offset % 4;
    tensor.sizes = shape.sizes;
    tensor.strides = shape.strides;
    tensor.storage = std::make_shared<ModelStorage>();
    ModelStorage& storage = *tensor.storage;
    const int64_t item = item_bytes(tensor.dtype);
    // A blob without elements has no bytes to speak of, whatever its offset.
    const bool none = numel(tensor.sizes) == 0;
    if (none) tensor.offset = 0;
    storage.bytes.resize(
        static_cast<size_t>(item * (tensor.offset + extent(tensor.sizes, tensor.strides))));
    if (!storage.bytes.empty()) {
      // To the byte, so that AddressSanitizer sees a read behind the end.
      storage.callers_bytes = std::make_unique<uint8_t[]>(storage.bytes.size());
      storage.real = storage.callers_bytes.get();
      fill(storage.real, storage.bytes.size(), tensor.dtype);
      std::memcpy(storage.bytes.data(), storage.real, storage.bytes.size());
    }
    tensor.name = new_name();
    if (!none) {
      const std::string bytes = std::to_string(storage.bytes.size());
      name_storage(tensor, "malloc(" + bytes + ")");
      program_ +=
          "  fill(" + storage.name + ", " + bytes + ", " + std::to_string(tensor.dtype) + ");\n";
    }
    AtenTensorHandle handle = nullptr;
    const bool second = record.value % 2 == 1;
    const auto rank = static_cast<int64_t>(shape.sizes.size());
    const std::string call =
        second ? "aoti_torch_create_tensor_from_blob_v2(" : "aoti_torch_create_tensor_from_blob(";
    expect(true,
           second ? table_.aoti_torch_create_tensor_from_blob_v2(
                        storage.real, rank, shape.sizes.data(), shape.strides.data(), tensor.offset,
                        tensor.dtype, 0, 0, &handle, table_.aoti_torch_layout_strided(), nullptr, 0)
                  : table_.aoti_torch_create_tensor_from_blob(
                        storage.real, rank, shape.sizes.data(), shape.strides.data(), tensor.offset,
                        tensor.dtype, 0, 0, &handle),
           none ? "TENSOR.from-blob-null-empty" : "TENSOR.from-blob",
           call + (none ? std::string("NULL") : storage.name) + ", " + arguments(shape) + ", " +
               std::to_string(tensor.offset) + ", " + std::to_string(tensor.dtype) + ", 0, 0, &" +
               tensor.name + (second ? ", aoti_torch_layout_strided(), NULL, 0)" : ")"));
    add(std::move(tensor), handle, "TENSOR.from-blob");
  }

  void view(const Record& record) {
    const ModelTensor* const source = tensor(record.first);
    if (source == nullptr) return;
    Shape shape = shape_of(record);
    const int64_t step = static_cast<int64_t>(record.offset % 8) - 2;
    const int64_t offset = source->offset + step;
    const int64_t item = item_bytes(source->dtype);
    const auto room = static_cast<int64_t>(source->storage->bytes.size());
    const bool none = !shape.negative && numel(shape.sizes) == 0;
    if (none && (offset < 0 || offset * item > room)) return;
    const bool inside =
        offset >= 0 && (none || item * (offset + extent(shape.sizes, shape.strides)) <= room);
    const bool success = !shape.negative && inside;
    ModelTensor tensor;
    tensor.name = new_name();
    AtenTensorHandle handle = nullptr;
    expect(success,
           table_.aoti_torch__reinterpret_tensor(
               source->handle, static_cast<int64_t>(shape.sizes.size()), shape.sizes.data(),
               shape.strides.data(), step, &handle),
           success                        ? "VIEW.geometry"
           : shape.negative || offset < 0 ? "VIEW.negative"
                                          : "VIEW.bounds",
           "aoti_torch__reinterpret_tensor(" + source->name + ", " + arguments(shape) + ", " +
               std::to_string(step) + ", &" + tensor.name + ")");
    if (!success) return;
    tensor.dtype = source->dtype;
    tensor.device = source->device;
    tensor.offset = offset;
    tensor.sizes = shape.sizes;
    tensor.strides = shape.strides;
    tensor.storage = source->storage;
    add(std::move(tensor), handle, "VIEW.shares");
  }

  static bool is_dense(const Dims& sizes, const Dims& strides) {
    std::vector<std::pair<int64_t, int64_t>> dims;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] != 1) dims.emplace_back(strides[i], sizes[i]);
    }
    std::sort(dims.begin(), dims.end());
    int64_t packed = 1;
    for (const auto& [stride, size] : dims) {
      if (stride != packed) return false;
      packed *= size;
    }
    return true;
  }

  static std::string dense_check(const ModelTensor& tensor) {
    std::string last = "0";
    for (size_t i = 0; i < tensor.sizes.size(); ++i) {
      last += " + " + std::to_string(tensor.sizes[i] - 1) + " * dims[" + std::to_string(i) + "]";
    }
    return "CHECK(aoti_torch_get_strides(" + tensor.name + ", &dims) == 0 && " + last +
           " == " + std::to_string(numel(tensor.sizes) - 1) + ");";
  }

  void clone(const Record& record, bool exactly) {
    const ModelTensor* const found = tensor(record.first);
    if (found == nullptr) return;
    const ModelTensor source = *found;
    ModelTensor tensor;
    tensor.name = new_name();
    AtenTensorHandle handle = nullptr;
    expect(true,
           exactly ? table_.aoti_torch_clone_preserve_strides(source.handle, &handle)
                   : table_.aoti_torch_clone(source.handle, &handle),
           exactly ? "TENSOR.clone-strides" : "TENSOR.clone",
           std::string(exactly ? "aoti_torch_clone_preserve_strides(" : "aoti_torch_clone(") +
               source.name + ", &" + tensor.name + ")");
    tensor.dtype = source.dtype;
    tensor.device = source.device;
    tensor.sizes = source.sizes;
    tensor.strides = source.strides;
    const bool none = numel(source.sizes) == 0;
    if (!exactly && !none && !is_dense(source.sizes, source.strides)) {
      tensor.strides = strides_read(handle, source.sizes.size());
      if (!is_dense(tensor.sizes, tensor.strides)) {
        table_.aoti_torch_delete_tensor_object(handle);
        fail("TENSOR.clone", "the packed copy is not dense", dense_check(tensor));
      }
    }
    tensor.storage = std::make_shared<ModelStorage>();
    const int64_t item = item_bytes(tensor.dtype);
    tensor.storage->bytes.resize(static_cast<size_t>(extent(tensor.sizes, tensor.strides) * item));
    if (!none)
      take_copied(source, tensor, handle, exactly ? "TENSOR.clone-strides" : "TENSOR.clone");
    add(std::move(tensor), handle, "TENSOR.clone");
  }

  Dims strides_read(AtenTensorHandle handle, size_t rank) {
    int64_t* strides = nullptr;
    if (table_.aoti_torch_get_strides(handle, &strides) != 0 || (strides == nullptr && rank != 0)) {
      table_.aoti_torch_delete_tensor_object(handle);
      fail("TENSOR.borrowed", "get_strides fails",
           "CHECK(aoti_torch_get_strides(t" + std::to_string(names_) + ", &dims) == 0 && dims);");
    }
    return {strides, strides + rank};
  }

  /// Compares by logical index; takes what is between the elements as it is.
  void take_copied(const ModelTensor& source, ModelTensor& copy, AtenTensorHandle handle,
                   const char* rule) {
    void* at = nullptr;
    const std::string read = "aoti_torch_get_data_ptr(" + copy.name + ", &data)";
    if (table_.aoti_torch_get_data_ptr(handle, &at) != 0 || at == nullptr) {
      table_.aoti_torch_delete_tensor_object(handle);
      fail(rule, "no data", "CHECK(" + read + " == 0 && data);");
    }
    program_ += "  CHECK(" + read + " == 0);\n";
    name_storage(copy, "data");
    ModelStorage& storage = *copy.storage;
    storage.real = static_cast<uint8_t*>(at);
    storage.on_device = copy.device >= 0;
    if (storage.on_device) cuda_->synchronize();
    const std::vector<uint8_t> real = real_bytes(storage);
    const auto item = static_cast<size_t>(item_bytes(copy.dtype));
    const Dims from = element_offsets(source.sizes, source.strides);
    const Dims to = element_offsets(copy.sizes, copy.strides);
    for (size_t i = 0; i < from.size(); ++i) {
      const uint8_t* const want =
          source.storage->bytes.data() + static_cast<size_t>(source.offset + from[i]) * item;
      if (std::memcmp(want, real.data() + static_cast<size_t>(to[i]) * item, item) != 0) {
        table_.aoti_torch_delete_tensor_object(handle);
        fail(rule, "element " + std::to_string(i) + " of the copy differs",
             "CHECK(same(" + storage.name + " + " +
                 std::to_string(static_cast<size_t>(to[i]) * item) + ", " + source.storage->name +
                 " + " + std::to_string(static_cast<size_t>(source.offset + from[i]) * item) +
                 ", " + std::to_string(item) + "));");
      }
    }
    storage.bytes = real;
  }

  void copy(const Record& record) {
    const ModelTensor* const to = tensor(record.first);
    if (to == nullptr) return;
    const ModelTensor* from = to;  // itself, where no other fits
    const bool any = record.form % 2 == 1;
    for (size_t i = 0; i < live_.size(); ++i) {
      const ModelTensor& other = live_[(record.second + i) % live_.size()];
      const bool alike = to->dtype == other.dtype && to->sizes == other.sizes;
      if (!alike && !(any && broadcast_offsets(other, to->sizes))) continue;
      from = &other;
      break;
    }
    const Dims targets = element_offsets(to->sizes, to->strides);
    const std::set<int64_t> distinct(targets.begin(), targets.end());
    const bool self = to->handle == from->handle;
    if (distinct.size() != targets.size() || (to->storage == from->storage && !self)) return;
    const bool converts = to->dtype != from->dtype || to->sizes != from->sizes;
    const bool across = to->device != from->device;
    if (converts) contents_rule_ = "TENSOR.copy-converts";
    if (across) contents_rule_ = "DEV.copy-across";
    const std::string call = "aoti_torch_copy_(" + to->name + ", " + from->name + ", 0)";
    try {
      const int32_t have = table_.aoti_torch_copy_(to->handle, from->handle, 0);
      // An error is allowed for a conversion and between devices; it leaves everything as it was.
      if (converts || (across && to->device >= 0 && from->device >= 0)) {
        if (!may(have, call)) return;
      } else {
        expect(true, have, across ? "DEV.copy-across" : "TENSOR.copy", call);
      }
    } catch (const Struck&) {  // how much of it was copied, nobody says
      cuda_->synchronize();
      if (to->storage->real != nullptr) to->storage->bytes = real_bytes(*to->storage);
      throw;
    }
    if (!self && !targets.empty()) copied(*to, *from, targets);
  }

  void copied(const ModelTensor& to, const ModelTensor& from, const Dims& targets) {
    const auto item = static_cast<size_t>(item_bytes(to.dtype));
    const auto width = static_cast<size_t>(item_bytes(from.dtype));
    const Dims sources = *broadcast_offsets(from, to.sizes);
    std::vector<uint8_t> real;  // read where it is needed
    for (size_t i = 0; i < targets.size(); ++i) {
      const size_t at = static_cast<size_t>(to.offset + targets[i]) * item;
      const uint8_t* const source =
          from.storage->bytes.data() + static_cast<size_t>(from.offset + sources[i]) * width;
      uint8_t* const target = to.storage->bytes.data() + at;
      if (from.dtype == to.dtype) {
        std::memcpy(target, source, item);
      } else if (const auto bits = converted(source, from.dtype, to.dtype)) {
        std::memcpy(target, &*bits, item);  // little-endian
      } else {                              // whatever it became
        if (real.empty()) {
          if (to.device >= 0) cuda_->synchronize();
          real = real_bytes(*to.storage);
        }
        std::memcpy(target, real.data() + at, item);
        // A bool of any other value is none.
        if (to.dtype == 11 && *target > 1) {
          fail("TENSOR.copy-converts", "a bool that is neither 0 nor 1",
               "CHECK(get(" + to.storage->name + ", " + std::to_string(at) + ") < 2);");
        }
      }
    }
  }

  void another_handle(const Record& record) {
    const ModelTensor* const source = tensor(record.first);
    if (source == nullptr) return;
    const bool assign = record.value % 2 == 1;
    ModelTensor other = *source;
    other.name = new_name();
    AtenTensorHandle handle = nullptr;
    expect(
        true,
        assign ? table_.aoti_torch_assign_tensors_out(source->handle, &handle)
               : table_.aoti_torch_new_tensor_handle(source->handle, &handle),
        assign ? "TENSOR.assign-out" : "TENSOR.new-handle",
        std::string(assign ? "aoti_torch_assign_tensors_out(" : "aoti_torch_new_tensor_handle(") +
            source->name + ", &" + other.name + ")");
    add(std::move(other), handle, assign ? "TENSOR.assign-out" : "TENSOR.new-handle");
  }

  void remove(size_t index) {
    const ModelTensor tensor = live_[index];
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(index));
    expect(true, table_.aoti_torch_delete_tensor_object(tensor.handle), "TENSOR.delete-succeeds",
           "aoti_torch_delete_tensor_object(" + tensor.name + ")");
  }

  /// The caller writes through the pointer; every view has to see it.
  void write(const Record& record) {
    const ModelTensor* const one = tensor(record.first);
    if (one == nullptr || numel(one->sizes) == 0 || one->storage->real == nullptr) return;
    const Dims all = element_offsets(one->sizes, one->strides);
    const auto item = static_cast<size_t>(item_bytes(one->dtype));
    const size_t at = static_cast<size_t>(one->offset + all[record.second % all.size()]) * item;
    for (size_t i = 0; i < item; ++i) {
      one->storage->bytes[at + i] =
          one->dtype == 11 ? record.value % 2 : static_cast<uint8_t>(record.value + i);
      program_ += "  put(" + one->storage->name + ", " + std::to_string(at + i) + ", " +
                  std::to_string(one->storage->bytes[at + i]) + ");\n";
    }
    put(*one, at, item);
  }

  void item_bool(const Record& record) {
    const ModelTensor* const one = tensor(record.first);
    if (one == nullptr || one->dtype != 11) return;
    bool value = false;
    const bool single = numel(one->sizes) == 1;
    const char* const rule = one->device >= 0 ? "DEV.item-on-device" : "TENSOR.item-bool";
    expect(single, table_.aoti_torch_item_bool(one->handle, &value), rule,
           "aoti_torch_item_bool(" + one->name + ", &flag)");
    if (!single) return;
    const bool want = one->storage->bytes[static_cast<size_t>(one->offset)] != 0;
    if (value != want) {
      fail(rule, "reads another value", want ? "CHECK(flag);" : "CHECK(!flag);");
    }
  }

  /// Calls that are an error whatever else there is.
  void bad_call(const Record& record) {
    const ModelTensor* const one = tensor(record.first);
    AtenTensorHandle out = nullptr;
    const int64_t size = 1;
    switch (record.value % 6) {
      case 0:
        expect(false, table_.aoti_torch_empty_strided(1, &size, &size, 99, 0, 0, &out),
               "TENSOR.bad-dtype", "aoti_torch_empty_strided(1, A(1), A(1), 99, 0, 0, &out)");
        break;
      case 1:
        expect(false, table_.aoti_torch_empty_strided(-1, &size, &size, 6, 0, 0, &out),
               "TENSOR.ndim", "aoti_torch_empty_strided(-1, A(1), A(1), 6, 0, 0, &out)");
        break;
      case 2:
        expect(false, table_.aoti_torch_empty_strided(1, &size, &size, 6, 99, 0, &out),
               "DEV.unknown-type", "aoti_torch_empty_strided(1, A(1), A(1), 6, 99, 0, &out)");
        break;
      case 3:
        expect(false, table_.aoti_torch_empty_strided(1, nullptr, nullptr, 6, 0, 0, &out),
               "TENSOR.null-args", "aoti_torch_empty_strided(1, NULL, NULL, 6, 0, 0, &out)");
        break;
      case 4:
        expect(false, table_.aoti_torch_clone(nullptr, &out), "TENSOR.null-args",
               "aoti_torch_clone(NULL, &out)");
        break;
      default:
        if (one == nullptr) return;
        expect(false, table_.aoti_torch_new_tensor_handle(one->handle, nullptr), "TENSOR.null-args",
               "aoti_torch_new_tensor_handle(" + one->name + ", NULL)");
    }
    if (out != nullptr) fail("TENSOR.error-leaves-out", "writes its output", "CHECK(!out);");
  }

  // --- what holds after every call ---

  template <class T>
  void attribute(const ModelTensor& tensor, const char* name,
                 AOTITorchError (*get)(AtenTensorHandle, T*), int64_t want, const char* rule) {
    T have{};
    const std::string number = sizeof(T) == 8 ? "i64" : "i32";
    const std::string call = std::string(name) + "(" + tensor.name + ", &" + number + ")";
    if (get(tensor.handle, &have) != 0) fail(rule, call + " fails", "CHECK(" + call + " == 0);");
    if (have != want) {
      fail(rule, call + " is " + std::to_string(have) + ", not " + std::to_string(want),
           "CHECK(" + call + " == 0 && " + number + " == " + std::to_string(want) + ");");
    }
  }

  void dims(const ModelTensor& tensor, const char* name,
            AOTITorchError (*get)(AtenTensorHandle, int64_t**), const Dims& want,
            const char* rule) {
    int64_t* have = nullptr;
    const std::string call = std::string(name) + "(" + tensor.name + ", &dims)";
    if (get(tensor.handle, &have) != 0) fail(rule, call + " fails", "CHECK(" + call + " == 0);");
    const auto differs = std::mismatch(want.begin(), want.end(), have);
    if (differs.first == want.end()) return;
    const std::string at = std::to_string(differs.first - want.begin());
    fail(rule, call + ": " + at + " is " + std::to_string(*differs.second),
         "CHECK(" + call + " == 0 && dims[" + at + "] == " + std::to_string(*differs.first) + ");");
  }

  void check_attributes(const ModelTensor& t) {
    const auto& f = table_;
    attribute(t, "aoti_torch_get_dim", f.aoti_torch_get_dim, static_cast<int64_t>(t.sizes.size()),
              "TENSOR.empty");
    attribute(t, "aoti_torch_get_dtype", f.aoti_torch_get_dtype, t.dtype, "TENSOR.empty");
    attribute(t, "aoti_torch_get_device_type", f.aoti_torch_get_device_type, t.device >= 0 ? 1 : 0,
              t.device >= 0 ? "DEV.preserve-device" : "TENSOR.empty");
    if (t.device >= 0) {
      attribute(t, "aoti_torch_get_device_index", f.aoti_torch_get_device_index, t.device,
                "DEV.reported-index");
    }
    attribute(t, "aoti_torch_get_numel", f.aoti_torch_get_numel, numel(t.sizes),
              "TENSOR.zero-size");
    dims(t, "aoti_torch_get_sizes", f.aoti_torch_get_sizes, t.sizes, "VIEW.geometry");
    dims(t, "aoti_torch_get_strides", f.aoti_torch_get_strides, t.strides, "VIEW.geometry");
    attribute(t, "aoti_torch_get_storage_offset", f.aoti_torch_get_storage_offset, t.offset,
              "VIEW.offset-adds");
    attribute(t, "aoti_torch_get_storage_size", f.aoti_torch_get_storage_size,
              static_cast<int64_t>(t.storage->bytes.size()), "TENSOR.empty");
    if (numel(t.sizes) == 0 || t.storage->real == nullptr) return;
    void* at = nullptr;
    const std::string call = "aoti_torch_get_data_ptr(" + t.name + ", &data)";
    if (f.aoti_torch_get_data_ptr(t.handle, &at) != 0) {
      fail("TENSOR.data-ptr", call + " fails", "CHECK(" + call + " == 0);");
    }
    const int64_t distance = static_cast<uint8_t*>(at) - t.storage->real;
    if (distance != t.offset * item_bytes(t.dtype)) {
      fail("TENSOR.data-ptr", call + ": " + std::to_string(distance) + " bytes into the storage",
           "CHECK(" + call + " == 0 && (uint8_t*)data - " + t.storage->name +
               " == " + std::to_string(t.offset * item_bytes(t.dtype)) + ");");
    }
  }

  std::set<const ModelStorage*> storages() const {
    std::set<const ModelStorage*> all;
    for (const ModelTensor& tensor : live_) all.insert(tensor.storage.get());
    return all;
  }

  /// The host's memory first: what a copy leaves there is complete when it returns.
  void check_contents() {
    const std::set<const ModelStorage*> all = storages();
    for (const bool on_device : {false, true}) {
      if (on_device && cuda_ == nullptr) break;
      if (on_device) cuda_->synchronize();
      for (const ModelStorage* const storage : all) {
        const bool known = storage->real != nullptr && !storage->bytes.empty();
        if (known && storage->on_device == on_device) check_contents(*storage);
      }
    }
  }

  void check_contents(const ModelStorage& storage) {
    std::vector<uint8_t> copy;
    const uint8_t* real = storage.real;
    if (storage.on_device) {
      copy = real_bytes(storage);
      real = copy.data();
    }
    for (size_t i = 0; i < storage.bytes.size(); ++i) {
      if (real[i] == storage.bytes[i]) continue;
      fail(contents_rule_, "byte " + std::to_string(i) + " of a storage is another",
           "CHECK(get(" + storage.name + ", " + std::to_string(i) +
               ") == " + std::to_string(storage.bytes[i]) + ");");
    }
  }

  void check_counts() {
    if (!counts_) return;
    const auto handles = static_cast<int64_t>(live_.size());
    const int64_t have = table_.aoti_cts_live_handles() - handles_before_;
    if (have != handles) {
      fail("TENSOR.delete-succeeds", std::to_string(have) + " handles live",
           "CHECK(f.aoti_cts_live_handles() == " + std::to_string(handles) + ");");
    }
    const auto held = static_cast<int64_t>(storages().size());
    const int64_t kept = table_.aoti_cts_live_storages() - storages_before_;
    if (kept != held) {
      fail("VIEW.outlives", std::to_string(kept) + " storages live, not " + std::to_string(held),
           "CHECK(f.aoti_cts_live_storages() == " + std::to_string(held) + ");");
    }
  }

  // --- CUDA ---

  /// Guards and faults.
  void cuda_step(unsigned call, const Record& record) {
    if (call == 15) {  // strikes in the next call
      fault_ = "*:" + std::to_string(1 + record.value % 6) + (record.form % 2 == 0 ? ":2" : ":999");
      return;
    }
    arm();
    try {
      if (call == 13 && guards_.size() < 3) make_guard(record);
      if (call == 14 && !guards_.empty()) move_guard(record);
    } catch (const Struck&) {
    }
    if (armed_) disarm();
    if (call == 16 && !guards_.empty()) drop_guard();
    check_device();
  }

  /// A stream of the device, made once for all runs; null is the default stream.
  void* stream_of(int device, bool null) {
    static void* streams[VirtualCuda::devices] = {};
    if (null) return nullptr;
    if (streams[device] == nullptr) {
      vcuda::cudaStream_t made = nullptr;
      cuda_->table().cudaSetDevice(device);
      cuda_->table().cudaStreamCreateWithFlags(&made, 1);
      cuda_->table().cudaSetDevice(current_);
      streams[device] = made;
    }
    return streams[device];
  }

  void make_guard(const Record& record) {
    const int index = record.first % (VirtualCuda::devices + 1);
    const bool there = index < VirtualCuda::devices;
    Guard guard;
    guard.stream = record.form % 2 == 1;
    guard.before = current_;
    guard.index = index;
    guard.name = "g" + std::to_string(++names_);
    const std::string end = std::to_string(index) + ", &" + guard.name + ")";
    if (guard.stream) {
      void* const stream = there ? stream_of(index, record.value % 4 == 0) : nullptr;
      program_ += "  CUDAStreamGuardHandle " + guard.name + " = NULL;\n";
      CUDAStreamGuardHandle handle = nullptr;
      expect(there, table_.aoti_torch_create_cuda_stream_guard(stream, index, &handle),
             stream == nullptr && there ? "DEV.null-stream" : "DEV.stream-guard",
             "aoti_torch_create_cuda_stream_guard(" +
                 (stream == nullptr ? std::string("NULL")
                                    : "stream_of(" + std::to_string(index) + ")") +
                 ", " + end);
      guard.handle = handle;
      if (!there) return;
      guard.stream_before = std::exchange(streams_[index], stream);
    } else {
      program_ += "  CUDAGuardHandle " + guard.name + " = NULL;\n";
      CUDAGuardHandle handle = nullptr;
      expect(there, table_.aoti_torch_create_cuda_guard(index, &handle), "DEV.guard",
             "aoti_torch_create_cuda_guard(" + end);
      guard.handle = handle;
      if (!there) return;
    }
    current_ = index;
    guards_.push_back(guard);
  }

  void move_guard(const Record& record) {
    const Guard& guard = guards_.back();
    if (guard.stream) return;
    const int index = record.first % (VirtualCuda::devices + 1);
    const bool there = index < VirtualCuda::devices;
    expect(
        there,
        table_.aoti_torch_cuda_guard_set_index(static_cast<CUDAGuardHandle>(guard.handle), index),
        "DEV.guard",
        "aoti_torch_cuda_guard_set_index(" + guard.name + ", " + std::to_string(index) + ")");
    if (there) current_ = index;
  }

  AOTITorchError delete_guard(const Guard& guard) {
    if (guard.stream) {
      return table_.aoti_torch_delete_cuda_stream_guard(
          static_cast<CUDAStreamGuardHandle>(guard.handle));
    }
    return table_.aoti_torch_delete_cuda_guard(static_cast<CUDAGuardHandle>(guard.handle));
  }

  void drop_guard() {
    const Guard guard = guards_.back();
    guards_.pop_back();
    expect(true, delete_guard(guard), "TENSOR.delete-guard-succeeds",
           std::string(guard.stream ? "aoti_torch_delete_cuda_stream_guard("
                                    : "aoti_torch_delete_cuda_guard(") +
               guard.name + ")");
    current_ = guard.before;
    if (guard.stream) streams_[guard.index] = guard.stream_before;
  }

  /// Which device and streams are current, and what the device saw go wrong.
  void check_device() {
    if (cuda_ == nullptr) return;
    if (cuda_->current() != current_) {
      const std::string have = std::to_string(cuda_->current());
      cuda_->table().cudaSetDevice(current_);
      fail("DEV.device-kept", "device " + have + " is current, not " + std::to_string(current_),
           "CHECK(current_device() == " + std::to_string(current_) + ");");
    }
    for (int device = 0; device < VirtualCuda::devices; ++device) {
      void* have = nullptr;
      const std::string call =
          "aoti_torch_get_current_cuda_stream(" + std::to_string(device) + ", &data)";
      if (table_.aoti_torch_get_current_cuda_stream(device, &have) != 0) {
        fail("DEV.stream-guard", call + " fails", "CHECK(" + call + " == 0);");
      }
      if (have == streams_[device]) continue;
      fail("DEV.stream-guard", "another stream is current",
           "CHECK(" + call + " == 0 && data == " +
               (streams_[device] == nullptr ? std::string("NULL")
                                            : "stream_of(" + std::to_string(device) + ")") +
               ");");
    }
    const size_t count = cuda_->table().finding_count();
    if (count == findings_before_) return;
    aoti_cts_vcuda_finding finding{};
    cuda_->table().get_finding(count - 1, &finding);
    findings_before_ = count;
    fail(finding.clause, std::string(finding.kind) + ": " + finding.text,
         "CHECK(device_findings() == 0);");
  }

  const AotiShimTable& table_;
  VirtualCuda* cuda_;
  bool counts_;
  int64_t handles_before_ = 0;
  int64_t storages_before_ = 0;
  size_t findings_before_ = 0;
  std::vector<ModelTensor> live_;
  std::vector<Guard> guards_;
  int current_ = 0;
  void* streams_[VirtualCuda::devices] = {};  ///< current ones
  std::string fault_;                         ///< for the next call
  bool armed_ = false;
  std::string contents_rule_;
  std::string program_;
  size_t names_ = 0;
};

#ifndef AOTI_CTS_THREADS_AT_ONCE
/// Two threads of which one at a time runs, from its start to its end, so that the same calls are
/// made in the same order each time: otherwise neither what an input covers nor a finding would
/// show again.
class Turns {
 public:
  // Of the threads, which are 0 and 1.
  void begin(size_t me) {
    wait(me);
    pass(both_wait);
    wait(me);
  }
  void let_other(size_t me) {
    if (ended_[1 - me]) return;
    pass(1 - me);
    wait(me);
  }
  void end(size_t me) {
    ended_[me] = true;
    pass(ended_[1 - me] ? both_wait : 1 - me);
    wait(me);
  }

  // Of who made them.
  void started(size_t thread) {
    pass(thread);
    wait(both_wait);
  }
  void run() { started(0); }
  void leave(size_t thread) { pass(thread); }

 private:
  static constexpr size_t both_wait = 2;

  void wait(size_t turn) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == turn; });
  }
  void pass(size_t turn) {
    const std::lock_guard<std::mutex> lock(mutex_);
    turn_ = turn;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t turn_ = both_wait;
  bool ended_[2] = {};  ///< read and written by whose turn it is
};
#endif

}  // namespace

std::vector<Record> records_of(const uint8_t* data, size_t size) {
  std::vector<Record> records(std::min(size / sizeof(Record), most_calls));
  if (!records.empty()) std::memcpy(records.data(), data, records.size() * sizeof(Record));
  return records;
}

void run_calls(const Runtime& runtime, const std::vector<Record>& records) {
  if (runtime.cuda == nullptr) return Run(runtime, true).run(records);
  int64_t before = runtime.cuda->live();
  for (int round = 0; round < 4; ++round) {
    Run run(runtime, true);
    run.run(records);
    const int64_t after = runtime.cuda->live();
    if (after <= before) return;
    if (round == 3) run.leaks(after - before);
    before = after;
  }
}

#ifdef AOTI_CTS_THREADS_AT_ONCE
void run_calls_on_threads(const Runtime& runtime, const std::vector<Record>& records) {
  std::unique_ptr<Mismatch> found[2];
  std::vector<std::thread> threads;
  for (std::unique_ptr<Mismatch>& mine : found) {
    threads.emplace_back([&runtime, &records, &mine] {
      const Deterministic inside;
      try {
        Run(runtime, false).run(records);
      } catch (const Mismatch& mismatch) {
        mine = std::make_unique<Mismatch>(mismatch);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::unique_ptr<Mismatch>& mine : found) {
    if (mine != nullptr) throw Mismatch(*mine);
  }
}
#else
void run_calls_on_threads(const Runtime& runtime, const std::vector<Record>& records) {
  Turns turns;
  std::unique_ptr<Mismatch> found[2];
  const auto calls = [&](size_t me) {
    const Deterministic inside;
    turns.begin(me);
    try {
      Run(runtime, false).run(records, [&] { turns.let_other(me); });
    } catch (const Mismatch& mismatch) {
      found[me] = std::make_unique<Mismatch>(mismatch);
    }
    turns.end(me);
  };
  std::vector<std::thread> threads;
  for (size_t i = 0; i < 2; ++i) {
    threads.emplace_back(calls, i);
    turns.started(i);
  }
  turns.run();
  for (size_t i = 0; i < 2; ++i) {
    turns.leave(i);
    threads[i].join();
  }
  for (const std::unique_ptr<Mismatch>& mine : found) {
    if (mine != nullptr) throw Mismatch(*mine);
  }
}
#endif

std::vector<Record> shrink_calls(const Runtime& runtime, std::vector<Record> records,
                                 const std::string& rule, RunCalls run) {
  const auto breaks = [&](const std::vector<Record>& some) {
    try {
      run(runtime, some);
      return false;
    } catch (const Mismatch& mismatch) {
      return mismatch.rule == rule;
    }
  };
  const auto without = [&](size_t index) {
    std::vector<Record> fewer = records;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(index));
    return fewer;
  };
  const auto keep = [&](std::vector<Record> fewer) {
    if (!breaks(fewer)) return false;
    records = std::move(fewer);
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t i = records.size(); i-- > 0;) progress |= keep(without(i));
    if (progress || records.size() > 60) continue;
    // A record left out changes which tensor the later ones mean, so one of them is turned to
    // each tensor there may be.
    for (size_t i = records.size(); i-- > 0 && !progress;) {
      for (size_t j = i; j + 1 < records.size() && !progress; ++j) {
        for (uint8_t which = 0; which < most_tensors && !progress; ++which) {
          std::vector<Record> fewer = without(i);
          fewer[j].first = which;
          progress = keep(std::move(fewer));
        }
      }
    }
  }
  return records;
}

}  // namespace aoti_cts::fuzz
