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
  char how;  // 's': outermost scope equals; 'n': name starts with; 'w': whole name
  std::string_view text;
  bool bundled = false;
};

constexpr GroupRow kGroups[] = {
    {"libstdc++", 's', "std", false},
    {"libstdc++", 's', "__gnu_cxx", false},
    {"libstdc++", 's', "__cxxabiv1", false},
    {"libstdc++", 's', "__gnu_debug", false},
    {"libstdc++", 's', "__gnu_parallel", false},
    {"libstdc++", 'n', "__cxa_", false},
    {"libstdc++", 'n', "__gxx_", false},
    {"libstdc++", 'n', "_Zn", false},  // operator new and delete
    {"libstdc++", 'n', "_Zd", false},
    {"libstdc++", 'n', "_ZTIN10__cxxabiv1", false},
    {"libgcc", 'n', "_Unwind_", true},
    {"libgcc", 'n', "__register_frame", true},
    {"libgcc", 'n', "__deregister_frame", true},
    {"thrust/cub", 's', "thrust", false},
    {"thrust/cub", 's', "cub", false},
    {"thrust/cub", 's', "cuda", false},
    {"CUDA libraries", 's', "cudnn", true},
    {"CUDA libraries", 's', "cudnn_frontend", false},
    {"CUDA libraries", 's', "cutlass", false},
    {"CUDA libraries", 's', "cute", false},
    {"CUDA libraries", 's', "nvtx3", false},
    {"CUDA libraries", 'n', "cuda", true},
    {"CUDA libraries", 'n', "__cuda", true},
    {"CUDA libraries", 'n', "cublas", true},
    {"CUDA libraries", 'n', "cudnn", true},
    {"CUDA libraries", 'n', "cufft", true},
    {"CUDA libraries", 'n', "curand", true},
    {"CUDA libraries", 'n', "cusparse", true},
    {"CUDA libraries", 'n', "cusolver", true},
    {"CUDA libraries", 'n', "cupti", true},
    {"CUDA libraries", 'n', "nccl", true},
    {"CUDA libraries", 'n', "nvrtc", true},
    {"CUDA libraries", 'n', "nvtx", true},
    {"CUDA libraries", 'n', "nvshmem", true},
    {"libtorch", 's', "at", false},
    {"libtorch", 's', "c10", false},
    {"libtorch", 's', "c10d", false},
    {"libtorch", 's', "torch", false},
    {"libtorch", 's', "caffe2", false},
    {"libtorch", 's', "libkineto", true},
    {"libtorch", 'n', "torch_", false},
    {"libtorch", 'n', "FLAGS_caffe2", false},
    {"ExecuTorch", 's', "executorch", false},
    {"ExecuTorch", 's', "torch_executor", false},
    {"ExecuTorch", 'n', "et_pal_", false},
    {"protobuf", 's', "google", true},  // glog and gflags share the namespace
    {"protobuf", 'n', "descriptor_table_", true},
    {"protobuf", 'n', "protobuf_", true},
    {"protobuf", 'n', "scc_info_", true},
    {"abseil", 's', "absl", true},
    {"flatbuffers", 's', "flatbuffers", true},
    {"flatbuffers", 's', "flatbuffers_libc", true},
    {"fmt", 's', "fmt", true},
    {"onnx", 's', "onnx", true},
    {"onnx", 's', "onnx_torch", true},
    {"nlohmann-json", 's', "nlohmann", false},
    {"Eigen", 's', "Eigen", false},
    {"gloo", 's', "gloo", true},
    {"tensorpipe", 's', "tensorpipe", true},
    {"oneDNN", 's', "dnnl", true},
    {"oneDNN", 's', "ideep", false},
    {"oneDNN", 'n', "dnnl_", true},
    {"FBGEMM", 's', "fbgemm", true},
    {"FBGEMM", 's', "asmjit", true},
    {"XNNPACK", 'n', "xnn_", true},
    {"pthreadpool", 'n', "pthreadpool_", true},
    {"cpuinfo", 'n', "cpuinfo_", true},
    {"cpuinfo", 'n', "clog_", true},
    {"sleef", 'n', "Sleef_", true},
    {"NNPACK", 'n', "nnp_", true},
    {"QNNPACK", 'n', "qnnp_", true},
    {"QNNPACK", 'n', "pytorch_qnnp_", true},
    {"MKL", 'n', "mkl_", true},
    {"MKL", 'n', "MKL_", true},
    {"MKL", 'n', "vml", true},
    {"BLAS/LAPACK", 'n', "cblas_", true},
    {"BLAS/LAPACK", 'n', "LAPACKE_", true},
    {"BLAS/LAPACK", 'n', "openblas_", true},
    {"OpenMP", 'n', "omp_", false},
    {"OpenMP", 'n', "GOMP_", false},
    {"OpenMP", 'n', "__kmp", false},
    {"OpenMP", 'n', "kmp_", false},
    {"uv", 'n', "uv_", true},
    {"zlib", 'w', "inflate", true},
    {"zlib", 'w', "deflate", true},
    {"zlib", 'w', "crc32", true},
    {"zlib", 'w', "adler32", true},
    {"Python", 'n', "Py", false},
    {"Python", 'n', "_Py", false},
    {"Python", 's', "pybind11", false},
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
  return found != manifest().end() && std::string_view(found->second->tier) == "extension";
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
