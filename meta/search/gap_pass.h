// A pass of the gap rule over the requests that wait in queues: how far it has come, and which
// requests need not be tried because others like them failed. scheduling.md section 1 (Gap rule).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "meta/waiting/queues.h"

namespace muster::meta {

using room::Rank;

// Invariant: a pass that is not running has passed nobody and knows no failed shape.
class GapPass {
 public:
  bool running() const { return running_; }
  // Releases so far.
  uint64_t releases() const { return releases_; }
  // The last request that the pass has looked at; none at its begin.
  const std::optional<Rank>& passed() const { return passed_; }

  // Resources became free somewhere: whatever failed before may succeed. A running pass is
  // repeated from the first rank after its end; else one begins if requests wait.
  void NoteRelease(bool any_wait);
  // Room that an order took in the shadows is back, without a release: the pass begins again at the
  // first rank. What sites refused stays refused.
  void BeginAgain();

  void Pass(const Rank& rank) { passed_ = rank; }
  // All waiting requests are passed. True if the pass is repeated, since a release came meanwhile.
  bool End();

  // Shapes for which this pass found no gap.
  bool FoundNone(const std::string& shape) const { return failed_.contains(shape); }
  void NoteNone(std::string shape) { failed_.insert(std::move(shape)); }
  // Keys of requests (RefusedKeyOf) whose gaps all sites refused since the last release.
  bool WasRefused(const std::string& key) const { return refused_.contains(key); }
  void NoteRefused(std::string key) { refused_.insert(std::move(key)); }
  bool any_refused() const { return !refused_.empty(); }

 private:
  bool running_ = false;
  bool again_ = false;  // a release came during the pass
  std::optional<Rank> passed_;
  std::set<std::string> failed_;
  std::set<std::string> refused_;
  uint64_t releases_ = 0;
};

}  // namespace muster::meta
