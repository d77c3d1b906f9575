// Answers at once what the meta knows; asks the sites for the rest.
#include "meta/service/queries.h"

#include <algorithm>

#include "meta/forecast/promise_record.h"
#include "meta/requests/figures.h"
#include "meta/requests/job_view.h"
#include "meta/search/scheduler_settings.h"
#include "meta/service/access.h"
#include "meta/service/accounts.h"
#include "meta/service/digest.h"
#include "meta/service/explain.h"
#include "meta/service/priority.h"
#include "meta/service/shares.h"
#include "meta/service/site_queries.h"
#include "meta/service/what_if.h"

namespace muster::meta {
namespace {

using schemas::Rows;

void GetJobs(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  Rows rows;
  rows.basis = BasisOf(f, f.site_names, t.plan);
  const auto add = [&](const Request& request) {
    if (rows.jobs.size() == schemas::kRowsPerPage) {
      rows.more = true;
      return false;
    }
    rows.jobs.push_back(JobViewOf(f, request, t.plan, false));
    return true;
  };
  if (!get.requests.empty()) {
    std::vector<RequestId> ids = get.requests;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const RequestId id : ids) {
      if (id <= get.page_after) continue;
      const Request* request = f.requests.Find(id);
      if (!request) return Refuse(f, t, asker, NoSuchJob(id, ""));
      if (!add(*request)) break;
    }
  } else if (get.everyone && get.ended) {
    const auto& all = f.requests.all();
    for (auto it = all.upper_bound(get.page_after); it != all.end(); ++it) {
      if (!it->first.is_element() && !add(it->second)) break;
    }
  } else {
    const std::set<RequestId>& ids = get.everyone ? f.requests.open()
                                     : get.ended  ? f.requests.Of(asker.user)
                                                  : f.requests.OpenOf(asker.user);
    for (auto it = ids.upper_bound(get.page_after); it != ids.end(); ++it) {
      if (!it->is_element() && !add(*f.requests.Find(*it))) break;
    }
  }
  SendRows(f, t, asker, std::move(rows));
}

// The sites asked for, or all if none is named. If one is unknown, sends a refusal and returns
// nullopt.
std::optional<std::vector<std::string>> SitesOf(ServiceLayer& f, Turn& t, const Asker& asker,
                                                const std::vector<std::string>& asked) {
  if (asked.empty()) return f.site_names;
  for (const std::string& name : asked) {
    if (f.Lists(name)) continue;
    Refuse(f, t, asker,
           {.code = "not-found", .message = "no site '" + name + "' in this federation"});
    return std::nullopt;
  }
  std::vector<std::string> once = asked;
  std::sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  return once;
}

void GetJob(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (!get.locals.empty()) {
    if (SitesOf(f, t, asker, get.sites)) AskLocals(f, t, asker, get);
    return;
  }
  std::vector<RequestId> ids = get.requests;
  if (get.last) {
    const std::set<RequestId>& own = f.requests.Of(asker.user);
    if (own.empty()) {
      return Refuse(f, t, asker,
                    {.code = "not-found", .message = "no job of " + asker.user + " on record"});
    }
    ids = {own.rbegin()->array()};
  }
  if (ids.empty() || ids.size() > schemas::kRowsPerPage) {
    return Refuse(
        f, t, asker,
        {.code = "usage", .message = std::to_string(ids.size()) + " jobs to show; from 1 to 1000"});
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Rows rows;
  rows.basis = BasisOf(f, f.site_names, t.plan);
  for (const RequestId id : ids) {
    const Request* request = f.requests.Find(id);
    if (!request) return Refuse(f, t, asker, NoSuchJob(id, ""));
    rows.jobs.push_back(JobViewOf(f, *request, t.plan, true));
  }
  SendRows(f, t, asker, std::move(rows));
}

schemas::SiteView SiteViewOf(const Site& site, Moment now) {
  schemas::SiteView out;
  out.name = site.name;
  out.state = site.link.state();
  if (site.heard.milliseconds != 0) {
    out.answered_at = site.heard;
    out.age_s = static_cast<double>(now.milliseconds - site.heard.milliseconds) / 1000;
  }
  if (site.link.offset()) {
    out.clock_offset_s = static_cast<double>(site.link.offset()->milliseconds) / 1000;
  }
  if (!site.capacity) return out;
  out.plan_revision = site.plan;
  out.driver = site.capacity->driver;
  out.capabilities = site.capacity->capabilities;
  out.nodes = 0;
  out.nodes_up = 0;
  for (const schemas::NodeClass& node : site.capacity->classes) {
    *out.nodes += node.count;
    *out.nodes_up += node.up;
  }
  out.total = site.capacity->total;
  // Free amounts are known only while the site answers.
  if (site.Listens()) out.free = site.capacity->free_now;
  return out;
}

schemas::HomeFare ShownFare(const schemas::FareRecord& record) {
  schemas::HomeFare out{
      .from = record.from, .until = record.until, .jobs = record.jobs, .left_out = record.left_out};
  if (record.jobs == 0) return out;
  const auto jobs = static_cast<double>(record.jobs);
  out.wait_mean_s = static_cast<double>(record.waited) / jobs;
  out.wait_most_s = static_cast<double>(record.waited_most);
  out.alone_wait_mean_s = static_cast<double>(record.alone) / jobs;
  out.alone_wait_most_s = static_cast<double>(record.alone_most);
  return out;
}

void GetSites(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  const auto names = SitesOf(f, t, asker, get.sites);
  if (!names) return;
  Rows rows;
  rows.basis = BasisOf(f, *names, t.plan);
  for (const std::string& name : *names) rows.sites.push_back(SiteViewOf(f.sites.at(name), t.plan));
  const schemas::CalibrationView record =
      CalibrationOf(f.outcomes, t.plan.Floor(), f.options.confidence);
  for (schemas::SiteView& site : rows.sites) {
    const auto row = std::find_if(record.rows.begin(), record.rows.end(),
                                  [&](const auto& r) { return r.site == site.name; });
    if (row != record.rows.end()) site.kept_ratio = row->kept_ratio;
    if (const schemas::FareRecord* const fare = f.fares.Find(site.name))
      site.home = ShownFare(*fare);
    const auto balance = f.balances.all().find(site.name);
    if (balance == f.balances.all().end()) continue;
    site.given_s = static_cast<double>(balance->second.given) / 1000;
    site.taken_s = static_cast<double>(balance->second.taken) / 1000;
  }
  SendRows(f, t, asker, std::move(rows));
}

void GetVerdicts(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.requests.size() != 1) {
    return Refuse(f, t, asker, {.code = "usage", .message = "verdicts of one job at a time"});
  }
  const Request* request = f.requests.Find(get.requests[0]);
  if (!request) return Refuse(f, t, asker, NoSuchJob(get.requests[0], ""));
  Rows rows;
  rows.verdicts.assign(request->verdicts.begin(), request->verdicts.end());
  SendRows(f, t, asker, std::move(rows));
}

// The only site that is asked about; none after a refusal.
std::optional<std::string> OneSite(ServiceLayer& f, Turn& t, const Asker& asker,
                                   const schemas::Get& get) {
  if (get.sites.size() != 1) {
    Refuse(f, t, asker, {.code = "usage", .message = "one site at a time"});
    return std::nullopt;
  }
  const auto names = SitesOf(f, t, asker, get.sites);
  return names ? std::optional(names->front()) : std::nullopt;
}

// Of a job, or how a site orders what may move to an earlier start.
void GetPriority(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (get.requests.empty() && !get.sites.empty()) {
    if (auto site = OneSite(f, t, asker, get)) AskRanks(f, t, asker, *site);
    return;
  }
  const Request* request = AskedAbout(f, t, asker, get);
  if (!request || AskPlaces(f, t, asker, *request)) return;
  Rows rows;
  rows.priority = PriorityOf(f, t, *request);
  SendRows(f, t, asker, std::move(rows));
}

}  // namespace

