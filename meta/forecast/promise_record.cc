// Counts of a day are sorted by site; site "" comes first and counts all sites.
#include "meta/forecast/promise_record.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "meta/forecast/model/coverage.h"
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

// The entry of a list in ascending order whose `key` is this; made if there is none.
template <typename Entry, typename Key>
Entry& EntryOf(std::vector<Entry>& list, Key Entry::* key, Key value) {
  const auto at = std::lower_bound(
      list.begin(), list.end(), value,
      [key](const Entry& entry, const Key& wanted) { return entry.*key < wanted; });
  if (at != list.end() && (*at).*key == value) return *at;
  Entry made;
  made.*key = value;
  return *list.insert(at, made);
}

uint64_t Whole(double value) { return static_cast<uint64_t>(std::llround(std::max(0.0, value))); }
uint64_t Distance(Span span) { return static_cast<uint64_t>(std::abs(span.seconds)); }

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
  for (const schemas::AheadCount& ahead : counts.ahead) {
    auto& to = EntryOf(into.ahead, &schemas::AheadCount::before_s, ahead.before_s);
    to.starts += ahead.starts;
    to.held += ahead.held;
    to.error_s += ahead.error_s;
  }
  for (const schemas::SaidCount& said : counts.said) {
    auto& to = EntryOf(into.said, &schemas::SaidCount::from_s, said.from_s);
    to.starts += said.starts;
    to.error_s += said.error_s;
  }
  into.runs += counts.runs;
  into.millibits += counts.millibits;
  into.expected_work += counts.expected_work;
  into.done_work += counts.done_work;
  // A voice is a user on a day, and may be judged on several days.
  for (const schemas::VoiceCount& voice : counts.voices) {
    auto& to = EntryOf(into.voices, &schemas::VoiceCount::voice, voice.voice);
    to.intervals += voice.intervals;
    to.held += voice.held;
  }
}

double MeanOf(uint64_t sum, uint64_t count) {
  return static_cast<double>(sum) / static_cast<double>(std::max<uint64_t>(1, count));
}

// The rows of what was said ahead of starts, and by class of waits.
void AddErrors(const OutcomeCounts& counts, schemas::CalibrationRow& row) {
  for (auto ahead = counts.ahead.rbegin(); ahead != counts.ahead.rend(); ++ahead) {
    row.ahead.push_back({ahead->before_s, ahead->starts, MeanOf(ahead->held, ahead->starts),
                         MeanOf(ahead->error_s, ahead->starts)});
  }
  for (const schemas::SaidCount& said : counts.said) {
    const auto next =
        std::upper_bound(schemas::kSaidFrom.begin(), schemas::kSaidFrom.end(), said.from_s);
    row.said.push_back({said.from_s, next == schemas::kSaidFrom.end() ? schemas::kSaidTo : *next,
                        said.starts, MeanOf(said.error_s, said.starts)});
  }
}

// How sure the coverage is, by user and day.
void AddVoices(const OutcomeCounts& counts, schemas::CalibrationRow& row) {
  std::vector<forecast::Covered> voices;
  for (const schemas::VoiceCount& voice : counts.voices) {
    voices.push_back({voice.intervals, voice.held});
  }
  row.user_days = voices.size();
  if (voices.empty()) return;
  const forecast::Coverage coverage = forecast::CoverageOf(voices);
  row.coverage_low_ratio = coverage.low;
  row.coverage_high_ratio = coverage.high;
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

void Outcomes::CountInterval(const Of& of, bool held, Span width, Span waited, uint64_t voice) {
  CountToday(of, [&](OutcomeCounts& counts) {
    ++counts.intervals;
    if (held) ++counts.held;
    const bool known = std::any_of(counts.voices.begin(), counts.voices.end(),
                                   [voice](const auto& one) { return one.voice == voice; });
    if (counts.site.empty() && (known || counts.voices.size() < schemas::kRecordVoices)) {
      auto& to = EntryOf(counts.voices, &schemas::VoiceCount::voice, voice);
      ++to.intervals;
      if (held) ++to.held;
    }
    AddWidth(counts, StepOf(width, waited), 1);
  });
}

void Outcomes::CountStart(const Of& of, const Start& start) {
  const uint64_t away = Distance(start.waited - start.expected);
  const auto of_class = std::upper_bound(schemas::kSaidFrom.begin(), schemas::kSaidFrom.end(),
                                         start.expected.seconds);
  const bool has_class =
      of_class != schemas::kSaidFrom.begin() && start.expected.seconds < schemas::kSaidTo;
  CountToday(of, [&](OutcomeCounts& counts) {
    ++counts.starts;
    if (away <= schemas::kNearSeconds) ++counts.near;
    if (away <= schemas::kWithinSeconds) ++counts.within;
    if (has_class) {
      auto& said = EntryOf(counts.said, &schemas::SaidCount::from_s, *std::prev(of_class));
      ++said.starts;
      said.error_s += away;
    }
    for (const Start::Ahead& one : start.ahead) {
      auto& ahead = EntryOf(counts.ahead, &schemas::AheadCount::before_s, one.before_s);
      ++ahead.starts;
      if (one.held) ++ahead.held;
      ahead.error_s += Distance(one.from_expected);
    }
  });
}

void Outcomes::CountRun(const Of& of, const Run& run) {
  CountToday(of, [&](OutcomeCounts& counts) {
    ++counts.runs;
    counts.millibits += Whole(1000 * run.bits);
    counts.expected_work += Whole(run.expected_work);
    counts.done_work += Whole(run.done_work);
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
    schemas::CalibrationRow& row = out.rows.back();
    if (counts.runs > 0) row.bits_at_submission = MeanOf(counts.millibits, counts.runs) / 1000;
    row.work_ratio = Share(counts.expected_work, counts.done_work);
    AddErrors(counts, row);
    AddVoices(counts, row);
  };
  for (const auto& [site, counts] : sums) {
    if (!site.empty()) add(site, counts);
  }
  add("", sums.at(""));
  return out;
}

}  // namespace muster::meta
