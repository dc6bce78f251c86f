// The reference loader behind the suite's C interface (aoti_cts/loader.h), and where its mutants
// take hold.
#pragma once

#include <aoti_cts/loader.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "loader/loader.h"

namespace aoti_cts::loader::plugin {

/// A model in its library, and the container that was made of it.
class Blob {
 public:
  virtual ~Blob() = default;
  virtual const std::string& path() const = 0;
};

/// The steps, and what else a mutant may do wrong.
struct Faults : Steps {
  /// Throws Error, and then leaves nothing.
  virtual std::unique_ptr<Blob> load_blob(const AotiCtsLoaderInput& input, const char* device);
  /// The device string for the model's container, of the one that the caller gave.
  virtual std::string device(const std::string& given) { return given; }
  /// What the model said of its failure; empty where it said nothing.
  virtual std::string reason(const std::string& said) { return said; }
  /// Called when no container could be made, before the library is closed; true forgets it instead.
  virtual bool forgets_failed() { return false; }
  /// What the caller is told.
  virtual std::string message(const std::exception& error) { return error.what(); }
};

/// load() and load_on() of the interface. Never throws.
int32_t load(const AotiCtsLoaderInput* input, const char* device, Faults& faults,
             AotiCtsLoaderLibrary* library, AotiCtsLoaderError* error);
void destroy(void* handle);

/// The interface's table over a subclass of Faults.
template <class F>
const AotiCtsLoader* table(const char* name) {
  static F faults;
  static const AotiCtsLoader the_table = {
      sizeof(AotiCtsLoader),
      AOTI_CTS_LOADER_VERSION,
      name,
      [](const AotiCtsLoaderInput* input, AotiCtsLoaderLibrary* library,
         AotiCtsLoaderError* error) { return load(input, "cpu", faults, library, error); },
      destroy,
      [](const AotiCtsLoaderInput* input, const char* device, AotiCtsLoaderLibrary* library,
         AotiCtsLoaderError* error) { return load(input, device, faults, library, error); }};
  return &the_table;
}

}  // namespace aoti_cts::loader::plugin
