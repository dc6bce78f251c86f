// See judge.h. A vector names a device as text: "cuda:1" is that device and no other; "cpu:5" is a
// CPU device that carries this raw index, or 0; "cpu" is any CPU device in portable mode and the
// one without an index in ATen mode.
#include "parser/judge.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <system_error>

namespace aoti_cts::parser {
namespace {

using nlohmann::json;

/// ExecuTorch's numbers for the errors that vectors name.
const std::map<std::string, int32_t>& error_numbers() {
  static const std::map<std::string, int32_t> numbers = {{"NotSupported", 0x10},
                                                         {"InvalidArgument", 0x12},
                                                         {"MemoryAllocationFailed", 0x21},
                                                         {"InvalidProgram", 0x23}};
  return numbers;
}

bool device_fits(const std::string& want, int32_t type, int32_t index, int32_t mode) {
  const size_t colon = want.find(':');
  const bool cpu = want.compare(0, 3, "cpu") == 0;
  if (type != (cpu ? 0 : 1)) return false;
  if (colon == std::string::npos) return mode == AOTI_CTS_PARSER_PORTABLE || index == -1;
  const int number = std::stoi(want.substr(colon + 1));
  return index == number || (cpu && index == 0);
}

void judge_buffer(const Buffer& named, const std::string& want, int32_t mode, const Parsed& parsed,
                  std::vector<Finding>& out) {
  const std::string name = named.method == 0
                               ? fmt::format("buffer {}", named.number)
                               : fmt::format("buffer {} of method {}", named.number, named.method);
  const auto& all = parsed.buffers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Buffer& buffer) {
    return buffer.method == named.method && buffer.number == named.number;
  });
  if (found == all.end()) {
    out.push_back({wrong_buffer, fmt::format("{} was never asked for", name), want});
  } else if (!device_fits(want, found->device_type, found->device_index, mode)) {
    const std::string device = device_text(found->device_type, found->device_index);
    out.push_back({wrong_buffer, fmt::format("{} on {}", name, device), want});
  }
}

/// `want` has the planned buffers of all methods, one method's behind the other's.
void judge_buffers(const Recipe& recipe, const json& want, int32_t mode, const Parsed& parsed,
                   std::vector<Finding>& out) {
  Buffer named;
  for (const json& device : want) {
    while (named.method < recipe.planned.size() && named.number == recipe.planned[named.method]) {
      ++named.method;
      named.number = 0;
    }
    ++named.number;
    judge_buffer(named, device.get<std::string>(), mode, parsed, out);
  }
}

/// Where a data pointer leads, in a vector's words: "1+16", "file+640", "external:weight", "null".
std::string data_text(const Tensor& tensor, const Recipe& recipe, const Parsed& parsed) {
  const auto at = reinterpret_cast<uintptr_t>(tensor.raw.data);
  if (at == 0) return "null";
  const auto file = reinterpret_cast<uintptr_t>(parsed.file());
  if (at - file < recipe.size) return fmt::format("file+{}", at - file);
  for (const Buffer& buffer : parsed.buffers()) {
    const auto base = reinterpret_cast<uintptr_t>(buffer.base);
    if (buffer.method == tensor.raw.method && at - base <= buffer.bytes) {
      return fmt::format("{}+{}", buffer.number, at - base);
    }
  }
  for (const External& given : parsed.externals()) {
    if (given.base == tensor.raw.data) return "external:" + given.name;
  }
  return fmt::format("{:#x}", at);
}

/// Up to 4096 bytes at `address`, fewer or none where nobody may read them: the system looks.
std::vector<uint8_t> readable(const void* address, size_t bytes) {
  std::vector<uint8_t> read_back(std::min<size_t>(bytes, 4096));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const ssize_t written = write(ends[1], address, read_back.size());
  const ssize_t read_bytes = written > 0 ? read(ends[0], read_back.data(), read_back.size()) : 0;
  close(ends[0]);
  close(ends[1]);
  read_back.resize(static_cast<size_t>(std::max<ssize_t>(read_bytes, 0)));
  return read_back;
}

