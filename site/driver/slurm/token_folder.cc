// Every file is opened without following a link and without waiting for a reader, as the account
// that the folder belongs to: what is in it is the user's.
#include "site/driver/slurm/token_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "schemas/limits.h"
#include "site/driver/part_checks.h"
#include "site/driver/slurm/part_command.h"
#include "site/driver/slurm/token_files.h"
#include "site/driver/slurm/token_record.h"

namespace muster::driver::slurm {
namespace {

constexpr char kUsedFile[] = "/.used";
constexpr char kNever[] = "never";
constexpr char kLost[] = "lost";
constexpr char kLateMark[] = "never late";
constexpr const char* kGivenFiles[] = {"spec",     "name",   "command",  "script", "notice",
                                       "nodefile", "secret", "walltime", "stop"};
constexpr const char* kMarkFiles[] = {"run/owner", "run/started", "run/ending",
                                      "run/here",  "run/exit",    "run/times"};

absl::Status NotReached(const std::string& path) {
  return Unavailable("cannot reach '" + path + "': " + std::strerror(errno));
}

// What is written here outlives the daemon; after a crash of the file server a folder may be
// incomplete, and then its wrapper does not begin.
absl::Status FillFolder(const std::string& folder, const std::string& final_folder,
                        const StartPart& part, const std::optional<Account>& account,
                        const Graces& graces) {
  const std::string base = folder + "/";
  for (const auto& [name, text] : FilesOf(part, final_folder, account, graces)) {
    MUSTER_RETURN_IF_ERROR(WriteNewFile(base + name, text));
  }
  // A script that names its interpreter is executed itself.
  if (!part.payload.script.empty() && chmod((base + "script").c_str(), 0700) != 0) {
    return FileError("make executable", base + "script");
  }
  if (mkdir((base + "run").c_str(), 0700) != 0) return FileError("make", base + "run");
  // Here, as the part would have to make a process for it in its second.
  if (part.payload.submit_dir.empty() && mkdir((base + "work").c_str(), 0755) != 0) {
    return FileError("make", base + "work");
  }
  return absl::OkStatus();
}

void RemoveAll(const std::string& folder) {
  for (const char* name : kGivenFiles) unlink((folder + "/" + name).c_str());
  for (const char* name : kMarkFiles) unlink((folder + "/" + name).c_str());
  for (const char* name : {"out", "err"}) unlink((folder + "/" + name).c_str());
  // Marks of wrappers that were killed while they made one.
  if (DIR* run = opendir((folder + "/run").c_str())) {
    while (const dirent* entry = readdir(run)) {
      if (entry->d_name[0] == '.') unlink((folder + "/run/" + entry->d_name).c_str());
    }
    closedir(run);
  }
  rmdir((folder + "/run").c_str());
  rmdir((folder + "/work").c_str());
  rmdir(folder.c_str());
}

Begun BegunOf(const std::string& mark) {
  if (mark.starts_with(kNever)) return Begun::kNever;
  if (mark.starts_with(kLost)) return Begun::kLost;
  return Begun::kYes;
}

}  // namespace

absl::StatusOr<TokenFolders> TokenFolders::Open(const std::string& shared_folder) {
  if (!shared_folder.starts_with('/')) {
    return InvalidArgument("'" + shared_folder + "' is not an absolute path");
  }
  if (access(shared_folder.c_str(), F_OK) != 0) {
    return NotFound("'" + shared_folder + "': " + std::strerror(errno));
  }
  const std::string parts = shared_folder + "/parts";
  // Accounts make their own folders in it, and nobody lists it but the daemon.
  if (mkdir(parts.c_str(), 0700) == 0) {
    if (chmod(parts.c_str(), 01733) != 0) return FileError("open to accounts", parts);
  } else if (errno != EEXIST) {
    return FileError("make", parts);
  }
  const std::string probe = parts + "/.probe." + std::to_string(getpid());
  unlink(probe.c_str());
  unlink((probe + ".link").c_str());
  MUSTER_RETURN_IF_ERROR(WriteNewFile(probe, "probe\n"));
  const bool linked = link(probe.c_str(), (probe + ".link").c_str()) == 0;
  const absl::Status status = linked ? absl::OkStatus() : FileError("make a hard link in", parts);
  unlink((probe + ".link").c_str());
  unlink(probe.c_str());
  MUSTER_RETURN_IF_ERROR(status);
  return TokenFolders(parts, access((parts + kUsedFile).c_str(), F_OK) != 0);
}

absl::Status TokenFolders::RememberUse() {
  if (remembered_) return absl::OkStatus();
  const std::string path = parts_ + kUsedFile;
  if (access(path.c_str(), F_OK) != 0) MUSTER_RETURN_IF_ERROR(WriteNewFile(path, ""));
  remembered_ = true;
  return absl::OkStatus();
}

// None: the folder's owner is this daemon's own account. The folder's own mark tells a token
// without a folder from a file system that is not there.
absl::StatusOr<std::optional<Account>> TokenFolders::OwnerOf(const std::string& token) const {
  struct stat status{};
  if (lstat(FolderOf(token).c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) return Internal("'" + FolderOf(token) + "' is not a folder");
    if (status.st_uid == geteuid()) return std::optional<Account>();
    return std::optional(Account{.uid = status.st_uid, .gid = status.st_gid});
  }
  if (errno != ENOENT || access(parts_.c_str(), F_OK) != 0) return NotReached(FolderOf(token));
  return NotFound("there is no folder of this token");
}

absl::Status TokenFolders::Make(const StartPart& part, const std::optional<Account>& account,
                                const Graces& graces) const {
  const std::string folder = FolderOf(part.token);
  const std::string fresh = parts_ + "/.new." + part.token;
  const Acting acting(account);
  if (mkdir(fresh.c_str(), 0700) != 0) {
    if (errno == EEXIST) RemoveAll(fresh);  // of a daemon that ended meanwhile
    if (mkdir(fresh.c_str(), 0700) != 0) return FileError("make", fresh);
  }
  absl::Status status = FillFolder(fresh, folder, part, account, graces);
  if (status.ok() && rename(fresh.c_str(), folder.c_str()) != 0) {
    const bool used = errno == EEXIST || errno == ENOTEMPTY || errno == EPERM || errno == EACCES;
    status = used ? absl::AlreadyExistsError("the folder of this token exists")
                  : FileError("make", folder);
  }
  if (!status.ok()) RemoveAll(fresh);
  return status;
}

absl::StatusOr<Marks> TokenFolders::Read(const std::string& token) const {
  Marks marks;
  const auto owner = OwnerOf(token);
  if (absl::IsNotFound(owner.status())) {
    if ((remembered_ || !fresh_) && access((parts_ + kUsedFile).c_str(), F_OK) != 0) {
      return Unavailable("'" + parts_ + "' is not the folder that it was");
    }
    return marks;
  }
  MUSTER_RETURN_IF_ERROR(owner.status());
  const Acting acting(*owner);
  const std::string base = FolderOf(token) + "/";
  marks.exists = true;
  marks.part_name = ReadSmallFile(base + "name").value_or("");
  const Entries spec = EntriesIn(ReadSmallFile(base + "spec").value_or(""), '\n');
  marks.not_before = Moment{NumberOf(spec, "NOT_BEFORE").value_or(0)}.Floor();
  const Entries taken = EntriesIn(ReadSmallFile(base + "run/owner").value_or(""), ' ');
  marks.owner = static_cast<uint32_t>(NumberOf(taken, "job").value_or(0));
  const auto started = ReadSmallFile(base + "run/started");
  if (!started && errno != ENOENT) return NotReached(base + "run/started");
  if (started) {
    marks.begun = BegunOf(*started);
    marks.late = started->starts_with(kLateMark);
    if (const auto at = NumberOf(EntriesIn(*started, ' '), "at"); marks.begun == Begun::kYes && at)
      marks.started_at = Moment{*at};
  }
  marks.answered =
      NumberOf(EntriesIn(ReadSmallFile(base + "run/here").value_or(""), '\n'), "asked");
  marks.ending = access((base + "run/ending").c_str(), F_OK) == 0;
  const auto record = ReadSmallFile(base + "run/exit");
  if (!record) return marks;
  const Entries entries = EntriesIn(*record, '\n');
  if (!entries.contains("over")) return marks;
  TakeRecord(entries, ReadSmallFile(base + "run/times").value_or(""), token, marks);
  return marks;
}

absl::StatusOr<Begun> TokenFolders::GiveUp(const std::string& token, Begun verdict) const {
  auto owner = OwnerOf(token);
  if (absl::IsNotFound(owner.status())) {
    if (mkdir(FolderOf(token).c_str(), 0700) != 0 && errno != EEXIST) {
      return NotReached(FolderOf(token));
    }
    owner = OwnerOf(token);
  }
  if (!owner.ok()) return Unavailable(Text(owner.status()));
  const Acting acting(*owner);
  const std::string run = FolderOf(token) + "/run";
  if (mkdir(run.c_str(), 0700) != 0 && errno != EEXIST) return NotReached(run);
  const std::string mine = run + "/.driver." + std::to_string(getpid());
  const std::string text = std::string(verdict == Begun::kNever ? kNever : kLost) +
                           " pid=" + std::to_string(getpid()) + "\n";
  unlink(mine.c_str());
  if (const absl::Status written = WriteNewFile(mine, text, Kept::kOnDisk); !written.ok()) {
    return Unavailable(Text(written));
  }
  [[maybe_unused]] const int linked = link(mine.c_str(), (run + "/started").c_str());
  unlink(mine.c_str());
  const auto mark = ReadSmallFile(run + "/started");
  if (!mark) return NotReached(run + "/started");
  return BegunOf(*mark);
}

void TokenFolders::Release(const std::string& token) const {
  const auto owner = OwnerOf(token);
  if (!owner.ok()) return;
  const Acting acting(*owner);
  unlink((FolderOf(token) + "/run/owner").c_str());
}

absl::Status TokenFolders::WriteWalltime(const std::string& token, Span walltime) const {
  MUSTER_ASSIGN_OR_RETURN(const auto owner, OwnerOf(token));
  const Acting acting(owner);
  return ReplaceFile(FolderOf(token), "walltime",
                     std::to_string(ToBootSpan(walltime).milliseconds) + "\n");
}

absl::Status TokenFolders::WriteStop(const std::string& token, BootSpan grace) const {
  MUSTER_ASSIGN_OR_RETURN(const auto owner, OwnerOf(token));
  const Acting acting(owner);
  return ReplaceFile(FolderOf(token), "stop", std::to_string(grace.milliseconds) + "\n");
}

absl::Status TokenFolders::Ask(const std::string& token, int64_t question) const {
  MUSTER_ASSIGN_OR_RETURN(const auto owner, OwnerOf(token));
  const Acting acting(owner);
  return AppendToFile(FolderOf(token) + "/spec", "ASK=" + std::to_string(question) + "\n");
}

// What changes a directory makes the client ask the server for it anew.
void TokenFolders::Refresh(const std::string& token) const {
  const auto owner = OwnerOf(token);
  if (!owner.ok()) return;
  const Acting acting(*owner);
  const std::string look = FolderOf(token) + "/run/.look";
  if (mkdir(look.c_str(), 0700) == 0 || errno == EEXIST) rmdir(look.c_str());
}

void TokenFolders::Empty(const std::string& token) const {
  if (!IsFileName(token)) return;
  const auto owner = OwnerOf(token);
  if (!owner.ok()) return;
  const Acting acting(*owner);
  // Without `spec` no wrapper goes on, and the marks stay to keep a late one out.
  for (const char* name : kGivenFiles) {
    if (std::strcmp(name, "name") != 0) unlink((FolderOf(token) + "/" + name).c_str());
  }
}

void TokenFolders::Sweep(Instant now, Span keep) const {
  DIR* all = opendir(parts_.c_str());
  if (all == nullptr) return;
  while (const dirent* entry = readdir(all)) {
    const std::string token = entry->d_name;
    if (!IsFileName(token)) continue;
    struct stat status{};
    const std::string folder = FolderOf(token);
    const auto owner = OwnerOf(token);
    if (!owner.ok()) continue;
    const Acting acting(*owner);
    if (access((folder + "/spec").c_str(), F_OK) == 0) continue;  // not forgotten
    if (lstat(folder.c_str(), &status) != 0 || status.st_mtime + keep.seconds > now.seconds)
      continue;
    // Under another name first: a job that comes now finds no folder, instead of half of one.
    const std::string aside = parts_ + "/.old." + token;
    if (rename(folder.c_str(), aside.c_str()) == 0) RemoveAll(aside);
  }
  closedir(all);
}

std::optional<OutputPiece> TokenFolders::Output(const std::string& token, bool error_stream,
                                                uint64_t offset, size_t limit) const {
  const auto owner = OwnerOf(token);
  if (!owner.ok()) return std::nullopt;
  const Acting acting(*owner);
  return ReadPiece(FolderOf(token) + (error_stream ? "/err" : "/out"), offset,
                   std::min(limit, schemas::kOutputPieceBytes));
}

std::string TokenFolders::NewestOf(const std::string& part_name) const {
  std::string newest;
  timespec best{};
  DIR* all = opendir(parts_.c_str());
  if (all == nullptr) return newest;
  while (const dirent* entry = readdir(all)) {
    const std::string token = entry->d_name;
    const auto owner = IsFileName(token) ? OwnerOf(token) : NotFound("");
    if (!owner.ok()) continue;
    const Acting acting(*owner);
    struct stat status{};
    const std::string name = FolderOf(token) + "/name";
    if (ReadSmallFile(name) != part_name || lstat(name.c_str(), &status) != 0) continue;
    const timespec& at = status.st_mtim;
    if (at.tv_sec < best.tv_sec || (at.tv_sec == best.tv_sec && at.tv_nsec < best.tv_nsec))
      continue;
    best = at;
    newest = token;
  }
  closedir(all);
  return newest;
}

}  // namespace muster::driver::slurm
