// How much of their limits those use who compute at the sites without muster. A job of theirs that
// a site does not tell any more has ended. What is learned goes into what is expected, never into a
// bound or a promise: those rest on the limits. In memory only.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/ids.h"
#include "base/interval.h"
#include "base/time.h"
#include "meta/forecast/model/futures.h"
#include "meta/forecast/model/run_model.h"
#include "schemas/site_link.h"

namespace muster::meta {

class Site;

// Invariant: the model's live jobs are exactly those that a site has told and that have not ended.
// Users of different sites are never taken for one.
class OutsideRuns {
 public:
  // Takes what sites have said since the last call.
  void Hear(const std::map<std::string, Site>& sites, Instant now);
  // How long such a job goes on, as of `now`. Jobs of one shape share what `times` keeps as of
  // then; no shape there is one of a request.
  forecast::Runner RunnerOf(const std::string& site, const schemas::OutsideRun& run, Instant now,
                            std::map<forecast::Shape, forecast::RunTime>& times) const;

 private:
  struct Running {
    uint64_t job = 0;  // in the model
    Interval when;     // as it was told last
  };
  struct Heard {
    Incarnation incarnation;
    PlanRevision plan;
    std::map<uint64_t, Running> running;  // by key
  };

  void Take(const std::string& site, const schemas::Capacity& capacity, Instant now, Heard& heard);

  forecast::RunModel model_;
  std::map<std::string, Heard> heard_;
  uint64_t jobs_ = 0;
};

}  // namespace muster::meta
