// Deterministic core of the meta: takes requests and messages of sites, returns proposals,
// decisions, permits and promises. It plans with amounts and time, never with a machine's topology.
// The same core runs in the daemon, in the simulator and in what-if questions. architecture.md
// section 3, protocol.md sections 2b, 3.2, 3.4, 3.5, 5, 7.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/status.h"
#include "base/time.h"
#include "meta/options.h"
#include "meta/turn/events.h"
#include "schemas/meta_records.h"

namespace muster::meta {

class Core {
 public:
  // Builds a core from the records of its store (none for a new federation) and raises the epoch by
  // one. The effects of the first Step write the new epoch, so that write precedes any message.
  // Errors: a store of another federation or without its 'meta' record; a record that does not fit
  // its key, is not valid by itself, or belongs to a request that is not on record.
  static absl::StatusOr<Core> Load(Options options,
                                   std::vector<std::pair<std::string, schemas::MetaRecord>> records,
                                   Now now);
  Core(const Core&);
  Core(Core&&) noexcept;
  Core& operator=(const Core&);
  Core& operator=(Core&&) noexcept;
  ~Core();

  // Runs one turn: handles the events in order, then everything that time has made due. Without
  // events it only handles what is due.
  Effects Step(Now now, const std::vector<Event>& events);

  // Names and public keys that the transport must accept after a start.
  std::vector<HeardKey> HeardKeys() const;

  // Digest of all durable state (G7).
  Digest StateDigest() const;

  // Copies for checkers and tests, ordered by id or fence; Mirror by site and fence.
  std::vector<schemas::RequestRecord> Requests() const;
  std::vector<schemas::AttemptRecord> Attempts() const;
  std::vector<schemas::MirrorRecord> Mirror() const;
  schemas::SchedulerRecord Scheduler() const;

 private:
  struct State;
  explicit Core(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::meta
