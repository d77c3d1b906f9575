// The meta as a pure machine: requests in, proposals, decisions, permits and promises out. It knows
// amounts and time, never architecture. The same core runs in the daemon, in the simulator and in
// what-if questions. architecture.md section 3, protocol.md sections 2b, 3.2, 3.4, 3.5, 5, 7.
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
  // A core from what its store holds (nothing for a new federation). Counts a new epoch, whose
  // write comes with the first Step, before any message. Errors: a store of another federation, a
  // record that does not fit its key.
  static absl::StatusOr<Core> Load(Options options,
                                   std::vector<std::pair<std::string, schemas::MetaRecord>> records,
                                   Now now);
  Core(const Core&);
  Core(Core&&) noexcept;
  Core& operator=(const Core&);
  Core& operator=(Core&&) noexcept;
  ~Core();

  // One turn: the events in order, then whatever time has made due. With no events it is a timer.
  Effects Step(Now now, const std::vector<Event>& events);

  // Who is heard after a start.
  std::vector<HeardKey> HeardKeys() const;

  // Digest of the durable part (G7).
  Digest StateDigest() const;

  // For checkers and tests, in id order.
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
