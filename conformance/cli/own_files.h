// Files that belong to aoti-cts itself: they lie at one place from the executable in a build tree,
// at another once installed, both fixed by CMake. Found from the executable's own place, so that a
// moved tree keeps working.
#pragma once

#include <string>

namespace aoti_cts::cli {

/// The built-in reference runtime, whose prefix is executorch_. Like all of these, throws
/// std::runtime_error with the places that were looked at.
std::string built_in_reference();

/// The same without a prefix.
std::string built_in_plain_reference();

/// The same with device tensors; missing where the build had no CUDA toolkit.
std::string built_in_cuda_reference();

/// The one that judges the blob which calls it; its prefix is checked_.
std::string built_in_checked_reference();

/// The reference device mapping, a plug-in.
std::string built_in_mapping();

/// The probe that asks an installed torch for its mapping, a Python script.
std::string mapping_probe();

/// The reference parser of .pte programs in portable mode, a plug-in.
std::string built_in_parser();

/// The same in ATen mode, over libtorch; missing where the build had none.
std::string built_in_aten_parser();

/// The reference loader of embedded blobs, a plug-in.
std::string built_in_loader();

/// The reference delegate, a plug-in, in portable mode or over libtorch; the latter is missing
/// where the build had none.
std::string built_in_delegate(bool aten);

/// The script that compiles models under a prefix.
std::string built_in_exporter();

/// The folder with the models that section PATH loads.
std::string path_blobs();

}  // namespace aoti_cts::cli