/// Whether a parser copied what it should show, as far as the system can read there: the elements
/// have a byte at least. `original` tells the byte at each place.
template <class Original>
bool is_copy(const Tensor& tensor, uint64_t most, const Original& original) {
  uint64_t bytes = 1;
  for (const int64_t size : tensor.sizes) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) {
      return false;
    }
  }
  if (bytes > most) return false;
  const std::vector<uint8_t> have = readable(tensor.raw.data, bytes);
  if (have.size() != std::min<uint64_t>(bytes, 4096)) return false;
  for (size_t i = 0; i < have.size(); ++i) {
    if (have[i] != original(i)) return false;
  }
  return true;
}

/// Whether what lies elsewhere is a copy of what `want` names: a constant, or data outside of the
/// file.
bool is_copy_of(const std::string& want, const Tensor& tensor, const Recipe& recipe) {
  const std::string file = "file+";
  const std::string external = "external:";
  if (want.compare(0, file.size(), file) == 0) {
    const uint64_t at = std::stoull(want.substr(file.size()));
    return at <= recipe.size &&
           is_copy(tensor, recipe.size - at, [&](size_t i) { return recipe.file[at + i]; });
  }
  if (want.compare(0, external.size(), external) != 0) return false;
  const uint8_t byte = external_byte(want.substr(external.size()));
  return is_copy(tensor, UINT64_MAX, [&](size_t) { return byte; });
}

void judge_data(const Tensor& tensor, const std::string& want, const Recipe& recipe,
                const Parsed& parsed, std::vector<Finding>& out) {
  const std::string have = data_text(tensor, recipe, parsed);
  if (have == want) return;
  // Where there is no byte there need be no data: at::Tensor has none.
  const auto& sizes = tensor.sizes;
  if (have == "null" && std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  // Whether the parser or its caller looks data up that lies outside of the file, is the runtime's.
  if (have == "null" && want.compare(0, 9, "external:") == 0) return;
  if (have.compare(0, 2, "0x") == 0 && is_copy_of(want, tensor, recipe)) return;
  out.push_back({wrong_data, have, want});
}

/// What the description of a tensor has to show: each list in the order of the recipe's tensors.
void judge_shown(const Tensor& tensor, const json& answer, size_t index,
                 std::vector<Finding>& out) {
  const auto want = [&](const char* key) {
    return answer.contains(key) ? answer.at(key).at(index) : json();
  };
  const json type = want("scalar_types");
  if (!type.is_null() && type != tensor.raw.scalar_type) {
    out.push_back({wrong_type, std::to_string(tensor.raw.scalar_type), type.dump()});
  }
  const json sizes = want("sizes");
  if (!sizes.is_null() && sizes != json(tensor.sizes)) {
    out.push_back({wrong_sizes, json(tensor.sizes).dump(), sizes.dump()});
  }
  const json strides = want("strides");
  bool differ = !strides.is_null() && strides.size() != tensor.strides.size();
  for (size_t i = 0; !strides.is_null() && !differ && i < strides.size(); ++i) {
    differ = !strides[i].is_null() && strides[i] != tensor.strides[i];
  }
  if (differ) out.push_back({wrong_strides, json(tensor.strides).dump(), strides.dump()});
}

void judge_tensors(const Recipe& recipe, const json& answer, int32_t mode, const Parsed& parsed,
                   std::vector<Finding>& out) {
  const json& devices = answer.at("devices");
  std::vector<bool> seen(devices.size());
  for (const Tensor& tensor : parsed.tensors()) {
    const int64_t index = tensor_index(recipe, tensor.raw);
    if (index < 0 || index >= static_cast<int64_t>(devices.size())) {
      out.push_back({wrong_tensors,
                     fmt::format("a tensor named {} {} of method {}", tensor.raw.named_by,
                                 tensor.raw.index, tensor.raw.method),
                     "a tensor of the program"});
      continue;
    }
    seen[static_cast<size_t>(index)] = true;
    const auto want = devices[static_cast<size_t>(index)].get<std::string>();
    if (!device_fits(want, tensor.raw.device_type, tensor.raw.device_index, mode)) {
      out.push_back({wrong_device,
                     fmt::format("tensor {} on {}", index,
                                 device_text(tensor.raw.device_type, tensor.raw.device_index)),
                     want});
    }
    judge_shown(tensor, answer, static_cast<size_t>(index), out);
    if (!answer.contains("data")) continue;
    const auto place = answer.at("data").at(static_cast<size_t>(index)).get<std::string>();
    judge_data(tensor, place, recipe, parsed, out);
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    const Place place = recipe.tensors.at(i);
    const auto& inputs = recipe.inputs.at(place.method);
    // A candidate may know a method's inputs alone; those it has to list.
    if (!seen[i] && std::find(inputs.begin(), inputs.end(), place.value) != inputs.end()) {
      out.push_back({wrong_tensors, fmt::format("no tensor {}", i), "all inputs that are tensors"});
    }
  }
}

}  // namespace

