// Checks common to all acts: permission, disk space, and whether the verb can be tried.
#include "meta/service/operations.h"

#include <utility>

#include "meta/requests/refusals.h"
#include "meta/search/scheduler_settings.h"
#include "meta/service/access.h"
#include "meta/service/accounts.h"
#include "meta/service/alter.h"
#include "meta/service/audit.h"
#include "meta/service/job_operations.h"
#include "meta/service/node_operations.h"
#include "meta/service/reload.h"

namespace muster::meta {
namespace {

using schemas::ActVerb;

void OnSchedule(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const schemas::SchedulerChange change = act.scheduler.value_or(schemas::SchedulerChange{});
  if (auto wrong = SetScheduler(f, t, asker.user, change)) {
    return Refuse(f, t, asker, std::move(*wrong));
  }
  schemas::Accepted out;
  out.notes = SettingsWords(change);
  Audit(f, t, "user:" + asker.user, "scheduler", SettingsText(change), "set");
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

bool NeedsOperator(ActVerb verb) {
  return verb != ActVerb::kPark && verb != ActVerb::kUnpark && verb != ActVerb::kRotateKey &&
         verb != ActVerb::kAlter;
}

}  // namespace

void OnAct(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  if (NeedsOperator(act.verb) && !IsOperator(f, asker.user)) {
    return Refuse(f, t, asker,
                  {.code = "denied",
                   .message = "this is for operators; you are " + asker.user + ", role user",
                   .changed = kNothingChanged});
  }
  if (f.disk_low && act.verb != ActVerb::kPark && act.verb != ActVerb::kForget &&
      act.verb != ActVerb::kSettle && act.verb != ActVerb::kRevokeKey) {
    return Refuse(f, t, asker,
                  {.code = "disk-full",
                   .message = "the meta's disk is nearly full",
                   .help = "free space first",
                   .changed = kNothingChanged});
  }
  const bool can_be_tried =
      act.verb == ActVerb::kDrain || act.verb == ActVerb::kResume || act.verb == ActVerb::kAlter;
  if (act.only_try && !can_be_tried) {
    return Refuse(f, t, asker,
                  {.code = "usage",
                   .message = "this moves no promise: there is nothing to try",
                   .help = "whatif knows drain, resume, alter and cancel",
                   .changed = kNothingChanged});
  }
  switch (act.verb) {
    case ActVerb::kPark:
    case ActVerb::kUnpark:
      return OnPark(f, t, asker, act);
    case ActVerb::kSettle:
      return OnSettle(f, t, asker, act);
    case ActVerb::kDrain:
    case ActVerb::kResume:
      return OnDrain(f, t, asker, act);
    case ActVerb::kForget:
      return OnForget(f, t, asker, act);
    case ActVerb::kReload:
      return OnReload(f, t, asker);
    case ActVerb::kRotateKey:
      return OnRotateKey(f, t, asker, act);
    case ActVerb::kRevokeKey:
      return OnRevokeKey(f, t, asker, act);
    case ActVerb::kAlter:
      return OnAlter(f, t, asker, act);
    case ActVerb::kSchedule:
      return OnSchedule(f, t, asker, act);
    case ActVerb::kPost:
      return OnPost(f, t, asker, act);
  }
}

}  // namespace muster::meta
