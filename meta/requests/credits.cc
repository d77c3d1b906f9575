// A lien is part of the request's record, so each change of it is written with what it is for; the
// ledger is told of it for its sums.
#include "meta/requests/credits.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "base/units.h"
#include "meta/requests/attempt_facts.h"
#include "meta/requests/credentials.h"
#include "meta/requests/site_speeds.h"
#include "meta/turn/keys.h"
#include "partitioner/split.h"
#include "policy/rates.h"

namespace muster::meta {
namespace {

using schemas::CauseCode;
using schemas::EndedBy;
using schemas::Lien;
using schemas::Reason;

int64_t Sum(const std::vector<int64_t>& all) {
  return std::accumulate(all.begin(), all.end(), int64_t{0});
}

int64_t ChargeAt(const RequestsLayer& f, const std::string& site) {
  const auto it = f.options.terms.find(site);
  return it == f.options.terms.end() ? 1000 : it->second.charge;
}

// The multiple of the rates for this request at the site, in millionths.
int64_t TimesAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site) {
  const policy::Qos* qos = QosOf(f, spec);
  return (qos ? qos->charge : 1000) * ChargeAt(f, site);
}

// What the account may still set aside for this request.
int64_t MaySetAside(const RequestsLayer& f, const Request& request, Moment now) {
  const std::string& name = request.record().spec.account;
  const policy::Account* account = f.options.credentials.FindAccount(name);
  return f.bank.Free(name, now.Floor(), request.id()) + (account ? account->overdraft : 0);
}

// A place that the user did not ask for costs no more than the one before.
std::vector<int64_t> NoMoreThan(const Lien& before, std::vector<int64_t> prices) {
  for (size_t i = 0; i < prices.size(); ++i) {
    const int64_t most = i < before.parts.size() ? before.parts[i] : 0;
    prices[i] = std::min(prices[i], most);
  }
  return prices;
}

Reason TooLittle(const RequestsLayer& f, const Request& request, int64_t price, Moment now) {
  const std::string& account = request.record().spec.account;
  const int64_t has = std::max<int64_t>(MaySetAside(f, request, now), 0);
  return {.code = schemas::ReasonCode::kCredit,
          .until = f.bank.NextBegin(account, now.Floor()),
          .text = "account " + account + " has " + CreditsText(has) + " of " + CreditsText(price) +
                  " credits"};
}

// What a place for the request may cost: what it has set aside already, or what it may set aside.
int64_t MayCost(const RequestsLayer& f, const Request& request, Moment now) {
  const std::optional<Lien>& lien = request.record().lien;
  const bool same = lien && lien->account == request.record().spec.account;
  return std::max(same ? lien->Open() : int64_t{0}, MaySetAside(f, request, now));
}

// What the part costs at the cheapest of the sites that it allows, in their cheapest hours.
int64_t LeastPriceOf(const RequestsLayer& f, const schemas::RequestSpec& spec, size_t part) {
  std::optional<int64_t> least;
  for (const std::string& site : partitioner::EligibleSites(spec.parts[part], f.site_names)) {
    const int64_t price = LeastPriceAt(f, spec, part, site);
    least = std::min(least.value_or(price), price);
  }
  return least.value_or(0);
}

void Put(RequestsLayer& f, Request& request, std::optional<Lien> lien) {
  if (request.record().lien == lien) return;
  schemas::RequestRecord& record = f.requests.Edit(request);
  record.lien = std::move(lien);
  f.bank.SetLien(request.id(), record.lien ? &*record.lien : nullptr);
}

bool IsSettled(const Lien& lien, uint64_t part) {
  return std::find(lien.settled.begin(), lien.settled.end(), part) != lien.settled.end();
}

// Whether a part ended for a reason of its user's.
bool EndedByItself(const schemas::MirrorPart& part) {
  return part.end.by == EndedBy::kExit || part.end.by == EndedBy::kWalltime;
}

// Whether the part used what it used for its user. What a site took away, from it or from a partner
// for which it was ended, or never got to run, is charged to nobody.
bool IsCharged(const RequestsLayer& f, const Attempt& attempt, const schemas::MirrorRecord& hold,
               const schemas::MirrorPart& part) {
  if (attempt.record().partial) return false;
  bool all_started = true;
  bool taken_away = false;
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    const schemas::MirrorPart* other = PartAt(f, attempt, i);
    all_started = all_started && other && other->started_at;
    taken_away = taken_away || !other || other->end.by == EndedBy::kUnknown ||
                 other->end.by == EndedBy::kFailedToStart;
  }
  if (attempt.Several() && !all_started) return false;
  if (EndedByItself(part)) return true;
  if (part.end.by != EndedBy::kRelease) return false;
  const bool partner = hold.cause.code == CauseCode::kPartner;
  if (partner && hold.cause.because == CauseCode::kNone && taken_away) return false;
  const CauseCode why = partner ? hold.cause.because : hold.cause.code;
  return why == CauseCode::kNone || why == CauseCode::kUser;
}

