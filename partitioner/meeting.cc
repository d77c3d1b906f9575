// Feasible starts are unions of half-open intervals. The earliest start that is possible or
// confirmed is therefore one of a few instants: the begin of an interval of allowed or of feasible
// starts at some site, the shadow of a site not asked yet, or the instant up to which an answer is
// complete. Only these are examined.
#include "partitioner/meeting.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "base/check.h"
#include "partitioner/choose.h"

namespace muster::partitioner {
namespace {

using schemas::VerdictEntry;
using schemas::VerdictKind;

constexpr size_t kSpreads = 8;  // most sites of an even spread (ListPatterns)

// Splits all parts into groups, as evenly as possible over `sites` sites, in part order.
std::vector<Group> EvenSpread(const std::vector<size_t>& kinds, size_t kind_count, size_t sites) {
  std::vector<Group> out;
  size_t part = 0;
  for (size_t i = 0; i < sites; ++i) {
    const size_t end = kinds.size() * (i + 1) / sites;
    Group group(kind_count, 0);
    for (; part < end; ++part) ++group[kinds[part]];
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace

// The criteria of R5 after the start; smaller is better.
struct Meeting::Score {
  bool several = false;  // several sites need a start barrier
  Instant finish;
  size_t away = 0;  // number of parts away from home
  int64_t spoils = 0;
  int64_t load = 0;
  int64_t balance = 0;
  int64_t cost = 0;
  int64_t transfer = 0;
  std::vector<std::string> sites;

  auto Key() const {
    return std::tie(several, finish, away, spoils, load, balance, cost, transfer, sites);
  }
};

Meeting::Meeting(std::vector<size_t> kinds, std::vector<Span> offsets, bool apart,
                 std::vector<MeetingSite> sites, MeetingLimits limits)
    : kinds_(std::move(kinds)),
      offsets_(std::move(offsets)),
      apart_(apart),
      limits_(limits),
      total_(offsets_.size(), 0) {
  MUSTER_CHECK(!kinds_.empty());
  for (const size_t kind : kinds_) ++total_.at(kind);
  size_t states = 1;
  for (const uint32_t count : total_) states = std::min(states * (count + 1), 2 * kStates);
  const bool all = !apart_ && states - 1 <= limits_.groups_most && states <= kStates;
  all ? ListAllGroups() : ListPatterns();
  std::sort(sites.begin(), sites.end(), [](const MeetingSite& a, const MeetingSite& b) {
    const bool a_away = !a.home;
    const bool b_away = !b.home;
    const int64_t a_load = InTenths(a.load);
    const int64_t b_load = InTenths(b.load);
    return std::tie(a.shadow, a.length, a_away, a_load, a.balance, a.cost, a.name) <
           std::tie(b.shadow, b.length, b_away, b_load, b.balance, b.cost, b.name);
  });
  for (MeetingSite& facts : sites) {
    Site site{.facts = std::move(facts)};
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (MayRun(site.facts, groups_[g].counts) && !AllowedOf(site, g).empty()) {
        site.groups.push_back(g);
      }
    }
    if (!site.groups.empty()) sites_.push_back(std::move(site));
  }
  for (size_t i = 0; i < sites_.size() && i < limits_.ask_sites; ++i) AskAll(sites_[i]);
  if (!asked_.empty()) rounds_ = 1;
}

size_t Meeting::AddGroup(Group counts) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].counts == counts) return g;
  }
  groups_.push_back({.counts = std::move(counts)});
  groups_.back().whole = groups_.back().counts == total_;
  return groups_.size() - 1;
}

// A state's number has one digit per kind, so adding a group to a state adds their numbers.
void Meeting::ListAllGroups() {
  std::vector<Group> states = {Group(total_.size(), 0)};
  for (size_t kind = 0; kind < total_.size(); ++kind) {
    const size_t before = states.size();
    for (uint32_t count = 1; count <= total_[kind]; ++count) {
      for (size_t i = 0; i < before; ++i) {
        states.push_back(states[i]);
        states.back()[kind] = count;
      }
    }
  }
  for (size_t index = 1; index < states.size(); ++index) {
    GroupFacts& group = groups_.emplace_back(
        GroupFacts{.counts = states[index], .whole = states[index] == total_, .index = index});
    for (size_t state = 0; state < states.size(); ++state) {
      bool fits = true;
      for (size_t kind = 0; kind < total_.size(); ++kind) {
        fits = fits && states[state][kind] + group.counts[kind] <= total_[kind];
      }
      group.room.set(state, fits);
    }
  }
}

