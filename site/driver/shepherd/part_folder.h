// The layout of the folder STATE/tries/TOKEN. Each try of a part has its own. A daemon and a
// shepherd communicate through it, and it outlives both. protocol.md section 3.3. Constants only,
// since the shepherd links libc and nothing else.
//
//   token     entries "key=value". A NUL byte ends each entry, so that no value needs quoting.
//             The driver writes the spec: what to run, then "end=". Without "end=" nothing may
//             start. The shepherd appends marks: "pid=", then "at_ms=" (UTC) before it spawns the
//             command. Without "at_ms=" nothing ran. When all processes are gone, it appends the
//             exit record, "by=" to "over="; readers ignore an incomplete record. The
//             shepherd holds an exclusive flock on the file as long as it lives. Under this lock
//             the daemon may append "verdict=": its answer for a token without an exit record. A
//             shepherd that finds a verdict starts nothing.
//   stdout, stderr   output of the part; kept when the rest is deleted.
//   script, nodefile, secret   files given to the part. When a running part gives sets back or gets
//             more, the driver replaces the whole node file.
//   limit     walltime of an extended part from its start, in milliseconds; replaced as a whole.
//             The shepherd reads the file before it gives notice and before it ends the part.
//             LookSignal only makes the shepherd read sooner.
//
// Nothing is synced: the page cache outlives the daemon. `boot_id` in the spec tells whether the
// machine has restarted since. After a restart only a complete exit record or a verdict proves
// anything. All entries share one file: creating and removing files is most of the cost of a start,
// and on a full disk a short append finds room where a new file does not.
#pragma once

#include <signal.h>
#include <stdint.h>

