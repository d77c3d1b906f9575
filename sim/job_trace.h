// Prints the history of one request, to debug a failure: what became durable of it at the meta and
// the sites, one line per change, with the crashes of daemons and losses of nodes in between. A
// checker that never reports a violation.
#pragma once

#include <map>
#include <string>

#include "sim/checkers/checker.h"

namespace muster::sim {

class JobTrace : public Checker {
 public:
  // `job` as users write it: "42"; an array element "27[3]"; a local job "lakes/17".
  explicit JobTrace(std::string job) : job_(std::move(job)) {}
  std::string Name() const override { return "story"; }
  void OnMetaWrites(Moment at, const MetaWrites& writes) override;
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override;
  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override;
  void OnPartGone(Moment at, const std::string& site, const std::string& token) override;
  void OnDriverCommand(Moment at, const std::string& site, const driver::Command& command) override;
  void OnDriverEvent(Moment at, const std::string& site, const driver::Event& event) override;
  void OnCrash(Moment at, const std::string& host) override;
  void OnRestart(Moment at, const std::string& host) override;

 private:
  // Of the walls of its holds.
  void TellOfWall(Moment at, const std::string& site, const std::string& wall,
                  const std::string& what);
  void Tell(Moment at, const std::string& who, const std::string& what);

  std::string job_;
  schemas::RequestRecord known_;
  size_t local_events_ = 0;            // events of a local job printed so far
  std::map<Fence, std::string> told_;  // last line printed of each attempt
};

}  // namespace muster::sim
