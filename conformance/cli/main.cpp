// aoti-cts: reads the command line and runs one subcommand. What went wrong is told in one line on
// stderr and in the exit code (report.h: Exit).
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "cli/subcommand.h"
#include "report/report.h"
#include "report/text.h"

namespace aoti_cts::cli {

std::vector<const Subcommand*>& Subcommand::all() {
  static std::vector<const Subcommand*> commands;
  return commands;
}

Subcommand::Subcommand(const char* command, const char* summary, Setup add)
    : name(command), description(summary), setup(add) {
  all().push_back(this);
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw std::runtime_error(fmt::format("standard output: {}", std::strerror(errno)));
  }
}

namespace {

// CLI11 refuses an empty value after '=', which for --prefix means "none".
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> all;
  for (int i = argc - 1; i > 0; --i) {  // CLI11 takes them last first
    const std::string argument = argv[i];
    if (argument.size() > 3 && argument.substr(0, 2) == "--" && argument.back() == '=' &&
        argument.find('=') == argument.size() - 1) {
      all.emplace_back();
      all.push_back(argument.substr(0, argument.size() - 1));
    } else {
      all.push_back(argument);
    }
  }
  return all;
}

// What stands where a subcommand should; CLI11 says no more than that there is none.
std::string first_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') return argv[i];
  }
  return "";
}

std::string unknown_word(const std::string& word) {
  std::vector<std::string> names;
  for (const Subcommand* command : Subcommand::all()) names.emplace_back(command->name);
  return fmt::format("{}: no such subcommand; there are {}", printable_line(word),
                     fmt::join(names, ", "));
}

// The subcommand that the first word names, or all: the options of the others cost more time than a
// look into a symbol table takes.
std::vector<const Subcommand*> needed(const std::vector<const Subcommand*>& commands, int argc,
                                      char** argv) {
  for (const Subcommand* command : commands) {
    if (argc > 1 && std::strcmp(command->name, argv[1]) == 0) return {command};
  }
  return commands;
}

int run(int argc, char** argv) {
  CLI::App app("Conformance suite for AOTInductor shim runtimes", "aoti-cts");
  app.set_version_flag("--version", std::string("aoti-cts ") + AOTI_CTS_VERSION);
  app.require_subcommand(1);
  app.footer(exit_code_table());
  std::vector<const Subcommand*>& commands = Subcommand::all();
  std::sort(commands.begin(), commands.end(),
            [](const auto* a, const auto* b) { return std::strcmp(a->name, b->name) < 0; });
  std::vector<std::pair<CLI::App*, std::function<int()>>> runs;
  for (const Subcommand* command : needed(commands, argc, argv)) {
    CLI::App* added = app.add_subcommand(command->name, command->description);
    runs.emplace_back(added, command->setup(*added));
  }
  try {
    app.parse(arguments(argc, argv));
  } catch (const CLI::RequiredError& error) {
    const std::string word = first_word(argc, argv);
    if (word.empty() || !app.get_subcommands().empty()) {
      return app.exit(error), static_cast<int>(Exit::Usage);
    }
    throw UsageError(unknown_word(word));
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) != 0) return static_cast<int>(Exit::Usage);
    if (!std::cout.flush()) throw std::runtime_error("standard output cannot be written");
    return 0;
  }
  for (const auto& [added, body] : runs) {
    if (added->parsed()) return body();
  }
  throw UsageError("no subcommand");
}

}  // namespace
}  // namespace aoti_cts::cli

namespace {

// A descriptor 0-2 that is closed at the start would be given to a report file, and the console's
// text would go into it. The place of a closed one is taken by a null device that cannot be written
// to, so that printing there fails as it should (exit 3); errors alone have nowhere to go.
void take_standard_descriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    if (open("/dev/null", fd == 2 ? O_RDWR : O_RDONLY) != fd) {
      std::_Exit(static_cast<int>(aoti_cts::Exit::Tool));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  using aoti_cts::Exit;
  take_standard_descriptors();
  try {
    return aoti_cts::cli::run(argc, argv);
  } catch (const aoti_cts::cli::UsageError& error) {
    fmt::print(stderr, "aoti-cts: {}\n", error.what());
    return static_cast<int>(Exit::Usage);
  } catch (const std::exception& error) {
    fmt::print(stderr, "aoti-cts: {}\n", error.what());
    return static_cast<int>(Exit::Tool);
  }
}
