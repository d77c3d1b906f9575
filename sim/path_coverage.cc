// Counts the differences between the previous and the new record.
#include "sim/path_coverage.h"

#include <fmt/format.h>

#include "meta/requests/trials.h"
#include "sim/checkers/token.h"

namespace muster::sim {

using schemas::CauseCode;
using schemas::HoldRecord;
using schemas::PartState;

void PathCoverage::OnMetaWrites(Moment, const MetaWrites& writes) {
  for (const auto& write : writes) {
    if (!write.value) continue;
    if (const auto* scheduler = std::get_if<schemas::SchedulerRecord>(&*write.value)) {
      counts_.switches = scheduler->switches.size();
    }
    const auto* request = std::get_if<schemas::RequestRecord>(&*write.value);
    if (request == nullptr) continue;
    uint64_t altered = 0;
    uint64_t rechosen = 0;
    uint64_t joint = 0;
    for (const schemas::JobEvent& event : request->events) {
      altered += event.code == "altered";
      rechosen += event.code == "moved" && event.text == meta::kStartsElsewhere;
      joint += event.code == "moved" && event.text == meta::kStartsJointly;
    }
    altered_[request->id] = altered;
    rechosen_[request->id] = rechosen;
    joint_[request->id] = joint;
  }
}

void PathCoverage::OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) {
  for (const auto& write : writes) {
    if (!write.value) continue;
    if (const auto* node = std::get_if<schemas::NodeRecord>(&*write.value)) {
      if (node->who == "site:" + site) ++counts_.lost;
    }
    if (const auto* job = std::get_if<schemas::LocalRecord>(&*write.value)) {
      uint64_t& altered = altered_alone_[{site, job->number}];
      altered = 0;
      for (const schemas::JobEvent& event : job->events) altered += event.code == "altered";
    }
    const auto* hold = std::get_if<HoldRecord>(&*write.value);
    if (hold == nullptr) continue;
    HoldRecord& known = holds_[{site, hold->order.fence}];
    Count(known, *hold);
    known = *hold;
  }
}

void PathCoverage::Count(const HoldRecord& before, const HoldRecord& after) {
  if (before.cause.code != CauseCode::kPreempted && after.cause.code == CauseCode::kPreempted) {
    ++counts_.displaced;
  }
  if (after.cause.code == CauseCode::kBackfilled && after.start < before.start) {
    ++counts_.backfilled;
  }
  for (size_t i = 0; i < before.parts.size() && i < after.parts.size(); ++i) {
    if (before.parts[i].extended != after.parts[i].extended) ++counts_.extended;
    if (before.parts[i].counts != after.parts[i].counts) ++counts_.resized;
    const std::optional<schemas::Loan>& had = before.parts[i].loan;
    const std::optional<schemas::Loan>& has = after.parts[i].loan;
    counts_.recalled += after.parts[i].recalls - before.parts[i].recalls;
    if (after.parts[i].saved > before.parts[i].saved) ++counts_.saved;
    if (has && (!had || had->token != has->token)) ++counts_.lent;
    const bool stays = had && has && had->token == has->token;
    if (stays && !had->paused_at && has->paused_at) ++counts_.paused;
    if (stays && has->paused > had->paused) ++counts_.resumed;
    if (had && !has && after.parts[i].paused > had->paused) ++counts_.resumed;  // and kept at once
    if (had && !has && after.parts[i].token == had->token) ++counts_.kept;
    const bool opens = before.parts[i].state < PartState::kRunning &&
                       after.parts[i].state >= PartState::kRunning && after.parts[i].started_at;
    if (after.order.reserves && opens) ++counts_.opened;
  }
}

void PathCoverage::OnDriverCommand(Moment, const std::string&, const driver::Command& command) {
  const auto* start = std::get_if<driver::StartPart>(&command);
  if (start != nullptr && start->notice) ++counts_.noticed;
}

void PathCoverage::OnPartStarted(Moment, const std::string& site, const std::string& token) {
  const auto hold = holds_.find({site, ReadToken(token).fence});
  if (hold != holds_.end() && hold->second.order.inside) ++counts_.inside;
}

PathCounts PathCoverage::counts() const {
  PathCounts out = counts_;
  for (const auto& [id, times] : altered_) out.altered += times;
  for (const auto& [job, times] : altered_alone_) out.altered_alone += times;
  for (const auto& [id, times] : rechosen_) out.rechosen += times;
  for (const auto& [id, times] : joint_) out.joint += times;
  return out;
}

std::string ToText(const PathCounts& c) {
  return fmt::format(
      "{} reservations opened, {} starts inside, {} alterations, {} at sites alone, {} extensions, "
      "{} resizings, "
      "{} starts with a notice, {} nodes lost, {} displaced, {} moved earlier, {} went elsewhere, "
      "{} moved jointly, "
      "{} switches of packing, {} lives on lent room, {} of them kept, {} recalled, {} of these "
      "saved, {} pauses, {} of them over",
      c.opened, c.inside, c.altered, c.altered_alone, c.extended, c.resized, c.noticed, c.lost,
      c.displaced, c.backfilled, c.rechosen, c.joint, c.switches, c.lent, c.kept, c.recalled,
      c.saved, c.paused, c.resumed);
}

}  // namespace muster::sim
