// The registry: what is particular to the reference. What the contract says of any mapping is in
// corpus/devmap, which the reference passes as any candidate does.
//
//   device_map_test --gtest_filter='DeviceMap.*'         [  PASSED  ]
#include "device_map/device_map.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace aoti_cts::device_map {
namespace {

/// Overrides whose answer is given.
class Given : public DeviceOpOverrides {
 public:
  explicit Given(Value value) : value_(std::move(value)) {}
  std::string class_name() const override { return "GivenOverrides"; }
  std::optional<Value> aten_device_type() const override { return value_; }

 private:
  Value value_;
};

class Silent : public DeviceOpOverrides {
 public:
  std::string class_name() const override { return "SilentOverrides"; }
};

class Raising : public DeviceOpOverrides {
 public:
  std::string class_name() const override { return "RaisingOverrides"; }
  std::optional<Value> aten_device_type() const override { throw std::runtime_error("no driver"); }
};

Overrides gives(std::string text) {
  return std::make_shared<Given>(Value{Value::Kind::Text, std::move(text), 0});
}

MapError error_of(Registry& registry, std::string_view device) {
  try {
    const std::string answer = registry.aten_device_type(device);
    ADD_FAILURE() << "have " << answer << ", want an error";
  } catch (const MapError& error) {
    return error;
  }
  return {"", "", "", ""};
}

bool says(const MapError& error, std::string_view text) {
  return std::string_view(error.what()).find(text) != std::string_view::npos;
}

TEST(DeviceMap, builtins_answer) {
  Registry registry;
  EXPECT_EQ(registry.initialisations(), 0);
  EXPECT_EQ(registry.aten_device_type("cpu"), "at::kCPU");
  EXPECT_EQ(registry.aten_device_type("cuda"), "at::kCUDA");
  EXPECT_EQ(registry.aten_device_type("xpu"), "at::kXPU");
  EXPECT_EQ(registry.aten_device_type("mps"), "at::kMPS");
  EXPECT_EQ(registry.aten_device_type("meta"), "at::kMeta");
  EXPECT_EQ(registry.initialisations(), 1);
  const std::vector<std::string> want = {"cpu", "cuda", "mps", "mtia", "tpu", "xpu"};
  EXPECT_EQ(registry.devices(), want);
}

TEST(DeviceMap, unregistered_names_the_device) {
  Registry registry;
  const MapError error = error_of(registry, std::string_view("a\0'b\n", 5));
  EXPECT_EQ(error.device, std::string("a\0'b\n", 5));
  EXPECT_EQ(error.override_class, "");
  EXPECT_TRUE(says(error, R"('a\x00\'b\n')")) << error.what();
}

TEST(DeviceMap, missing_names_device_and_class) {
  Registry registry;
  registry.add("npu", std::make_shared<Silent>());
  const MapError error = error_of(registry, "npu");
  EXPECT_EQ(error.override_class, "SilentOverrides");
  EXPECT_TRUE(says(error, "'npu'")) << error.what();
  EXPECT_TRUE(says(error, "SilentOverrides does not implement")) << error.what();
  EXPECT_TRUE(says(error_of(registry, "tpu"), "NoOpDeviceOpOverrides"));
  EXPECT_TRUE(says(error_of(registry, "mtia"), "MTIADeviceOpOverrides"));
}

TEST(DeviceMap, invalid_names_device_class_and_value) {
  struct Row {
    Value value;
    const char* shown;
  };
  const Row rows[] = {
      {{Value::Kind::None, "", 0}, "None"},
      {{Value::Kind::Integer, "", -9}, "-9"},
      {{Value::Kind::Bytes, "at::kCPU\xFF", 0}, R"(b'at::kCPU\xff')"},
      {{Value::Kind::Text, "kCUDA", 0}, "'kCUDA'"},
      {{Value::Kind::Text, "at::k", 0}, "'at::k'"},
      {{Value::Kind::Text, "at::k9", 0}, "'at::k9'"},
      {{Value::Kind::Text, "at::kFoo; bar", 0}, "'at::kFoo; bar'"},
      {{Value::Kind::Text, std::string("at::kA\0B", 8), 0}, R"('at::kA\x00B')"},
  };
  for (const Row& row : rows) {
    Registry registry;
    registry.add("npu", std::make_shared<Given>(row.value));
    const MapError error = error_of(registry, "npu");
    EXPECT_EQ(error.device, "npu");
    EXPECT_EQ(error.override_class, "GivenOverrides");
    EXPECT_EQ(error.value, row.shown);
    for (const char* part : {"'npu'", "GivenOverrides", row.shown}) {
      EXPECT_TRUE(says(error, part)) << error.what();
    }
  }
}

TEST(DeviceMap, long_values_are_cut_between_characters) {
  std::string text(199, 'a');
  text += "\xC3\x89";  // two bytes, the second beyond the cut
  text += std::string(1 << 20, 'b');
  const std::string have = quote(text);
  EXPECT_EQ(have, "'" + std::string(199, 'a') + "'... (1048777 bytes)");
}

TEST(DeviceMap, raised_text_is_kept) {
  Registry registry;
  registry.add("npu", std::make_shared<Raising>());
  const MapError error = error_of(registry, "npu");
  EXPECT_TRUE(says(error, "'npu'")) << error.what();
  EXPECT_TRUE(says(error, "RaisingOverrides.aten_device_type() raised: no driver")) << error.what();
}

TEST(DeviceMap, null_overrides_are_refused) {
  Registry registry;
  EXPECT_THROW(registry.add("npu", nullptr), std::invalid_argument);
}

TEST(DeviceMap, early_registration_wins_and_stops_nothing) {
  Registry registry;
  registry.add("cuda", gives("at::kPrivateUse1"));
  EXPECT_EQ(registry.aten_device_type("cpu"), "at::kCPU");
  EXPECT_EQ(registry.aten_device_type("cuda"), "at::kPrivateUse1");
}

TEST(DeviceMap, discovery_runs_once_before_the_first_answer) {
  Registry registry;
  int scans = 0;
  registry.set_discovery([&scans](Registry& self) {
    ++scans;
    // It may look up what is there already.
    EXPECT_EQ(self.aten_device_type("cpu"), "at::kCPU");
    self.add("lazy", gives("at::kPrivateUse1"));
  });
  for (int compile = 0; compile < 3; ++compile) {
    EXPECT_EQ(registry.aten_device_type("lazy"), "at::kPrivateUse1");
  }
  EXPECT_EQ(scans, 1);
  EXPECT_EQ(registry.initialisations(), 1);
  EXPECT_THROW(registry.set_discovery({}), std::logic_error);
}

TEST(DeviceMap, failed_discovery_spares_the_builtins) {
  Registry registry;
  registry.set_discovery([](Registry&) { throw std::runtime_error("entry point is broken"); });
  EXPECT_EQ(registry.aten_device_type("cuda"), "at::kCUDA");
  EXPECT_TRUE(says(error_of(registry, "lazy"), "entry point is broken"));
}

TEST(DeviceMap, getters) {
  EXPECT_EQ(getter_of("at::kCUDA"), "aoti_torch_device_type_cuda");
  EXPECT_EQ(getter_of("at::kPrivateUse1"), "aoti_torch_device_type_privateuse1");
  EXPECT_THROW(getter_of("kCUDA"), std::invalid_argument);
  EXPECT_THROW(getter_of("at::k\xC3\x89"), std::invalid_argument);
}

TEST(DeviceMap, threads) {
  Registry registry;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int id = 0; id < 8; ++id) {
    threads.emplace_back([&registry, &wrong, id] {
      const std::string mine = "dev" + std::to_string(id);
      for (int round = 0; round < 200; ++round) {
        const std::string want = "at::kDev" + std::to_string(round);
        registry.add(mine, gives(want));
        if (registry.aten_device_type(mine) != want) ++wrong;
        if (registry.aten_device_type("cuda") != "at::kCUDA") ++wrong;
        try {
          registry.aten_device_type("tpu");
          ++wrong;
        } catch (const MapError&) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(registry.devices().size(), 14U);
  EXPECT_EQ(registry.initialisations(), 1);
}

}  // namespace
}  // namespace aoti_cts::device_map
