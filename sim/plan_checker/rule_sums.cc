// Each rule is a sum over the bookings it applies to, cut to the times when it counts. Only
// bookings that the rule binds are summed, so others cannot cause a false violation.
#include "sim/plan_checker/rule_sums.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "sim/plan_checker/one_order.h"
#include "sim/plan_checker/sums.h"

namespace muster::sim {
namespace {

constexpr char kEvery[] = "*";
constexpr char kJobs[] = "jobs";
constexpr char kArrayJobs[] = "arrayjobs";

bool IsPseudo(const std::string& resource) { return resource == kJobs || resource == kArrayJobs; }

IntervalSet Minus(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> out;
  for (Interval left : a.intervals()) {
    for (const Interval& hole : b.intervals()) {
      if (hole.end <= left.begin || hole.begin >= left.end) continue;
      if (left.begin < hole.begin) out.push_back({left.begin, hole.begin});
      left.begin = hole.end;
    }
    if (left.begin < left.end) out.push_back(left);
  }
  return IntervalSet(std::move(out));
}

// What the part asks for: chunks and job-wide resources (jRS).
ResourceSet Asked(const BookedPart& part) {
  ResourceSet out = part.jobwide;
  for (const WantedChunk& chunk : part.wanted) out += chunk.resources * chunk.count;
  return out;
}

class Rules {
 public:
  Rules(const PlanFacts& facts, const OrdersByName& orders, const std::set<std::string>& users,
        Instant from)
      : facts_(facts), orders_(orders), users_(users), from_(from) {
    for (const NodeFacts& node : facts.nodes) {
      has_ += node.has;
      nodes_[node.name] = &node;
    }
    has_ += facts.jobwide;
    for (const auto& [name, order] : orders) {
      for (const BookedPart& part : order.parts) until_ = std::max(until_, part.span.end);
    }
  }

  std::vector<Violation> Check() {
    Jobwide();
    for (const PoolFacts& pool : facts_.pools) Pool(pool);
    for (const StandingFacts& standing : facts_.standing) Standing(standing);
    if (facts_.federation_percent < 100) Share();
    for (const LimitFacts& limit : facts_.limits) Limit(limit);
    return std::move(found_);
  }

 private:
  // Inputs of a rule's sum: what a part counts with (empty: the rule does not bind it), and when
  // its order counts.
  using Amounts = std::function<ResourceSet(const BookedOrder&, const BookedPart&)>;
  using When = std::function<IntervalSet(const BookedOrder&)>;

  enum class Others : uint8_t { kLeftOut, kCounted };
  std::vector<Taken> Take(const Amounts& amounts, const When& when,
                          Others others = Others::kLeftOut) const {
    std::vector<Taken> out;
    for (const auto& [name, order] : orders_) {
      // inside of a reservation, or stopping after it: not counted
      if (!order.inside.empty() || order.outlives) continue;
      if (order.outside && others == Others::kLeftOut) continue;
      std::optional<IntervalSet> counted;
      for (uint32_t p = 0; p < order.parts.size(); ++p) {
        const BookedPart& part = order.parts[p];
        if (part.span.begin >= part.span.end) continue;
        const ResourceSet taken = amounts(order, part);
        if (taken.empty()) continue;
        if (!counted) counted = when(order);
        const IntervalSet spans = IntervalSet({part.span}).Intersect(*counted);
        for (const Interval& span : spans.intervals()) {
          out.push_back({span, taken, order.chain, name, p, false});
        }
      }
    }
    return out;
  }

  IntervalSet Valid(const Validity& validity) const {
    return Intervals(validity, facts_.zone, from_, std::max(until_, from_ + Span{1})).intervals;
  }

  int64_t Of(const ItemsFacts& items, const std::string& resource) const {
    const int64_t percent = items.percent.value_or(0);
    const int64_t share =
        has_.Get(resource) / 100 * percent + has_.Get(resource) % 100 * percent / 100;
    return std::max(items.count.value_or(0), share);
  }

