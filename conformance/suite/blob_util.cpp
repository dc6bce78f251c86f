#include "suite/blob_util.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "suite/files.h"
#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

/// The shim that a failed load names and the candidate lacks, or nothing.
std::string missing_shim(Case& c, std::string_view linker_error) {
  for (const AotiShimRow& row : aoti_shim_rows) {
    void* slot = nullptr;
    std::memcpy(&slot, reinterpret_cast<const char*>(&c.table()) + row.slot, sizeof slot);
    if (slot != nullptr) continue;
    std::string full = settings().prefix + row.name;
    const std::size_t at = linker_error.find(full);
    // A whole word: one shim's name may begin another's.
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + full.size();
    if (end == linker_error.size() || !isalnum(static_cast<unsigned char>(linker_error[end]))) {
      if (end < linker_error.size() && linker_error[end] == '_') continue;
      return full;
    }
  }
  return "";
}

std::vector<uint64_t> encoded(const DType& type, const std::vector<double>& values) {
  std::vector<uint64_t> bits;
  bits.reserve(values.size());
  for (const double value : values) bits.push_back(encode(type, value));
  return bits;
}

/// The geometry that the candidate reports.
Geometry seen(Case& c, AtenTensorHandle tensor, int64_t rank) {
  return {"", get_sizes(c, tensor, rank), get_strides(c, tensor, rank),
          get_storage_offset(c, tensor)};
}

void judge_elements(Case& c, std::string_view name, AtenTensorHandle output, const DType& type,
                    const Geometry& geometry, const std::vector<double>& values) {
  if (values.empty()) return;
  const std::vector<uint64_t> have = read(get_data_ptr(c, output), geometry, type);
  const std::vector<uint64_t> want = encoded(type, values);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (c.judge(decode(type, have[i]), decode(type, want[i]),
                fmt::format("{}, element {}", name, i))) {
      continue;
    }
    return;  // the first that differs
  }
}

}  // namespace

void publish_candidate(Case& c) {
  need_files(c);
  try {
    blobs::publish(settings().candidate);
  } catch (const blobs::Error& error) {
    c.fail("making the candidate's shims visible to blobs", error.what(), "success");
    throw EndCase{};
  }
}

Fixture::Fixture(Case& c, std::string_view name, const char* device) : c_(c), name_(name) {
  publish_candidate(c);
  const std::string& prefix = settings().prefix;
  if (prefix.size() > blobs::placeholder().size()) {
    c.skip(fmt::format("the prefix has {} characters; fixture models take at most {}",
                       prefix.size(), blobs::placeholder().size()));
  }
  try {
    const std::string bytes =
        blobs::with_prefix(blobs::fixture(name), blobs::placeholder(), prefix);
    blob_ = std::make_unique<blobs::Blob>(bytes);
    container_ = std::make_unique<blobs::Container>(*blob_, device);
  } catch (const blobs::Error& error) {
    const std::string missing = missing_shim(c, error.what());
    if (!missing.empty()) {
      c.skip(fmt::format("needs {}, which the candidate does not export", missing));
    }
    c.fail(fmt::format("loading model {}", name), error.what(), "success");
    throw EndCase{};
  }
}

Fixture::Ran Fixture::run_raw(std::vector<AtenTensorHandle> inputs) {
  Ran ran{0, std::move(inputs), {}};
  ran.outputs.resize(container_->outputs());
  ran.error = container_->run(ran.inputs, ran.outputs);
  return ran;
}

std::vector<Tensor> Fixture::run(std::vector<Tensor> inputs) {
  std::vector<AtenTensorHandle> handles;
  handles.reserve(inputs.size());
  for (Tensor& input : inputs) handles.push_back(input.release());
  const Ran ran = run_raw(std::move(handles));
  if (ran.error != 0) {
    c_.fail(fmt::format("running model {}", name_),
            fmt::format("error {}: {}", ran.error, container_->last_error()), "success");
    throw EndCase{};
  }
  std::vector<Tensor> outputs;
  for (auto slot = ran.outputs.begin(); slot != ran.outputs.end(); ++slot) {
    const bool repeated = std::find(ran.outputs.begin(), slot, *slot) != slot;
    outputs.emplace_back(c_, repeated ? nullptr : *slot);
  }
  return outputs;
}

void Fixture::end() {
  const int32_t error = container_->end();
  c_.judge(error, 0, fmt::format("deleting the container of model {}", name_));
}

std::vector<double> iota(int64_t count, double first) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(first + static_cast<double>(i));
  return values;
}

Tensor floats(Case& c, const Geometry& geometry, const std::vector<double>& values) {
  Tensor tensor = empty(c, geometry, float32());
  if (values.empty()) return tensor;
  std::byte* first = get_data_ptr(c, tensor.get());
  for (std::size_t i = 0; i < values.size(); ++i) {
    store(first, element_at(geometry, static_cast<int64_t>(i)), float32(),
          encode(float32(), values[i]));
  }
  return tensor;
}

void judge_output(Case& c, std::string_view name, AtenTensorHandle output, const DType& type,
                  const Geometry& want, const std::vector<double>& values) {
  NEED(output != nullptr, true);
  NEED(get_dim(c, output), want.rank());
  const Geometry have = seen(c, output, want.rank());
  const bool right = c.judge(have.sizes, want.sizes, fmt::format("sizes of {}", name)) &&
                     c.judge(have.strides, want.strides, fmt::format("strides of {}", name)) &&
                     c.judge(have.offset, want.offset, fmt::format("offset of {}", name)) &&
                     c.judge(get_dtype(c, output), type.code, fmt::format("dtype of {}", name));
  if (right) judge_elements(c, name, output, type, want, values);
}

void judge_values(Case& c, std::string_view name, AtenTensorHandle output, const DType& type,
                  const std::vector<int64_t>& sizes, const std::vector<double>& values) {
  NEED(output != nullptr, true);
  NEED(get_dim(c, output), static_cast<int64_t>(sizes.size()));
  const Geometry have = seen(c, output, static_cast<int64_t>(sizes.size()));
  const bool right = c.judge(have.sizes, sizes, fmt::format("sizes of {}", name)) &&
                     c.judge(get_dtype(c, output), type.code, fmt::format("dtype of {}", name));
  if (right) judge_elements(c, name, output, type, have, values);
}

}  // namespace aoti_cts::suite
