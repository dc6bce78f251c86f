// The reference mapping from Inductor's device names to ATen device types.
//
// Inductor asks the overrides that a backend registered for its device; generated code calls the
// getter that the answer names. The reference is a registry object and nothing else: there is no
// table to assign, and no process-wide instance. Its members are virtual because each mutant of
// section MAP is a registry with one of them done wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace aoti_cts::device_map {

/// What overrides answered. In Inductor the answer is any Python object, so that a mapping has to
/// check it; these are the kinds that tests use.
struct Value {
  enum class Kind { Text, Bytes, None, Integer };
  Kind kind = Kind::None;
  std::string text;          ///< Text (UTF-8) and Bytes
  std::int64_t integer = 0;  ///< Integer
};

/// The value as an error shows it: texts in quotes with escapes ('kCUDA', b'at::kCPU'), None, 9.
/// Long texts are cut after 200 bytes, and the text says how long they were.
std::string show(const Value& value);
/// The same for a device name.
std::string quote(std::string_view text);

/// Source text that Inductor asks overrides for, beside the device type.
enum class Op { SetDevice, Synchronize, DeviceGuard, KernelType };

/// A backend's device-specific answers. Members may be called from many threads at once.
class DeviceOpOverrides {
 public:
  virtual ~DeviceOpOverrides() = default;

  /// Named in errors.
  virtual std::string class_name() const = 0;

  /// The ATen device type as C++ source, at::kCUDA for one; nothing where neither this class nor a
  /// base implements it. A thrown exception stands for one raised in Python.
  virtual std::optional<Value> aten_device_type() const { return std::nullopt; }

  /// Source text for an operation on the device with this index; throws std::logic_error where it
  /// is not implemented.
  virtual std::string code(Op op, std::int64_t device_index) const;
};

/// Overrides of devices without device management. They say nothing of the device type: a backend
/// that shares them must not become the CPU.
class NoOpDeviceOpOverrides : public DeviceOpOverrides {
 public:
  std::string class_name() const override { return "NoOpDeviceOpOverrides"; }
  std::string code(Op op, std::int64_t device_index) const override;
};

/// The CPU's: the no-op ones and a device type.
class CpuDeviceOpOverrides : public NoOpDeviceOpOverrides {
 public:
  std::string class_name() const override { return "CpuDeviceOpOverrides"; }
  std::optional<Value> aten_device_type() const override;
};

/// No device type for this device. what() names the device and, as far as they are known, the
/// class of its overrides and the offending value.
class MapError : public std::runtime_error {
 public:
  MapError(const std::string& message, std::string device_name, std::string overrides_class,
           std::string shown_value)
      : std::runtime_error(message),
        device(std::move(device_name)),
        override_class(std::move(overrides_class)),
        value(std::move(shown_value)) {}
  std::string device;
  std::string override_class;  ///< empty: nothing is registered
  std::string value;           ///< as show() gives it; empty: no value was given
};

using Overrides = std::shared_ptr<const DeviceOpOverrides>;

/// One mapping. All members are thread-safe; overrides are asked without a lock held, so that they
/// may use the registry themselves.
class Registry {
 public:
  Registry() = default;
  virtual ~Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// Registers overrides for a device; a second registration replaces the first. Throws
  /// std::invalid_argument on null. Whenever it is called, it wins over the built-in ones.
  virtual void add(std::string device, Overrides overrides);

  /// Sets what finds further backends (entry points, for one). It is called once, at the first
  /// lookup and after the built-ins are in, and adds what it finds. Throws std::logic_error after
  /// that lookup.
  void set_discovery(std::function<void(Registry&)> discovery);

  /// The overrides of a device, null where none are registered. Registers the built-ins first.
  virtual Overrides overrides_of(std::string_view device);

  /// The device type as C++ source. Throws MapError.
  virtual std::string aten_device_type(std::string_view device);

  /// Names of all registered devices, built-ins included, sorted.
  std::vector<std::string> devices();

  /// How often the built-ins were registered: 0 before the first lookup, then 1.
  int initialisations();

 protected:
  /// Checks what overrides gave and returns it as text. Throws MapError.
  virtual std::string checked(std::string_view device, const DeviceOpOverrides& overrides,
                              const std::optional<Value>& value) const;

  /// Registers the built-ins and runs the discovery, both once.
  virtual void initialise();

  /// Puts overrides in without a look at what is there.
  void put(std::string device, Overrides overrides);
  bool has(std::string_view device);
  void register_builtins();

 private:
  std::string unregistered_message(std::string_view device);

  // Held while initialising, so that other threads wait; recursive, as the discovery uses the
  // registry. Taken before mutex_.
  std::recursive_mutex initialise_mutex_;
  bool initialised_ = false;
  std::function<void(Registry&)> discovery_;
  std::string discovery_error_;

  std::mutex mutex_;
  std::map<std::string, Overrides, std::less<>> overrides_;
  int initialisations_ = 0;
};

/// The built-in devices and their overrides: cpu, cuda, xpu, mps, and tpu and mtia, which have
/// overrides and no device type.
std::vector<std::pair<std::string, Overrides>> builtin_overrides();

/// The getter that generated code derives from an answer: at::kCUDA gives
/// aoti_torch_device_type_cuda. Throws std::invalid_argument for what lacks the at::k form, and for
/// a suffix beyond ASCII, whose lower case is a question of the generator's Unicode version.
std::string getter_of(std::string_view answer);

}  // namespace aoti_cts::device_map
