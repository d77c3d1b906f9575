// One small life cycle per planned request: planned, submitting, accepted, cancelling, done.
#include "sim/client.h"

#include <algorithm>

namespace muster::sim {
namespace {

constexpr BootSpan kRepeat = Seconds(5);  // as the command does

}  // namespace

Client::Client(std::string user, std::vector<PlannedRequest> plan)
    : user_(std::move(user)), jobs_(plan.size()) {
  for (PlannedRequest& planned : plan) {
    const BootInstant at = planned.at;
    entries_.push_back({.planned = std::move(planned), .due = at});
  }
}

schemas::ClientMessage Client::Message(Entry& entry, size_t index, Moment wall) {
  schemas::ClientMessage message;
  message.number = {++last_number_};
  by_number_[last_number_] = index;
  if (entry.stage == Stage::kCancelling) {
    message.body = schemas::Cancel{.requests = {*jobs_[index]}};
    return message;
  }
  if (!entry.key) {
    entry.key = schemas::ClientKey{.text = user_ + "-" + std::to_string(index), .generated = wall};
  }
  message.body = schemas::Submit{.key = *entry.key, .request = entry.planned.spec};
  return message;
}

std::vector<schemas::ClientMessage> Client::Due(BootInstant now, Moment wall) {
  std::vector<schemas::ClientMessage> out;
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.stage == Stage::kDone || entry.due > now) continue;
    if (entry.stage == Stage::kPlanned) entry.stage = Stage::kSubmitting;
    if (entry.stage == Stage::kAccepted) entry.stage = Stage::kCancelling;
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
  if (const auto* refused = std::get_if<schemas::Refused>(&answer.body)) {
    if (entry.stage == Stage::kSubmitting) refusals_.push_back(*refused);
    entry.stage = Stage::kDone;
  } else if (const auto* accepted = std::get_if<schemas::Accepted>(&answer.body)) {
    if (entry.stage == Stage::kSubmitting && !accepted->requests.empty()) {
      jobs_[it->second] = accepted->requests.front();
      const bool cancels = entry.planned.cancel_after.has_value();
      entry.stage = cancels ? Stage::kAccepted : Stage::kDone;
      if (cancels) entry.due = entry.planned.at + *entry.planned.cancel_after;
    } else if (entry.stage == Stage::kCancelling) {
      entry.stage = Stage::kDone;
    }
  }
}

bool Client::Settled() const {
  return std::all_of(entries_.begin(), entries_.end(),
                     [](const Entry& e) { return e.stage == Stage::kDone; });
}

}  // namespace muster::sim
