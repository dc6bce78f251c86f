// dlopen, dlsym and the clean-up after a candidate's initialisers; see load.h.
#include "runner/load.h"

#include <cxxabi.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <fstream>

#include "symbols/file_limits.h"

namespace aoti_cts::runner {
namespace {

int count_threads() {
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return 0;
  int count = 0;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') ++count;
  }
  closedir(folder);
  return count;
}

// The candidate's handlers would hide a crash or turn it into something else, an ignored SIGCHLD
// would take a child's status away, and a timer would end a later process.
void reset_process() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const itimerval off{};
  for (const __itimer_which timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    setitimer(timer, &off, nullptr);
  }
}

// An initialiser may throw; a loader written in C would end there, and this one has to say so.
void* open_library(const std::string& path, std::string& error) {
  // dlopen is declared never to throw; behind a pointer that the compiler cannot see through it
  // may.
  void* (*const volatile open_any)(const char*, int) = dlopen;
  try {
    void* handle = open_any(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    const char* text = dlerror();
    error = text == nullptr ? "dlopen failed without a text: " + path : text;
  } catch (const std::exception& thrown) {
    error = fmt::format("{}: an initialiser threw: {}", path, thrown.what());
  } catch (abi::__forced_unwind&) {
    _exit(0);  // an initialiser ended the thread
  } catch (...) {
    error = path + ": an initialiser threw what is no std::exception";
  }
  return nullptr;
}

bool defined_by(void* address, void* handle) {
  Dl_info info{};
  void* map = nullptr;
  if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0) return false;
  return map == handle;  // glibc's handle is the library's link_map
}

void* find(const std::vector<void*>& handles, const std::string& symbol) {
  void* inherited = nullptr;
  for (void* handle : handles) {
    void* address = dlsym(handle, symbol.c_str());
    if (address == nullptr) continue;
    if (defined_by(address, handle)) return address;
    if (inherited == nullptr) inherited = address;
  }
  return inherited;
}

int fill(const std::vector<void*>& handles, const std::string& prefix, AotiShimTable& table) {
  int found = 0;
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* address = find(handles, prefix + row.name);
    std::memcpy(reinterpret_cast<char*>(&table) + row.slot, &address, sizeof(address));
    if (address != nullptr && std::strcmp(row.origin, "aoti_cts") != 0) ++found;
  }
  return found;
}

std::string other_prefixes(const std::vector<void*>& handles, const std::string& tried) {
  std::string text;
  for (const char* prefix : {"", "executorch_"}) {
    if (tried == prefix) continue;
    AotiShimTable scratch{};
    const int found = fill(handles, prefix, scratch);
    if (found == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} with --prefix={}", found, *prefix == 0 ? "\"\"" : prefix);
  }
  return text;
}

}  // namespace

Loaded load(const Candidate& candidate) {
  Loaded result;
  const symbols::FileLimits limits;
  const int threads_before = count_threads();
  if (candidate.cuda.mode == CudaMode::Virtual) {
    result.error = load_virtual(candidate.cuda);
    if (!result.error.empty()) return result;
  }
  std::vector<void*> handles;
  for (const std::string& path : candidate.paths) {
    void* handle = open_library(path, result.error);
    limits.restore();
    if (handle == nullptr) return result;
    handles.push_back(handle);
  }
  result.threads_added = count_threads() - threads_before;
  result.shims_found = fill(handles, candidate.prefix, result.table);
  if (result.shims_found == 0) result.found_under = other_prefixes(handles, candidate.prefix);
  reset_process();
  return result;
}

std::string no_shims_text(const std::string& prefix, const std::string& found_under) {
  return fmt::format("no shim was found with the prefix \"{}\"{}{}", prefix,
                     found_under.empty() ? "" : "; found: ", found_under);
}

uint64_t private_bytes(int pid) {
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  uint64_t total = 0;
  uint64_t resident = 0;
  uint64_t shared = 0;
  if (!(file >> total >> resident >> shared)) return 0;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return resident > shared ? (resident - shared) * page : 0;
}

}  // namespace aoti_cts::runner
