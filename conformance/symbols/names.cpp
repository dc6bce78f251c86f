// Reading symbol names; see names.h. Groups are rows of one table, first match wins.
#include "symbols/names.h"

#include <aoti_shim/table.h>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace aoti_cts::symbols {
namespace {

const std::unordered_map<std::string_view, const AotiShimRow*>& manifest() {
  static const auto rows = [] {
    std::unordered_map<std::string_view, const AotiShimRow*> map;
    for (const AotiShimRow& row : aoti_shim_rows) map.emplace(row.name, &row);
    return map;
  }();
  return rows;
}

// The outermost namespace (or class) of a mangled name, "std" for its abbreviations; empty for what
// is not mangled or has none.
std::string_view outer_scope(std::string_view name) {
  if (name.starts_with("?")) {  // ?name@inner@outer@@..., the first "@@" that ends a scope
    const size_t end = name.find("@@", 1);
    const size_t start = end == std::string_view::npos ? end : name.rfind('@', end - 1);
    return start == std::string_view::npos ? "" : name.substr(start + 1, end - start - 1);
  }
  if (!name.starts_with("_Z")) return "";
  name.remove_prefix(2);
  static constexpr std::string_view special[] = {"TI", "TV", "TS", "TT", "GV", "GR",
                                                 "TC", "Th", "Tv", "TW", "TH"};
  for (const std::string_view start : special) {
    if (!name.starts_with(start)) continue;
    name.remove_prefix(start.size());
    if (start == "Th" || start == "Tv") {  // a thunk's offsets: h16_, v8_n24_
      const size_t end = name.find('_', start == "Tv" ? name.find('_') + 1 : 0);
      name.remove_prefix(end == std::string_view::npos ? name.size() : end + 1);
    }
    break;
  }
  while (name.starts_with("Z")) name.remove_prefix(1);  // local to a function
  if (name.starts_with("N")) {
    name.remove_prefix(1);
    while (!name.empty() && std::string_view("rVKRO").find(name[0]) != std::string_view::npos) {
      name.remove_prefix(1);
    }
  }
  if (name.starts_with("St") || (name.size() > 1 && name[0] == 'S' && islower(name[1]))) {
    return "std";
  }
  size_t length = 0, at = 0;
  while (at < name.size() && isdigit(static_cast<unsigned char>(name[at])) && length < 4096) {
    length = length * 10 + static_cast<size_t>(name[at++] - '0');
  }
  return name.substr(std::min(at, name.size()), length);
}

struct GroupRow {
  std::string_view group;
  std::string_view text;
  char how;  // 's': outermost scope equals; 'n': name starts with; 'w': whole name
  bool bundled = false;
};

constexpr GroupRow kGroups[] = {
    {"libstdc++", "std", 's', false},
    {"libstdc++", "__gnu_cxx", 's', false},
    {"libstdc++", "__cxxabiv1", 's', false},
    {"libstdc++", "__gnu_debug", 's', false},
    {"libstdc++", "__gnu_parallel", 's', false},
    {"libstdc++", "__cxa_", 'n', false},
    {"libstdc++", "__gxx_", 'n', false},
    {"libstdc++", "_Zn", 'n', false},  // operator new and delete
    {"libstdc++", "_Zd", 'n', false},
    {"libstdc++", "_ZTIN10__cxxabiv1", 'n', false},
    {"libgcc", "_Unwind_", 'n', true},
    {"libgcc", "__register_frame", 'n', true},
    {"libgcc", "__deregister_frame", 'n', true},
    {"thrust/cub", "thrust", 's', false},
    {"thrust/cub", "cub", 's', false},
    {"thrust/cub", "cuda", 's', false},
    {"CUDA libraries", "cudnn", 's', true},
    {"CUDA libraries", "cudnn_frontend", 's', false},
    {"CUDA libraries", "cutlass", 's', false},
    {"CUDA libraries", "cute", 's', false},
    {"CUDA libraries", "nvtx3", 's', false},
    {"CUDA libraries", "cuda", 'n', true},
    {"CUDA libraries", "__cuda", 'n', true},
    {"CUDA libraries", "cublas", 'n', true},
    {"CUDA libraries", "cudnn", 'n', true},
    {"CUDA libraries", "cufft", 'n', true},
    {"CUDA libraries", "curand", 'n', true},
    {"CUDA libraries", "cusparse", 'n', true},
    {"CUDA libraries", "cusolver", 'n', true},
    {"CUDA libraries", "cupti", 'n', true},
    {"CUDA libraries", "nccl", 'n', true},
    {"CUDA libraries", "nvrtc", 'n', true},
    {"CUDA libraries", "nvtx", 'n', true},
    {"CUDA libraries", "nvshmem", 'n', true},
    {"libtorch", "at", 's', false},
    {"libtorch", "c10", 's', false},
    {"libtorch", "c10d", 's', false},
    {"libtorch", "torch", 's', false},
    {"libtorch", "caffe2", 's', false},
    {"libtorch", "libkineto", 's', true},
    {"libtorch", "torch_", 'n', false},
    {"libtorch", "FLAGS_caffe2", 'n', false},
    {"ExecuTorch", "executorch", 's', false},
    {"ExecuTorch", "torch_executor", 's', false},
    {"ExecuTorch", "et_pal_", 'n', false},
    {"protobuf", "google", 's', true},  // glog and gflags share the namespace
    {"protobuf", "descriptor_table_", 'n', true},
    {"protobuf", "protobuf_", 'n', true},
    {"protobuf", "scc_info_", 'n', true},
    {"abseil", "absl", 's', true},
    {"flatbuffers", "flatbuffers", 's', true},
    {"flatbuffers", "flatbuffers_libc", 's', true},
    {"fmt", "fmt", 's', true},
    {"onnx", "onnx", 's', true},
    {"onnx", "onnx_torch", 's', true},
    {"nlohmann-json", "nlohmann", 's', false},
    {"Eigen", "Eigen", 's', false},
    {"gloo", "gloo", 's', true},
    {"tensorpipe", "tensorpipe", 's', true},
    {"oneDNN", "dnnl", 's', true},
    {"oneDNN", "ideep", 's', false},
    {"oneDNN", "dnnl_", 'n', true},
    {"FBGEMM", "fbgemm", 's', true},
    {"FBGEMM", "asmjit", 's', true},
    {"XNNPACK", "xnn_", 'n', true},
    {"pthreadpool", "pthreadpool_", 'n', true},
    {"cpuinfo", "cpuinfo_", 'n', true},
    {"cpuinfo", "clog_", 'n', true},
    {"sleef", "Sleef_", 'n', true},
    {"NNPACK", "nnp_", 'n', true},
    {"QNNPACK", "qnnp_", 'n', true},
    {"QNNPACK", "pytorch_qnnp_", 'n', true},
    {"MKL", "mkl_", 'n', true},
    {"MKL", "MKL_", 'n', true},
    {"MKL", "vml", 'n', true},
    {"BLAS/LAPACK", "cblas_", 'n', true},
    {"BLAS/LAPACK", "LAPACKE_", 'n', true},
    {"BLAS/LAPACK", "openblas_", 'n', true},
    {"OpenMP", "omp_", 'n', false},
    {"OpenMP", "GOMP_", 'n', false},
    {"OpenMP", "__kmp", 'n', false},
    {"OpenMP", "kmp_", 'n', false},
    {"uv", "uv_", 'n', true},
    {"zlib", "inflate", 'w', true},
    {"zlib", "deflate", 'w', true},
    {"zlib", "crc32", 'w', true},
    {"zlib", "adler32", 'w', true},
    {"Python", "Py", 'n', false},
    {"Python", "_Py", 'n', false},
    {"Python", "pybind11", 's', false},
};

const GroupRow* find_group(std::string_view name) {
  const std::string_view scope = outer_scope(name);
  for (const GroupRow& row : kGroups) {
    const bool hit = row.how == 's'   ? !scope.empty() && scope == row.text
                     : row.how == 'n' ? name.starts_with(row.text)
                                      : name == row.text;
    if (hit) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<ShimName> shim_name(std::string_view name) {
  if (name.starts_with("_Z") || name.starts_with("?")) return std::nullopt;
  const size_t at = std::min(name.find("aoti_torch_"), name.find("aoti_record_function_"));
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = name.substr(0, at);
  const auto word = [](char ch) { return isalnum(static_cast<unsigned char>(ch)) || ch == '_'; };
  if (!std::all_of(prefix.begin(), prefix.end(), word)) return std::nullopt;
  return ShimName{prefix, name.substr(at)};
}

bool in_manifest(std::string_view stem) { return manifest().count(stem) != 0; }

bool is_extension(std::string_view stem) {
  const auto found = manifest().find(stem);
  return found != manifest().end() && std::string_view(found->second->origin) == "aoti_cts";
}

bool is_operator(std::string_view stem) {
  const auto found = manifest().find(stem);
  if (found != manifest().end()) return std::string_view(found->second->tier) == "cuda_ops";
  for (const std::string_view device : {"cpu", "cuda", "mps", "xpu"}) {
    const std::string start = "aoti_torch_" + std::string(device) + "_";
    if (stem.starts_with(start)) return true;
  }
  return false;
}

bool is_linker_name(std::string_view name) {
  static constexpr std::string_view names[] = {"_init",          "_fini",
                                               "_edata",         "edata",
                                               "_end",           "end",
                                               "_etext",         "etext",
                                               "__bss_start",    "__bss_start__",
                                               "__bss_end__",    "_bss_end__",
                                               "__end__",        "__data_start",
                                               "data_start",     "__dso_handle",
                                               "_IO_stdin_used", "__TMC_END__",
                                               "_start",         "_GLOBAL_OFFSET_TABLE_",
                                               "_DYNAMIC",       "__GNU_EH_FRAME_HDR"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string_view group_of(std::string_view name) {
  if (is_linker_name(name)) return "linker";
  if (shim_name(name)) return "shims";
  const GroupRow* row = find_group(name);
  return row == nullptr ? "other" : row->group;
}

bool is_bundled(std::string_view group) {
  return std::any_of(std::begin(kGroups), std::end(kGroups),
                     [&](const GroupRow& row) { return row.group == group && row.bundled; });
}

bool is_aten(std::string_view name) {
  const std::string_view scope = outer_scope(name);
  return scope == "at" || scope == "c10";
}

}  // namespace aoti_cts::symbols
