// See forked.h.
#include "support/candidate/forked.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace aoti_cts::fuzz {
namespace {

constexpr int patience_ms = 5000;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

void copy(std::array<char, 256>& to, const std::string& text) {
  const size_t length = std::min(text.size(), to.size() - 1);
  std::memcpy(to.data(), text.data(), length);
  to[length] = '\0';
}

}  // namespace

/// Between the two processes.
struct Forked::Shared {
  size_t size;
  std::array<char, 256> kind;
  std::array<char, 256> rule;
  std::array<char, 256> what;
  alignas(16) std::array<uint8_t, Host::most_file_bytes> data;
};

Forked::Forked(Compare compare) : compare_(std::move(compare)) {
  void* const at = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) fail("mapping memory for the server");
  shared_ = static_cast<Shared*>(at);
}

Forked::~Forked() {
  stop();
  munmap(shared_, sizeof(Shared));
}

void Forked::start() {
  std::array<int, 2> there;
  std::array<int, 2> back;
  signal(SIGPIPE, SIG_IGN);  // of a server that ended between two inputs, write() tells
  if (pipe2(there.data(), O_CLOEXEC) != 0 || pipe2(back.data(), O_CLOEXEC) != 0) fail("pipe2");
  server_ = fork();
  if (server_ < 0) fail("fork");
  if (server_ == 0) {
    server_ = -1;  // this process has none, should it come to a destructor
    close(there[1]);
    close(back[0]);
    serve(there[0], back[1]);
  }
  close(there[0]);
  close(back[1]);
  to_server_ = there[1];
  from_server_ = back[0];
}

void Forked::stop() {
  if (server_ < 0) return;
  close(to_server_);
  close(from_server_);
  kill(server_, SIGKILL);
  waitpid(server_, nullptr, 0);
  server_ = -1;
}

void Forked::serve(int from, int to) {
  // Handlers of the engine would report a crash of the candidate as one of the target.
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTERM, SIGALRM}) {
    signal(number, SIG_DFL);
  }
  const int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (silent >= 0) dup2(silent, STDERR_FILENO);  // each crash's report
  // A candidate that calls exit() ends its own process, and not this one's findings or engine: what
  // is registered last runs first.
  on_exit([](int status, void*) { _exit(status); }, nullptr);
  char turn = 0;
  while (read(from, &turn, 1) == 1) {
    const Divergence found = compare_(shared_->data.data(), shared_->size);
    copy(shared_->kind, found.kind);
    copy(shared_->rule, found.rule);
    copy(shared_->what, found.what);
    if (write(to, &turn, 1) != 1) break;
  }
  _exit(0);
}

Divergence Forked::run(const uint8_t* data, size_t size, const Reference& reference) {
  if (size > Host::most_file_bytes) return {};
  if (server_ < 0) start();
  shared_->size = size;
  if (size != 0) std::memcpy(shared_->data.data(), data, size);
  char turn = 1;
  pollfd answer = {from_server_, POLLIN, 0};
  const bool sent = write(to_server_, &turn, 1) == 1;
  const bool answered =
      sent && poll(&answer, 1, patience_ms) == 1 && read(from_server_, &turn, 1) == 1;
  if (answered) return {shared_->kind.data(), shared_->rule.data(), shared_->what.data()};
  int status = 0;
  const bool hung = sent && answer.revents == 0;
  if (hung) kill(server_, SIGKILL);
  waitpid(server_, &status, 0);
  close(to_server_);
  close(from_server_);
  server_ = -1;
  std::string what = "hangs";
  if (!hung) {
    what = WIFSIGNALED(status) ? std::string("ends by signal ") + strsignal(WTERMSIG(status))
                               : "exits with " + std::to_string(WEXITSTATUS(status));
  }
  return {"crash", reference.rule(), what};
}

}  // namespace aoti_cts::fuzz
