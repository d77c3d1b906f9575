// All times here are those of booked windows, not starts, so that orders with different offsets and
// turnovers can be compared.
#include "site/plan/node_starts.h"

#include <algorithm>
#include <bit>

#include "site/plan/row_loops.h"

namespace muster::plan {
namespace {

// Maximum numbers of kinds, bounds and releases that are kept.
constexpr size_t kMostKinds = 48;
constexpr size_t kMostBounds = size_t{4} << 20;
constexpr size_t kMostGiven = 8192;
// Maximum number of looks of one search whose results cannot be kept as bounds.
constexpr int kMostInVain = 32;
// There are 2^kBits classes of length per power of two.
constexpr int kBits = 1;

// The shortest length in the class of `length`.
int64_t LeastOfClass(int64_t length) {
  const int bits = std::bit_width(static_cast<uint64_t>(length));
  const int shift = std::max(0, bits - 1 - kBits);
  return (length >> shift) << shift;
}

// The earliest t >= `from` for which the node has room for a set throughout [t, t + length).
// If there is none before `until`, some time >= `until`.
template <typename Kind>
int64_t Fit(const NodeUsage& usage, const Kind& kind, uint32_t node, int64_t length, int64_t from,
            int64_t until) {
  usage.Look(1);
  Instant at{from};
  size_t agreed = 0;
  const size_t asked = kind.needs.size();
  if (asked > 1) usage.Of(node, kind.needs[1].first).Prefetch();
  for (size_t i = 0; agreed < asked && at.seconds < until; i = i + 1 < asked ? i + 1 : 0) {
    const auto& [dimension, amount] = kind.needs[i];
    const Instant fit = usage.Of(node, dimension).EarliestFit(amount, Span{length}, at);
    agreed = fit > at ? 1 : agreed + 1;
    at = fit;
  }
  return at.seconds;
}

}  // namespace

void NodeStarts::Row::Set(size_t host, Offset bound) {
  const Offset before = bounds[host];
  bounds[host] = bound;
  Offset& all = least[host / kRun];
  if (bound <= all) {
    all = bound;
  } else if (before == all) {
    const size_t begin = host / kRun * kRun;
    const size_t end = std::min(begin + kRun, bounds.size());
    all = LeastOf(bounds.data() + begin, end - begin);
  }
}

size_t NodeStarts::Row::Lowest() const {
  const Offset lowest = LeastOf(least.data(), least.size());
  const size_t begin = FirstOf(least.data(), least.size(), lowest) * kRun;
  return begin + FirstOf(bounds.data() + begin, bounds.size() - begin, lowest);
}

// Stays below kNever however late `t` is: a bound may be too low, but not too high.
NodeStarts::Offset NodeStarts::Kind::OffsetOf(int64_t t) const {
  return t - origin >= kNever ? kNever - 1 : static_cast<Offset>(std::max<int64_t>(t - origin, 0));
}

int64_t NodeStarts::Kind::TimeOf(Offset offset) const { return origin + offset; }

NodeStarts::Kind& NodeStarts::Mutable(size_t at) {
  std::shared_ptr<Kind>& kind = known_[at];
  if (kind.use_count() > 1) kind = std::make_shared<Kind>(*kind);
  return *kind;
}

NodeStarts::Row& NodeStarts::Mutable(Kind& kind, size_t at) {
  std::shared_ptr<Row>& row = kind.rows[at];
  if (row.use_count() > 1) row = std::make_shared<Row>(*row);
  return *row;
}

void NodeStarts::Release(const Interval& booked, const std::vector<uint32_t>& nodes,
                         const std::vector<MostFree>& most) {
  if (known_.empty()) return;
  if (nodes.size() > kMostGiven / 2) {
    known_.clear();
    return;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    given_.Add({nodes[i], booked.begin.seconds, booked.end.seconds, most[i]});
  }
  given_.KeepNewest(kMostGiven);
}

// Makes room for one kind more by dropping those whose last use is longest ago.
void NodeStarts::MakeRoom() {
  grown_ = false;
  size_t bounds = 0;
  for (const auto& kind : known_) bounds += kind->rows.size() * kind->hosts.size();
  while (!known_.empty() && (known_.size() >= kMostKinds || bounds >= kMostBounds)) {
    const auto oldest =
        std::min_element(known_.begin(), known_.end(),
                         [](const auto& a, const auto& b) { return a->used < b->used; });
    bounds -= (*oldest)->rows.size() * (*oldest)->hosts.size();
    known_.erase(oldest);
  }
}

// The amounts that a set takes of a node. An exclusive booking takes all of the node's share, and
// with it all of its resources. So other sets need not check the share.
std::vector<std::pair<uint32_t, int64_t>> NodeStarts::NeedsOf(const NodeUsage& usage,
                                                              const Asked& asked) {
  std::vector<std::pair<uint32_t, int64_t>> needs = asked.group.needs;
  const machine::Machine& machine = usage.machine();
  const auto share = [&machine](const auto& need) {
    return static_cast<double>(need.second) / static_cast<double>(machine.Total(need.first) + 1);
  };
  std::stable_sort(needs.begin(), needs.end(),
                   [&share](const auto& a, const auto& b) { return share(a) > share(b); });
  if (asked.exclusive) needs.insert(needs.begin(), {usage.share(), kWholeNode});
  if (needs.empty()) needs.emplace_back(usage.share(), 1);
  return needs;
}

NodeStarts::Kind& NodeStarts::Known(const NodeUsage& usage, const Asked& asked) {
  if (grown_) MakeRoom();
  for (size_t i = 0; i < known_.size(); ++i) {
    const Kind& kind = *known_[i];
    if (kind.exclusive == asked.exclusive && kind.asked == asked.group.needs &&
        kind.hosts == asked.group.hosts) {
      return Mutable(i);
    }
  }
  MakeRoom();
  auto kind = std::make_shared<Kind>();
  kind->asked = asked.group.needs;
  kind->exclusive = asked.exclusive;
  kind->needs = NeedsOf(usage, asked);
  const machine::Machine& machine = usage.machine();
  kind->hosts = asked.group.hosts;
  kind->place.assign(machine.node_count(), -1);
  for (size_t h = 0; h < kind->hosts.size(); ++h) {
    const uint32_t node = kind->hosts[h];
    kind->place[node] = static_cast<int32_t>(h);
    int64_t sets = INT64_MAX;
    for (const auto& [resource, amount] : asked.group.needs) {
      sets = std::min(sets, usage.Capacity(node, resource) / amount);
    }
    kind->most = std::max(kind->most, sets);
  }
  kind->origin = kind->base = asked.from.seconds;
  kind->stamp = given_.end();
  known_.push_back(std::move(kind));
  return *known_.back();
}

// Applies all releases since the last call. A window that newly fits meets what was released, and
// lies in a stretch in which the node has room for a set. No other window newly fits before
// something else is released, which then counts itself. If a release may lower a host's bound in
// one row, it may also lower it in all rows of longer windows: there the bound is no lower (if it
// is beyond the base), and a window may begin earlier and still meet the release. So mostly one
// look at the longest row is enough.
void NodeStarts::CatchUp(const NodeUsage& usage, Kind& kind) const {
  if (kind.stamp < given_.first()) kind.rows.clear();
  kind.base = std::max(kind.base, usage.forgotten().seconds);
  const uint64_t begin = std::exchange(kind.stamp, given_.end());
  if (kind.rows.empty()) return;
  given_.EachFrom(begin, [&](const Given& given) {
    const Row& longest = *kind.rows.back();
    const int32_t place = kind.place[given.node];
    if (place < 0) return;
    const int64_t earliest = std::max(kind.base, given.begin - longest.length + 1);
    if (kind.TimeOf(longest.bounds[static_cast<size_t>(place)]) <= earliest) return;
    if (MayFit(kind.asked, given.most)) Lower(usage, kind, given);
  });
}

// Lowers a host's bounds after a release. REQUIRES that the release may lower the bound of the
// longest row.
void NodeStarts::Lower(const NodeUsage& usage, Kind& kind, const Given& given) {
  const size_t host = static_cast<size_t>(kind.place[given.node]);
  const auto bound_of = [&](size_t row) { return kind.TimeOf(kind.rows[row]->bounds[host]); };
  // The earliest begin of a window of the row that meets the release, and whether it is below the
  // row's bound.
  const auto earliest = [&](size_t row) {
    return std::max(kind.base, given.begin - kind.rows[row]->length + 1);
  };
  const auto is_news = [&](size_t row) { return bound_of(row) > earliest(row); };
  for (const std::shared_ptr<Row>& row : kind.rows) __builtin_prefetch(&row->bounds[host]);
  size_t i = 0;
  for (size_t step = std::bit_floor(kind.rows.size()); step > 0; step /= 2) {
    if (i + step < kind.rows.size() && !is_news(i + step - 1)) i += step;
  }
  int64_t from = INT64_MIN;
  while (i < kind.rows.size()) {
    const int64_t begin = std::max(from, earliest(i));
    const int64_t fit = Fit(usage, kind, given.node, kind.rows[i]->length, begin, given.end);
    if (fit >= given.end) return;
    // If the first fit is later than `begin`, the node has room since just then.
    int64_t since = fit > begin ? fit : INT64_MIN;
    int64_t until = INT64_MAX;
    for (const auto& [dimension, amount] : kind.needs) {
      const rusv::Rusv& used = usage.Of(given.node, dimension);
      if (fit == begin) since = std::max(since, used.FreeSince(amount, Instant{fit}).seconds);
      until = std::min(until, used.FirstShort(amount, Instant{fit}).seconds);
    }
    for (; i < kind.rows.size(); ++i) {
      const int64_t first = std::max(since, earliest(i));
      if (until < kFarFuture.seconds && kind.rows[i]->length > until - first) break;
      const int64_t shorter = i > 0 ? bound_of(i - 1) : INT64_MIN;
      const Offset bound = kind.OffsetOf(std::max(first, shorter));
      if (bound < kind.rows[i]->bounds[host]) Mutable(kind, i).Set(host, bound);
    }
    from = until;
  }
}

// The row of a class of length, made if it is missing. A longer window begins no earlier than a
// shorter one, so a new row begins with the bounds of the next shorter one.
NodeStarts::Row& NodeStarts::RowOf(Kind& kind, Span length) {
  const int64_t least = LeastOfClass(length.seconds);
  const auto shorter = [](const std::shared_ptr<Row>& row, int64_t l) { return row->length < l; };
  const auto at = std::lower_bound(kind.rows.begin(), kind.rows.end(), least, shorter);
  const size_t index = static_cast<size_t>(at - kind.rows.begin());
  if (at != kind.rows.end() && (*at)->length == least) return Mutable(kind, index);
  std::shared_ptr<Row> row;
  if (index > 0) {
    row = std::make_shared<Row>(*kind.rows[index - 1]);
  } else {
    row = std::make_shared<Row>();
    const size_t hosts = kind.hosts.size();
    row->bounds.assign(hosts, kind.OffsetOf(kind.base));
    row->least.assign((hosts + kRun - 1) / kRun, kind.OffsetOf(kind.base));
  }
  row->length = least;
  kind.rows.insert(at, row);
  grown_ = true;
  return *row;
}

// One search in a row. It looks at hosts in the order of their bounds until no other host can be
// among the earliest.
class NodeStarts::Pass {
 public:
  Pass(const NodeUsage& usage, const Asked& asked, Kind& kind, Row& row, size_t hosts)
      : usage_(usage), asked_(asked), kind_(kind), row_(row), wanted_(hosts) {
    while (kind.rows[longer_++].get() != &row) continue;
  }
  ~Pass() {
    for (const auto& [host, bound] : aside_) row_.Set(host, bound);
  }

