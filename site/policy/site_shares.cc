// A part's time is split over the windows that it spans. Use beyond what the part was booked for is
// cut.
#include "site/policy/site_shares.h"

#include <algorithm>
#include <set>
#include <utility>

#include "policy/shown/rows.h"
#include "policy/spread.h"
#include "verifier/part_table.h"

namespace muster::site {
namespace {

using policy::FairshareRules;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartDemand;
using schemas::PartRecord;
using verifier::UseBook;

constexpr char kProcessors[] = "ncpus";
// How long after its booked end a part may be gone: its processes are told to end, then killed.
constexpr Span kGone{600};

// What the part has now, after any resize.
int64_t ProcessorsOf(const PartDemand& demand, const PartRecord& part) {
  int64_t sum = 0;
  for (size_t c = 0; c < demand.chunks.size(); ++c) {
    const schemas::Chunk& chunk = demand.chunks[c];
    const uint64_t count = c < part.counts.size() ? part.counts[c] : chunk.count;
    sum += chunk.resources.Get(kProcessors) * static_cast<int64_t>(count);
  }
  return sum;
}

Span BookedFor(const PartDemand& demand, const PartRecord& part) {
  return demand.duration - part.saved + part.extended;
}

// What the part has used up to `now`, or in the end. Processor time is known in the end alone: what
// runs, and what was not measured, counts as dedicated. REQUIRES: it has started.
policy::Had HadBy(const FairshareRules& rules, const PartDemand& demand, const PartRecord& part,
                  Moment now) {
  const Moment end = std::min(part.ended_at.value_or(now), now);
  const int64_t most = (BookedFor(demand, part) + kGone).seconds * 1000;
  const int64_t elapsed = std::clamp<int64_t>(
      part.usage_final
          ? part.usage.elapsed.milliseconds
          : end.milliseconds - part.started_at->milliseconds - part.paused.milliseconds,
      0, most);
  policy::Had had{Moment{end.milliseconds - elapsed}, end,
                  policy::Product(ProcessorsOf(demand, part), elapsed)};
  if (rules.metric == policy::Metric::kUsed && part.usage_final && part.usage.cpu) {
    had.amount = std::clamp<int64_t>(part.usage.cpu->milliseconds, 0, had.amount);
  }
  return had;
}

// Who has what the hold uses.
std::set<std::string> SharersOf(const schemas::HoldOrder& order) {
  if (order.inside) return {};
  std::set<std::string> out{UseBook::kAll, order.requester.user};
  if (!order.account.empty()) out.insert("account " + order.account);
  for (const std::string& group : order.requester.groups) out.insert("@" + group);
  return out;
}

bool Dates(const FairshareRules& rules) {
  return std::any_of(rules.shares.begin(), rules.shares.end(),
                     [](const policy::Share& share) { return share.admission; });
}

// Sums up use by who, for the windows that count.
class Summing {
 public:
  Summing(const FairshareRules& rules, const Zone& zone, const SiteShares::Holds& holds,
          const UseBook& book, Moment now)
      : rules_(rules),
        zone_(zone),
        now_(now),
        begins_(policy::WindowsAt(rules, zone, now.Floor())),
        dates_(Dates(rules)) {
    sums_[UseBook::kAll];
    for (const policy::Share& share : rules.shares) sums_[share.who];
    for (auto& [who, sum] : sums_) sum.use.by_window = book.Of(who, begins_);
    for (const auto& [fence, hold] : holds) {
      if (Counts(holds, hold)) Look(hold);
    }
  }
  policy::Uses Uses() const {
    policy::Uses out{.own = {}, .all = sums_.at(UseBook::kAll).use};
    for (const policy::Share& share : rules_.shares) out.own.push_back(sums_.at(share.who).use);
    return out;
  }
  policy::Course CourseOf(const std::string& who) const {
    const Sum& sum = sums_.at(who);
    return {sum.use.by_window, sum.coming};
  }

 private:
  struct Sum {
    policy::Use use;
    std::vector<policy::Coming> coming;  // kept only if a ceiling dates new work
  };

