// Votes are counted with each block. Their outcome is durable.
#include "meta/search/packing_choice.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::meta {
namespace {

using packing::Algorithm;
using schemas::SwitchRow;

}  // namespace

Algorithm Voted(const packing::Voting& voting) {
  if (!voting.saturated() || !voting.leaning()) return Algorithm::kFcfsStar;
  return *voting.leaning();
}

void RecordSwitch(SearchLayer& f, Turn& t, SwitchRow row) {
  std::vector<SwitchRow>& rows = f.scheduler.record.Edit().switches;
  row.at = t.plan;
  row.from = rows.empty() ? "" : rows.back().packing;
  t.Note("packing " + row.packing + ": " + row.why);
  t.happened.push_back(
      {.at = t.plan, .code = "packing", .text = "packing " + row.packing + ": " + row.why});
  rows.push_back(std::move(row));
  if (rows.size() > schemas::kSwitchesKept) rows.erase(rows.begin());
}

Algorithm PackingInForce(const SearchLayer& f) {
  return f.options.packing ? *f.options.packing : Voted(f.scheduler.voting);
}

Algorithm CountVotes(SearchLayer& f, Turn& t, const packing::Ballot& ballot) {
  Scheduler& s = f.scheduler;
  const packing::Vote vote = s.voting.Count(ballot);
  const Algorithm in_force = PackingInForce(f);
  const std::vector<SwitchRow>& rows = s.record->switches;
  const bool changed = rows.empty() || rows.back().packing != NameOf(in_force) ||
                       rows.back().voted != NameOf(vote.algorithm);
  const std::string leaning(s.voting.leaning() ? NameOf(*s.voting.leaning()) : "");
  if (s.record->saturated != s.voting.saturated() || s.record->leaning != leaning ||
      s.record->counted != s.voting.counted()) {
    schemas::SchedulerRecord& record = s.record.Edit();
    record.saturated = s.voting.saturated();
    record.leaning = leaning;
    record.counted = s.voting.counted();
  }
  if (!changed) return in_force;
  std::string why = vote.why;
  if (f.options.packing && in_force != vote.algorithm) {
    why = "would be " + std::string(NameOf(vote.algorithm)) + ": " + why;
  }
  RecordSwitch(f, t,
               {.packing = std::string(NameOf(in_force)),
                .voted = std::string(NameOf(vote.algorithm)),
                .saturated_ratio = vote.saturated,
                .interactive_ratio = vote.interactive,
                .requests = ballot.requests,
                .why = std::move(why)});
  return in_force;
}

void MeasureBlock(SearchLayer& f, Turn& t, const BlockCost& cost) {
  f.scheduler.costs.push_back(cost);
  if (f.scheduler.costs.size() > kBlocksMeasured) f.scheduler.costs.pop_front();
  t.happened.push_back({.at = t.plan,
                        .code = "block",
                        .text = std::to_string(cost.rounds) + " rounds, " +
                                std::to_string(cost.changed) + " entries changed, " +
                                std::to_string(cost.time.milliseconds) + " ms"});
}

}  // namespace muster::meta
