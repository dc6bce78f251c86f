#include "blobs/zip.h"

#include <fmt/format.h>

#include <span>

#include "blobs/host.h"

namespace aoti_cts::blobs {

Zip::Zip(const std::string& path) {
  try {
    archive_ = symbols::FileInput::open(path);
    members_ = symbols::list_zip(*archive_);
  } catch (const symbols::BadFile& error) {
    throw Error(error.what());
  }
  for (const symbols::ZipMember& member : members_) names_.push_back(member.name);
}

std::string Zip::read(std::size_t member, uint64_t limit) const {
  const symbols::ZipMember& wanted = members_[member];
  if (wanted.size > limit) {
    throw Error(fmt::format("{}: member {} has {} bytes, at most {} are read", archive_->name(),
                            wanted.name, wanted.size, limit));
  }
  try {
    const auto file = symbols::open_member(*archive_, wanted);
    std::string bytes(file->size(), '\0');
    file->read(0, std::as_writable_bytes(std::span(bytes)), "member");
    return bytes;
  } catch (const symbols::BadFile& error) {
    throw Error(error.what());
  }
}

}  // namespace aoti_cts::blobs
