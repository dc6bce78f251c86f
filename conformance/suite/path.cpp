// Section PATH, loaders of embedded blobs and the files that they make.
//
//   aoti-cts check --profile path         the reference loader: all PASS
//   aoti-cts check --loader PLUGIN.so     any other
//
// Each case has a scratch folder of its own and looks at what the loader does there: the paths that
// it returns, the files, links and folders it leaves, its mapped libraries and descriptors. What it
// does with names that are taken cannot be asked, so the cases let it load a few times and plant
// files under the names that come next; that it asks for exclusive creation shows where the system
// refuses any other.
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <latch>
#include <set>
#include <thread>

#include "path/host.h"
#include "path/isolation.h"
#include "path/names.h"
#include "path/subject.h"
#include "suite/case.h"
#include "suite/memory.h"

namespace aoti_cts::suite {
namespace {

namespace fs = std::filesystem;
using path::Load;
using path::Peer;
using path::Scratch;
using Lines = std::vector<std::string>;

constexpr const char* plain_key = "9f86d081884c7d65";
const Lines nothing;

/// What every case starts with.
struct Bench {
  explicit Bench(Case& the_case, const char* blob = "sound")
      : c(the_case), loader(open(the_case)), bytes(path::blob(blob)) {}

  static const AotiCtsLoader& open(Case& c) {
    if (path::subject().plugin.empty()) c.skip("no loader was given: --loader PLUGIN");
    return path::open_subject();
  }
  Load load(std::string_view key = plain_key) const {
    return {loader, bytes, key, scratch.directory()};
  }
  /// A load that has to succeed.
  Load need(std::string_view key = plain_key) const {
    Load one = load(key);
    NEED(one.outcome(), "loaded");
    return one;
  }
  /// Nothing is left in the directory, mapped or open.
  void expect_nothing(size_t descriptors_before) const {
    HAVE_WANT_AS("left in the directory", scratch.left(), nothing);
    HAVE_WANT_AS("still mapped", path::mapped(scratch.directory()), nothing);
    HAVE_WANT_AS("open descriptors", path::descriptors(), descriptors_before);
  }

