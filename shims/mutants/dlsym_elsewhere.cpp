// clause: SYM.dlsym-agrees
// dlsym is answered by a resolver, with a page of code that belongs to no library.
#include <sys/mman.h>

#include <cstring>

#include "mutants/mutant.h"

namespace {

// Jumps to the address behind it.
#if defined(__x86_64__)
constexpr unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
#elif defined(__aarch64__)
constexpr unsigned char jump[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};  // ldr x16, 8; br x16
#endif

}  // namespace

extern "C" {

using ItemBool = decltype(&ref_aoti_torch_item_bool);

static ItemBool resolve_item_bool() {
  void* page = mmap(nullptr, 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto target = &ref_aoti_torch_item_bool;
  std::memcpy(page, jump, sizeof(jump));
  std::memcpy(static_cast<char*>(page) + sizeof(jump), &target, sizeof(target));
  mprotect(page, 64, PROT_READ | PROT_EXEC);
  return reinterpret_cast<ItemBool>(page);
}

AOTITorchError aoti_torch_item_bool(AtenTensorHandle tensor, bool* ret_value)
    __attribute__((ifunc("resolve_item_bool")));
}
