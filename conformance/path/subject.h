// The loader under judgement: set once by the command line, read by the cases in their processes.
#pragma once

#include <aoti_cts/loader.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace aoti_cts::path {

struct Subject {
  std::string plugin;   ///< its path; empty where none is judged
  std::string blobs;    ///< the folder with this suite's own blobs
  std::string scratch;  ///< where cases make their folders; empty: the folder for temporary files
};

/// The process's one subject.
Subject& subject();

/// What is wrong with a plug-in's table: nothing that it does could be judged.
class InterfaceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Loads the subject's plug-in and checks its table. Executes the candidate: for case processes.
/// Throws InterfaceError, or std::runtime_error where the library cannot be loaded.
const AotiCtsLoader& open_subject();

/// The bytes of conformance/path/blobs/NAME.c, built. Throws std::runtime_error where they cannot
/// be read.
std::vector<uint8_t> blob(const std::string& name);

}  // namespace aoti_cts::path
