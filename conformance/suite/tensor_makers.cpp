// The tables of tensor_makers.h: one row for each shim that makes a tensor handle.
#include "suite/tensor_makers.h"

#include <sys/mman.h>

#include <stdexcept>

namespace aoti_cts::suite {
namespace {

AOTITorchError call_empty(Case& c, void*, AtenTensorHandle, const Arrays& a, const Codes& codes,
                          AtenTensorHandle* out) {
  return SHIM(aoti_torch_empty_strided)(a.ndim, a.sizes, a.strides, codes.dtype, codes.device_type,
                                        codes.device_index, out);
}

AOTITorchError call_from_blob(Case& c, void* data, AtenTensorHandle, const Arrays& a,
                              const Codes& codes, AtenTensorHandle* out) {
  return SHIM(aoti_torch_create_tensor_from_blob)(data, a.ndim, a.sizes, a.strides, a.offset,
                                                  codes.dtype, codes.device_type,
                                                  codes.device_index, out);
}

AOTITorchError call_from_blob_v2(Case& c, void* data, AtenTensorHandle, const Arrays& a,
                                 const Codes& codes, AtenTensorHandle* out) {
  return SHIM(aoti_torch_create_tensor_from_blob_v2)(
      data, a.ndim, a.sizes, a.strides, a.offset, codes.dtype, codes.device_type,
      codes.device_index, out, codes.layout, nullptr, int64_t{0});
}

AOTITorchError call_reinterpret(Case& c, void*, AtenTensorHandle self, const Arrays& a,
                                const Codes&, AtenTensorHandle* out) {
  return SHIM(aoti_torch__reinterpret_tensor)(self, a.ndim, a.sizes, a.strides, a.offset, out);
}

template <class Row>
const Row& by_name(const std::vector<Row>& rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return row;
  }
  throw std::logic_error(fmt::format("no row is called {}", name));
}

}  // namespace

const std::vector<Maker>& makers() {
  static const std::vector<Maker> rows = {
      {"empty_strided", false, true, false, call_empty},
      {"from_blob", true, true, true, call_from_blob},
      {"from_blob_v2", true, true, true, call_from_blob_v2},
      {"reinterpret", false, false, true, call_reinterpret},
  };
  return rows;
}

Tensor Maker::tensor(Case& c, void* data, const Arrays& arrays, const DType& type) const {
  Codes codes;
  codes.dtype = type.code;
  Tensor self;
  if (!has_dtype) {
    Geometry viewed{"", {arrays.sizes, arrays.sizes + (arrays.sizes ? arrays.ndim : 0)}, {}, 0};
    viewed.strides = {arrays.strides, arrays.strides + viewed.rank()};
    self = from_blob(c, data, {"", {arrays.offset + extent(viewed)}, {1}, 0}, type);
  }
  return make_tensor(c, name, [&](AtenTensorHandle* out) {
    return call(c, data, self.get(), arrays, codes, out);
  });
}

const std::vector<Copier>& copiers() {
  static const std::vector<Copier> rows = {
      {"clone", [](Case& c, AtenTensorHandle self,
                   AtenTensorHandle* out) { return SHIM(aoti_torch_clone)(self, out); }},
      {"clone_preserve_strides",
       [](Case& c, AtenTensorHandle self, AtenTensorHandle* out) {
         return SHIM(aoti_torch_clone_preserve_strides)(self, out);
       }},
  };
  return rows;
}

const Copier& copier(std::string_view name) { return by_name(copiers(), name); }

Tensor Copier::tensor(Case& c, AtenTensorHandle self) const {
  return make_tensor(c, name, [&](AtenTensorHandle* out) { return call(c, self, out); });
}

const std::vector<Deriver>& derivers() {
  static const std::vector<Deriver> rows = [] {
    std::vector<Deriver> list = {
        {"new_tensor_handle", true,
         [](Case& c, AtenTensorHandle self, const Geometry&, AtenTensorHandle* out) {
           return SHIM(aoti_torch_new_tensor_handle)(self, out);
         }},
        {"assign_tensors_out", true,
         [](Case& c, AtenTensorHandle self, const Geometry&, AtenTensorHandle* out) {
           return SHIM(aoti_torch_assign_tensors_out)(self, out);
         }},
        {"reinterpret", true,
         [](Case& c, AtenTensorHandle self, const Geometry& g, AtenTensorHandle* out) {
           return SHIM(aoti_torch__reinterpret_tensor)(self, g.rank(), args(g.sizes),
                                                       args(g.strides), int64_t{0}, out);
         }},
    };
    for (const Copier& copier : copiers()) {
      list.push_back({copier.name, false,
                      [&copier](Case& c, AtenTensorHandle self, const Geometry&,
                                AtenTensorHandle* out) { return copier.call(c, self, out); }});
    }
    return list;
  }();
  return rows;
}

const Deriver& deriver(std::string_view name) { return by_name(derivers(), name); }

Tensor Deriver::tensor(Case& c, AtenTensorHandle self, const Geometry& g) const {
  return make_tensor(c, name, [&](AtenTensorHandle* out) { return call(c, self, g, out); });
}

Reserved::Reserved(Case& c, int64_t bytes) : bytes_(bytes) {
  void* block = mmap(nullptr, static_cast<size_t>(bytes), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED) {
    c.skip(fmt::format("needs {} GiB of address space, which a limit on the process refuses",
                       bytes >> 30));
  }
  data_ = static_cast<std::byte*>(block);
}

Reserved::~Reserved() { munmap(data_, static_cast<size_t>(bytes_)); }

}  // namespace aoti_cts::suite
