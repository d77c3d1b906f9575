// Hashes states as memory (they consist of bytes only) to 128 bits. A link from each state to its
// parent yields the trace.
#include "verifier/exploration/explore.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstring>
#include <deque>

namespace muster::verifier::exploration {
namespace {

struct Key {
  uint64_t low;
  uint64_t high;
  bool operator==(const Key&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const Key& key) {
    return H::combine(std::move(h), key.low);
  }
};

struct Parent {
  Key from;
  Move move;
};

Key KeyOf(const State& state) {
  static_assert(alignof(State) == 1, "states are bytes: no padding may differ");
  const auto* bytes = reinterpret_cast<const unsigned char*>(&state);
  Key key{0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
  for (size_t i = 0; i < sizeof state; ++i) {
    key.low = (key.low ^ bytes[i]) * 0x100000001b3u;
    key.high = (key.high + bytes[i] + 1) * 0xff51afd7ed558ccdu;
    key.high ^= key.high >> 29;
  }
  return key;
}

std::string Count(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string ScopeOf(const Config& c) {
  return "1 request, " + Count(kAttempts, "attempt") + " of " + Count(c.members, "member") + ", " +
         Count(kSites, "site") + ", " + Count(1 + c.crashes_per_daemon, "epoch") + "; at most " +
         Count(c.losses, "lost order") + ", " + Count(c.duplicates, "copied order") + " and " +
         std::to_string(c.crashes_per_daemon) + " crash per daemon; " + Count(kFeed, "change") +
         " of a site on their way" + (c.cancel ? "; a cancel" : "; no cancel") +
         (c.late_answers ? "; late answers" : "; no late answers");
}

class Search {
 public:
  Search(const Config& config, const Bounds& bounds, double (*seconds)())
      : config_(config), model_(config), bounds_(bounds), seconds_(seconds) {}

  Found Run() {
    const State first = model_.Initial();
    root_ = KeyOf(first);
    seen_.emplace(root_, Parent{root_, {}});
    frontier_.push_back(first);
    while (!frontier_.empty() && result_.violation.empty()) {
      if (IsAtABound()) break;
      const State state = frontier_.front();
      frontier_.pop_front();
      Visit(state);
    }
    result_.states = seen_.size();
    result_.scope = ScopeOf(config_);
    if (!result_.violation.empty()) result_.ended_by = "a violation";
    result_.complete = result_.ended_by.empty();
    return result_;
  }

 private:
  bool IsAtABound() {
    constexpr size_t kLook = 4096;
    if (seen_.size() >= bounds_.states) {
      result_.ended_by = "the bound of " + std::to_string(bounds_.states) + " states";
    } else if (++visited_ % kLook == 0 && seconds_() > static_cast<double>(bounds_.seconds)) {
      result_.ended_by = "the bound of " + std::to_string(bounds_.seconds) + " s";
    }
    return !result_.ended_by.empty();
  }

  void Visit(const State& state) {
    const Key key = KeyOf(state);
    for (const Move& move : model_.Moves(state, true)) {
      State next = state;
      const std::optional<std::string> broken = model_.Apply(next, move);
      if (broken) return Violated(key, *broken, &move);
      if (seen_.emplace(KeyOf(next), Parent{key, move}).second) frontier_.push_back(next);
    }
    if (model_.Moves(state, false).empty()) {
      const std::optional<std::string> broken = model_.AtRest(state);
      if (broken) Violated(key, *broken, nullptr);
    }
  }

  void Violated(Key key, const std::string& what, const Move* last) {
    result_.violation = what;
    if (last != nullptr) result_.trace.push_back(ToText(*last));
    while (!(key == root_)) {
      const Parent& parent = seen_.at(key);
      result_.trace.push_back(ToText(parent.move));
      key = parent.from;
    }
    std::reverse(result_.trace.begin(), result_.trace.end());
  }

  Config config_;
  Model model_;
  Bounds bounds_;
  double (*seconds_)();
  Key root_{};
  absl::flat_hash_map<Key, Parent> seen_;
  std::deque<State> frontier_;
  size_t visited_ = 0;
  Found result_;
};

}  // namespace

std::string ToText(const Found& found) {
  const std::string states = std::to_string(found.states) + " states, ";
  const std::string all = found.complete ? "all there are" : "ended by " + found.ended_by;
  return states + all + " (" + found.scope + ")";
}

Found Explore(const Config& config, const Bounds& bounds, double (*seconds_spent)()) {
  return Search(config, bounds, seconds_spent).Run();
}

}  // namespace muster::verifier::exploration
