// A place that is given back for another one promises nothing unless it stays.
#include "meta/attempts/staying.h"

#include <utility>

#include "meta/requests/attempt_facts.h"
#include "meta/requests/figures.h"

namespace muster::meta {

schemas::Cause WhyMoved(const Site& site, const schemas::MirrorRecord& hold, bool later) {
  if (!later) return {schemas::CauseCode::kBackfilled, {.site = site.name}, "site:" + site.name};
  const schemas::CauseCode code = hold.cause.code;
  const bool excuse = code != schemas::CauseCode::kNone && code < schemas::CauseCode::kBackfilled;
  if (excuse) return hold.cause;
  return {schemas::CauseCode::kSiteSilent, {.site = site.name}, "meta"};
}

void TellStaying(AttemptsLayer& f, Turn& t, Request& request, const Attempt& attempt) {
  if (!attempt.released || attempt.Several()) return;
  const Site& site = f.sites.at(attempt.record().members[0]);
  const schemas::MirrorRecord* hold = site.mirror.Find(attempt.fence());
  schemas::Figures now = PromiseOf(f, SpecOf(request, attempt), attempt, t.plan);
  const auto& history = request.record().history;
  if (!hold || history.empty() || !now.starts_by) return;
  const auto& told = history.back().figures.starts_by;
  const bool later = told && now.starts_by->at > told->at;
  TellFigures(f, request, std::move(now), WhyMoved(site, *hold, later), t.plan);
}

}  // namespace muster::meta
