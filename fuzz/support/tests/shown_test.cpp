// candidate_parser's comparison finds plug-ins that parse rightly and show it wrongly, and nothing
// in the right one, on every program of the corpus.
//
//   ctest -R fuzz.shown      "100% tests passed"
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "program/plugin/plugin.h"
#include "support/candidate/compare.h"

// For the copy of the mutator in this test, which is not called.
extern "C" size_t LLVMFuzzerMutate(uint8_t* /*data*/, size_t size, size_t /*max_size*/) {
  return size;
}

namespace {

using namespace aoti_cts::program;
using aoti_cts::fuzz::Divergence;
using aoti_cts::fuzz::Host;
using aoti_cts::fuzz::Reference;

AotiCtsParserInput outer;  // what the host gave

int32_t parse_rightly(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  return plugin::parse_into<plugin::PortableLoaded>(input, nullptr, program, error);
}

AotiCtsParser right() {
  return {sizeof(AotiCtsParser),
          AOTI_CTS_PARSER_VERSION,
          3u,
          "right",
          parse_rightly,
          plugin::tensors,
          plugin::tensor,
          plugin::set_data,
          plugin::free_program,
          alignment};
}

/// parse() of a plug-in that passes its host's functions on, but for those of `spoil`.
template <void (*spoil)(AotiCtsParserInput&)>
int32_t parse_through(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  outer = *input;
  AotiCtsParserInput inner = *input;
  spoil(inner);
  return parse_rightly(&inner, program, error);
}

void own_device_memory(AotiCtsParserInput& input) {
  input.allocate = [](void* host, uint32_t method, uint32_t buffer, uint64_t bytes, int32_t type,
                      int32_t index) -> void* {
    static char own[64];
    return type == 1 ? own : outer.allocate(host, method, buffer, bytes, type, index);
  };
}
void one_name(AotiCtsParserInput& input) {
  input.external = [](void* host, const char*, uint64_t bytes) {
    return outer.external(host, "the same for all", bytes);
  };
}
void half_the_bytes(AotiCtsParserInput& input) {
  input.external = [](void* host, const char* name, uint64_t bytes) {
    return outer.external(host, name, (bytes + 1) / 2);
  };
}
void wild_external(AotiCtsParserInput& input) {
  input.external = [](void*, const char*, uint64_t) {
    return reinterpret_cast<const void*>(uintptr_t{0x1234});
  };
}

int32_t writes(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  const int32_t code = parse_rightly(input, program, error);
  if (input->size != 0) {
    static_cast<uint8_t*>(const_cast<void*>(input->data))[input->size - 1] ^= 0xff;
  }
  return code;
}

/// tensor() with one field changed afterwards.
template <void (*spoil)(AotiCtsParserTensor&)>
int32_t tensor_but(void* program, size_t index, AotiCtsParserTensor* out) {
  const int32_t code = plugin::tensor(program, index, out);
  if (code == 0) spoil(*out);
  return code;
}

void somewhere(AotiCtsParserTensor& tensor) {
  static char scratch[64];
  if (tensor.data == nullptr) tensor.data = scratch;
}
void no_sizes(AotiCtsParserTensor& tensor) { tensor.sizes = nullptr; }
void named_otherwise(AotiCtsParserTensor& tensor) { tensor.named_by = 3; }
void wild_data(AotiCtsParserTensor& tensor) {
  if (tensor.data != nullptr && tensor.device_type == 0) {
    tensor.data = reinterpret_cast<void*>(uintptr_t{0x1234});
  }
}

/// All tensors' sizes in one place, which the next one overwrites.
int32_t shares_sizes(void* program, size_t index, AotiCtsParserTensor* out) {
  static std::vector<int64_t> shared(64);
  const int32_t code = plugin::tensor(program, index, out);
  if (code != 0) return code;
  std::copy_n(out->sizes, out->rank, shared.begin());
  out->sizes = shared.data();
  return 0;
}

/// One program for all: the second parse overwrites the first.
int32_t one_for_all(const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
  static plugin::PortableLoaded loaded;
  const int32_t code = plugin::load(*input, nullptr, loaded, *error);
  if (code == 0) *program = static_cast<plugin::Loaded*>(&loaded);
  return code;
}

void cleared(AotiCtsParserInput& input) {
  input.allocate = [](void* host, uint32_t method, uint32_t buffer, uint64_t bytes, int32_t type,
                      int32_t index) -> void* {
    void* const at = outer.allocate(host, method, buffer, bytes, type, index);
    if (at != nullptr && type == 0 && bytes < 65536) std::memset(at, 0, bytes + 8);
    return at;
  };
}
void maps_where_none_is(AotiCtsParserInput& input) {
  input.allocate = [](void* host, uint32_t method, uint32_t buffer, uint64_t bytes, int32_t type,
                      int32_t index) -> void* {
    void* const at = outer.allocate(host, method, buffer, bytes, type, index);
    if (at == nullptr) (void)mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at;
  };
}
void memory_of_its_own(AotiCtsParserInput& input) {
  input.allocate = [](void* host, uint32_t method, uint32_t buffer, uint64_t bytes, int32_t type,
                      int32_t index) -> void* {
    static char own[64];
    void* const at = outer.allocate(host, method, buffer, bytes, type, index);
    return at == nullptr ? own : at;
  };
}
void rounded_up(AotiCtsParserInput& input) {
  input.allocate = [](void* host, uint32_t method, uint32_t buffer, uint64_t bytes, int32_t type,
                      int32_t index) {
    return outer.allocate(host, method, buffer, (bytes + 15) / 16 * 16, type, index);
  };
}

/// Sets the memory that it is given first, and no other.
int32_t sets_once(void* program, size_t index, void* data, size_t bytes) {
  static void* const first = data;
  return data == first ? plugin::set_data(program, index, data, bytes) : 0;
}

void writes_at_last(void* program) {
  auto* const bytes = static_cast<uint8_t*>(const_cast<void*>(outer.data));
  bytes[outer.size - 1] ^= 0xff;
  plugin::free_program(program);
}
void nothing_else(AotiCtsParserInput& /*input*/) {}

std::map<const int64_t*, std::vector<int64_t>> unusual_strides;

/// What nothing is ever multiplied by, and no data where there is no byte.
int32_t unusual(void* program, size_t index, AotiCtsParserTensor* out) {
  const int32_t code = plugin::tensor(program, index, out);
  if (code != 0) return code;
  std::vector<int64_t>& own = unusual_strides[out->strides];
  own.assign(out->strides, out->strides + out->rank);
  const bool empty = std::find(out->sizes, out->sizes + out->rank, 0) != out->sizes + out->rank;
  for (uint32_t i = 0; i < out->rank; ++i) {
    if (empty || out->sizes[i] == 1) own[i] = 77;
  }
  out->strides = own.data();
  if (empty) out->data = nullptr;
  return 0;
}

int32_t sets_the_first(void* program, size_t index, void* data, size_t bytes) {
  const int32_t code = plugin::set_data(program, index, data, bytes);
  if (code == 0) plugin::set_data(program, 0, data, bytes);
  return code;
}

struct Wrong {
  const char* what;
  void (*make)(AotiCtsParser&);
  std::set<std::string> finds;  ///< "kind: rule", and no other
};

const std::vector<Wrong>& wrong_lists() {
  static const std::vector<Wrong> all = {
      {"lists none",
       [](AotiCtsParser& table) { table.tensors = [](void*) { return size_t{0}; }; },
       {"wrong tensors: PARSE.values"}},
      {"omits the last",
       [](AotiCtsParser& table) {
         table.tensors = [](void* program) {
           return std::max<size_t>(plugin::tensors(program), 1) - 1;
         };
       },
       {"wrong tensors: PARSE.values"}},
      {"lists the first for all",
       [](AotiCtsParser& table) {
         table.tensor = [](void* program, size_t, AotiCtsParserTensor* out) {
           return plugin::tensor(program, 0, out);
         };
       },
       {"wrong tensors: PARSE.values"}},
      {"counts without end",
       [](AotiCtsParser& table) { table.tensors = [](void*) { return SIZE_MAX; }; },
       {"wrong tensors: PARSE.values"}},
      {"names by what is no list",
       [](AotiCtsParser& table) { table.tensor = tensor_but<named_otherwise>; },
       {"wrong tensors: PARSE.values"}},
      {"gives no sizes",
       [](AotiCtsParser& table) { table.tensor = tensor_but<no_sizes>; },
       {"wrong rank: PARSE.sizes"}},
  };
  return all;
}

const std::vector<Wrong>& wrong_memory() {
  static const std::vector<Wrong> all = {
      {"has device memory of its own",
       [](AotiCtsParser& table) { table.parse = parse_through<own_device_memory>; },
       {"buffer not asked for: PARSE.buffer-device"}},
      {"asks for one external name",
       [](AotiCtsParser& table) { table.parse = parse_through<one_name>; },
       {"wrong data: PARSE.external"}},
      {"asks for half of external data",
       [](AotiCtsParser& table) { table.parse = parse_through<half_the_bytes>; },
       {"wrong size of external data: PARSE.external"}},
      {"has wild external data",
       [](AotiCtsParser& table) { table.parse = parse_through<wild_external>; },
       {"wrong data: PARSE.external"}},
  };
  return all;
}

const std::vector<Wrong>& wrong_data() {
  static const std::vector<Wrong> all = {
      {"has data where nothing is bound",
       [](AotiCtsParser& table) { table.tensor = tensor_but<somewhere>; },
       {"wrong data pointer: PARSE.allocation"}},
      {"has wild data",
       [](AotiCtsParser& table) { table.tensor = tensor_but<wild_data>; },
       {"wrong data pointer: PARSE.allocation", "wrong data: PARSE.data-index",
        "wrong data: PARSE.external", "wrong data pointer: PARSE.set-data"}},
      {"sets no data",
       [](AotiCtsParser& table) {
         table.set_data = [](void*, size_t, void*, size_t) { return int32_t{0}; };
       },
       {"wrong data pointer: PARSE.set-data"}},
      {"sets data of a neighbour too",
       [](AotiCtsParser& table) { table.set_data = sets_the_first; },
       {"wrong data pointer: PARSE.set-data", "wrong data: PARSE.set-data"}},
      {"has one place for sizes",
       [](AotiCtsParser& table) { table.tensor = shares_sizes; },
       {"shows what does not stay: PARSE.sizes"}},
      {"has one program",
       [](AotiCtsParser& table) {
         table.parse = one_for_all;
         table.free = [](void*) {};
       },
       {"wrong beside another program"}},
      {"clears more than a buffer",
       [](AotiCtsParser& table) { table.parse = parse_through<cleared>; },
       {"writes behind a buffer: PARSE.allocation"}},
      {"goes on without memory",
       [](AotiCtsParser& table) { table.parse = parse_through<memory_of_its_own>; },
       {"accepted without memory: PARSE.no-partial"}},
      {"maps a page where there is no memory",
       [](AotiCtsParser& table) { table.parse = parse_through<maps_where_none_is>; },
       {"memory kept mapped after an error: PARSE.no-partial"}},
      {"sets data once",
       [](AotiCtsParser& table) { table.set_data = sets_once; },
       {"wrong data pointer: PARSE.set-data"}},
      {"writes to the file as it goes",
       [](AotiCtsParser& table) {
         table.parse = parse_through<nothing_else>;
         table.free = writes_at_last;
       },
       {"writes to the file: PARSE.verifier"}},
      {"writes to the file",
       [](AotiCtsParser& table) { table.parse = writes; },
       {"writes to the file: PARSE.verifier"}},
  };
  return all;
}

/// What is found over all programs of the corpus, with how many inputs.
std::map<std::string, int> found_in(const AotiCtsParser& table, Mode mode = Mode::portable) {
  static Host host;
  std::map<std::string, int> found;
  for (const auto& entry : std::filesystem::directory_iterator(AOTI_CTS_SEEDS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    Reference reference;
    read_reference(bytes.data(), bytes.size(), mode, reference);
    const Divergence one =
        aoti_cts::fuzz::compare(table, host, bytes.data(), bytes.size(), mode, reference);
    if (!one.found()) continue;
    // Which rule two programs break is that of whatever the second one overwrote.
    const bool beside = one.kind == "wrong beside another program";
    ++found[beside ? one.kind : one.kind + ": " + one.rule];
  }
  return found;
}

TEST(Shown, RightIsNeverFound) { EXPECT_EQ(found_in(right()), (std::map<std::string, int>{})); }

TEST(Shown, WrongIsFoundUnderItsRule) {
  for (const auto* const list : {&wrong_lists(), &wrong_memory(), &wrong_data()}) {
    for (const Wrong& wrong : *list) {
      AotiCtsParser table = right();
      wrong.make(table);
      std::set<std::string> have;
      for (const auto& [what, count] : found_in(table)) have.insert(what);
      EXPECT_EQ(have, wrong.finds) << wrong.what;
    }
  }
}

/// What no clause and no sentence of the interface speaks of is nobody's fault.
TEST(Shown, UnusualIsRight) {
  AotiCtsParser table = right();
  table.tensor = unusual;
  table.parse = parse_through<rounded_up>;
  table.free = [](void* program) {
    unusual_strides.clear();
    plugin::free_program(program);
  };
  EXPECT_EQ(found_in(table), (std::map<std::string, int>{}));
}

/// Shows a method's inputs and outputs alone, each under its place in its list.
struct Lists : plugin::PortableLoaded {
  bool build(const Memory& memory, AotiCtsParserError& error) override {
    PortableLoaded::build(memory, error);
    for (uint32_t method = 0; method < program.plans.size(); ++method) {
      const Plan& plan = program.plans[method];
      for (uint32_t i = 0; i < plan.inputs + plan.outputs; ++i) list(method, plan, i);
    }
    return true;
  }
  void list(uint32_t method, const Plan& plan, uint32_t i) {
    for (size_t at = 0; at < program.tensors.size(); ++at) {
      const Tensor& tensor = program.tensors[at];
      if (tensor.plan != method || tensor.value != program.indices[plan.first_index + i]) continue;
      AotiCtsParserTensor& out = shown.emplace_back();
      describe(at, out);
      const bool input = i < plan.inputs;
      out.named_by = input ? AOTI_CTS_PARSER_BY_INPUT : AOTI_CTS_PARSER_BY_OUTPUT;
      out.index = input ? i : i - plan.inputs;
    }
  }
  static Lists& of(void* program) {
    return static_cast<Lists&>(*static_cast<plugin::Loaded*>(program));
  }
  std::vector<AotiCtsParserTensor> shown;
};

/// Which of its lists a parser knows is its own business.
TEST(Shown, InputsAndOutputsAloneAreEnough) {
  AotiCtsParser table = right();
  table.parse = [](const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
    return plugin::parse_into<Lists>(input, nullptr, program, error);
  };
  table.tensors = [](void* program) { return Lists::of(program).shown.size(); };
  table.tensor = [](void* program, size_t index, AotiCtsParserTensor* out) {
    *out = Lists::of(program).shown[index];
    return int32_t{0};
  };
  table.set_data = [](void*, size_t, void*, size_t) { return int32_t{1}; };
  EXPECT_EQ(found_in(table), (std::map<std::string, int>{}));
}

/// Refuses what at::Tensor does: sizes that overflow, though one of them is 0.
struct Multiplies : Sabotage {
  bool waive(const Error&) override { return false; }
  bool touch(Program& program, Tensor& tensor) override {
    int64_t product = 1;
    for (uint32_t i = 0; i < tensor.rank; ++i) {
      const int64_t size = program.sizes_of(tensor)[i];
      if (size != 0 && __builtin_mul_overflow(product, size, &product)) ++refused;
    }
    return refused == 0;
  }
  int refused = 0;
};

/// The contract counts the product, which is 0; nobody is blamed for the way there.
TEST(Shown, OverflowBesideAZeroIsLeftOpen) {
  static int refused = 0;
  AotiCtsParser table = right();
  table.parse = [](const AotiCtsParserInput* input, void** program, AotiCtsParserError* error) {
    Multiplies multiplies;
    const int32_t code =
        plugin::parse_into<plugin::PortableLoaded>(input, &multiplies, program, error);
    refused += multiplies.refused;
    return code;
  };
  EXPECT_EQ(found_in(table, Mode::aten), (std::map<std::string, int>{}));
  EXPECT_GT(refused, 0) << "the corpus has no such program";
}

}  // namespace
