// A submission's key is its number in the record, by which its new number is found.
#include "sim/whatif/retaken.h"

#include <algorithm>

#include "base/id_text.h"

namespace muster::sim {
namespace {

// Came by a submission of a user.
bool WasSubmitted(const schemas::RequestRecord& request) {
  const bool occurrence = request.spec.reserves && request.spec.reserves->of;
  return !request.id.is_element() && !occurrence;
}

}  // namespace

Retaken::Retaken(const PastRuns& past, Instant from, Instant until) : past_(past) {
  for (const auto& [id, run] : past.all()) {
    const schemas::RequestRecord& request = *run.request;
    const Instant came = request.submitted_at.Floor();
    if (!WasSubmitted(request) || came < from || came >= until) continue;
    due_.insert({request.submitted_at, id, false});
    ++submissions_;
    if (run.cancelled && !run.started && run.gone) due_.insert({*run.gone, id, true});
  }
}

std::optional<Moment> Retaken::Next() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->at;
}

std::vector<Retaken::Said> Retaken::TakeDue(Moment now) {
  std::vector<Said> out;
  while (!due_.empty() && due_.begin()->at <= now) {
    if (auto said = SaidOf(due_.extract(due_.begin()).value())) out.push_back(*std::move(said));
  }
  return out;
}

std::optional<Retaken::Said> Retaken::SaidOf(const Due& due) const {
  const schemas::RequestRecord& request = *past_.all().at(due.before).request;
  Said said{request.requester.user, {.number = {due.before.value}}};
  if (due.cancel) {
    const auto now = now_.find(due.before);
    if (now == now_.end()) return std::nullopt;
    said.message.body = schemas::Cancel{.requests = {now->second}};
    return said;
  }
  schemas::Submit submit{.key = {.text = ToText(due.before)}, .request = request.spec};
  schemas::RequestSpec& spec = submit.request;
  // What recalls have saved was still to be done when it came.
  spec.duration = spec.duration + request.saved;
  std::vector<schemas::Dependency> after;
  for (schemas::Dependency dependency : spec.after) {
    const auto now = now_.find(dependency.request.array());
    if (now == now_.end()) continue;  // it was over before
    dependency.request = dependency.request.is_element()
                             ? now->second.element(dependency.request.index())
                             : now->second;
    after.push_back(dependency);
  }
  spec.after = std::move(after);
  if (spec.inside) {
    const auto now = now_.find(*spec.inside);
    if (now == now_.end()) return std::nullopt;
    spec.inside = now->second;
  }
  said.message.body = std::move(submit);
  return said;
}

void Retaken::Took(const schemas::RequestRecord& request) {
  if (request.id.is_element() || before_.contains(request.id)) return;
  const std::optional<RequestId> before = RequestIdOf(request.key.text);
  if (!before || !past_.all().contains(*before)) return;
  before_[request.id] = *before;
  now_[*before] = request.id;
}

std::optional<RequestId> Retaken::Before(RequestId now) const {
  const auto before = before_.find(now.array());
  if (before == before_.end()) return std::nullopt;
  return now.is_element() ? before->second.element(now.index()) : before->second;
}

std::optional<Span> Retaken::Ran(RequestId before, uint32_t part) const {
  const auto run = past_.all().find(before);
  if (run == past_.all().end()) return std::nullopt;
  const auto ran = run->second.ran.find(part);
  if (ran == run->second.ran.end()) return std::nullopt;
  return ran->second;
}

}  // namespace muster::sim
