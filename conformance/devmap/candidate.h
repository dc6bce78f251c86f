// A device mapping under judgement, in one of three forms: a plug-in, the installed torch, or a
// file. A case hands it a recipe and gets a reply for each step.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "devmap/recipe.h"

namespace aoti_cts::devmap {

/// What a step gave.
struct Reply {
  enum class Kind {
    Done,         ///< nothing to give: registered, assigned
    Answer,       ///< text
    NotText,      ///< an answer that is no text; `text` shows it
    Error,        ///< text and type
    Count,        ///< count
    Unsupported,  ///< the mapping has no such thing; `text` says why
    Ended,        ///< the mapping's process ended; `text` says how
  };
  Kind kind = Kind::Done;
  std::string text;
  std::string type;  ///< with Error: the exception's class, where there is one
  std::int64_t count = 0;
};

/// One device of a mapping.
struct DeviceRow {
  std::string device;
  Reply reply;                 ///< Answer, NotText or Error
  std::string override_class;  ///< empty where unknown, or where there are no overrides
  std::string getter;          ///< as the mapping's own code generator derives it, or empty
};

/// Thrown for what a mapping may leave out, with a text that says what that is.
class NotOffered : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Candidate {
 public:
  Candidate() = default;
  virtual ~Candidate() = default;
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  /// For reports: a path, or "torch 2.15.0".
  virtual std::string name() const = 0;

  /// The replies to a recipe's steps, on a mapping that nobody has used. It may stop early, after
  /// an Ended or an Unsupported. May crash: call it where that is looked after.
  virtual std::vector<Reply> run(const Recipe& recipe) = 0;

  /// All devices that the mapping knows. May crash likewise. Throws NotOffered where it lists none,
  /// std::runtime_error where that fails.
  virtual std::vector<DeviceRow> devices() = 0;

  /// Whether a module-level table exists, where that is known.
  virtual std::optional<bool> table_exists() { return std::nullopt; }

  /// What the mapping did with throw-away overrides of every bad kind, where it was asked.
  virtual std::vector<std::pair<std::string, Reply>> bad_overrides() { return {}; }
};

/// A reply in words: "answer 'at::kCUDA'", "error KeyError: 'npu'". Long texts are cut.
std::string in_words(const Reply& reply);

/// Cuts a text that would fill a report.
std::string cut(const std::string& text);

/// A plug-in (aoti_plugin/device_map.h). Nothing is loaded before run() or devices().
std::unique_ptr<Candidate> open_plugin(const std::string& path);

/// A file: a mapping written down, or a record of a torch's answers. Throws std::runtime_error that
/// names file and field.
std::unique_ptr<Candidate> open_record(const std::string& path);

/// The same from a text.
std::unique_ptr<Candidate> parse_record(const std::string& text, const std::string& path);

/// How the installed torch is asked.
struct TorchOptions {
  std::string python;                ///< interpreter, a path or a name on PATH
  std::vector<std::string> imports;  ///< modules to import first
  std::string probe;                 ///< path of probe.py
  double timeout_s = 600;
};

/// Runs the probe and returns its record as JSON text. Throws std::runtime_error with the probe's
/// last words where it fails.
std::string ask_torch(const TorchOptions& options);

/// The getter that generated code derives from an answer, or empty where the answer lacks the
/// at::k form or its suffix is not ASCII.
std::string getter_of(const std::string& answer);

/// c10::DeviceType of an answer such as at::kCUDA; nothing for names that ATen does not have.
std::optional<int32_t> device_code(const std::string& answer);

/// What the cases judge: set before they run, in the process that forks them.
struct Subject {
  std::unique_ptr<Candidate> mapping;
  std::vector<std::string> runtime_paths;  ///< libraries that blobs bind to
  std::string runtime_prefix;
};
Subject& subject();

}  // namespace aoti_cts::devmap
