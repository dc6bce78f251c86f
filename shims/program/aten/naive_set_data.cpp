// clause: PARSE.set-data
// over real libtorch: setting data tells the storage that it is on the CPU, and leaves the tensor
// on its device
#include "program/aten/loaded.h"

namespace {

struct Naive : aoti_cts::program::plugin::AtenLoaded {
  bool set_data(size_t index, void* data, size_t /*bytes*/) override {
    made[index].storage().unsafeGetStorageImpl()->set_data_ptr_noswap(at::DataPtr(data, at::kCPU));
    return true;
  }
};

}  // namespace

const AotiCtsParser* aoti_cts_parser() {
  return aoti_cts::program::plugin::aten_table<Naive>("naive");
}