// What the part has cost from `from` to `to` as large as it is now.
int64_t PriceBetween(const RequestsLayer& f, const schemas::RequestSpec& spec,
                     const Attempt& attempt, size_t i, const ResourceSet& amounts, Moment from,
                     Moment to) {
  const std::string& site = attempt.record().part_sites[i];
  return policy::PriceOf(*f.options.bank, f.options.validities.zone, amounts,
                         TimesAt(f, spec, site), from, to);
}

// What the part used, in its hours and with the sizes that it had; a site that reports more than it
// was booked for gets no more.
int64_t UsedBy(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt,
               const Lien& lien, uint32_t i, const schemas::MirrorPart& part, Moment now) {
  const Moment end = std::min(part.ended_at.value_or(now), now);
  const int64_t elapsed = std::max<int64_t>(part.usage.elapsed.milliseconds, 0);
  Moment begin{end.milliseconds - elapsed};
  int64_t used = 0;
  if (i < lien.since.size() && lien.since[i] > begin) {
    used = lien.accrued[i];
    begin = lien.since[i];
  }
  return used + PriceBetween(f, spec, attempt, i, AmountsOf(spec.parts[i], part.booking.counts),
                             begin, end);
}

// What the parts of a request that may run cost to their booked ends.
std::vector<int64_t> PricesFromNow(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                   const Attempt& attempt, const Lien& lien) {
  std::vector<int64_t> out =
      PricesOf(f, spec, attempt.record().part_sites, attempt.record().start, WaitOf(f, attempt));
  for (size_t i = 0; i < out.size() && i < lien.since.size(); ++i) {
    if (lien.since[i].milliseconds == 0) continue;
    const std::string& site = attempt.record().part_sites[i];
    const Instant end = attempt.record().start + spec.parts[i].offset + LengthAt(f, spec, site);
    out[i] =
        lien.accrued[i] + PriceBetween(f, spec, attempt, i, partitioner::AmountsOf(spec.parts[i]),
                                       lien.since[i], ToMoment(end));
  }
  return out;
}

}  // namespace

bool IsByUser(const Request& request) {
  const schemas::RequestRecord& record = request.record();
  if (request.before()) return !request.TriesElsewhere();
  if (record.attempt) return false;
  return record.lien ? record.lien->asked_anew : record.replacements == 0;
}

bool IsPaid(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return f.options.bank && !spec.account.empty() && !spec.inside;
}

std::vector<int64_t> PricesOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                              const std::vector<std::string>& part_sites, Instant start,
                              Span tail) {
  std::vector<int64_t> out;
  if (!IsPaid(f, spec)) return out;
  for (size_t i = 0; i < spec.parts.size() && i < part_sites.size(); ++i) {
    const Instant begin = start + spec.parts[i].offset;
    const Instant end = begin + LengthAt(f, spec, part_sites[i]) + tail;
    out.push_back(policy::PriceOf(*f.options.bank, f.options.validities.zone,
                                  partitioner::AmountsOf(spec.parts[i]),
                                  TimesAt(f, spec, part_sites[i]), ToMoment(begin), ToMoment(end)));
  }
  return out;
}

std::optional<Reason> WhyNotPaid(const RequestsLayer& f, const Request& request, Moment now) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (!IsPaid(f, spec) || !IsByUser(request)) return std::nullopt;
  int64_t least = 0;
  for (size_t part = 0; part < spec.parts.size(); ++part) least += LeastPriceOf(f, spec, part);
  if (least <= MaySetAside(f, request, now)) return std::nullopt;
  return TooLittle(f, request, least, now);
}

bool CanPay(const RequestsLayer& f, const Request& request,
            const std::vector<std::string>& part_sites, Instant start, Span tail, Moment now) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (!IsPaid(f, spec)) return true;
  return Sum(PricesOf(f, spec, part_sites, start, tail)) <= MayCost(f, request, now);
}

int64_t LeastPriceAt(const RequestsLayer& f, const schemas::RequestSpec& spec, size_t part,
                     const std::string& site) {
  return policy::LeastPriceOf(*f.options.bank, partitioner::AmountsOf(spec.parts[part]),
                              TimesAt(f, spec, site), LengthAt(f, spec, site));
}

