// Where backends are found by name: one registry for each mode of tensors, in a library of its own,
// so that all that is loaded into a process shares the two.
//
// A backend takes the tensors of its mode by address; one that were found in the other mode's
// registry would read them as what they are not.
#pragma once

#include <cstdint>
#include <string>

namespace aoti_cts::delegate {

enum class Mode : uint32_t { portable, aten };

/// What a registry holds of a backend. Lives until it is removed.
struct Backend {
  const char* name;  ///< what programs name it by
};

#define AOTI_REGISTRY_API __attribute__((visibility("default")))

/// Adds a backend. Returns false where the mode has one of that name already. Thread-safe, as all
/// of these.
AOTI_REGISTRY_API bool add_backend(Mode mode, const Backend& backend);
/// Takes it away again; does nothing where it was not added.
AOTI_REGISTRY_API void remove_backend(Mode mode, const Backend& backend);
/// The backend of that name, or null.
AOTI_REGISTRY_API const Backend* find_backend(Mode mode, const std::string& name);

}  // namespace aoti_cts::delegate
