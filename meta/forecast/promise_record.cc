// Counts of a day are sorted by site; site "" comes first and counts all sites.
#include "meta/forecast/promise_record.h"

#include <algorithm>
#include <cmath>

#include "meta/turn/keys.h"

namespace muster::meta {
namespace {

using schemas::CauseCode;
using schemas::OutcomeCounts;

constexpr int64_t kDay = 86'400;

// The row of a site, or of the total (""), which is made if there is none. Null: the record is
// full.
OutcomeCounts* CountsOf(schemas::OutcomeRecord& record, const std::string& site) {
  const auto at = std::lower_bound(
      record.sites.begin(), record.sites.end(), site,
      [](const OutcomeCounts& counts, const std::string& name) { return counts.site < name; });
  if (at != record.sites.end() && at->site == site) return &*at;
  if (record.sites.size() > schemas::kRecordSites) return nullptr;  // these sites and the total
  return &*record.sites.insert(at, OutcomeCounts{.site = site});
}

void AddLate(OutcomeCounts& counts, CauseCode code, uint64_t count) {
  const auto at =
      std::lower_bound(counts.late.begin(), counts.late.end(), code,
                       [](const schemas::LateCount& late, CauseCode c) { return late.code < c; });
  if (at != counts.late.end() && at->code == code) {
    at->count += count;
  } else {
    counts.late.insert(at, {code, count});
  }
}

int32_t StepOf(Span width, Span waited) {
  const double ratio = static_cast<double>(std::max<int64_t>(1, width.seconds)) /
                       static_cast<double>(std::max<int64_t>(1, waited.seconds));
  const int32_t most = schemas::kWidthSteps * schemas::kWidthOctaves;
  const double step = std::round(std::log2(ratio) * schemas::kWidthSteps);
  return static_cast<int32_t>(std::clamp(step, -1.0 * most, 1.0 * most));
}

void AddWidth(OutcomeCounts& counts, int32_t step, uint64_t count) {
  const auto at =
      std::lower_bound(counts.widths.begin(), counts.widths.end(), step,
                       [](const schemas::WidthCount& width, int32_t s) { return width.step < s; });
  if (at != counts.widths.end() && at->step == step) {
    at->count += count;
  } else {
    counts.widths.insert(at, {step, count});
  }
}

std::optional<double> Share(uint64_t part, uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<double> MedianWidth(const OutcomeCounts& counts) {
  uint64_t sum = 0;
  for (const schemas::WidthCount& width : counts.widths) {
    sum += width.count;
    if (2 * sum >= counts.intervals) {
      return std::exp2(static_cast<double>(width.step) / schemas::kWidthSteps);
    }
  }
  return std::nullopt;
}

void Sum(OutcomeCounts& into, const OutcomeCounts& counts) {
  into.promises += counts.promises;
  into.kept += counts.kept;
  for (const schemas::LateCount& late : counts.late) {
    AddLate(into, late.code, late.count);
  }
  into.intervals += counts.intervals;
  into.held += counts.held;
  for (const schemas::WidthCount& width : counts.widths) AddWidth(into, width.step, width.count);
  into.starts += counts.starts;
  into.near += counts.near;
  into.within += counts.within;
}

}  // namespace

void Outcomes::Restore(schemas::OutcomeRecord record) {
  const int64_t day = record.day;
  days_.Restore(day, std::move(record));
}

template <typename Count>
void Outcomes::CountToday(const Of& of, const Count& count) {
  const int64_t today = of.now.seconds / kDay;
  schemas::OutcomeRecord& record = days_.Edit(today);
  record.day = today;
  while (days_.all().begin()->first < today - schemas::kRecordDays) {
    days_.Erase(days_.all().begin()->first);
  }
  count(*CountsOf(record, ""));
  for (const std::string& site : of.sites) {
    if (OutcomeCounts* counts = CountsOf(record, site)) count(*counts);
  }
}

void Outcomes::CountPromise(const Of& of, std::optional<CauseCode> broken_by) {
  CountToday(of, [&](OutcomeCounts& counts) {
    ++counts.promises;
    if (broken_by) {
      AddLate(counts, *broken_by, 1);
    } else {
      ++counts.kept;
    }
  });
}

void Outcomes::CountInterval(const Of& of, bool held, Span width, Span waited) {
  CountToday(of, [&](OutcomeCounts& counts) {
    ++counts.intervals;
    if (held) ++counts.held;
    AddWidth(counts, StepOf(width, waited), 1);
  });
}

void Outcomes::CountStart(const Of& of, Span from_expected) {
  const int64_t away = std::abs(from_expected.seconds);
  CountToday(of, [&](OutcomeCounts& counts) {
    ++counts.starts;
    if (away <= schemas::kNearSeconds) ++counts.near;
    if (away <= schemas::kWithinSeconds) ++counts.within;
  });
}

void Outcomes::TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to) {
  days_.TakeWrites(OutcomeKey, to);
}

schemas::CalibrationView CalibrationOf(const Outcomes& outcomes, Instant now, double confidence) {
  std::map<std::string, OutcomeCounts> sums;
  sums[""];
  for (const auto& [day, record] : outcomes.all()) {
    for (const OutcomeCounts& counts : record.sites) Sum(sums[counts.site], counts);
  }
  schemas::CalibrationView out{.from = now - Span{schemas::kRecordDays * kDay}, .to = now};
  const auto add = [&](const std::string& site, const OutcomeCounts& counts) {
    out.rows.push_back({.site = site,
                        .promises = counts.promises,
                        .kept = counts.kept,
                        .kept_ratio = Share(counts.kept, counts.promises),
                        .late = counts.late,
                        .confidence_ratio = confidence,
                        .coverage_ratio = Share(counts.held, counts.intervals),
                        .width_over_wait_ratio = MedianWidth(counts),
                        .within_60_s_ratio = Share(counts.near, counts.starts),
                        .within_600_s_ratio = Share(counts.within, counts.starts)});
  };
  for (const auto& [site, counts] : sums) {
    if (!site.empty()) add(site, counts);
  }
  add("", sums.at(""));
  return out;
}

}  // namespace muster::meta
