// A mapping as a file: written down by hand (devices alone), or recorded from a torch by the probe
// (devices, and the replies to every recipe). Keys that nobody reads are refused.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "devmap/candidate.h"

namespace aoti_cts::devmap {
namespace {

constexpr size_t most_bytes = size_t{16} << 20;

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", where, what));
}

void only(const Json& object, const std::string& where, std::initializer_list<const char*> keys) {
  if (!object.is_object()) refuse(where, "is no object");
  for (const auto& item : object.items()) {
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const char* key) { return item.key() == key; })) {
      refuse(where, fmt::format("unknown key '{}'", item.key()));
    }
  }
}

std::string string_at(const Json& object, const std::string& where, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) refuse(fmt::format("{}.{}", where, key), "is no string");
  return found->get<std::string>();
}

// A reply has exactly one of the kinds; `type` goes with an error.
Reply reply_of(const Json& json, const std::string& where) {
  Reply reply;
  int kinds = 0;
  const auto take = [&](const char* key, Reply::Kind kind) {
    if (!json.contains(key)) return;
    ++kinds;
    reply.kind = kind;
    if (json[key].is_string()) reply.text = json[key].get<std::string>();
  };
  take("done", Reply::Kind::Done);
  take("answer", Reply::Kind::Answer);
  take("not_text", Reply::Kind::NotText);
  take("error", Reply::Kind::Error);
  take("unsupported", Reply::Kind::Unsupported);
  take("count", Reply::Kind::Count);
  if (kinds != 1) {
    refuse(where, "needs exactly one of answer, error, not_text, done, count, unsupported");
  }
  reply.type = string_at(json, where, "type");
  const bool text = reply.kind != Reply::Kind::Done && reply.kind != Reply::Kind::Count;
  for (const char* key : {"answer", "not_text", "error", "unsupported"}) {
    if (json.contains(key) && text) string_at(json, where, key);
  }
  if (reply.kind == Reply::Kind::Count) {
    if (!json["count"].is_number_integer()) refuse(where + ".count", "is no integer");
    reply.count = json["count"].get<std::int64_t>();
  }
  return reply;
}

std::vector<Reply> replies_of(const Json& json, const std::string& where) {
  if (json.is_object()) {
    only(json, where, {"crash"});
    return {{Reply::Kind::Ended, string_at(json, where, "crash"), "", 0}};
  }
  if (!json.is_array()) refuse(where, "is no list of replies");
  std::vector<Reply> replies;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string here = fmt::format("{}[{}]", where, i);
    only(json[i], here, {"done", "answer", "not_text", "error", "type", "count", "unsupported"});
    replies.push_back(reply_of(json[i], here));
  }
  return replies;
}

class Record : public Candidate {
 public:
  Record(const Json& root, std::string path) : path_(std::move(path)) {
    only(root, path_,
         {"schema_version", "kind", "source", "corpus", "table_exists", "devices", "notes",
          "bad_overrides", "cases", "registry_unchanged"});
    if (!root.contains("schema_version") || root["schema_version"] != 1) {
      refuse(path_ + ": schema_version", "is not 1");
    }
    if (string_at(root, path_, "kind") != "device-map")
      refuse(path_ + ": kind", "is no device-map");
    read_devices(root);
    if (root.contains("cases")) read_cases(root);
    if (root.contains("table_exists")) {
      if (!root["table_exists"].is_boolean()) refuse(path_ + ": table_exists", "is no boolean");
      table_exists_ = root["table_exists"].get<bool>();
    }
    if (root.contains("bad_overrides")) {
      for (const auto& item : root["bad_overrides"].items()) {
        const std::string here = fmt::format("{}: bad_overrides.{}", path_, item.key());
        bad_overrides_.emplace_back(item.key(), item.value().contains("crash")
                                                    ? replies_of(item.value(), here).front()
                                                    : reply_of(item.value(), here));
      }
    }
    name_ = path_;
    if (root.contains("source")) {
      const std::string version = string_at(root["source"], path_ + ": source", "torch");
      if (!version.empty())
        name_ =
            fmt::format("torch {} ({})", version, std::filesystem::path(path_).filename().string());
    }
  }

  std::string name() const override { return name_; }
  std::vector<DeviceRow> devices() override { return devices_; }
  std::optional<bool> table_exists() override { return table_exists_; }
  std::vector<std::pair<std::string, Reply>> bad_overrides() override { return bad_overrides_; }

  std::vector<Reply> run(const Recipe& recipe) override {
    const auto found = cases_.find(recipe.name);
    if (found != cases_.end()) return found->second;
    std::vector<Reply> replies;
    for (const Step& step : recipe.steps) {
      replies.push_back(written_down(step));
      if (replies.back().kind == Reply::Kind::Unsupported) break;
    }
    return replies;
  }

 private:
  void read_devices(const Json& root) {
    const std::string where = path_ + ": devices";
    if (!root.contains("devices") || !root["devices"].is_object()) refuse(where, "is no object");
    for (const auto& item : root["devices"].items()) {
      const std::string here = fmt::format("{}.{}", where, item.key());
      only(item.value(), here, {"answer", "error", "not_text", "type", "class", "getter"});
      DeviceRow row;
      row.device = item.key();
      row.reply = reply_of(item.value(), here);
      row.override_class = string_at(item.value(), here, "class");
      row.getter = string_at(item.value(), here, "getter");
      devices_.push_back(std::move(row));
    }
    if (devices_.empty()) refuse(where, "is empty");
  }

  void read_cases(const Json& root) {
    const std::string digest = string_at(root, path_, "corpus");
    if (digest != corpus_digest()) {
      refuse(path_ + ": corpus",
             fmt::format("the answers were recorded over the corpus '{}', this build has '{}': "
                         "record them again",
                         digest, corpus_digest()));
    }
    for (const auto& item : root["cases"].items()) {
      cases_[item.key()] = replies_of(item.value(), fmt::format("{}: cases.{}", path_, item.key()));
    }
  }

  // A file answers lookups of what stands in it, and nothing else.
  Reply written_down(const Step& step) const {
    if (step.what != Step::Do::Lookup) {
      return {Reply::Kind::Unsupported,
              "a mapping that is written down can only be looked up: nothing is registered in it",
              "", 0};
    }
    for (const DeviceRow& row : devices_) {
      if (row.device == step.device) return row.reply;
    }
    return {Reply::Kind::Unsupported,
            fmt::format("{} says nothing of device '{}'", path_, step.device), "", 0};
  }

  std::string path_;
  std::string name_;
  std::vector<DeviceRow> devices_;
  std::map<std::string, std::vector<Reply>> cases_;
  std::optional<bool> table_exists_;
  std::vector<std::pair<std::string, Reply>> bad_overrides_;
};

}  // namespace

std::unique_ptr<Candidate> parse_record(const std::string& text, const std::string& path) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::exception& error) {
    refuse(path, error.what());
  }
  return std::make_unique<Record>(root, path);
}

std::unique_ptr<Candidate> open_record(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "cannot be read");
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > most_bytes) refuse(path, fmt::format("more than {} bytes", most_bytes));
  return parse_record(text, path);
}

}  // namespace aoti_cts::devmap
