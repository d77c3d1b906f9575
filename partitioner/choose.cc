// Depth-first over the best candidates of each part; bounded in assignments and in steps.
#include "partitioner/choose.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace muster::partitioner {
namespace {

constexpr size_t kSteps = 4096;  // of the search: apart can make most branches dead ends

class Search {
 public:
  Search(const std::vector<std::vector<Candidate>>& parts, bool apart, Instant earliest,
         const StartOf& start_of, const TransferOf& transfer_of)
      : parts_(parts),
        apart_(apart),
        earliest_(earliest),
        start_of_(start_of),
        transfer_of_(transfer_of) {}

  std::optional<Assignment> Run() {
    Descend();
    return best_;
  }

 private:
  bool Done() const {
    return tried_ >= kAssignments || steps_ >= kSteps ||
           (best_ && best_->start <= earliest_ && !transfer_of_);
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
      const double before = load_;
      chosen_.push_back(c.site);
      load_ += c.load;
      Descend();
      load_ = before;
      chosen_.pop_back();
    }
  }

  // REQUIRES: not later than the best one.
  void Take(Instant start) {
    const int64_t transfer = transfer_of_ ? transfer_of_(chosen_) : 0;
    const bool earlier = !best_ || start < best_->start;
    // Without transfers the first of several equal ones stays, as candidates come best first.
    const bool nearer = transfer_of_ && std::tie(load_, transfer) < std::tie(best_load_, transfer_);
    if (!earlier && !nearer) return;
    best_ = Assignment{chosen_, start};
    best_load_ = load_;
    transfer_ = transfer;
  }

  const std::vector<std::vector<Candidate>>& parts_;
  bool apart_;
  Instant earliest_;
  const StartOf& start_of_;
  const TransferOf& transfer_of_;
  std::vector<std::string> chosen_;
  std::optional<Assignment> best_;
  double load_ = 0;  // of the chosen ones
  double best_load_ = 0;
  int64_t transfer_ = 0;  // of the best one
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
  return std::tie(a.start, a_away, a.load, a.transfer, a.site) <
         std::tie(b.start, b_away, b.load, b.transfer, b.site);
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
