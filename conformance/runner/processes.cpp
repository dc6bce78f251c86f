// See processes.h.
#include "runner/processes.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace aoti_cts::runner {
namespace {

// Fewer than a limit on processes is worth, and more than a machine's own comings and goings.
constexpr std::size_t many_tasks = 128;

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  DIR* folder = opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (folder == nullptr) return threads;
  while (const dirent* entry = readdir(folder)) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    pid_t thread = 0;
    if (std::from_chars(entry->d_name, end, thread).ptr == end) threads.push_back(thread);
  }
  closedir(folder);
  return threads;
}

// The fields of /proc/PID/stat behind the name, which itself may hold anything.
std::istringstream stat_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');
  return std::istringstream(name_end == std::string::npos ? "" : text.substr(name_end + 1));
}

double processor_ms(pid_t pid) {
  std::istringstream fields = stat_of(pid);
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  uint64_t sum = 0;
  for (int i = 0; i < 4; ++i) {  // utime, stime, cutime, cstime
    uint64_t ticks = 0;
    fields >> ticks;
    sum += ticks;
  }
  return static_cast<double>(sum) * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct Scheduled {
  uint64_t ran = 0;  // nanoseconds
  uint64_t queued = 0;
};

Scheduled first_thread(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/schedstat", pid));
  Scheduled all;
  Scheduled read;
  if (file >> read.ran >> read.queued) all = read;
  return all;
}

// The process's part of its anonymous pages: one that n processes map counts 1/n in each.
uint64_t anonymous_share(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  const std::string field = "Pss_Anon:";
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(field, 0) != 0) continue;
    uint64_t kib = 0;
    std::istringstream(line.substr(field.size())) >> kib;
    return kib << 10U;
  }
  return 0;
}

std::size_t tasks() {
  struct sysinfo info {};
  return sysinfo(&info) == 0 ? info.procs : 0;
}

}  // namespace

std::vector<pid_t> descendants(pid_t root, std::size_t most) {
  std::vector<pid_t> found = {root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pid_t parent = found[i];
    for (const pid_t thread : threads_of(parent)) {
      std::ifstream children(fmt::format("/proc/{}/task/{}/children", parent, thread));
      for (pid_t child = 0; children >> child;) {
        found.push_back(child);
        if (found.size() > most) break;
      }
    }
    if (found.size() > most) break;
  }
  found.erase(found.begin());
  return found;
}

double queued_ms(pid_t pid) { return static_cast<double>(first_thread(pid).queued) * 1e-6; }

double others_ms(pid_t root, pid_t but) {
  double sum = 0;
  for (const pid_t pid : descendants(root, 1000)) sum += processor_ms(pid);
  if (but == root) sum += processor_ms(root);
  return sum - static_cast<double>(first_thread(but).ran) * 1e-6;
}

uint64_t anonymous_bytes(const std::vector<pid_t>& pids) {
  uint64_t least = UINT64_MAX;
  // One that ends meanwhile leaves its part of shared pages to the next to be read, which would
  // count it again; hardly in both rounds.
  for (int round = 0; round < 2; ++round) {
    uint64_t sum = 0;
    for (const pid_t pid : pids) sum += anonymous_share(pid);
    least = std::min(least, sum);
  }
  return least;
}

pid_t parent_of(pid_t pid) {
  std::istringstream fields = stat_of(pid);
  char state = 0;
  pid_t parent = -1;
  fields >> state >> parent;
  return parent;
}

Crowd::Crowd() : remembered_(tasks()) {}

bool Crowd::grew() {
  const std::size_t now = tasks();
  const bool many = now > remembered_ + many_tasks;
  if (many || now < remembered_) remembered_ = now;
  return many;
}

}  // namespace aoti_cts::runner
