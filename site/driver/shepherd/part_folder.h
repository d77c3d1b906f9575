// The folder through which a daemon and a shepherd speak, and which outlives both: one per try of a
// part, STATE/tries/TOKEN. protocol.md section 3.3. Constants only: the shepherd links libc and
// nothing else.
//
//   token     entries "key=value", each ended by a NUL byte so that no value needs quoting. First
//             the driver's: what to run, last "end="; without that nothing may start. Then those of
//             the shepherd, which holds an exclusive flock on the file as long as it lives: "pid=";
//             the mark "at_ms=" (UTC) before the command is spawned (no mark, nothing ran); the
//             exit record when all processes are gone, from "by=" to "over=" (incomplete: not
//             there). Or one of the daemon, which takes the same lock for it: "verdict=", what it
//             said of a token that has no end on record. A shepherd that comes after it keeps out.
//   stdout, stderr   of the part; kept when the rest is forgotten.
//   script, nodefile, secret   what the part is given, as files. The node file is put anew, whole,
//             when a running part gives sets back or gets more.
//   limit     milliseconds that a part which was extended may run from its start; put there whole.
//             The shepherd reads it before it gives notice and before it ends the part, so that
//             LookSignal only makes it look sooner.
//
// Nothing is synced: the page cache outlives the daemon, and `boot_id` in the spec tells whether
// the machine has restarted since; then only a whole exit record proves anything. One file for all
// of this: making and removing files is most of what a start costs, and an append of a few bytes
// finds room on a full disk where a new file does not.
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

// Keys of what to run.
inline constexpr char kBootId[] = "boot_id";        // of the boot it was written in
inline constexpr char kPart[] = "part";             // "42.1", for the driver
inline constexpr char kDevices[] = "devices";       // "NODE:0,1", repeated; for the driver
inline constexpr char kSerial[] = "serial";         // of News
inline constexpr char kNotAfter[] = "not_after_s";  // UTC seconds; a start after it is refused
inline constexpr char kWalltime[] = "walltime_ms";  // of boot time, from the start to TERM
inline constexpr char kWalltimeGrace[] = "walltime_grace_ms";  // from that TERM to KILL
inline constexpr char kNoticeBefore[] = "notice_ms";           // before that TERM; absent: none
inline constexpr char kNoticeSignal[] = "notice_signal";       // number, to the command's group
inline constexpr char kNoticeArgument[] = "notice_arg";  // repeated, from argv[0]: run beside it
inline constexpr char kStopGrace[] = "stop_grace_ms";    // after a SIGTERM, or when stragglers stay
inline constexpr char kUid[] = "uid";  // with gid and groups: absent = stay who we are
inline constexpr char kGid[] = "gid";
inline constexpr char kGroups[] = "groups";         // numbers by comma
inline constexpr char kOpenFiles[] = "open_files";  // soft limit that the part gets
inline constexpr char kSubmitDir[] =
    "submit_dir";                             // where it runs if it exists and is writable, else
inline constexpr char kOwnDir[] = "own_dir";  // here, made when needed
inline constexpr char kGroup1[] =
    "group1";  // path of a version 1 cgroup to make and join; repeated
inline constexpr char kGroup2[] =
    "group2";                              // the same of version 2; groups of version 2 come first
inline constexpr char kLimit[] = "limit";  // "FILE=VALUE" of the group named before; repeated
inline constexpr char kProgram[] = "program";  // path, or a name looked up in PATH
inline constexpr char kArgument[] = "arg";     // repeated, from argv[0]
inline constexpr char kVariable[] = "env";     // "NAME=VALUE", repeated
inline constexpr char kEnd[] = "end";

// Where a program named without '/' is looked for when the part's environment has no PATH.
inline constexpr char kDefaultPath[] = "/usr/local/bin:/usr/bin:/bin";
// Dropped from the environment when the part does not run in its submit directory.
inline constexpr char kSubmitDirVariable[] = "MUSTER_SUBMIT_DIR";

// In the environment of the part as at its start; of a notice's command the end as it is then.
inline constexpr char kEndsByVariable[] = "MUSTER_ENDS_BY";

// Keys that the shepherd adds.
inline constexpr char kPid[] = "pid";
inline constexpr char kStartedAt[] = "at_ms";
inline constexpr char kBy[] = "by";      // one of the words below
inline constexpr char kCode[] = "code";  // exit code or signal of the command, if it ran
inline constexpr char kSignal[] = "signal";
inline constexpr char kStartedMs[] = "started_ms";  // absent: nothing ran
inline constexpr char kEndedMs[] = "ended_ms";
inline constexpr char kElapsedMs[] = "elapsed_ms";  // boot time
inline constexpr char kCpuMs[] = "cpu_ms";          // of all descendants
inline constexpr char kMaxRss[] = "max_rss_bytes";  // of the largest one
inline constexpr char kText[] = "text";
inline constexpr char kOver[] = "over";

// The daemon's own, after a NUL byte of its own: what stands before it may be torn.
inline constexpr char kVerdict[] = "verdict";
inline constexpr char kVerdictNever[] = "never";  // nothing ran
inline constexpr char kVerdictLost[] = "lost";    // nobody can tell

inline constexpr char kByExit[] = "exit";
inline constexpr char kByWalltime[] = "walltime";
inline constexpr char kByRelease[] = "release";
inline constexpr char kByNotStarted[] = "not_started";  // nothing ran; text says why
inline constexpr char kByLate[] = "late";               // nothing ran: not_after had passed
inline constexpr char kByStartedLate[] =
    "started_late";  // the machine slept at the spawn: killed at once

// What a shepherd writes to its daemon, one whole record per write, on a pipe all shepherds of a
// daemon share. Only a hint: the folder holds the same, and a daemon that is gone or slow delays no
// shepherd.
inline constexpr int kNewsFd = 3;
enum class NewsKind : uint32_t { kStarted = 1, kEnding = 2 };
struct News {
  uint64_t serial;
  int64_t at_ms;  // UTC
  NewsKind kind;
  uint32_t reserved;
};
// The daemon ends a part by this signal to its shepherd, queued with the grace in milliseconds as
// its value: a realtime one, so that a second word is not lost behind the first. SIGTERM does the
// same with the grace of the spec.
inline int StopSignal() { return SIGRTMIN; }
// The daemon changed something of a running part. The value: a new walltime in seconds, for where
// the file could not be put; or kResized, which goes on to the command's group as SIGWINCH.
inline int LookSignal() { return SIGRTMIN + 1; }
inline constexpr int kResized = -1;

// Exit codes of the shepherd itself; the folder says the rest.
inline constexpr int kDone = 0;
inline constexpr int kKeptOut =
    3;  // the lock is held, the token is gone, was used or has a verdict: nothing was touched
inline constexpr int kBadFolder = 4;

}  // namespace muster::shepherd
