// A part's time is split over the windows that it spans. Use that a site reports beyond what the
// part was booked for is cut.
#include "meta/requests/fairshare.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/validities.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/split.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

constexpr char kProcessors[] = "ncpus";

// a * b for amounts >= 0, at most kMost.
int64_t Product(int64_t a, int64_t b) {
  constexpr int64_t kMost = int64_t{1} << 56;
  __extension__ const auto product = static_cast<__int128>(std::max<int64_t>(a, 0)) * b;
  return static_cast<int64_t>(std::min<decltype(product)>(product, kMost));
}

// The processors of a part, after any resize, at most what its chunks may have.
int64_t ProcessorsOf(const schemas::PartSpec& part, const std::vector<uint64_t>& counts) {
  if (counts.size() != part.chunks.size()) return partitioner::AmountsOf(part).Get(kProcessors);
  int64_t sum = 0;
  for (size_t c = 0; c < counts.size(); ++c) {
    const auto count = static_cast<int64_t>(std::min<uint64_t>(counts[c], schemas::kChunkCount));
    sum += Product(part.chunks[c].resources.Get(kProcessors), count);
  }
  return sum;
}

// Who has what this user's jobs use: everybody, the user, and the groups that are valid now. Nobody
// for what runs inside of a reservation: the reservation counts.
std::set<std::string> Sharers(const RequestsLayer& f, const Request& request, Moment now) {
  if (request.record().spec.inside) return {};
  const std::string& name = request.record().requester.user;
  std::set<std::string> out{UseBook::kAll, name};
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
  int64_t amount = 0;  // processor-milliseconds in all
};

// What the part has used up to `now`, or in the end. `booked`: for how long it may run. Processor
// time is known in the end alone: what runs, and what was not measured, counts as dedicated.
Ran RanOf(const policy::FairshareRules& rules, const schemas::PartSpec& spec,
          const schemas::MirrorPart& part, Span booked, Moment now) {
  const Moment end = std::min(part.ended_at.value_or(now), now);
  const int64_t most = (booked + kGone).seconds * 1000;
  // A site that was down when the part started tells that late; the usage is as it was measured.
  const int64_t elapsed =
      std::clamp<int64_t>(part.usage_final ? part.usage.elapsed.milliseconds
                                           : end.milliseconds - part.started_at->milliseconds,
                          0, most);
  const int64_t processors = ProcessorsOf(spec, part.booking.counts);
  Ran out{Moment{end.milliseconds - elapsed}, end, Product(processors, elapsed)};
  if (rules.metric == policy::Metric::kUsed && part.usage_final && part.usage.cpu) {
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
    for (auto& [who, use] : sums_) use.by_window = f.use.Of(who, begins_);
    for (const RequestId id : f.requests.open()) Look(*f.requests.Find(id));
  }
  const policy::Use& Of(const std::string& who) const { return sums_.at(who); }

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
        const Ran ran = RanOf(rules_, spec.parts[i], *part, booked, now_);
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
      Each(request, [&](policy::Use& use) {
        use.by_window[static_cast<size_t>(at - begins_.begin())] += amount;
      });
    });
  }
  void AddBooked(const Request& request, const schemas::PartSpec& part, Instant start,
                 Span length) {
    if (start + part.offset >= now_.Floor() + rules_.window) return;
    const int64_t amount = Product(ProcessorsOf(part, {}), length.seconds * 1000);
    Each(request, [&](policy::Use& use) { use.booked += amount; });
  }
  // What a running part may still use is promised to it.
  void AddRest(const Request& request, const schemas::PartSpec& spec,
               const schemas::MirrorPart& part, Span booked) {
    const int64_t end = part.started_at->milliseconds + booked.seconds * 1000;
    const int64_t left = std::max<int64_t>(end - now_.milliseconds, 0);
    const int64_t amount = Product(ProcessorsOf(spec, part.booking.counts), left);
    Each(request, [&](policy::Use& use) { use.booked += amount; });
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
  std::map<std::string, policy::Use> sums_;
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

const ShareNow* ShareOf(const SharesNow& shares, const std::string& user,
                        const std::vector<std::string>& groups, std::string* who) {
  const auto own = shares.find(user);
  if (own != shares.end()) {
    *who = user;
    return &own->second;
  }
  const ShareNow* out = nullptr;
  for (const std::string& group : groups) {
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
    const Ran ran = RanOf(rules, spec.parts[i], *part, booked, now);
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
