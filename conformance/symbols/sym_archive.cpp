// SYM.survives-gc: hosts are generated and linked with the static archive in the way that its user
// would, with every linker at hand, and their symbol tables read. Nothing of them is run: what
// dlsym finds is what the dynamic symbol table holds (SYM.dlsym-agrees).
#include <fmt/format.h>

#include "symbols/command.h"
#include "symbols/judge.h"

namespace aoti_cts::symbols {
namespace {

struct Host {
  const char* name;
  const char* options;
};
constexpr Host kHosts[] = {{"shared host", "-shared"}, {"executable", "-rdynamic"}};

std::vector<std::string> linkers() {
  std::vector<std::string> found;
  for (const char* name : {"bfd", "gold", "lld"}) {
    if (run_shell(fmt::format("{} -fuse-ld={} -Wl,--version", link_command(), name)).ok) {
      found.emplace_back(name);
    }
  }
  return found;
}

std::vector<std::string> shims_in(Library& archive) {
  std::vector<std::string> names;
  for (const Symbol& symbol : archive.exports()) {
    if (shim_name(symbol.name)) names.emplace_back(symbol.name);
  }
  return names;
}

struct Kept {
  std::string problem;  ///< of the link
  size_t count = 0;
  std::string lost;  ///< the first name that is gone
};

Kept kept_in(const std::string& host, const std::vector<std::string>& shims) {
  Kept kept;
  const auto libraries = open_libraries(FileInput::open(host));
  for (const std::string& name : shims) {
    if (libraries.front()->find_export(name)) {
      ++kept.count;
    } else if (kept.lost.empty()) {
      kept.lost = name;
    }
  }
  return kept;
}

class Links {
 public:
  Links(const Subject& in, Library& archive)
      : in_(in), archive_(archive), shims_(shims_in(archive)) {
    source_ = scratch_.write("host.cpp",
                             "extern \"C\" int aoti_cts_host(void) { return 0; }\n"
                             "int main() { return aoti_cts_host(); }\n");
    std::string list = "{\n";
    for (const std::string& name : shims_) list += fmt::format("  {};\n", name);
    list_ = scratch_.write("shims.dynlist", list + "};\n");
  }

  const std::vector<std::string>& shims() const { return shims_; }

  std::string whole_archive() const {
    return fmt::format("-Wl,--whole-archive {} -Wl,--no-whole-archive -Wl,--dynamic-list={}",
                       shell_word(archive_.path()), shell_word(list_));
  }
  std::string bare() const { return shell_word(archive_.path()); }

  Kept link(const std::string& linker, const Host& host, const std::string& arguments) const {
    const std::string out = scratch_.file("host-" + linker);
    const Ran ran = run_shell(fmt::format("{} -fuse-ld={} {} -fPIC -Wl,--gc-sections {} -o {} {}",
                                          link_command(), linker, host.options, shell_word(source_),
                                          shell_word(out), arguments));
    if (!ran.ok) return {ran.reason(), 0, ""};
    return kept_in(out, shims_);
  }

  // One project of both hosts, configured anew for each linker: what costs time is CMake's look at
  // the compiler, and that is kept.
  Kept link_cmake(const std::string& linker, const Host& host) const {
    const size_t colon = in_.link_cmake.find(':');
    const std::string package = in_.link_cmake.substr(0, colon);
    const std::string target =
        colon == std::string::npos ? package : in_.link_cmake.substr(colon + 1);
    scratch_.write("CMakeLists.txt",
                   fmt::format("cmake_minimum_required(VERSION 3.20)\n"
                               "project(host CXX)\n"
                               "find_package({} REQUIRED)\n"
                               "add_library(shared SHARED host.cpp)\n"
                               "add_executable(executable host.cpp)\n"
                               "foreach(host shared executable)\n"
                               "  target_link_libraries(${{host}} PRIVATE {})\n"
                               "  target_link_options(${{host}} PRIVATE -fuse-ld=${{LINKER}} "
                               "-Wl,--gc-sections)\n"
                               "  set_target_properties(${{host}} PROPERTIES ENABLE_EXPORTS ON "
                               "PREFIX \"\" SUFFIX \"\" OUTPUT_NAME ${{host}}-${{LINKER}})\n"
                               "endforeach()\n",
                               package, target));
    const bool shared = std::string_view(host.options) == "-shared";
    const char* name = shared ? "shared" : "executable";
    const std::string build = shell_word(scratch_.file("build"));
    const Ran ran = run_shell(fmt::format(
        "cmake -S {} -B {} -DCMAKE_BUILD_TYPE=Release -DLINKER={} && cmake --build {} --target {}",
        shell_word(scratch_.path()), build, linker, build, name));
    if (!ran.ok) return {ran.reason(), 0, ""};
    return kept_in(scratch_.file(fmt::format("build/{}-{}", name, linker)), shims_);
  }

 private:
  const Subject& in_;
  Library& archive_;
  ScratchFolder scratch_;
  std::vector<std::string> shims_;
  std::string source_, list_;
};

void judge_archive(const Subject& in, Judgement& out, Library& archive,
                   const std::vector<std::string>& linkers) {
  const Links links(in, archive);
  if (links.shims().empty()) return out.note(archive.file_name() + " defines no shim");
  const bool published = !in.link_args.empty() || !in.link_cmake.empty();
  for (const std::string& linker : linkers) {
    for (const Host& host : kHosts) {
      out.ok();
      const Kept kept = !in.link_cmake.empty()  ? links.link_cmake(linker, host)
                        : !in.link_args.empty() ? links.link(linker, host, in.link_args)
                                                : links.link(linker, host, links.whole_archive());
      const std::string what = fmt::format("{} linked by {}", host.name, linker);
      const std::string want = fmt::format("all {} shims exported", links.shims().size());
      if (!kept.problem.empty()) {
        out.fail(what, "the link failed: " + kept.problem, want);
      } else if (kept.count != links.shims().size()) {
        out.fail(what, fmt::format("{} exported, {} is gone", kept.count, kept.lost), want);
      }
    }
  }
  if (!published) {
    out.note(fmt::format(
        "no published way to link {} was given (--link-args, --link-cmake): judged with "
        "--whole-archive and a dynamic list",
        archive.file_name()));
  }
  const Kept bare = links.link(linkers.front(), kHosts[0], links.bare());
  if (bare.problem.empty() && bare.count != links.shims().size()) {
    out.note(
        fmt::format("a bare link of the archive keeps {} of {}", bare.count, links.shims().size()));
    out.suggest(
        fmt::format("link the archive with: -Wl,--whole-archive {} "
                    "-Wl,--no-whole-archive -Wl,--dynamic-list=LIST, with LIST: {{ {}aoti_*; }};",
                    archive.file_name(), in.p()));
  }
}

}  // namespace

SYMBOL_CLAUSE(SYM, survives_gc) {
  std::vector<Library*> archives;
  for (const auto& library : in.candidate) {
    if (library->form() == Library::Form::Archive) archives.push_back(library.get());
  }
  if (archives.empty()) return out.skip("the candidate has no static archive");
  const std::vector<std::string> found = linkers();
  if (found.empty()) {
    return out.skip(fmt::format("no linker works: {} does not run", link_command()));
  }
  for (Library* archive : archives) judge_archive(in, out, *archive, found);
}

}  // namespace aoti_cts::symbols
