// Section BLOB, what a loader of blobs owes to the model: BLOB.device-string, BLOB.last-error.
//
//   aoti-cts check --profile path --select 'BLOB.*'                  the reference loader: PASS
//   aoti-cts check --loader PLUGIN.so --select 'BLOB.*'              any other
//
// The models are those of section PATH (path/blobs/): one leaves the device string that it gets in
// the environment of the process, others fail and say why.
#include <cstdlib>

#include "path/host.h"
#include "path/subject.h"
#include "suite/case.h"

namespace aoti_cts::suite {
namespace {

using path::Load;
using path::Scratch;

constexpr const char* model_device = "AOTI_CTS_MODEL_DEVICE";  // of path/blobs/names_its_device.c
constexpr const char* not_asked = "no call of CreateWithDevice";

const AotiCtsLoader& open(Case& c) {
  if (path::subject().plugin.empty()) c.skip("no loader was given: --loader PLUGIN");
  return path::open_subject();
}

/// A load of its own key, so that no loader takes it for another.
Load load_on(const AotiCtsLoader& loader, const Scratch& scratch, const std::string& device) {
  unsetenv(model_device);
  return {loader, path::blob("names_its_device"), "device-" + device, scratch.directory(),
          device.c_str()};
}

std::string device_told() {
  const char* told = std::getenv(model_device);
  return told == nullptr ? not_asked : told;
}

const AotiCtsLoader& need_device(Case& c) {
  const AotiCtsLoader& loader = open(c);
  if (!path::takes_device(loader)) c.skip("the loader is never told a device: it has no load_on()");
  return loader;
}

void reaches_whole(Case& c, const std::string& device) {
  const AotiCtsLoader& loader = need_device(c);
  const Scratch scratch;
  const Load one = load_on(loader, scratch, device);
  if (!one.loaded() && device_told() == not_asked) {
    c.skip(fmt::format("the loader refuses {}: {}", device, one.outcome()));
  }
  HAVE_WANT_AS("device string that CreateWithDevice got", device_told(), device);
}

void each_its_own(Case& c) {
  const AotiCtsLoader& loader = need_device(c);
  const Scratch scratch;
  std::vector<Load> loads;
  for (const char* device : {"cuda:1", "cuda:0", "cuda:11"}) {
    loads.push_back(load_on(loader, scratch, device));
    if (!loads.back().loaded() && device_told() == not_asked) {
      c.skip(fmt::format("the loader refuses {}: {}", device, loads.back().outcome()));
    }
    HAVE_WANT_AS(fmt::format("device string of load {}", loads.size()), device_told(),
                 std::string(device));
  }
}

/// An error that has this text in its message.
void says(Case& c, const char* model, const std::string& text) {
  const AotiCtsLoader& loader = open(c);
  const Scratch scratch;
  const Load one(loader, path::blob(model), "last-error", scratch.directory());
  HAVE_WANT_AS("load of a model that fails", one.loaded() ? "loaded" : "an error", "an error");
  if (one.message().find(text) == std::string::npos) {
    c.fail("message of the failed load", fmt::format("\"{:.400}\"", one.message()),
           fmt::format("\"{}\" in it", text));
  }
}

}  // namespace

CLAUSE_CASES(BLOB, device_string) {
  for (const char* device : {"cpu", "cuda", "cuda:0", "cuda:1", "cuda:12", "cuda:127"}) {
    std::string name(device);
    if (name.find(':') != std::string::npos) name[name.find(':')] = '_';
    cases.add(name, [device](Case& c) { reaches_whole(c, device); });
  }
  cases.add("each_its_own", each_its_own);
}

CLAUSE_CASES(BLOB, last_error) {
  const char* text = "constant 'fc.weight' has 12 bytes, where 16 are needed";
  cases.add("text", [text](Case& c) { says(c, "create_says_why", text); });
  cases.add("no_text", [](Case& c) { says(c, "create_says_null", ""); });
  cases.add("no_answer", [](Case& c) { says(c, "last_error_fails", ""); });
  cases.add("no_function", [](Case& c) { says(c, "create_fails", ""); });
}

}  // namespace aoti_cts::suite
