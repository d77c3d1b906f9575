// Keeps a site's parts and walls on a cluster: the one place that decides about them. Used by one
// thread. Files and marks decide what has happened; Slurm only says where its jobs are.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/io/clock.h"
#include "site/driver/accounts.h"
#include "site/driver/slurm/cluster.h"
#include "site/driver/slurm/options.h"
#include "site/driver/slurm/seen.h"
#include "site/driver/slurm/settling.h"
#include "site/driver/slurm/shapes.h"
#include "site/driver/slurm/token_folder.h"

namespace muster::driver::slurm {

// A part to hand over: its folder is made first, unless that was done before.
struct HandOver {
  StartPart part;
  std::optional<Account> account;
  Submission submission;
  bool make_folder = true;
  std::string admit;  // the user to let into the reservation of the commons; "": no need
};
struct HandedOver {
  std::string token;
  enum class Outcome : uint8_t {
    kSubmitted,
    kUnknown,   // the controller was not reached: perhaps it has the job
    kTryAgain,  // refused for now
    kUsed,      // its folder was there before
    kRefused
  };
  Outcome outcome = Outcome::kRefused;
  uint32_t job = 0;
  Moment at;  // when the controller's answer was there
  std::string why;
};

inline Moment Past(Moment at, BootSpan span) { return {at.milliseconds + span.milliseconds}; }

class Keeper {
 public:
  // What it calls on. Each is called in the keeper's thread. REQUIRES: all outlive it.
  struct Surroundings {
    const Cluster* cluster = nullptr;
    io::Clock* clock = nullptr;
    std::function<void(Event)> say;
    std::function<void(HandOver)> hand_over;
    // Lets these users, and the daemon's own account, into the reservations of the commons.
    std::function<void(std::set<std::string>)> admit_only;
    std::function<void(const std::string&)> failed;  // a call has failed: the cluster is not seen
    std::function<void()> look_soon;
    std::function<void()> look_anew;  // soon, and with all rows
  };
  Keeper(const SlurmOptions& options, SeenOptions seen, TokenFolders folders,
         Surroundings surroundings);

  // Commands in their order; walls that come one after another are read back together.
  void Do(const std::vector<Command>& commands);
  void OnHandedOver(const HandedOver& done);
  void OnLook(Look fresh);
  // Nothing is seen until the next look: calls are put off.
  void OnBlind() { blind_ = true; }
  // Does what is due by now; says when the next thing is.
  Moment Tick();

 private:
  enum class Stage : uint8_t { kHandingOver, kSubmitted, kRunning };
  struct Part {
    StartPart command;        // of one that was only asked for: its token and part's name
    bool ordered = false;     // this driver may submit it
    bool owes_found = false;  // the answer to FindParts
    bool owes_start = false;  // the answer to a repeated StartPart
    Stage stage = Stage::kHandingOver;
    uint32_t job = 0;
    Moment acknowledged;  // looks that began later have its job, or it is gone
    int64_t minutes = 0;  // Slurm's limit as it shall be
    std::optional<Moment> started_at;
    bool ending_told = false;
    bool limit_due = false;
    std::optional<BootSpan> stop;
    std::optional<Moment> stop_asked, signal_at;
    std::optional<Moment> gone_since;     // no look since has its job
    std::optional<Moment> asked_wrapper;  // its question is this moment
    Moment answers_by;
    std::optional<int64_t> answered;  // the question that its wrapper has answered last
    std::optional<Job> last_job;      // what Slurm said of it last
    Moment asked_at;
    Moment look_at;                  // when its marks are read next
    std::optional<Moment> again_at;  // when it is handed over once more
  };
  struct Wall {
    PutWall put;
    WantedReservation wanted;  // by the name of the reservation that it stands as
    bool answered = true;      // one that an earlier daemon put is answered once it was looked at
  };
  using Parts = std::map<std::string, Part>;

  Moment Now() const { return clock_.Read().wall; }
  Ground GroundNow() const;

  // --- starting (keeper_start.cc)
  void Start(const StartPart& part);
  void HandOverNow(Part& part, bool make_folder);
  void Refuse(const PartNotStarted& refusal);
  void StartAgain(const StartPart& part);
  void Stop(const StopPart& command);
  void Limit(const LimitPart& command);
  // True if the part is over.
  bool StopBeforeStart(Part& part);
  const Job* JobOfToken(const std::string& token) const;
  void SignalStop(Part& part, Moment now);
  void RaiseLimit(Part& part);

  // --- what became of it (keeper_marks.cc)
  void Find(const std::string& token);
  void Forget(const std::string& token);
  void Read(const ReadOutput& command);
  // True if the part is over, and erased.
  bool TakeMarks(Part& part, const Marks& marks, Moment now);
  bool ReadMarks(Part& part, Moment now);
  bool OnJob(Part& part, const Job& job, Moment now);
  bool OnGone(Part& part, const Look& look, Moment now);
  // Whether a part that has begun goes on without a job of Slurm's; only its wrapper can tell.
  // None: it has not answered yet.
  std::optional<bool> GoesOn(Part& part, Moment now);
  void TellFound(Part& part);
  // Whether this look shows what became of a part that has begun: rows are read at once, and may be
  // older than its marks.
  static bool ShowsIt(const Part& part, const Look& look);
  void Began(Part& part, Moment at);
  // While nothing is seen, what has begun is taken to run.
  void AssumeRunning(Part& part, Moment now);
  bool End(Part& part, PartEnded ended);
  bool NeverStarted(Part& part, PartNotStarted refusal);
  bool LoseTrack(Part& part, const std::string& why);
  bool GiveUpUnstarted(Part& part, PartNotStarted refusal);

