// Depth-first over the best candidates of each part; bounded in assignments and in steps.
#include "partitioner/choose.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace muster::partitioner {
namespace {

constexpr size_t kSteps = 4096;  // of the search: apart can make most branches dead ends

// Loads that differ by less are alike.
int64_t InTenths(double load) { return static_cast<int64_t>(load * 10); }

// What decides between assignments that start together, the first first.
struct Score {
  Span length;  // of the longest part
  double load = 0;
  int64_t cost = 0;
  int64_t transfer = 0;

  auto Key() const { return std::tuple(length, InTenths(load), cost, transfer); }
};

// Whichever sites each part gets.
bool AreAlike(const std::vector<std::vector<Candidate>>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const std::vector<Candidate>& candidates) {
    return std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
      return c.length == candidates.front().length && c.cost == candidates.front().cost;
    });
  });
}

class Search {
 public:
  Search(const std::vector<std::vector<Candidate>>& parts, bool apart, Instant earliest,
         const StartOf& start_of, const TransferOf& transfer_of)
      : parts_(parts),
        apart_(apart),
        earliest_(earliest),
        start_of_(start_of),
        transfer_of_(transfer_of),
        alike_(!transfer_of && AreAlike(parts)) {}

  std::optional<Assignment> Run() {
    Descend();
    return best_;
  }

 private:
  bool Done() const {
    return tried_ >= kAssignments || steps_ >= kSteps ||
           (best_ && best_->start <= earliest_ && alike_);
  }

  void Descend() {
    ++steps_;
    if (chosen_.size() == parts_.size()) {
      ++tried_;
      const std::optional<Instant> start = start_of_(chosen_);
      if (start && (!best_ || *start <= best_->start)) Take(*start);
      return;
    }
    for (const Candidate& c : parts_[chosen_.size()]) {
      if (Done()) return;
      if (apart_ && std::find(chosen_.begin(), chosen_.end(), c.site) != chosen_.end()) continue;
      const Score before = score_;
      chosen_.push_back(c.site);
      score_.length = std::max(score_.length, c.length);
      score_.load += c.load;
      score_.cost += c.cost;
      Descend();
      score_ = before;
      chosen_.pop_back();
    }
  }

  // REQUIRES: not later than the best one.
  void Take(Instant start) {
    Score score = score_;
    if (transfer_of_) score.transfer = transfer_of_(chosen_);
    const bool earlier = !best_ || start < best_->start;
    // Where sites are alike the first of several equal ones stays, as candidates come best first.
    if (!earlier && (alike_ || score.Key() >= best_score_.Key())) return;
    best_ = Assignment{chosen_, start};
    best_score_ = score;
  }

  const std::vector<std::vector<Candidate>>& parts_;
  bool apart_;
  Instant earliest_;
  const StartOf& start_of_;
  const TransferOf& transfer_of_;
  bool alike_;  // but for their load
  std::vector<std::string> chosen_;
  std::optional<Assignment> best_;
  Score score_;  // of the chosen ones
  Score best_score_;
  size_t tried_ = 0;
  size_t steps_ = 0;
};

bool Augment(size_t part, const std::vector<std::vector<std::string>>& eligible,
             std::map<std::string, size_t>& taken, std::vector<std::string>& visited) {
  for (const std::string& site : eligible[part]) {
    if (std::find(visited.begin(), visited.end(), site) != visited.end()) continue;
    visited.push_back(site);
    const auto it = taken.find(site);
    if (it == taken.end() || Augment(it->second, eligible, taken, visited)) {
      taken[site] = part;
      return true;
    }
  }
  return false;
}

}  // namespace

bool Better(const Candidate& a, const Candidate& b) {
  const bool a_away = !a.home;
  const bool b_away = !b.home;
  const int64_t a_load = InTenths(a.load);
  const int64_t b_load = InTenths(b.load);
  return std::tie(a.start, a.length, a_away, a.spoils, a_load, a.cost, a.transfer, a.site) <
         std::tie(b.start, b.length, b_away, b.spoils, b_load, b.cost, b.transfer, b.site);
}

std::optional<Assignment> Assign(std::vector<std::vector<Candidate>> parts, bool apart,
                                 Instant earliest, const StartOf& start_of,
                                 const TransferOf& transfer_of) {
  // Apart, the best few sites of every part may be the same ones: keep one for each part.
  const size_t keep = apart ? std::max(kAskSites, parts.size()) : kAskSites;
  for (std::vector<Candidate>& candidates : parts) {
    std::sort(candidates.begin(), candidates.end(), Better);
    if (candidates.size() > keep) candidates.resize(keep);
  }
  return Search(parts, apart, earliest, start_of, transfer_of).Run();
}

bool CanBeApart(const std::vector<std::vector<std::string>>& eligible) {
  std::map<std::string, size_t> taken;
  for (size_t part = 0; part < eligible.size(); ++part) {
    std::vector<std::string> visited;
    if (!Augment(part, eligible, taken, visited)) return false;
  }
  return true;
}

}  // namespace muster::partitioner
