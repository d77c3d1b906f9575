// Between two writes only the time changes. So the records are checked once a second and just
// before each change.
#include "sim/checkers/idle.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace muster::sim {
namespace {

constexpr BootSpan kPatienceAtHome = Seconds(5);
constexpr BootSpan kPatienceElsewhere = Seconds(15);
constexpr BootSpan kQuietAfterFault = Seconds(30);
constexpr Span kNearStart{30};  // a start nearer than this is not moved to another site
// Added to the lead for a start at several sites: it is promised one second after the lead, on a
// whole second, with a turnover.
constexpr Span kJointMargin{3};

size_t At(IdleFor why) { return static_cast<size_t>(why); }

}  // namespace

std::string ToText(IdleFor why) {
  constexpr const char* kNames[kIdleFors] = {"own words",      "more urgent", "last moments",
                                             "gain elsewhere", "blocks",      "faults",
                                             "noticed",        "violated"};
  return kNames[At(why)];
}

std::string ToText(IdleKind kind) {
  constexpr const char* kNames[kIdleKinds] = {"home", "elsewhere", "gated", "joint"};
  return kNames[static_cast<size_t>(kind)];
}

IdleCounts& IdleCounts::operator+=(const IdleCounts& other) {
  for (size_t i = 0; i < kIdleFors; ++i) {
    times[i] += other.times[i];
    node_milliseconds[i] += other.node_milliseconds[i];
  }
  for (size_t i = 0; i < kIdleKinds; ++i) found[i] += other.found[i];
  return *this;
}

std::string ToText(const IdleCounts& counts) {
  std::string out;
  for (size_t i = 0; i < kIdleFors; ++i) {
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {:.1f} ({} times)", ToText(static_cast<IdleFor>(i)),
                       static_cast<double>(counts.node_milliseconds[i]) / 1000, counts.times[i]);
  }
  out += "; found";
  for (size_t i = 0; i < kIdleKinds; ++i) {
    out += fmt::format(" {} {}", counts.found[i], ToText(static_cast<IdleKind>(i)));
  }
  return out;
}

IdleCheck::IdleCheck(const CheckedWorld& world, IdleRules rules)
    : world_(world), rules_(std::move(rules)), waiting_(world), witnesses_(world, rules_.layouts) {}

void IdleCheck::OnMetaWrites(Moment at, const MetaWrites& writes) {
  PassTo(at);
  waiting_.OnMetaWrites(writes);
  stale_ = true;
}

void IdleCheck::OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) {
  PassTo(at);
  waiting_.OnSiteWrites(at, site, writes);
  witnesses_.OnSiteWrites(at, site, writes);
  stale_ = true;
  const bool node = std::any_of(writes.begin(), writes.end(),
                                [](const auto& write) { return write.key.starts_with(kNodeKeys); });
  if (node) last_fault_ = at;  // drained, lost, or back
}

// What is not seen, refused or lost takes time to be planned again, as what is lost by a fault.
void IdleCheck::OnDriverEvent(Moment at, const std::string& site, const driver::Event& event) {
  if (const auto* outside = std::get_if<driver::Outside>(&event)) {
    PassTo(at);
    witnesses_.OnOutside(site, *outside);
    stale_ = true;
    if (!outside->nodes.empty()) last_fault_ = at;
  }
  const bool troubled = std::holds_alternative<driver::Sight>(event) ||
                        std::holds_alternative<driver::WallRefused>(event) ||
                        std::holds_alternative<driver::WallLost>(event);
  if (troubled) OnFault(at);
}

void IdleCheck::OnCrash(Moment at, const std::string& host) {
  PassTo(at);
  down_.insert(host);
}

void IdleCheck::OnRestart(Moment at, const std::string& host) {
  PassTo(at);
  down_.erase(host);
  last_fault_ = at;
}

void IdleCheck::OnFault(Moment at) {
  PassTo(at);
  last_fault_ = at;
}

void IdleCheck::AtEnd(Moment at, bool) { PassTo(at); }

bool IdleCheck::Faulty(Moment at) const {
  if (rules_.calm) return false;
  if (!down_.empty() || !world_.liars.empty()) return true;
  return last_fault_ &&
         at.milliseconds <= last_fault_->milliseconds + kQuietAfterFault.milliseconds;
}

