// Each planned request goes through the stages planned, submitting, stepping (its steps in turn),
// done.
#include "sim/client.h"

#include <algorithm>

namespace muster::sim {
namespace {

constexpr BootSpan kRepeat = Seconds(5);  // same interval as the `muster` command

}  // namespace

Client::Client(std::string user, std::vector<PlannedRequest> plan)
    : user_(std::move(user)), jobs_(plan.size()) {
  for (PlannedRequest& planned : plan) {
    const BootInstant at = planned.at;
    Entry entry{.planned = std::move(planned), .due = at};
    const PlannedRequest& plan = entry.planned;
    if (plan.cancel_after) entry.steps.push_back({at + *plan.cancel_after, Step::kCancel});
    if (plan.park_after) {
      entry.steps.push_back({at + *plan.park_after, Step::kPark});
      entry.steps.push_back({at + *plan.park_after + plan.parked_for, Step::kUnpark});
    }
    std::sort(entry.steps.rbegin(), entry.steps.rend());
    entries_.push_back(std::move(entry));
  }
}

schemas::ClientMessage Client::Message(Entry& entry, size_t index, Moment wall) {
  schemas::ClientMessage message;
  message.number = {++last_number_};
  by_number_[last_number_] = index;
  entry.number = last_number_;
  if (entry.stage == Stage::kStepping) {
    const Step step = entry.steps.back().second;
    if (step == Step::kCancel) {
      message.body = schemas::Cancel{.requests = {*jobs_[index]}};
    } else {
      message.body = schemas::Act{
          .verb = step == Step::kPark ? schemas::ActVerb::kPark : schemas::ActVerb::kUnpark,
          .requests = {*jobs_[index]}};
    }
    return message;
  }
  if (!entry.key) {
    entry.key = schemas::ClientKey{.text = user_ + "-" + std::to_string(index), .generated = wall};
  }
  message.body = schemas::Submit{.key = *entry.key, .request = entry.planned.spec};
  return message;
}

// True if the request may be submitted. A dependency or reservation is known by number only after
// its own acknowledgement; the numbers are then filled in.
bool Client::MayBeSubmitted(Entry& entry) const {
  if (entry.stage != Stage::kPlanned) return true;
  bool may = true;
  for (const std::optional<size_t>& first : {entry.planned.after, entry.planned.inside}) {
    if (first) may = may && (jobs_[*first] || entries_[*first].stage == Stage::kDone);
  }
  if (const auto& after = entry.planned.after; may && after && jobs_[*after]) {
    entry.planned.spec.after = {{entry.planned.after_kind, *jobs_[*after]}};
  }
  if (entry.planned.inside && may) entry.planned.spec.inside = jobs_[*entry.planned.inside];
  return may;
}

std::vector<schemas::ClientMessage> Client::Due(BootInstant now, Moment wall) {
  std::vector<schemas::ClientMessage> out;
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.stage == Stage::kDone || entry.due > now) continue;
    if (!MayBeSubmitted(entry)) {
      entry.due = now + kRepeat;
      continue;
    }
    if (entry.stage == Stage::kPlanned) entry.stage = Stage::kSubmitting;
    out.push_back(Message(entry, i, wall));
    entry.due = now + kRepeat;
  }
  return out;
}

std::optional<BootInstant> Client::Next() const {
  std::optional<BootInstant> next;
  for (const Entry& entry : entries_) {
    if (entry.stage != Stage::kDone) next = next ? std::min(*next, entry.due) : entry.due;
  }
  return next;
}

void Client::Told(const schemas::ToClient& answer) {
  const auto it = by_number_.find(answer.answers.value);
  if (it == by_number_.end()) return;
  Entry& entry = entries_[it->second];
  if (entry.stage == Stage::kDone) return;
  if (const auto* refused = std::get_if<schemas::Refused>(&answer.body)) {
    if (entry.stage == Stage::kSubmitting) refusals_.push_back(*refused);
    entry.stage = Stage::kDone;
  } else if (const auto* accepted = std::get_if<schemas::Accepted>(&answer.body)) {
    if (entry.stage == Stage::kSubmitting && !accepted->requests.empty()) {
      jobs_[it->second] = accepted->requests.front();
    } else if (entry.stage == Stage::kStepping && entry.number == answer.answers.value) {
      entry.steps.pop_back();
    } else {
      return;
    }
    // further answers to this try, or an earlier one, do not count for a later step
    entry.number = 0;
    entry.stage = entry.steps.empty() ? Stage::kDone : Stage::kStepping;
    if (!entry.steps.empty()) entry.due = entry.steps.back().first;
  }
}

bool Client::Settled() const {
  return std::all_of(entries_.begin(), entries_.end(),
                     [](const Entry& e) { return e.stage == Stage::kDone; });
}

}  // namespace muster::sim
