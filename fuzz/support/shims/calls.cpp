// See calls.h.
#include "support/shims/calls.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

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

class Run {
 public:
  explicit Run(const AotiShimTable& table)
      : table_(table),
        handles_before_(table.aoti_cts_live_handles ? table.aoti_cts_live_handles() : 0),
        storages_before_(table.aoti_cts_live_storages ? table.aoti_cts_live_storages() : 0) {}
  ~Run() {
    for (const ModelTensor& tensor : live_) table_.aoti_torch_delete_tensor_object(tensor.handle);
  }

  size_t run(const std::vector<Record>& records) {
    size_t calls = 0;
    for (const Record& record : records) {
      if (calls == most_calls) break;
      ++calls;
      step(record);
      check_counts();
      check_contents();
    }
    for (const ModelTensor& tensor : live_) check_attributes(tensor);
    while (!live_.empty()) remove(live_.size() - 1);
    check_counts();
    return calls;
  }

 private:
  [[noreturn]] void fail(const std::string& rule, const std::string& what,
                         const std::string& check) {
    throw Mismatch(rule, what, program_ + "  /* " + rule + ": " + what + " */\n  " + check + "\n");
  }

  /// Holds a call's result against what is expected, and writes the call down.
  void expect(bool success, int32_t have, const std::string& rule, const std::string& call) {
    if ((have == 0) == success) {
      program_ += "  CHECK(" + call + (success ? " == 0" : " != 0") + ");\n";
      return;
    }
    fail(rule, "returns " + std::to_string(have) + (success ? ", not 0" : ", not an error"),
         "CHECK(" + call + (success ? " == 0" : " != 0") + ");");
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
    switch (record.call % 13) {
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
    name_storage(tensor, "(uint8_t*)data");
    // Fresh memory holds anything; from here on it holds this.
    fill(storage.bytes.data(), storage.bytes.size(), tensor.dtype);
    program_ += "  fill(" + storage.name + ", " + std::to_string(storage.bytes.size()) + ", " +
                std::to_string(tensor.dtype) + ");\n";
    std::memcpy(storage.real, storage.bytes.data(), storage.bytes.size());
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
      alike(*like, record, shape);  // something to copy from and to
      tensor.dtype = like->dtype;
    }
    tensor.name = new_name();
    AtenTensorHandle handle = nullptr;
    expect(!shape.negative,
           table_.aoti_torch_empty_strided(static_cast<int64_t>(shape.sizes.size()),
                                           shape.sizes.data(), shape.strides.data(), tensor.dtype,
                                           0, 0, &handle),
           shape.negative ? "TENSOR.negative-size" : "TENSOR.empty",
           "aoti_torch_empty_strided(" + arguments(shape) + ", " + std::to_string(tensor.dtype) +
               ", 0, 0, &" + tensor.name + ")");
    if (shape.negative) return;
    tensor.sizes = shape.sizes;
    tensor.strides = shape.strides;
    tensor.storage = std::make_shared<ModelStorage>();
    tensor.storage->bytes.resize(
        static_cast<size_t>(extent(shape.sizes, shape.strides) * item_bytes(tensor.dtype)));
    add(std::move(tensor), handle, "TENSOR.empty");
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
    const auto item = static_cast<size_t>(item_bytes(copy.dtype));
    const Dims from = element_offsets(source.sizes, source.strides);
    const Dims to = element_offsets(copy.sizes, copy.strides);
    for (size_t i = 0; i < from.size(); ++i) {
      const uint8_t* const want =
          source.storage->bytes.data() + static_cast<size_t>(source.offset + from[i]) * item;
      if (std::memcmp(want, storage.real + static_cast<size_t>(to[i]) * item, item) != 0) {
        table_.aoti_torch_delete_tensor_object(handle);
        fail(rule, "element " + std::to_string(i) + " of the copy differs",
             "CHECK(!memcmp(" + storage.name + " + " +
                 std::to_string(static_cast<size_t>(to[i]) * item) + ", " + source.storage->name +
                 " + " + std::to_string(static_cast<size_t>(source.offset + from[i]) * item) +
                 ", " + std::to_string(item) + "));");
      }
    }
    std::memcpy(storage.bytes.data(), storage.real, storage.bytes.size());
  }

