// What a symbol's name says: whether it is a shim and under which prefix, which project it comes
// from, and how a person reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace aoti_cts::symbols {

/// A shim's name, taken apart: "executorch_" and "aoti_torch_clone".
struct ShimName {
  std::string_view prefix;
  std::string_view stem;
};

/// The parts of `name` where it is PREFIX + aoti_torch_... or PREFIX + aoti_record_function_...,
/// with a prefix that may be empty; nothing for any other name, mangled C++ names included.
std::optional<ShimName> shim_name(std::string_view name);

/// Whether the manifest has a row of that name (without prefix).
bool in_manifest(std::string_view stem);
/// The same, for rows of our own extensions alone.
bool is_extension(std::string_view stem);
/// Whether a hand-written operator shim is meant: manifest rows of tier cuda_ops, and names of
/// their form (aoti_torch_DEVICE_OPERATOR).
bool is_operator(std::string_view stem);

/// What a linker or the C start-up code puts into every library (_init, _edata, ...).
bool is_linker_name(std::string_view name);

/// The project that a symbol comes from, by its namespace or its name's start: "libstdc++",
/// "protobuf", ...; "shims", "linker" and "other" too.
std::string_view group_of(std::string_view name);
/// Whether the group is one that libraries usually link statically, so that --exclude-libs hides
/// it.
bool is_bundled(std::string_view group);

/// Whether a mangled name is of namespace at or c10.
bool is_aten(std::string_view name);

/// The C++ reading of a mangled name, or the name itself: also where the reading is longer than
/// anybody would read. Costs bounded time and memory, whatever the name. Not thread-safe.
std::string demangle(std::string_view name);

}  // namespace aoti_cts::symbols