namespace muster::shepherd {

inline constexpr char kTokenFile[] = "token";
inline constexpr char kStdoutFile[] = "stdout";
inline constexpr char kStderrFile[] = "stderr";
inline constexpr char kScriptFile[] = "script";
inline constexpr char kNodeFile[] = "nodefile";
inline constexpr char kSecretFile[] = "secret";
inline constexpr char kLimitFile[] = "limit";

// Keys that the driver writes: what to run.
inline constexpr char kBootId[] = "boot_id";        // of the boot in which this was written
inline constexpr char kPart[] = "part";             // "42.1"; read by the driver only
inline constexpr char kDevices[] = "devices";       // "NODE:0,1", repeated; read by the driver only
inline constexpr char kSerial[] = "serial";         // identifies the part in News
inline constexpr char kNotAfter[] = "not_after_s";  // UTC seconds; a start after it is refused
inline constexpr char kWalltime[] = "walltime_ms";  // of boot time, from the start to TERM
inline constexpr char kWalltimeGrace[] = "walltime_grace_ms";  // from that TERM to KILL
inline constexpr char kNoticeBefore[] = "notice_ms";           // before that TERM; absent: none
inline constexpr char kNoticeSignal[] = "notice_signal";       // sent to the command's group
inline constexpr char kNoticeArgument[] = "notice_arg";        // the notice's command; repeated,
                                                               // from argv[0]
// From TERM to KILL after the shepherd got a SIGTERM, or if the command left processes behind.
inline constexpr char kStopGrace[] = "stop_grace_ms";
inline constexpr char kUid[] = "uid";  // with gid and groups; absent: the daemon's account
inline constexpr char kGid[] = "gid";
inline constexpr char kGroups[] = "groups";         // gids, separated by commas
inline constexpr char kOpenFiles[] = "open_files";  // soft limit that the part gets
inline constexpr char kSubmitDir[] =
    "submit_dir";                             // working directory, if it exists and is writable
inline constexpr char kOwnDir[] = "own_dir";  // working directory otherwise; made when needed
inline constexpr char kGroup1[] =
    "group1";  // path of a version 1 cgroup to make and join; repeated
inline constexpr char kGroup2[] = "group2";    // the same for version 2; all of these come before
                                               // group1
inline constexpr char kLimit[] = "limit";      // "FILE=VALUE" for the group named before; repeated
inline constexpr char kProgram[] = "program";  // path, or a name looked up in PATH
inline constexpr char kArgument[] = "arg";     // repeated, from argv[0]
inline constexpr char kVariable[] = "env";     // "NAME=VALUE", repeated
inline constexpr char kEnd[] = "end";

// Search path for a program named without '/' if the part's environment has no PATH.
inline constexpr char kDefaultPath[] = "/usr/local/bin:/usr/bin:/bin";
// Dropped from the environment when the part does not run in its submit directory.
inline constexpr char kSubmitDirVariable[] = "MUSTER_SUBMIT_DIR";

// The environment variable that holds the end of the walltime. The part gets the end known at its
// start. The command of a notice gets the end known when the notice is given.
inline constexpr char kEndsByVariable[] = "MUSTER_ENDS_BY";

// Keys that the shepherd appends.
inline constexpr char kPid[] = "pid";
inline constexpr char kStartedAt[] = "at_ms";
inline constexpr char kBy[] = "by";      // a kBy... word below
inline constexpr char kCode[] = "code";  // exit code or signal of the command, if it ran
inline constexpr char kSignal[] = "signal";
inline constexpr char kStartedMs[] = "started_ms";  // absent: nothing ran
inline constexpr char kEndedMs[] = "ended_ms";
inline constexpr char kElapsedMs[] = "elapsed_ms";  // boot time, less what it was paused
inline constexpr char kCpuMs[] = "cpu_ms";          // of all descendants
inline constexpr char kMaxRss[] = "max_rss_bytes";  // of the largest descendant
inline constexpr char kText[] = "text";
inline constexpr char kOver[] = "over";

// Appended by the daemon, after an extra NUL byte, since the entry before it may be incomplete.
inline constexpr char kVerdict[] = "verdict";
inline constexpr char kVerdictNever[] = "never";  // nothing ran
inline constexpr char kVerdictLost[] = "lost";    // whether it ran, or how it ended, is unknown

inline constexpr char kByExit[] = "exit";
inline constexpr char kByWalltime[] = "walltime";
inline constexpr char kByRelease[] = "release";
inline constexpr char kByNotStarted[] = "not_started";  // nothing ran; text says why
inline constexpr char kByLate[] = "late";               // nothing ran: not_after had passed
// The command was started after not_after (the machine slept at the spawn) and killed at once.
inline constexpr char kByStartedLate[] = "started_late";

// What a shepherd writes to its daemon, one record per write, on a pipe that all shepherds of a
// daemon share. Only a hint: the folder says the same, and a dead or slow daemon delays no
// shepherd.
inline constexpr int kNewsFd = 3;
enum class NewsKind : uint32_t { kStarted = 1, kEnding = 2 };
struct News {
  uint64_t serial;
  int64_t at_ms;  // UTC
  NewsKind kind;
  uint32_t reserved;
};
// Tells the shepherd to end its part. The signal's value is the grace in milliseconds. A realtime
// signal, so that a second one is queued behind the first. SIGTERM does the same with the grace of
// the spec.
inline int StopSignal() { return SIGRTMIN; }
// Tells the shepherd that its running part was changed. The signal's value is the new walltime in
// seconds; the limit file has it too, but could perhaps not be written. At the value kResized the
// shepherd sends SIGWINCH to the command's process group. At kPaused it takes all processes of the
// part off their cores, at kResumed it lets them go on.
inline int LookSignal() { return SIGRTMIN + 1; }
inline constexpr int kResized = -1;
inline constexpr int kPaused = -2;
inline constexpr int kResumed = -3;

// Exit codes of the shepherd itself; details are in the folder.
inline constexpr int kDone = 0;
inline constexpr int kKeptOut =
    3;  // the lock is held, or the token is gone, used or has a verdict: nothing was touched
inline constexpr int kBadFolder = 4;

}  // namespace muster::shepherd
