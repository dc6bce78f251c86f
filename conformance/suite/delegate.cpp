// Section DELEGATE, backends that run compiled models out of programs.
//
//   aoti-cts check --profile delegate --virtual-cuda      the reference delegate: all PASS
//   aoti-cts check --delegate PLUGIN.so                   any other, in the mode that it is built
//   for
//
// Each case is about every plug-in that is given, in one process: the builds of one backend for two
// modes have to get on with each other. Payloads are fixture models of conformance/blobs/models/,
// over the candidate runtime; what they compute is known here, and tensors are looked at through
// the plug-in's describe() and their memory, which is the case's own.
#include <deque>
#include <limits>
#include <numeric>

#include "delegate/host.h"
#include "devmap/child.h"
#include "path/host.h"
#include "suite/blob_util.h"
#include "suite/cuda.h"
#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

using delegate_host::Delegate;
using delegate_host::Description;
using delegate_host::Plugin;
using Host = delegate_host::Tensor;

constexpr int32_t int64_code = 4;
constexpr double child_timeout_s = 60;  // a plug-in may bring a libtorch with it

/// What every case starts with: the plug-ins, loaded, and the runtime, visible.
class Bench {
 public:
  explicit Bench(Case& the_case) : c(the_case) {
    need_subjects(c);
    publish_candidate(c);
    for (const std::string& path : delegate_host::subjects()) open(path);
  }

  static void need_subjects(Case& c) {
    if (delegate_host::subjects().empty()) c.skip("no delegate was given: --delegate PLUGIN");
  }