const char* mode_name(int32_t mode) { return mode == AOTI_CTS_PARSER_ATEN ? "aten" : "portable"; }

bool is_judged(const Vector& vector, int32_t mode) {
  return vector.expect.contains(mode_name(mode));
}

std::string device_text(int32_t type, int32_t index) {
  const std::string name = type == 0 ? "cpu" : type == 1 ? "cuda" : fmt::format("type {}", type);
  return type == 0 && index == -1 ? name : fmt::format("{}:{}", name, index);
}

int64_t tensor_index(const Recipe& recipe, const AotiCtsParserTensor& tensor) {
  Place place{tensor.method, tensor.index};
  if (tensor.named_by != AOTI_CTS_PARSER_BY_VALUE) {
    if (tensor.named_by != AOTI_CTS_PARSER_BY_INPUT &&
        tensor.named_by != AOTI_CTS_PARSER_BY_OUTPUT) {
      return -1;
    }
    const auto& lists =
        tensor.named_by == AOTI_CTS_PARSER_BY_INPUT ? recipe.inputs : recipe.outputs;
    if (tensor.method >= lists.size() || tensor.index >= lists[tensor.method].size()) return -1;
    place.value = lists[tensor.method][tensor.index];
  }
  const auto found = std::find(recipe.tensors.begin(), recipe.tensors.end(), place);
  return found == recipe.tensors.end() ? -1 : found - recipe.tensors.begin();
}

std::vector<Finding> judge(const Recipe& recipe, const Vector& vector, int32_t mode,
                           const Parsed& parsed) {
  std::vector<Finding> out;
  const json& answer = vector.expect.at(mode_name(mode));
  const auto verdict = answer.at("verdict").get<std::string>();
  if (!parsed.broken().empty()) out.push_back({wrong_tensors, parsed.broken(), "none of it"});
  if (verdict == "valid") {
    if (!parsed.accepted()) {
      out.push_back({refused_valid, parsed.error(), "accepted"});
    } else {
      judge_tensors(recipe, answer, mode, parsed, out);
      if (answer.contains("buffers")) {
        judge_buffers(recipe, answer.at("buffers"), mode, parsed, out);
      }
    }
  } else if (verdict == "invalid") {
    const auto error = answer.at("error").get<std::string>();
    const std::string want =
        error == "any" ? "an error" : fmt::format("{} ({:#x})", error, error_numbers().at(error));
    if (parsed.accepted()) {
      out.push_back({accepted_invalid, "accepted", want});
    } else if (error != "any" && parsed.code() != error_numbers().at(error)) {
      out.push_back({wrong_error, parsed.error(), want});
    }
  } else if (parsed.accepted() && answer.contains("devices")) {
    judge_tensors(recipe, answer, mode, parsed, out);
  }
  return out;
}

}  // namespace aoti_cts::parser