void IdleCheck::PassTo(Moment at) {
  while (passed_ && *passed_ < at) {
    const Instant second = passed_->Floor() + Span{1};
    const Moment to = std::min(at, ToMoment(second));
    LookAtAll({*passed_, to, second});
    passed_ = to;
  }
  if (!passed_) passed_ = at;
}

void IdleCheck::Refresh() {
  if (!stale_) return;
  stale_ = false;
  waiters_ = waiting_.All();
  std::set<WaiterId> there;
  others_wait_ = false;
  for (const Waiter& waiter : waiters_) {
    there.insert(waiter.id);
    if (waiter.own.empty() && waiter.kept.empty()) others_wait_ = true;
    Case& known = cases_[waiter.id];
    if (known.spec != *waiter.spec) known = {.spec = *waiter.spec, .found = known.found};
    if (known.own != waiter.own) known.asked.clear();
    known.own = waiter.own;
  }
  std::erase_if(cases_, [&](const auto& entry) { return !there.contains(entry.first); });
}

void IdleCheck::LookAtAll(const Look& look) {
  Refresh();
  claimed_.clear();
  counted_.clear();
  for (const Waiter& waiter : waiters_) LookAt(look, waiter);
}

void IdleCheck::LookAt(const Look& look, const Waiter& waiter) {
  Case& known = cases_.at(waiter.id);
  const bool faulty = Faulty(look.to);
  const bool told_later = waiter.told && look.second < *waiter.told;
  if (faulty || told_later || !waiter.kept.empty()) {
    known.held.clear();
    known.suspect.reset();
    return Account(look, known, faulty ? IdleFor::kFaults : IdleFor::kOwnWords, {});
  }
  const bool soon = StartsSoon(look, waiter);
  for (const std::string& site : witnesses_.Sites()) {
    for (const Share& share : witnesses_.SharesAt(waiter, site)) {
      Find(look, waiter, share, soon, known);
    }
  }
  if (soon) known.suspect.reset();
  Judge(look, waiter, known);
}

Span IdleCheck::NoticeOf(const Waiter& waiter) const {
  return waiter.booked && waiter.spec->request_class == schemas::RequestClass::kInteractive
             ? kInteractiveNotice
             : Span{0};
}

Span IdleCheck::WaitForNodes(const Waiter& waiter) const {
  Span out;
  for (const std::string& site : witnesses_.Sites()) {
    out = std::max(out, witnesses_.WaitOf(waiter, site));
  }
  return out;
}

// True if the waiter is promised a start soon enough, or an attempt that decides about it is in
// flight.
bool IdleCheck::StartsSoon(const Look& look, const Waiter& waiter) const {
  const BootSpan wait = world_.values.answer_wait;
  if (waiter.in_flight &&
      look.to.milliseconds <= waiter.in_flight->milliseconds + wait.milliseconds) {
    return true;
  }
  if (!waiter.booked) return false;
  Span near = WholeSeconds(world_.values.lead) + NoticeOf(waiter) + WaitForNodes(waiter);
  if (waiter.several) near = near + kJointMargin;
  return *waiter.booked <= look.second + near;
}

std::optional<IdleFor> IdleCheck::Excused(const Look& look, const Waiter& waiter,
                                          const Share& share) const {
  if (rules_.calm) return std::nullopt;
  const bool elsewhere = waiter.booked && !waiter.several && waiter.home != share.site;
  if (elsewhere && *waiter.booked < look.second + kNearStart) return IdleFor::kElsewhere;
  if (!rules_.threshold || !others_wait_ || !waiter.id.site.empty()) return std::nullopt;
  const Instant end = witnesses_.EndOf(waiter, share, look.second);
  if (end > witnesses_.PlanEnd(waiter, share.site)) return IdleFor::kBlocks;
  return std::nullopt;
}

