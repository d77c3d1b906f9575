// A driver that runs a site's parts on a Slurm cluster. A part is a batch job whose wrapper waits
// for its second (wrapper.sh); a hold outside of the commons is a reservation.
//
// Three threads beside the caller's: *see* looks at the cluster, *do* decides and carries out
// (keeper.h), *start* hands parts over. A fourth watches that none of them hangs in a call. What is
// done while the controller is not reached waits until it is seen again.
//
// Not here: parts are not paused, resumed or resized; these commands have no effect.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "site/driver/driver.h"
#include "site/driver/slurm/options.h"

namespace muster::driver {

class SlurmDriver : public Driver {
 public:
  // Asks the cluster for its nodes. Errors begin with the option that is wrong ("commons: ..."), if
  // it is one: what an option names, the shared folder, the
  // configuration, the controller or munge not reached, another version, no account of an operator.
  static absl::StatusOr<std::unique_ptr<SlurmDriver>> Open(const SlurmOptions& options);
  // Parts go on; another driver with the same shared folder and prefix finds them. Waits for calls
  // that are under way.
  ~SlurmDriver() override;

  const Facts& facts() const override { return facts_; }
  // A change of nodes, features, resources, licences or scheduler parameters, some seconds after it
  // was made at the cluster. A site makes its plan anew for it: true at most once in 10 s.
  bool TakeFacts() override;
  void Do(const Command& command) override;
  std::vector<Event> Take() override;
  int EventFd() const override;

 private:
  class Threads;
  SlurmDriver(Facts facts, std::unique_ptr<Threads> threads);

  Facts facts_;
  std::optional<BootInstant> facts_at_;  // when they were taken last
  std::unique_ptr<Threads> threads_;
};

}  // namespace muster::driver