  // --- walls and settling (keeper_walls.cc)
  void PutWalls(const std::vector<PutWall>& puts);
  // A wall that is dropped stands as long as Slurm cleans up behind its job. Who wants its nodes
  // waits for that, a little while.
  bool WaitsForADrop(const PutWall& asked, const WantedReservation& wanted);
  void PutWaiting();
  void Refuse(const PutWall& put, const std::string& why, bool again);
  absl::StatusOr<WantedReservation> Shape(const PutWall& put);
  // What a wall was put over, which must be alone there: jobs of this site's, or walls that it is
  // to replace.
  struct Over {
    bool own_jobs = false;
    bool own_walls = false;
    std::string left =
        {};  // the reservation that it stood as, which is there until it is read back
  };
  // --- calls that change reservations (keeper_changes.cc)
  absl::Status CreateWall(const WantedReservation& wanted);
  absl::Status ChangeWall(const WantedReservation& wanted, bool begun);
  absl::Status DeleteWall(const std::string& wall);
  void Changed(const std::string& wall, const WantedReservation* now);
  // Of what was changed or read after this look began, what is known already.
  void KeepWhatIsNewer(Look& fresh);

  absl::StatusOr<Over> PutOne(const WantedReservation& wanted);
  // Changes what stands. `wanted` has the reservation's name afterwards.
  absl::StatusOr<Over> Replace(const Reservation& before, WantedReservation& wanted,
                               bool by_choice);
  std::optional<Over> MakeAnew(const Reservation& there, WantedReservation& wanted);
  bool LicencesAreFree(const WantedReservation& wanted, const std::vector<Job>& jobs) const;
  bool LocalJobsWait() const;
  const Reservation* StandsAs(const std::string& wall) const;
  void FindNames();
  struct Placed {
    PutWall put;
    Over over;
    std::optional<Wall> before;  // what stood under its name
  };
  using Refusals = std::vector<std::pair<PutWall, absl::Status>>;
  // Adds those that are not as asked to `refused`.
  void AnswerPuts(const std::vector<Placed>& puts, Refusals& refused);
  // The jobs of the last look, once more. False: the cluster was not reached.
  bool ReadJobs();
  void TellWhatIsThere();
  bool OnlyOwnJobsAreThere(const WantedReservation& wanted, const std::vector<Job>& jobs) const;
  static bool OnlyReplacedAreThere(const WantedReservation& wanted,
                                   const std::vector<Reservation>& rows);
  void Drop(const std::string& wall);
  void Delete(const std::string& reservation);
  void DropDue(Moment now);
  void Begin(const Reconcile& command);
  void SettleNow();
  void AnswerSettled(const Settlement& settlement);
  void Apply(const Known& known, const Settlement& settlement);
  Known KnownNow();
  void KillIntruders(const Look& look);
  // Whether it is so of the job that has this id now, by the controller itself: a look may be older
  // than a restart of one that gives ids out again.
  using Holds = std::function<bool(const Job&)>;
  bool IsNow(uint32_t job, const Holds& so);
  bool IsNowOf(uint32_t job, const std::string& token);
  // If it is so.
  void Kill(uint32_t job, const Holds& so);
  void AdmitNow();
  void Fail(const absl::Status& status);

  const SlurmOptions options_;
  TokenFolders folders_;
  const Cluster& cluster_;
  io::Clock& clock_;
  Surroundings to_;
  SeenOptions seen_options_;
  Seen seen_;
  Accounts accounts_;
  const Moment opened_;

  Parts parts_;                                // not over yet
  std::map<std::string, std::string> newest_;  // part's name -> its newest token
  std::map<std::string, Finding> verdicts_;    // of tokens without a folder
  std::map<std::string, Wall> walls_;          // by the name that they were asked for by
  std::map<std::string, Moment> drops_;        // walls to drop, and when next
  struct Waiting {
    PutWall put;
    Moment until;
  };
  std::map<std::string, Waiting> waiting_;  // by wall
  std::map<std::string, Moment> changed_;   // reservations, and when the controller had done it
  std::map<uint32_t, Moment> killed_;       // jobs, and when
  std::set<std::string> ours_;              // tokens of Reconcile
  bool reconciled_ = false;
  std::set<std::string> admitted_;
  std::optional<Look> look_;
  Moment jobs_read_at_;  // when its jobs were read without a look
  bool blind_ = false;
  bool settle_soon_ = false;
  Moment seen_at_, settle_at_, strays_at_, sweep_at_;
  Instant controller_started_;
};

}  // namespace muster::driver::slurm
