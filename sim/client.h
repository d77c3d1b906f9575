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
  enum class Stage : uint8_t { kPlanned, kSubmitting, kAccepted, kCancelling, kDone };
  struct Entry {
    PlannedRequest planned;
    Stage stage = Stage::kPlanned;
    BootInstant due;
    uint64_t number = 0;
    std::optional<schemas::ClientKey> key;  // fixed at the first try
  };
  schemas::ClientMessage Message(Entry& entry, size_t index, Moment wall);

  std::string user_;
  std::vector<Entry> entries_;
  std::vector<std::optional<RequestId>> jobs_;
  std::vector<schemas::Refused> refusals_;
  std::map<uint64_t, size_t> by_number_;
  uint64_t last_number_ = 0;
};

}  // namespace muster::sim
