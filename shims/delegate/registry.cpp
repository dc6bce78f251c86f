// See registry.h.
#include "delegate/registry.h"

#include <array>
#include <map>
#include <mutex>

namespace aoti_cts::delegate {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, const Backend*> backends;
};

Registry& registry(Mode mode) {
  // Never destroyed: libraries that are closed at exit still remove what they added.
  static auto& both = *new std::array<Registry, 2>;
  return both.at(static_cast<uint32_t>(mode));
}

}  // namespace

bool add_backend(Mode mode, const Backend& backend) {
  Registry& to = registry(mode);
  const std::lock_guard lock(to.mutex);
  return to.backends.emplace(backend.name, &backend).second;
}

void remove_backend(Mode mode, const Backend& backend) {
  Registry& from = registry(mode);
  const std::lock_guard lock(from.mutex);
  const auto found = from.backends.find(backend.name);
  if (found != from.backends.end() && found->second == &backend) from.backends.erase(found);
}

const Backend* find_backend(Mode mode, const std::string& name) {
  Registry& in = registry(mode);
  const std::lock_guard lock(in.mutex);
  const auto found = in.backends.find(name);
  return found == in.backends.end() ? nullptr : found->second;
}

}  // namespace aoti_cts::delegate
