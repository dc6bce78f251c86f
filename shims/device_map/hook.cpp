// Carries calls of the plug-in interface to a registry: no exception leaves, texts are copied.
#include "device_map/hook.h"

#include <fmt/format.h>

#include <memory>

namespace aoti_cts::device_map {
namespace {

std::string_view view(AotiMapText text) {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}

void write(AotiMapSink sink, std::string_view text) {
  sink.write(sink.to, AotiMapText{text.data(), text.size()});
}

void append(void* to, AotiMapText text) { static_cast<std::string*>(to)->append(view(text)); }

/// Runs `body`, whose std::exception becomes AOTI_MAP_ERROR.
template <class Body>
int32_t guarded(AotiMapSink error, Body body) {
  try {
    body();
    return AOTI_MAP_OK;
  } catch (const std::exception& caught) {
    write(error, caught.what());
    return AOTI_MAP_ERROR;
  }
}

/// Overrides that came through the interface: asks them, and what they do not implement their base.
class HookedOverrides : public DeviceOpOverrides {
 public:
  explicit HookedOverrides(const AotiMapOverrides& from) : from_(from), base_(base_of(from)) {}

  std::string class_name() const override { return std::string(view(from_.class_name)); }

  std::optional<Value> aten_device_type() const override {
    if (from_.aten_device_type == nullptr) {
      return base_ == nullptr ? std::nullopt : base_->aten_device_type();
    }
    AotiMapValue given{};
    given.struct_size = sizeof given;
    std::string raised;
    const int32_t code =
        from_.aten_device_type(from_.context, &given, AotiMapSink{&raised, &append});
    if (code != AOTI_MAP_OK) throw std::runtime_error(raised);
    return value_of(given);
  }

  std::string code(Op op, std::int64_t device_index) const override {
    return base_ == nullptr ? DeviceOpOverrides::code(op, device_index)
                            : base_->code(op, device_index);
  }

 private:
  static Overrides base_of(const AotiMapOverrides& from) {
    switch (from.base_kind) {
      case AOTI_MAP_BASE_PLAIN:
      case AOTI_MAP_BASE_FOREIGN:
        return nullptr;
      case AOTI_MAP_BASE_NO_OP:
        return std::make_shared<NoOpDeviceOpOverrides>();
      case AOTI_MAP_BASE_CPU:
        return std::make_shared<CpuDeviceOpOverrides>();
      case AOTI_MAP_BASE_OTHER:
        if (from.base != nullptr) return std::make_shared<HookedOverrides>(*from.base);
        throw std::invalid_argument("overrides.base is null with base_kind AOTI_MAP_BASE_OTHER");
    }
    throw std::invalid_argument(
        fmt::format("overrides.base_kind is {}, known are 0 to 4", from.base_kind));
  }

  static Value value_of(const AotiMapValue& given) {
    switch (given.kind) {
      case AOTI_MAP_TEXT:
        return {Value::Kind::Text, std::string(view(given.text)), 0};
      case AOTI_MAP_BYTES:
        return {Value::Kind::Bytes, std::string(view(given.text)), 0};
      case AOTI_MAP_NONE:
        return {Value::Kind::None, "", 0};
      case AOTI_MAP_INTEGER:
        return {Value::Kind::Integer, "", given.integer};
    }
    throw std::invalid_argument(fmt::format("value.kind is {}, known are 0 to 3", given.kind));
  }

  AotiMapOverrides from_;
  Overrides base_;
};

HookedRegistry& registry(void* mapping) { return *static_cast<HookedRegistry*>(mapping); }

void destroy(void* mapping) { delete static_cast<HookedRegistry*>(mapping); }

int32_t add(void* mapping, AotiMapText device, const AotiMapOverrides* overrides,
            AotiMapSink error) {
  return guarded(error, [&] {
    if (overrides == nullptr) throw std::invalid_argument("overrides are null");
    if (overrides->struct_size < sizeof(AotiMapOverrides)) {
      throw std::invalid_argument(fmt::format("overrides.struct_size is {}, at least {} is needed",
                                              overrides->struct_size, sizeof(AotiMapOverrides)));
    }
    registry(mapping).add(std::string(view(device)), std::make_shared<HookedOverrides>(*overrides));
  });
}

int32_t lookup(void* mapping, AotiMapText device, AotiMapSink out) {
  return guarded(out, [&] { write(out, registry(mapping).aten_device_type(view(device))); });
}

int32_t devices(void* mapping, AotiMapSink out) {
  return guarded(out, [&] {
    for (const std::string& name : registry(mapping).devices()) write(out, name);
  });
}

int32_t code(void* mapping, AotiMapText device, AotiMapText operation, AotiMapSink out) {
  return guarded(out, [&] { write(out, registry(mapping).code(view(device), view(operation))); });
}

int32_t assign_table(void* mapping, const AotiMapEntry* entries, size_t count, AotiMapSink error) {
  return guarded(error, [&] {
    std::vector<std::pair<std::string, std::string>> table;
    for (size_t i = 0; i < count; ++i) {
      table.emplace_back(view(entries[i].device), view(entries[i].answer));
    }
    registry(mapping).assign_table(table);
  });
}

int32_t initialisations(void* mapping, int64_t* count) {
  *count = registry(mapping).initialisations();
  return AOTI_MAP_OK;
}

HookedRegistry* (*make_registry)() = nullptr;

void* create() {
  try {
    return make_registry();
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

std::string HookedRegistry::code(std::string_view device, std::string_view operation) {
  const Overrides overrides = overrides_of(device);
  if (overrides == nullptr) {
    throw MapError(fmt::format("no overrides are registered for device {}", quote(device)),
                   std::string(device), "", "");
  }
  constexpr std::pair<std::string_view, Op> operations[] = {
      {"set_device", Op::SetDevice},
      {"synchronize", Op::Synchronize},
      {"device_guard", Op::DeviceGuard},
      {"cpp_kernel_type", Op::KernelType},
  };
  for (const auto& [name, op] : operations) {
    if (name == operation) return overrides->code(op, 0);
  }
  throw std::invalid_argument(fmt::format("unknown operation {}", quote(operation)));
}

void HookedRegistry::assign_table(
    const std::vector<std::pair<std::string, std::string>>& /*entries*/) {
  throw std::logic_error("this mapping has no table");
}

const AotiMapHook* make_hook(HookedRegistry* (*make)(), bool with_table) {
  make_registry = make;
  static const AotiMapHook hook = {sizeof(AotiMapHook),
                                   AOTI_MAP_VERSION,
                                   &create,
                                   &destroy,
                                   &add,
                                   &lookup,
                                   &devices,
                                   &code,
                                   with_table ? &assign_table : nullptr,
                                   &initialisations};
  return &hook;
}

}  // namespace aoti_cts::device_map
