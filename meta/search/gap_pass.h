// State of one pass of the gap rule over the queued requests: how far it has come, and which
// requests to skip because like ones failed. scheduling.md section 1 (Gap rule).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "meta/waiting/queues.h"

namespace muster::meta {

using room::Rank;

// Invariant: a pass that is not running has no passed() request, none that it has looked at, and no
// failed shapes.
class GapPass {
 public:
  bool running() const { return running_; }
  // Number of releases so far.
  uint64_t releases() const { return releases_; }
  // The last request the pass has looked at; none at the beginning.
  const std::optional<Rank>& passed() const { return passed_; }

  // Notes that resources became free, so that what failed before may succeed. A running pass is
  // repeated after its end. Otherwise a pass begins if requests wait.
  void NoteRelease(bool any_wait);
  // Begins the pass again at the first rank, because room that an order took in the shadows is free
  // again. There was no release, so gaps that sites refused stay refused.
  void BeginAgain();

  // Notes that waiting requests changed their ranks. A running pass goes through them from the
  // first one again, and leaves out those that it has looked at.
  void NoteReordered() { passed_.reset(); }

  // True if this pass has not looked at the request before.
  bool Pass(const Rank& rank) {
    passed_ = rank;
    return looked_at_.insert(rank.id).second;
  }
  // Ends the pass at the last rank. True if it is repeated because of a release meanwhile.
  bool End();

  // Shapes for which this pass found no gap.
  bool FoundNone(const std::string& shape) const { return failed_.contains(shape); }
  void NoteNone(std::string shape) { failed_.insert(std::move(shape)); }
  // Keys of requests (RefusedKeyOf) for which all sites refused a gap since the last release.
  bool WasRefused(const std::string& key) const { return refused_.contains(key); }
  void NoteRefused(std::string key) { refused_.insert(std::move(key)); }
  bool any_refused() const { return !refused_.empty(); }

 private:
  bool running_ = false;
  bool again_ = false;  // a release came during the pass
  std::optional<Rank> passed_;
  std::set<RequestId> looked_at_;
  std::set<std::string> failed_;
  std::set<std::string> refused_;
  uint64_t releases_ = 0;
};

}  // namespace muster::meta
