// The mapping from device names to ATen device types, on any sequence of registrations and
// look-ups.
//
//   ./dev fuzz device_map
//   build/dev/fuzz/fuzz_device_map FILE|FOLDER...      "N inputs were run, from M files"
//
// An input is text, a step a line:
//   NAME=ANSWER    registers overrides that answer this text
//   NAME#KIND      overrides that answer nothing (n), None (0), an integer (i), bytes (b), raise
//   (r) NAME           looks the device up
//
// Oracle. A model, which is a map of what was registered last: an answer comes back as it was given
// where it is at::k and an identifier, and is an error that names the device and shows the value
// where it is not; a device that nobody registered is an error; the built-in ones answer as they do
// whenever they are asked, and are registered once. What an identifier is beyond ASCII is not
// judged, nor what registering meta does.
//
// fuzz-link: aoti_cts_device_map
// fuzz-dictionary: device_map.dict
#include "device_map/device_map.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "support/deterministic.h"
#include "support/finding.h"

namespace {

using namespace aoti_cts::device_map;
using aoti_cts::fuzz::finding;

constexpr size_t most_steps = 64;

class Answers : public DeviceOpOverrides {
 public:
  Answers(std::optional<Value> value, bool raises) : value_(std::move(value)), raises_(raises) {}
  std::string class_name() const override { return "Answers"; }
  std::optional<Value> aten_device_type() const override {
    if (raises_) throw std::runtime_error("raised");
    return value_;
  }

 private:
  std::optional<Value> value_;
  bool raises_;
};

enum class Want { answer, error, open };

/// What is expected of a look-up.
struct Expected {
  Want want = Want::error;
  std::string text;
};

bool is_letter(char ch) {
  return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

Expected expected_of(const std::string& answer) {
  for (const char ch : answer) {
    if (static_cast<unsigned char>(ch) >= 0x80) return {Want::open, answer};
  }
  if (answer.rfind("at::k", 0) != 0 || answer.size() == 5) return {Want::error, answer};
  for (size_t i = 5; i < answer.size(); ++i) {
    const bool digit = answer[i] >= '0' && answer[i] <= '9';
    if (!is_letter(answer[i]) && !(digit && i > 5)) return {Want::error, answer};
  }
  return {Want::answer, answer};
}

class Model {
 public:
  Model() {
    for (const auto& [name, answer] : {std::pair("cpu", "at::kCPU"), std::pair("cuda", "at::kCUDA"),
                                       std::pair("xpu", "at::kXPU"), std::pair("mps", "at::kMPS"),
                                       std::pair("meta", "at::kMeta")}) {
      known_[name] = {Want::answer, answer};
    }
  }

  void step(std::string_view line) {
    const size_t mark = line.find_first_of("=#");
    const std::string name(line.substr(0, mark));
    if (mark == std::string_view::npos) return look_up(name);
    const std::string rest(line.substr(mark + 1));
    const bool text = line[mark] == '=';
    std::optional<Value> value;
    if (text) value = Value{Value::Kind::Text, rest, 0};
    const char kind = rest.empty() ? 'n' : rest[0];
    if (!text && kind == '0') value = Value{};
    if (!text && kind == 'i') value = Value{Value::Kind::Integer, "", 9};
    if (!text && kind == 'b') value = Value{Value::Kind::Bytes, "at::kCPU", 0};
    registry_.add(name, std::make_shared<Answers>(value, !text && kind == 'r'));
    known_[name] = text ? expected_of(rest) : Expected{};
    if (name == "meta") known_[name].want = Want::open;
  }

 private:
  void look_up(const std::string& name) {
    const auto found = known_.find(name);
    const Expected want = found == known_.end() ? Expected{} : found->second;
    std::string have;
    bool error = false;
    try {
      have = registry_.aten_device_type(name);
    } catch (const MapError& thrown) {
      error = true;
      if (thrown.device != name) finding("an error names another device", thrown.what());
      if (std::string(thrown.what()).empty()) finding("an error without words", name);
    } catch (const std::runtime_error& thrown) {
      error = true;  // raised by the overrides
      if (std::string(thrown.what()) != "raised")
        finding("an error of another kind", thrown.what());
    }
    asked_ |= name != "meta";  // which needs nobody's overrides
    if (registry_.initialisations() > 1 || (asked_ && registry_.initialisations() != 1)) {
      finding("the built-ins are not registered once", name);
    }
    if (want.want == Want::open) return;
    if (error && want.want == Want::answer) finding("an error, though there is an answer", name);
    if (!error && want.want == Want::error) finding("an answer, though it is an error", name);
    if (!error && have != want.text) finding("another answer", name + ": " + have);
  }

  Registry registry_;
  bool asked_ = false;
  std::map<std::string, Expected> known_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const aoti_cts::fuzz::Deterministic inside(data, size);
  std::string_view text(reinterpret_cast<const char*>(data), size);
  Model model;
  for (size_t steps = 0; !text.empty() && steps < most_steps; ++steps) {
    const size_t end = text.find('\n');
    model.step(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return 0;
}