void OnGet(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  switch (get.kind) {
    case schemas::GetKind::kJobs:
      return GetJobs(f, t, asker, get);
    case schemas::GetKind::kJob:
      return GetJob(f, t, asker, get);
    case schemas::GetKind::kSites:
      return GetSites(f, t, asker, get);
    case schemas::GetKind::kGantt:
      if (auto names = SitesOf(f, t, asker, get.sites)) AskBookings(f, t, asker, std::move(*names));
      return;
    case schemas::GetKind::kNodes:
      if (auto names = SitesOf(f, t, asker, get.sites)) AskNodes(f, t, asker, std::move(*names));
      return;
    case schemas::GetKind::kLimits:
      if (auto names = SitesOf(f, t, asker, get.sites)) AskLimits(f, t, asker, std::move(*names));
      return;
    case schemas::GetKind::kSlots:
      if (SitesOf(f, t, asker, get.sites)) AskSlots(f, t, asker, get);
      return;
    case schemas::GetKind::kExplain:
      return OnExplain(f, t, asker, get);
    case schemas::GetKind::kVerdicts:
      return GetVerdicts(f, t, asker, get);
    case schemas::GetKind::kPriority:
      return GetPriority(f, t, asker, get);
    case schemas::GetKind::kShares:
      if (get.sites.empty()) return GetShares(f, t, asker);
      if (auto names = OneSite(f, t, asker, get)) AskSiteShares(f, t, asker, *names);
      return;
    case schemas::GetKind::kAccounts:
      return GetAccounts(f, t, asker, get);
    case schemas::GetKind::kStatement:
      return GetStatement(f, t, asker, get);
    case schemas::GetKind::kKeys:
      return GetKeys(f, t, asker);
    case schemas::GetKind::kAudit:
      return GetAudit(f, t, asker, get);
    case schemas::GetKind::kOutput:
      if (!SitesOf(f, t, asker, get.sites)) return;
      return AskOutput(f, t, asker, get);
    case schemas::GetKind::kScheduler: {
      Rows rows;
      rows.scheduler = SchedulerNow(f, t);
      return SendRows(f, t, asker, std::move(rows));
    }
    case schemas::GetKind::kCalibration: {
      Rows rows;
      rows.calibration = CalibrationOf(f.outcomes, t.plan.Floor(), f.options.confidence);
      return SendRows(f, t, asker, std::move(rows));
    }
    case schemas::GetKind::kWhatIf:
      return OnWhatIf(f, t, asker, get);
    case schemas::GetKind::kDigest: {
      Rows rows;
      rows.digest = DurableDigest(f);
      return SendRows(f, t, asker, std::move(rows));
    }
  }
}

}  // namespace muster::meta