void IdleCheck::Find(const Look& look, const Waiter& waiter, const Share& share, bool soon,
                     Case& known) {
  Asked& asked = known.asked[share];
  const uint64_t version = witnesses_.VersionOf(share.site);
  if (asked.version != version || asked.second != look.second) {
    asked = {version, look.second, witnesses_.PlacingsOf(waiter, share, look.second)};
  }
  Held held;
  const Held& before = known.held[share];
  std::optional<IdleFor> excused = soon ? IdleFor::kLastMoments : std::optional<IdleFor>();
  if (!excused && !asked.placings.empty()) excused = Excused(look, waiter, share);
  for (const Placing& placing : asked.placings) {
    std::string key;
    Witness witness{.since = look.from, .nodes = {}, .excused = excused};
    for (const PlacedPart& part : placing) {
      key += part.Key() + ";";
      witness.nodes.insert(part.nodes.begin(), part.nodes.end());
    }
    const bool claimed =
        std::any_of(witness.nodes.begin(), witness.nodes.end(),
                    [&](const std::string& node) { return claimed_.contains({share.site, node}); });
    if (!witness.excused && claimed) witness.excused = IdleFor::kUrgent;
    const auto was = before.find(key);
    if (was != before.end()) witness.since = was->second.since;
    if (witness.excused) witness.since = look.to;
    held.emplace(std::move(key), std::move(witness));
  }
  known.held[share] = std::move(held);
}

// Of the witnesses of the share, the one that has held longest.
std::optional<IdleCheck::Whole> IdleCheck::BestOf(const Case& known, const Share& share,
                                                  Among among) const {
  const auto held = known.held.find(share);
  if (held == known.held.end()) return std::nullopt;
  std::optional<Whole> best;
  for (const auto& [key, witness] : held->second) {
    if (among == Among::kUnexcused && witness.excused) continue;
    if (best && best->since <= witness.since) continue;
    best =
        Whole{.since = witness.since, .where = share.site, .nodes = {}, .excused = witness.excused};
    for (const std::string& node : witness.nodes) {
      best->where += " " + node;
      best->nodes.insert({share.site, node});
    }
  }
  return best;
}

std::optional<IdleCheck::Whole> IdleCheck::AtOneSite(const Waiter& waiter, const Case& known,
                                                     bool home, Among among) const {
  std::optional<Whole> best;
  for (const auto& [share, held] : known.held) {
    if (share.parts != AllPartsOf(*waiter.spec) || (share.site == waiter.home) != home) continue;
    std::optional<Whole> one = BestOf(known, share, among);
    if (one && (!best || one->since < best->since)) best = std::move(one);
  }
  return best;
}

// Of the placings of all parts over at least two sites, the one that has been possible longest. A
// joint placing is possible only since the last of its shares became possible.
std::optional<IdleCheck::Whole> IdleCheck::AtSeveral(const Waiter& waiter, const Case& known,
                                                     Among among) const {
  const uint32_t all = AllPartsOf(*waiter.spec);
  // Best joint witness by the set of parts placed at the sites so far.
  std::map<uint32_t, Whole> best = {{0, Whole{}}};
  for (const std::string& site : witnesses_.Sites()) {
    std::map<uint32_t, Whole> next = best;
    for (const auto& [share, held] : known.held) {
      if (share.site != site || share.parts == all) continue;
      const std::optional<Whole> one = BestOf(known, share, among);
      if (!one) continue;
      for (const auto& [parts, before] : best) {
        if ((parts & share.parts) != 0) continue;
        Whole joined = *one;
        joined.since = std::max(one->since, before.since);
        if (!before.where.empty()) joined.where = before.where + ", " + one->where;
        joined.nodes.insert(before.nodes.begin(), before.nodes.end());
        if (before.excused) joined.excused = before.excused;
        const auto [known_best, fresh] = next.try_emplace(parts | share.parts, joined);
        if (!fresh && joined.since < known_best->second.since) known_best->second = joined;
      }
    }
    best = std::move(next);
  }
  const auto whole = best.find(all);
  return whole == best.end() ? std::nullopt : std::optional(whole->second);
}

BootSpan IdleCheck::Asking() const {
  BootSpan most;
  for (const site::Options& site : world_.sites) {
    if (!site.facts.shared) continue;
    const BootSpan ahead = ToBootSpan(site.facts.start_ahead + site.facts.turnover);
    most = std::max(most, world_.values.answer_wait + ahead);
  }
  return most;
}

