// A driver of Slurm under measurement, in the place of a site's core: commands in, events out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/io/clock.h"
#include "site/driver/slurm/slurm_driver.h"

namespace muster::bench {

class Driven {
 public:
  // Opens it on the cluster that SLURM_CONF says, with a folder for its parts, and returns when it
  // has seen the cluster.
  Driven(const std::string& shared_folder, std::vector<std::string> commons);

  void Do(const driver::Command& command) { driver_->Do(command); }
  // Takes events until this holds; fails after a minute without.
  void Await(const std::function<bool()>& holds);
  template <class Kind>
  size_t Count() const {
    size_t count = 0;
    for (const driver::Event& event : events_) count += std::holds_alternative<Kind>(event);
    return count;
  }
  void Forget() { events_.clear(); }
  const std::vector<driver::Event>& events() const { return events_; }
  const driver::Facts& facts() const { return driver_->facts(); }

  // A part of one cpu for the mapped user that runs `command` in sh.
  driver::StartPart PartOf(const std::string& node, Instant at, const std::string& command);
  // Everything before this is done when it returns, up to hand-overs.
  void Settle();

  static constexpr char kPrefix[] = "mu_BENCH_";
  static constexpr char kUser[] = "daemon";  // the account whose parts they are

 private:
  std::string WhatIsWrong() const;

  std::unique_ptr<driver::SlurmDriver> driver_;
  std::vector<driver::Event> events_;
};

Moment WallMoment();

}  // namespace muster::bench