  std::optional<First> Run() {
    AskLent();
    while (true) {
      const size_t host = row_.Lowest();
      const int64_t bound = kind_.TimeOf(row_.bounds[host]);
      const bool full = found_.size() == wanted_;
      const int64_t limit = full ? found_.front().first : asked_.until.seconds;
      if (row_.bounds[host] == kNever || bound > limit || (!full && bound == limit)) break;
      // Among equal starts the first host wins.
      if (bound == limit && (wanted_ > 1 || host > found_.front().second)) break;
      if (!Ask(host, limit)) return std::nullopt;
    }
    if (found_.size() < wanted_) return First{asked_.until};
    return First{Instant{found_.front().first}, wanted_ == 1 ? found_.front().second : SIZE_MAX};
  }

 private:
  // Looks at lent nodes. Their bounds are neither used nor changed.
  void AskLent() {
    for (const uint32_t node : asked_.lent) {
      if (kind_.place[node] < 0) continue;
      const size_t host = static_cast<size_t>(kind_.place[node]);
      if (row_.bounds[host] == kNever) continue;
      SetAside(host, row_.bounds[host]);
      Take(host, Fit(usage_, kind_, node, asked_.length.seconds, asked_.from.seconds,
                     asked_.until.seconds));
    }
  }

  // Looks at one host. False once too many looks gave results that cannot be kept.
  bool Ask(size_t host, int64_t limit) {
    const uint32_t node = kind_.hosts[host];
    const int64_t known = std::max(kind_.base, kind_.TimeOf(row_.bounds[host]));
    const int64_t fit = Fit(usage_, kind_, node, row_.length, known, limit + 1);
    const Offset bound = kind_.OffsetOf(fit);
    Tell(host, bound);
    if (fit > limit && bound < kNever - 1) {
      row_.Set(host, bound);
      return true;
    }
    SetAside(host, bound);
    const int64_t from = std::max(fit, asked_.from.seconds);
    if (fit > limit) return true;
    const bool is_it = from == fit && row_.length == asked_.length.seconds;
    Take(host, is_it ? fit : Fit(usage_, kind_, node, asked_.length.seconds, from, limit + 1));
    if (fit < asked_.from.seconds && ++in_vain_ > kMostInVain) return false;
    return true;
  }

