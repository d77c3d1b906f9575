// Computed on demand from the values that FlushWrites stores.
#include "meta/service/digest.h"

#include <map>

#include "meta/turn/keys.h"
#include "meta/turn/turn.h"
#include "schemas/canonical.h"

namespace muster::meta {

Digest DurableDigest(const ServiceLayer& f) {
  std::map<std::string, Digest> all;
  schemas::MetaIdentity identity = *f.identity;
  identity.epoch = {};  // each start increments it
  all[kIdentityKey] = schemas::DigestOf(identity);
  for (const auto& [id, request] : f.requests.all()) {
    all[RequestKey(id)] = schemas::DigestOf(StoredForm(request));
    if (HasScriptRecord(request)) {
      all[ScriptKey(id)] =
          schemas::DigestOf(schemas::ScriptRecord{id, request.record().spec.payload.script});
    }
  }
  for (const auto& [fence, attempt] : f.attempts) {
    if (attempt.durable()) all[AttemptKey(fence)] = schemas::DigestOf(attempt.record());
  }
  for (const auto& [name, site] : f.sites) {
    if (site.incarnation().value != 0 || site.forgotten())
      all[SiteKey(name)] = schemas::DigestOf(site.Stored());
    for (const auto& [fence, hold] : site.mirror.holds()) {
      all[MirrorKey(name, fence)] = schemas::DigestOf(hold);
    }
  }
  for (const auto& [order, steer] : f.node_orders.all())
    all[SteerKey(order)] = schemas::DigestOf(steer);
  for (const auto& [name, key] : f.keys.all()) all[KeyKey(name)] = schemas::DigestOf(key);
  for (const auto& [number, row] : f.audit.all()) all[AuditKey(number)] = schemas::DigestOf(row);
  for (const auto& [day, record] : f.outcomes.all())
    all[OutcomeKey(day)] = schemas::DigestOf(record);
  for (const auto& [key, record] : f.use.all()) {
    all[verifier::UseKey(record.window, record.who)] = schemas::DigestOf(record);
  }
  for (const auto& [site, fare] : f.fares.all()) all[FareKey(site)] = schemas::DigestOf(fare);
  for (const auto& [name, account] : f.bank.accounts()) {
    all[AccountKey(name)] = schemas::DigestOf(account);
  }
  for (const auto& [number, entry] : f.bank.entries()) {
    all[EntryKey(number)] = schemas::DigestOf(entry);
  }
  if (*f.scheduler.record != schemas::SchedulerRecord{}) {
    all[kSchedulerKey] = schemas::DigestOf(*f.scheduler.record);
  }
  schemas::CanonicalWriter writer;
  for (const auto& [key, digest] : all) {
    writer.Put(key);
    writer.Put(digest);
  }
  return schemas::Hash(writer.bytes());
}

}  // namespace muster::meta
