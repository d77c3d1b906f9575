// A part's time is split over the windows that it spans. Use that a site reports beyond what the
// part was booked for is cut.
#include "meta/requests/fairshare.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/validities.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credentials.h"
#include "meta/requests/site_speeds.h"
#include "policy/rates.h"

namespace muster::meta {
namespace {

constexpr char kProcessors[] = "ncpus";
constexpr Instant kNever{INT64_MIN};  // no second of plan time

// a * b for amounts >= 0, at most kMost.
int64_t Product(int64_t a, int64_t b) {
  constexpr int64_t kMost = int64_t{1} << 56;
  __extension__ const auto product = static_cast<__int128>(std::max<int64_t>(a, 0)) * b;
  return static_cast<int64_t>(std::min<decltype(product)>(product, kMost));
}

// What a second of a part counts: its processors, after any resize, or what it costs.
int64_t WeightOf(const RequestsLayer& f, const schemas::PartSpec& part,
                 const std::vector<uint64_t>& counts) {
  const ResourceSet amounts = AmountsOf(part, counts);
  if (f.options.fairshare->metric != policy::Metric::kCharged) return amounts.Get(kProcessors);
  // Of a credit an hour the ten-thousandth: what a large machine uses in a year fits.
  constexpr int64_t kOfRate = 100'000;
  return f.options.bank ? policy::RateOf(*f.options.bank, amounts) / kOfRate : 0;
}

// Who has what this request uses: everybody, the user, its account, and the user's groups that are
// valid now. Nobody for what runs inside of a reservation: the reservation counts.
std::set<std::string> Sharers(const RequestsLayer& f, const Request& request, Moment now) {
  const schemas::RequestSpec& spec = request.before() ? *request.before() : request.record().spec;
  if (spec.inside) return {};
  const std::string& name = request.record().requester.user;
  std::set<std::string> out{UseBook::kAll, name};
  if (!spec.account.empty()) out.insert("account " + spec.account);
  const auto user = f.users.find(name);
  if (user == f.users.end()) return out;
  for (const std::string& group :
       GroupsAt(f.options.validities, {name, user->second.groups}, now.Floor())) {
    out.insert("@" + group);
  }
  return out;
}

// How long after its booked end a part may be gone: its processes are told to end, then killed.
constexpr Span kGone{600};

struct Ran {
  Moment from;
  Moment to;
  int64_t amount = 0;  // of the metric, times milliseconds, in all
};

// What the part has used up to `now`, or in the end. `booked`: for how long it may run. Processor
// time is known in the end alone: what runs, and what was not measured, counts as dedicated.
Ran RanOf(const RequestsLayer& f, const schemas::PartSpec& spec, const schemas::MirrorPart& part,
          Span booked, Moment now) {
  const Moment end = std::min(part.ended_at.value_or(now), now);
  const int64_t most = (booked + kGone).seconds * 1000;
  // A site that was down when the part started tells that late; the usage is as it was measured.
  const int64_t elapsed =
      std::clamp<int64_t>(part.usage_final ? part.usage.elapsed.milliseconds
                                           : end.milliseconds - part.started_at->milliseconds,
                          0, most);
  const int64_t weight = WeightOf(f, spec, part.booking.counts);
  Ran out{Moment{end.milliseconds - elapsed}, end, Product(weight, elapsed)};
  if (f.options.fairshare->metric == policy::Metric::kUsed && part.usage_final && part.usage.cpu) {
    out.amount = std::clamp<int64_t>(part.usage.cpu->milliseconds, 0, out.amount);
  }
  return out;
}

// Calls add(window, amount) for each window that `ran` spans, newest first. The amounts add up to
// ran.amount: what lies further back than windows count goes into one.
template <class Add>
void Split(const policy::FairshareRules& rules, const Zone& zone, const Ran& ran, Add add) {
  const int64_t length = ran.to.milliseconds - ran.from.milliseconds;
  Instant window = policy::WindowOf(rules, zone, ran.to.Floor());
  int64_t left = ran.amount;
  for (int k = 0; k < rules.depth && length > 0 && ToMoment(window) > ran.from; ++k) {
    const int64_t before = ToMoment(window).milliseconds - ran.from.milliseconds;
    __extension__ const auto wide = static_cast<__int128>(ran.amount) * before / length;
    const auto earlier = static_cast<int64_t>(wide);
    if (left > earlier) add(window, left - earlier);
    left = earlier;
    window = policy::WindowOf(rules, zone, window - Span{1});
  }
  if (left > 0) add(window, left);
}

bool IsCounted(const Attempt& attempt, uint32_t part) {
  const std::vector<uint64_t>& counted = attempt.record().counted;
  return std::find(counted.begin(), counted.end(), part) != counted.end();
}

bool DatesNewWork(const policy::FairshareRules& rules) {
  return std::any_of(rules.shares.begin(), rules.shares.end(),
                     [](const policy::Share& share) { return share.admission; });
}

// Sums up use by who, for the windows that count.
class Summing {
 public:
  Summing(const RequestsLayer& f, Moment now)
      : f_(f),
        rules_(*f.options.fairshare),
        now_(now),
        begins_(policy::WindowsAt(rules_, f.options.validities.zone, now.Floor())) {
    sums_[UseBook::kAll];
    for (const policy::Share& share : rules_.shares) sums_[share.who];
    for (auto& [who, sum] : sums_) sum.use.by_window = f.use.Of(who, begins_);
    for (const RequestId id : f.requests.open()) Look(*f.requests.Find(id));
  }
  const policy::Use& Of(const std::string& who) const { return sums_.at(who).use; }
  policy::Course CourseOf(const std::string& who) const {
    const Sum& sum = sums_.at(who);
    return {sum.use.by_window, sum.coming};
  }

