// A mapping behind the plug-in interface. The library is loaded on first use, in the process that
// asks: the main process never executes a candidate.
#include <aoti_plugin/device_map.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "devmap/candidate.h"

namespace aoti_cts::devmap {
namespace {

AotiMapText text(const std::string& from) { return {from.data(), from.size()}; }

// Collects writes; the order of `texts` is the order of the calls.
struct Collector {
  std::vector<std::string> texts;

  AotiMapSink sink() { return {this, &Collector::write}; }
  std::string joined() const {
    std::string all;
    for (const std::string& part : texts) all += part;
    return all;
  }

 private:
  static void write(void* to, AotiMapText part) {
    static_cast<Collector*>(to)->texts.emplace_back(part.size == 0 ? "" : part.data, part.size);
  }
};

// A recipe's overrides as the interface wants them; alive as long as the mapping.
struct GivenOverrides {
  const Overrides* spec;
  AotiMapOverrides abi{};

  static int32_t answer(void* context, AotiMapValue* value, AotiMapSink raised) {
    const Overrides& spec = *static_cast<const GivenOverrides*>(context)->spec;
    if (spec.raises) {
      raised.write(raised.to, text(*spec.raises));
      return AOTI_MAP_ERROR;
    }
    const Value& given = *spec.returns;
    constexpr int32_t kinds[] = {AOTI_MAP_TEXT, AOTI_MAP_BYTES, AOTI_MAP_NONE, AOTI_MAP_INTEGER};
    value->kind = kinds[static_cast<std::size_t>(given.kind)];
    value->text = text(given.text);
    value->integer = given.integer;
    return AOTI_MAP_OK;
  }
};

Reply reply_of(int32_t code, const Collector& out, const char* function, Reply::Kind success) {
  Reply reply;
  reply.text = out.joined();
  if (code == AOTI_MAP_OK) {
    reply.kind = success;
  } else if (code == AOTI_MAP_ERROR) {
    reply.kind = Reply::Kind::Error;
  } else if (code == AOTI_MAP_UNSUPPORTED) {
    reply.kind = Reply::Kind::Unsupported;
    reply.text = fmt::format("the plug-in does not support {}", function);
  } else {
    reply.kind = Reply::Kind::NotText;
    reply.text = fmt::format("{} returned {}, known are 0 to 2", function, code);
  }
  return reply;
}

Reply unsupported(const char* function) {
  return {Reply::Kind::Unsupported, fmt::format("the plug-in has no {}", function), "", 0};
}

class Plugin : public Candidate {
 public:
  explicit Plugin(std::string path) : path_(std::move(path)) {}
  std::string name() const override { return path_; }

  std::vector<Reply> run(const Recipe& recipe) override {
    Session session(hook());
    std::vector<Reply> replies;
    for (const Step& step : recipe.steps) {
      replies.push_back(session.step(step));
      if (replies.back().kind == Reply::Kind::Unsupported) break;
    }
    return replies;
  }

  std::vector<DeviceRow> devices() override {
    const AotiMapHook& with = hook();
    Session session(with);
    std::vector<DeviceRow> rows;
    for (const std::string& name : session.names()) {
      Step ask;
      ask.device = name;
      const Reply reply = session.step(ask);
      rows.push_back({name, reply, "",
                      reply.kind == Reply::Kind::Answer ? getter_of(reply.text) : std::string()});
    }
    return rows;
  }

  std::optional<bool> table_exists() override { return hook().assign_table != nullptr; }