  Case& c;
  const AotiCtsLoader& loader;
  std::vector<uint8_t> bytes;
  Scratch scratch;
};

/// True where the file has this content, or its loader has removed it early.
bool intact(const std::string& path, const std::vector<uint8_t>& bytes) {
  return !fs::exists(fs::symlink_status(path)) || path::bytes_of(path) == bytes;
}

void expect_distinct(Case& c, Lines paths) {
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  HAVE_WANT_AS("a path that two loads share", twice == paths.end() ? "none" : *twice, "none");
}

/// Outcomes other than "loaded", each once.
Lines troubles(const Lines& outcomes) {
  const std::set<std::string> kinds(outcomes.begin(), outcomes.end());
  Lines bad;
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(bad),
               [](const std::string& outcome) { return outcome != "loaded"; });
  return bad;
}

// --- distinct

void loads_in_a_row(Case& c) {
  const Bench bench(c);
  std::vector<Load> loads;
  Lines paths;
  for (int i = 0; i < 4; ++i) {
    loads.push_back(bench.need());
    paths.push_back(loads.back().path());
  }
  expect_distinct(c, paths);
  for (const std::string& path : paths) HAVE_WANT(intact(path, bench.bytes), true);
}

/// `count` threads start at once; each runs `work` with its number.
void in_threads(size_t count, const std::function<void(size_t)>& work) {
  std::latch start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void loads_in_threads(Case& c) {
  constexpr size_t threads = 64;
  constexpr size_t each = 4;
  const Bench bench(c);
  std::vector<std::vector<Load>> loads(threads);
  in_threads(threads, [&](size_t i) {
    for (size_t k = 0; k < each; ++k) loads[i].push_back(bench.load());
  });
  Lines outcomes;
  Lines paths;
  for (const auto& row : loads) {
    for (const Load& one : row) {
      outcomes.push_back(one.outcome());
      if (one.loaded()) paths.push_back(one.path());
    }
  }
  HAVE_WANT_AS("loads that failed", troubles(outcomes), nothing);
  expect_distinct(c, paths);
  for (const std::string& path : paths) NEED(intact(path, bench.bytes), true);
}

// --- distinct-across

std::string numbered_key(size_t number) { return fmt::format("{}-{}", plain_key, number); }

/// What a peer does: loads and holds, each under a key that the other peers load under as well. A
/// line each, the path, or what went wrong.
Lines load_and_hold(const Bench& bench, size_t count) {
  auto* const held = new std::vector<Load>;  // until the process is gone
  Lines lines;
  for (size_t i = 0; i < count; ++i) {
    held->push_back(bench.load(numbered_key(i)));
    const Load& one = held->back();
    lines.push_back(one.loaded() ? one.path() : one.outcome());
  }
  return lines;
}

void judge_peers(const Bench& bench, const Lines& lines) {
  Case& c = bench.c;
  Lines failed;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(failed),
               [](const std::string& line) { return line.rfind('/', 0) != 0; });
  HAVE_WANT_AS("loads that failed", failed, nothing);
  expect_distinct(c, lines);
  for (const std::string& line : lines) HAVE_WANT(intact(line, bench.bytes), true);
}

void loads_in_forked_children(Case& c) {
  constexpr size_t children = 8;
  constexpr size_t each = 4;
  const Bench bench(c);
  const Load mine = bench.need(numbered_key(0));  // whatever is made once is made, and inherited
  std::vector<Peer> peers;
  for (size_t i = 0; i < children; ++i) {
    peers.emplace_back([&] { return load_and_hold(bench, each); }, Peer::Pids::Shared);
  }
  Lines lines = {mine.path()};
  for (Peer& peer : peers) {
    const Lines report = peer.report();
    lines.insert(lines.end(), report.begin(), report.end());
  }
  HAVE_WANT(lines.size(), 1 + children * each);
  judge_peers(bench, lines);
}

void loads_under_equal_pids(Case& c) {
  const Bench bench(c);
  const auto work = [&] {
    Lines lines = {fmt::format("{}", getpid())};
    const Lines loaded = load_and_hold(bench, 2);
    lines.insert(lines.end(), loaded.begin(), loaded.end());
    return lines;
  };
  std::vector<Peer> peers;
  Lines lines;
  for (int i = 0; i < 2; ++i) {
    Lines report = peers.emplace_back(work, Peer::Pids::Own).report();
    if (report.front().rfind(Peer::refusal, 0) == 0) c.skip(report.front());
    NEED(report.front(), "1");  // the process id
    lines.insert(lines.end(), report.begin() + 1, report.end());
  }
  HAVE_WANT(lines.size(), size_t{4});
  judge_peers(bench, lines);
}

// --- removed

void removed_after_destroy(Case& c) {
  const Bench bench(c);
  Load one = bench.need();
  one.destroy();
  HAVE_WANT_AS("file there after destroy()", fs::exists(fs::symlink_status(one.path())), false);
  HAVE_WANT_AS("left in the directory", bench.scratch.left(), nothing);
}

void removed_alone(Case& c) {
  const Bench bench(c);
  Load one = bench.need("one");
  Load other = bench.need("other");
  const bool there = fs::exists(other.path());
  one.destroy();
  HAVE_WANT_AS("the other's file is there", fs::exists(other.path()), there);
  HAVE_WANT_AS("the other's file is intact", intact(other.path(), bench.bytes), true);
  other.destroy();
  HAVE_WANT_AS("left in the directory", bench.scratch.left(), nothing);
}

void removed_by_threads(Case& c) {
  constexpr size_t threads = 16;
  const Bench bench(c);
  Lines outcomes(threads);
  in_threads(threads, [&](size_t i) {
    for (int k = 0; k < 4; ++k) {
      const Load one = bench.load(fmt::format("thread{}load{}", i, k));
      if (outcomes[i].empty() || !one.loaded()) outcomes[i] = one.outcome();
    }
  });
  HAVE_WANT_AS("loads that failed", troubles(outcomes), nothing);
  HAVE_WANT_AS("left in the directory", bench.scratch.left(), nothing);
}

// --- removed-on-failure

/// Bytes that each of several rounds of failed loads has kept; one alone may fill a cache.
size_t kept_by_failures(const Bench& bench) {
  constexpr int rounds = 3;
  constexpr int loads = 16;
  constexpr size_t smallest_leak = 8;
  for (int i = 0; i < 4; ++i) static_cast<void>(bench.load());
  size_t least = SIZE_MAX;
  for (int round = 0; round < rounds; ++round) {
    const size_t before = allocated();
    for (int i = 0; i < loads; ++i) static_cast<void>(bench.load());
    const size_t after = allocated();
    least = std::min(least, after > before ? after - before : 0);
  }
  return least < loads * smallest_leak ? 0 : least;
}

void fails_and_leaves_nothing(const Bench& bench) {
  Case& c = bench.c;
  const size_t before = path::descriptors();
  {
    const Load one = bench.load();
    if (!HAVE_WANT_AS("load", one.loaded() ? "loaded" : "an error", "an error")) return;
  }
  bench.expect_nothing(before);
  HAVE_WANT_AS("bytes kept by 16 failed loads", kept_by_failures(bench), size_t{0});
}

void add_failure(CaseList& cases, const std::string& name, const char* blob) {
  cases.add(name, [blob](Case& c) { fails_and_leaves_nothing(Bench(c, blob)); });
}

void no_library(Case& c) {
  Bench bench(c);
  bench.bytes.assign(4096, 'x');
  fails_and_leaves_nothing(bench);
}

/// Within its header: one that ends later crashes the dynamic linker where the loader does not look
/// at it first, which no clause asks for.
void cut_library(Case& c) {
  Bench bench(c);
  bench.bytes.resize(40);
  fails_and_leaves_nothing(bench);
}

// --- contained

void key_stays_inside(Case& c, const std::function<std::string(const Scratch&)>& make_key) {
  const Bench bench(c);
  const Scratch& scratch = bench.scratch;
  fs::create_directory(scratch.outside("elsewhere"));
  fs::create_directory(scratch.directory() + "/folder");
  fs::create_directory_symlink(scratch.outside("elsewhere"), scratch.directory() + "/link");
  const Lines outside = scratch.left_outside();
  const Lines inside = scratch.left();
  Load one = bench.load(make_key(scratch));
  HAVE_WANT_AS("what lies outside of the directory", scratch.left_outside(), outside);
  if (one.loaded()) {
    const fs::path real = fs::weakly_canonical(one.path());
    const fs::path directory = fs::canonical(scratch.directory());
    const auto [end, at] =
        std::mismatch(directory.begin(), directory.end(), real.begin(), real.end());
    HAVE_WANT_AS(fmt::format("{} lies in the directory", real.string()), end == directory.end(),
                 true);
    one.destroy();
  } else {
    HAVE_WANT_AS("left in the directory by a load that failed", scratch.left(), inside);
  }
  HAVE_WANT_AS("what lies outside after destroy()", scratch.left_outside(), outside);
}

void add_key(CaseList& cases, const std::string& name, const std::string& key) {
  cases.add(name, [key](Case& c) {
    key_stays_inside(c, [&](const Scratch& /*scratch*/) { return key; });
  });
}

// --- exclusive

/// What the loader made in the directory: the file, or the folder that it is in. Empty where it is
/// elsewhere.
std::string name_in(const Scratch& scratch, const std::string& path) {
  const fs::path relative = fs::path(path).lexically_relative(scratch.directory());
  const std::string first = relative.empty() ? "" : relative.begin()->string();
  return first == ".." || first == "." ? "" : first;
}

/// Whether the loader made a folder, closed to others, for the file alone.
bool has_private_folder(const Scratch& scratch, const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  struct stat status {};
  return parent != scratch.directory() && lstat(parent.c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) && (status.st_mode & 077) == 0;
}

void made_for_its_owner(Case& c) {
  const Bench bench(c);
  umask(0);
  const Load one = bench.need();
  struct stat status {};
  if (lstat(one.path().c_str(), &status) != 0) {
    c.skip("the file is gone while the library is loaded: its mode cannot be seen");
  }
  HAVE_WANT_AS("is a regular file", S_ISREG(status.st_mode), true);
  HAVE_WANT(status.st_uid, geteuid());
  if (has_private_folder(bench.scratch, one.path())) return;
  HAVE_WANT_AS("mode bits for group and others, under umask 0",
               fmt::format("{:04o}", status.st_mode & 07077), "0000");
}

/// What stands planted under one name, as the loader might change it.
struct Planted {
  std::string path;
  ino_t inode = 0;
  std::string text;

