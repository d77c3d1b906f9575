// How often the rarer things happened in a run, so that tests can prove that the rare path ran: a
// checker that never complains.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "sim/checkers/checker.h"

namespace muster::sim {

struct CensusCounts {
  uint64_t opened = 0;         // reservations whose time came
  uint64_t inside = 0;         // starts inside of one
  uint64_t altered = 0;        // changes that the meta wrote down, by request
  uint64_t altered_alone = 0;  // that a site wrote down of its own users' jobs
  uint64_t extended = 0;       // running parts that got more time
  uint64_t resized = 0;        // running parts that got other counts
  uint64_t noticed = 0;        // starts with a notice
  uint64_t lost = 0;           // nodes that a site itself set down
  uint64_t displaced = 0;      // bookings that gave way to a more urgent one
  uint64_t backfilled = 0;
  uint64_t rechosen = 0;  // requests that went to another site to start earlier
  uint64_t joint = 0;     // co-allocations that started earlier at all their sites
  uint64_t switches = 0;  // of the packing in force
};

class Census : public Checker {
 public:
  std::string Name() const override { return "census"; }
  void OnMetaWrites(Moment at, const MetaWrites& writes) override;
  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override;
  void OnDriverCommand(Moment at, const std::string& site, const driver::Command& command) override;
  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override;

  CensusCounts counts() const;

 private:
  void Count(const schemas::HoldRecord& before, const schemas::HoldRecord& after);

  CensusCounts counts_;
  std::map<std::pair<std::string, Fence>, schemas::HoldRecord> holds_;
  std::map<RequestId, uint64_t> altered_;
  std::map<RequestId, uint64_t> rechosen_;
  std::map<RequestId, uint64_t> joint_;
  std::map<std::pair<std::string, uint64_t>, uint64_t> altered_alone_;
};

// "2 reservations opened, 5 starts inside, ...": what there was.
std::string ToText(const CensusCounts& counts);

}  // namespace muster::sim
