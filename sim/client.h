// A simulated user: submits what its plan says, repeats with the same client key until the meta has
// acknowledged, cancels, and follows its jobs. Everything it was told goes to the checkers.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/client.h"

namespace muster::sim {

// Submit this at that time; cancel it so long after, if given.
struct PlannedRequest {
  BootInstant at;
  schemas::RequestSpec spec;
  std::optional<BootSpan> cancel_after;
  // Held so long after its time, and released so long after that.
  std::optional<BootSpan> park_after;
  BootSpan parked_for = Seconds(20);
  // Comes after this planned one, by position; submitted once that one was acknowledged.
  std::optional<size_t> after;
  schemas::DependencyKind after_kind = schemas::DependencyKind::kAny;
  // Inside this planned one, which reserves; submitted once that one was acknowledged.
  std::optional<size_t> inside;
};

class Client {
 public:
  Client(std::string user, std::vector<PlannedRequest> plan);

  const std::string& user() const { return user_; }
  // Messages due by now: first sends, repeats and keep-alives.
  std::vector<schemas::ClientMessage> Due(BootInstant now, Moment wall);
  // When Due should be asked next.
  std::optional<BootInstant> Next() const;
  void Told(const schemas::ToClient& answer);

  // Planned requests in order: the job each became, once acknowledged.
  const std::vector<std::optional<RequestId>>& jobs() const { return jobs_; }
  const std::vector<schemas::Refused>& refusals() const { return refusals_; }
  // Every planned request was acknowledged or refused, every planned cancel acknowledged.
  bool Settled() const;

 private:
  // What is done to an accepted job, each at its time, repeated until it is answered.
  enum class Step : uint8_t { kCancel, kPark, kUnpark };
  enum class Stage : uint8_t { kPlanned, kSubmitting, kStepping, kDone };
  struct Entry {
    PlannedRequest planned;
    Stage stage = Stage::kPlanned;
    BootInstant due;
    uint64_t number = 0;
    std::optional<schemas::ClientKey> key;            // fixed at the first try
    std::vector<std::pair<BootInstant, Step>> steps;  // to come, the last first
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
