// How far the points of all requests are worked out for a time of the grid.
#pragma once

#include <optional>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "policy/points.h"
#include "policy/shares_now.h"

namespace muster::meta {

using policy::SharesNow;

// Invariant: a pass that is under way has a time.
class Ranking {
 public:
  // The next pass begins at once: what points depend on has changed.
  void NoteChanged() { changed_ = true; }
  // The same if the largest amounts of a site are others than the last ones noted.
  void NoteLargest(const policy::Largest& largest) {
    if (largest != largest_) changed_ = true;
    largest_ = largest;
  }
  // What points depend on has changed since the last pass began.
  bool changed() const { return changed_; }
  // Begins a pass for a time of the grid, unless there was a change neither of time nor of what
  // points depend on. A pass under way goes on, and whoever it has passed waits for the next one.
  // Returns true if one begins.
  bool Begin(Moment at) {
    if (!changed_ && (running_ || (at_ && at <= *at_))) return false;
    changed_ = false;
    at_ = at;
    running_ = true;
    after_ = RequestId{};
    return true;
  }
  // The shares as they stood at the begin of the pass.
  void TakeShares(SharesNow shares) { shares_ = std::move(shares); }
  const SharesNow& shares() const { return shares_; }
  bool running() const { return running_; }
  // The time of the last pass; none before the first one.
  const std::optional<Moment>& at() const { return at_; }
  // The last request that the running pass has looked at; zero at its begin.
  RequestId after() const { return after_; }
  void Pass(RequestId id) { after_ = id; }
  void End() { running_ = false; }

 private:
  std::optional<Moment> at_;
  policy::Largest largest_;
  SharesNow shares_;
  bool changed_ = false;
  bool running_ = false;
  RequestId after_;
};

}  // namespace muster::meta
