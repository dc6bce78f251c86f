// Section PARSE, parsers of .pte programs.
//
//   aoti-cts check --profile parse                          the reference parser: PASS or INFO
//   aoti-cts check --parser PLUGIN.so --mode portable       any other
//
// The cases are the recipes of corpus/program: a case is a recipe, and parses all vectors of it. A
// few clauses ask more than a vector can say (bind other memory, parse again); their cases do that
// with each vector. What a candidate knows of a clause it has no mode for is not asked.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>

#include "parser/findings.h"
#include "parser/judge.h"
#include "parser/subject.h"
#include "suite/case.h"
#include "suite/growth.h"
#include "suite/memory.h"

namespace aoti_cts::suite {
namespace {

using parser::Finding;
using parser::Parsed;
using parser::Recipe;
using parser::subject;
using parser::Vector;

/// One vector about to be parsed, and what a case may do with it.
struct Trial {
  Case& c;
  const AotiCtsParser& parser;
  const Recipe& recipe;
  const Vector& vector;
  std::vector<uint8_t> bytes;
  parser::Behind behind;  ///< tempts: what the file was meant to go on with

  std::string name() const { return parser::vector_text(vector.id, bytes.size()); }
  void fail(const std::string& kind, const std::string& have, const std::string& want) const {
    c.fail(kind + ": " + name(), have, want);
  }
  Parsed parse(bool verify = true) const { return {parser, bytes, subject().mode, verify, behind}; }
  std::string verdict() const {
    return vector.expect.at(parser::mode_name(subject().mode)).at("verdict").get<std::string>();
  }
};

using Body = void (*)(const Trial&);

/// What every vector is asked: verdict, error code, devices.
void judge(const Trial& trial, const Parsed& parsed) {
  const auto findings = parser::judge(trial.recipe, trial.vector, subject().mode, parsed);
  if (findings.empty()) trial.c.judge(true, true, trial.vector.id);
  for (const Finding& finding : findings) trial.fail(finding.kind, finding.have, finding.want);
}

void parse_once(const Trial& trial) { judge(trial, trial.parse()); }

std::string tensors_text(const Parsed& parsed) {
  std::string text;
  for (const parser::Tensor& tensor : parsed.tensors()) {
    text += fmt::format("{} {} {}; ",
                        parser::device_text(tensor.raw.device_type, tensor.raw.device_index),
                        show(tensor.sizes), show(tensor.strides));
  }
  return text;
}

/// What a parse came to; without its message, which may have an address in it.
std::string outcome(const Parsed& parsed) {
  return parsed.accepted() ? "accepted: " + tensors_text(parsed)
                           : fmt::format("error {:#x}", parsed.code());
}

/// Where the candidate's alignment leaves bytes between a file and the page behind it, they do not
/// matter.
void judge_behind(const Trial& trial) {
  if (trial.bytes.size() % parser::alignment_of(trial.parser) == 0) return;
  const std::string tempted = outcome(trial.parse());
  parser::Behind other = trial.behind;
  for (uint8_t& byte : other) byte = static_cast<uint8_t>(~byte);
  const std::string plain = outcome({trial.parser, trial.bytes, subject().mode, true, other});
  if (tempted != plain) trial.fail("reads behind the file", tempted, plain);
}

parser::Behind behind(const Recipe& recipe, const Vector& vector) {
  parser::Behind bytes = parser::junk_behind;
  const std::vector<uint8_t> rest = rest_of(recipe, vector, bytes.size());
  std::copy(rest.begin(), rest.end(), bytes.begin());
  return bytes;
}

/// Says on standard error, whose tail is in the report, which vector is parsed: after a crash or a
/// time-out the reader sees which it was. Taken back where nothing happened, and the parser wrote
/// nothing behind it. Also keeps which function of the plug-in was called last.
class Announced {
 public:
  void say(const std::string& vector) {
    function_ = "";
    before_ = size();
    std::fprintf(stderr, "vector %s\n", vector.c_str());
    after_ = size();
  }
  void called(const char* function) { function_ = function; }
  std::string function() const { return function_; }
  void take_back() const {
    if (before_ >= 0 && size() == after_ && ftruncate(STDERR_FILENO, before_) != 0) return;
  }

