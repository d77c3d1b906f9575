// Depth-first search over the best candidates of each part. The search width starts small and
// doubles, so that the worst candidates are the ones left out when kAssignments or kSteps ends the
// search. Skips assignments that cannot improve on the best one found.
#include "partitioner/choose.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace muster::partitioner {
namespace {

// limit of search steps: with `apart` most branches may be dead ends
constexpr size_t kSteps = 4096;
constexpr size_t kFirstWidth = 2;

using Chosen = std::vector<const Candidate*>;

// The criteria of R5 that decide between assignments with equal starts. No field gets smaller when
// a part is added, which lets InVain() prune.
struct Score {
  bool several = false;  // on several sites: needs a start barrier
  Span length;           // from the start to the end of the last part
  size_t away = 0;       // number of parts away from home
  int64_t spoils = 0;
  double load = 0;
  int64_t balance = 0;
  int64_t cost = 0;
  int64_t transfer = 0;

  auto Key() const {
    return std::tuple(several, length, away, spoils, InTenths(load), balance, cost, transfer);
  }
};

bool ByName(const Chosen& a, const Chosen& b) {
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const Candidate* x, const Candidate* y) { return x->site < y->site; });
}

class Search {
 public:
  Search(const std::vector<std::vector<Candidate>>& parts, bool apart, const StartOf& start_of,
         const TransferOf& transfer_of)
      : parts_(parts), apart_(apart), start_of_(start_of), transfer_of_(transfer_of) {}

  std::optional<Assignment> Run() {
    size_t widest = 0;
    for (const auto& candidates : parts_) widest = std::max(widest, candidates.size());
    const size_t least = apart_ ? std::max(kFirstWidth, parts_.size()) : kFirstWidth;
    for (size_t width = least; !Spent(); width *= 2) {
      width_ = width;
      Descend(Instant{-kFarFuture.seconds}, Score{}, /*fresh=*/false);
      if (width >= widest) break;
      narrower_ = width;
    }
    if (!best_) return std::nullopt;
    return Assignment{SitesOf(*best_), best_start_};
  }

 private:
  bool Spent() const { return asked_ >= kAssignments || steps_ >= kSteps; }

  static std::vector<std::string> SitesOf(const Chosen& chosen) {
    std::vector<std::string> out;
    for (const Candidate* candidate : chosen) out.push_back(candidate->site);
    return out;
  }

  bool Taken(const Candidate& candidate) const {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [&](const Candidate* other) { return other->site == candidate.site; });
  }

  // Whether no extension of this partial assignment can win: with more parts it starts no earlier,
  // and its score gets no better.
  bool InVain(Instant start, const Score& score) const {
    if (!best_ || start < best_start_) return false;
    return start > best_start_ || score.Key() > best_score_.Key();
  }

  Score With(Score score, const Candidate& candidate) const {
    score.several = score.several || (!chosen_.empty() && chosen_[0]->site != candidate.site);
    score.length = std::max(score.length, candidate.length);
    if (!candidate.home) ++score.away;
    score.spoils += candidate.spoils;
    score.load += candidate.load;
    score.balance += candidate.balance;
    score.cost += candidate.cost;
    return score;
  }

  // `fresh`: some chosen candidate lies outside the width of the previous search.
  void Descend(Instant start, const Score& score, bool fresh) {
    ++steps_;
    const size_t part = chosen_.size();
    if (part == parts_.size()) {
      if (fresh || narrower_ == 0) Ask(start, score);
      return;
    }
    const std::vector<Candidate>& candidates = parts_[part];
    for (size_t i = 0; i < std::min(width_, candidates.size()) && !Spent(); ++i) {
      const Candidate& candidate = candidates[i];
      const Instant later = std::max(start, candidate.start);
      const Score with = With(score, candidate);
      if (InVain(later, with) || (apart_ && Taken(candidate))) continue;
      chosen_.push_back(&candidate);
      Descend(later, with, fresh || i >= narrower_);
      chosen_.pop_back();
    }
  }

  // Computes the common start of the chosen assignment, which is >= `start`, and keeps the
  // assignment if it is the best so far.
  void Ask(Instant start, Score score) {
    if (!transfer_of_ && best_ && start == best_start_ && !Better(score)) return;
    const std::vector<std::string> sites = SitesOf(chosen_);
    if (transfer_of_) score.transfer = transfer_of_(sites);
    if (best_ && start == best_start_ && !Better(score)) return;
    ++asked_;
    const std::optional<Instant> found = start_of_(sites);
    if (!found || (best_ && (*found > best_start_ || (*found == best_start_ && !Better(score))))) {
      return;
    }
    best_ = chosen_;
    best_start_ = *found;
    best_score_ = score;
  }

  bool Better(const Score& score) const {
    if (score.Key() != best_score_.Key()) return score.Key() < best_score_.Key();
    return ByName(chosen_, *best_);
  }

  const std::vector<std::vector<Candidate>>& parts_;
  bool apart_;
  const StartOf& start_of_;
  const TransferOf& transfer_of_;
  size_t width_ = 0;
  size_t narrower_ = 0;  // width of the previous search; 0: none
  Chosen chosen_;
  std::optional<Chosen> best_;
  Instant best_start_;
  Score best_score_;
  size_t asked_ = 0;
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
  return std::tie(a.unpaid, a.start, a.length, a_away, a.spoils, a_load, a.balance, a.cost,
                  a.transfer, a.site) < std::tie(b.unpaid, b.start, b.length, b_away, b.spoils,
                                                 b_load, b.balance, b.cost, b.transfer, b.site);
}

std::optional<Assignment> Assign(std::vector<std::vector<Candidate>> parts, bool apart,
                                 const StartOf& start_of, const TransferOf& transfer_of) {
  // With `apart`, the best sites of all parts may be the same ones. Keep at least as many sites as
  // there are parts.
  const size_t keep = apart ? std::max(kPartSites, parts.size()) : kPartSites;
  for (std::vector<Candidate>& candidates : parts) {
    std::sort(candidates.begin(), candidates.end(), Better);
    if (candidates.size() > keep) candidates.resize(keep);
  }
  return Search(parts, apart, start_of, transfer_of).Run();
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
