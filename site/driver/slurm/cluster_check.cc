// Each thing that a site needs is tried by itself, as it is used later.
#include "site/driver/slurm/cluster_check.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/io/system/clock.h"
#include "base/phrases.h"
#include "site/driver/accounts.h"
#include "site/driver/slurm/check_jobs.h"
#include "site/driver/slurm/cluster.h"
#include "site/driver/slurm/grants.h"
#include "site/driver/slurm/looker.h"
#include "site/driver/slurm/shapes.h"
#include "site/driver/slurm/token_folder.h"

namespace muster::driver::slurm {
namespace {

using Verdict = CheckLine::Verdict;

constexpr Span kFarAhead{300 * 86400};
constexpr Span kShort{600};
constexpr Span kSoonOver{30 * 86400};
constexpr size_t kShown = 8;
int64_t Total(const Facts& facts, const char* resource) {
  int64_t total = 0;
  for (const NodeFact& node : facts.nodes) total += node.resources.Get(resource);
  return total;
}

template <class Names>
std::string Listed(const Names& names) {
  std::string text;
  size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == kShown) return text + fmt::format(" and {} more", names.size() - kShown);
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

class Check {
 public:
  Check(const SlurmOptions& options, const std::function<void(const CheckLine&)>& say)
      : options_(options), say_(say), name_(kCheckPrefix + std::to_string(getpid())) {}

  void Run();

 private:
  void Good(const std::string& what, std::string said) {
    say_({Verdict::kGood, what, std::move(said), ""});
  }
  void Warn(const std::string& what, std::string said, std::string help) {
    say_({Verdict::kWarning, what, std::move(said), std::move(help)});
  }
  void Bad(const std::string& what, std::string said, std::string help) {
    say_({Verdict::kBad, what, std::move(said), std::move(help)});
  }

  bool Reach();
  void RemoveLeftovers();
  void Nodes();
  void Commons();
  void Scheduler();
  void Rights();
  void Reserve();
  void AccountsOfUsers();
  void TryAccount(const std::string& user, const std::optional<Account>& account);
  void SharedFolder();
  std::optional<Account> FirstAccount() const;
  void Promises();

  CheckJobs Jobs() const {
    return {
        {.options = options_, .seen = seen_, .cluster = *cluster_, .look = look_, .facts = facts_},
        name_};
  }

