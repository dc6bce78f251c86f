// The reference delegate behind the suite's C interface (aoti_cts/delegate.h).
#pragma once

#include <aoti_cts/delegate.h>

#include "delegate/delegate.h"

namespace aoti_cts::delegate::plugin {

inline constexpr const char* backend_name = "AotiCtsReference";

/// A build of the backend: registered as its library is loaded, removed as it is closed.
class Build {
 public:
  Build(const Tensors& tensors, Steps& steps, const char* name);
  ~Build();
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  const AotiCtsDelegate& table() const { return table_; }

 private:
  Backend backend_{backend_name};
  std::vector<Mode> modes_;
  AotiCtsDelegate table_;
};

}  // namespace aoti_cts::delegate::plugin

/// Ends a plug-in's file: its Tensors, its Steps and its name.
#define AOTI_DELEGATE(T, S, name)                                                  \
  namespace {                                                                      \
  const T the_tensors;                                                             \
  S the_steps;                                                                     \
  const aoti_cts::delegate::plugin::Build the_build(the_tensors, the_steps, name); \
  }                                                                                \
  const AotiCtsDelegate* aoti_cts_delegate() { return &the_build.table(); }
