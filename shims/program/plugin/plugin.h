// What the reference's plug-ins share: parsing through the core, planned memory from the host, and
// the C interface. A plug-in adds its builder.
#pragma once

#include <memory>
#include <vector>

#include "aoti_cts/parser.h"
#include "aoti_program/portable.h"

namespace aoti_cts::program::plugin {

/// A parsed program behind the interface's void*. What a tensor is made of is the subclass's.
class Loaded {
 public:
  virtual ~Loaded() = default;
  /// After parsing, before memory is asked for.
  virtual void described() {}
  /// Makes the tensors. Returns false, with `error` filled, where that fails.
  virtual bool build(const Memory& memory, AotiCtsParserError& error) = 0;
  virtual bool describe(size_t index, AotiCtsParserTensor& out) = 0;
  virtual bool set_data(size_t index, void* data, size_t bytes) = 0;

  Program program;
  std::vector<int64_t> sizes;  ///< Program.sizes in the interface's type
};

/// Parses, gets memory and builds into `loaded`. Returns ExecuTorch's code.
int32_t load(const AotiCtsParserInput& input, Sabotage* sabotage, Loaded& loaded,
             AotiCtsParserError& error);

void set_error(AotiCtsParserError& error, int32_t code, std::string_view message);

/// The fields that both modes fill alike.
void describe_common(const Loaded& loaded, size_t index, AotiCtsParserTensor& out);

/// Portable mode over TensorView.
class PortableLoaded : public Loaded {
 public:
  bool build(const Memory& memory, AotiCtsParserError& error) override;
  bool describe(size_t index, AotiCtsParserTensor& out) override;
  bool set_data(size_t index, void* data, size_t bytes) override;

  std::vector<TensorView> views;
};

/// The interface's functions over any Loaded.
size_t tensors(void* program);
int32_t tensor(void* program, size_t index, AotiCtsParserTensor* out);
int32_t set_data(void* program, size_t index, void* data, size_t bytes);
void free_program(void* program);

/// parse() for a subclass: makes one, loads it, hands it out. Never throws.
template <class T>
int32_t parse_into(const AotiCtsParserInput* input, Sabotage* sabotage, void** program,
                   AotiCtsParserError* error) {
  try {
    auto loaded = std::make_unique<T>();
    const int32_t code = load(*input, sabotage, *loaded, *error);
    if (code == 0) *program = static_cast<Loaded*>(loaded.release());
    return code;
  } catch (const std::exception& thrown) {
    set_error(*error, static_cast<int32_t>(Code::Internal), thrown.what());
    return error->code;
  }
}

}  // namespace aoti_cts::program::plugin
