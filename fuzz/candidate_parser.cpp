// A parser plug-in and the reference parser on the same programs: any divergence is a finding.
//
//   ./dev fuzz candidate_parser
//   build/dev/fuzz/fuzz_candidate_parser FILE|FOLDER...      "N inputs were run, from M files"
//
//   --candidate=PLUGIN.so   the parser to be judged (conformance/include/aoti_cts/parser.h); one
//                           that is linked in (aoti_cts_add_parser_fuzzer) needs no path, and
//                           without either it is the reference's own plug-in
//   --mode=aten             default portable
//   --forked                the candidate is called in a process of its own: one that crashes is a
//                           finding, and the run goes on
//   --findings=FOLDER       divergences do not end the run, nor change its exit code: one of each
//                           kind and rule is minimised and written into FOLDER, as a file and as a
//                           recipe of the corpus, and listed in its divergences.txt
//
// Oracle. The reference accepts and so does the candidate, and shows all tensors alike: devices,
// types, shapes, places, data, also after set_data; it asked for each buffer and for external data
// by their right names. Or both refuse, and nothing stays allocated, mapped or open. The file is
// never written to. What is left open is listed in support/candidate/compare.h and shown.h.
//
// fuzz-link: aoti_cts_fuzz_candidate aoti_cts_fuzz_program aoti_cts_fuzz_program_entry
// fuzz-seeds: aoti_cts_program_seeds
// fuzz-needs: aoti_cts_parser_reference
// fuzz-dictionary: program.dict
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "support/beside.h"
#include "support/candidate/compare.h"
#include "support/candidate/findings.h"
#include "support/candidate/forked.h"
#include "support/deterministic.h"
#include "support/finding.h"
#include "support/options.h"

#pragma weak aoti_cts_parser  // of a plug-in that is linked in

namespace {

using namespace aoti_cts::fuzz;
using aoti_cts::program::Mode;

struct Arguments {
  std::string candidate;
  std::string findings;
  Mode mode = Mode::portable;
  bool forked = false;
};

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "candidate_parser: %s\n", what.c_str());
  std::exit(2);
}

const AotiCtsParser& open(std::string path, Mode mode) {
  const AotiCtsParser* (*entry)() = aoti_cts_parser;
  if (!path.empty() || entry == nullptr) {
    if (path.empty()) path = beside(AOTI_CTS_REFERENCE_PARSER);
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) refuse(dlerror());
    entry = reinterpret_cast<const AotiCtsParser* (*)()>(dlsym(library, "aoti_cts_parser"));
    if (entry == nullptr) refuse(path + " exports no aoti_cts_parser()");
  }
  const AotiCtsParser* const table = entry();
  if (table == nullptr || table->version != AOTI_CTS_PARSER_VERSION) {
    refuse(path + ": its aoti_cts_parser() gives no table of version " +
           std::to_string(AOTI_CTS_PARSER_VERSION));
  }
  const unsigned bit =
      mode == Mode::aten ? 1u << AOTI_CTS_PARSER_ATEN : 1u << AOTI_CTS_PARSER_PORTABLE;
  if ((table->modes & bit) == 0) refuse(path + " lacks this --mode");
  const size_t alignment = alignment_of(*table);
  if (alignment > 16 || (alignment & (alignment - 1)) != 0) {
    refuse(path + ": its table's alignment is " + std::to_string(alignment) +
           ", want 0, 1, 2, 4, 8 or 16");
  }
  std::fprintf(stderr, "judged: %s, %s\n", table->name == nullptr ? "a parser" : table->name,
               path.empty() ? "linked in" : path.c_str());
  return *table;
}

/// How one of the findings is seen again: without --findings, so that it ends the process.
std::string replay_of(const Arguments& arguments) {
  std::error_code none;
  std::string text =
      "replay one: " + std::filesystem::read_symlink("/proc/self/exe", none).string();
  if (!arguments.candidate.empty()) text += " --candidate=" + arguments.candidate;
  if (arguments.mode == Mode::aten) text += " --mode=aten";
  if (arguments.forked) text += " --forked";
  return text + " " + std::filesystem::absolute(arguments.findings).string() + "/NAME.pte\n";
}

class Harness {
 public:
  explicit Harness(const Arguments& arguments)
      : mode_(arguments.mode), parser_(open(arguments.candidate, arguments.mode)) {
    const auto inside = [this](const uint8_t* data, size_t size) {
      read_reference(data, size, mode_, in_server_);
      return aoti_cts::fuzz::compare(parser_, host_, data, size, mode_, in_server_);
    };
    if (arguments.forked) forked_ = std::make_unique<Forked>(inside);
    if (!arguments.findings.empty()) {
      replay_ = replay_of(arguments);
      findings_ = std::make_unique<Findings>(
          arguments.findings, mode_,
          [this](const std::vector<uint8_t>& file) { return compare(file); });
    }
  }
  ~Harness() {
    if (findings_ == nullptr) return;
    findings_->print(inputs_);
    std::printf("%s", replay_.c_str());
    std::fflush(stdout);
  }

  void run(const uint8_t* data, size_t size) {
    ++inputs_;
    note_input(data, size);
    const std::vector<uint8_t> file(data, data + size);
    const Divergence found = compare_once(file);
    if (!found.found()) return;
    if (findings_ == nullptr) finding(found.kind + ": " + found.rule, found.what);
    findings_->add(file, found);
  }

 private:
  Divergence compare_once(const std::vector<uint8_t>& file) {
    // A candidate in a process of its own may look at clocks: loggers do.
    std::optional<Deterministic> inside;
    if (forked_ == nullptr) inside.emplace();
    return compare(file);
  }

  Divergence compare(const std::vector<uint8_t>& file) {
    read_reference(file.data(), file.size(), mode_, reference_);
    if (forked_ != nullptr) return forked_->run(file.data(), file.size(), reference_);
    return aoti_cts::fuzz::compare(parser_, host_, file.data(), file.size(), mode_, reference_);
  }

  Mode mode_;
  const AotiCtsParser& parser_;
  Host host_;
  Reference reference_;
  Reference in_server_;
  std::unique_ptr<Forked> forked_;
  std::unique_ptr<Findings> findings_;
  std::string replay_;
  uint64_t inputs_ = 0;
};

std::unique_ptr<Harness>& harness() {
  static std::unique_ptr<Harness> the_one;
  return the_one;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  check_options("candidate_parser", *argc, *argv,
                {"--candidate=", "--findings=", "--mode=portable", "--mode=aten", "--forked"});
  Arguments arguments;
  for (int i = 1; i < *argc; ++i) {
    const std::string text = (*argv)[i];
    if (text.rfind("--candidate=", 0) == 0) arguments.candidate = absolute(text.substr(12));
    if (text.rfind("--findings=", 0) == 0) arguments.findings = text.substr(11);
    if (text == "--mode=aten") arguments.mode = Mode::aten;
    if (text == "--forked") arguments.forked = true;
  }
  harness() = std::make_unique<Harness>(arguments);
  std::atexit([] { harness().reset(); });  // prints what was found
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  harness()->run(data, size);
  return 0;
}
