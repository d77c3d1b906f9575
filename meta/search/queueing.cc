// This file judges by shadows and committed plans; the sites decide.
#include "meta/search/queueing.h"

#include <algorithm>

#include "meta/requests/beyond_balance.h"
#include "meta/requests/credentials.h"
#include "meta/requests/figures.h"
#include "meta/requests/horizon.h"
#include "meta/requests/rank.h"
#include "meta/requests/site_speeds.h"
#include "meta/search/packing/blocks.h"
#include "partitioner/fits.h"
#include "partitioner/split.h"
#include "schemas/canonical.h"
#include "schemas/lent_words.h"

namespace muster::meta {
namespace {

using schemas::Reason;
using schemas::ReasonCode;

// True if other queued requests wait for this site.
bool OthersWait(const SearchLayer& f, const Request& request, const std::string& site) {
  size_t waiting = f.room.queues().Wanted(site);
  const RequestId id = request.id();
  if (waiting > 0 && f.room.InQueue(id)) {
    const std::vector<std::string>& own = f.room.queues().SitesOf(id);
    if (std::find(own.begin(), own.end(), site) != own.end()) --waiting;
  }
  return waiting > 0;
}

}  // namespace

IntervalSet GapsAt(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                   const std::string& name, Span last, const IntervalSet& allowed) {
  if (allowed.empty()) return {};
  const Site& site = f.sites.at(name);
  const Span tail{several ? (f.options.values.start_wait.milliseconds + 999) / 1000 : 0};
  const Instant first = allowed.intervals()[0].begin;
  std::vector<Interval> starts;
  if (const std::optional<Instant> end = site.committed.End()) {
    starts.push_back(
        {first, *end - LengthAt(f, request.record().spec, name) - tail - last + Span{1}});
  }
  if (first <= t.NowCeiling() + NearNow(f) && !OthersWait(f, request, name)) {
    const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
    starts.push_back({first, first + turnover + room::kStartsNow});
  }
  std::erase_if(starts, [](const Interval& i) { return i.begin >= i.end; });
  return allowed.Intersect(IntervalSet(std::move(starts)));
}

std::string RefusedKeyOf(const Request& request, bool any_duration) {
  const schemas::RequestSpec& spec = request.record().spec;
  schemas::CanonicalWriter key;
  key.Put(request.record().requester.user);
  key.Put(spec.account);
  key.Put(spec.qos);
  key.Put(spec.queue);
  key.Put(spec.request_class);
  key.Put(spec.parts);
  if (!any_duration) key.Put(spec.duration);
  key.Put(spec.apart);
  key.Put(spec.from);
  key.Put(spec.after);
  key.Put(request.id().is_element());
  return key.bytes();
}

std::string LentKeyOf(const SearchLayer& f, const Request& request) {
  const bool for_all = std::none_of(f.sites.begin(), f.sites.end(), [](const auto& site) {
    return site.second.Can(schemas::kRecallsForSome);
  });
  return RefusedKeyOf(request, for_all);
}

void TakeQueues(SearchLayer& f) {
  std::vector<std::string> names;
  std::vector<int64_t> orders;
  for (const Queue& queue : f.options.queues) {
    names.push_back(queue.name);
    orders.push_back(std::max<int64_t>(queue.order, 1));
  }
  if (orders.empty()) orders.push_back(1);
  f.requests.SetQueues(std::move(names));
  f.room.SetQueues(std::move(orders));
}

bool PromisedAtOnce(const SearchLayer& f, const Request& request) {
  const policy::Qos* const qos = QosOf(f, request.record().spec);
  // What is promised at its start waits for room, not for a block.
  if (qos && (qos->promise == policy::PromiseTime::kStart ||
              qos->promise == policy::PromiseTime::kSubmission))
    return true;
  if (!f.options.threshold || request.replacing || f.searches.Of(request.id()).left_queue)
    return true;
  if (request.record().replacements > 0) return true;
  return AsksForPromise(f, request.record().spec);
}

std::vector<std::string> UsableSites(const SearchLayer& f, const Request& request, size_t part) {
  const schemas::PartSpec& spec = request.record().spec.parts[part];
  std::vector<std::string> out = partitioner::EligibleSites(spec, f.site_names);
  std::erase_if(out, [&](const std::string& name) {
    const Site& site = f.sites.at(name);
    return f.searches.SaidNever(request.id(), part, name) || KeepsRoomFrom(f, request, name) ||
           (site.capacity && partitioner::WhyNever(spec, *site.capacity));
  });
  return out;
}

void EnterQueue(SearchLayer& f, Request& request) {
  f.searches.StartOver(request.id());
  std::vector<std::string> sites;
  for (size_t i = 0; i < request.record().spec.parts.size(); ++i) {
    for (std::string& site : UsableSites(f, request, i)) sites.push_back(std::move(site));
  }
  std::sort(sites.begin(), sites.end());
  sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
  if (sites.empty()) {
    // No block would ever be due for this request. Its sites are asked, and say never or why not
    // now.
    f.searches.MeetAlone(request.id());
    f.room.Ready(RankOf(request));
    return;
  }
  f.room.Queue(RankOf(request), std::move(sites));
  const std::optional<Reason>& reason = request.record().reason;
  const bool came_back =
      reason && (reason->code == ReasonCode::kContended || reason->code == ReasonCode::kBudget);
  if (came_back) return;
  f.requests.SetReason(
      request, {.code = ReasonCode::kPolicy,
                .text = "waits in queue " + request.record().spec.queue + " for the next block"});
}

void GapRefused(SearchLayer& f, Request& request, bool answered) {
  const bool released_since = f.searches.Of(request.id()).gap_since != f.gaps.releases();
  if (answered && !released_since) f.gaps.NoteRefused(RefusedKeyOf(request));
  EnterQueue(f, request);
  if (released_since) NoteRoomBack(f);
}

Span NearNow(const SearchLayer& f) { return Span{f.options.values.lead.milliseconds / 1000 + 1}; }

IntervalSet StartsSought(const SearchLayer& f, const Turn& t, const Request& request, bool several,
                         const std::string& site) {
  IntervalSet allowed = StartsAt(f, t, request, several, {site});
  if (PromisedAtOnce(f, request)) return allowed;
  Span last;
  for (const schemas::PartSpec& part : request.record().spec.parts)
    last = std::max(last, part.offset);
  return GapsAt(f, t, request, several, site, last, allowed);
}

void NoteRoomBack(SearchLayer& f) {
  if (!f.options.threshold || f.room.queues().size() == 0) return;
  f.gaps.BeginAgain();
}

std::optional<Instant> NextBlockAt(const SearchLayer& f) {
  if (!f.options.threshold) return std::nullopt;
  std::optional<Instant> next;
  for (const auto& [name, waiting] : f.room.queues().wanted()) {
    const auto site = f.sites.find(name);
    if (site == f.sites.end() || !site->second.Up() || site->second.disk_low) continue;
    const Instant at = BlockDueFor(f, name).value_or(Instant{0});
    if (!next || at < *next) next = at;
  }
  return next;
}

bool BlockIsDue(const SearchLayer& f, const Turn& t) {
  const std::optional<Instant> at = NextBlockAt(f);
  return at && *at <= t.plan.Floor();
}

std::optional<BootInstant> NextExtraction(const SearchLayer& f, const Turn& t) {
  if (f.block) return std::nullopt;
  const std::optional<Instant> at = NextBlockAt(f);
  if (!at) return std::nullopt;
  return std::max(BootOf(f, ToMoment(*at)), t.boot());
}

}  // namespace muster::meta