 private:
  // One mapping, and what was registered in it.
  class Session {
   public:
    explicit Session(const AotiMapHook& hook) : hook_(hook), mapping_(hook.create()) {
      if (mapping_ == nullptr) throw std::runtime_error("create() returned null");
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() { hook_.destroy(mapping_); }

    Reply step(const Step& step) {
      switch (step.what) {
        case Step::Do::Register:
          return add(step);
        case Step::Do::Lookup: {
          Collector out;
          const int32_t code = hook_.lookup(mapping_, text(step.device), out.sink());
          return reply_of(code, out, "lookup", Reply::Kind::Answer);
        }
        case Step::Do::Code: {
          if (hook_.code == nullptr) return unsupported("code");
          Collector out;
          const int32_t code =
              hook_.code(mapping_, text(step.device), text(step.operation), out.sink());
          return reply_of(code, out, "code", Reply::Kind::Answer);
        }
        case Step::Do::AssignTable:
          return assign_table(step);
        case Step::Do::Initialisations:
          return initialisations();
      }
      return unsupported("such step");
    }

    std::vector<std::string> names() {
      if (hook_.devices == nullptr) throw NotOffered("the plug-in has no devices()");
      Collector out;
      const int32_t code = hook_.devices(mapping_, out.sink());
      if (code != AOTI_MAP_OK) {
        throw std::runtime_error(fmt::format("devices() returned {}: {}", code, out.joined()));
      }
      // meta answers without being registered anywhere.
      out.texts.emplace_back("meta");
      return out.texts;
    }

   private:
    Reply add(const Step& step) {
      Collector error;
      const int32_t code =
          hook_.add(mapping_, text(step.device), given(*step.overrides), error.sink());
      return reply_of(code, error, "add", Reply::Kind::Done);
    }

    // No table to assign is as good as one that changes nothing.
    Reply assign_table(const Step& step) {
      if (hook_.assign_table == nullptr) return {};
      std::vector<AotiMapEntry> entries;
      for (const auto& [device, answer] : step.entries) {
        entries.push_back({text(device), text(answer)});
      }
      Collector error;
      const int32_t code =
          hook_.assign_table(mapping_, entries.data(), entries.size(), error.sink());
      return reply_of(code, error, "assign_table", Reply::Kind::Done);
    }

    Reply initialisations() {
      if (hook_.initialisations == nullptr) return unsupported("initialisations");
      Reply reply;
      int64_t count = -1;
      const int32_t code = hook_.initialisations(mapping_, &count);
      reply = reply_of(code, {}, "initialisations", Reply::Kind::Count);
      reply.count = count;
      return reply;
    }

    const AotiMapOverrides* given(const Overrides& spec) {
      constexpr int32_t bases[] = {AOTI_MAP_BASE_PLAIN, AOTI_MAP_BASE_NO_OP, AOTI_MAP_BASE_CPU,
                                   AOTI_MAP_BASE_FOREIGN, AOTI_MAP_BASE_OTHER};
      GivenOverrides& made = overrides_.emplace_back();
      made.spec = &spec;
      made.abi.struct_size = sizeof made.abi;
      made.abi.class_name = text(spec.class_name);
      made.abi.base_kind = bases[static_cast<std::size_t>(spec.base)];
      made.abi.context = &made;
      if (spec.returns || spec.raises) made.abi.aten_device_type = &GivenOverrides::answer;
      if (spec.other) made.abi.base = given(*spec.other);
      return &made.abi;
    }

    const AotiMapHook& hook_;
    void* mapping_;
    std::deque<GivenOverrides> overrides_;  // a deque: elements keep their address
  };

  const AotiMapHook& hook() {
    if (hook_ != nullptr) return *hook_;
    void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
    const auto entry = reinterpret_cast<decltype(&aoti_plugin_device_map)>(
        dlsym(library, "aoti_plugin_device_map"));
    if (entry == nullptr) {
      throw std::runtime_error(fmt::format("{} exports no aoti_plugin_device_map", path_));
    }
    const AotiMapHook* hook = entry(AOTI_MAP_VERSION);
    if (hook == nullptr) {
      throw std::runtime_error(
          fmt::format("{} does not serve version {} of the interface", path_, AOTI_MAP_VERSION));
    }
    // Copied by the size it says: what an older plug-in lacks stays null.
    const std::size_t size = std::min(hook->struct_size, sizeof copy_);
    constexpr std::size_t least = offsetof(AotiMapHook, devices);
    if (size < least) {
      throw std::runtime_error(fmt::format("{}: struct_size of the hook is {}, at least {}", path_,
                                           hook->struct_size, least));
    }
    std::copy_n(reinterpret_cast<const char*>(hook), size, reinterpret_cast<char*>(&copy_));
    if (copy_.create == nullptr || copy_.destroy == nullptr || copy_.add == nullptr ||
        copy_.lookup == nullptr) {
      throw std::runtime_error(
          fmt::format("{}: create, destroy, add and lookup are needed, and "
                      "one of them is null",
                      path_));
    }
    hook_ = &copy_;
    return copy_;
  }

  std::string path_;
  AotiMapHook copy_{};
  const AotiMapHook* hook_ = nullptr;
};

}  // namespace

std::unique_ptr<Candidate> open_plugin(const std::string& path) {
  return std::make_unique<Plugin>(path);
}

}  // namespace aoti_cts::devmap
