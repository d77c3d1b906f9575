// A simulated user: submits the planned requests, repeats each with the same client key until the
// meta acknowledges it, and parks, unparks or cancels as planned.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/client.h"

namespace muster::sim {

// A request to submit at `at`.
struct PlannedRequest {
  BootInstant at;
  schemas::RequestSpec spec;
  std::optional<BootSpan> cancel_after;
  // Time from `at` until it is parked, and from then until it is unparked.
  std::optional<BootSpan> park_after;
  BootSpan parked_for = Seconds(20);
  // Index of the planned request that this one depends on; this one is submitted once that one was
  // acknowledged or refused.
  std::optional<size_t> after;
  schemas::DependencyKind after_kind = schemas::DependencyKind::kAny;
  // Index of the planned reservation that this one runs in; this one is submitted once that one was
  // acknowledged or refused.
  std::optional<size_t> inside;
};

class Client {
 public:
  Client(std::string user, std::vector<PlannedRequest> plan);

  const std::string& user() const { return user_; }
  // The messages due at `now`: first sends and repeats.
  std::vector<schemas::ClientMessage> Due(BootInstant now, Moment wall);
  // When Due has a message next; none if everything is done.
  std::optional<BootInstant> Next() const;
  void Told(const schemas::ToClient& answer);

  // The job that each planned request became, in order; none until it is acknowledged.
  const std::vector<std::optional<RequestId>>& jobs() const { return jobs_; }
  const std::vector<schemas::Refused>& refusals() const { return refusals_; }
  // True once every planned request was acknowledged or refused, and every planned step on it
  // answered.
  bool Settled() const;

 private:
  // Steps on an accepted job, each at its time, repeated until answered.
  enum class Step : uint8_t { kCancel, kPark, kUnpark };
  enum class Stage : uint8_t { kPlanned, kSubmitting, kStepping, kDone };
  struct Entry {
    PlannedRequest planned;
    Stage stage = Stage::kPlanned;
    BootInstant due;
    uint64_t number = 0;
    std::optional<schemas::ClientKey> key;            // set at the first send
    std::vector<std::pair<BootInstant, Step>> steps;  // remaining steps, latest first
  };
  bool MayBeSubmitted(Entry& entry) const;
  schemas::ClientMessage Message(Entry& entry, size_t index, Moment wall);

  std::string user_;
  std::vector<Entry> entries_;
  std::vector<std::optional<RequestId>> jobs_;
  std::vector<schemas::Refused> refusals_;
  std::map<uint64_t, size_t> by_number_;
  uint64_t last_number_ = 0;
};

}  // namespace muster::sim