  static std::string text_of(const std::string& path) {
    const auto bytes = path::bytes_of(path);
    return {bytes.begin(), bytes.end()};
  }
  std::string changed() const {
    struct stat status {};
    if (lstat(path.c_str(), &status) != 0) return path + " is gone";
    if (status.st_ino != inode) return path + " is another file";
    return text_of(path) == text ? "" : path + " is overwritten";
  }
};

using Plant = std::function<void(const Scratch&, const std::string& path)>;

Planted plant_one(const Scratch& scratch, const std::string& name, const Plant& plant) {
  Planted one;
  one.path = scratch.directory() + "/" + name;
  fs::remove_all(one.path);  // a loader that leaves its files fails another clause
  plant(scratch, one.path);
  struct stat status {};
  if (lstat(one.path.c_str(), &status) != 0) throw std::runtime_error("cannot plant " + one.path);
  one.inode = status.st_ino;
  one.text = Planted::text_of(one.path);
  return one;
}

void never_uses_what_is_planted(Case& c, const Plant& plant) {
  const Bench bench(c);
  const Scratch& scratch = bench.scratch;
  Lines used;
  for (int i = 0; i < 4; ++i) used.push_back(name_in(scratch, bench.need().path()));
  if (std::count(used.begin(), used.end(), "") != 0) c.skip("the file is not in the directory");
  std::vector<Planted> planted;
  for (const std::string& name : path::next_names(used)) {
    planted.push_back(plant_one(scratch, name, plant));
  }
  const Lines outside = scratch.left_outside();
  Load one = bench.load();
  const auto judge = [&] {
    Lines changes;
    for (const Planted& row : planted) {
      const std::string change = row.changed();
      if (!change.empty()) changes.push_back(change);
    }
    HAVE_WANT_AS("planted and changed", changes, nothing);
    HAVE_WANT_AS("what lies outside of the directory", scratch.left_outside(), outside);
  };
  judge();
  if (one.loaded()) {
    const std::string name = name_in(scratch, one.path());
    HAVE_WANT_AS("loaded from a planted name",
                 std::any_of(planted.begin(), planted.end(),
                             [&](const Planted& row) {
                               return fs::path(row.path).filename().string() == name;
                             }),
                 false);
  }
  one.destroy();
  judge();
}

void asks_for_exclusive_creation(Case& c) {
  const Bench bench(c);
  if (has_private_folder(bench.scratch, bench.need().path())) {
    c.skip("the file is in a folder of its own, closed to others");
  }
  Peer peer(
      [&] {
        const std::string refused = path::refuse_creation_without_excl();
        return Lines{refused.empty() ? bench.load().outcome() : "no filter: " + refused};
      },
      Peer::Pids::Shared);
  const Lines report = peer.report();
  if (report.front().rfind("no filter: ", 0) == 0) c.skip(report.front());
  HAVE_WANT_AS("a load where creating a file without O_EXCL is not permitted", report,
               Lines{"loaded"});
}

// --- faults

/// What a message may call an error.
Lines words_for(int error) {
  std::string text = std::strerror(error);
  return {text, strerrorname_np(error)};
}

bool mentions(const std::string& message, const std::string& word) {
  return std::search(message.begin(), message.end(), word.begin(), word.end(),
                     [](unsigned char a, unsigned char b) { return tolower(a) == tolower(b); }) !=
         message.end();
}

/// A load into `directory` fails, its message names that and one of the errors, and nothing is
/// left.
void refused_with(const Bench& bench, const std::string& directory,
                  std::initializer_list<int> all) {
  Case& c = bench.c;
  const size_t descriptors = path::descriptors();
  const Lines before = bench.scratch.left();
  Lines words;
  for (const int error : all) {
    for (std::string& word : words_for(error)) words.push_back(std::move(word));
  }
  {
    const Load one(bench.loader, bench.bytes, plain_key, directory);
    if (!HAVE_WANT_AS("load", one.loaded() ? "loaded" : "an error", "an error")) return;
    const bool says = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return mentions(one.message(), word);
    });
    if (!says || !mentions(one.message(), directory)) {
      c.fail("message", one.message(),
             fmt::format("{} and one of: {}", directory, fmt::join(words, ", ")));
    }
  }
  HAVE_WANT_AS("left in the directory", bench.scratch.left(), before);
  HAVE_WANT_AS("still mapped", path::mapped(bench.scratch.directory()), nothing);
  HAVE_WANT_AS("open descriptors", path::descriptors(), descriptors);
}

