// What the meta's core writes of requests and attempts, what it says to sites and to clients, and
// what a request's record shows, as lines of a scenario's trace.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "meta/turn/events.h"

namespace muster::scenario {

// Instants are shown as seconds after `zero`. Left out are heartbeats, what sites are told to list,
// and records that are written again without a change that a line would show.
class MetaTrace {
 public:
  using Lines = std::vector<std::string>;

  explicit MetaTrace(Instant zero) : zero_(zero) {}

  Lines Of(const meta::Effects& effects);
  // What a site says; heartbeats are left out.
  Lines Of(const std::string& site, const schemas::ToMeta& message) const;
  // A job as its user sees it; with `events` also what happened to it.
  Lines Show(const schemas::JobView& job, bool events) const;
  Lines Show(const std::vector<schemas::SiteView>& sites) const;

 private:
  void Write(const schemas::Write<schemas::MetaRecord>& write, Lines& lines);

  Instant zero_;
  std::map<std::string, std::string> written_;  // lines by key
};

}  // namespace muster::scenario