  void copy(const Record& record) {
    const ModelTensor* const to = tensor(record.first);
    if (to == nullptr) return;
    const ModelTensor* from = to;  // itself, where no other fits
    for (size_t i = 0; i < live_.size(); ++i) {
      const ModelTensor& other = live_[(record.second + i) % live_.size()];
      if (to->dtype != other.dtype || to->sizes != other.sizes) continue;
      from = &other;
      break;
    }
    const Dims targets = element_offsets(to->sizes, to->strides);
    const std::set<int64_t> distinct(targets.begin(), targets.end());
    const bool self = to->handle == from->handle;
    if (distinct.size() != targets.size() || (to->storage == from->storage && !self)) return;
    expect(true, table_.aoti_torch_copy_(to->handle, from->handle, 0), "TENSOR.copy",
           "aoti_torch_copy_(" + to->name + ", " + from->name + ", 0)");
    if (self || targets.empty()) return;
    const auto item = static_cast<size_t>(item_bytes(to->dtype));
    const Dims sources = element_offsets(from->sizes, from->strides);
    for (size_t i = 0; i < targets.size(); ++i) {
      std::memcpy(
          to->storage->bytes.data() + static_cast<size_t>(to->offset + targets[i]) * item,
          from->storage->bytes.data() + static_cast<size_t>(from->offset + sources[i]) * item,
          item);
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
      one->storage->real[at + i] = one->storage->bytes[at + i];
      program_ += "  " + one->storage->name + "[" + std::to_string(at + i) +
                  "] = " + std::to_string(one->storage->bytes[at + i]) + ";\n";
    }
  }

  void item_bool(const Record& record) {
    const ModelTensor* const one = tensor(record.first);
    if (one == nullptr || one->dtype != 11) return;
    bool value = false;
    const bool single = numel(one->sizes) == 1;
    expect(single, table_.aoti_torch_item_bool(one->handle, &value), "TENSOR.item-bool",
           "aoti_torch_item_bool(" + one->name + ", &flag)");
    if (!single) return;
    const bool want = one->storage->bytes[static_cast<size_t>(one->offset)] != 0;
    if (value != want) {
      fail("TENSOR.item-bool", "reads another value", want ? "CHECK(flag);" : "CHECK(!flag);");
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
    attribute(t, "aoti_torch_get_device_type", f.aoti_torch_get_device_type, 0, "TENSOR.empty");
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

  void check_contents() {
    for (const ModelStorage* storage : storages()) {
      if (storage->real == nullptr || storage->bytes.empty()) continue;
      for (size_t i = 0; i < storage->bytes.size(); ++i) {
        if (storage->real[i] == storage->bytes[i]) continue;
        fail("VIEW.shares", "byte " + std::to_string(i) + " of a storage is another",
             "CHECK(" + storage->name + "[" + std::to_string(i) +
                 "] == " + std::to_string(storage->bytes[i]) + ");");
      }
    }
  }

  void check_counts() {
    if (table_.aoti_cts_live_handles == nullptr || table_.aoti_cts_live_storages == nullptr) return;
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

  const AotiShimTable& table_;
  int64_t handles_before_;
  int64_t storages_before_;
  std::vector<ModelTensor> live_;
  std::string program_;
  size_t names_ = 0;
};

}  // namespace

std::vector<Record> records_of(const uint8_t* data, size_t size) {
  std::vector<Record> records(std::min(size / sizeof(Record), most_calls));
  if (!records.empty()) std::memcpy(records.data(), data, records.size() * sizeof(Record));
  return records;
}

size_t run_calls(const AotiShimTable& table, const std::vector<Record>& records) {
  return Run(table).run(records);
}

std::vector<Record> shrink_calls(const AotiShimTable& table, std::vector<Record> records,
                                 const std::string& rule) {
  const auto breaks = [&](const std::vector<Record>& some) {
    try {
      run_calls(table, some);
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
