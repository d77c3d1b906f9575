// Small files, written completely and in an order that makes a half-written folder harmless:
// without a complete `token` nothing starts.
#include "site/driver/process/part_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {
namespace {

namespace sh = shepherd;

constexpr char kNewFile[] = ".new";  // temporary name of a file that will replace another
constexpr const char* kBookkeeping[] = {sh::kScriptFile, sh::kNodeFile, sh::kSecretFile,
                                        sh::kLimitFile,  kNewFile,      sh::kTokenFile};

absl::Status Failed(const std::string& what, const std::string& path) {
  return Internal("cannot " + what + " '" + path + "': " + std::strerror(errno));
}

absl::Status WriteNew(const std::string& path, std::string_view text, mode_t mode,
                      const std::optional<Account>& owner = std::nullopt) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) return Failed("make", path);
  while (!text.empty()) {
    const ssize_t written = write(file.get(), text.data(), text.size());
    if (written < 0) return Failed("write", path);
    text.remove_prefix(written);
  }
  if (owner && fchown(file.get(), owner->uid, owner->gid) != 0) return Failed("hand over", path);
  return absl::OkStatus();
}

// Replaces a file atomically: a reader finds the old one or the new one.
absl::Status WriteOver(const std::string& folder, const char* name, std::string_view text,
                       const std::optional<Account>& owner = std::nullopt) {
  const std::string fresh = folder + "/" + kNewFile;
  unlink(fresh.c_str());
  MUSTER_RETURN_IF_ERROR(WriteNew(fresh, text, 0600, owner));
  const std::string path = folder + "/" + name;
  return rename(fresh.c_str(), path.c_str()) == 0 ? absl::OkStatus() : Failed("write", path);
}

std::optional<std::string> ReadWhole(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return std::nullopt;
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t got = read(file.get(), piece, sizeof(piece));
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(piece, got);
  }
}

