// Keeps the latest version of each record and derives the waiting requests from them on each call.
#include "sim/checkers/waiting.h"

#include <algorithm>

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::AttemptState;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::PartState;
using schemas::RequestRecord;
using schemas::RequestState;

WaiterId OwnerOf(const std::string& site, const HoldRecord& hold) {
  const bool local = hold.order.fence.epoch == Epoch{0};
  return {local ? site : "", hold.order.request};
}

}  // namespace

std::string ToText(const WaiterId& id) {
  return id.site.empty() ? ToText(id.request) : id.site + "/" + ToText(id.request);
}

Waiting::Waiting(const CheckedWorld& world)
    : queues_(world.queues),
      at_start_(world.at_start),
      dated_(world.dated),
      spanning_(world.spanning),
      liars_(world.liars) {}

void Waiting::OnMetaWrites(const MetaWrites& writes) {
  for (const auto& write : writes) {
    if (!write.value) continue;
    if (const auto* request = std::get_if<RequestRecord>(&*write.value)) {
      requests_[request->id] = *request;
    } else if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
      attempts_[attempt->fence] = *attempt;
    }
  }
}

void Waiting::OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) {
  for (const auto& write : writes) {
    if (!write.value) continue;
    if (const auto* job = std::get_if<schemas::LocalRecord>(&*write.value)) {
      locals_[{site, job->number}] = *job;
    }
    const auto* hold = std::get_if<HoldRecord>(&*write.value);
    if (hold == nullptr) continue;
    const Holds::key_type key(site, hold->order.fence);
    const WaiterId owner = OwnerOf(site, *hold);
    if (hold->state == HoldState::kClosed || hold->state == HoldState::kNone) {
      holds_.erase(key);
      own_[owner].erase(key);
    } else {
      holds_.try_emplace(key, OwnHold{{}, at}).first->second.record = *hold;
      own_[owner].insert(key);
    }
  }
}

int64_t Waiting::PriorityOf(const std::string& queue) const {
  const auto it = std::find(queues_.begin(), queues_.end(), queue);
  return it == queues_.end() ? 0 : queues_.end() - it - 1;
}

std::vector<Waiter> Waiting::All() const {
  std::vector<Waiter> out;
  for (const auto& [key, job] : locals_) {
    if (job.state == RequestState::kEnded || job.state == RequestState::kCancelling) continue;
    auto waiter = Look({key.first, {job.number}}, job.spec, job.requester);
    if (waiter) out.push_back(*std::move(waiter));
  }
  for (const auto& [id, request] : requests_) {
    const bool may =
        request.state == RequestState::kWaiting || request.state == RequestState::kParked ||
        request.state == RequestState::kPromised || request.state == RequestState::kStarting;
    if (!may || request.spec.array) continue;  // an array does not wait; its elements do
    auto waiter = Look({"", id}, request.spec, request.requester);
    if (!waiter) continue;
    waiter->priority = PriorityOf(request.spec.queue);
    if (waiter->kept.empty()) waiter->kept = KeptBy(request);
    if (!waiter->booked) waiter->told = ToldBefore(request);
    out.push_back(*std::move(waiter));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Waiter& a, const Waiter& b) { return a.priority > b.priority; });
  return out;
}

// None if a part of the request has started.
std::optional<Waiter> Waiting::Look(const WaiterId& id, const schemas::RequestSpec& spec,
                                    const schemas::Requester& requester) const {
  Waiter out{.id = id, .spec = &spec, .requester = &requester};
  const auto own = own_.find(id);
  if (own != own_.end()) {
    for (const Holds::key_type& key : own->second) {
      const OwnHold& hold = holds_.at(key);
      if (Started(hold.record)) return std::nullopt;
      const schemas::HoldOrder& order = hold.record.order;
      out.own.insert(key);
      // Its own booking moves for a cause alone meanwhile (protocol.md section 3.3).
      if (IsLent(hold.record)) out.kept = "it runs on lent room";
      out.booked = std::min(out.booked.value_or(hold.record.start), hold.record.start);
      const auto attempt = attempts_.find(order.fence);
      const bool local = !id.site.empty();
      const bool decided = attempt != attempts_.end() &&
                           attempt->second.state >= AttemptState::kDecided &&
                           attempt->second.state < AttemptState::kAborting;
      if (!local && !decided) {
        out.in_flight = std::max(out.in_flight.value_or(hold.since), hold.since);
        continue;
      }
      out.several = out.several || order.members.size() > 1;
      out.gated = out.gated || (order.members.size() == 1 && order.stage == HoldState::kPrepared);
      out.home = key.first;
    }
  }
  if (out.several || out.gated) out.home.clear();
  // Jobs inside of a reservation rely on its time, so it is never moved earlier.
  if (spec.reserves && out.booked) out.kept = "it is a reservation";
  if (spec.at) out.kept = "at a time that it said";
  return out;
}

