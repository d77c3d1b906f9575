// One seed determines everything: workload, network, crashes, cuts and the fate of the parts.
#include "sim/campaign.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "base/check.h"
#include "base/text/node_set.h"
#include "schemas/canonical.h"
#include "sim/again/world_turns.h"
#include "sim/operator_workload.h"
#include "sim/outside_draws.h"
#include "sim/policy_draws.h"
#include "sim/workload.h"
#include "site/machine/layout.h"

namespace muster::sim {
namespace {

site::Options SmallSite(const std::string& name, int nodes, int64_t gpus, uint16_t first_port) {
  site::Options site;
  site.name = name;
  site.boot_id = "boot-1";
  site.driver = "simulated";
  site.facts.turnover = {1};
  site.facts.start_slack = {1};
  for (int n = 1; n <= nodes; ++n) {
    site::Node node{.name = "n" + std::to_string(n),
                    .resources = {{"ncpus", 4}, {"mem", int64_t{8} << 30}}};
    if (gpus > 0) node.resources.Set("ngpus", gpus);
    site.nodes.push_back(std::move(node));
  }
  site.first_port = first_port;
  site.last_port = static_cast<uint16_t>(first_port + 999);
  return site;
}

// Adds every kind of rule. None of them alone forbids a request of this workload.
void AddRules(site::Options& site) {
  site.rules.jobwide = {{"licences", 2}};
  rules::Limit cpus{.resource = "ncpus"};
  cpus.items.items = site.nodes.size() > 2 ? 13 : 8;
  rules::Limit jobs{.resource = rules::kJobs};
  jobs.items.items = 5;
  rules::Limit area{.resource = "ncpus"};
  area.area = 2000;
  area.soft = true;
  site.rules.limits = {cpus, jobs, area};
  rules::Pool quick{.name = "quick", .resource = "ncpus"};
  quick.keep.items = 2;
  quick.open_to = Condition({.subject = Comparison::Subject::kDuration,
                             .op = Comparison::Operator::kLess,
                             .numbers = {20}});
  site.rules.pools = {quick};
  site.rules.federation_percent = 90;
}

// Time-out for unconfirmed starts and for processes that do not end; shorter than the default.
constexpr Span kTimeOut{6};
// Jobs here last about a minute, so a move to another site needs less gain and is tried more often
// than by default.
constexpr meta::RechoiceOptions kRechoice{.least_gain = Span{10}, .every = Seconds(5)};
// First message number of the operator who tunes the scheduler. It keeps these numbers apart from
// those of other messages.
constexpr uint64_t kTunings = uint64_t{1} << 32;
constexpr int kAlterationsAtOnce = 3;
constexpr int64_t kHours = 60;  // factor on the longest duration: 90 min instead of 90 s
// After the faults end, all nodes are resumed in two rounds. The first waits until the last drain
// has arrived. The second covers drains that were repeated later because the meta or the site was
// down.
constexpr BootSpan kUnderWay = Seconds(2);
constexpr BootSpan kSaidAgain = Seconds(60);

// Adds queues, malleable jobs, notices, switches and users of the sites themselves.
void AddMoves(WorldOptions& world, WorkloadOptions& workload, Random& random) {
  world.meta.queues = {{"high", 4}, {"normal", 1}};
  workload.queues = {"high", "normal"};
  workload.malleable = 300;
  workload.noticed = 200;
  workload.interactive = 150;
  workload.grouped = 100;
  for (site::Options& site : world.sites) {
    site.allocate_timeout = site.release_timeout = kTimeOut;
    site.users = {{"bo", false, {}}};
    site.switches = {{"s1", {"n1", "n2"}, {}}, {"s2", {"n3", "n4"}, {}}, {"top", {}, {"s1", "s2"}}};
    const WorkloadOptions own{.requests = 6, .co_allocated = 0};
    world.local_clients[site.name].emplace_back("bo", DrawWorkload(own, random));
  }
}

// Makes hills a torus, lakes a mesh with two I/O links and woods a hypercube. Units have no
// switches.
void AddShapes(WorldOptions& world, WorkloadOptions& workload) {
  const Layouts layouts = {
      {"hills", {.kind = machine::Kind::kTorus, .sides = {3, 2, 1}}},
      {"lakes", {.kind = machine::Kind::kMesh, .sides = {3, 2}, .links = {0, 2}}},
      {"woods", {.kind = machine::Kind::kHypercube, .sides = {2}}},
  };
  workload.grouped = 0;
  for (site::Options& site : world.sites) {
    const machine::Layout& layout = layouts.at(site.name);
    while (site.nodes.size() < machine::UnitsOf(layout)) {
      site::Node unit = site.nodes.back();
      unit.name = "n" + std::to_string(site.nodes.size() + 1);
      site.nodes.push_back(std::move(unit));
    }
    site.switches.clear();
    site.units = {.geometry = machine::MakeGeometry(layout),
                  .nodes = {},
                  .waste_percent = layout.waste_percent};
    for (const site::Node& node : site.nodes) site.units.nodes.push_back(node.name);
  }
  world.layouts = layouts;
}

// Each site has nodes of several speeds in two racks; in half of the runs one of them chooses a set
// itself.
void AddSets(uint64_t seed, WorldOptions& world, WorkloadOptions& workload) {
  workload.sets = 500;
  Random random(seed ^ 0x73657473);
  constexpr std::array<int64_t, 5> kSpeeds = {500, 800, 900, 1000, 1250};
  for (site::Options& site : world.sites) {
    for (site::Node& node : site.nodes) {
      node.speed = kSpeeds[random.Below(kSpeeds.size())];
      node.properties["rack"] = random.Chance(500) ? "a" : "b";
    }
    if (!random.Chance(200)) continue;
    site.node_set = text::ParseNodeSet("speed~20%:oneof:best:wait=10s").value();
    site.node_set_forced = random.Chance(300);
  }
}

// Draws the fate of a part: most end early, a tenth run until their walltime, some fail, a few
// cannot start.
driver::SimulatedFate DrawFate(const driver::StartPart& part, const CampaignOptions& options) {
  const uint64_t seed = options.seed;
  const Digest name = schemas::Hash(part.part_name);
  Random random(seed ^
                (uint64_t{name.bytes[0]} << 16 | uint64_t{name.bytes[1]} << 8 | name.bytes[2]));
  driver::SimulatedFate fate;
  fate.start_delay = Milliseconds(random.Between(0, 300));
  const int64_t wall_ms = part.walltime.seconds * 1000;
  if (!random.Chance(100)) fate.runs = Milliseconds(random.Between(wall_ms / 4, wall_ms));
  if (random.Chance(50)) fate.exit_code = 3;
  if (random.Chance(30)) fate.cannot_start = "no such account";
  if (options.calm) fate.cannot_start.clear();
  if (options.lent && random.Chance(500)) fate.term_code = schemas::kSavedStatus;
  if (!options.moves) return fate;
  // These delays exceed the site's time-outs. They depend on the token, so another try may do
  // better.
  const Digest token = schemas::Hash(part.token);
  Random of_try(seed ^ (uint64_t{token.bytes[0]} << 8 | token.bytes[1]));
  if (of_try.Chance(50)) fate.start_delay = Seconds(of_try.Between(7, 15));
  if (of_try.Chance(70)) fate.after_kill = Seconds(of_try.Between(7, 40));
  return fate;
}

NetworkFaults NetworkOf(FaultKind kind) {
  if (kind == FaultKind::kLost || kind == FaultKind::kAll) {
    return {.delay_low = Milliseconds(1),
            .delay_high = Milliseconds(400),
            .loss = 30,
            .duplication = 20};
  }
  return {.delay_low = Milliseconds(1), .delay_high = Milliseconds(5)};
}

// An operator pins a packing, unpins it, or changes the weights of the queues.
void OperatorTunes(World& world, Random& random, uint64_t number) {
  constexpr const char* kPackings[] = {"auto", "auto",  "fcfs", "fcfs*",
                                       "ffdh", "ffdh*", "ffih", "ffih*"};
  schemas::Act act{.verb = schemas::ActVerb::kSchedule};
  act.scheduler.emplace();
  if (random.Chance(700)) {
    act.scheduler->packing = kPackings[random.Below(std::size(kPackings))];
  } else {
    act.scheduler->orders = {{"high", random.Between(1, 8)}, {"normal", random.Between(1, 8)}};
  }
  schemas::ClientMessage message{.number = {number}};
  message.body = std::move(act);
  world.Say("root", message);
}

// Changes the requests so that they exclude `site` and have no more parts than there are other
// sites.
void KeepAwayFrom(const std::string& site, std::vector<PlannedRequest>& plan) {
  for (PlannedRequest& planned : plan) {
    constexpr size_t kOtherSites = 2;
    std::vector<schemas::PartSpec>& parts = planned.spec.parts;
    if (parts.size() > kOtherSites) parts.resize(kOtherSites);
    for (schemas::PartSpec& part : parts) part.not_sites = {site};
  }
}

// True if the request has neither ended, nor is running, nor is promised a future start. A future
// promise is allowed because with fewer sites some requests wait longer than a campaign lasts.
bool Stalled(const schemas::RequestRecord& request, Moment now) {
  using schemas::RequestState;
  if (request.state == RequestState::kEnded || request.state == RequestState::kStarting ||
      request.state == RequestState::kRunning) {
    return false;
  }
  if (request.state != RequestState::kPromised || request.history.empty()) return true;
  const auto& told = request.history.back().figures.starts_by;
  return !told || told->at < now.Floor();
}

// For error messages: the request's attempt, as --trace takes it, and its last event.
std::string LastKnown(const schemas::RequestRecord& request) {
  std::string out = request.attempt ? "; attempt " + ToText(*request.attempt) : "; no attempt";
  if (!request.events.empty()) {
    out += "; last " + request.events.back().code + " " + request.events.back().text + " at " +
           std::to_string(request.events.back().at.milliseconds) + " ms";
  }
  return out;
}

}  // namespace

std::optional<FaultKind> ParseFaultKind(const std::string& text) {
  for (FaultKind kind : {FaultKind::kNone, FaultKind::kLost, FaultKind::kCrash, FaultKind::kAll}) {
    if (ToText(kind) == text) return kind;
  }
  return std::nullopt;
}

std::string ToText(FaultKind kind) {
  constexpr const char* kNames[] = {"none", "lost", "crash", "all"};
  return kNames[static_cast<int>(kind)];
}

WorldOptions SmallFederation(uint64_t seed) {
  WorldOptions options;
  options.seed = seed;
  options.sites = {SmallSite("hills", 2, 1, 23000), SmallSite("lakes", 4, 0, 21000),
                   SmallSite("woods", 4, 0, 22000)};
  options.meta.federation = "small";
  options.meta.sites = {"hills", "lakes", "woods"};
  options.meta.users = {{.name = "kim"}, {.name = "ana"}, {.name = "root", .is_operator = true}};
  options.meta.values.lead = Seconds(2);
  options.meta.values.start_wait = Seconds(10);
  options.meta.values.permit_window = Seconds(6);
  options.meta.seed = seed;
  return options;
}

CampaignResult RunCampaign(const CampaignOptions& options) {
  const bool disturbed = options.faults != FaultKind::kNone || options.crash_at ||
                         !options.bad_site.empty() || options.drains || options.moves ||
                         options.threshold;
  MUSTER_CHECK(!options.calm || !disturbed);
  MUSTER_CHECK(!options.sets || !options.shapes);
  Random random(options.seed);
  WorldOptions world_options = SmallFederation(options.seed);
  world_options.network = NetworkOf(options.faults);
  world_options.rebuild_every = options.rebuild_every;
  world_options.crash_at = options.crash_at;
  world_options.trace = options.trace;
  world_options.story = options.story;
  world_options.calm = options.calm;
  world_options.idle = options.idle;
  const bool crashes = options.faults == FaultKind::kCrash || options.faults == FaultKind::kAll;
  if (crashes && !options.crash_at) world_options.crash_of_10000 = 15;
  if (options.reloads) world_options.reload_of_10000 = 30;
  world_options.meta.threshold = options.threshold;
  world_options.meta.rechoice = kRechoice;
  WorkloadOptions workload{.requests = options.requests};
  if (options.threshold) {
    // Block shares, caps and rounds matter only with full queues, so there are two queues, and
    // small blocks in half of the runs.
    world_options.meta.queues = {{"high", 4}, {"normal", 1}};
    world_options.meta.block_max = random.Chance(500) ? 4 : 1000;
    workload.queues = {"high", "normal"};
    workload.firm = 100;
  }
  if (options.reservations) workload.reserved = 120;
  if (options.rules) {
    workload.jobwide = 200;
    for (site::Options& site : world_options.sites) AddRules(site);
  }
  if (options.moves) AddMoves(world_options, workload, random);
  if (options.shapes) AddShapes(world_options, workload);
  if (options.sets) AddSets(options.seed, world_options, workload);
  if (options.speeds) {
    world_options.meta.terms = {{"hills", {.speed = 1500, .cost = 2}}, {"woods", {.speed = 700}}};
  }
  Random policy(options.seed ^ 0x706f696e74);
  Random credentials(options.seed ^ 0x63726564);
  if (options.policy) {
    world_options.meta.priority = DrawPoints(policy);
    world_options.meta.fairshare = DrawShares(policy, credentials);
    world_options.meta.credentials = DrawCredentials(credentials);
    world_options.meta.users[0].groups = {"g"};
    DrawHomes(options.seed, world_options.meta);
    for (site::Options& site : world_options.sites) {
      if (options.rules) AddCredentialRules(site);
    }
  }
  Random tables(options.seed ^ 0x7461626c);
  for (site::Options& site : world_options.sites) {
    if (options.policy && tables.Chance(700)) DrawSiteTables(tables, site);
  }
  Random lent(options.seed ^ 0x6c656e74);
  if (options.lent) DrawLoans(lent, world_options.meta, world_options.sites);
  Random beyond(options.seed ^ 0x6265796f);
  if (options.policy && options.lent) DrawBeyondBalance(beyond, world_options.sites);
  Random waits(options.seed ^ 0x6d61726b);
  if (options.policy && options.lent) DrawWhoWaits(waits, world_options.sites);
  Random pauses(options.seed ^ 0x73757370);
  const bool suspends = options.lent && pauses.Chance(500);
  if (suspends) DrawSuspends(pauses, world_options.meta.credentials);
  Random bank(options.seed ^ 0x62616e6b);
  const bool charges = options.policy && options.bad_site.empty() && bank.Chance(500);
  if (charges) DrawBank(bank, world_options.meta);
  Random limits(options.seed ^ 0x6c696d6974);
  if (options.policy && options.bad_site.empty() && limits.Chance(400)) {
    DrawLimits(limits, world_options.meta);
  }
  if (options.hours) workload.longest_s *= kHours;
  std::vector<PlannedRequest> plan = DrawWorkload(workload, random);
  for (size_t i = 0; options.threshold && i < plan.size(); i += 3) {
    plan[i].spec.request_class = schemas::RequestClass::kInteractive;
  }
  if (options.policy && options.bad_site.empty()) {
    const WorkloadOptions others{.requests = options.requests / 2, .queues = workload.queues};
    std::vector<PlannedRequest> of_ana = DrawWorkload(others, policy);
    NameCredentials(of_ana, credentials);
    NameCredentials(plan, credentials);
    if (suspends) {
      AddMemory(pauses, plan);
      AddMemory(pauses, of_ana);
    }
    world_options.clients.emplace_back("ana", std::move(of_ana));
  }
  if (!options.bad_site.empty()) {
    KeepAwayFrom(options.bad_site, plan);
    if (options.lies) world_options.byzantine = options.bad_site;
    WorkloadOptions others{.requests = options.requests / 2};
    world_options.clients.emplace_back("ana", DrawWorkload(others, random));
  }
  world_options.clients.emplace_back("kim", std::move(plan));
  std::map<std::string, driver::OutsiderSettings> outside;
  for (site::Options& site : world_options.sites) {
    if (!options.outside) continue;
    const BootInstant until = BootInstant{1000} + options.busy;
    outside[site.name] = DrawOutside(options.seed, site, until, options.calm);
    world_options.meta.values.lead = kLeadThere;
  }
  TurnsOfWorld turns(world_options);
  if (options.again) world_options.record = turns.Recorder();
  meta::Options reread = world_options.meta;
  World world(std::move(world_options));
  for (const char* site : {"hills", "lakes", "woods"}) {
    world.Machine(site) = driver::SimulatedMachine(
        [&](const driver::StartPart& part) { return DrawFate(part, options); });
    const auto shared = outside.find(site);
    if (shared != outside.end()) world.Machine(site).Share(std::move(shared->second));
  }

  OperatorWorkload operators(options.seed ^ 0x647261696e);
  OperatorWorkload owners(options.seed ^ 0x616c746572);
  OperatorWorkload treasurers(options.seed ^ 0x62616e6c);
  OperatorWorkload neighbours(options.seed ^ 0x6c6f63616c);  // users of the sites themselves
  Random tuning(options.seed ^ 0x74756e65);
  uint64_t tuned = kTunings;
  ToldDraws told(options.seed ^ 0x746f6c64, workload);
  Random looks(options.seed ^ 0x6c6f6f6b);
  const BootInstant busy_until = world.now() + options.busy;
  while (world.now() < busy_until) {
    if (options.faults == FaultKind::kAll && random.Chance(200)) {
      constexpr const char* kSites[] = {"hills", "lakes", "woods"};
      const std::string site = kSites[random.Below(3)];
      world.Cut("meta", site);
      world.Run(world.now() + Milliseconds(random.Between(500, 25000)));
      world.Heal("meta", site);
    }
    if (options.drains && operators.Act(400)) operators.DrainOrResume(world);
    for (int n = 0; options.moves && n < kAlterationsAtOnce; ++n) {
      if (owners.Act(700)) owners.Alter(world);
    }
    if (options.moves && options.neighbours && neighbours.Act(700)) neighbours.AlterAtSite(world);
    // With the turns recorded the configuration stays as it was.
    if (options.policy && !options.again && policy.Chance(100)) {
      reread.priority.reset();
      if (policy.Chance(800)) reread.priority = DrawPoints(policy);
      // Where work is charged, prices and overdrafts stay.
      if (!charges && credentials.Chance(500)) {
        reread.credentials = DrawCredentials(credentials);
        if (options.lent) DrawRecall(lent, reread.credentials);
        if (suspends) DrawSuspends(pauses, reread.credentials);
      }
      world.Reconfigure(reread);
    }
    if (charges && treasurers.Act(400)) treasurers.Post(world);
    if (options.threshold && tuning.Chance(100)) OperatorTunes(world, tuning, ++tuned);
    world.Run(world.now() + Seconds(5));
    if (options.told > 0 && looks.Chance(options.told)) told.Look(world);
  }
  world.Calm();
  if (charges) {
    world.Run(world.now() + kUnderWay);
    treasurers.GrantAll(world);
  }
  if (options.drains) {
    for (const BootSpan wait : {kUnderWay, kSaidAgain}) {
      world.Run(world.now() + wait);
      operators.ResumeAll(world);
    }
  }
  world.Run(world.now() + options.settle);
  world.Finish(!options.hours);

  CampaignResult result;
  result.told = told.counts();
  result.told_wrong = told.wrong();
  result.counts = world.counts();
  result.path_counts = world.Counted();
  result.idle = world.Idle();
  result.violations = world.Violations();
  for (std::string& difference : turns.Differences()) {
    result.violations.push_back(std::move(difference));
  }
  const std::vector<schemas::RequestRecord> requests = world.meta()->Requests();
  // arrays with an element that has not ended; the element is judged instead
  std::set<RequestId> arrays;
  for (const schemas::RequestRecord& request : requests) {
    if (request.id.is_element() && request.state != schemas::RequestState::kEnded) {
      arrays.insert(request.id.array());
    }
  }
  for (const schemas::RequestRecord& request : requests) {
    const bool apart = !options.bad_site.empty() && request.requester.user == "kim";
    if (apart) ++result.apart;
    if (apart && !arrays.contains(request.id) && Stalled(request, world.Wall())) {
      ++result.apart_open;
      result.violations.push_back(
          "G8: request " + ToText(request.id) + ", apart from " + options.bad_site +
          ", is open in state " + std::to_string(static_cast<int>(request.state)) + ": " +
          (request.reason ? request.reason->text : "no reason") + LastKnown(request));
    }
    // An array counts as one submission, whatever its elements.
    if (!request.id.is_element()) ++result.acknowledged;
    if (request.outcome == schemas::Outcome::kDone) ++result.ended_well;
  }
  for (const Client& client : world.clients()) {
    result.refused += client.refusals().size();
    if (!client.Settled()) result.violations.push_back("G3: a submission was never answered");
  }
  result.digest = ToHex(world.Events());
  return result;
}

std::optional<IdleKinds> ParseIdleKinds(const std::string& text) {
  if (text == "all") return kAllIdleKinds;
  if (text == "none") return IdleKinds();
  IdleKinds out;
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) {
    const auto kind = std::find_if(kAllIdleKinds.begin(), kAllIdleKinds.end(),
                                   [&](IdleKind one) { return ToText(one) == name; });
    if (kind == kAllIdleKinds.end()) return std::nullopt;
    out.insert(*kind);
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

std::string ToText(const IdleKinds& kinds) {
  if (kinds.empty()) return "none";
  if (kinds == kAllIdleKinds) return "all";
  std::string out;
  for (const IdleKind kind : kinds) out += (out.empty() ? "" : ",") + ToText(kind);
  return out;
}

std::string ReplayCommand(const CampaignOptions& options) {
  std::string command = "./dev sim world --seed " + std::to_string(options.seed) + " --faults " +
                        ToText(options.faults) + " --requests " + std::to_string(options.requests);
  if (options.threshold) {
    command += " --threshold " + std::to_string(options.threshold->seconds) + "s";
  }
  if (options.drains) command += " --drains";
  if (options.reservations) command += " --reservations";
  if (options.rules) command += " --rules";
  if (options.moves) command += " --moves";
  if (options.policy) command += " --policy";
  if (options.outside) command += " --outside";
  if (options.reloads) command += " --reloads";
  if (options.lent) command += " --lent";
  if (options.shapes) command += " --shapes";
  if (options.speeds) command += " --speeds";
  if (options.sets) command += " --sets";
  if (options.neighbours) command += " --neighbours";
  if (!options.bad_site.empty()) command += " --bad-site " + options.bad_site;
  if (!options.bad_site.empty() && !options.lies) command += " --honest";
  if (options.again) command += " --again";
  if (options.calm) command += " --calm";
  if (options.idle != kAllIdleKinds) command += " --idle " + ToText(options.idle);
  if (options.hours) command += " --hours";
  if (options.told > 0) command += " --told " + std::to_string(options.told);
  if (options.crash_at) command += " --crash-at " + std::to_string(*options.crash_at);
  return command;
}

}  // namespace muster::sim
