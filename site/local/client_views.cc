// Views for local clients: the site's own jobs, those of the federation that run here, and the
// plan. All users see who runs what and when; output is shown to its owner. protocol.md sections
// 2b, 3.5.
#include <algorithm>
#include <map>
#include <utility>

#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/local/clients.h"
#include "site/local/local_users.h"
#include "site/planning/capabilities.h"
#include "site/planning/environment.h"

namespace muster::site {

using schemas::GetKind;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::LocalRecord;
using schemas::Refused;
using schemas::RequestState;

namespace {

RequestState StateOf(const HoldRecord& hold) {
  if (hold.state == HoldState::kClosed) return RequestState::kEnded;
  if (hold.state < HoldState::kPrepared) return RequestState::kWaiting;
  if (IsStopping(hold)) return RequestState::kCancelling;
  const bool all_run = std::all_of(hold.parts.begin(), hold.parts.end(),
                                   [](const auto& part) { return part.started_at.has_value(); });
  if (all_run && !hold.parts.empty()) return RequestState::kRunning;
  return HasStarted(hold) ? RequestState::kStarting : RequestState::kPromised;
}

// Whether the view of a request that has both holds shows `a`: a live hold comes before a closed
// one, then the one that got further, then the newer one.
bool SpeaksBefore(const HoldRecord& a, const HoldRecord& b) {
  const bool a_lives = IsLive(a);
  if (a_lives != IsLive(b)) return a_lives;
  return a.state != b.state ? a.state > b.state : a.order.fence > b.order.fence;
}

}  // namespace

// The view of a federation's job as far as this site knows it: its own parts.
schemas::JobView Clients::FederationJob(const HoldRecord& hold) const {
  const schemas::HoldOrder& order = hold.order;
  schemas::JobView view{.id = ToText(order.request),
                        .name = order.job_name,
                        .user = order.requester.user,
                        .kind = order.request_class,
                        .state = StateOf(hold),
                        .parts = PartsShown(hold)};
  Span last;
  for (const schemas::PartDemand& part : order.parts) {
    view.duration_s = std::max(view.duration_s, RunTime(hold, part.index));
    last = std::max(last, part.offset);
  }
  view.figures.basis = {{options().name, now(), 0, plan().revision()}};
  if (!IsLive(hold)) return view;
  const Instant by = OneMember(hold) ? hold.start + options().facts.start_slack
                                     : hold.start + order.deadline_after;
  const bool promised = hold.state >= HoldState::kCommitted;
  view.figures.starts_by = schemas::StartsBy{by, promised && options().facts.firm, promised};
  view.figures.ends_by = by + last + view.duration_s;
  return view;
}

const HoldRecord* Clients::HoldOf(RequestId request) const {
  const HoldRecord* found = nullptr;
  for (const auto& [fence, hold] : ledger().holds()) {
    if (verifier::IsLocal(fence) || hold.order.request != request || hold.parts.empty()) continue;
    if (found == nullptr || SpeaksBefore(hold, *found)) found = &hold;
  }
  return found;
}

// Lists the federation's jobs by id, then the site's own by number. The next page begins after
// `page_after` for the former, after `locals` for the latter.
void Clients::GetJobs(const ClientLine& line, const schemas::Get& get) {
  schemas::Rows rows = NewRows();
  const auto wanted = [&](const std::string& user, bool ended) {
    return (get.everyone || user == line.user) && (get.ended || !ended);
  };
  std::map<RequestId, const HoldRecord*> here;
  for (const auto& [fence, hold] : ledger().holds()) {
    if (verifier::IsLocal(fence) || hold.parts.empty() || !get.locals.empty()) continue;
    const RequestId id = hold.order.request;
    if (id <= get.page_after || !wanted(hold.order.requester.user, !IsLive(hold))) continue;
    const HoldRecord*& known = here[id];
    if (known == nullptr || SpeaksBefore(hold, *known)) known = &hold;
  }
  for (const auto& [id, hold] : here) {
    if (rows.jobs.size() == schemas::kRowsPerPage) break;
    rows.jobs.push_back(FederationJob(*hold));
  }
  rows.more = here.size() > rows.jobs.size();
  const auto& all = ledger().locals();
  auto it = get.locals.empty() ? all.begin() : all.upper_bound(get.locals.back());
  for (; it != all.end() && !rows.more; ++it) {
    if (!wanted(it->second.requester.user, it->second.state == RequestState::kEnded)) continue;
    rows.more = rows.jobs.size() == schemas::kRowsPerPage;
    if (!rows.more) rows.jobs.push_back(JobShown(it->second, false));
  }
  Tell(line, std::move(rows));
}

void Clients::GetJob(const ClientLine& line, const schemas::Get& get) {
  schemas::Rows rows = NewRows();
  std::vector<uint64_t> numbers = get.locals;
  if (get.last) {
    for (const auto& [number, job] : ledger().locals()) {
      if (job.requester.user == line.user) numbers = {number};
    }
    if (numbers.empty()) {
      return Tell(line,
                  Refused{.code = "not-found",
                          .message = "no job of " + line.user + " on record at " + options().name});
    }
  }
  const size_t count = numbers.size() + get.requests.size();
  if (count == 0 || count > schemas::kRowsPerPage) {
    return Tell(line, Refused{.code = "usage",
                              .message = std::to_string(count) + " jobs to show; from 1 to 1000"});
  }
  for (const RequestId id : get.requests) {
    const HoldRecord* hold = HoldOf(id);
    if (hold == nullptr) {
      return Tell(line, Refused{.code = "not-found",
                                .message = options().name + " knows nothing of job " + ToText(id),
                                .help = "the federation may: ask without --via"});
    }
    rows.jobs.push_back(FederationJob(*hold));
  }
  for (const uint64_t number : numbers) {
    const LocalRecord* job = FindLocal(number);
    if (job == nullptr) return Tell(line, NoSuchLocal(number, ""));
    rows.jobs.push_back(JobShown(*job, true));
  }
  Tell(line, std::move(rows));
}

void Clients::GetOutput(const ClientLine& line, const schemas::Get& get) {
  if (get.requests.size() + get.locals.size() != 1) {
    return Tell(line, Refused{.code = "usage", .message = "output of one job at a time"});
  }
  std::string job;
  std::string owner;
  size_t parts = 0;
  const uint32_t part = get.part == 0 ? 1 : get.part;
  std::string folder;
  if (get.locals.empty()) {
    const HoldRecord* hold = HoldOf(get.requests[0]);
    if (hold == nullptr) {
      return Tell(line, Refused{.code = "not-found",
                                .message = options().name + " knows nothing of job " +
                                           ToText(get.requests[0])});
    }
    job = ToText(get.requests[0]);
    owner = hold->order.requester.user;
    parts = hold->order.part_count;
    folder = PartFolder(hold->order, part);
  } else {
    const LocalRecord* known = FindLocal(get.locals[0]);
    if (known == nullptr) return Tell(line, NoSuchLocal(get.locals[0], ""));
    job = options().name + "/" + std::to_string(known->number);
    owner = known->requester.user;
    parts = known->spec.parts.size();
    folder = LocalFolder(options().name, known->number, part);
  }
  if (owner != line.user && !IsOperator(options(), line.user)) {
    return Tell(line, NotYours(job, owner, line.user, ""));
  }
  if (part > parts) {
    return Tell(line, Refused{.code = "not-found",
                              .message = "job " + job + " has " + std::to_string(parts) +
                                         " parts; no part " + std::to_string(part)});
  }
  const uint64_t reading = NextReading();
  if (readings_.size() >= kReadingsOpen) readings_.erase(readings_.begin());
  readings_[reading] = {line, job + "." + std::to_string(part)};
  Drive(driver::ReadOutput{.inspection = reading,
                           .part_name = std::move(folder),
                           .error_stream = get.error_stream,
                           .offset = get.offset,
                           .limit = schemas::kOutputPieceBytes});
}

uint64_t Clients::NextReading() {
  constexpr int kOfOneCore = 32;
  return kFirstReading + (ledger().identity().incarnation.value << kOfOneCore) + ++last_reading_;
}

bool Clients::TellReader(const driver::OutputRead& read) {
  const auto it = readings_.find(read.inspection);
  if (it == readings_.end()) return read.inspection >= kFirstReading;
  const auto [line, part] = it->second;
  readings_.erase(it);
  schemas::Rows rows = NewRows();
  rows.output.push_back({part, read.view.known, read.view.data, read.view.next, read.view.ended});
  Tell(line, std::move(rows));
  return true;
}

schemas::SiteView Clients::SiteNow() const {
  const schemas::Capacity capacity = plan().Capacity(now_floor());
  schemas::SiteView view{.name = options().name,
                         .state = schemas::SiteState::kUp,
                         .answered_at = now(),
                         .age_s = 0,
                         .plan_revision = plan().revision(),
                         .driver = options().driver,
                         .capabilities = CapabilitiesOf(options()),
                         .nodes = 0,
                         .nodes_up = 0,
                         .total = capacity.total,
                         .free = capacity.free_now};
  for (const schemas::NodeClass& alike : capacity.classes) {
    *view.nodes += alike.count;
    *view.nodes_up += alike.up;
  }
  return view;
}

void Clients::Asked(const ClientLine& line, const schemas::Get& get) {
  for (const std::string& site : get.sites) {
    if (site == options().name) continue;
    return Tell(line, Refused{.code = "not-found",
                              .message = "this is " + options().name + " alone, not " + site,
                              .help = "ask the federation, without --via"});
  }
  schemas::Rows rows = NewRows();
  switch (get.kind) {
    case GetKind::kJobs:
      return GetJobs(line, get);
    case GetKind::kJob:
      return GetJob(line, get);
    case GetKind::kOutput:
      return GetOutput(line, get);
    case GetKind::kSites:
      rows.sites.push_back(SiteNow());
      return Tell(line, std::move(rows));
    case GetKind::kGantt: {
      schemas::BookingsView view = BookingsShown();
      rows.gantt.push_back({.name = options().name,
                            .age_s = 0,
                            .nodes = std::move(view.nodes),
                            .bookings = std::move(view.bookings)});
      return Tell(line, std::move(rows));
    }
    case GetKind::kNodes:
      rows.nodes.push_back({.name = options().name, .age_s = 0, .nodes = NodesShown().nodes});
      return Tell(line, std::move(rows));
    case GetKind::kSlots:
      return GetSlots(line, get);
    case GetKind::kLimits:
      rows.limits =
          plan().Limits(line.user, GroupsNow(options(), line.user, now_floor()), now_floor());
      return Tell(line, std::move(rows));
    case GetKind::kShares:
      rows.shares = SharesShown().shares;
      return Tell(line, std::move(rows));
    case GetKind::kPriority:
      if (!get.requests.empty() || !get.locals.empty()) {
        return Tell(line, Refused{.code = "usage",
                                  .message = "a site alone shows the order of all that waits here",
                                  .help = "muster --via " + options().name + " priority --site " +
                                          options().name});
      }
      rows.ranks = RanksShown({}).ranks;
      return Tell(line, std::move(rows));
    case GetKind::kDigest:
      rows.digest = ledger().StateDigest();
      return Tell(line, std::move(rows));
    default:
      return Tell(line, Refused{.code = "usage",
                                .message = "a site alone does not tell this",
                                .help = "ask the federation, without --via"});
  }
}

}  // namespace muster::site
