// The registry: lookups, checks, and the texts of the errors.
#include "device_map/device_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "device_map/identifier.h"

namespace aoti_cts::device_map {
namespace {

constexpr std::string_view form = "at::k";
constexpr std::size_t shown_bytes = 200;

/// Escapes what a terminal would act on or not show; bytes above ASCII stay where `ascii` is false.
void append_escaped(std::string& out, std::string_view text, bool ascii) {
  for (const char ch : text) {
    const auto byte = static_cast<unsigned char>(ch);
    if (ch == '\\' || ch == '\'') {
      out += '\\';
      out += ch;
    } else if (ch == '\n') {
      out += "\\n";
    } else if (ch == '\r') {
      out += "\\r";
    } else if (ch == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F || (ascii && byte >= 0x80)) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += ch;
    }
  }
}

std::string quoted(std::string_view text, bool ascii) {
  std::string_view head = text.substr(0, shown_bytes);
  // Never in the middle of a UTF-8 sequence.
  while (head.size() < text.size() && !head.empty() &&
         (static_cast<unsigned char>(text[head.size()]) & 0xC0U) == 0x80U) {
    head.remove_suffix(1);
  }
  std::string out = "'";
  append_escaped(out, head, ascii);
  out += '\'';
  if (head.size() < text.size()) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

const char* op_name(Op op) {
  switch (op) {
    case Op::SetDevice:
      return "set_device";
    case Op::Synchronize:
      return "synchronize";
    case Op::DeviceGuard:
      return "device_guard";
    case Op::KernelType:
      return "cpp_kernel_type";
  }
  return "?";
}

}  // namespace

std::string quote(std::string_view text) { return quoted(text, false); }

std::string show(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Text:
      return quoted(value.text, false);
    case Value::Kind::Bytes:
      return "b" + quoted(value.text, true);
    case Value::Kind::None:
      return "None";
    case Value::Kind::Integer:
      return fmt::format("{}", value.integer);
  }
  return "?";
}

std::string DeviceOpOverrides::code(Op op, std::int64_t /*device_index*/) const {
  throw std::logic_error(fmt::format("{} does not implement {}()", class_name(), op_name(op)));
}

std::string NoOpDeviceOpOverrides::code(Op op, std::int64_t /*device_index*/) const {
  switch (op) {
    case Op::SetDevice:
    case Op::Synchronize:
      return "pass";
    case Op::DeviceGuard:
      return "torch._ops.contextlib.nullcontext()";
    case Op::KernelType:
      return "void*";
  }
  throw std::logic_error("NoOpDeviceOpOverrides: unknown operation");
}

void Registry::put(std::string device, Overrides overrides) {
  const std::lock_guard<std::mutex> lock(mutex_);
  overrides_[std::move(device)] = std::move(overrides);
}

bool Registry::has(std::string_view device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return overrides_.find(device) != overrides_.end();
}

void Registry::add(std::string device, Overrides overrides) {
  if (overrides == nullptr) {
    throw std::invalid_argument(fmt::format("device {}: overrides are null", quote(device)));
  }
  put(std::move(device), std::move(overrides));
}

void Registry::set_discovery(std::function<void(Registry&)> discovery) {
  const std::lock_guard<std::recursive_mutex> lock(initialise_mutex_);
  if (initialised_) throw std::logic_error("the discovery is set after the first lookup");
  discovery_ = std::move(discovery);
}

void Registry::register_builtins() {
  const std::lock_guard<std::mutex> lock(mutex_);
  // emplace: what was registered on purpose before the first lookup stays.
  for (auto& [device, overrides] : builtin_overrides()) {
    overrides_.emplace(std::move(device), std::move(overrides));
  }
  ++initialisations_;
}

void Registry::initialise() {
  const std::lock_guard<std::recursive_mutex> lock(initialise_mutex_);
  // A flag, not a look whether anything is registered: others may have come first.
  if (initialised_) return;
  initialised_ = true;
  register_builtins();
  if (!discovery_) return;
  try {
    discovery_(*this);
  } catch (const std::exception& error) {
    // The built-ins answer all the same; a lookup that fails for want of a backend says this.
    discovery_error_ = error.what();
  }
}

Overrides Registry::overrides_of(std::string_view device) {
  initialise();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = overrides_.find(device);
  return found == overrides_.end() ? nullptr : found->second;
}

std::vector<std::string> Registry::devices() {
  initialise();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  names.reserve(overrides_.size());
  for (const auto& row : overrides_) names.push_back(row.first);
  return names;
}

int Registry::initialisations() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return initialisations_;
}

std::string Registry::unregistered_message(std::string_view device) {
  std::string message = fmt::format(
      "no ATen device type for device {}: no overrides are registered for it", quote(device));
  const std::lock_guard<std::recursive_mutex> lock(initialise_mutex_);
  if (!discovery_error_.empty()) {
    message += fmt::format(" (looking for further backends failed: {})", discovery_error_);
  }
  return message;
}

std::string Registry::aten_device_type(std::string_view device) {
  if (device == "meta") return "at::kMeta";  // has no overrides, and needs none
  const Overrides overrides = overrides_of(device);
  if (overrides == nullptr) {
    throw MapError(unregistered_message(device), std::string(device), "", "");
  }
  std::optional<Value> value;
  try {
    value = overrides->aten_device_type();
  } catch (const std::exception& error) {
    const std::string name = overrides->class_name();
    throw MapError(
        fmt::format("no ATen device type for device {}: {}.aten_device_type() raised: {}",
                    quote(device), name, error.what()),
        std::string(device), name, "");
  }
  return checked(device, *overrides, value);
}

std::string Registry::checked(std::string_view device, const DeviceOpOverrides& overrides,
                              const std::optional<Value>& value) const {
  const std::string name = overrides.class_name();
  if (!value) {
    throw MapError(fmt::format("no ATen device type for device {}: {} does not implement "
                               "aten_device_type()",
                               quote(device), name),
                   std::string(device), name, "");
  }
  const std::string shown = show(*value);
  const std::string gave =
      fmt::format("device {}: {}.aten_device_type() gave {}", quote(device), name, shown);
  if (value->kind != Value::Kind::Text || value->text.compare(0, form.size(), form) != 0) {
    throw MapError(gave + ", wanted is text of the form at::kName", std::string(device), name,
                   shown);
  }
  const std::string_view suffix = std::string_view(value->text).substr(form.size());
  if (const auto fault = identifier_fault(suffix)) {
    throw MapError(fmt::format("{}: what follows at::k is no C++ identifier, at byte {}: {}", gave,
                               form.size() + fault->offset, fault->reason),
                   std::string(device), name, shown);
  }
  return value->text;
}

std::string getter_of(std::string_view answer) {
  if (answer.substr(0, form.size()) != form) {
    throw std::invalid_argument(fmt::format("{} lacks the form at::kName", quote(answer)));
  }
  std::string getter = "aoti_torch_device_type_";
  for (const char ch : answer.substr(form.size())) {
    if (static_cast<unsigned char>(ch) >= 0x80) {
      throw std::invalid_argument(
          fmt::format("{}: a suffix beyond ASCII has no getter that we could name", quote(answer)));
    }
    getter += (ch >= 'A' && ch <= 'Z') ? static_cast<char>(ch - 'A' + 'a') : ch;
  }
  return getter;
}

}  // namespace aoti_cts::device_map