std::string Waiting::KeptBy(const RequestRecord& request) const {
  if (request.parked) return "parked";
  // It is judged from its promise on; until then it is looked at once a minute at least.
  if (!request.attempt && at_start_.contains(request.spec.qos)) return "promised at its start";
  if (dated_.contains(request.spec.account)) return "a ceiling may date it";
  for (const CheckedWorld::Spanning& limit : spanning_) {
    const bool of_account = !limit.account.empty() && limit.account == request.spec.account;
    const bool of_user =
        limit.account.empty() && (limit.user.empty() || limit.user == request.requester.user);
    if (of_account || of_user) return "a limit over all sites binds it";
  }
  if (request.reason && request.reason->code == schemas::ReasonCode::kLimit && !request.attempt) {
    return "a limit on promised jobs";
  }
  if (request.reason && request.reason->code == schemas::ReasonCode::kCredit) {
    return "its account cannot pay";
  }
  if (request.attempt) {
    const auto attempt = attempts_.find(*request.attempt);
    if (attempt != attempts_.end()) {
      for (const std::string& member : attempt->second.members) {
        if (liars_.contains(member)) return "placed at a site that lies";
      }
    }
  }
  for (const schemas::Dependency& dependency : request.spec.after) {
    if (!HasEndedAs(dependency)) return "comes after " + ToText(dependency.request);
  }
  if (request.id.is_element() && !HasPlaceInArray(request.id)) return "the limit of its array";
  if (request.spec.inside && !IsOpen(*request.spec.inside)) return "its reservation is not open";
  return "";
}

std::optional<Instant> Waiting::ToldBefore(const RequestRecord& request) const {
  const bool interactive = request.spec.request_class == schemas::RequestClass::kInteractive;
  const Span notice = request.spec.start_notice.value_or(Span{interactive ? 1 : 0});
  if (notice == Span{0}) return std::nullopt;
  for (auto change = request.history.rbegin(); change != request.history.rend(); ++change) {
    const auto& starts_by = change->figures.starts_by;
    if (starts_by && starts_by->firm) return starts_by->at;
  }
  return std::nullopt;
}

bool Waiting::HasEndedAs(const schemas::Dependency& dependency) const {
  const auto other = requests_.find(dependency.request);
  if (other == requests_.end() || !other->second.outcome) return false;
  const bool well = *other->second.outcome == schemas::Outcome::kDone;
  return dependency.kind == schemas::DependencyKind::kAny ||
         well == (dependency.kind == schemas::DependencyKind::kOk);
}

// True if the element may start under its array's limit: the permitted elements and the unpermitted
// ones before it leave a free place.
bool Waiting::HasPlaceInArray(RequestId element) const {
  const auto array = requests_.find(element.array());
  if (array == requests_.end() || !array->second.spec.array) return true;
  const uint64_t at_once = array->second.spec.array->at_once;
  if (at_once == 0) return true;
  uint64_t open = 0;
  uint64_t before = 0;
  for (auto it = requests_.upper_bound(element.array());
       it != requests_.end() && it->first.array() == element.array(); ++it) {
    const RequestRecord& other = it->second;
    if (other.state == RequestState::kEnded) continue;
    const auto attempt = other.attempt ? attempts_.find(*other.attempt) : attempts_.end();
    const bool permitted = attempt != attempts_.end() && attempt->second.permit &&
                           attempt->second.state != AttemptState::kClosed;
    if (permitted && other.id == element) return true;
    if (permitted) {
      ++open;
    } else if (other.id < element) {
      ++before;
    }
  }
  return open + before < at_once;
}

bool Waiting::IsOpen(RequestId reservation) const {
  const auto own = own_.find({"", reservation});
  if (own == own_.end()) return false;
  return std::any_of(own->second.begin(), own->second.end(), [&](const Holds::key_type& key) {
    const auto& parts = holds_.at(key).record.parts;
    return !parts.empty() && parts[0].state == PartState::kRunning;
  });
}

}  // namespace muster::sim