  void Wrong(Breach breach, const std::string& rule, const Level& level) {
    found_.push_back({breach, rule + ", and " + ToText(level.amounts) + " are booked at second " +
                                  std::to_string(level.span.begin.seconds) + " by " +
                                  Names(level.who)});
  }

  void AtMost(Breach breach, const std::string& rule, const std::vector<Taken>& taken,
              const ResourceSet& most) {
    Sweep(taken, from_, [&](const Level& level) {
      if (level.amounts.FitsIn(most)) return true;
      Wrong(breach, rule, level);
      return false;
    });
  }

  void Jobwide() {
    const auto taken =
        Take([](const BookedOrder&, const BookedPart& part) { return part.jobwide; },
             [](const BookedOrder&) { return IntervalSet::From({-kFarFuture.seconds}); },
             Others::kCounted);
    AtMost(Breach::kJobwide, "there are " + ToText(facts_.jobwide) + " job-wide", taken,
           facts_.jobwide);
  }

  // The amount of a resource that the part takes: whole nodes if it is exclusive, those of its
  // partition that host nothing too, else its chunk sets; plus job-wide resources.
  ResourceSet Blocked(const BookedPart& part, const std::string& resource) const {
    int64_t sum = part.jobwide.Get(resource);
    std::set<std::string> whole;
    for (const PlacedSet& set : part.placed) {
      if (!part.exclusive) {
        sum += set.resources.Get(resource);
      } else if (whole.insert(set.node).second && nodes_.contains(set.node)) {
        sum += nodes_.at(set.node)->has.Get(resource);
      }
    }
    for (const std::string& node : part.bare) {
      if (whole.insert(node).second && nodes_.contains(node)) {
        sum += nodes_.at(node)->has.Get(resource);
      }
    }
    return {{resource, sum}};
  }

  bool Qualifies(const BookedOrder& order, const PoolFacts& pool) const {
    ResourceSet amounts;
    Span duration;
    for (const BookedPart& part : order.parts) {
      amounts += Asked(part);
      duration = std::max(duration, part.duration);
    }
    static const std::map<std::string, std::string> kNone;
    return Holds(pool.open_to, {.user = order.user,
                                .groups = order.groups,
                                .duration = duration,
                                .amounts = amounts,
                                .properties = kNone,
                                .account = order.account,
                                .qos = order.qos,
                                .queue = order.queue,
                                .interactive = order.interactive});
  }

  void Pool(const PoolFacts& pool) {
    const IntervalSet valid = Valid(pool.valid);
    const auto taken = Take(
        [&](const BookedOrder& order, const BookedPart& part) {
          return Qualifies(order, pool) ? ResourceSet() : Blocked(part, pool.resource);
        },
        [&](const BookedOrder&) { return valid; });
    const int64_t left = has_.Get(pool.resource) - Of(pool.keep, pool.resource);
    AtMost(Breach::kPool, "pool " + pool.name + " leaves " + std::to_string(left) + " to others",
           taken, {{pool.resource, left}});
  }

  void Standing(const StandingFacts& standing) {
    const IntervalSet valid = Valid(standing.valid);
    const std::set<std::string> nodes(standing.nodes.begin(), standing.nodes.end());
    for (const auto& [name, order] : orders_) {
      if (Allows(standing.allow, order)) continue;
      for (const BookedPart& part : order.parts) {
        const bool there =
            std::any_of(part.placed.begin(), part.placed.end(),
                        [&](const PlacedSet& set) { return nodes.contains(set.node); });
        const bool then =
            part.span.begin < part.span.end && !IntervalSet({part.span}).Intersect(valid).empty();
        if (!there || !then) continue;
        found_.push_back({Breach::kReservation, part.name + " of " + order.user + " is in " +
                                                    standing.name + ", which is not for them"});
      }
    }
  }

