// See blob_child.h.
#include "cli/blob_child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

#include "devmap/child.h"
#include "runner/load.h"

namespace aoti_cts::cli {
namespace {

using nlohmann::json;

json as_json(const std::vector<blobs::Output>& outputs) {
  json list = json::array();
  for (const blobs::Output& output : outputs) {
    if (!output) {
      list.push_back(nullptr);
      continue;
    }
    const std::vector<uint8_t> bytes(output->bytes.begin(), output->bytes.end());
    list.push_back({{"dtype", std::string(output->type->name)},
                    {"sizes", output->sizes},
                    {"bytes", json::binary(bytes)}});
  }
  return list;
}

void write_all(int file, const std::vector<uint8_t>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = write(file, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    done += static_cast<std::size_t>(written);
  }
}

/// A runtime takes its time to load, which is not the model's.
constexpr double seconds_to_load = 60;
/// Others may have the processors for a while; a case's limit counts its own time alone.
constexpr double allowance = 3;
constexpr int poll_ms = 20;

/// What a child has of its own above what it had when the runtime was loaded, or at its start.
class Memory {
 public:
  Memory() : inherited_(runner::private_bytes(getpid())) {
    void* const page =
        mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
      throw std::runtime_error(fmt::format("mmap: {}", std::strerror(errno)));
    }
    told_ = new (page) Told;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { munmap(told_, sizeof *told_); }

  /// For the child.
  void begun() { told_->child = getpid(); }
  void loaded() { told_->loaded = runner::private_bytes(getpid()); }
  /// For the parent.
  bool has_loaded() const { return told_->loaded != 0; }
  uint64_t above() const {
    const pid_t child = told_->child;
    const uint64_t seen = told_->loaded;
    const uint64_t base = seen != 0 ? seen : inherited_;
    const uint64_t now = child != 0 ? runner::private_bytes(child) : 0;
    return now > base ? now - base : 0;
  }

 private:
  struct Told {
    std::atomic<pid_t> child = 0;
    std::atomic<uint64_t> loaded = 0;
  };

  uint64_t inherited_;
  Told* told_;
};

bool has_ended(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

/// What the child writes until it ends; what it started may hold the other end longer. Where a
/// limit is broken before, `broken` says which.
std::vector<uint8_t> read_all(int file, pid_t child, const Memory& memory,
                              const ChildLimits& limits, std::string& broken) {
  using Clock = std::chrono::steady_clock;
  double seconds = limits.timeout_s + seconds_to_load;
  auto start = Clock::now();
  bool loaded = false;
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  while (Clock::now() - start < std::chrono::duration<double>(seconds)) {
    if (!loaded && memory.has_loaded()) {  // from here on it is the model's time
      loaded = true;
      start = Clock::now();
      seconds = allowance * limits.timeout_s;
    }
    const bool ended = has_ended(child);
    pollfd ready{file, POLLIN, 0};
    if (poll(&ready, 1, ended ? 0 : poll_ms) <= 0) {
      if (ended) return bytes;
      if (memory.above() > limits.memory_bytes) {
        broken = fmt::format("more than {} MiB of private memory", limits.memory_bytes >> 20U);
        return bytes;
      }
      continue;
    }
    const ssize_t got = read(file, chunk, sizeof chunk);
    if (got == 0) return bytes;
    if (got > 0) bytes.insert(bytes.end(), chunk, chunk + got);
    if (got < 0 && errno != EINTR) return bytes;
  }
  broken = fmt::format("no answer in {} s", seconds);
  return bytes;
}

[[noreturn]] void be_child(int file, Memory& memory,
                           const std::function<json(const std::function<void()>&)>& work) {
  memory.begun();
  dup2(STDERR_FILENO, STDOUT_FILENO);  // standard output may be the report
  const rlimit tiny{1, 1};             // no core files, as in a case
  setrlimit(RLIMIT_CORE, &tiny);
  json answer;
  try {
    answer = work([&] { memory.loaded(); });
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
  } catch (...) {
    answer = {{"error", "an exception that is no std::exception"}};
  }
  write_all(file, json::to_cbor(answer));
  _exit(0);
}

/// What the model imports and nothing that is loaded for all exports, in words; or empty. `prefix`
/// is taken off its imports.
std::string lacking(const blobs::Given& model, const std::string& prefix) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> lacks;
  for (const std::string& shim : model.shims) {
    const std::string name = shim.starts_with(prefix) ? shim.substr(prefix.size()) : shim;
    if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) lacks.push_back(name);
  }
  if (lacks.empty()) return "";
  const std::size_t all = lacks.size();
  lacks.resize(std::min(all, shown));
  return fmt::format("lacks {} of the {} shims that {} imports: {}{}", all, model.shims.size(),
                     model.path, fmt::join(lacks, ", "), all > shown ? ", ..." : "");
}

/// Loads the model over the libraries and hands it to `use`.
json over(const Runtime& over_this, const blobs::Given& model, const ChildLimits& limits,
          const std::function<json(const AotiShimTable&, const blobs::Container&)>& use) {
  return in_a_child(limits, [&](const std::function<void()>& loaded) -> json {
    runner::Candidate runtime;
    runtime.paths = over_this.libraries;
    runtime.cuda = over_this.cuda;
    const runner::Loaded functions = runner::load(runtime);
    if (!functions.error.empty()) return {{"error", functions.error}, {"unfit", true}};
    blobs::publish(over_this.libraries);
    const std::string lacks = lacking(model, over_this.prefix);
    if (!lacks.empty()) return {{"error", lacks}, {"unfit", true}};
    const std::string bytes = blobs::with_prefix(model.bytes, over_this.prefix, "");
    loaded();
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, STDOUT_FILENO);  // a model may print
    const blobs::Blob blob(bytes);
    return use(functions.table, blobs::Container(blob, model.device.text.c_str()));
  });
}

}  // namespace

