// Restores the scheduler's record, applies operators' settings to the options, and writes them as
// text.
#include "meta/search/scheduler.h"

#include <utility>

#include "base/units.h"
#include "meta/options.h"

namespace muster::meta {
namespace {

using schemas::SchedulerChange;

std::string ThresholdText(const SchedulerChange& set) {
  return set.unbounded ? "inf" : DurationText(*set.threshold);
}

}  // namespace

void RestoreScheduler(Scheduler& scheduler, schemas::SchedulerRecord record) {
  scheduler.voting =
      packing::Voting(record.saturated, packing::ParseAlgorithm(record.leaning), record.counted);
  scheduler.record.Restore(std::move(record));
}

void TakeSettings(const SchedulerChange& set, Options& options) {
  if (set.packing) options.packing = packing::ParseAlgorithm(*set.packing);
  if (set.unbounded) options.threshold.reset();
  if (set.threshold) options.threshold = set.threshold;
  if (set.block_max) options.block_max = static_cast<size_t>(*set.block_max);
  for (const schemas::QueueWeight& weight : set.orders) {
    for (Queue& queue : options.queues) {
      if (queue.name == weight.queue) queue.order = weight.order;
    }
  }
}

std::vector<std::string> SettingsWords(const SchedulerChange& set) {
  std::vector<std::string> out;
  if (set.packing) out.push_back("packing " + *set.packing);
  if (set.threshold || set.unbounded) out.push_back("threshold " + ThresholdText(set));
  if (set.block_max) out.push_back("block_max " + std::to_string(*set.block_max));
  for (const schemas::QueueWeight& weight : set.orders) {
    out.push_back("order of " + weight.queue + " " + std::to_string(weight.order));
  }
  return out;
}

std::string SettingsText(const SchedulerChange& set) {
  std::string out;
  for (const std::string& words : SettingsWords(set)) out += (out.empty() ? "" : ", ") + words;
  return out;
}

}  // namespace muster::meta
