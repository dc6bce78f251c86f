// See own_files.h.
#include "cli/own_files.h"

#include "symbols/command.h"

namespace aoti_cts::cli {

using symbols::own_file;

std::string built_in_reference() {
  return own_file("the built-in reference runtime",
                  {AOTI_CTS_REFERENCE_BUILT, AOTI_CTS_REFERENCE_INSTALLED});
}

std::string built_in_plain_reference() {
  return own_file("the built-in reference runtime without a prefix",
                  {AOTI_CTS_REFERENCE_PLAIN_BUILT, AOTI_CTS_REFERENCE_PLAIN_INSTALLED});
}

std::string built_in_cuda_reference() {
  return own_file("the reference runtime for CUDA (built where CMake finds a CUDA toolkit)",
                  {AOTI_CTS_REFERENCE_CUDA_BUILT, AOTI_CTS_REFERENCE_CUDA_INSTALLED});
}

std::string built_in_checked_reference() {
  return own_file("the checked reference runtime",
                  {AOTI_CTS_REFERENCE_CHECKED_BUILT, AOTI_CTS_REFERENCE_CHECKED_INSTALLED});
}

std::string built_in_mapping() {
  return own_file("the reference device mapping",
                  {AOTI_CTS_DEVMAP_BUILT, AOTI_CTS_DEVMAP_INSTALLED});
}

std::string mapping_probe() {
  return own_file("the device mapping's probe", {AOTI_CTS_PROBE_BUILT, AOTI_CTS_PROBE_INSTALLED});
}

std::string built_in_parser() {
  return own_file("the reference parser", {AOTI_CTS_PARSER_BUILT, AOTI_CTS_PARSER_INSTALLED});
}

std::string built_in_aten_parser() {
  return own_file(
      "the reference parser over libtorch (built by `ctest -R program.aten` in a build tree, or "
      "with everything else where AOTI_CTS_TORCH_DIR names a torch)",
      {AOTI_CTS_PARSER_ATEN_BUILT, AOTI_CTS_PARSER_ATEN_TESTED, AOTI_CTS_PARSER_ATEN_INSTALLED});
}

std::string built_in_loader() {
  return own_file("the reference loader", {AOTI_CTS_LOADER_BUILT, AOTI_CTS_LOADER_INSTALLED});
}

std::string built_in_delegate(bool aten) {
  if (!aten) {
    return own_file("the reference delegate",
                    {AOTI_CTS_DELEGATE_BUILT, AOTI_CTS_DELEGATE_INSTALLED});
  }
  return own_file(
      "the reference delegate over libtorch (built by `ctest -R program.aten` in a build tree, or "
      "with everything else where AOTI_CTS_TORCH_DIR names a torch)",
      {AOTI_CTS_DELEGATE_ATEN_BUILT, AOTI_CTS_DELEGATE_ATEN_TESTED,
       AOTI_CTS_DELEGATE_ATEN_INSTALLED});
}

std::string built_in_exporter() {
  return own_file("the exporter", {AOTI_CTS_EXPORTER_BUILT, AOTI_CTS_EXPORTER_INSTALLED});
}

std::string path_blobs() {
  const std::string first =
      own_file("section PATH's first model",
               {AOTI_CTS_PATH_BLOBS_BUILT "/sound.so", AOTI_CTS_PATH_BLOBS_INSTALLED "/sound.so"});
  return first.substr(0, first.rfind('/'));
}

}  // namespace aoti_cts::cli