std::optional<Reason> SetAside(RequestsLayer& f, const Request& request,
                               const std::vector<std::string>& part_sites, Instant start, Span tail,
                               Moment now) {
  const schemas::RequestSpec& spec = request.record().spec;
  std::optional<Reason> why;
  int64_t price = 0;
  if (IsPaid(f, spec) && IsByUser(request)) {
    f.bank.Advance(now);  // what was freed just now may be of an allocation that has ended
    price = Sum(PricesOf(f, spec, part_sites, start, tail));
    const std::optional<Lien>& lien = request.record().lien;
    const int64_t has = lien && lien->account == spec.account ? lien->Open() : 0;
    const bool more = price > has;
    if (more && price > MaySetAside(f, request, now)) why = TooLittle(f, request, price, now);
  }
  if (why || price == 0) {
    f.bank.Unwant(request.id());
  } else {
    f.bank.Want(request.id(), spec.account, price, now);
  }
  return why;
}

bool MayPayMore(RequestsLayer& f, Moment now) {
  const std::set<std::string> eased = f.bank.TakeEased();
  return std::any_of(eased.begin(), eased.end(), [&](const std::string& name) {
    const policy::Account* account = f.options.credentials.FindAccount(name);
    return account && f.bank.Free(name, now.Floor()) + account->overdraft > 0;
  });
}

void TakeLien(RequestsLayer& f, Request& request, const Attempt& attempt, Moment now) {
  const schemas::RequestSpec& spec = request.record().spec;
  const std::optional<Lien>& before = request.record().lien;
  std::vector<int64_t> prices;
  const bool by_user = IsByUser(request);
  if (by_user || before) {
    prices =
        PricesOf(f, spec, attempt.record().part_sites, attempt.record().start, WaitOf(f, attempt));
  }
  if (!by_user && before) prices = NoMoreThan(*before, std::move(prices));
  if (by_user) {
    f.bank.Advance(now);
    // The start may be in dearer hours than the one for which it was set aside.
    // What it has set aside of this account already stays.
    const bool same = before && before->account == spec.account;
    int64_t left = std::max(MaySetAside(f, request, now), same ? before->Open() : int64_t{0});
    left = std::max<int64_t>(left, 0);
    for (int64_t& price : prices) left -= price = std::min(price, left);
  }
  const int64_t charged = before ? before->charged : 0;
  std::optional<Lien> lien;
  if (Sum(prices) > 0 || charged > 0) {
    // What it was drawn from stays alive for it, also if that ended since the place was sought.
    const Moment since = f.bank.WantedSince(request.id()).value_or(now);
    lien = Lien{.account = spec.account,
                .taken = before ? before->taken : since,
                .parts = std::move(prices),
                .charged = charged};
  }
  Put(f, request, std::move(lien));
  f.bank.Unwant(request.id());
}

void EaseLien(RequestsLayer& f, Request& request, const Attempt& attempt) {
  if (!request.record().lien || !f.options.bank) return;
  Lien lien = *request.record().lien;
  lien.parts = NoMoreThan(lien, PricesFromNow(f, SpecOf(request, attempt), attempt, lien));
  Put(f, request, std::move(lien));
}

std::optional<Reason> RaiseLien(RequestsLayer& f, Request& request, const Attempt& attempt,
                                const schemas::RequestSpec& next, bool only_try, Moment now) {
  if (!request.record().lien || !f.options.bank) return std::nullopt;
  Lien lien = *request.record().lien;
  const std::vector<int64_t> prices = PricesFromNow(f, next, attempt, lien);
  for (size_t i = 0; i < lien.parts.size() && i < prices.size(); ++i) {
    if (!IsSettled(lien, i + 1)) lien.parts[i] = std::max(lien.parts[i], prices[i]);
  }
  if (lien.Open() > request.record().lien->Open() && lien.Open() > MaySetAside(f, request, now)) {
    return TooLittle(f, request, lien.Open(), now);
  }
  if (!only_try) Put(f, request, std::move(lien));
  return std::nullopt;
}