void IdleCheck::Judge(const Look& look, const Waiter& waiter, Case& known) {
  std::optional<Whole> any;
  bool unexcused = false;
  const auto take = [&](const std::function<std::optional<Whole>(Among)>& find, BootSpan patience) {
    const std::optional<Whole> witness = find(Among::kUnexcused);
    if (witness) Suspicious(look, waiter, known, *witness, patience);
    if (witness && !unexcused) any = witness;
    unexcused = unexcused || witness;
    if (!any) any = find(Among::kAll);
  };
  const BootSpan asks = Asking();
  const BootSpan elsewhere = kPatienceElsewhere + asks;
  take([&](Among among) { return AtOneSite(waiter, known, true, among); }, kPatienceAtHome + asks);
  take([&](Among among) { return AtOneSite(waiter, known, false, among); }, elsewhere);
  take([&](Among among) { return AtSeveral(waiter, known, among); }, elsewhere);
  if (known.suspect && known.suspect->until <= look.to) {
    const bool promised = waiter.booked && ToMoment(*waiter.booked) <= known.suspect->until;
    if (!promised && !known.found) {
      known.found = true;
      ++counts_.found[static_cast<size_t>(known.suspect->kind)];
      if (rules_.judged.contains(known.suspect->kind)) Violated(look.to, known.suspect->text);
    }
    known.suspect.reset();
  }
  if (!any) return void(known.last.reset());
  const IdleFor why = !unexcused    ? any->excused.value_or(IdleFor::kNoticed)
                      : known.found ? IdleFor::kViolated
                                    : IdleFor::kNoticed;
  Account(look, known, why, any->nodes);
  if (!unexcused) return;
  for (const auto& [share, held] : known.held) {
    for (const auto& [key, witness] : held) {
      if (witness.excused) continue;
      for (const std::string& node : witness.nodes) claimed_.insert({share.site, node});
    }
  }
}

void IdleCheck::Suspicious(const Look& look, const Waiter& waiter, Case& known,
                           const Whole& witness, BootSpan patience) {
  if (known.suspect || known.found) return;
  const int64_t held = look.to.milliseconds - witness.since.milliseconds;
  if (held < patience.milliseconds) return;
  const Span later = NoticeOf(waiter) + WaitForNodes(waiter);
  const int64_t wait =
      patience.milliseconds + world_.values.lead.milliseconds + later.seconds * 1000;
  const bool at_home = patience < kPatienceElsewhere + Asking();
  IdleKind kind = at_home ? IdleKind::kHome : IdleKind::kElsewhere;
  if (waiter.gated) kind = IdleKind::kGated;
  if (waiter.several || witness.where.find(',') != std::string::npos) kind = IdleKind::kJoint;
  std::string place = "has no place";
  if (waiter.booked) {
    place = "starts in " + std::to_string((*waiter.booked - look.second).seconds) + " s";
    place += waiter.several ? " at several sites" : waiter.gated ? " behind a gate" : "";
    if (!waiter.home.empty()) place += " at " + waiter.home;
  }
  const bool interactive = waiter.spec->request_class == schemas::RequestClass::kInteractive;
  known.suspect = Suspect{{witness.since.milliseconds + wait},
                          kind,
                          ToText(kind) + ": request " + ToText(waiter.id) +
                              (interactive ? ", interactive," : "") + " of " +
                              std::to_string(waiter.spec->parts.size()) + " parts could start at " +
                              witness.where + " since " +
                              std::to_string(witness.since.milliseconds) + " ms, and " + place};
}

// Adds the idle time of `nodes`. Each node counts once, for the most urgent waiter that could use
// it.
void IdleCheck::Account(const Look& look, Case& known, IdleFor why, const Nodes& nodes) {
  if (known.last != why) ++counts_.times[At(why)];
  known.last = why;
  for (const auto& node : nodes) {
    if (!counted_.insert(node).second) continue;
    counts_.node_milliseconds[At(why)] += look.to.milliseconds - look.from.milliseconds;
  }
}

}  // namespace muster::sim