  // Raises the host's bounds in the rows of longer windows, since a longer window begins no earlier
  // than a shorter one. At the first row whose bound is at least as high all later ones are, too.
  void Tell(size_t host, Offset bound) {
    for (size_t i = longer_; i < kind_.rows.size(); ++i) {
      if (kind_.rows[i]->bounds[host] >= bound) break;
      Mutable(kind_, i).Set(host, bound);
    }
  }

  // Takes a host out of the row for this pass; it gets `bound` afterwards.
  void SetAside(size_t host, Offset bound) {
    aside_.emplace_back(host, bound);
    row_.Set(host, kNever);
  }

  void Take(size_t host, int64_t start) {
    if (start >= asked_.until.seconds) return;
    const std::pair<int64_t, size_t> entry{start, host};
    if (found_.size() == wanted_) {
      if (found_.front() <= entry) return;
      std::pop_heap(found_.begin(), found_.end());
      found_.pop_back();
    }
    found_.push_back(entry);
    std::push_heap(found_.begin(), found_.end());
  }

  const NodeUsage& usage_;
  const Asked& asked_;
  Kind& kind_;
  Row& row_;
  size_t longer_ = 0;                              // the first row of longer windows
  const size_t wanted_;                            // number of hosts that are needed
  std::vector<std::pair<int64_t, size_t>> found_;  // earliest starts and their hosts, as a heap
                                                   // with the last in front
  std::vector<std::pair<size_t, Offset>> aside_;
  int in_vain_ = 0;
};

std::optional<NodeStarts::First> NodeStarts::Find(const NodeUsage& usage, const Asked& asked) {
  if (asked.group.hosts.empty() || asked.from >= asked.until) return First{asked.until};
  Kind& kind = Known(usage, asked);
  kind.used = ++clock_;
  if (asked.from.seconds < kind.base && kind.base > usage.forgotten().seconds) {
    kind.rows.clear();
    kind.origin = kind.base = asked.from.seconds;
  }
  CatchUp(usage, kind);
  const int64_t each = asked.one_a_node ? 1 : std::min(kind.most, asked.group.count);
  const int64_t hosts = each == 0 ? INT64_MAX : (asked.group.count + each - 1) / each;
  if (hosts > static_cast<int64_t>(kind.hosts.size())) return First{asked.until};
  Row& row = RowOf(kind, asked.length);
  return Pass(usage, asked, kind, row, static_cast<size_t>(hosts)).Run();
}

}  // namespace muster::plan