  /// A delegate of a fixture model, which has to come about.
  Delegate load(const Plugin& plugin, std::string_view model, const char* device = "cpu") const {
    const std::string bytes =
        blobs::with_prefix(blobs::fixture(model), blobs::placeholder(), settings().prefix);
    const std::span payload(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    try {
      return {plugin, payload, {settings().candidate.front(), settings().prefix}, device};
    } catch (const delegate_host::Error& error) {
      c.fail(fmt::format("{}: a delegate of model {}", plugin.mode(), model), error.what(), "made");
      throw EndCase{};
    }
  }

  /// A tensor over memory of this bench's, with room for `room` elements of zeros.
  Host tensor(const Plugin& plugin, std::vector<int64_t> sizes, std::size_t room,
              int32_t scalar_type = float32().code) {
    auto& memory = memory_.emplace_back(room);
    Description what;
    what.scalar_type = scalar_type;
    what.strides = contiguous_strides(sizes);
    what.sizes = std::move(sizes);
    what.data = memory.data();
    what.bytes = memory.size() * sizeof(memory[0]);
    return make(plugin, what);
  }
  Host make(const Plugin& plugin, const Description& what) const {
    try {
      return {plugin, what};
    } catch (const delegate_host::Error& error) {
      c.fail(fmt::format("{}: a tensor of the mode", plugin.mode()), error.what(), "made");
      throw EndCase{};
    }
  }

  /// Runs it, which has to succeed.
  void run(const Plugin& plugin, const Delegate& delegate,
           const std::vector<const Host*>& arguments) const {
    const std::string said = delegate.try_execute(arguments);
    if (c.judge(said, std::string(), fmt::format("{}: execute()", plugin.mode()))) return;
    throw EndCase{};
  }

  Case& c;

 private:
  path::Scratch scratch_;  // for what a delegate leaves when its model ends the process

 public:
  std::deque<Plugin> plugins;

 private:
  void open(const std::string& path) {
    try {
      plugins.emplace_back(path);
    } catch (const delegate_host::Error& error) {
      c.fail("loading the delegate", error.what(), "success");
      throw EndCase{};
    }
  }

  std::deque<std::vector<int64_t>> memory_;  // 8 bytes for an element of any kind
};

std::string named(const Plugin& plugin, const char* what) {
  return fmt::format("{}: {}", plugin.mode(), what);
}

// --- registry

/// What a plug-in's two registries answer in a process that has no other: "own 1, other 0".
std::string registries_alone(const std::string& path) {
  return devmap::in_child(path, child_timeout_s, [&] {
    const Plugin plugin(path);
    return fmt::format("own {:d}, other {:d}", plugin.registered(true), plugin.registered(false));
  });
}

void registered_alone(Case& c) {
  Bench::need_subjects(c);
  for (const std::string& path : delegate_host::subjects()) {
    std::string have;
    try {
      have = registries_alone(path);
    } catch (const std::runtime_error& error) {
      have = error.what();
    }
    HAVE_WANT_AS("the registries that have the backend", have, "own 1, other 0");
  }
}

std::vector<float> run_doubled(Bench& bench, const Plugin& plugin, const Delegate& delegate) {
  const Host in = bench.tensor(plugin, {4}, 4);
  const Host out = bench.tensor(plugin, {4}, 4);
  auto* const values = static_cast<float*>(in.describe().data);
  std::iota(values, values + 4, 1.0F);
  bench.run(plugin, delegate, {&in, &out});
  const auto* const first = static_cast<const float*>(out.describe().data);
  return {first, first + 4};
}

void registered_side_by_side(Case& c) {
  Bench bench(c);
  if (bench.plugins.size() < 2) c.skip("needs builds for both modes: --delegate twice");
  std::vector<Delegate> delegates;
  for (const Plugin& plugin : bench.plugins) {
    HAVE_WANT_AS(named(plugin, "its own registry has it"), plugin.registered(true), true);
    delegates.push_back(bench.load(plugin, "doubled"));
  }
  const std::vector<float> want = {2, 4, 6, 8};
  for (std::size_t i = 0; i < delegates.size(); ++i) {
    const Plugin& plugin = bench.plugins[i];
    HAVE_WANT_AS(named(plugin, "outputs"), run_doubled(bench, plugin, delegates[i]), want);
  }
}

// --- tensor-mode

/// Judges 2 * x of a tensor with these strides, into one with those.
void doubled(Bench& bench, const Plugin& plugin, const std::vector<int64_t>& sizes,
             const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  Case& c = bench.c;
  const Geometry source{"source", sizes, from};
  const Geometry target{"target", sizes, to};
  const Memory in(source, float32(), 0);
  const Memory out(target, float32(), 0);
  fill(in.data(), source, float32());
  const auto bytes = [](const Memory& memory) { return static_cast<std::size_t>(memory.size()); };
  const Host x = bench.make(plugin, {6, 0, 0, sizes, from, in.data(), bytes(in)});
  const Host y = bench.make(plugin, {6, 0, 0, sizes, to, out.data(), bytes(out)});
  const Delegate delegate = bench.load(plugin, "doubled");
  bench.run(plugin, delegate, {&x, &y});
  HAVE_WANT_AS(named(plugin, "sizes of the output"), y.describe().sizes, sizes);
  HAVE_WANT_AS(named(plugin, "strides of the output"), y.describe().strides, to);
  std::vector<double> have;
  std::vector<double> want;
  for (const uint64_t bits : read(out.data(), target, float32())) {
    want.push_back(2 * decode(float32(), pattern(float32(), static_cast<int64_t>(want.size()))));
    have.push_back(decode(float32(), bits));
  }
  HAVE_WANT_AS(named(plugin, "the output's values"), have, want);
  HAVE_WANT_AS(named(plugin, "nothing written beside"), out.canaries_intact(), true);
}

void packed_tensors(Case& c) {
  Bench bench(c);
  for (const Plugin& plugin : bench.plugins) {
    doubled(bench, plugin, {2, 3, 4}, {12, 4, 1}, {12, 4, 1});
  }
}

void permuted_tensors(Case& c) {
  Bench bench(c);
  for (const Plugin& plugin : bench.plugins) {
    doubled(bench, plugin, {2, 3, 4}, {1, 8, 2}, {12, 1, 3});
  }
}

// --- resize-narrow

/// Lets a model return a tensor of `sizes`; `fits` tells whether 32 bits hold them all. The bound
/// that is planned for the output is {4, 3}.
void resized(Bench& bench, const Plugin& plugin, const std::vector<int64_t>& sizes, bool fits) {
  Case& c = bench.c;
  const std::vector<int64_t> planned = {4, 3};
  const Host told = bench.tensor(plugin, {2}, 2, int64_code);
  const Host out = bench.tensor(plugin, planned, 6);  // 48 bytes
  std::copy(sizes.begin(), sizes.end(), static_cast<int64_t*>(told.describe().data));
  const Delegate delegate = bench.load(plugin, "sized");
  const std::string said = delegate.try_execute({&told, &out});
  const std::vector<int64_t> have = out.describe().sizes;
  const std::string what = fmt::format("{}: a model returns {}", plugin.mode(), show(sizes));
  if (fits) {
    HAVE_WANT_AS(what + ", execute()", said, std::string());
    HAVE_WANT_AS(what + ", the argument's sizes", have, sizes);
  } else if (plugin.aten() && said.empty()) {
    HAVE_WANT_AS(what + ", the argument's sizes", have, sizes);
  } else {
    HAVE_WANT_AS(what + ", execute()", said.empty() ? "success" : "an error", "an error");
    HAVE_WANT_AS(what + ", the argument's sizes", have, planned);
  }
}

void sizes_that_fit(Case& c) {
  Bench bench(c);
  for (const Plugin& plugin : bench.plugins) {
    resized(bench, plugin, {4, 3}, true);
    resized(bench, plugin, {2, 3}, true);
    resized(bench, plugin, {0, std::numeric_limits<int32_t>::max()}, true);
  }
}

void sizes_beyond(Case& c) {
  constexpr int64_t wrap = int64_t{1} << 32;
  Bench bench(c);
  for (const Plugin& plugin : bench.plugins) {
    for (const int64_t size : {int64_t{1} << 31, wrap, wrap + 3, wrap - 1}) {
      resized(bench, plugin, {0, size}, false);
    }
  }
}

// --- same-content

/// How often the copy of the counting model that this delegate has was run, this time included.
int64_t counted(Bench& bench, const Plugin& plugin, const Delegate& delegate) {
  const Host out = bench.tensor(plugin, {1}, 1, int64_code);
  bench.run(plugin, delegate, {&out});
  return *static_cast<const int64_t*>(out.describe().data);
}

void each_counts_its_own(Case& c) {
  Bench bench(c);
  for (const Plugin& plugin : bench.plugins) {
    const Delegate one = bench.load(plugin, "counter");
    const Delegate other = bench.load(plugin, "counter");
    const std::vector<int64_t> have = {counted(bench, plugin, one), counted(bench, plugin, one),
                                       counted(bench, plugin, other), counted(bench, plugin, one),
                                       counted(bench, plugin, other)};
    HAVE_WANT_AS(named(plugin, "runs, each delegate's own"), have,
                 (std::vector<int64_t>{1, 2, 1, 3, 2}));
  }
}

/// `first` of three is destroyed before the others run on.
void destroyed_in_order(Case& c, std::size_t first) {
  Bench bench(c);
  for (const Plugin& plugin : bench.plugins) {
    std::deque<Delegate> all;
    for (int i = 0; i < 3; ++i) all.push_back(bench.load(plugin, "counter"));
    for (const Delegate& one : all) counted(bench, plugin, one);
    all[first].destroy();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == first) continue;
      HAVE_WANT_AS(named(plugin, "runs of a delegate that is left"), counted(bench, plugin, all[i]),
                   int64_t{2});
    }
    const Delegate late = bench.load(plugin, "counter");
    HAVE_WANT_AS(named(plugin, "runs of one made after that"), counted(bench, plugin, late),
                 int64_t{1});
  }
}