json in_a_child(const ChildLimits& limits,
                const std::function<json(const std::function<void()>&)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
  }
  Memory memory;
  const pid_t child = devmap::fork_guarded();  // the model may end its parent
  if (child == 0) {
    close(ends[0]);
    be_child(ends[1], memory, work);
  }
  close(ends[1]);
  std::string broken;
  const auto bytes = read_all(ends[0], child, memory, limits, broken);
  close(ends[0]);
  kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!broken.empty()) return {{"error", broken}, {"broken", true}};
  json answer = json::from_cbor(bytes, true, false);
  if (answer.is_object()) return answer;
  if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
    return {{"error", fmt::format("signal {}", WTERMSIG(status))}};
  }
  return {{"error", "its process ended early"}};
}

std::string why_no_libtorch(const std::vector<std::string>& libraries, const ChildLimits& limits) {
  const json answer = in_a_child(limits, [&](const std::function<void()>& loaded) -> json {
    runner::Candidate runtime;
    runtime.paths = libraries;
    const runner::Loaded functions = runner::load(runtime);
    loaded();
    if (!functions.error.empty()) return {{"error", functions.error}};
    if (functions.shims_found > 0) return json::object();
    return {{"error",
             fmt::format("no libtorch: {}", runner::no_shims_text("", functions.found_under))}};
  });
  return answer.value("error", "");
}

json run_over(const Runtime& runtime, const blobs::Given& model, const ChildLimits& limits) {
  return over(runtime, model, limits,
              [&](const AotiShimTable& table, const blobs::Container& container) -> json {
                return {{"outputs",
                         as_json(blobs::run_once(table, container, model.inputs, model.device))}};
              });
}

json ask_inputs(const Runtime& runtime, const blobs::Given& model, const ChildLimits& limits) {
  return over(runtime, model, limits,
              [&](const AotiShimTable& table, const blobs::Container& container) -> json {
                json answer = {{"inputs", container.inputs()}};
                if (container.inputs() != model.inputs.size()) return answer;
                setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", 1);  // generated code judges its inputs
                const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
                dup2(null, STDERR_FILENO);  // which it prints as well
                try {
                  blobs::run_once(table, container, model.inputs, model.device);
                } catch (const blobs::Error& error) {
                  answer["refused"] = error.what();
                }
                return answer;
              });
}

std::vector<blobs::Output> outputs_of(const json& answer) {
  const json& list = answer.at("outputs");
  std::vector<blobs::Output> outputs;
  for (const json& entry : list) {
    if (entry.is_null()) {
      outputs.emplace_back();
      continue;
    }
    blobs::Array array;
    array.type = blobs::find_element_type(entry.at("dtype").get<std::string>());
    array.sizes = entry.at("sizes").get<std::vector<int64_t>>();
    const auto& bytes = entry.at("bytes").get_binary();
    array.bytes.assign(bytes.begin(), bytes.end());
    outputs.emplace_back(std::move(array));
  }
  return outputs;
}

}  // namespace aoti_cts::cli
