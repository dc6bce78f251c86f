// aoti-cts-probe: loads libraries in a given order and says what dlsym finds; for the run-time half
// of section SYM, which needs processes in which nothing is loaded yet.
//
//   aoti-cts-probe STEP...      answers, a line each, go to memory that is shared through
//                               descriptor 3 (answers.h)
//
//   local FILE, global FILE     dlopen with RTLD_LOCAL, RTLD_GLOBAL; libraries count from 0
//   find LIBRARY NAMES          dlsym for each line of the file NAMES: "NAME ADDRESS OFFSET FILE",
//                               with FILE the mapping the address is in ("-": none) and OFFSET into
//                               it; "NAME none" where dlsym finds nothing
//   call LIBRARY PREFIX         calls its core shims with valid arguments, whatever they answer; a
//                               decoy has to be library 0
//   count LIBRARY               of a decoy: "CALLS LAST"
//
// Exit status 0 when all steps were done, 3 when a library could not be loaded (the reason is the
// last line), 2 for a wrong step. What a step needs of the file system is read before the first
// library is loaded, and limits on files that a library lowers are raised again.
#include <aoti_shim/table.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "symbols/file_limits.h"
#include "symbols/probe/answers.h"

namespace {

using aoti_cts::symbols::FileLimits;
using aoti_cts::symbols::SharedAnswers;

SharedAnswers* answers = nullptr;
std::vector<void*> libraries;
std::map<std::string, std::vector<std::string>> lists;  // by the path of the file of names

// C's kind of variadic, as the compiler then checks the arguments against the format.
// NOLINTNEXTLINE(cert-dcl50-cpp)
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) {
  char* text = nullptr;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length >= 0) answers->append({text, static_cast<size_t>(length)});
  free(text);
}

void* library(const char* index) {
  const auto i = static_cast<size_t>(strtoul(index, nullptr, 10));
  if (i >= libraries.size()) {
    say("no library %s\n", index);
    exit(2);
  }
  return libraries[i];
}

void load(const char* file, int scope) {
  static const FileLimits limits;
  void* handle = dlopen(file, RTLD_NOW | scope);
  limits.restore();
  if (handle == nullptr) {
    say("%s\n", dlerror());
    exit(aoti_cts::symbols::failed_step);
  }
  libraries.push_back(handle);
}

// Where each library is mapped. Not dladdr(): it looks for the nearest symbol, in time that grows
// with their number.
struct Mapped {
  const char *begin, *end, *base;
  std::string file;
};

int add_mapped(dl_phdr_info* info, size_t, void* out) {
  const char* base = reinterpret_cast<const char*>(info->dlpi_addr);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const char* begin = base + segment.p_vaddr;
    static_cast<std::vector<Mapped>*>(out)->push_back(
        {begin, begin + segment.p_memsz, base, info->dlpi_name});
  }
  return 0;
}

void find(void* handle, const char* names) {
  std::vector<Mapped> mapped;
  dl_iterate_phdr(add_mapped, &mapped);
  for (const std::string& name : lists[names]) {
    dlerror();
    const auto* address = static_cast<const char*>(dlsym(handle, name.c_str()));
    if (address == nullptr && dlerror() != nullptr) {
      say("%s none\n", name.c_str());
      continue;
    }
    const auto in = std::find_if(mapped.begin(), mapped.end(), [&](const Mapped& one) {
      return address >= one.begin && address < one.end && !one.file.empty();
    });
    if (in == mapped.end()) {
      say("%s %p 0 -\n", name.c_str(), static_cast<const void*>(address));
    } else {
      say("%s %p %td %s\n", name.c_str(), static_cast<const void*>(address), address - in->base,
          in->file.c_str());
    }
  }
}

const void* base_of(const void* address) {
  Dl_info info = {};
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// A shim that dlsym finds in the decoy is left out: calling it would be no inner call.
AotiShimTable table_of(void* handle, const std::string& prefix) {
  AotiShimTable table = {};
  const void* decoy = base_of(dlsym(libraries.front(), "aoti_cts_decoy_calls"));
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* address = dlsym(handle, (prefix + row.name).c_str());
    if (decoy != nullptr && base_of(address) == decoy) continue;
    memcpy(reinterpret_cast<char*>(&table) + row.slot, &address, sizeof(address));
  }
  return table;
}