 private:
  static off_t size() {  // -1 where standard error is no file
    struct stat status {};
    const bool known = fstat(STDERR_FILENO, &status) == 0 && S_ISREG(status.st_mode);
    return known ? status.st_size : -1;
  }
  const char* volatile function_ = "";
  off_t before_ = -1;
  off_t after_ = -1;
};

/// While it lives, the case says of every call which function and vector it is, and the time limit
/// is for each parse.
class Telling {
 public:
  Telling(Case& c, const std::string& vector, Announced& announced) : sink_(c.sink()) {
    parser::on_call = [this, vector, &announced](const char* function) {
      announced.called(function);
      if (std::string_view(function) == "parse") sink_.step();
      sink_.inside(place(function, vector));
    };
  }
  ~Telling() {
    parser::on_call = nullptr;
    sink_.inside("");
  }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

  static std::string place(const std::string& function, const std::string& vector) {
    return fmt::format("{}() of vector {}", function, vector);
  }

 private:
  Sink& sink_;
};

void run_vector(Case& c, const AotiCtsParser& parser, const Recipe& recipe, const Vector& vector,
                Body body, Announced& announced) {
  const Trial trial{c, parser, recipe, vector, bytes_of(recipe, vector), behind(recipe, vector)};
  const std::string name = trial.name();
  announced.say(name);
  const Telling telling(c, name, announced);
  try {
    body(trial);
    judge_behind(trial);
  } catch (const parser::ExceptionLeft& thrown) {
    trial.fail("exception", thrown.what(), "an error or a result");
  }
  announced.take_back();
}

std::vector<const Vector*> judged(const Recipe& recipe) {
  std::vector<const Vector*> all;
  for (const Vector& vector : recipe.vectors) {
    if (is_judged(vector, subject().mode)) all.push_back(&vector);
  }
  return all;
}

/// Ends this process as a vector ended its own, so that the case counts as what it is: a crash, or
/// a process that was ended. What was said before stays.
[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/// The vectors from `next` on, in a process that ends with them or before.
template <class Next, class Run>
[[noreturn]] void run_stretch(Next& next, size_t end, const Run& run) {
  try {
    while (next < end) {
      run(next);
      next = next + 1;
    }
  } catch (const std::exception& error) {  // nobody above may go on as if this were the case
    std::fprintf(stderr, "%s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

/// A sweep goes on behind a vector that ends the process: each stretch has a process of its own.
void run_sweep(Case& c, const AotiCtsParser& parser, const Recipe& recipe,
               const std::vector<const Vector*>& vectors, Body body) {
  struct Shared {  // with the stretches
    volatile size_t next = 0;
    Announced announced;
  };
  void* const page =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::runtime_error("mmap");
  auto& shared = *new (page) Shared;
  auto& next = shared.next;
  int endings = 0;
  std::optional<int> first;
  std::string place;  // of that
  while (next < vectors.size() && endings < parser::most_endings) {
    // Without fork handlers: through them the runner takes a copy's voice away, and this one is to
    // speak.
    const pid_t pid = _Fork();
    if (pid < 0) throw std::runtime_error("_Fork");
    if (pid == 0) {
      run_stretch(next, vectors.size(), [&](size_t i) {
        run_vector(c, parser, recipe, *vectors[i], body, shared.announced);
      });
    }
    int status = 0;
    waitpid(pid, &status, 0);
    shared.announced.take_back();       // a finding names it
    if (next >= vectors.size()) break;  // the stretch came to its end, and so did the sweep
    const Vector& vector = *vectors[next];
    const std::string name = parser::vector_text(vector.id, bytes_of(recipe, vector).size());
    if (WIFSIGNALED(status)) {
      c.fail(fmt::format("{}: {}", parser::ended_by_signal, name), strsignal(WTERMSIG(status)),
             "an error or a result");
    } else {
      c.fail(fmt::format("{}: {}", parser::ended_itself, name),
             fmt::format("code {}", WEXITSTATUS(status)), "an error or a result");
    }
    if (!first) {
      first = status;
      const std::string function = shared.announced.function();
      if (!function.empty()) place = Telling::place(function, name);
    }
    next = next + 1;
    ++endings;
  }
  if (next < vectors.size()) {
    const std::string left = parser::not_tried_text(vectors.size() - next, endings);
    std::fprintf(stderr, "%s\n", left.c_str());
  }
  if (!first) return;
  c.sink().inside(place);
  end_as(*first);
}

void run_recipe(Case& c, const Recipe& recipe, Body body) {
  if (subject().path.empty()) c.skip("no parser was given: --parser PLUGIN");
  const auto vectors = judged(recipe);
  if (vectors.empty())
    c.skip(fmt::format("says nothing of {} mode", parser::mode_name(subject().mode)));
  c.sink().inside("the load of the plug-in");
  const AotiCtsParser& parser = parser::open_subject();
  c.sink().inside("");
  if (vectors.size() > 1) return run_sweep(c, parser, recipe, vectors, body);
  Announced announced;
  run_vector(c, parser, recipe, *vectors.front(), body, announced);
}

std::string case_name(std::string id) {
  std::replace(id.begin(), id.end(), '-', '_');
  return id;
}

/// All recipes of a clause as its cases.
void add_recipes(CaseList& cases, const std::string& clause, Body body = parse_once) {
  for (const Recipe& recipe : parser::recipes()) {
    if (recipe.clause != clause) continue;
    cases.add(case_name(recipe.id), [&recipe, body](Case& c) { run_recipe(c, recipe, body); });
  }
}

/// Also with the least verification that the parser has, where the header alone shows the defect.
void parse_unverified_too(const Trial& trial) {
  judge(trial, trial.parse());
  const auto& flags = trial.recipe.flags;
  if (std::find(flags.begin(), flags.end(), "Minimal") == flags.end()) return;
  judge(trial, trial.parse(false));
}

std::string devices_of(const AotiCtsParserTensor& tensor) {
  return fmt::format("tensor {}, storage {}, dispatch key of type {}",
                     parser::device_text(tensor.device_type, tensor.device_index),
                     parser::device_text(tensor.storage_device_type, tensor.storage_device_index),
                     tensor.key_device_type);
}

bool agrees(const AotiCtsParserTensor& tensor) {
  return tensor.storage_device_type == tensor.device_type &&
         tensor.storage_device_index == tensor.device_index &&
         tensor.key_device_type == tensor.device_type;
}

/// The three places where a device stands say the same.
void parse_and_compare(const Trial& trial) {
  const Parsed parsed = trial.parse();
  judge(trial, parsed);
  for (const parser::Tensor& tensor : parsed.tensors()) {
    if (!agrees(tensor.raw)) trial.fail("devices disagree", devices_of(tensor.raw), "one device");
  }
}

/// Memory that nobody may look at, as a device's would be.
void* foreign_memory() {
  constexpr size_t bytes = 1 << 16;
  void* const at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void parse_and_set_data(const Trial& trial) {
  Parsed parsed = trial.parse();
  judge(trial, parsed);
  for (size_t i = 0; i < parsed.tensors().size(); ++i) {
    const AotiCtsParserTensor before = parsed.tensors()[i].raw;
    for (int round = 0; round < 2; ++round) {
      void* const memory = foreign_memory();
      const int32_t code = parsed.set_data(i, memory, 1 << 16);
      const AotiCtsParserTensor& after = parsed.tensors()[i].raw;
      if (code != 0) trial.fail("data not set", fmt::format("error {:#x}", code), "0");
      if (devices_of(before) != devices_of(after)) {
        trial.fail("device lost", devices_of(after), devices_of(before));
      }
      if (code == 0 && after.data != memory) {
        trial.fail("wrong data pointer", show(after.data), show(memory));
      }
    }
  }
}

/// Nothing piles up over many parses: allocated memory, mapped memory, open files.
void judge_growth(const Trial& trial) {
  constexpr int rounds = 16;
  struct Kind {
    const char* kept;
    int64_t (*measure)();
    int64_t smallest;  ///< that a parse could leave
  };
  const Kind kinds[] = {
      {"memory kept", [] { return static_cast<int64_t>(allocated()); }, 8},
      {"mapped memory kept", mapped, sysconf(_SC_PAGESIZE)},
      {"files kept open", open_files, 1},
  };
  for (const auto& [kept, measure, smallest] : kinds) {
    const int64_t grown =
        lasting_growth(measure, rounds, rounds * smallest, [&] { trial.parse(); });
    if (grown == 0) continue;
    // A leak of memory is told once, though it takes pages too.
    return trial.fail(kept, fmt::format("{} more after each {} parses", grown, rounds), "0");
  }
}

/// Parses over and over: nothing piles up, and a sound program comes out as if nothing had been.
void parse_repeatedly(const Trial& trial) {
  const Recipe& recipe = trial.recipe;
  const bool spoilt = recipe.sound != nullptr;
  const std::vector<uint8_t> sound(
      spoilt ? recipe.sound : recipe.file,
      spoilt ? recipe.sound + recipe.sound_size : recipe.file + recipe.size);
  const auto sound_text = [&] {
    const Parsed parsed(trial.parser, sound, subject().mode, true);
    return parsed.accepted() ? tensors_text(parsed) : parsed.error();
  };
  const std::string before = sound_text();
  judge(trial, trial.parse());
  for (size_t i = 0; i < 2; ++i) trial.parse();  // what is made once and kept is no leak
  judge_growth(trial);
  const std::string after = sound_text();
  if (after != before) trial.fail("next program differs", after, before);
}

/// A MAY clause: says which of the allowed answers the parser gives.
void parse_and_tell(const Trial& trial) {
  const Parsed parsed = trial.parse();
  if (!parsed.accepted())
    return trial.c.saw(fmt::format("{}: {}", trial.vector.id, parsed.error()));
  std::string text;
  for (const parser::Tensor& tensor : parsed.tensors()) {
    text += " " + parser::device_text(tensor.raw.device_type, tensor.raw.device_index);
  }
  trial.c.saw(fmt::format("{}: accepted,{}", trial.vector.id, text));
}

}  // namespace

#define AOTI_PARSE_CASES(name, ...) \
  CLAUSE_CASES(PARSE, name) { add_recipes(cases, case_clause(#name) __VA_OPT__(, ) __VA_ARGS__); }

namespace {
std::string case_clause(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "PARSE." + name;
}
}  // namespace

AOTI_PARSE_CASES(device_type)
AOTI_PARSE_CASES(device_index)
AOTI_PARSE_CASES(cpu_any_index)
AOTI_PARSE_CASES(default_cpu)
AOTI_PARSE_CASES(device_carried)
AOTI_PARSE_CASES(cpu_raw_index, parse_and_tell)
AOTI_PARSE_CASES(agree, parse_and_compare)
AOTI_PARSE_CASES(set_data, parse_and_set_data)
AOTI_PARSE_CASES(unbound)
AOTI_PARSE_CASES(buffer_device)
AOTI_PARSE_CASES(buffer_index)
AOTI_PARSE_CASES(buffer_agrees)
AOTI_PARSE_CASES(no_host_touch)
AOTI_PARSE_CASES(sizes)
AOTI_PARSE_CASES(stride_overflow)
AOTI_PARSE_CASES(storage_offset)
AOTI_PARSE_CASES(enum_range)
AOTI_PARSE_CASES(external)
AOTI_PARSE_CASES(alignment)
AOTI_PARSE_CASES(aten_negative)
AOTI_PARSE_CASES(buffer_size)
AOTI_PARSE_CASES(dim_order)
AOTI_PARSE_CASES(dtype)
AOTI_PARSE_CASES(dtype_gaps, parse_and_tell)
AOTI_PARSE_CASES(allocation)
AOTI_PARSE_CASES(data_index)
AOTI_PARSE_CASES(header, parse_unverified_too)
AOTI_PARSE_CASES(verifier)
AOTI_PARSE_CASES(no_partial, parse_repeatedly)
AOTI_PARSE_CASES(compat)
AOTI_PARSE_CASES(values)

}  // namespace aoti_cts::suite
