// The files of a what-if are one recording: pages of records, then the order; and the answer.
#include "meta/shell/what_if_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "schemas/canonical_reader.h"
#include "schemas/codec/codec.h"

extern char** environ;

namespace muster::meta {
namespace {

constexpr size_t kRowBytes = size_t{128} << 10;  // of the meta's records written in one turn
constexpr BootSpan kLook = Milliseconds(20);     // from one look at the program to the next
constexpr int kNice = 10;

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void Remove(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

// Starts the program with its messages in a file. Returns its pid, or an error number below zero.
pid_t Spawn(const std::vector<std::string>& words, const std::string& errors) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = -1;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : -failed;
}

}  // namespace

// What a daemon left that was killed over a what-if is of no use to anybody.
WhatIfRun::WhatIfRun(WhatIfProgram program, io::Store& store)
    : options_(std::move(program)), store_(store) {
  std::error_code ignored;
  std::filesystem::remove_all(options_.folder, ignored);
}

WhatIfRun::~WhatIfRun() { Clear(); }

void WhatIfRun::Take(const WhatIfWork& work, const schemas::CoreOrigin& origin, Now now) {
  if (work.begins) Begin(*work.begins, origin, now);
  for (const schemas::WhatIfPage& page : work.pages) {
    Write(schemas::FrameOf(schemas::FrameKind::kSitePage, page));
  }
  if (work.order && number_ == work.order->number) order_ = work.order;
  if (work.ends) Clear();
}

void WhatIfRun::Begin(uint64_t number, const schemas::CoreOrigin& origin, Now now) {
  Clear();
  number_ = number;
  origin_ = origin;
  origin_.boot = now.boot;
  origin_.wall = now.wall;
  if (access(options_.program.c_str(), X_OK) != 0) {
    why_ = options_.program + " is not here: what-ifs are answered by it";
    return;
  }
  absl::StatusOr<io::Recording> file = io::Recording::Begin(options_.folder);
  if (!file.ok()) {
    why_ = std::string(Text(file.status()));
    return;
  }
  file_ = *std::move(file);
  path_ = file_->path();
  rows_ = store_.View();
}

void WhatIfRun::Write(const std::string& frame) {
  if (!file_ || !why_.empty()) return;
  const absl::Status added = file_->Add(frame);
  if (!added.ok()) why_ = std::string(Text(added));
}

// Writes some of the meta's records. False: all are written.
bool WhatIfRun::WritePage() {
  const auto rows = rows_->Next(kRowBytes);
  if (!rows.ok()) {
    why_ = std::string(Text(rows.status()));
    return false;
  }
  std::vector<std::pair<std::string, schemas::MetaRecord>> records;
  for (const auto& [key, value] : *rows) {
    absl::StatusOr<schemas::MetaRecord> record = schemas::DecodeMetaRecord(value);
    if (!record.ok()) {
      why_ = "record '" + key + "': " + std::string(Text(record.status()));
      return false;
    }
    records.emplace_back(key, *std::move(record));
  }
  Write(schemas::BeganFrame(origin_, records));
  origin_.file.clear();  // the first page has it
  return !rows->empty();
}

void WhatIfRun::Start(Now now) {
  Write(schemas::FrameOf(schemas::FrameKind::kWhatIfOrder, *order_));
  file_.reset();
  if (!why_.empty()) return;
  child_ = Spawn({options_.program, "what-if", path_, "--out", AnswerPath(), "--parent",
                  std::to_string(getpid())},
                 ErrorPath());
  if (child_ < 0) {
    why_ = "cannot start " + options_.program + ": " + std::strerror(-child_);
    child_ = -1;
    return;
  }
  until_ = now.boot + options_.gives_up;
  setpriority(PRIO_PROCESS, static_cast<id_t>(child_), kNice);
  const rlimit most{options_.memory_bytes, options_.memory_bytes};
  prlimit(child_, RLIMIT_AS, &most, nullptr);
}

std::optional<WhatIfDone> WhatIfRun::GoOn(Now now) {
  if (!number_) return std::nullopt;
  if (!why_.empty()) return Finish(std::nullopt, why_);
  if (rows_) {
    if (!WritePage()) rows_.reset();
    return std::nullopt;
  }
  if (child_ > 0) return LookAtProgram(now);
  if (order_) Start(now);
  return std::nullopt;
}

std::optional<WhatIfDone> WhatIfRun::LookAtProgram(Now now) {
  int status = 0;
  const pid_t ended = waitpid(child_, &status, WNOHANG);
  if (ended == 0) {
    if (now.boot < until_) return std::nullopt;
    return Finish(std::nullopt, "the what-if takes too long: ask for less time, or fewer changes");
  }
  child_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string why = TextOf(ErrorPath());
    while (!why.empty() && why.back() == '\n') why.pop_back();
    if (WIFSIGNALED(status)) {
      why = "the program that answers it was ended by signal " + std::to_string(WTERMSIG(status)) +
            (why.empty() ? "" : ": " + why);
    }
    return Finish(std::nullopt, why.empty() ? "the program that answers it failed" : why);
  }
  const std::string answer = TextOf(AnswerPath());
  schemas::CanonicalReader reader(answer);
  schemas::FrameKind kind{};
  schemas::WhatIfView view;
  reader.Get(kind);
  reader.Get(view);
  if (!reader.AtEnd() || kind != schemas::FrameKind::kWhatIfAnswer) {
    return Finish(std::nullopt, options_.program + " is of another version of muster");
  }
  return Finish(std::move(view), "");
}

WhatIfDone WhatIfRun::Finish(std::optional<schemas::WhatIfView> view, std::string why) {
  WhatIfDone done{.number = *number_, .view = std::move(view), .why = std::move(why)};
  Clear();
  return done;
}

// Its files hold what the meta has on record, so they go with it.
void WhatIfRun::Clear() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  child_ = -1;
  number_.reset();
  why_.clear();
  rows_.reset();
  file_.reset();
  order_.reset();
  if (path_.empty()) return;
  for (const std::string& path : {path_, AnswerPath(), ErrorPath()}) Remove(path);
  path_.clear();
}

std::optional<BootInstant> WhatIfRun::Next(BootInstant now) const {
  if (!number_) return std::nullopt;
  if (!why_.empty() || rows_ || (order_ && child_ < 0)) return now;
  if (child_ > 0) return now + kLook;
  return std::nullopt;
}

}  // namespace muster::meta
