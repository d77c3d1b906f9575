// Levels are fractions and are compared by their products, so nothing is rounded.
#include "policy/share_tree.h"

#include <algorithm>
#include <map>
#include <string>

namespace muster::policy {
namespace {

__extension__ using Wide = __int128;

class Tree {
 public:
  Tree(const std::vector<Share>& shares, const std::vector<int64_t>& counts)
      : shares_(shares), counts_(counts), places_(shares.size()) {
    for (size_t i = 0; i < shares.size(); ++i) {
      below_[shares[i].parent].push_back(i);
      sums_[shares[i].parent] += counts[i];
    }
  }

  std::vector<size_t> Places() {
    Visit(Below(""));
    return places_;
  }

 private:
  std::vector<size_t> Below(const std::string& parent) const {
    const auto it = below_.find(parent);
    return it == below_.end() ? std::vector<size_t>{} : it->second;
  }
  // True if a stands before b: its target / (use / use of all siblings) is larger. Nothing used is
  // without bound.
  bool Before(size_t a, size_t b) const {
    if (counts_[a] == 0 || counts_[b] == 0) return counts_[a] == 0 && counts_[b] != 0;
    return Product(a, b) > Product(b, a);
  }
  Wide Product(size_t a, size_t b) const {
    return Wide{shares_[a].target.value_or(0)} * sums_.at(shares_[a].parent) * counts_[b];
  }
  // Lays out siblings, and what is below them.
  void Visit(std::vector<size_t> siblings) {
    std::stable_sort(siblings.begin(), siblings.end(),
                     [this](size_t a, size_t b) { return Before(a, b); });
    for (size_t from = 0; from < siblings.size();) {
      size_t to = from + 1;
      while (to < siblings.size() && !Before(siblings[from], siblings[to])) ++to;
      std::vector<size_t> children;
      for (size_t i = from; i < to; ++i) {
        const std::vector<size_t> own = Below(shares_[siblings[i]].who);
        children.insert(children.end(), own.begin(), own.end());
      }
      if (!children.empty()) Visit(std::move(children));
      for (size_t i = from; i < to; ++i) places_[siblings[i]] = placed_;
      placed_ += to - from;
      from = to;
    }
  }
  const std::vector<Share>& shares_;
  const std::vector<int64_t>& counts_;
  std::map<std::string, std::vector<size_t>> below_;  // by parent
  std::map<std::string, int64_t> sums_;               // use of all siblings, by parent
  std::vector<size_t> places_;
  size_t placed_ = 0;
};

}  // namespace

std::vector<int64_t> TreeValues(const std::vector<Share>& shares,
                                const std::vector<int64_t>& counts) {
  constexpr int64_t kWhole = 1000;
  const auto n = static_cast<int64_t>(shares.size());
  std::vector<int64_t> out;
  for (const size_t place : Tree(shares, counts).Places()) {
    out.push_back(kWhole * (n - static_cast<int64_t>(place)) / n);
  }
  return out;
}

}  // namespace muster::policy