constexpr size_t small = 64 << 10;  // bytes that there is room for

/// The blob with zeros behind it, which loads as well: what is cut off is not missed.
void lengthen(Bench& bench) { bench.bytes.resize(bench.bytes.size() + 4 * small); }

void full_disk(Case& c) {
  Bench bench(c);
  lengthen(bench);
  static_cast<void>(bench.need());
  const std::string refused = path::own_mounts();
  if (!refused.empty()) c.skip("no mount namespace: " + refused);
  const path::Mounted disk(bench.scratch.directory(), 0, fmt::format("size={}", small));
  refused_with(bench, bench.scratch.directory(), {ENOSPC, EDQUOT});
}

void short_write(Case& c) {
  Bench bench(c);
  lengthen(bench);
  static_cast<void>(bench.need());
  // The first write is cut at the limit, the next one fails.
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = small;
  NEED(setrlimit(RLIMIT_FSIZE, &limit), 0);
  refused_with(bench, bench.scratch.directory(), {EFBIG});
}

void read_only_file_system(Case& c) {
  const Bench bench(c);
  const std::string refused = path::own_mounts();
  if (!refused.empty()) c.skip("no mount namespace: " + refused);
  const path::Mounted disk(bench.scratch.directory(), MS_RDONLY, "");
  refused_with(bench, bench.scratch.directory(), {EROFS});
}