 private:
  // Of a request that seeks a better place only the attempt that binds it counts.
  void Look(const Request& request) {
    if (!request.record().attempt) return;
    const auto it = f_.attempts.find(*request.record().attempt);
    if (it == f_.attempts.end()) return;
    const Attempt& attempt = it->second;
    const schemas::AttemptRecord& record = attempt.record();
    const schemas::RequestSpec& spec = SpecOf(request, attempt);
    for (uint32_t i = 0; i < record.part_sites.size() && i < spec.parts.size(); ++i) {
      if (IsCounted(attempt, i + 1)) continue;
      const schemas::MirrorPart* part = PartAt(f_, attempt, i);
      const Span length = LengthAt(f_, spec, record.part_sites[i]);
      if (part && part->started_at) {
        const Span booked = length + part->booking.extended;
        const Ran ran = RanOf(f_, spec.parts[i], *part, booked, now_);
        AddRan(request, ran);
        if (!part->ended_at) AddRest(request, spec.parts[i], *part, booked);
      } else if (record.state != schemas::AttemptState::kClosed &&
                 !(part && part->state == schemas::PartState::kEnded)) {
        AddBooked(request, spec.parts[i], record.start, length);
      }
    }
  }
  void AddRan(const Request& request, const Ran& ran) {
    Split(rules_, f_.options.validities.zone, ran, [&](Instant window, int64_t amount) {
      const auto at = std::find(begins_.begin(), begins_.end(), window);
      if (at == begins_.end()) return;
      Each(request, [&](Sum& sum) {
        sum.use.by_window[static_cast<size_t>(at - begins_.begin())] += amount;
      });
    });
  }
  void AddBooked(const Request& request, const schemas::PartSpec& part, Instant start,
                 Span length) {
    const int64_t amount = Product(WeightOf(f_, part, {}), length.seconds * 1000);
    const Instant begin = std::max(start + part.offset, now_.Floor());
    AddComing(request, {begin, begin + length, amount});
  }
  // What a running part may still use is promised to it.
  void AddRest(const Request& request, const schemas::PartSpec& spec,
               const schemas::MirrorPart& part, Span booked) {
    const int64_t end = part.started_at->milliseconds + booked.seconds * 1000;
    const int64_t left = std::max<int64_t>(end - now_.milliseconds, 0);
    const int64_t amount = Product(WeightOf(f_, spec, part.booking.counts), left);
    AddComing(request, {now_.Floor(), now_.Floor() + Span{(left + 999) / 1000}, amount});
  }
  void AddComing(const Request& request, const policy::Coming& coming) {
    const bool near = coming.from < now_.Floor() + rules_.window;
    Each(request, [&](Sum& sum) {
      if (near) sum.use.booked += coming.amount;
      if (dates_ && coming.amount > 0) sum.coming.push_back(coming);
    });
  }
  template <class Add>
  void Each(const Request& request, Add add) {
    for (const std::string& who : Sharers(f_, request, now_)) {
      const auto it = sums_.find(who);
      if (it != sums_.end()) add(it->second);
    }
  }