  // Of a hold and the one that is to replace it at most one runs: the older one counts.
  static bool Counts(const SiteShares::Holds& holds, const HoldRecord& hold) {
    if (hold.state < HoldState::kPrepared || hold.parts.size() != hold.order.parts.size()) {
      return false;
    }
    if (!hold.order.replaces || hold.state >= HoldState::kCommitted) return true;
    const auto old = holds.find(*hold.order.replaces);
    return old == holds.end() || old->second.state == HoldState::kClosed;
  }
  void Look(const HoldRecord& hold) {
    const std::set<std::string> sharers = SharersOf(hold.order);
    for (size_t i = 0; i < hold.parts.size(); ++i) {
      const PartRecord& part = hold.parts[i];
      const PartDemand& demand = hold.order.parts[i];
      if (part.usage_final) continue;  // on record
      if (part.started_at) {
        AddHad(sharers, HadBy(rules_, demand, part, now_));
        // What it may still use of lent room is promised to nobody.
        if (!part.ended_at && !part.only_lent) AddRest(sharers, demand, part);
      } else if (!part.only_lent && hold.state != HoldState::kClosed &&
                 part.state != schemas::PartState::kEnded) {
        AddBooked(sharers, demand, part, hold.start);
      }
    }
  }
  void AddHad(const std::set<std::string>& sharers, const policy::Had& had) {
    for (const auto& [window, amount] : policy::ByWindow(rules_, zone_, had)) {
      const auto at = std::find(begins_.begin(), begins_.end(), window);
      if (at == begins_.end()) continue;
      const auto k = static_cast<size_t>(at - begins_.begin());
      const int64_t more = amount;
      Each(sharers, [k, more](Sum& sum) { sum.use.by_window[k] += more; });
    }
  }
  void AddBooked(const std::set<std::string>& sharers, const PartDemand& demand,
                 const PartRecord& part, Instant start) {
    const Span length = BookedFor(demand, part);
    const Instant begin = std::max(start + demand.offset, now_.Floor());
    const int64_t amount = policy::Product(ProcessorsOf(demand, part), length.seconds * 1000);
    AddComing(sharers, {begin, begin + length, amount});
  }
  // What a running part may still use is promised to it.
  void AddRest(const std::set<std::string>& sharers, const PartDemand& demand,
               const PartRecord& part) {
    const int64_t end = part.started_at->milliseconds + BookedFor(demand, part).seconds * 1000;
    const int64_t left = std::max<int64_t>(end - now_.milliseconds, 0);
    const int64_t amount = policy::Product(ProcessorsOf(demand, part), left);
    AddComing(sharers, {now_.Floor(), now_.Floor() + Span{(left + 999) / 1000}, amount});
  }
  void AddComing(const std::set<std::string>& sharers, const policy::Coming& coming) {
    const bool near = coming.from < now_.Floor() + rules_.window;
    Each(sharers, [&](Sum& sum) {
      if (near) sum.use.booked += coming.amount;
      if (dates_ && coming.amount > 0) sum.coming.push_back(coming);
    });
  }
  template <class Add>
  void Each(const std::set<std::string>& sharers, Add add) {
    for (const std::string& who : sharers) {
      const auto it = sums_.find(who);
      if (it != sums_.end()) add(it->second);
    }
  }

  const FairshareRules& rules_;
  const Zone& zone_;
  const Moment now_;
  const std::vector<Instant> begins_;
  const bool dates_;
  std::map<std::string, Sum> sums_;
};

}  // namespace

void SiteShares::Count(const HoldRecord& hold, const PartRecord& part, UseBook& book) const {
  if (!rules_ || !part.started_at || !part.ended_at) return;
  const std::set<std::string> sharers = SharersOf(hold.order);
  for (size_t i = 0; i < hold.order.parts.size(); ++i) {
    const PartDemand& demand = hold.order.parts[i];
    if (demand.index != part.index) continue;
    const policy::Had had = HadBy(*rules_, demand, part, *part.ended_at);
    for (const auto& [window, amount] : policy::ByWindow(*rules_, zone_, had)) {
      for (const std::string& who : sharers) book.Add(who, window, amount);
    }
  }
}

void SiteShares::ForgetOld(UseBook& book, Moment now) const {
  if (!rules_ || !book.Enter(policy::WindowOf(*rules_, zone_, now.Floor()))) return;
  book.ForgetBefore(policy::WindowsAt(*rules_, zone_, now.Floor()).back());
}

policy::SharesNow SiteShares::At(const Holds& holds, const UseBook& book, Moment now) const {
  policy::SharesNow out;
  if (!rules_ || rules_->shares.empty()) return out;
  const std::vector<policy::Standing> standings =
      StandingsOf(*rules_, Summing(*rules_, zone_, holds, book, now).Uses());
  for (size_t i = 0; i < standings.size(); ++i) out[rules_->shares[i].who] = standings[i];
  return out;
}

std::vector<schemas::ShareRow> SiteShares::Rows(const Holds& holds, const UseBook& book,
                                                Moment now) const {
  std::vector<schemas::ShareRow> out;
  for (const auto& [who, standing] : At(holds, book, now)) {
    const auto share = std::find_if(rules_->shares.begin(), rules_->shares.end(),
                                    [&](const policy::Share& one) { return one.who == who; });
    out.push_back(policy::RowOf(*share, standing, ceilings_.Of(who)));
  }
  return out;
}

bool SiteShares::Judge(const Holds& holds, const UseBook& book, Moment now) {
  if (!rules_ || !Dates(*rules_) || ceilings_.IsOf(now.Floor())) return false;
  const Summing sums(*rules_, zone_, holds, book, now);
  const policy::Course all = sums.CourseOf(UseBook::kAll);
  std::map<std::string, Instant> from;
  for (const policy::Share& share : rules_->shares) {
    if (!share.admission) continue;
    const Instant at =
        AdmittedFrom(*rules_, zone_, share, sums.CourseOf(share.who), all, now.Floor());
    if (at > now.Floor()) from[share.who] = at;
  }
  const bool other = from != ceilings_.all();
  ceilings_.Judge(now.Floor(), std::move(from));
  return other;
}

}  // namespace muster::site