void Meeting::ListPatterns() {
  const auto add = [this](const std::vector<Group>& partition) {
    std::vector<size_t> pattern;
    for (const Group& counts : partition) pattern.push_back(AddGroup(counts));
    std::sort(pattern.begin(), pattern.end());
    if (std::find(patterns_.begin(), patterns_.end(), pattern) == patterns_.end()) {
      patterns_.push_back(std::move(pattern));
    }
  };
  add(EvenSpread(kinds_, total_.size(), kinds_.size()));
  for (size_t sites = 1; !apart_ && sites <= std::min(kSpreads, kinds_.size()); ++sites) {
    add(EvenSpread(kinds_, total_.size(), sites));
  }
}

bool Meeting::MayRun(const MeetingSite& site, const Group& counts) const {
  for (size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind] > 0 && !site.may_run.at(kind)) return false;
  }
  return true;
}

const IntervalSet& Meeting::AllowedOf(const Site& site, size_t group) const {
  return groups_[group].whole ? site.facts.alone : site.facts.beside;
}

void Meeting::Ask(Site& site, size_t group, const IntervalSet& allowed) {
  if (allowed.empty()) return;
  MeetingQuestion question{
      .allowed = allowed, .intervals = intervals_, .whole = groups_[group].whole};
  Group left = groups_[group].counts;
  for (size_t part = 0; part < kinds_.size(); ++part) {
    if (left[kinds_[part]] == 0) continue;
    --left[kinds_[part]];
    question.parts.push_back(part);
  }
  asked_[site.facts.name].push_back(std::move(question));
  asked_groups_[site.facts.name].push_back(group);
}

void Meeting::AskAll(Site& site) {
  site.asked = true;
  site.stale = false;
  site.known.clear();
  for (const size_t group : site.groups) Ask(site, group, AllowedOf(site, group));
  ++messages_;
}

void Meeting::AskBeyond(Site& site, Instant t) {
  for (const size_t group : site.groups) {
    if (ChanceAt(site, group, t) != Chance::kMaybe) continue;
    const auto known = site.known.find(group);
    const IntervalSet& allowed = AllowedOf(site, group);
    Ask(site, group,
        known == site.known.end() ? allowed : allowed.NotBefore(known->second.complete_until));
  }
  if (asked_.contains(site.facts.name)) ++messages_;
}

void Meeting::Take(const std::string& name, PlanRevision plan,
                   const std::vector<VerdictEntry>* verdicts) {
  const auto it = std::find_if(sites_.begin(), sites_.end(),
                               [&name](const Site& site) { return site.facts.name == name; });
  const auto groups = asked_groups_.find(name);
  if (it == sites_.end() || groups == asked_groups_.end()) return;
  Site& site = *it;
  if (verdicts == nullptr) {
    site.gone = true;
    site.known.clear();
    return;
  }
  MUSTER_CHECK(verdicts->size() == groups->second.size());
  // Answers that the site gave under another plan revision are invalid now.
  if (!site.known.empty() && site.plan != plan) {
    site.known.clear();
    site.stale = true;
  }
  site.plan = plan;
  for (size_t i = 0; i < verdicts->size() && !site.stale; ++i) {
    const VerdictEntry& verdict = (*verdicts)[i];
    Known& known = site.known[groups->second[i]];
    if (verdict.kind != VerdictKind::kUnanswered) known.verdict = verdict;
    switch (verdict.kind) {
      case VerdictKind::kAccepted:
      case VerdictKind::kCountered: {
        const bool told = !verdict.starts.empty();
        std::vector<Interval> starts = known.starts.intervals();
        const IntervalSet more = told ? verdict.starts : IntervalSet::Only(verdict.start);
        starts.insert(starts.end(), more.intervals().begin(), more.intervals().end());
        known.starts = IntervalSet(std::move(starts));
        known.complete_until = told ? verdict.complete_until : verdict.start + Span{1};
        break;
      }
      case VerdictKind::kNever:
      case VerdictKind::kBlocked:
        known.complete_until = kFarFuture;
        break;
      case VerdictKind::kUnanswered:
        if (known.starts.empty()) site.known.erase(groups->second[i]);
        break;
    }
  }
}