void AccrueLien(RequestsLayer& f, Request& request, const Attempt& attempt, uint32_t part,
                Moment now) {
  if (!request.record().lien || !f.options.bank || part == 0) return;
  Lien lien = *request.record().lien;
  const size_t i = part - 1;
  const schemas::MirrorPart* known = PartAt(f, attempt, i);
  if (i >= lien.parts.size() || !known || !known->started_at) return;
  lien.accrued.resize(lien.parts.size());
  lien.since.resize(lien.parts.size());
  // Word of the new size and of the part's end may come together, later than the end.
  const Moment until = std::min(now, known->ended_at.value_or(now));
  const Moment begin = std::min(until, std::max(*known->started_at, lien.since[i]));
  // The specification still has the size that it had until now.
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  lien.accrued[i] +=
      PriceBetween(f, spec, attempt, i, partitioner::AmountsOf(spec.parts[i]), begin, until);
  lien.since[i] = until;
  Put(f, request, std::move(lien));
}

void AskAnew(RequestsLayer& f, Request& request) {
  const schemas::RequestRecord& record = request.record();
  if (record.attempt || (!record.lien && record.replacements == 0)) return;
  if (!IsPaid(f, record.spec)) return;
  Lien lien = record.lien.value_or(Lien{.account = record.spec.account});
  lien.asked_anew = true;
  Put(f, request, std::move(lien));
}

void SettleLien(RequestsLayer& f, Request& request, const Attempt& attempt, Moment now) {
  if (!request.record().lien || request.record().attempt != attempt.fence()) return;
  if (!attempt.durable()) return;
  // Of several members one may start alone. It is charged once all have started, or have ended.
  const bool all_closed = std::all_of(
      attempt.record().members.begin(), attempt.record().members.end(), [&](const auto& site) {
        const schemas::MirrorRecord* hold = f.sites.at(site).mirror.Find(attempt.fence());
        return hold && hold->state == schemas::HoldState::kClosed;
      });
  const bool begun = attempt.state() >= schemas::AttemptState::kRunning || all_closed;
  if (attempt.Several() && !begun) return;
  Lien lien = *request.record().lien;
  const schemas::RequestSpec& spec = SpecOf(request, attempt);
  for (uint32_t i = 0; i < lien.parts.size() && i < attempt.record().part_sites.size(); ++i) {
    if (IsSettled(lien, i + 1)) continue;
    const schemas::MirrorRecord* hold = nullptr;
    const schemas::MirrorPart* part = PartAt(f, attempt, i, &hold);
    const bool closed = hold && hold->state == schemas::HoldState::kClosed;
    const bool over = part && (part->ended_at || closed);
    const bool used = over && part->usage_final && part->started_at;
    const std::string& site = attempt.record().part_sites[i];
    if (used && f.options.bank && IsCharged(f, attempt, *hold, *part)) {
      const int64_t amount = std::min(lien.parts[i], UsedBy(f, spec, attempt, lien, i, *part, now));
      f.bank.Charge(
          {.key = "charge/" + site + "/" + FenceKey(attempt.fence()) + "/" + std::to_string(i + 1),
           .by = "",
           .note = "",
           .at = now},
          lien.account, site, amount, request.id());
      lien.charged += amount;
    } else if (!request.Ended() || !closed || (part && part->started_at && !used)) {
      continue;  // it may still be charged, or needed for another place
    }
    lien.parts[i] = 0;
    lien.settled.push_back(i + 1);
  }
  Put(f, request, std::move(lien));
}

void FreeLien(RequestsLayer& f, Request& request) {
  f.bank.Unwant(request.id());
  if (!request.record().lien) return;
  Lien lien = *request.record().lien;
  const auto attempt =
      request.record().attempt ? f.attempts.find(*request.record().attempt) : f.attempts.end();
  // Nobody can tell any more what it used, or never will.
  const bool lost = request.record().outcome == schemas::Outcome::kLost;
  for (uint32_t i = 0; i < lien.parts.size(); ++i) {
    if (IsSettled(lien, i + 1)) continue;
    if (!lost && attempt != f.attempts.end() && i < attempt->second.record().part_sites.size()) {
      const schemas::MirrorRecord* hold = nullptr;
      const schemas::MirrorPart* part = PartAt(f, attempt->second, i, &hold);
      const bool told = !attempt->second.lost.contains(attempt->second.record().part_sites[i]);
      const bool open = hold && hold->state != schemas::HoldState::kClosed;
      const bool used = part && part->started_at && part->usage_final;
      if (told && open && !used) continue;  // SettleLien follows with the site's report
    }
    lien.parts[i] = 0;
    lien.settled.push_back(i + 1);
  }
  if (lien.Open() == 0 && lien.charged == 0) return Put(f, request, std::nullopt);
  lien.asked_anew = lien.Open() == 0;  // once it is released, its next place is paid for
  Put(f, request, std::move(lien));
}

}  // namespace muster::meta
