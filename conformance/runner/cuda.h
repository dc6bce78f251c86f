// CUDA in the process of a candidate: the virtual device, loaded before the candidate, or the real
// runtime that the candidate brings in.
//
// Both are found by name, so that the runner needs no CUDA to build. The virtual library has the
// real one's soname: a candidate that is loaded after it gets it, whatever its RPATH says.
#pragma once

#include <string>
#include <vector>

#include "runner/shared.h"
#include "suite/cuda.h"

namespace aoti_cts::runner {

enum class CudaMode { None, Virtual, Real };

/// What the caller asked for.
struct CudaOptions {
  CudaMode mode = CudaMode::None;
  int devices = 2;      ///< of the virtual device, 1-8
  std::string library;  ///< the virtual libcudart; see virtual_library()
  std::string missing;  ///< why the virtual device cannot serve this candidate
  std::string faults;   ///< to inject in each case, as for aoti_cts_vcuda_fault()
};

/// What a candidate's files say about CUDA, read without loading them.
struct CudaImports {
  int version = 0;                  ///< 12 or 13: the libcudart that it needs; 0 where none
  bool is_static = false;           ///< holds a libcudart of its own
  std::vector<std::string> absent;  ///< CUDA functions it imports that the virtual device lacks
};

/// Throws symbols::BadFile where a file is none that can be read.
CudaImports read_imports(const std::vector<std::string>& paths);

/// Path of the virtual libcudart of a version, beside the executable or where it is installed.
/// Throws std::runtime_error where it is missing.
std::string virtual_library(int version);

/// Loads the virtual device, before the candidate. Returns "" or why not.
std::string load_virtual(const CudaOptions& options);

/// Finds CUDA after the candidate was loaded, for suite::active_cuda.
suite::CudaAccess find_cuda(const CudaOptions& options);

/// From here on findings of the virtual device go to `out`, and faults are injected.
void begin_case(const CudaOptions& options, const suite::CudaAccess& access, SharedCase& out);

}  // namespace aoti_cts::runner
