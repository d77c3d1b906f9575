// The story of one request, for replaying a failure with eyes: what became durable of it at the
// meta and at the sites, one line each, between the crashes of daemons and the losses of nodes. A
// checker that never complains.
#pragma once

#include <map>
#include <string>

#include "sim/checkers/checker.h"

namespace muster::sim {

class Story : public Checker {
 public:
  // `job` as people write it: "42", of an element "27[3]", of a local one "lakes/17".
  explicit Story(std::string job) : job_(std::move(job)) {}
  std::string Name() const override { return "story"; }
  void OnMetaWrites(Moment at, const MetaWrites& writes) override;
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override;
  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override;
  void OnPartGone(Moment at, const std::string& site, const std::string& token) override;
  void OnCrash(Moment at, const std::string& host) override;
  void OnRestart(Moment at, const std::string& host) override;

 private:
  void Tell(Moment at, const std::string& who, const std::string& what);

  std::string job_;
  schemas::RequestRecord known_;
  size_t local_events_ = 0;            // of a local job, told so far
  std::map<Fence, std::string> told_;  // of its attempts, the last line
};

}  // namespace muster::sim
