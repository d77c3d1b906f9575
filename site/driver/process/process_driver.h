// Runs each part as local processes under its own shepherd, which outlives the daemon.
// protocol.md section 3.3, cli.md section 6.
//
// Below STATE:  tries/TOKEN    one try of a part: site/driver/shepherd/part_folder.h
//               outputs/PART   link to the newest try of the part with this name
//               parts/PART     working directory of a part that cannot run in its submit directory
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "site/driver/accounts.h"
#include "site/driver/driver.h"
#include "site/driver/process/cgroups.h"
#include "site/driver/process/part_files.h"
#include "site/driver/process/sweep.h"
#include "site/driver/surroundings.h"

namespace muster::driver {

struct ProcessOptions {
  std::string state_dir;
  std::string shepherd;  // path of muster-shepherd; empty: beside the running program
  // Limit and track parts by cgroups where the machine allows. Off only for tests.
  bool cgroups = true;
  // From TERM at the end of the walltime to KILL: less than the turnover of 1 s, so that the next
  // booking finds clean nodes.
  BootSpan walltime_grace = Milliseconds(700);
  // From TERM to KILL for processes that a command leaves behind at its end.
  BootSpan straggler_grace = Milliseconds(700);
  Span output_keep{7 * 86400};
  BootSpan sweep_every = Seconds(3600);
  // User -> local account, accounts.h; empty: everybody runs as the daemon's own user.
  std::map<std::string, std::string> accounts;
};

class ProcessDriver : public Driver {
 public:
  const Facts& facts() const override { return facts_; }
  // Errors: STATE cannot be written, there is no shepherd.
  static absl::StatusOr<std::unique_ptr<ProcessDriver>> Open(ProcessOptions options);
  // Parts go on; another driver with the same STATE finds them.
  ~ProcessDriver() override;

  void Do(const Command& command) override;
  std::vector<Event> Take() override;
  int EventFd() const override { return epoll_.get(); }

  // One line for people: which limits are enforced here, and why others are not.
  std::string LimitsNote() const { return cgroups_.note(); }

 private:
  // A part whose shepherd lives, as far as the driver knows.
  struct Live {
    std::string token;
    std::string part_name;
    uint64_t serial = 0;
    pid_t pid = -1;
    bool child = false;  // of this daemon; false: found after a restart
    Descriptor pidfd;    // none: every tick looks at the part
    DeviceGrant devices;
    bool start_told = false;
    std::optional<Moment> started_at;
    bool found_told = true;  // false: the answer to FindParts is due
    // False if the driver must look at the part before it can answer. A child reports its start.
    bool answered() const { return found_told && (child || start_told); }
    int ticks_until_found = 0;     // 0: reported as running even if its start is unknown
    std::optional<BootSpan> stop;  // grace of a stop to send once there is a pidfd
    std::vector<int> words;        // values for AskToLook, to send once there is a pidfd and room
  };

  explicit ProcessDriver(ProcessOptions options);
  absl::Status Prepare();
  absl::Status PrepareFolders();

  void Start(const StartPart& part);
  absl::StatusOr<Live> TryToStart(const StartPart& part);
  void Stop(const StopPart& command);
  void Limit(const LimitPart& command);
  void Resize(const ResizePart& command);
  void Tell(const std::string& token, int word);
  void SendWords(Live& live);
  void Refuse(const PartNotStarted& refusal);
  void StartAgain(const std::string& token);
  void Find(const std::string& token);
  // Takes over a token whose shepherd lives. What is owed, PartFound or PartStarted, follows when
  // the start of the part is known; PartFound follows after 5 s at the latest.
  enum class Owed : uint8_t { kFound, kStarted };
  void Adopt(const std::string& token, Owed owed);
  // The final answer for a token without a shepherd. No shepherd can start the token later.
  PartFound Conclude(const std::string& token, const LockTry& lock);
  Finding FindingOf(const std::string& token, const Traces& traces, bool has_token);
  void Remember(const std::string& token, Finding verdict);
  void KillLeft(const std::string& token);
  void Forget(const std::string& token);
  void Read(const ReadOutput& command);

  void Add(Live live);
  bool Attach(Live& live, pid_t pid);
  void Look(uint64_t serial);  // checks a part without a pidfd, or whose answer is due
  void Gone(uint64_t serial);  // its shepherd ended
  void TakeNews();
  void Tick();
  void ArmTimer();
  void Say(Event event);
  void RememberBoot();
  void PointOutputTo(const std::string& part_name, const std::string& token);
  std::string FolderOf(const std::string& token) const;

  ProcessOptions options_;
  Facts facts_ = ProcessFacts();
  std::string boot_id_;
  bool traces_may_be_lost_ =
      false;  // a token without a folder proves nothing: protocol.md section 3.3
  bool boot_remembered_ = false;
  Accounts accounts_;
  Cgroups cgroups_;
  ResourceSet machine_;
  Devices devices_;
  Sweep sweep_;
  int64_t open_files_ = -1;

  Descriptor epoll_, wake_, timer_, news_in_, news_out_, null_;
  uint64_t next_serial_;
  std::map<uint64_t, Live> live_;
  std::map<std::string, uint64_t> serials_;  // token -> serial in live_
  std::set<uint64_t> unsure_;                // serials that every tick looks at
  // Verdicts that are reported, but not on file: the disk had no room, or the token cannot name a
  // folder.
  std::map<std::string, Finding> verdicts_;
  std::vector<Event> events_;
  bool woken_ = false;
  int64_t sweep_at_ms_ = 0;  // boot clock
  bool sweeping_ = false;
};

}  // namespace muster::driver