  const RequestsLayer& f_;
  const policy::FairshareRules& rules_;
  const Moment now_;
  const std::vector<Instant> begins_;
  struct Sum {
    policy::Use use;
    std::vector<policy::Coming> coming;  // kept only if a ceiling dates new work
  };
  std::map<std::string, Sum> sums_;
  const bool dates_ = DatesNewWork(rules_);
};

}  // namespace

SharesNow SharesAt(const RequestsLayer& f, Moment now) {
  SharesNow out;
  if (!f.options.fairshare || f.options.fairshare->shares.empty()) return out;
  const policy::FairshareRules& rules = *f.options.fairshare;
  const Summing sums(f, now);
  for (const policy::Share& share : rules.shares) {
    const policy::Part part = PartOf(rules, sums.Of(share.who), sums.Of(UseBook::kAll));
    out[share.who] = {part, ShareValue(share, part), UnderFloor(share, part)};
  }
  return out;
}

bool MayBeDated(const RequestsLayer& f, const Request& request, Moment now) {
  if (!f.options.fairshare || !DatesNewWork(*f.options.fairshare)) return false;
  const schemas::RequestRecord& record = request.record();
  const Credentials who = CredentialsOf(f, record.spec, record.requester.user, now);
  const std::vector<policy::Share>& shares = f.options.fairshare->shares;
  return std::any_of(shares.begin(), shares.end(), [&who](const policy::Share& share) {
    return share.admission && Covers(share.who, who);
  });
}

bool JudgeCeilings(RequestsLayer& f, Moment now) {
  if (!f.options.fairshare || !DatesNewWork(*f.options.fairshare)) {
    return !f.ceilings.IsOf(kNever) && f.ceilings.Judge(kNever, {});
  }
  if (f.ceilings.IsOf(now.Floor())) return false;
  const policy::FairshareRules& rules = *f.options.fairshare;
  const Summing sums(f, now);
  const policy::Course all = sums.CourseOf(UseBook::kAll);
  std::map<std::string, Instant> from;
  for (const policy::Share& share : rules.shares) {
    if (!share.admission) continue;
    const Instant at = AdmittedFrom(rules, f.options.validities.zone, share,
                                    sums.CourseOf(share.who), all, now.Floor());
    if (at > now.Floor()) from[share.who] = at;
  }
  return f.ceilings.Judge(now.Floor(), std::move(from));
}

std::optional<schemas::Reason> WhyNotAdmitted(const RequestsLayer& f, const Credentials& who) {
  const std::optional<Ceilings::Barred> barred = f.ceilings.Of(who);
  if (!barred) return std::nullopt;
  return schemas::Reason{.code = schemas::ReasonCode::kShare,
                         .until = barred->until,
                         .text = "the share of " + barred->who + " is used up"};
}

const ShareNow* ShareOf(const SharesNow& shares, const Credentials& asker, std::string* who) {
  for (const std::string& own : {asker.user, "account " + asker.account}) {
    const auto it = shares.find(own);
    if (it == shares.end()) continue;
    *who = own;
    return &it->second;
  }
  const ShareNow* out = nullptr;
  for (const std::string& group : asker.groups) {
    const auto it = shares.find("@" + group);
    if (it == shares.end() || (out && out->value <= it->second.value)) continue;
    out = &it->second;
    *who = it->first;
  }
  return out;
}

void CountUse(RequestsLayer& f, const Request& request, Attempt& attempt, Moment now) {
  if (!f.options.fairshare || !attempt.durable()) return;
  const policy::FairshareRules& rules = *f.options.fairshare;
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  const size_t parts = std::min(attempt.record().part_sites.size(), spec.parts.size());
  for (uint32_t i = 0; i < parts; ++i) {
    const schemas::MirrorRecord* hold = nullptr;
    const schemas::MirrorPart* part = PartAt(f, attempt, i, &hold);
    if (!part || !part->usage_final || IsCounted(attempt, i + 1)) continue;
    // The report of its end may come after that of its usage.
    const bool over = part->ended_at || hold->state == schemas::HoldState::kClosed;
    if (part->started_at && !over) continue;
    f.attempts.Edit(attempt).counted.push_back(i + 1);
    if (!part->started_at) continue;
    const Span booked = LengthAt(f, spec, attempt.record().part_sites[i]) + part->booking.extended;
    const Ran ran = RanOf(f, spec.parts[i], *part, booked, now);
    const std::set<std::string> sharers = Sharers(f, request, now);
    Split(rules, f.options.validities.zone, ran, [&](Instant window, int64_t amount) {
      for (const std::string& who : sharers) f.use.Add(who, window, amount);
    });
  }
}

void ForgetOldUse(RequestsLayer& f, Moment now) {
  if (!f.options.fairshare) return;
  const policy::FairshareRules& rules = *f.options.fairshare;
  const Zone& zone = f.options.validities.zone;
  if (!f.use.Enter(policy::WindowOf(rules, zone, now.Floor()))) return;
  f.use.ForgetBefore(policy::WindowsAt(rules, zone, now.Floor()).back());
}

}  // namespace muster::meta
