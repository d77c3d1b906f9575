// What shares have had, and what ceilings make of it.
#include "meta/requests/fairshare.h"

#include <algorithm>
#include <optional>
#include <set>

#include "meta/requests/credentials.h"
#include "meta/requests/use_sums.h"

namespace muster::meta {
namespace {

constexpr Instant kNever{INT64_MIN};  // no second of plan time

bool DatesNewWork(const policy::FairshareRules& rules) {
  return std::any_of(rules.shares.begin(), rules.shares.end(),
                     [](const policy::Share& share) { return share.admission; });
}

UseSums SumsOfShares(const RequestsLayer& f, Moment now, bool coming = false) {
  const policy::FairshareRules& rules = *f.options.fairshare;
  std::set<std::string> names{UseBook::kAll};
  for (const policy::Share& share : rules.shares) names.insert(share.who);
  const Whose whose = [&f, now](const Request& request, const std::string&) {
    return SharersOf(f, request, now);
  };
  return UseSums(f, now, rules, names, whose, coming);
}

}  // namespace

policy::Uses UsesAt(const RequestsLayer& f, Moment now) {
  const UseSums sums = SumsOfShares(f, now);
  policy::Uses out{.own = {}, .all = sums.Of(UseBook::kAll)};
  for (const policy::Share& share : f.options.fairshare->shares) {
    out.own.push_back(sums.Of(share.who));
  }
  return out;
}

SharesNow SharesAt(const RequestsLayer& f, Moment now) {
  SharesNow out;
  if (!f.options.fairshare || f.options.fairshare->shares.empty()) return out;
  const policy::FairshareRules& rules = *f.options.fairshare;
  const std::vector<policy::Standing> standings = StandingsOf(rules, UsesAt(f, now));
  for (size_t i = 0; i < standings.size(); ++i) out[rules.shares[i].who] = standings[i];
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
  const UseSums sums = SumsOfShares(f, now, true);
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

const policy::Standing* ShareOf(const SharesNow& shares, const Credentials& asker,
                                std::string* who) {
  const policy::Standing* out = nullptr;
  for (const SharesNow::const_iterator& it : policy::SharesIn(shares, asker)) {
    if (out && out->value <= it->second.value) continue;
    out = &it->second;
    *who = it->first;
  }
  return out;
}

}  // namespace muster::meta