// Every core shim once, on small CPU tensors, so that whatever calls another shim does so. Answers
// are nobody's business here; a shim that is missing is left out.
class Calls {
 public:
  explicit Calls(const AotiShimTable& table) : t(table) {}

  void make() {
    void* blob = data_;
    if (t.aoti_torch_empty_strided != nullptr) {
      t.aoti_torch_empty_strided(2, sizes_, strides_, float32(), cpu(), 0, &first_);
    }
    if (t.aoti_torch_create_tensor_from_blob != nullptr) {
      t.aoti_torch_create_tensor_from_blob(blob, 2, sizes_, strides_, 0, float32(), cpu(), 0,
                                           &second_);
    }
    if (t.aoti_torch_create_tensor_from_blob_v2 != nullptr) {
      t.aoti_torch_create_tensor_from_blob_v2(blob, 2, sizes_, strides_, 0, float32(), cpu(), 0,
                                              &third_, strided(), nullptr, 0);
    }
    if (t.aoti_torch_empty_strided_pinned != nullptr) {
      keep(t.aoti_torch_empty_strided_pinned(2, sizes_, strides_, float32(), cpu(), 0, &made_));
    }
  }

  void use(AtenTensorHandle self) {
    if (self == nullptr) return;
    int64_t number = 0;
    int64_t* numbers = nullptr;
    int32_t code = 0;
    void* data = nullptr;
    bool value = false;
    if (t.aoti_torch_get_data_ptr != nullptr) t.aoti_torch_get_data_ptr(self, &data);
    if (t.aoti_torch_get_device_index != nullptr) t.aoti_torch_get_device_index(self, &code);
    if (t.aoti_torch_get_device_type != nullptr) t.aoti_torch_get_device_type(self, &code);
    if (t.aoti_torch_get_dim != nullptr) t.aoti_torch_get_dim(self, &number);
    if (t.aoti_torch_get_dtype != nullptr) t.aoti_torch_get_dtype(self, &code);
    if (t.aoti_torch_get_numel != nullptr) t.aoti_torch_get_numel(self, &number);
    if (t.aoti_torch_get_sizes != nullptr) t.aoti_torch_get_sizes(self, &numbers);
    if (t.aoti_torch_get_storage_offset != nullptr) t.aoti_torch_get_storage_offset(self, &number);
    if (t.aoti_torch_get_storage_size != nullptr) t.aoti_torch_get_storage_size(self, &number);
    if (t.aoti_torch_get_strides != nullptr) t.aoti_torch_get_strides(self, &numbers);
    if (t.aoti_torch_item_bool != nullptr) t.aoti_torch_item_bool(self, &value);
    if (t.aoti_torch_clone != nullptr) keep(t.aoti_torch_clone(self, &made_));
    if (t.aoti_torch_clone_preserve_strides != nullptr) {
      keep(t.aoti_torch_clone_preserve_strides(self, &made_));
    }
    if (t.aoti_torch_assign_tensors_out != nullptr) {
      keep(t.aoti_torch_assign_tensors_out(self, &made_));
    }
    if (t.aoti_torch_new_tensor_handle != nullptr) {
      keep(t.aoti_torch_new_tensor_handle(self, &made_));
    }
    if (t.aoti_torch__reinterpret_tensor != nullptr) {
      keep(t.aoti_torch__reinterpret_tensor(self, 2, sizes_, strides_, 0, &made_));
    }
    if (t.aoti_torch_copy_ != nullptr) t.aoti_torch_copy_(self, self, 0);
  }