// --- device-input

/// What the model sees of its two inputs: {type, index, data pointer} of each.
std::vector<int64_t> places(Bench& bench, const Plugin& plugin, const Delegate& delegate,
                            const Host& first, const Host& second) {
  const Host out = bench.tensor(plugin, {2, 3}, 6, int64_code);
  bench.run(plugin, delegate, {&first, &second, &out});
  const auto* const told = static_cast<const int64_t*>(out.describe().data);
  return {told, told + 6};
}

int64_t as_number(const void* pointer) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer));
}

Host on_device(Bench& bench, const Plugin& plugin, void* data, int32_t index) {
  return bench.make(plugin, {6, device_cuda, index, {2, 3}, {3, 1}, data, 24});
}

void host_inputs(Case& c) {
  Bench bench(c);
  for (const Plugin& plugin : bench.plugins) {
    const Delegate delegate = bench.load(plugin, "input_places");
    const Host one = bench.tensor(plugin, {2, 3}, 6);
    const Host other = bench.tensor(plugin, {2, 3}, 6);
    const auto told = places(bench, plugin, delegate, one, other);
    HAVE_WANT_AS(named(plugin, "device type of the first input"), told[0], int64_t{device_cpu});
    HAVE_WANT_AS(named(plugin, "device type of the second input"), told[3], int64_t{device_cpu});
  }
}

