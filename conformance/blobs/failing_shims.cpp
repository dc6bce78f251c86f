// See failing_shims.h.
#include "blobs/failing_shims.h"

#include <aoti_shim/table.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <type_traits>

namespace aoti_cts::blobs {
namespace {

// A model may call from several threads.
std::atomic<int64_t> calls_seen{0};
std::atomic<int64_t> call_to_fail{0};
std::atomic<const char*> failed_shim{nullptr};
std::array<std::atomic<void*>, aoti_shim_row_count> bound_to;

enum Row : std::size_t {
#define AOTI_SHIM(tier, origin, ret, name, params) row_##name,
#include <aoti_shim/extensions.def>
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
};

/// What stands in the place of a shim: of the same type, and one function for each row.
template <std::size_t row, class Fn>
struct StandIn {
  static constexpr void* address() { return nullptr; }  // it answers otherwise than with a code
};
template <std::size_t row, class... P>
struct StandIn<row, AOTITorchError (*)(P...)> {
  static AOTITorchError call(P... given) {
    if (calls_seen.fetch_add(1) + 1 == call_to_fail.load()) {
      failed_shim = aoti_shim_rows[row].name;
      return 1;
    }
    return reinterpret_cast<AOTITorchError (*)(P...)>(bound_to[row].load())(given...);
  }
  static void* address() { return reinterpret_cast<void*>(&call); }
};

/// The stand-in of each row that has one.
std::array<void*, aoti_shim_row_count> stand_ins() {
  std::array<void*, aoti_shim_row_count> all = {
#define AOTI_SHIM(tier, origin, ret, name, params) \
  StandIn<row_##name, decltype(AotiShimTable::name)>::address(),
#include <aoti_shim/extensions.def>
#include <aoti_shim/shims.def>
#undef AOTI_SHIM
  };
  for (std::size_t row = 0; row < all.size(); ++row) {
    const AotiShimRow& shim = aoti_shim_rows[row];
    // A getter of a code has the type of an error, and is told by its declaration.
    const bool has_code = std::string_view(shim.signature).starts_with("AOTITorchError ");
    const bool deletes = std::string_view(shim.name).find("_delete_") != std::string_view::npos;
    if (!has_code || deletes) all[row] = nullptr;
  }
  return all;
}

/// What is read of a library that the dynamic linker has loaded.
struct Tables {
  const char* base = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * relocations[2] = {};  ///< of data, of the procedure linkage table
  std::size_t bytes[2] = {};
};

Tables tables_of(const Blob& blob) {
  link_map* map = nullptr;
  if (dlinfo(blob.library(), RTLD_DI_LINKMAP, &map) != 0) {
    throw Error(fmt::format("the blob's link map: {}", dlerror()));
  }
  Tables tables;
  tables.base = reinterpret_cast<const char*>(map->l_addr);
  // The GNU linker has made addresses of these offsets for most machines, other linkers have not.
  const auto at = [&](const ElfW(Dyn) & entry) {
    const ElfW(Addr) given = entry.d_un.d_ptr;
    return reinterpret_cast<const void*>(given < map->l_addr ? map->l_addr + given : given);
  };
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables.symbols = static_cast<const ElfW(Sym)*>(at(*entry));
        break;
      case DT_STRTAB:
        tables.names = static_cast<const char*>(at(*entry));
        break;
      case DT_RELA:
        tables.relocations[0] = static_cast<const ElfW(Rela)*>(at(*entry));
        break;
      case DT_RELASZ:
        tables.bytes[0] = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        tables.relocations[1] = static_cast<const ElfW(Rela)*>(at(*entry));
        break;
      case DT_PLTRELSZ:
        tables.bytes[1] = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (tables.symbols == nullptr || tables.names == nullptr) {
    throw Error("the blob has no dynamic symbol table");
  }
  return tables;
}

/// Imports are read-only once they are bound.
void make_writable(void** slot) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const begin = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot) / page * page);
  if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) {
    throw Error(fmt::format("writing to the blob's imports: {}", std::strerror(errno)));
  }
}

}  // namespace

FailingShims::FailingShims(const Blob& blob, const std::string& prefix) {
  const auto all = stand_ins();
  std::map<std::string, std::size_t, std::less<>> row_of;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (all[row] != nullptr) row_of.emplace(prefix + aoti_shim_rows[row].name, row);
  }
  const Tables tables = tables_of(blob);
  fail(0);
  for (int kind = 0; kind < 2; ++kind) {
    const ElfW(Rela)* const begin = tables.relocations[kind];
    const ElfW(Rela)* const end = begin + tables.bytes[kind] / sizeof(ElfW(Rela));
    for (const ElfW(Rela)* one = begin; one != end; ++one) {
      const auto& symbol = tables.symbols[ELF64_R_SYM(one->r_info)];
      if (symbol.st_shndx != SHN_UNDEF || one->r_addend != 0) continue;
      const auto row = row_of.find(std::string_view(tables.names + symbol.st_name));
      if (row == row_of.end()) continue;
      auto** slot = reinterpret_cast<void**>(const_cast<char*>(tables.base + one->r_offset));
      if (*slot == nullptr) continue;  // a weak one that nobody has
      make_writable(slot);
      imports_.push_back({slot, *slot});
      bound_to[row->second] = *slot;
      *slot = all[row->second];
    }
  }
}

FailingShims::~FailingShims() {
  for (const Import& import : imports_) *import.slot = import.bound;
}

void FailingShims::fail(int64_t which) {
  call_to_fail = which;
  failed_shim = nullptr;
  calls_seen = 0;
}

int64_t FailingShims::calls() const { return calls_seen; }

const char* FailingShims::failed() const { return failed_shim; }

}  // namespace aoti_cts::blobs