Meeting::Chance Meeting::ChanceAt(const Site& site, size_t group, Instant t) const {
  if (site.gone || !AllowedOf(site, group).Contains(t)) return Chance::kNo;
  if (!site.asked) return t >= site.facts.shadow ? Chance::kMaybe : Chance::kNo;
  const auto known = site.known.find(group);
  if (known == site.known.end()) return Chance::kMaybe;
  if (known->second.starts.Contains(t)) return Chance::kYes;
  return t >= known->second.complete_until ? Chance::kMaybe : Chance::kNo;
}

std::vector<Instant> Meeting::Candidates() const {
  std::vector<Instant> out;
  for (const Site& site : sites_) {
    if (site.gone) continue;
    for (const size_t group : site.groups) {
      const IntervalSet& allowed = AllowedOf(site, group);
      const auto add = [&](Instant from) {
        if (const auto t = allowed.FirstFrom(from); t && *t < kFarFuture) out.push_back(*t);
      };
      for (const Interval& interval : allowed.intervals()) add(interval.begin);
      if (!site.asked) add(site.facts.shadow);
      const auto known = site.known.find(group);
      if (known == site.known.end()) continue;
      for (const Interval& interval : known->second.starts.intervals()) add(interval.begin);
      add(known->second.complete_until);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<Meeting::States> Meeting::CoveredFrom(Instant t, Chance least) const {
  std::vector<States> out(sites_.size() + 1);
  out.back().set(0);
  for (size_t i = sites_.size(); i-- > 0;) {
    out[i] = out[i + 1];
    for (const size_t g : sites_[i].groups) {
      if (ChanceAt(sites_[i], g, t) < least) continue;
      out[i] |= (out[i + 1] & groups_[g].room) << groups_[g].index;
    }
  }
  return out;
}

// Assigns each group of the pattern to a site of its own, by augmenting paths.
std::optional<Meeting::Cover> Meeting::Match(const std::vector<size_t>& pattern, Instant t,
                                             Chance least) const {
  if (pattern.size() > sites_.size()) return std::nullopt;
  // Per site: the position in the pattern of the group that the site gets.
  std::vector<std::optional<size_t>> group_at(sites_.size());
  std::vector<bool> visited;
  const auto can = [&](size_t at, size_t site) {
    const std::vector<size_t>& groups = sites_[site].groups;
    return std::binary_search(groups.begin(), groups.end(), pattern[at]) &&
           ChanceAt(sites_[site], pattern[at], t) >= least;
  };
  const std::function<bool(size_t)> augment = [&](size_t at) {
    for (size_t site = 0; site < sites_.size(); ++site) {
      if (visited[site] || !can(at, site)) continue;
      visited[site] = true;
      if (!group_at[site] || augment(*group_at[site])) {
        group_at[site] = at;
        return true;
      }
    }
    return false;
  };
  for (size_t at = 0; at < pattern.size(); ++at) {
    visited.assign(sites_.size(), false);
    if (!augment(at)) return std::nullopt;
  }
  Cover cover;
  for (size_t site = 0; site < sites_.size(); ++site) {
    if (group_at[site]) cover.emplace_back(site, pattern[*group_at[site]]);
  }
  return cover;
}

bool Meeting::CanCover(Instant t, Chance least) const {
  if (patterns_.empty()) return CoveredFrom(t, least).front().test(groups_.back().index);
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const auto& pattern) { return Match(pattern, t, least).has_value(); });
}

Meeting::Bounds Meeting::Solve() const {
  Bounds out;
  for (const Instant t : Candidates()) {
    if (!CanCover(t, out.possible ? Chance::kYes : Chance::kMaybe)) continue;
    if (!out.possible) {
      out.possible = t;
      if (!CanCover(t, Chance::kYes)) continue;
    }
    out.sure = t;
    break;
  }
  return out;
}

bool Meeting::NextRound() {
  asked_.clear();
  asked_groups_.clear();
  if (rounds_ >= limits_.rounds_max) return false;
  const Bounds bounds = Solve();
  if (!bounds.possible || bounds.sure == bounds.possible) return false;
  const Instant at = *bounds.possible;
  intervals_ = std::min<uint32_t>(2 * intervals_, schemas::kSearchIntervals);
  size_t more = limits_.ask_sites;
  for (Site& site : sites_) {
    if (site.gone) continue;
    if (site.stale) {
      AskAll(site);
    } else if (site.asked) {
      AskBeyond(site, at);
    } else if (more > 0 && std::any_of(site.groups.begin(), site.groups.end(), [&](size_t group) {
                 return ChanceAt(site, group, at) == Chance::kMaybe;
               })) {
      --more;
      AskAll(site);
    }
  }
  if (asked_.empty()) return false;
  ++rounds_;
  return true;
}

// Depth-first search over the sites. CoveredFrom, what the remaining sites can cover, prunes dead
// ends.
void Meeting::CoversByStates(Instant t, std::vector<Cover>& out) const {
  const std::vector<States> covered = CoveredFrom(t, Chance::kYes);
  Cover cover;
  const std::function<void(size_t, size_t)> descend = [&](size_t i, size_t left) {
    if (out.size() >= limits_.compared_most) return;
    if (left == 0) {
      out.push_back(cover);
      return;
    }
    if (i == sites_.size()) return;
    for (const size_t g : sites_[i].groups) {
      const GroupFacts& group = groups_[g];
      if (group.index > left || !group.room.test(left - group.index)) continue;
      if (!covered[i + 1].test(left - group.index)) continue;
      if (ChanceAt(sites_[i], g, t) != Chance::kYes) continue;
      cover.emplace_back(i, g);
      descend(i + 1, left - group.index);
      cover.pop_back();
    }
    if (covered[i + 1].test(left)) descend(i + 1, left);
  };
  const size_t all = groups_.back().index;
  if (covered.front().test(all)) descend(0, all);
}

// Depth-first search over the groups. Equal groups get sites in ascending order, so that no
// assignment is found twice.
void Meeting::CoversOfPattern(const std::vector<size_t>& pattern, Instant t,
                              std::vector<Cover>& out) const {
  std::optional<Cover> matched = Match(pattern, t, Chance::kYes);
  if (!matched) return;
  out.push_back(*std::move(matched));  // fallback, if the search is cut off before it finds one
  size_t steps = 0;
  Cover cover;
  const std::function<void(size_t)> descend = [&](size_t at) {
    if (++steps > limits_.compared_most) return;
    if (at == pattern.size()) {
      out.push_back(cover);
      return;
    }
    const bool same = at > 0 && pattern[at] == pattern[at - 1];
    for (size_t i = same ? cover.back().first + 1 : 0; i < sites_.size(); ++i) {
      const std::vector<size_t>& groups = sites_[i].groups;
      if (!std::binary_search(groups.begin(), groups.end(), pattern[at])) continue;
      if (ChanceAt(sites_[i], pattern[at], t) != Chance::kYes) continue;
      if (std::any_of(cover.begin(), cover.end(), [i](const auto& c) { return c.first == i; })) {
        continue;
      }
      cover.emplace_back(i, pattern[at]);
      descend(at + 1);
      cover.pop_back();
    }
  };
  descend(0);
}

std::vector<Meeting::Cover> Meeting::CoversAt(Instant t) const {
  std::vector<Cover> out;
  if (patterns_.empty()) CoversByStates(t, out);
  for (const std::vector<size_t>& pattern : patterns_) CoversOfPattern(pattern, t, out);
  return out;
}

// Of parts of one kind, the first ones go to the first site by name. The order in sites_ would not
// do: it depends on shadows, and thus on when each site was last heard.
std::vector<std::string> Meeting::PartSites(const Cover& cover) const {
  std::vector<std::string> out(kinds_.size());
  Cover by_name = cover;
  std::sort(by_name.begin(), by_name.end(), [this](const auto& a, const auto& b) {
    return sites_[a.first].facts.name < sites_[b.first].facts.name;
  });
  for (const auto& [site, group] : by_name) {
    Group left = groups_[group].counts;
    for (size_t part = 0; part < kinds_.size(); ++part) {
      if (!out[part].empty() || left[kinds_[part]] == 0) continue;
      --left[kinds_[part]];
      out[part] = sites_[site].facts.name;
    }
  }
  return out;
}

Meeting::Score Meeting::ScoreOf(const Cover& cover, const TransferMatrix& transfer) const {
  Score out{.several = cover.size() > 1};
  double load = 0;
  for (const auto& [site, group] : cover) {
    const MeetingSite& facts = sites_[site].facts;
    for (size_t kind = 0; kind < total_.size(); ++kind) {
      const uint32_t count = groups_[group].counts[kind];
      if (count == 0) continue;
      out.finish = std::max(out.finish, Instant{0} + offsets_[kind] + facts.length);
      if (!facts.home) out.away += count;
      out.spoils += facts.spoils.at(kind) * count;
      load += facts.load * count;
      out.balance += facts.balance * count;
      out.cost += facts.cost * count;
    }
  }
  out.load = InTenths(load);
  out.sites = PartSites(cover);
  out.transfer = transfer.Among(out.sites);
  return out;
}

std::optional<Met> Meeting::Best(const TransferMatrix& transfer) const {
  const Bounds bounds = Solve();
  if (!bounds.sure) return std::nullopt;
  std::optional<Score> best;
  for (const Cover& cover : CoversAt(*bounds.sure)) {
    Score score = ScoreOf(cover, transfer);
    if (!best || score.Key() < best->Key()) best = std::move(score);
  }
  MUSTER_CHECK(best.has_value());
  const bool all_heard = std::all_of(sites_.begin(), sites_.end(),
                                     [](const Site& site) { return site.asked && !site.gone; });
  return Met{
      .part_sites = std::move(best->sites),
      .start = *bounds.sure,
      .proved = bounds.sure == bounds.possible && all_heard && (patterns_.empty() || apart_)};
}

std::map<uint32_t, std::map<std::string, VerdictEntry>> Meeting::AnswersByPart() const {
  std::map<uint32_t, std::map<std::string, VerdictEntry>> out;
  for (size_t part = 0; part < kinds_.size(); ++part) {
    for (const Site& site : sites_) {
      if (!site.asked || !site.facts.may_run[kinds_[part]]) continue;
      VerdictEntry& entry = out[static_cast<uint32_t>(part)][site.facts.name];
      for (const auto& [group, known] : site.known) {
        const Group& counts = groups_[group].counts;
        uint32_t parts = 0;
        for (const uint32_t count : counts) parts += count;
        if (parts == 1 && counts[kinds_[part]] == 1) entry = known.verdict;
      }
    }
  }
  return out;
}

const schemas::Reason* Meeting::WhyNotEarlier(const Met& met, const std::string& name) const {
  Group counts(total_.size(), 0);
  for (size_t part = 0; part < kinds_.size(); ++part) {
    if (met.part_sites[part] == name) ++counts[kinds_[part]];
  }
  for (const Site& site : sites_) {
    if (site.facts.name != name) continue;
    for (const auto& [group, known] : site.known) {
      if (groups_[group].counts != counts) continue;
      return known.verdict.reason ? &*known.verdict.reason : nullptr;
    }
  }
  return nullptr;
}

size_t Meeting::asked() const {
  return static_cast<size_t>(
      std::count_if(sites_.begin(), sites_.end(), [](const Site& site) { return site.asked; }));
}

std::vector<std::string> Meeting::Silent() const {
  std::vector<std::string> out;
  for (const Site& site : sites_) {
    if (site.gone) out.push_back(site.facts.name);
  }
  return out;
}

}  // namespace muster::partitioner