void unwritable_directory(Case& c) {
  constexpr uid_t nobody = 65534;  // root may write anywhere
  const Bench bench(c);
  const bool root = geteuid() == 0;
  NEED(chmod(bench.scratch.directory().c_str(), 0555), 0);
  if (root && seteuid(nobody) != 0) c.skip("root writes anywhere, and cannot become another user");
  refused_with(bench, bench.scratch.directory(), {EACCES, EPERM});
  if (root) NEED(seteuid(0), 0);
  NEED(chmod(bench.scratch.directory().c_str(), 0755), 0);
}

void missing_directory(Case& c) {
  const Bench bench(c);
  refused_with(bench, bench.scratch.directory() + "/missing", {ENOENT});
}

void no_directory(Case& c) {
  const Bench bench(c);
  const std::string file = bench.scratch.directory() + "/file";
  std::ofstream(file) << "no directory";
  refused_with(bench, file, {ENOTDIR, EEXIST});
}

}  // namespace

CLAUSE_CASES(PATH, distinct) {
  cases.add("in_a_row", loads_in_a_row);
  cases.add("threads_64", loads_in_threads);
}

CLAUSE_CASES(PATH, distinct_across) {
  cases.add("forked_children", loads_in_forked_children);
  cases.add("equal_pids", loads_under_equal_pids);
}

CLAUSE_CASES(PATH, removed) {
  cases.add("after_destroy", removed_after_destroy);
  cases.add("alone", removed_alone);
  cases.add("threads_16", removed_by_threads);
}

CLAUSE_CASES(PATH, removed_on_failure) {
  cases.add("no_library", no_library);
  cases.add("cut_library", cut_library);
  add_failure(cases, "unresolved_symbol", "unresolved");
  add_failure(cases, "no_entry_points", "no_entry_points");
  add_failure(cases, "create_fails", "create_fails");
}

CLAUSE_CASES(PATH, contained) {
  using namespace std::string_literals;
  add_key(cases, "parents", "../../x");
  add_key(cases, "parent_alone", "..");
  add_key(cases, "dot", ".");
  add_key(cases, "slash", "/");
  add_key(cases, "slashes_behind", "folder/x");
  add_key(cases, "through_a_link", "link/x");
  add_key(cases, "nul", "x\0/../../x"s);
  add_key(cases, "nul_first", "\0x"s);
  add_key(cases, "empty", "");
  add_key(cases, "bytes_4096", std::string(4096, 'k'));
  add_key(cases, "slashes_4096", std::string(2048, '.') + std::string(2048, '/'));
  add_key(cases, "format", "%s%n%999999d");
  add_key(cases, "no_text", "\n\x01\x7f\xff\xfe");
  cases.add("absolute", [](Case& c) {
    key_stays_inside(c, [](const Scratch& scratch) { return scratch.outside("x"); });
  });
}

CLAUSE_CASES(PATH, exclusive) {
  cases.add("mode", made_for_its_owner);
  cases.add("created_exclusively", asks_for_exclusive_creation);
  cases.add("planted_file", [](Case& c) {
    never_uses_what_is_planted(c, [](const Scratch& /*scratch*/, const std::string& path) {
      std::ofstream(path) << "planted";
    });
  });
  cases.add("planted_link", [](Case& c) {
    never_uses_what_is_planted(c, [](const Scratch& scratch, const std::string& path) {
      std::ofstream(scratch.outside("victim")) << "another's";
      fs::create_symlink(scratch.outside("victim"), path);
    });
  });
  cases.add("planted_dangling_link", [](Case& c) {
    never_uses_what_is_planted(c, [](const Scratch& scratch, const std::string& path) {
      fs::create_symlink(scratch.outside("nowhere"), path);
    });
  });
}

CLAUSE_CASES(PATH, faults) {
  cases.add("full_disk", full_disk);
  cases.add("short_write", short_write);
  cases.add("read_only_file_system", read_only_file_system);
  cases.add("unwritable_directory", unwritable_directory);
  cases.add("missing_directory", missing_directory);
  cases.add("no_directory", no_directory);
}

}  // namespace aoti_cts::suite