// Calls `take` for every complete "key=value" entry.
template <class Take>
void ForEachEntry(std::string_view text, const Take& take) {
  for (size_t end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(end + 1);
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos) take(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

class SpecText {
 public:
  void Add(const char* key, std::string_view value) {
    text_.append(key).append(1, '=').append(value).append(1, '\0');
  }
  void Add(const char* key, int64_t value) { Add(key, std::to_string(value)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void AddProgram(const StartPart& part, const std::string& script, SpecText& spec) {
  std::vector<std::string> arguments = part.payload.argv;
  if (!part.payload.script.empty()) {
    arguments.insert(arguments.begin(), script);
    if (!part.payload.script.starts_with("#!")) arguments.insert(arguments.begin(), "/bin/sh");
  }
  spec.Add(sh::kProgram, arguments.front());
  for (const std::string& argument : arguments) spec.Add(sh::kArgument, argument);
}

void AddNotice(const schemas::Notice& notice, SpecText& spec) {
  spec.Add(sh::kNoticeBefore, ToBootSpan(notice.before).milliseconds);
  if (const auto number = SignalNumber(notice.signal)) spec.Add(sh::kNoticeSignal, *number);
  for (const std::string& argument : notice.argv) spec.Add(sh::kNoticeArgument, argument);
}

void AddAccount(const Account& account, SpecText& spec) {
  spec.Add(sh::kUid, account.uid);
  spec.Add(sh::kGid, account.gid);
  std::string groups;
  for (const gid_t group : account.groups)
    groups += (groups.empty() ? "" : ",") + std::to_string(group);
  spec.Add(sh::kGroups, groups);
}

std::string SpecOf(const std::string& folder, const StartPart& part, const SpecFacts& facts) {
  SpecText spec;
  spec.Add(sh::kBootId, facts.boot_id);
  spec.Add(sh::kPart, part.part_name);
  for (const auto& devices : facts.devices) spec.Add(sh::kDevices, ToText(devices));
  spec.Add(sh::kSerial, static_cast<int64_t>(facts.serial));
  spec.Add(sh::kNotAfter, part.not_after.seconds);
  spec.Add(sh::kWalltime, ToBootSpan(part.walltime).milliseconds);
  spec.Add(sh::kWalltimeGrace, facts.walltime_grace.milliseconds);
  spec.Add(sh::kStopGrace, facts.stop_grace.milliseconds);
  if (facts.account) AddAccount(*facts.account, spec);
  if (facts.open_files >= 0) spec.Add(sh::kOpenFiles, facts.open_files);
  if (!part.payload.submit_dir.empty()) spec.Add(sh::kSubmitDir, part.payload.submit_dir);
  spec.Add(sh::kOwnDir, facts.own_dir);
  for (const PartGroup& group : facts.groups) {
    spec.Add(group.unified ? sh::kGroup2 : sh::kGroup1, group.path);
    for (const auto& [file, value] : group.limits) spec.Add(sh::kLimit, file + "=" + value);
  }
  AddProgram(part, folder + "/" + sh::kScriptFile, spec);
  if (part.notice) AddNotice(*part.notice, spec);
  std::map<std::string, std::string> environment = EnvironmentOf(
      part,
      {.node_file = folder + "/" + sh::kNodeFile, .secret_file = folder + "/" + sh::kSecretFile},
      facts.devices);
  if (facts.account) {
    environment.try_emplace("HOME", facts.account->home);
    environment.try_emplace("USER", facts.account->name);
    environment.try_emplace("LOGNAME", facts.account->name);
    environment.try_emplace("SHELL", facts.account->shell);
  }
  for (const auto& [name, value] : environment) spec.Add(sh::kVariable, name + "=" + value);
  spec.Add(sh::kEnd, "");
  return spec.text();
}

absl::Status Fill(const std::string& folder, const StartPart& part, const SpecFacts& facts) {
  const std::string base = folder + "/";
  MUSTER_RETURN_IF_ERROR(
      WriteNew(base + sh::kNodeFile, NodeFileText(part.place), 0600, facts.account));
  const std::string secret = ToHex(part.secret.bytes.data(), part.secret.bytes.size()) + "\n";
  MUSTER_RETURN_IF_ERROR(WriteNew(base + sh::kSecretFile, secret, 0600, facts.account));
  if (!part.payload.script.empty()) {
    MUSTER_RETURN_IF_ERROR(
        WriteNew(base + sh::kScriptFile, part.payload.script, 0700, facts.account));
  }
  return WriteNew(base + sh::kTokenFile, SpecOf(folder, part, facts), 0600);
}

using Record = std::map<std::string, std::string, std::less<>>;

std::optional<int64_t> NumberIn(const Record& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end()) return std::nullopt;
  return std::strtoll(found->second.c_str(), nullptr, 10);
}

void TakeExitRecord(Record& record, const std::string& token, Traces& traces) {
  const std::string& by = record[sh::kBy];
  if (by == sh::kByNotStarted || by == sh::kByLate) {
    traces.not_started =
        PartNotStarted{.token = token, .why = record[sh::kText], .late = by == sh::kByLate};
    return;
  }
  PartEnded ended{.token = token, .at = {NumberIn(record, sh::kEndedMs).value_or(0)}};
  ended.end.by = by == sh::kByWalltime      ? schemas::EndedBy::kWalltime
                 : by == sh::kByRelease     ? schemas::EndedBy::kRelease
                 : by == sh::kByStartedLate ? schemas::EndedBy::kFailedToStart
                                            : schemas::EndedBy::kExit;
  if (const auto signal = NumberIn(record, sh::kSignal)) ended.end.signal = *signal;
  if (const auto code = NumberIn(record, sh::kCode); code && !ended.end.signal)
    ended.end.exit_code = *code;
  ended.end.text = record[sh::kText];
  ended.usage.elapsed = {NumberIn(record, sh::kElapsedMs).value_or(0)};
  if (const auto cpu = NumberIn(record, sh::kCpuMs)) ended.usage.cpu = BootSpan{*cpu};
  ended.usage.max_rss_bytes = NumberIn(record, sh::kMaxRss);
  traces.ended = std::move(ended);
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.Release();
  }
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}
int Descriptor::Release() { return std::exchange(fd_, -1); }

absl::Status WriteLimit(const std::string& folder, Span walltime) {
  return WriteOver(folder, sh::kLimitFile,
                   std::to_string(ToBootSpan(walltime).milliseconds) + "\n");
}

absl::StatusOr<Put> WriteNodeFile(const std::string& folder, const schemas::PartPlace& place) {
  const std::string path = folder + "/" + sh::kNodeFile;
  const std::string text = NodeFileText(place);
  if (ReadWhole(path) == text) return Put::kSame;
  struct stat old{};
  if (lstat(path.c_str(), &old) != 0) return Failed("find", path);
  MUSTER_RETURN_IF_ERROR(
      WriteOver(folder, sh::kNodeFile, text, Account{.uid = old.st_uid, .gid = old.st_gid}));
  return Put::kChanged;
}

absl::Status WritePart(const std::string& folder, const StartPart& part, const SpecFacts& facts) {
  if (mkdir(folder.c_str(), facts.account ? 0711 : 0700) != 0) {
    if (errno == EEXIST) return absl::AlreadyExistsError("the folder of this token exists");
    return Failed("make", folder);
  }
  absl::Status status = Fill(folder, part, facts);
  if (!status.ok()) RemoveFolder(folder);
  return status;
}

LockTry TryLock(const std::string& folder) {
  const std::string path = folder + "/" + sh::kTokenFile;
  LockTry result;
  Descriptor token(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!token) {
    // Without a free descriptor the lock cannot be tried. kHeld makes the caller try again.
    if (errno == EMFILE || errno == ENFILE) result.lock = Lock::kHeld;
    return result;
  }
  if (flock(token.get(), LOCK_EX | LOCK_NB) == 0) {
    result.lock = Lock::kObtained;
    result.descriptor = std::move(token);
    return result;
  }
  result.lock = Lock::kHeld;
  return result;
}

Traces ReadTraces(const std::string& folder, const std::string& token) {
  Traces traces;
  const auto text = ReadWhole(folder + "/" + sh::kTokenFile);
  if (!text) return traces;
  std::string boot_id;
  Record record;
  ForEachEntry(*text, [&](std::string_view key, std::string_view value) {
    if (key == sh::kVerdict) {
      traces.verdict = value == sh::kVerdictNever ? Finding::kNeverRan : Finding::kCannotTell;
    }
    if (!traces.boot_id.empty()) {  // an entry of the shepherd
      record[std::string(key)] = value;
      return;
    }
    if (key == sh::kBootId) boot_id = value;
    if (key == sh::kPart) traces.part_name = value;
    if (key == sh::kGroup1) traces.groups.push_back({.path = std::string(value), .unified = false});
    if (key == sh::kGroup2) traces.groups.push_back({.path = std::string(value), .unified = true});
    if (key == sh::kDevices) {
      if (auto devices = ParseNodeDevices(std::string(value)))
        traces.devices.push_back(std::move(*devices));
    }
    if (key == sh::kEnd) traces.boot_id = boot_id;
  });
  traces.shepherd = static_cast<pid_t>(NumberIn(record, sh::kPid).value_or(-1));
  if (const auto at = NumberIn(record, sh::kStartedAt)) {
    traces.started = true;
    traces.started_at = Moment{*at};
  }
  if (record.contains(sh::kOver)) TakeExitRecord(record, token, traces);
  return traces;
}

bool WriteVerdict(const std::string& folder, Finding verdict) {
  const bool never = verdict == Finding::kNeverRan;
  const std::string mark = std::string(1, '\0') + sh::kVerdict + "=" +
                           (never ? sh::kVerdictNever : sh::kVerdictLost) + std::string(1, '\0');
  const std::string path = folder + "/" + sh::kTokenFile;
  mkdir(folder.c_str(), 0700);
  const Descriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file && write(file.get(), mark.data(), mark.size()) == static_cast<ssize_t>(mark.size());
}

void RemoveBookkeeping(const std::string& folder) {
  for (const char* name : kBookkeeping) unlink((folder + "/" + name).c_str());
}

void RemoveFolder(const std::string& folder) {
  RemoveBookkeeping(folder);
  unlink((folder + "/" + sh::kStdoutFile).c_str());
  unlink((folder + "/" + sh::kStderrFile).c_str());
  rmdir(folder.c_str());
}

}  // namespace muster::driver
