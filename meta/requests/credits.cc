// A lien is part of the request's record, so each change of it is written with what it is for; the
// ledger is told of it for its sums.
#include "meta/requests/credits.h"

#include <algorithm>
#include <numeric>
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

// Whether the place that is sought is one that the user asked for: the first one, or that of an
// alteration. Else it is another one for what was promised, perhaps before there was a bank.
bool IsByUser(const Request& request) {
  const schemas::RequestRecord& record = request.record();
  if (request.before()) return !request.TriesElsewhere();
  return !record.lien && !record.attempt && record.replacements == 0;
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

void Put(RequestsLayer& f, Request& request, std::optional<Lien> lien) {
  if (request.record().lien == lien) return;
  schemas::RequestRecord& record = f.requests.Edit(request);
  record.lien = std::move(lien);
  f.bank.SetLien(request.id(), record.lien ? &*record.lien : nullptr);
}

bool IsSettled(const Lien& lien, uint64_t part) {
  return std::find(lien.settled.begin(), lien.settled.end(), part) != lien.settled.end();
}

// Whether the part used what it used for its user. What a site took away, or never got to run, is
// charged to nobody.
bool IsCharged(const Attempt& attempt, const schemas::MirrorRecord& hold,
               const schemas::MirrorPart& part) {
  if (attempt.record().partial) return false;
  if (part.end.by == EndedBy::kExit || part.end.by == EndedBy::kWalltime) return true;
  if (part.end.by != EndedBy::kRelease) return false;
  const CauseCode why =
      hold.cause.code == CauseCode::kPartner ? hold.cause.because : hold.cause.code;
  return why == CauseCode::kNone || why == CauseCode::kUser;
}

// What the part used, in its hours; a site that reports more than it was booked for gets no more.
int64_t UsedBy(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt,
               uint32_t i, const schemas::MirrorPart& part, Moment now) {
  const Moment end = std::min(part.ended_at.value_or(now), now);
  const int64_t elapsed = std::max<int64_t>(part.usage.elapsed.milliseconds, 0);
  const std::string& site = attempt.record().part_sites[i];
  return policy::PriceOf(*f.options.bank, f.options.validities.zone,
                         AmountsOf(spec.parts[i], part.booking.counts), TimesAt(f, spec, site),
                         Moment{end.milliseconds - elapsed}, end);
}

}  // namespace

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
  for (const schemas::PartSpec& part : spec.parts) {
    std::optional<int64_t> of_part;
    for (const std::string& site : partitioner::EligibleSites(part, f.site_names)) {
      const int64_t price = policy::LeastPriceOf(*f.options.bank, partitioner::AmountsOf(part),
                                                 TimesAt(f, spec, site), LengthAt(f, spec, site));
      of_part = std::min(of_part.value_or(price), price);
    }
    least += of_part.value_or(0);
  }
  if (least <= MaySetAside(f, request, now)) return std::nullopt;
  return TooLittle(f, request, least, now);
}

std::optional<Reason> SetAside(RequestsLayer& f, const Request& request,
                               const std::vector<std::string>& part_sites, Instant start, Span tail,
                               Moment now) {
  const schemas::RequestSpec& spec = request.record().spec;
  std::optional<Reason> why;
  int64_t price = 0;
  if (IsPaid(f, spec) && IsByUser(request)) {
    price = Sum(PricesOf(f, spec, part_sites, start, tail));
    if (price > MaySetAside(f, request, now)) why = TooLittle(f, request, price, now);
  }
  if (why || price == 0) {
    f.bank.Unwant(request.id());
  } else {
    f.bank.Want(request.id(), spec.account, price);
  }
  return why;
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
    // The start may be in dearer hours than the one for which it was set aside.
    int64_t left = std::max<int64_t>(MaySetAside(f, request, now), 0);
    for (int64_t& price : prices) left -= price = std::min(price, left);
  }
  f.bank.Unwant(request.id());
  const int64_t charged = before ? before->charged : 0;
  if (Sum(prices) == 0 && charged == 0) return Put(f, request, std::nullopt);
  Put(f, request,
      Lien{.account = spec.account,
           .taken = before ? before->taken : now,  // what it was drawn from stays alive for it
           .parts = std::move(prices),
           .charged = charged});
}

void EaseLien(RequestsLayer& f, Request& request, const Attempt& attempt) {
  if (!request.record().lien) return;
  Lien lien = *request.record().lien;
  lien.parts = NoMoreThan(lien, PricesOf(f, SpecOf(request, attempt), attempt.record().part_sites,
                                         attempt.record().start, WaitOf(f, attempt)));
  Put(f, request, std::move(lien));
}

std::optional<Reason> RaiseLien(RequestsLayer& f, Request& request, const Attempt& attempt,
                                const schemas::RequestSpec& next, Moment now) {
  if (!request.record().lien) return std::nullopt;
  Lien lien = *request.record().lien;
  const std::vector<int64_t> prices =
      PricesOf(f, next, attempt.record().part_sites, attempt.record().start, WaitOf(f, attempt));
  for (size_t i = 0; i < lien.parts.size() && i < prices.size(); ++i) {
    if (!IsSettled(lien, i + 1)) lien.parts[i] = std::max(lien.parts[i], prices[i]);
  }
  if (lien.Open() > request.record().lien->Open() && lien.Open() > MaySetAside(f, request, now)) {
    return TooLittle(f, request, lien.Open(), now);
  }
  Put(f, request, std::move(lien));
  return std::nullopt;
}

void SettleLien(RequestsLayer& f, Request& request, const Attempt& attempt, Moment now) {
  if (!request.record().lien || request.record().attempt != attempt.fence()) return;
  if (!attempt.durable()) return;
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
    if (used && f.options.bank && IsCharged(attempt, *hold, *part)) {
      const int64_t amount = std::min(lien.parts[i], UsedBy(f, spec, attempt, i, *part, now));
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
  // Nobody can tell any more what it used.
  const bool lost = request.record().outcome == schemas::Outcome::kLost;
  for (uint32_t i = 0; i < lien.parts.size(); ++i) {
    if (IsSettled(lien, i + 1)) continue;
    if (!lost && attempt != f.attempts.end() && i < attempt->second.record().part_sites.size()) {
      const schemas::MirrorRecord* hold = nullptr;
      const schemas::MirrorPart* part = PartAt(f, attempt->second, i, &hold);
      const bool open = hold && hold->state != schemas::HoldState::kClosed;
      const bool runs = part && part->started_at && !part->usage_final;
      if (open || runs) continue;  // SettleLien follows with the site's report
    }
    lien.parts[i] = 0;
    lien.settled.push_back(i + 1);
  }
  if (lien.Open() == 0 && lien.charged == 0) return Put(f, request, std::nullopt);
  Put(f, request, std::move(lien));
}

}  // namespace muster::meta
