// One pass over the open requests in order of their ids.
#include "meta/rechoice.h"

#include <algorithm>

#include "meta/alter.h"
#include "meta/placing.h"
#include "meta/queueing.h"
#include "partitioner/split.h"
#include "verifier/attempt_table.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

constexpr int64_t kGainShare = 10;  // of the remaining wait, one in so many
constexpr size_t kLooks = 64;       // requests looked at in a turn
constexpr size_t kSeeks = 16;       // searches begun in a turn

Span SlackOf(const Site& site) { return site.capacity ? site.capacity->start_slack : Span{0}; }

// A site whose shadow starts it clearly earlier than it is promised.
bool EarlierElsewhere(const Federation& f, const Turn& t, const Request& request,
                      const Attempt& attempt) {
  const Interval worth =
      WorthAMove(f.options.rechoice, request, attempt.record.start, t.NowCeiling());
  if (worth.begin >= worth.end) return false;
  const std::string& here = attempt.record.members[0];
  const Span slack = SlackOf(f.sites.at(here)) + f.options.rechoice.least_gain;
  // Of equally fast sites they are the same.
  std::optional<IntervalSet> allowed;
  const schemas::PartSpec& part = request.record.spec.parts[0];
  for (const std::string& name : f.site_names) {
    if (name == here || !partitioner::MayRunAt(part, name)) continue;
    const Site& site = f.sites.at(name);
    if (!site.Up() || site.disk_low || !site.shadow.known()) continue;
    // The promise told is the start and the site's slack; it may not get later.
    if (SaidNever(request, 0, name) || SlackOf(site) > slack) continue;
    if (!allowed || !f.options.terms.empty()) {
      allowed = StartsAt(f, t, request, false, {name}).Intersect(IntervalSet({worth}));
    }
    if (ShadowMeetIn(f, request, {name}, *allowed)) return true;
  }
  return false;
}

}  // namespace

const Attempt* Movable(const Federation& f, const Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record.spec;
  if (request.record.state != schemas::RequestState::kPromised || !request.Wanted()) return nullptr;
  if (request.seeking || request.replacing || request.before || request.in_wave) return nullptr;
  if (spec.reserves || spec.inside || spec.at) return nullptr;
  // These are looked at when what they wait for moves.
  if (!spec.after.empty() || request.record.id.is_element()) return nullptr;
  if (!request.record.attempt) return nullptr;
  const auto it = f.attempts.find(*request.record.attempt);
  if (it == f.attempts.end()) return nullptr;
  const Attempt& attempt = it->second;
  if (!verifier::Binds(attempt.record.state) || attempt.released || attempt.endangered ||
      attempt.record.superseded_by) {
    return nullptr;
  }
  if (attempt.Several() && verifier::Permitted(attempt.record.state)) return nullptr;
  // A co-allocation is looked at until its start barrier.
  const bool last_moments =
      !MayBeRechosen(f.options.rechoice, attempt.record.start, t.NowCeiling());
  if (spec.parts.size() == 1 && last_moments) return nullptr;
  const bool up = std::all_of(attempt.record.members.begin(), attempt.record.members.end(),
                              [&f](const std::string& site) { return f.sites.at(site).Up(); });
  return up ? &attempt : nullptr;
}

Interval WorthAMove(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant now) {
  const Span gain = std::max(options.least_gain, Span{(start - now).seconds / kGainShare});
  return {verifier::EarliestMove(request.record.spec, ToMoment(now)), start - gain + Span{1}};
}

bool ClearlyEarlier(const RechoiceOptions& options, const Request& request, Instant start,
                    Instant elsewhere, Instant now) {
  const Interval worth = WorthAMove(options, request, start, now);
  return worth.begin <= elsewhere && elsewhere < worth.end;
}

bool MayBeRechosen(const RechoiceOptions& options, Instant start, Instant now) {
  return start > now + options.last_moments;
}

void SeekRechoices(Federation& f, Turn& t) {
  RechoicePass& pass = f.rechoice;
  if (!pass.running) {
    if (!pass.owed || t.boot() < pass.not_before) return;
    pass = {.running = true, .not_before = t.boot() + f.options.rechoice.every};
  }
  size_t sought = 0;
  for (size_t looked = 0; looked < kLooks && sought < kSeeks; ++looked) {
    const std::set<RequestId>& open = f.requests.open();
    const auto next = pass.passed ? open.upper_bound(*pass.passed) : open.begin();
    if (next == open.end()) {
      pass.running = false;
      return;
    }
    pass.passed = *next;
    Request& request = *f.requests.Find(*next);
    const Attempt* attempt = Movable(f, t, request);
    if (attempt == nullptr || request.record.spec.parts.size() != 1) continue;
    request.nearest = NearestStart(f, t, request);
    if (!EarlierElsewhere(f, t, request, *attempt)) continue;
    SeekElsewhere(f, request);
    ++sought;
  }
  // At once: where it would go now there may be no room later.
  t.WakeBy(t.boot());
}

std::optional<BootInstant> NextRechoice(const Federation& f) {
  if (f.rechoice.running || !f.rechoice.owed) return std::nullopt;
  return f.rechoice.not_before;
}

}  // namespace muster::meta
