// What is on record of one request says how its promise came out: its figures with their causes,
// and when its parts started.
#include "meta/forecast/outcomes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "meta/attempts/attempts.h"
#include "meta/forecast/layer.h"
#include "meta/forecast/learning.h"
#include "meta/turn/turn.h"

namespace muster::meta {
namespace {

using schemas::CauseCode;
using schemas::OutcomeCounts;

constexpr int64_t kDay = 86'400;

OutcomeCounts& CountsOf(schemas::OutcomeRecord& record, const std::string& site) {
  const auto at = std::lower_bound(
      record.sites.begin(), record.sites.end(), site,
      [](const OutcomeCounts& counts, const std::string& name) { return counts.site < name; });
  if (at != record.sites.end() && at->site == site) return *at;
  return *record.sites.insert(at, OutcomeCounts{.site = site});
}

// Those of today for all, and for each site the request has or had a place at.
template <typename Count>
void CountToday(ForecastLayer& f, Turn& t, const Request& request, const Count& count) {
  const int64_t today = t.plan.Floor().seconds / kDay;
  schemas::OutcomeRecord& record = f.outcomes.Edit(today);
  record.day = today;
  while (f.outcomes.all().begin()->first < today - schemas::kRecordDays) {
    f.outcomes.Erase(f.outcomes.all().begin()->first);
  }
  count(CountsOf(record, ""));
  if (!request.record().attempt) return;
  const auto attempt = f.attempts.find(*request.record().attempt);
  if (attempt == f.attempts.end()) return;
  for (const std::string& site : attempt->second.record().members) {
    if (record.sites.size() < schemas::kRecordSites) count(CountsOf(record, site));
  }
}

// The promise that counts, and why the figures that followed were later.
struct Promised {
  Instant by;
  CauseCode later = CauseCode::kNone;
};
std::optional<Promised> PromiseOf(const Request& request) {
  std::optional<Promised> out;
  Instant last;
  for (const schemas::FigureChange& change : request.record().history) {
    const bool firm = change.figures.starts_by && change.figures.starts_by->firm;
    const CauseCode cause = change.cause ? change.cause->code : CauseCode::kNone;
    // Without a promise again: whatever comes is later.
    const Instant at = firm ? change.figures.starts_by->at : kFarFuture;
    if (firm && (!out || cause == CauseCode::kUser)) {
      out = Promised{at};
    } else if (out && at > last && cause != CauseCode::kNone) {
      out->later = cause;
    }
    last = at;
  }
  return out;
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

void CountPromise(ForecastLayer& f, Turn& t, const Request& request) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (spec.array || spec.reserves) return;
  const std::optional<Promised> promised = PromiseOf(request);
  if (!promised) return;
  const std::optional<Moment> start = StartOf(f, request);
  const bool taken_back = request.Cancelling() || request.record().parked ||
                          request.record().outcome == schemas::Outcome::kCancelled;
  if (!start && taken_back) return;
  const bool kept = start && start->Floor() <= promised->by;
  const CauseCode cause = promised->later == CauseCode::kNone ? CauseCode::kLate : promised->later;
  CountToday(f, t, request, [&](OutcomeCounts& counts) {
    ++counts.promises;
    if (kept) {
      ++counts.kept;
    } else {
      AddLate(counts, cause, 1);
    }
  });
}

void CountInterval(ForecastLayer& f, Turn& t, const Request& request, bool held, Span width,
                   Span waited) {
  CountToday(f, t, request, [&](OutcomeCounts& counts) {
    ++counts.intervals;
    if (held) ++counts.held;
    AddWidth(counts, StepOf(width, waited), 1);
  });
}

void CountStart(ForecastLayer& f, Turn& t, const Request& request, Span from_expected) {
  const int64_t away = std::abs(from_expected.seconds);
  CountToday(f, t, request, [&](OutcomeCounts& counts) {
    ++counts.starts;
    if (away <= schemas::kNearSeconds) ++counts.near;
    if (away <= schemas::kWithinSeconds) ++counts.within;
  });
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
