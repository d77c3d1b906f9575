// An invalid value leaves all settings unchanged.
#include "meta/search/scheduler_settings.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "base/units.h"
#include "meta/requests/refusals.h"
#include "meta/search/packing_choice.h"
#include "meta/search/queueing.h"

namespace muster::meta {
namespace {

using packing::Algorithm;
using schemas::Refused;
using schemas::SchedulerChange;
using schemas::SwitchRow;

constexpr char kAuto[] = "auto";
constexpr Span kLongestThreshold{366 * 86400};
constexpr uint64_t kLargestBlock = 100'000;  // as in meta.toml
constexpr int64_t kHeaviest = 1'000'000;

Refused Usage(std::string message, std::string help) {
  return {.code = "usage",
          .message = std::move(message),
          .help = std::move(help),
          .changed = kNothingChanged};
}

std::optional<Refused> WrongOrder(const SearchLayer& f, const schemas::QueueWeight& weight,
                                  std::set<std::string>& seen) {
  std::string queues;
  bool known = false;
  for (const Queue& queue : f.options.queues) {
    known = known || queue.name == weight.queue;
    queues += (queues.empty() ? "" : ", ") + queue.name;
  }
  if (!known) return Usage("there is no queue '" + weight.queue + "'", "queues here: " + queues);
  if (!seen.insert(weight.queue).second) {
    return Usage("queue '" + weight.queue + "' is named twice", "one order for each queue");
  }
  if (weight.order >= 1 && weight.order <= kHeaviest) return std::nullopt;
  return Usage(
      "the order of queue '" + weight.queue + "' cannot be " + std::to_string(weight.order),
      "from 1 to " + std::to_string(kHeaviest) + ": with 0 nothing would ever leave the queue");
}

// The error in a change; none if it is valid.
std::optional<Refused> Wrong(const SearchLayer& f, const SchedulerChange& change) {
  if (change == SchedulerChange{}) {
    return Usage("nothing to set", "as in muster scheduler --packing auto");
  }
  if (change.packing && *change.packing != kAuto && !packing::ParseAlgorithm(*change.packing)) {
    return Usage("there is no packing '" + *change.packing + "'",
                 "auto (by vote), " + packing::AlgorithmNames());
  }
  if (change.threshold && change.unbounded) {
    return Usage("a threshold is either a time or inf", "as in --threshold 1h");
  }
  if (change.threshold && (*change.threshold < Span{0} || *change.threshold > kLongestThreshold)) {
    return Usage("a threshold of " + std::to_string(change.threshold->seconds) + " s",
                 "from 0 to " + DurationText(kLongestThreshold) + ", or inf");
  }
  if (change.block_max && (*change.block_max < 1 || *change.block_max > kLargestBlock)) {
    return Usage("a block of at most " + std::to_string(*change.block_max) + " entries",
                 "from 1 to " + std::to_string(kLargestBlock));
  }
  std::set<std::string> seen;
  for (const schemas::QueueWeight& weight : change.orders) {
    if (auto wrong = WrongOrder(f, weight, seen)) return wrong;
  }
  return std::nullopt;
}

void Merge(const SchedulerChange& change, SchedulerChange& set) {
  if (change.packing) set.packing = change.packing;
  if (change.threshold || change.unbounded) {
    set.threshold = change.threshold;
    set.unbounded = change.unbounded;
  }
  if (change.block_max) set.block_max = change.block_max;
  for (const schemas::QueueWeight& weight : change.orders) {
    const auto same = std::find_if(set.orders.begin(), set.orders.end(),
                                   [&](const auto& one) { return one.queue == weight.queue; });
    if (same == set.orders.end()) {
      set.orders.push_back(weight);
    } else {
      same->order = weight.order;
    }
  }
}

// The quantile `share` of a cost over all measured blocks.
template <typename Of>
double Quantile(const std::deque<BlockCost>& costs, double share, Of of) {
  std::vector<double> values;
  for (const BlockCost& cost : costs) values.push_back(of(cost));
  const auto at = static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

schemas::RoundsRow RoundsOf(const std::deque<BlockCost>& costs) {
  const auto rounds = [](const BlockCost& c) { return static_cast<double>(c.rounds); };
  const auto changed = [](const BlockCost& c) { return static_cast<double>(c.changed); };
  const auto time = [](const BlockCost& c) {
    return static_cast<double>(c.time.milliseconds) / 1000;
  };
  return {.blocks = costs.size(),
          .rounds_p50 = Quantile(costs, 0.5, rounds),
          .rounds_p99 = Quantile(costs, 0.99, rounds),
          .changed_p50 = Quantile(costs, 0.5, changed),
          .changed_p99 = Quantile(costs, 0.99, changed),
          .time_p50_s = Quantile(costs, 0.5, time),
          .time_p99_s = Quantile(costs, 0.99, time)};
}

}  // namespace

std::optional<Refused> SetScheduler(SearchLayer& f, Turn& t, const std::string& by,
                                    const SchedulerChange& change) {
  if (auto wrong = Wrong(f, change)) return wrong;
  const Algorithm before = PackingInForce(f);
  const std::optional<Algorithm> pin = f.options.packing;
  Merge(change, f.scheduler.record.Edit().set);
  TakeSettings(change, f.options);
  const Algorithm after = PackingInForce(f);
  if (before != after || pin != f.options.packing) {
    std::string why = "pinned by " + by;
    if (!f.options.packing) {
      why = "freed by " + by + "; " +
            (f.scheduler.voting.saturated() ? "saturated at the last vote"
                                            : "not saturated at the last vote");
    }
    SwitchRow row{.packing = std::string(NameOf(after)),
                  .voted = std::string(NameOf(Voted(f.scheduler.voting))),
                  .why = std::move(why)};
    if (!f.scheduler.record->switches.empty()) {
      const SwitchRow& last = f.scheduler.record->switches.back();
      row.saturated_ratio = last.saturated_ratio;
      row.interactive_ratio = last.interactive_ratio;
      row.requests = last.requests;
    }
    RecordSwitch(f, t, std::move(row));
  }
  // New weights or a new threshold concern all waiting requests: they are looked at again.
  if (change.threshold || change.unbounded || !change.orders.empty()) TakeQueues(f);
  return std::nullopt;
}

schemas::SchedulerView SchedulerNow(const SearchLayer& f, const Turn& t) {
  const Scheduler& s = f.scheduler;
  schemas::SchedulerView out;
  out.packing = NameOf(PackingInForce(f));
  if (f.options.packing) out.pin = NameOf(*f.options.packing);
  out.why = "no block yet";
  const std::vector<SwitchRow>& rows = s.record->switches;
  if (!rows.empty()) {
    // The row in which the packing in force became what it is. Later rows record votes that did not
    // change it.
    size_t since = rows.size() - 1;
    while (since > 0 && rows[since - 1].packing == rows[since].packing) --since;
    out.since = rows[since].at;
    out.why = rows.back().why;
  }
  out.threshold_s = f.options.threshold;
  out.block_max = f.options.block_max;
  if (const std::optional<Instant> next = NextBlockAt(f)) {
    out.next_block_at = std::max(*next, t.NowCeiling());
  }
  for (size_t q = 0; q < f.options.queues.size(); ++q) {
    const Queue& queue = f.options.queues[q];
    out.queues.push_back({queue.name, queue.order, f.room.queues().size(q)});
  }
  if (!s.costs.empty()) out.rounds = RoundsOf(s.costs);
  out.switches.assign(rows.rbegin(), rows.rend());
  return out;
}

}  // namespace muster::meta
