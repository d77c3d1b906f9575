// The batch system of a simulated machine that is shared: users who submit to it without muster,
// its operator, the walls that it keeps for muster, and the times at which it does not answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "base/resources.h"
#include "base/time.h"
#include "site/driver/driver.h"

namespace muster::driver {

// What is of the machine as a whole, as licences are, is kept like what is of a node of this name.
inline constexpr char kWholeMachine[] = "";

// One of its nodes. Nobody but muster uses one in the commons.
struct OutsiderNode {
  std::string name;
  ResourceSet resources;
  bool commons = false;
};

// A job of somebody else.
struct OutsiderJob {
  std::string user;
  uint32_t nodes = 1;
  ResourceSet each;     // on each of its nodes
  ResourceSet jobwide;  // of the machine
  Span limit;           // what it asks for
  BootSpan runs;        // what it takes; it may be longer than its limit
};

// What its users and its operator do, and what befalls it.
struct OutsiderAct {
  enum class Kind : uint8_t {
    kSubmit,
    kCancel,    // the oldest job that runs
    kNodeDown,  // what runs on `node` goes on; nothing more starts there
    kNodeUp,
    kTakeWall,  // the operator deletes the first wall that stands
    kRefuse,    // the next wall that is asked for is refused
    kBlind,     // it answers nothing, and what it is told waits
    kSee
  };
  BootInstant at;
  Kind kind = Kind::kSubmit;
  OutsiderJob job = {};
  std::string node = {};
};

struct OutsiderSettings {
  std::vector<OutsiderNode> nodes;
  ResourceSet jobwide;            // of the machine: Facts::jobwide
  BootSpan wall_takes;            // from PutWall to its answer
  std::vector<OutsiderAct> acts;  // ascending
};

// A copyable value without a clock. It plans the jobs of its users in the order in which they came,
// each as early as it can without delaying those before, and keeps them off walls and commons.
class Outsiders {
 public:
  explicit Outsiders(OutsiderSettings settings);

  // What muster's parts have on each node, without those behind a wall that stands.
  using Ours = std::map<std::string, ResourceSet>;

  // Carries out what is due up to `now`. REQUIRES: time never goes back.
  void Advance(Now now, const Ours& ours);
  // When something is due next; none: nothing unless it is told something.
  std::optional<BootInstant> Next() const;
  // Plans anew: muster's parts have changed.
  void OursChanged(const Ours& ours);

  void Do(const PutWall& command);
  void Do(const DropWall& command);
  void Do(const Reconcile& command);
  bool blind() const { return blind_; }
  std::vector<Event> Take() { return std::exchange(outbox_, {}); }
  bool HasEvents() const { return !outbox_.empty(); }
  // The daemon is gone; the next one is told everything.
  void CrashDaemon();
  // Nobody submits any more, nothing befalls it, and what runs takes as long as it asked for.
  void Settle();

  // What a place has of each of its nodes; an entry without resources is for all of its node. And
  // what it has of the machine.
  std::map<std::string, ResourceSet> OnNodes(const schemas::PartPlace& place,
                                             const ResourceSet& jobwide) const;
  // What its users have of the node now.
  ResourceSet TakenOn(const std::string& node) const;
  ResourceSet Has(const std::string& node) const;  // what the node has in all
  bool InCommons(const std::string& node) const;
  // Whether this wall stands and keeps its nodes then.
  bool IsWalled(const std::string& wall, Moment at) const;
  // Walls that stand, by name.
  const std::map<std::string, PutWall>& walls() const { return walls_; }

 private:
  struct Job {
    OutsiderJob asks;
    std::vector<std::string> nodes;   // where it runs, or is planned to
    Instant start;                    // likewise
    std::optional<BootInstant> ends;  // set while it runs
    BootInstant looked;               // of one beyond its limit: since when it has its present end
  };
  struct Taken {
    std::string node;
    ResourceSet amounts;
    Interval when;
  };
  struct Asked {
    BootInstant due;
    PutWall put;
    bool heard = true;  // the daemon that asked lives
  };

  const OutsiderNode* Find(const std::string& node) const;
  void Act(const OutsiderAct& act);
  void Answer(const Asked& asked);
  bool IsAsAsked(const Interval& stands, const Interval& asked) const;
  void EndJobs();
  void Plan();
  void Tell();
  Interval WhenOf(const Job& job) const;
  // Without these walls.
  std::vector<Taken> TakenNow(const std::set<std::string>& without) const;
  bool Fits(const std::string& node, const ResourceSet& amounts, const Interval& when,
            const std::vector<Taken>& taken) const;
  std::map<uint64_t, OutsideBooking> Bookings() const;
  OutsideNode NodeToTell(const std::string& name) const;
  Moment WallAt(BootInstant at) const;

  OutsiderSettings settings_;
  OutsiderNode whole_;
  size_t acted_ = 0;
  Now now_;
  Ours ours_;
  uint64_t next_key_ = 1;
  std::map<uint64_t, Job> jobs_;  // by key, in the order in which they came
  std::set<std::string> down_;
  std::map<std::string, PutWall> walls_;
  std::vector<Asked> asked_;
  std::vector<Command> waits_;  // told while it was blind
  bool blind_ = false;
  bool refuses_ = false;
  bool told_all_ = false;
  bool sees_again_ = false;  // to be told, behind everything
  std::map<uint64_t, OutsideBooking> told_;
  std::map<std::string, OutsideNode> told_nodes_;
  std::vector<Event> outbox_;
};

}  // namespace muster::driver
