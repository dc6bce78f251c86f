// aoti-cts parse: shows what the reference parser reads off a .pte program, or why it refuses it.
#include <aoti_program/program.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "cli/parsing.h"
#include "cli/program_file.h"
#include "cli/subcommand.h"
#include "devmap/child.h"
#include "parser/host.h"
#include "parser/judge.h"
#include "parser/subject.h"
#include "report/report.h"
#include "report/text.h"

namespace aoti_cts::cli {
namespace {

using nlohmann::json;
using namespace program;

struct Options {
  std::string file;
  ParsingOptions parsing;
  double timeout = 60;
  bool json = false;
};

template <class T>
std::vector<int64_t> list(const T* first, uint8_t rank) {
  return {first, first + rank};
}

const char* to_string(Dynamism dynamism) {
  switch (dynamism) {
    case Dynamism::fixed:
      return "static";
    case Dynamism::bounded:
      return "bounded";
    case Dynamism::unbounded:
      return "unbounded";
  }
  return "?";
}

std::string place_text(const Tensor& tensor) {
  std::string text = program::to_string(tensor.where);
  if (tensor.buffer != 0) text += fmt::format(" buffer {} + {}", tensor.buffer, tensor.offset);
  if (tensor.where == Where::constant || tensor.where == Where::initial) {
    text += fmt::format(" file + {}", tensor.file_offset);
  }
  return text;
}

std::string table_text(const Program& program) {
  std::string text;
  for (const Plan& plan : program.plans) {
    text += fmt::format("method {}: {} values, {} tensors, {} planned buffers\n", plan.name,
                        plan.values, plan.tensors, plan.buffers);
    for (uint32_t i = 0; i < plan.buffers; ++i) {
      const Buffer& buffer = program.buffers[plan.first_buffer + i];
      text += fmt::format("  buffer {:<4} {:>12} bytes  {}\n", i + 1, buffer.bytes,
                          program::to_string(buffer.device));
    }
    for (uint32_t i = 0; i < plan.tensors; ++i) {
      const Tensor& tensor = program.tensors[plan.first_tensor + i];
      text +=
          fmt::format("  value {:<5} {:<9} {:<14} order {:<10} strides {:<14} {:<9} {:<8} {}{}{}\n",
                      tensor.value, scalar_type_name(tensor.scalar_type),
                      fmt::format("{}", list(program.sizes_of(tensor), tensor.rank)),
                      fmt::format("{}", list(program.dim_order_of(tensor), tensor.rank)),
                      fmt::format("{}", list(program.strides_of(tensor), tensor.rank)),
                      to_string(tensor.dynamism), program::to_string(tensor.device),
                      place_text(tensor), tensor.name.empty() ? "" : "  ", tensor.name);
    }
  }
  return text;
}

json tensor_json(const Program& program, const Tensor& tensor) {
  json row = {{"value", tensor.value},
              {"name", tensor.name},
              {"scalar_type", scalar_type_name(tensor.scalar_type)},
              {"sizes", list(program.sizes_of(tensor), tensor.rank)},
              {"dim_order", list(program.dim_order_of(tensor), tensor.rank)},
              {"strides", list(program.strides_of(tensor), tensor.rank)},
              {"shape_dynamism", to_string(tensor.dynamism)},
              {"device", program::to_string(tensor.device)},
              {"bytes", tensor.bytes},
              {"where", program::to_string(tensor.where)}};
  if (tensor.buffer != 0) row["planned"] = {{"buffer", tensor.buffer}, {"offset", tensor.offset}};
  if (tensor.where == Where::constant || tensor.where == Where::initial) {
    row["file_offset"] = tensor.file_offset;
  }
  return row;
}

json program_json(const Program& program) {
  json methods = json::array();
  for (const Plan& plan : program.plans) {
    json buffers = json::array();
    for (uint32_t i = 0; i < plan.buffers; ++i) {
      const Buffer& buffer = program.buffers[plan.first_buffer + i];
      buffers.push_back({{"bytes", buffer.bytes}, {"device", program::to_string(buffer.device)}});
    }
    json tensors = json::array();
    for (uint32_t i = 0; i < plan.tensors; ++i) {
      tensors.push_back(tensor_json(program, program.tensors[plan.first_tensor + i]));
    }
    const auto first = program.indices.begin() + plan.first_index;
    const auto outputs = first + plan.inputs;
    methods.push_back({{"name", plan.name},
                       {"values", plan.values},
                       {"inputs", std::vector<uint32_t>(first, outputs)},
                       {"outputs", std::vector<uint32_t>(outputs, outputs + plan.outputs)},
                       {"planned_buffers", buffers},
                       {"tensors", tensors}});
  }
  return {{"schema_version", 1}, {"methods", methods}};
}

json error_json(const Error& error) {
  return {{"schema_version", 1},
          {"error",
           {{"code", static_cast<int>(error.code)},
            {"name", program::to_string(error.code)},
            {"clause", error.clause},
            {"path", error.path},
            {"value", error.value},
            {"want", error.want}}}};
}

// Names come from the file and need not be UTF-8.
std::string dump(const json& text) {
  return text.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// What a candidate's plug-in says, in its own order and words.
json candidate_json(const parser::Parsed& parsed) {
  if (!parsed.broken().empty()) {
    throw std::runtime_error(fmt::format("{}: {}", parser::subject().path, parsed.broken()));
  }
  if (!parsed.accepted()) {
    return {{"schema_version", 1}, {"error", {{"code", parsed.code()}, {"text", parsed.error()}}}};
  }
  static constexpr const char* named_by[] = {"value", "input", "output"};
  json tensors = json::array();
  for (const parser::Tensor& tensor : parsed.tensors()) {
    const auto by = static_cast<size_t>(tensor.raw.named_by);
    tensors.push_back(
        {{"method", tensor.raw.method},
         {by < std::size(named_by) ? named_by[by] : "?", tensor.raw.index},
         {"scalar_type", tensor.raw.scalar_type},
         {"sizes", tensor.sizes},
         {"strides", tensor.strides},
         {"device", parser::device_text(tensor.raw.device_type, tensor.raw.device_index)}});
  }
  return {{"schema_version", 1}, {"tensors", tensors}};
}

std::string type_text(int64_t code) {
  const bool narrow = code >= INT8_MIN && code <= INT8_MAX;
  const char* name = narrow ? scalar_type_name(static_cast<int8_t>(code)) : nullptr;
  return name == nullptr ? fmt::format("type {}", code) : name;
}

/// The same as a table: a candidate knows methods by number, and says nothing of where data lies.
std::string candidate_text(const json& answer) {
  std::string text;
  json method;
  for (const json& tensor : answer.at("tensors")) {
    if (tensor.at("method") != method) {
      method = tensor.at("method");
      text += fmt::format("method {}:\n", method.get<uint32_t>());
    }
    std::string place;
    for (const char* by : {"value", "input", "output"}) {
      if (tensor.contains(by)) place = fmt::format("{} {}", by, tensor.at(by).get<uint32_t>());
    }
    const auto numbers = [&](const char* key) {
      return fmt::format("{}", tensor.at(key).get<std::vector<int64_t>>());
    };
    text += fmt::format("  {:<11} {:<9} {:<14} strides {:<14} {}\n", place,
                        type_text(tensor.at("scalar_type").get<int64_t>()), numbers("sizes"),
                        numbers("strides"), tensor.at("device").get<std::string>());
  }
  return text.empty() ? "no tensors\n" : text;
}

/// Asks a plug-in, in a process of its own.
int run_candidate(const Options& options, const ProgramFile& file) {
  const std::string plugin = use_parser(options.parsing);
  const std::span<const uint8_t> bytes = file.bytes();
  const json answer = json::parse(devmap::in_child(plugin, options.timeout, [&] {
    try {
      const parser::Parsed parsed(parser::open_subject(), bytes, parser::subject().mode, true);
      return dump(candidate_json(parsed));
    } catch (const parser::InterfaceError& error) {
      return dump({{"interface", error.what()}});
    }
  }));
  if (answer.contains("interface")) {
    throw UsageError("--parser " + printable(answer.at("interface").get<std::string>()));
  }
  const bool accepted = !answer.contains("error");
  if (options.json) {
    print(dump(answer));
  } else if (accepted) {
    print(candidate_text(answer));
  }
  if (accepted) return static_cast<int>(Exit::Conformant);
  const auto text = answer.at("error").at("text").get<std::string>();
  fmt::print(stderr, "{}: {}\n", options.file, printable(text));
  return static_cast<int>(Exit::NotConformant);
}

int run(const Options& options) {
  if (!std::isfinite(options.timeout)) throw UsageError("--timeout: is no number of seconds");
  const ProgramFile file(options.file);
  if (!options.parsing.plugin.empty()) return run_candidate(options, file);
  program::Options parse_options;
  parse_options.mode = options.parsing.aten() ? Mode::aten : Mode::portable;
  Program program;
  Error error;
  if (parse(file.data(), file.size(), parse_options, program, error)) {
    print(options.json ? dump(program_json(program)) : table_text(program));
    return static_cast<int>(Exit::Conformant);
  }
  if (options.json) print(dump(error_json(error)));
  fmt::print(stderr, "{}: {}\n", options.file, printable(error.text()));
  return static_cast<int>(Exit::NotConformant);
}

std::function<int()> setup(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("file", options->file, "A .pte program")->required();
  add_parsing_options(app, options->parsing);
  app.add_option("--timeout", options->timeout, "Seconds that --parser may take")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  app.add_flag("--json", options->json, "Print JSON");
  app.footer(
      "Exit codes: 0, the program is accepted; 1, it is refused, and the error names field, value, "
      "clause and code;\n2, a bad option, no such file, or a plug-in whose table is none; 3, the "
      "plug-in crashed, hung or\nanswered what is no answer.");
  return [options] { return run(*options); };
}

const Subcommand command("parse", "Show the tensors of a .pte program", setup);

}  // namespace
}  // namespace aoti_cts::cli
