// A part shows the later of its state and its hold's state; nothing is guessed about a silent site.
#include "meta/requests/job_view.h"

#include <algorithm>
#include <utility>

#include "meta/requests/array_jobs.h"
#include "meta/requests/figures.h"
#include "meta/turn/turn.h"
#include "verifier/attempt_table.h"
#include "verifier/shown.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

using schemas::HoldState;
using schemas::PartShown;
using schemas::PartView;
using verifier::ShownOf;

const Attempt* ShownAttempt(const RequestsLayer& f, const Request& request) {
  for (const std::optional<Fence>& fence : {request.record().attempt, request.seeking}) {
    if (!fence) continue;
    const auto it = f.attempts.find(*fence);
    if (it != f.attempts.end()) return &it->second;
  }
  return nullptr;
}

void FillPart(const RequestsLayer& f, const Attempt& attempt, size_t index, PartView& out) {
  const std::string& name = attempt.record().part_sites[index];
  out.site = name;
  const Site& site = f.sites.at(name);
  const schemas::MirrorRecord* hold = site.mirror.Find(attempt.fence());
  if (!hold) return;
  out.state = ShownOf(hold->state);
  for (const schemas::MirrorPart& part : hold->parts) {
    if (part.index != index + 1) continue;
    out.state = std::max(out.state, ShownOf(part.state));
    out.nodes = part.booking.nodes;
    out.chunks = verifier::ChunksNow(std::move(out.chunks), part.booking.counts);
    out.started_at = part.started_at;
    out.ended_at = part.ended_at;
    out.exit_code = part.end.exit_code;
    out.signal = part.end.signal;
    out.ended_text = part.end.text;
    verifier::ShowSet(out.set.value_or(out.group), part.booking.slower, part.booking.group, out);
    verifier::ShowLent(part.booking, out);
    if (part.usage_final || part.usage.elapsed.milliseconds > 0) out.used = part.usage;
    if (part.end.by == schemas::EndedBy::kUnknown) out.state = PartShown::kUnknown;
  }
  const bool may_have_gone_on =
      hold->state == HoldState::kPermitted && out.state < PartShown::kEnded;
  if (site.Silent() && may_have_gone_on) out.state = PartShown::kUnknown;
  if (hold->state == HoldState::kClosed && hold->started == schemas::Started::kUnknown) {
    out.state = PartShown::kUnknown;
  }
}

}  // namespace

std::optional<PartPlaceNow> PlaceOf(const RequestsLayer& f, const Request& request, uint32_t part) {
  if (!request.record().attempt) return std::nullopt;
  const auto it = f.attempts.find(*request.record().attempt);
  if (it == f.attempts.end() || part < 1 || part > it->second.record().part_sites.size()) {
    return std::nullopt;
  }
  return PartPlaceNow{it->second.record().part_sites[part - 1], it->first};
}

schemas::JobView JobViewOf(const RequestsLayer& f, const Request& request, Moment now, bool whole) {
  // Shows the promised specification, not the one a place is sought for.
  schemas::RequestRecord shown;
  if (request.before()) shown = StoredForm(request);
  const schemas::RequestRecord& r = request.before() ? shown : request.record();
  schemas::JobView out;
  out.id = ShownId(request);
  out.name = r.spec.name;
  out.user = r.requester.user;
  out.kind = r.spec.request_class;
  out.state = r.state;
  out.outcome = r.outcome;
  out.submitted_at = r.submitted_at;
  if (!r.key.generated) out.once = r.key.text;
  out.duration_s = r.spec.duration;
  out.apart = r.spec.apart;
  out.at = r.spec.at;
  out.from = r.spec.from;
  out.start_by = r.spec.start_by;
  out.deadline = r.spec.deadline;
  out.queue = r.spec.queue;
  out.rerunnable = r.spec.rerunnable;
  out.keep_going = r.spec.keep_going;
  out.contract = verifier::ContractShown(r.spec);
  for (const schemas::Dependency& d : r.spec.after) {
    constexpr std::array kKinds = {"ok:", "any:", "fail:"};
    out.after.push_back(kKinds[static_cast<size_t>(d.kind)] + ToText(d.request));
  }
  if (r.spec.array) out.array = ArrayViewOf(f, request);
  out.firm = r.spec.firm;
  if (r.spec.inside) out.reservation = "R" + ToText(*r.spec.inside);
  out.reserves = r.spec.reserves.has_value();
  if (r.spec.reserves) out.allow = r.spec.reserves->allow;
  if (!r.spec.account.empty()) out.account = r.spec.account;
  if (!r.spec.qos.empty()) out.qos = r.spec.qos;
  if (r.lien && (r.lien->Open() > 0 || r.lien->charged > 0))
    out.cost = schemas::CostView{r.lien->account, r.lien->Open(), r.lien->charged};
  out.slots = r.spec.slots;
  out.start_notice_s = verifier::StartNoticeOf(r.spec);
  out.end_notice = verifier::EndNoticeShown(r.spec);
  out.figures = FiguresNow(f, request, now);
  if (request.Ended() && r.reason) out.figures.no_promise_reason = r.reason;
  const Attempt* attempt = ShownAttempt(f, request);
  for (size_t i = 0; i < r.spec.parts.size(); ++i) {
    PartView part;
    part.id = out.id + "." + std::to_string(i + 1);
    part.offset_s = r.spec.parts[i].offset;
    part.place = r.spec.parts[i].place;
    part.chunks = r.spec.parts[i].chunks;
    verifier::ShowSet(r.spec.parts[i].set, {}, "", part);
    if (attempt) FillPart(f, *attempt, i, part);
    if (request.Ended() && !attempt) part.state = PartShown::kEnded;
    out.parts.push_back(std::move(part));
  }
  // Earlier lives with only lent room.
  if (r.recalls > 0) {
    PartView& part = out.parts.front();
    part.recalls = part.recalls.value_or(0) + r.recalls;
    if (r.saved > Span{0}) part.saved_s = part.saved_s.value_or(Span{0}) + r.saved;
    if (r.lost > BootSpan{0}) {
      part.lost_s = part.lost_s.value_or(Span{0}) + Span{(r.lost.milliseconds + 999) / 1000};
    }
  }
  if (whole) {
    out.history = r.history;
    out.events = r.events;
  }
  return out;
}

}  // namespace muster::meta
