// Reading zip archives (packages and .npz files), through the helper process that reads wheels too:
// libzip stays out of the tool.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "symbols/foreign.h"

namespace aoti_cts::blobs {

/// An archive that was opened for reading.
class Zip {
 public:
  /// Throws Error with the path and what is wrong with it.
  explicit Zip(const std::string& path);

  const std::vector<std::string>& names() const { return names_; }
  /// The bytes of a member, by its place in names(). Throws Error, also where it has more bytes
  /// than `limit`.
  std::string read(std::size_t member, uint64_t limit) const;

 private:
  std::unique_ptr<symbols::FileInput> archive_;
  std::vector<symbols::ZipMember> members_;
  std::vector<std::string> names_;
};

}  // namespace aoti_cts::blobs
