// A part's time is split over the windows that it spans. Use that a site reports beyond what the
// part was booked for is cut.
#include "meta/requests/use_sums.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/validities.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/homes.h"
#include "meta/requests/site_speeds.h"
#include "policy/rates.h"
#include "policy/spread.h"

namespace muster::meta {
namespace {

using policy::Product;
using Ran = policy::Had;

constexpr char kProcessors[] = "ncpus";

// What a second of a part counts: its processors, after any resize, or what it costs.
int64_t WeightOf(const RequestsLayer& f, policy::Metric metric, const schemas::PartSpec& part,
                 const std::vector<uint64_t>& counts) {
  const ResourceSet amounts = AmountsOf(part, counts);
  if (metric != policy::Metric::kCharged) return amounts.Get(kProcessors);
  // Of a credit an hour the ten-thousandth: what a large machine uses in a year fits.
  constexpr int64_t kOfRate = 100'000;
  return f.options.bank ? policy::RateOf(*f.options.bank, amounts) / kOfRate : 0;
}

// How long after its booked end a part may be gone: its processes are told to end, then killed.
constexpr Span kGone{600};

// What the part has used up to `now`, or in the end. `booked`: for how long it may run. Processor
// time is known in the end alone: what runs, and what was not measured, counts as dedicated.
Ran RanOf(const RequestsLayer& f, policy::Metric metric, const schemas::PartSpec& spec,
          const schemas::MirrorPart& part, Span booked, Moment now) {
  const Moment end = std::min(part.ended_at.value_or(now), now);
  const int64_t most = (booked + kGone).seconds * 1000;
  // A site that was down when the part started tells that late; the usage is as it was measured.
  const int64_t elapsed =
      std::clamp<int64_t>(part.usage_final ? part.usage.elapsed.milliseconds
                                           : end.milliseconds - part.started_at->milliseconds,
                          0, most);
  const int64_t weight = WeightOf(f, metric, spec, part.booking.counts);
  Ran out{Moment{end.milliseconds - elapsed}, end, Product(weight, elapsed)};
  if (metric == policy::Metric::kUsed && part.usage_final && part.usage.cpu) {
    out.amount = std::clamp<int64_t>(part.usage.cpu->milliseconds, 0, out.amount);
  }
  return out;
}

bool IsCounted(const Attempt& attempt, uint32_t part) {
  const std::vector<uint64_t>& counted = attempt.record().counted;
  return std::find(counted.begin(), counted.end(), part) != counted.end();
}

// Adds what the part has used to the windows of all of these.
void Record(RequestsLayer& f, const policy::FairshareRules& rules,
            const std::set<std::string>& names, const Ran& ran) {
  for (const auto& [window, amount] : ByWindow(rules, f.options.validities.zone, ran)) {
    for (const std::string& who : names) f.use.Add(who, window, amount);
  }
}

}  // namespace

std::set<std::string> SharersOf(const RequestsLayer& f, const Request& request, Moment now) {
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

int64_t BookedBy(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  if (spec.inside) return 0;
  int64_t sum = 0;
  for (const schemas::PartSpec& part : spec.parts) {
    sum +=
        Product(WeightOf(f, f.options.fairshare->metric, part, {}), spec.duration.seconds * 1000);
  }
  return sum;
}

struct UseSums::Part {
  const schemas::PartSpec& spec;
  const schemas::MirrorPart* reported;  // null: nothing is known of it
  std::set<std::string> names;
};

UseSums::UseSums(const RequestsLayer& f, Moment now, const policy::FairshareRules& rules,
                 const std::set<std::string>& names, Whose whose, bool coming)
    : f_(f),
      rules_(rules),
      now_(now),
      begins_(policy::WindowsAt(rules, f.options.validities.zone, now.Floor())),
      whose_(std::move(whose)),
      coming_(coming) {
  for (const std::string& who : names) sums_[who].use.by_window = f.use.Of(who, begins_);
  for (const RequestId id : f.requests.open()) Look(*f.requests.Find(id));
}

policy::Course UseSums::CourseOf(const std::string& who) const {
  const Sum& sum = sums_.at(who);
  return {sum.use.by_window, sum.coming};
}

// Of a request that seeks a better place only the attempt that binds it counts.
void UseSums::Look(const Request& request) {
  if (!request.record().attempt) return;
  const auto it = f_.attempts.find(*request.record().attempt);
  if (it == f_.attempts.end()) return;
  const Attempt& attempt = it->second;
  const schemas::AttemptRecord& record = attempt.record();
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  for (uint32_t i = 0; i < record.part_sites.size() && i < spec.parts.size(); ++i) {
    if (IsCounted(attempt, i + 1)) continue;
    const Part part{spec.parts[i], PartAt(f_, attempt, i), whose_(request, record.part_sites[i])};
    if (part.names.empty()) continue;
    const Span length = LengthAt(f_, spec, record.part_sites[i]);
    if (part.reported && part.reported->started_at) {
      const Span booked = length + part.reported->booking.extended;
      AddRan(part, booked);
      // What it may still use of lent room is promised to nobody.
      if (!part.reported->ended_at && !record.only_lent) AddRest(part, booked);
    } else if (!record.only_lent && record.state != schemas::AttemptState::kClosed &&
               !(part.reported && part.reported->state == schemas::PartState::kEnded)) {
      AddBooked(part, record.start, length);
    }
  }
}

void UseSums::AddRan(const Part& part, Span booked) {
  const Ran ran = RanOf(f_, rules_.metric, part.spec, *part.reported, booked, now_);
  for (const auto& [window, amount] : ByWindow(rules_, f_.options.validities.zone, ran)) {
    const auto at = std::find(begins_.begin(), begins_.end(), window);
    if (at == begins_.end()) continue;
    for (const std::string& who : part.names) {
      const auto sum = sums_.find(who);
      if (sum == sums_.end()) continue;
      sum->second.use.by_window[static_cast<size_t>(at - begins_.begin())] += amount;
    }
  }
}

void UseSums::AddBooked(const Part& part, Instant start, Span length) {
  const int64_t weight = WeightOf(f_, rules_.metric, part.spec, {});
  const Instant begin = std::max(start + part.spec.offset, now_.Floor());
  AddComing(part, {begin, begin + length, Product(weight, length.seconds * 1000)});
}

// What a running part may still use is promised to it.
void UseSums::AddRest(const Part& part, Span booked) {
  const int64_t end = part.reported->started_at->milliseconds + booked.seconds * 1000;
  const int64_t left = std::max<int64_t>(end - now_.milliseconds, 0);
  const int64_t weight = WeightOf(f_, rules_.metric, part.spec, part.reported->booking.counts);
  AddComing(part, {now_.Floor(), now_.Floor() + Span{(left + 999) / 1000}, Product(weight, left)});
}

void UseSums::AddComing(const Part& part, const policy::Coming& coming) {
  const bool near = coming.from < now_.Floor() + rules_.window;
  for (const std::string& who : part.names) {
    const auto sum = sums_.find(who);
    if (sum == sums_.end()) continue;
    if (near) sum->second.use.booked += coming.amount;
    if (coming_ && coming.amount > 0) sum->second.coming.push_back(coming);
  }
}

void CountUse(RequestsLayer& f, const Request& request, Attempt& attempt, Moment now) {
  const policy::FairshareRules* const of_sites = BalanceRules(f);
  if ((!f.options.fairshare && !of_sites) || !attempt.durable()) return;
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
    const std::string& site = attempt.record().part_sites[i];
    const Span booked = LengthAt(f, spec, site) + part->booking.extended;
    const auto record = [&](const policy::FairshareRules& rules,
                            const std::set<std::string>& names) {
      Record(f, rules, names, RanOf(f, rules.metric, spec.parts[i], *part, booked, now));
    };
    if (f.options.fairshare) record(*f.options.fairshare, SharersOf(f, request, now));
    if (of_sites) record(*of_sites, BalancesOf(f, request, site));
  }
}

void ForgetOldUse(RequestsLayer& f, Moment now) {
  const policy::FairshareRules* const rules =
      f.options.fairshare ? &*f.options.fairshare : BalanceRules(f);
  if (!rules) return;
  const Zone& zone = f.options.validities.zone;
  if (!f.use.Enter(policy::WindowOf(*rules, zone, now.Floor()))) return;
  f.use.ForgetBefore(policy::WindowsAt(*rules, zone, now.Floor()).back());
}

}  // namespace muster::meta