  const SlurmOptions& options_;
  const std::function<void(const CheckLine&)>& say_;
  const std::string name_;
  const std::unique_ptr<io::Clock> clock_ = io::SystemClock();
  std::optional<Cluster> cluster_;
  SeenOptions seen_;
  Look look_;
  Facts facts_;
};

void Check::Run() {
  if (!Reach()) return;
  RemoveLeftovers();
  Nodes();
  Commons();
  Scheduler();
  Rights();
  AccountsOfUsers();
  SharedFolder();
  Promises();
}

bool Check::Reach() {
  if (const absl::Status status = CheckOptions(options_); !status.ok()) {
    Bad("options", std::string(Text(status)), "see [slurm] of the configuration");
    return false;
  }
  auto cluster = Cluster::Open(options_.conf);
  if (!cluster.ok()) {
    Bad("cluster", std::string(Text(cluster.status())),
        "'scontrol ping' on this machine shows whether slurm.conf, munge and the controller work");
    return false;
  }
  cluster_ = *std::move(cluster);
  auto look = Looker(&*cluster_, clock_.get()).Next(Looker::Rows::kAlways, Looker::Depth::kAll);
  if (!look.ok()) {
    Bad("cluster", std::string(Text(look.status())), "'squeue' and 'sinfo' must work here");
    return false;
  }
  look_ = *std::move(look);
  Good("cluster",
       fmt::format("'{}', Slurm {}, {} jobs", look_.settings.cluster, look_.settings.version,
                   std::count_if(look_.jobs.begin(), look_.jobs.end(),
                                 [](const Job& job) { return job.state != JobState::kEnded; })));
  seen_ = SeenOptionsOf(options_);
  if (const absl::Status status = CheckNamed(options_, seen_, look_); !status.ok()) {
    Bad("names", std::string(Text(status)),
        "'scontrol show partition' and 'scontrol show reservation' list what there is");
    return false;
  }
  facts_ = FactsFrom(options_, seen_, look_);
  return true;
}

void Check::RemoveLeftovers() {
  for (const Job& job : look_.jobs) {
    if (IsOfCheck(job) && job.state != JobState::kEnded)
      cluster_->Signal(job.id, SIGKILL, Cluster::To::kWholeJob).IgnoreError();
  }
  for (const Reservation& reservation : look_.reservations) {
    if (reservation.name.starts_with(kCheckPrefix))
      cluster_->Delete(reservation.name).IgnoreError();
  }
}

void Check::Nodes() {
  if (facts_.nodes.empty()) {
    Bad("nodes", "none in its partitions", "[slurm] partitions names some that are up");
    return;
  }
  const int64_t gpus = Total(facts_, "ngpus");
  Good("nodes",
       fmt::format("{}, {} cpus{}", Counted(facts_.nodes.size(), "node"), Total(facts_, "ncpus"),
                   gpus > 0 ? fmt::format(", {} gpus", gpus) : std::string()));
  if (!facts_.jobwide.empty()) {
    Good("licences",
         ToText(facts_.jobwide) +
             (options_.walls == SlurmWalls::kEach ? ", kept by the reservation of who asks for one"
              : options_.walls == SlurmWalls::kCommons ? ", of the commons"
                                                       : ", unless your users are faster"));
  }
  std::set<std::string> own;
  for (const NodeFact& node : facts_.nodes) own.insert(node.name);
  for (const Node& node : look_.nodes) {
    if (!own.contains(node.name) || node.state == NodeState::kUsable) continue;
    Warn("nodes",
         fmt::format("{} is {}{}", node.name, node.state == NodeState::kDown ? "down" : "drained",
                     node.why.empty() ? "" : ": " + node.why),
         "it is out of use until Slurm uses it again");
  }
}

void Check::Commons() {
  for (const Reservation& reservation : look_.reservations) {
    if (!seen_.commons.contains(reservation.name)) continue;
    std::set<std::string> nodes, others;
    for (const ReservedNode& node : reservation.nodes) nodes.insert(node.node);
    for (const std::string& user : reservation.users) {
      if (user != "root") others.insert(user);
    }
    Good("commons", fmt::format("reservation {}: {}", reservation.name, Listed(nodes)));
    if (reservation.when.end < look_.at.Floor() + kSoonOver) {
      Warn("commons", reservation.name + " ends within 30 days",
           "scontrol update Reservation=" + reservation.name +
               " Duration=UNLIMITED, which Slurm takes to be a year");
    }
    if (!others.empty() && options_.strict) {
      Warn("commons",
           fmt::format("{} may submit into {} themselves, and such jobs are killed", Listed(others),
                       reservation.name),
           "Users=root; the site lets in those whose parts it starts");
    }
  }
  for (const Partition& partition : look_.partitions) {
    if (!seen_.commons_partitions.contains(partition.name)) continue;
    Good("commons", fmt::format("partition {}: {}", partition.name, Listed(partition.nodes)));
    if (!partition.up)
      Bad("commons", "partition " + partition.name + " is not up", "scontrol update State=UP");
    if (!partition.allowed_hosts.empty()) continue;
    Warn("commons",
         fmt::format("everybody may submit into partition {}{}", partition.name,
                     options_.strict ? ", and such jobs are killed" : ""),
         "AllocNodes=HOST of the partition, with the host of this daemon, keeps others out");
  }
}

void Check::Scheduler() {
  const std::string& parameters = look_.settings.scheduler_parameters;
  Good("scheduler", fmt::format("parts are handed over {} s early{}; a 'lead' of {} s is needed",
                                facts_.start_ahead.seconds,
                                options_.start_ahead ? ", as configured"
                                : parameters.empty() ? ", as without SchedulerParameters"
                                                     : ", by its SchedulerParameters",
                                facts_.LeastLead().seconds));
}

void Check::Rights() {
  if (options_.walls == SlurmWalls::kEach) return Reserve();
  if (options_.walls == SlurmWalls::kNone) {
    return Good("rights", "none are needed: nothing is reserved");
  }
  for (const Reservation& reservation : look_.reservations) {
    if (!seen_.commons.contains(reservation.name)) continue;
    const absl::Status status = cluster_->SetUsers(reservation.name, reservation.users);
    if (status.ok()) {
      Good("rights", "may change who enters " + reservation.name);
    } else {
      Bad("rights", std::string(Text(status)), "run the daemon as SlurmUser, or as root");
    }
  }
  if (seen_.commons.empty()) Good("rights", "none are needed: a partition is the commons");
}

void Check::Reserve() {
  if (facts_.nodes.empty()) return;
  const Instant begin = look_.at.Floor() + kFarAhead;
  WantedReservation wanted{.name = name_, .when = {begin, begin + kShort}};
  wanted.nodes = {{.node = facts_.nodes.front().name}};
  wanted.users = {"root"};
  constexpr char kHelp[] = "run the daemon as SlurmUser, as root, or as an operator of the cluster";
  if (const absl::Status status = cluster_->Create(wanted); !status.ok()) {
    return Bad("rights", std::string(Text(status)), kHelp);
  }
  const auto there = cluster_->ReservationsSince(0);
  bool as_asked = false;
  if (there.ok() && there->has_value()) {
    for (const Reservation& reservation : (*there)->rows) {
      as_asked = as_asked ||
                 (reservation.name == name_ && IsAsAsked(reservation, wanted, look_.at.Floor()));
    }
  }
  const absl::Status deleted = cluster_->Delete(name_);
  if (!as_asked) return Bad("rights", "a reservation is not as it was asked for", kHelp);
  if (!deleted.ok()) return Bad("rights", std::string(Text(deleted)), kHelp);
  Good("rights", "may reserve nodes, read back and deleted");
}

void Check::AccountsOfUsers() {
  Accounts accounts(options_.accounts);
  if (options_.accounts.empty()) return TryAccount("*", std::nullopt);
  for (const auto& [user, name] : options_.accounts) {
    if (name == "deny") continue;
    auto account = accounts.Of(user);
    if (!account.ok()) {
      Bad("account", std::string(Text(account.status())),
          "[federation] users maps users to accounts that this machine and the cluster know");
      continue;
    }
    TryAccount(user, *account);
  }
}

void Check::TryAccount(const std::string& user, const std::optional<Account>& account) {
  const std::string who =
      fmt::format("{} as {}", user == "*" ? "others" : user,
                  account ? fmt::format("{} (uid {})", account->name, account->uid)
                          : "the daemon's own account");
  const std::string node = Jobs().FreeNode();
  if (node.empty()) return Warn("account", who + ": not tried, as no node is in use", "");
  const CheckJobs::Taken taken = Jobs().TryAccount(node, account);
  if (!taken.status.ok()) {
    return Bad("account", fmt::format("{}: {}", who, Text(taken.status)),
               "the account must be one of the cluster, and may use " +
                   (taken.partition.empty() ? "its partitions" : "partition " + taken.partition));
  }
  Good("account", who + ": may submit");
}

void Check::SharedFolder() {
  constexpr char kWhat[] = "shared folder";
  const auto folders = TokenFolders::Open(options_.shared_folder);
  if (!folders.ok()) {
    return Bad(kWhat, std::string(Text(folders.status())),
               "a folder that this machine and all nodes see, and where hard links can be made");
  }
  const std::string node = Jobs().FreeNode();
  if (node.empty()) return Warn(kWhat, "not tried from a node: none is in use", "");
  const std::string folder = folders->FolderOf("." + name_);
  const CheckJobs::Answer answer = Jobs().AskFromNode(node, FirstAccount(), folder, *clock_);
  using Kind = CheckJobs::Answer::Kind;
  switch (answer.kind) {
    case Kind::kSeen:
      Good(kWhat, fmt::format("{} is seen on {}, which made a hard link in it",
                              options_.shared_folder, node));
      return Good("start",
                  fmt::format("a job began {:.1f} s after it was handed over", answer.after_s));
    case Kind::kNotTaken:
      return Bad(kWhat, std::string(Text(answer.status)), "a job of a minute must run");
    case Kind::kCannotWrite:
      return Bad(kWhat, "cannot write " + folder, "accounts may make folders there");
    case Kind::kNoAnswer:
      return Bad(kWhat,
                 fmt::format("a job on {} ended, and {} has no answer of it", node,
                             options_.shared_folder),
                 "the same path must lead to the same folder on every node");
    case Kind::kNotBegun:
      return Warn(kWhat,
                  fmt::format("not tried from a node: no job began on {} within {} s", node,
                              kCheckPatienceS),
                  "try again when the node is free");
  }
}

// The first one that parts run as: root may be squashed.
std::optional<Account> Check::FirstAccount() const {
  Accounts accounts(options_.accounts);
  for (const auto& [user, name] : options_.accounts) {
    if (auto of = accounts.Of(user); of.ok() && name != "deny") return *of;
  }
  return std::nullopt;
}

void Check::Promises() {
  const size_t nodes =
      options_.walls == SlurmWalls::kCommons ? CommonsOf(look_, seen_).size() : facts_.nodes.size();
  switch (options_.walls) {
    case SlurmWalls::kCommons:
      return Good("promises", fmt::format("firm, on {} set aside", Counted(nodes, "node")));
    case SlurmWalls::kEach:
      return Good("promises", fmt::format("firm, on {}, by at most {} reservations at a time",
                                          Counted(nodes, "node"), options_.most_walls));
    case SlurmWalls::kNone:
      return Warn("promises", "none: starts are bounds, as jobs of others may come first",
                  "walls = \"each\", or a commons");
  }
}

}  // namespace

void CheckCluster(const SlurmOptions& options, const std::function<void(const CheckLine&)>& say) {
  Check(options, say).Run();
}

}  // namespace muster::driver::slurm
