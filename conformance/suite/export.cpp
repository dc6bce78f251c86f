// Section EXPORT, what compiles a model under a prefix.
//
//   aoti-cts check --select 'EXPORT.*' --profile prefix         the exporter of this project: PASS
//   aoti-cts check --exporter SCRIPT.py                         any other
//
// An exporter is a Python script, called as
//
//   python3 SCRIPT PROGRAM OUTPUT --prefix executorch_ --by option
//
// that is to compile PROGRAM by torch's own option for a prefix. The torch that it finds here is a
// stand-in of a few lines, with the option or without: it says in a file what it was asked to
// compile, and compiles nothing.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "suite/case.h"
#include "suite/settings.h"

namespace aoti_cts::suite {
namespace {

namespace fs = std::filesystem;

constexpr const char* stand_in = R"(
import contextlib, pathlib, sys, types

here = pathlib.Path(__file__).parent.parent
__version__ = "0.0.stand-in"


class AotInductor:
    package_cpp_only = False
    link_libtorch = True
    if (here / "offers-the-option").exists():
        shim_symbol_prefix = ""


class Config(types.ModuleType):
    aot_inductor = AotInductor()

    @contextlib.contextmanager
    def patch(self, changes):
        before = dict(vars(self.aot_inductor))
        set_options(changes)
        try:
            yield
        finally:
            vars(self.aot_inductor).clear()
            vars(self.aot_inductor).update(before)


def set_options(changes):
    for name, value in (changes or {}).items():
        field = name.removeprefix("aot_inductor.")
        if not hasattr(config.aot_inductor, field):
            raise AttributeError(f"torch._inductor.config.{name} does not exist")
        setattr(config.aot_inductor, field, value)


def compile_and_package(program, *, package_path=None, inductor_configs=None):
    with config.patch(inductor_configs or {}):
        prefix = getattr(config.aot_inductor, "shim_symbol_prefix", None)
        (here / "compiled").write_text("without a prefix" if not prefix else f"under {prefix}")
    pathlib.Path(package_path).write_bytes(b"stand-in")
    return str(package_path)


config = Config("torch._inductor.config")
_inductor = types.ModuleType("torch._inductor")
_inductor.config = config
_inductor.aoti_compile_and_package = compile_and_package
export = types.ModuleType("torch.export")
export.load = lambda path: path
for module in (config, _inductor, export):
    sys.modules[module.__name__] = module
)";

/// A folder with a stand-in torch, removed with the case's end.
class Folder {
 public:
  explicit Folder(bool offers) {
    std::string name = (fs::temp_directory_path() / "aoti-cts-export-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
    fs::create_directory(path_ / "torch");
    std::ofstream(path_ / "torch" / "__init__.py") << stand_in;
    if (offers) std::ofstream(path_ / "offers-the-option") << '\n';
    std::ofstream(path_ / "program") << '\n';
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const char* name) const { return (path_ / name).string(); }
  /// A file's text, or "" where there is none.
  std::string text(const char* name) const {
    std::ifstream file(path_ / name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  fs::path path_;
};

/// Runs the exporter; returns its exit code, or 1000 and the signal. What it prints is in "output".
int run_exporter(Case& c, const Folder& folder) {
  const std::string program = folder.path("program");
  const std::string result = folder.path("result");
  const std::string printed = folder.path("output");
  std::vector<std::string> words = {"python3",     "-B",   settings().exporter,
                                    program,       result, "--prefix",
                                    "executorch_", "--by", "option"};
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  setenv("PYTHONPATH", folder.path("").c_str(), 1);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, printed.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "python3", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) c.skip("there is no python3 to run an exporter with");
  if (error != 0) throw std::system_error(error, std::generic_category(), "python3");
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

void need_exporter(Case& c) {
  if (settings().exporter.empty()) c.skip("no exporter was given: --exporter SCRIPT");
}

bool has(const std::string& text, std::initializer_list<const char*> any) {
  for (const char* const word : any) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

void with_the_option(Case& c) {
  need_exporter(c);
  const Folder folder(true);
  const int code = run_exporter(c, folder);
  if (!HAVE_WANT_AS("exit code", code, 0)) c.fail("what it says", folder.text("output"), "");
  HAVE_WANT_AS("torch compiled", folder.text("compiled"), "under executorch_");
}

void without_the_option(Case& c) {
  need_exporter(c);
  const Folder folder(false);
  const int code = run_exporter(c, folder);
  const std::string said = folder.text("output");
  HAVE_WANT_AS("exit code", code != 0 && code < 128 ? "an error" : fmt::format("{}", code),
               "an error");
  HAVE_WANT_AS("torch compiled", folder.text("compiled"), "");
  HAVE_WANT_AS("the error names the option", has(said, {"aot_inductor.shim_symbol_prefix"}), true);
  HAVE_WANT_AS("the error says to update torch",
               has(said, {"update", "Update", "upgrade", "Upgrade", "newer"}), true);
  HAVE_WANT_AS("a stack trace for the user", has(said, {"Traceback"}), false);
}

}  // namespace

CLAUSE_CASES(EXPORT, prefix_support) {
  cases.add("torch_with_the_option", with_the_option);
  cases.add("torch_without_it", without_the_option);
}

}  // namespace aoti_cts::suite
