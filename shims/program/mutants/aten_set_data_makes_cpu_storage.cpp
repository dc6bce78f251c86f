// clause: PARSE.set-data
// setting data makes the storage a CPU one and leaves the tensor on its device
// mode: aten
#include "program/mutants/mutant.h"

struct NaiveSetData : PortableLoaded {
  bool describe(size_t index, AotiCtsParserTensor& out) override {
    PortableLoaded::describe(index, out);
    if (!was_set) return true;
    out.storage_device_type = 0;
    out.storage_device_index = -1;
    return true;
  }
  bool set_data(size_t index, void* data, size_t bytes) override {
    was_set = true;
    return PortableLoaded::set_data(index, data, bytes);
  }
  bool was_set = false;
};

AOTI_PARSER_MUTANT(Fault, NaiveSetData)
