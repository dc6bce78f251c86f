// ExecuTorch's side of ./dev bench parse: loads a program and its method once, with memory that is
// kept between calls, as an application would.
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include <vector>

using namespace executorch::runtime;

/// Returns 0, or ExecuTorch's error code.
extern "C" __attribute__((visibility("default"))) int aoti_cts_bench_load(const void* data,
                                                                          size_t size, int verify) {
  static std::vector<uint8_t> arena(size_t{256} << 20);
  static std::vector<uint8_t> memory(size_t{16} << 20);
  runtime_init();
  executorch::extension::BufferDataLoader loader(data, size);
  auto program = Program::load(&loader, verify != 0 ? Program::Verification::InternalConsistency
                                                    : Program::Verification::Minimal);
  if (!program.ok()) return static_cast<int>(program.error());
  // Only addresses are computed from planned memory, so that all buffers may be one.
  Span<uint8_t> buffers[] = {{memory.data(), memory.size()}, {memory.data(), memory.size()}};
  MemoryAllocator method_memory(static_cast<uint32_t>(arena.size()), arena.data());
  HierarchicalAllocator planned({buffers, 2});
  MemoryManager manager(&method_memory, &planned);
  auto method = program->load_method("forward", &manager);
  return static_cast<int>(method.error());
}