  void state() {
    if (t.aoti_torch_grad_mode_is_enabled != nullptr) t.aoti_torch_grad_mode_is_enabled();
    if (t.aoti_torch_grad_mode_set_enabled != nullptr) t.aoti_torch_grad_mode_set_enabled(false);
    if (t.aoti_torch_check != nullptr) t.aoti_torch_check(true, "probe", "probe", 1, "");
    if (t.aoti_torch_warn != nullptr) t.aoti_torch_warn("probe", "probe", 1, "a probe's warning");
    for (auto getter :
         {t.aoti_torch_device_type_cuda, t.aoti_torch_dtype_bfloat16, t.aoti_torch_dtype_bool,
          t.aoti_torch_dtype_float16, t.aoti_torch_dtype_int16, t.aoti_torch_dtype_int32,
          t.aoti_torch_dtype_int64, t.aoti_torch_dtype_int8, t.aoti_torch_dtype_uint8}) {
      if (getter != nullptr) getter();
    }
  }

  void all() {
    state();
    make();
    for (AtenTensorHandle self : {first_, second_, third_}) use(self);
    for (AtenTensorHandle self : {first_, second_, third_}) kept_.push_back(self);
    for (AtenTensorHandle self : kept_) {
      if (self != nullptr && t.aoti_torch_delete_tensor_object != nullptr) {
        t.aoti_torch_delete_tensor_object(self);
      }
    }
  }

 private:
  int32_t float32() const { return t.aoti_torch_dtype_float32 ? t.aoti_torch_dtype_float32() : 6; }
  int32_t cpu() const { return t.aoti_torch_device_type_cpu ? t.aoti_torch_device_type_cpu() : 0; }
  int32_t strided() const {
    return t.aoti_torch_layout_strided ? t.aoti_torch_layout_strided() : 0;
  }
  void keep(AOTITorchError error) {
    if (error == 0) kept_.push_back(made_);
    made_ = nullptr;
  }

  const AotiShimTable& t;
  float data_[6] = {};
  int64_t sizes_[2] = {2, 3};
  int64_t strides_[2] = {3, 1};
  AtenTensorHandle first_ = nullptr, second_ = nullptr, third_ = nullptr, made_ = nullptr;
  std::vector<AtenTensorHandle> kept_;
};

void count(void* handle) {
  const auto* calls = static_cast<volatile int*>(dlsym(handle, "aoti_cts_decoy_calls"));
  const auto* last = static_cast<const char* volatile*>(dlsym(handle, "aoti_cts_decoy_last"));
  if (calls == nullptr || last == nullptr) exit(2);
  say("%d %s\n", *calls, *last);
}

// A library may close descriptors and limit what can be opened: what is to be read is read before.
void read_lists(int argc, char** argv) {
  for (int i = 1; i + 2 < argc; ++i) {
    if (strcmp(argv[i], "find") != 0) continue;
    std::ifstream file(argv[i + 2]);
    std::vector<std::string>& names = lists[argv[i + 2]];
    names.clear();
    for (std::string name; std::getline(file, name);) names.push_back(name);
  }
}

bool map_answers() {
  using namespace aoti_cts::symbols;
  void* memory =
      mmap(nullptr, answers_capacity, PROT_READ | PROT_WRITE, MAP_SHARED, answers_descriptor, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "aoti-cts-probe: descriptor 3 cannot be mapped: %s\n", strerror(errno));
    return false;
  }
  close(answers_descriptor);
  answers = static_cast<SharedAnswers*>(memory);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!map_answers()) return 2;
  read_lists(argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string step = argv[i];
    const int left = argc - 1 - i;
    if (step == "local" && left >= 1) {
      load(argv[++i], RTLD_LOCAL);
    } else if (step == "global" && left >= 1) {
      load(argv[++i], RTLD_GLOBAL);
    } else if (step == "find" && left >= 2) {
      find(library(argv[i + 1]), argv[i + 2]);
      i += 2;
    } else if (step == "call" && left >= 2) {
      const AotiShimTable table = table_of(library(argv[i + 1]), argv[i + 2]);
      Calls(table).all();
      i += 2;
    } else if (step == "count" && left >= 1) {
      count(library(argv[++i]));
    } else {
      fprintf(stderr, "aoti-cts-probe: wrong step %s\n", argv[i]);
      return 2;
    }
  }
  answers->ended = 1;
  _Exit(0);  // no destructors: what was loaded may not survive its own
}