/// A host input and one on a device, in both orders, under a delegate for that device.
void mixed_inputs(Case& c, int32_t index) {
  need_devices(c, index + 1);
  Bench bench(c);
  const int32_t before = current_device(c);
  std::unique_ptr<CudaMemory> memory;
  {
    const OnDevice there(c, index);
    memory = std::make_unique<CudaMemory>(c, 24);
  }
  const std::vector<int64_t> want = {device_cuda, index, as_number(memory->data())};
  for (const Plugin& plugin : bench.plugins) {
    const std::string device = fmt::format("cuda:{}", index);
    const Delegate delegate = bench.load(plugin, "input_places", device.c_str());
    const Host host = bench.tensor(plugin, {2, 3}, 6);
    const Host on = on_device(bench, plugin, memory->data(), index);
    const auto told = places(bench, plugin, delegate, on, host);
    HAVE_WANT_AS(named(plugin, "type, index and address of an input on the device"),
                 std::vector<int64_t>(told.begin(), told.begin() + 3), want);
    HAVE_WANT_AS(named(plugin, "device type of the host input"), told[3], int64_t{device_cpu});
    const auto swapped = places(bench, plugin, delegate, host, on);
    HAVE_WANT_AS(named(plugin, "device type of the host input, first"), swapped[0],
                 int64_t{device_cpu});
    HAVE_WANT_AS(named(plugin, "type, index and address on the device, second"),
                 std::vector<int64_t>(swapped.begin() + 3, swapped.end()), want);
    HAVE_WANT_AS(named(plugin, "current device"), current_device(c), before);
  }
}

}  // namespace

CLAUSE_CASES(DELEGATE, registry) {
  cases.add("alone", registered_alone);
  cases.add("side_by_side", registered_side_by_side);
}

CLAUSE_CASES(DELEGATE, tensor_mode) {
  cases.add("packed", packed_tensors);
  cases.add("permuted", permuted_tensors);
}

CLAUSE_CASES(DELEGATE, resize_narrow) {
  cases.add("fits", sizes_that_fit);
  cases.add("beyond_32_bits", sizes_beyond);
}

CLAUSE_CASES(DELEGATE, same_content) {
  cases.add("count_their_own", each_counts_its_own);
  cases.add("first_goes_first", [](Case& c) { destroyed_in_order(c, 0); });
  cases.add("last_goes_first", [](Case& c) { destroyed_in_order(c, 2); });
}

CLAUSE_CASES(DELEGATE, device_input) {
  cases.add("host", host_inputs);
  cases.add("device_0", [](Case& c) { mixed_inputs(c, 0); });
  cases.add("device_1", [](Case& c) { mixed_inputs(c, 1); });
}

}  // namespace aoti_cts::suite
