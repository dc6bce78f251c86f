// See cuda.h.
#include "runner/cuda.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "symbols/command.h"
#include "symbols/elf.h"

namespace aoti_cts::runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* soname = "libcudart.so.";

int version_of(const std::string& library) {
  if (library.rfind(soname, 0) != 0) return 0;
  const std::string version = library.substr(std::char_traits<char>::length(soname));
  return version == "12" ? 12 : (version == "13" ? 13 : 0);
}

// A libcudart that was linked in statically opens the driver by this name; nothing else does that
// without importing from a shared libcudart.
bool holds_driver_name(const std::string& path) {
  static constexpr std::string_view name = "libcuda.so.1";
  std::ifstream file(path, std::ios::binary);
  std::string chunk(1 << 20, '\0');
  std::string tail;
  while (file) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    tail.append(chunk, 0, static_cast<std::size_t>(file.gcount()));
    if (tail.find(name) != std::string::npos) return true;
    if (tail.size() > name.size()) tail.erase(0, tail.size() - name.size());
  }
  return false;
}

std::set<std::string> imported_cuda_names(symbols::ElfFile& file) {
  std::set<std::string> names;
  const symbols::ElfSymbolTable table = file.read_all();
  for (const symbols::ElfSymbol& symbol : table.symbols) {
    if (symbol.defined() || symbol.binding == symbols::ElfSymbol::Weak) continue;
    if (file.version_suffix(symbol).find(soname) == std::string::npos) continue;
    names.emplace(symbol.name);
  }
  return names;
}

void observe(const aoti_cts_vcuda_finding* finding, void* context) {
  auto& out = *static_cast<SharedCase*>(context);
  const std::string_view kind = finding->kind;
  if (kind == "fault" || kind == "call") {
    // Copies of the process inject faults of their own (DEV.call-failure).
    if (getpid() != out.body_pid) return;
    if (kind == "call") {
      const int row = vcuda::function_row(finding->text);
      if (row >= 0) out.cuda_calls[row].fetch_add(1);
      return;
    }
    out.faults.fetch_add(1);
    if (out.struck.size() > 0) out.struck.append("; ");
    out.struck.append(finding->text);
    return;
  }
  if (kind == "kernel" || kind == "refused") {
    auto& text = kind == "kernel" ? out.kernel : out.refused;
    // The first name is enough for a verdict; the others repeat in every case.
    if (text.size() == 0) text.store(finding->text);
    return;
  }
  const uint32_t index = out.findings.fetch_add(1);
  if (index >= kept_findings) return;
  SharedFinding& row = out.finding[index];
  row.kind.store(kind);
  row.clause.store(finding->clause);
  row.shim.store(finding->shim);
  row.text.store(finding->text);
}

std::string loaded_cudart() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        const std::string path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        if (fs::path(path).filename().string().rfind(soname, 0) != 0) return 0;
        *static_cast<std::string*>(out) = path;
        return 1;
      },
      &found);
  return found;
}

}  // namespace

CudaImports read_imports(const std::vector<std::string>& paths) {
  CudaImports imports;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    const auto input = symbols::FileInput::open(path);
    symbols::ElfFile file(*input);
    bool needs = false;
    for (const std::string& needed : file.needed()) {
      needs = needs || needed.rfind(soname, 0) == 0;
      if (imports.version == 0) imports.version = version_of(needed);
    }
    if (needs) {
      names.merge(imported_cuda_names(file));
    } else {
      imports.is_static = imports.is_static || holds_driver_name(path);
    }
  }
  if (names.empty() || imports.version == 0) return imports;
  const auto library = symbols::FileInput::open(virtual_library(imports.version));
  symbols::ElfFile device(*library);
  for (const std::string& name : names) {
    const auto rows = device.find(name);
    const bool there = std::any_of(rows.begin(), rows.end(),
                                   [](const symbols::ElfSymbol& row) { return row.exported(); });
    if (!there) imports.absent.push_back(name);
  }
  return imports;
}

std::string virtual_library(int version) {
  const std::string name = fmt::format("/{}{}", soname, version);
  return symbols::own_file("the virtual CUDA device",
                           {AOTI_CTS_VCUDA_BUILT + name, AOTI_CTS_VCUDA_INSTALLED + name});
}

std::string load_virtual(const CudaOptions& options) {
  setenv("AOTI_CTS_VCUDA_DEVICES", std::to_string(options.devices).c_str(), 1);
  // The driver library too, or a candidate that asks the driver gets another one, or none.
  const std::string driver = fs::path(options.library).replace_filename("libcuda.so.1").string();
  for (const std::string& library : {options.library, driver}) {
    if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) continue;
    const char* error = dlerror();
    return error == nullptr ? "dlopen failed without a text: " + library : error;
  }
  return "";
}

suite::CudaAccess find_cuda(const CudaOptions& options) {
  suite::CudaAccess access;
  if (options.mode == CudaMode::None) {
    access.missing = "needs a CUDA device: --virtual-cuda or --cuda real";
    return access;
  }
  access.missing = options.missing;
  if (!access.missing.empty()) return access;
  const bool is_virtual = options.mode == CudaMode::Virtual;
  const std::string path = is_virtual ? options.library : loaded_cudart();
  if (path.empty()) {
    access.missing = "the candidate loads no shared libcudart, so its device cannot be asked";
    return access;
  }
  access.table = vcuda::load_table(dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD));
  if (access.table.handle == nullptr) access.missing = "libcudart is no longer loaded: " + path;
  return access;
}

void begin_case(const CudaOptions& options, const suite::CudaAccess& access, SharedCase& out) {
  if (!access.missing.empty()) return;
  static bool served = false;
  if (options.mode == CudaMode::Real && served) {
    // The process may have served another case, which may have left anything current.
    access.table.cudaGetLastError();
    access.table.cudaSetDevice(0);
  }
  served = true;
  if (options.mode != CudaMode::Virtual) return;
  access.table.observe(observe, &out);
  // Where seccomp is refused, touches by instruction are still found.
  access.table.watch_host();
  access.table.fault(options.faults.c_str(), nullptr, 0);
  access.table.fault_inside_only(1);
}

}  // namespace aoti_cts::runner