  // The federation's share. For a resource that only some nodes have, an exclusive part counts only
  // if it asks for that resource.
  void Share() {
    for (const auto& [resource, amount] : has_.entries()) {
      const bool everywhere =
          std::all_of(facts_.nodes.begin(), facts_.nodes.end(),
                      [&](const NodeFacts& node) { return node.has.Get(resource) > 0; });
      const auto taken = Take(
          [&](const BookedOrder& order, const BookedPart& part) {
            const bool counts = order.federated && (everywhere || Asked(part).Get(resource) > 0);
            return counts ? Blocked(part, resource) : ResourceSet();
          },
          [](const BookedOrder&) { return IntervalSet::From({-kFarFuture.seconds}); });
      const int64_t most = Of({.percent = facts_.federation_percent}, resource);
      AtMost(Breach::kLimit, "the federation may have " + std::to_string(most) + " " + resource,
             taken, {{resource, most}});
    }
  }

  // --- limits

  // What an order has of the kind of credential that the limit is for: "account chem"; empty: it
  // has none, or the limit is for users and groups.
  static std::string HasOfKind(const LimitFacts& limit, const BookedOrder& order) {
    for (const auto& [word, name] :
         {std::pair("account ", order.account), std::pair("qos ", order.qos),
          std::pair("queue ", order.queue)}) {
      if (limit.who.starts_with(word) && !name.empty()) return word + name;
    }
    return "";
  }
  static bool IsOfCredential(const LimitFacts& limit) {
    return limit.who.find(' ') != std::string::npos;
  }

  bool Meets(const LimitFacts& limit, const BookedOrder& order) const {
    if (limit.who == kEvery) return true;
    if (IsOfCredential(limit)) {
      const std::string has = HasOfKind(limit, order);
      return !has.empty() && (limit.who == has || limit.who.ends_with(" *"));
    }
    if (!limit.who.starts_with("@")) return limit.who == order.user;
    return std::find(order.groups.begin(), order.groups.end(), limit.who.substr(1)) !=
           order.groups.end();
  }
  static bool Covers(const LimitFacts& limit, const std::string& resource) {
    return limit.resource == resource || (limit.resource == kEvery && !IsPseudo(resource));
  }

  // Who shares the limit with the order: orders of one consumer count together.
  static std::string ConsumerOf(const LimitFacts& limit, const BookedOrder& order) {
    if (limit.who == kEvery) return order.user;
    const std::string shared = IsOfCredential(limit) ? HasOfKind(limit, order) : limit.who;
    return limit.each ? shared + ", " + order.user : shared;
  }

  // The user's own limits for the resource; if there are none, those of the user's groups.
  std::vector<const LimitFacts*> Own(const BookedOrder& order, const std::string& resource) const {
    std::vector<const LimitFacts*> of_user;
    std::vector<const LimitFacts*> of_groups;
    for (const LimitFacts& limit : facts_.limits) {
      if (limit.who == kEvery || IsOfCredential(limit)) continue;
      if (!Covers(limit, resource) || !Meets(limit, order)) continue;
      (limit.who.starts_with("@") ? of_groups : of_user).push_back(&limit);
    }
    return of_user.empty() ? of_groups : of_user;
  }

  // The times when this limit is the one that applies to the booking and resource.
  IntervalSet Counts(const LimitFacts& limit, const BookedOrder& order,
                     const std::string& resource) const {
    IntervalSet out = Valid(limit.valid);
    if (IsOfCredential(limit)) {
      for (const LimitFacts& other : facts_.limits) {
        const bool nearer = limit.who.ends_with(" *") && other.who == HasOfKind(limit, order);
        if (nearer && Covers(other, resource)) out = Minus(out, Valid(other.valid));
      }
    } else {
      const std::vector<const LimitFacts*> own = Own(order, resource);
      const bool among_own = std::find(own.begin(), own.end(), &limit) != own.end();
      if (!among_own && limit.who != kEvery) return {};
      for (const LimitFacts* other : own) {
        if (!among_own) out = Minus(out, Valid(other->valid));
      }
    }
    if (limit.resource != kEvery) return out;
    for (const LimitFacts& other : facts_.limits) {
      const bool nearer =
          other.who == limit.who && other.each == limit.each && other.resource == resource;
      if (nearer) out = Minus(out, Valid(other.valid));
    }
    return out;
  }

