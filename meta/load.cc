// Checks records against their keys. Volatile state (HOLDING, waves, questions) starts empty. Holds
// that were ordered in HOLDING are released or adopted when the sites are compared.
#include "meta/load.h"

#include "meta/attempts/shadows.h"
#include "meta/requests/occurrences.h"
#include "meta/requests/rank.h"
#include "meta/requests/reservation_times.h"
#include "meta/requests/spanning_limits.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/windows.h"
#include "meta/search/queueing.h"
#include "meta/turn/keys.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

using schemas::AttemptState;

struct Loader {
  ServiceLayer& f;
  const std::string& key;
  std::map<RequestId, std::string>& scripts;
  bool& known;

  absl::Status Fits(const std::string& wanted) const {
    if (key == wanted) return absl::OkStatus();
    return InvalidArgument("the record under '" + key + "' belongs to '" + wanted + "'");
  }
  Site& SiteOnRecord(const std::string& name) const {
    Site& site = f.sites[name];
    if (site.name.empty()) {
      site.name = name;
      site.mirror = verifier::Mirror(name);
    }
    return site;
  }

  absl::Status operator()(schemas::MetaIdentity& r) const {
    if (r.federation != f.options.federation) {
      return InvalidArgument("this store is of federation '" + r.federation + "', not '" +
                             f.options.federation + "'");
    }
    known = true;
    f.identity.Restore(std::move(r));
    return Fits(kIdentityKey);
  }
  absl::Status operator()(schemas::RequestRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(RequestKey(r.id)));
    if (r.spec.parts.empty())
      return InvalidArgument("the request under '" + key + "' has no parts");
    f.requests.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::AttemptRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(AttemptKey(r.fence)));
    if (r.members.empty()) return InvalidArgument("the attempt under '" + key + "' has no members");
    for (const std::string& name : r.members) SiteOnRecord(name);
    if (!f.attempts.Restore(std::move(r))) {
      return InvalidArgument("the attempt under '" + key +
                             "' is permitted, as another one of its request is");
    }
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::SiteLinkRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(SiteKey(r.name)));
    SiteOnRecord(r.name).Restore(r);
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::MirrorRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(MirrorKey(r.site, r.fence)));
    SiteOnRecord(r.site).mirror.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::ScriptRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(ScriptKey(r.request)));
    scripts[r.request] = std::move(r.script);
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::SteerRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(SteerKey(r.steer.order)));
    SiteOnRecord(r.site);
    f.node_orders.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::KeyRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(KeyKey(r.name)));
    f.keys.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::AuditRow& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(AuditKey(r.number)));
    f.audit.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::OutcomeRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(OutcomeKey(r.day)));
    f.outcomes.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::UseRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(verifier::UseKey(r.window, r.who)));
    f.use.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::AccountRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(AccountKey(r.name)));
    f.bank.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::EntryRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(EntryKey(r.number)));
    f.bank.Restore(std::move(r));
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::FareRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(FareKey(r.site)));
    f.fares.Restore(r.site, r);
    return absl::OkStatus();
  }
  absl::Status operator()(schemas::SchedulerRecord& r) const {
    MUSTER_RETURN_IF_ERROR(Fits(kSchedulerKey));
    RestoreScheduler(f.scheduler, std::move(r));
    TakeSettings(f.scheduler.record->set, f.options);
    TakeQueues(f);
    return absl::OkStatus();
  }
};

void RestoreAttempt(ServiceLayer& f, const Fence& fence, Attempt& attempt, Request& request,
                    BootInstant now) {
  if (attempt.state() == AttemptState::kClosed) return;
  request.attempts.insert(fence);
  // The record does not say which attempts filled gaps. All count as block entries, so that the
  // next block comes later rather than too early.
  attempt.of_block = true;
  f.attempts.WakeAt(attempt, now);
  for (const std::string& name : attempt.record().members) {
    Site& site = f.sites.at(name);
    site.attempts.insert(fence);
    if (site.forgotten()) attempt.lost.insert(name);
    BookShadow(f, attempt, name, attempt.record().start);
    const schemas::MirrorRecord* hold = site.mirror.Find(fence);
    if (!hold) continue;
    for (const schemas::MirrorPart& part : hold->parts) {
      if (part.started_at) attempt.seen_running.emplace(name, *part.started_at);
    }
  }
}

// Restores what the array knows of this element. Must run before any request is evaluated.
void RestoreArray(ServiceLayer& f, const Request& request) {
  if (!request.id().is_element()) return;
  f.arrays.Count(request.record());
  for (const Fence& fence : request.attempts) TakePlace(f, request, f.attempts.at(fence));
}

void RestoreRequest(ServiceLayer& f, Request& request) {
  const schemas::RequestRecord& r = request.record();
  if (r.lien) f.bank.SetLien(r.id, &*r.lien);
  if (!request.Ended()) CountOpen(f, request, f.clock.Read());
  if (!request.Ended() && !r.spec.array) f.dependents.Add(r.id, r.spec);
  WatchProvisional(f, request);
  if (request.Ended()) {
    if (r.id.is_element()) return;
    f.ended.Add(r.events.empty() ? r.submitted_at : r.events.back().at, r.id);
    return;
  }
  if (!request.Wanted() || r.attempt || IsStanding(request)) return;
  f.room.Ready(RankOf(request));
  WatchWindow(f, request);
}

}  // namespace

absl::StatusOr<ServiceLayer> LoadFederation(
    Options options, std::vector<std::pair<std::string, schemas::MetaRecord>> records, Now now) {
  ServiceLayer f(now);
  f.random = Random(options.seed);
  f.site_names = options.sites;
  std::sort(f.site_names.begin(), f.site_names.end());
  for (const User& user : options.users) f.users[user.name] = user;
  f.options = std::move(options);
  TakeQueues(f);
  for (const std::string& name : f.site_names) {
    f.sites[name].name = name;
    f.sites[name].mirror = verifier::Mirror(name);
  }
  std::map<RequestId, std::string> scripts;
  bool known = false;
  for (auto& [key, record] : records) {
    MUSTER_RETURN_IF_ERROR(std::visit(Loader{f, key, scripts, known}, record));
  }
  if (!known && !records.empty()) return InvalidArgument("a store without its 'meta' record");
  schemas::MetaIdentity& identity = f.identity.Edit();
  identity.federation = f.options.federation;
  identity.epoch.value += 1;
  f.fences = verifier::FenceMint(identity.epoch);
  for (auto& [id, script] : scripts) {
    if (!f.requests.Find(id))
      return InvalidArgument("a script of request " + ToText(id) + ", which is not on record");
    f.requests.RestoreScript(id, std::move(script));
  }
  for (auto& [fence, attempt] : f.attempts) {
    Request* request = f.requests.Find(attempt.record().request);
    if (!request)
      return InvalidArgument("attempt " + ToText(fence) + " of a request that is not on record");
    RestoreAttempt(f, fence, attempt, *request, now.boot);
  }
  f.events.Begin(f.identity->epoch);
  for (const auto& [id, request] : f.requests.all()) RestoreArray(f, request);
  for (const auto& [id, request] : f.requests.all()) RestoreRequest(f, *f.requests.Find(id));
  return f;
}

}  // namespace muster::meta
