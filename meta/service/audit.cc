// Each act becomes a line of the audit log, an event, and a line of the daemon's log.
#include "meta/service/audit.h"

#include <utility>

#include "schemas/limits.h"

namespace muster::meta {

void Audit(ServiceLayer& f, Turn& t, std::string who, std::string verb, std::string what,
           std::string result) {
  const uint64_t number = ++f.identity.Edit().last_audit;
  t.Note("audit: " + who + ": " + verb + " " + what + ": " + result);
  t.happened.push_back(
      {.at = t.plan, .code = "act", .user = who, .text = verb + " " + what + ": " + result});
  f.audit.Add({.number = number,
               .at = t.plan,
               .who = std::move(who),
               .verb = std::move(verb),
               .what = std::move(what),
               .result = std::move(result)});
}

void ForgetOldAudit(ServiceLayer& f, Turn& t) {
  f.audit.ForgetBefore(Moment{t.plan.milliseconds - schemas::kRecordKeep.seconds * 1000});
}

}  // namespace muster::meta
