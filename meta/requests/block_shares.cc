// What depends on the credentials alone is worked out once for each of them.
#include "meta/requests/block_shares.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "meta/requests/credentials.h"
#include "meta/requests/fairshare.h"
#include "meta/requests/points.h"
#include "meta/requests/use_sums.h"

namespace muster::meta {
namespace {

class Entering {
 public:
  Entering(const RequestsLayer& f, const Turn& t)
      : f_(f), now_(t.plan), at_(f.ranking.at().value_or(t.plan)), largest_(LargestOf(f)) {
    const std::vector<policy::Share>& shares = f.options.fairshare->shares;
    for (size_t i = 0; i < shares.size(); ++i) index_[shares[i].who] = i;
  }

  policy::Entrant Of(const Request& request) {
    const policy::PointsRules& rules = *f_.options.priority;
    const schemas::RequestSpec& spec = request.record().spec;
    const std::array<std::string_view, 4> key = {request.record().requester.user, spec.queue,
                                                 spec.account, spec.qos};
    const auto [it, added] = named_.try_emplace(key);
    if (added) it->second = Named(request);
    policy::Entrant out = it->second;
    policy::Asker asker = AskedBy(f_, request, at_);
    out.points += PointsOf(rules, asker, largest_);
    out.booked = BookedBy(f_, spec);
    if (spec.inside) out.adds_to.clear();
    return out;
  }

 private:
  // Its shares, and as points those that its credentials give.
  policy::Entrant Named(const Request& request) const {
    const policy::Asker whole = AskerOf(f_, request, at_);
    policy::Asker asker;
    asker.who = whole.who;
    asker.balance = whole.balance;
    policy::Entrant out{.points = PointsOf(*f_.options.priority, asker, policy::Largest{})};
    for (const auto& it : policy::SharesIn(index_, asker.who)) out.from.push_back(it->second);
    for (const std::string& who : SharersOf(f_, request, now_)) {
      const auto it = index_.find(who);
      if (it != index_.end()) out.adds_to.push_back(it->second);
    }
    return out;
  }

  const RequestsLayer& f_;
  const Moment now_;
  const Moment at_;
  const policy::Largest largest_;
  std::map<std::string, size_t> index_;  // of shares, by who
  std::map<std::array<std::string_view, 4>, policy::Entrant> named_;
};

bool Orders(const RequestsLayer& f) {
  if (!f.options.priority || !f.options.fairshare) return false;
  const std::vector<policy::Share>& shares = f.options.fairshare->shares;
  if (shares.empty()) return false;
  return f.options.priority->WeightOf(policy::Factor::kFsGlobal) != 0 ||
         std::any_of(shares.begin(), shares.end(),
                     [](const policy::Share& share) { return share.floor.has_value(); });
}

}  // namespace

std::optional<room::BlockOrder> BlockOrderOf(const RequestsLayer& f, const Turn& t) {
  if (!Orders(f)) return std::nullopt;
  std::map<RequestId, policy::Entrant> entrants;
  Entering entering(f, t);
  const room::Queues& queues = f.room.queues();
  for (auto rank = queues.After(std::nullopt); rank; rank = queues.After(rank)) {
    const Request* request = f.requests.Find(rank->id);
    if (request) entrants[rank->id] = entering.Of(*request);
  }
  policy::Progressive progressive(*f.options.fairshare,
                                  f.options.priority->WeightOf(policy::Factor::kFsGlobal),
                                  UsesAt(f, t.plan));
  return room::BlockOrder(std::move(progressive), std::move(entrants));
}

}  // namespace muster::meta
