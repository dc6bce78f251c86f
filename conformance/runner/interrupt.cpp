// See interrupt.h.
#include "runner/interrupt.h"

namespace aoti_cts::runner {
namespace {

volatile sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction ours {};
    ours.sa_handler = note;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);  // and no SA_RESTART: waits end
    sigaction(signals[i], &ours, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

int Interrupt::signal() { return noted; }

}  // namespace aoti_cts::runner