  void Limit(const LimitFacts& limit) {
    std::set<std::string> resources{limit.resource};
    if (limit.resource == kEvery) {
      resources.clear();
      for (const auto& [name, order] : orders_) {
        for (const BookedPart& part : order.parts) {
          const ResourceSet asked = Asked(part);
          for (const auto& [resource, amount] : asked.entries()) resources.insert(resource);
        }
      }
    }
    std::set<std::string> consumers;
    for (const auto& [name, order] : orders_) {
      const bool looked_at = users_.contains(order.user) || IsOfCredential(limit);
      if (looked_at && Meets(limit, order)) consumers.insert(ConsumerOf(limit, order));
    }
    for (const std::string& resource : resources) {
      for (const std::string& consumer : consumers) Limit(limit, resource, consumer);
    }
  }

  ResourceSet Amount(const BookedOrder& order, const BookedPart& part,
                     const std::string& resource) const {
    if (!IsPseudo(resource)) return {{resource, Asked(part).Get(resource)}};
    const bool counted = resource == kJobs || order.element;
    const bool first = &part == &*std::max_element(order.parts.begin(), order.parts.end(),
                                                   [](const BookedPart& a, const BookedPart& b) {
                                                     return a.duration < b.duration;
                                                   });
    return {{resource, counted && first ? 1 : 0}};
  }

  void Limit(const LimitFacts& limit, const std::string& resource, const std::string& consumer) {
    const std::string name = "limit of " + resource + " for " + consumer;
    const Amounts amounts = [&](const BookedOrder& order, const BookedPart& part) {
      const bool met = Meets(limit, order) && ConsumerOf(limit, order) == consumer &&
                       !(limit.soft && order.at_once);
      return met ? Amount(order, part, resource) : ResourceSet();
    };
    const When when = [&](const BookedOrder& order) { return Counts(limit, order, resource); };
    const std::vector<Taken> taken = Take(amounts, when);
    if (limit.items) {
      const int64_t most = Of(*limit.items, resource);
      AtMost(Breach::kLimit, name + " is " + std::to_string(most), taken, {{resource, most}});
    }
    for (const Taken& t : taken) {
      if (!limit.duration || t.span.end <= from_) continue;
      if (orders_.at(t.order).parts[t.part].duration <= *limit.duration) continue;
      found_.push_back({Breach::kLimit, name + " is " + std::to_string(limit.duration->seconds) +
                                            " s, and " + t.order + " is longer"});
      break;
    }
    if (limit.area) Area(limit, name, resource, taken);
  }

  // Sums item-seconds from now on, without the turnover before a part.
  void Area(const LimitFacts& limit, const std::string& name, const std::string& resource,
            const std::vector<Taken>& taken) {
    std::map<std::string, std::map<std::string, int64_t>> chains;
    for (const Taken& t : taken) {
      const BookedPart& part = orders_.at(t.order).parts[t.part];
      const Instant begin = std::max({t.span.begin, from_, part.span.end - part.duration});
      if (begin < t.span.end) {
        chains[t.chain][t.order] += (t.span.end - begin).seconds * t.amounts.Get(resource);
      }
    }
    int64_t sum = 0;
    for (const auto& [chain, orders] : chains) {
      int64_t most = 0;
      for (const auto& [order, area] : orders) most = std::max(most, area);
      sum += most;
    }
    if (sum <= *limit.area) return;
    found_.push_back({Breach::kLimit, name + " is " + std::to_string(*limit.area) +
                                          " item-seconds, and " + std::to_string(sum) +
                                          " are booked"});
  }

  const PlanFacts& facts_;
  const OrdersByName& orders_;
  const std::set<std::string>& users_;
  const Instant from_;
  Instant until_{INT64_MIN};
  ResourceSet has_;
  std::map<std::string, const NodeFacts*> nodes_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> CheckRules(const PlanFacts& facts, const OrdersByName& orders,
                                  const std::set<std::string>& users, Instant from) {
  return Rules(facts, orders, users, from).Check();
}

}  // namespace muster::sim
