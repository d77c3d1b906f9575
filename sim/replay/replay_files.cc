// Formats existing figures only; nothing is measured here.
#include "sim/replay/replay_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/replay/speed_files.h"

namespace muster::sim {
namespace {

using Json = nlohmann::ordered_json;

// The number with separators, such as "58,112".
std::string Grouped(size_t number) {
  std::string out = std::to_string(number);
  for (size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

std::string Kept(const GroupFigures& group) {
  if (group.promised == 0) return "–";
  if (group.kept == group.promised) return "100 %";
  // A share below 1 is never rounded up to 100 %.
  const double share = static_cast<double>(group.kept) / static_cast<double>(group.promised);
  return fmt::format("{:.1f} %", std::floor(share * 1000) / 10);
}

std::string Covers(const GroupFigures& group) {
  if (group.interval.count == 0) return "–";
  return fmt::format("{:.1f} %", 100 * group.interval.coverage);
}

// The number of question rounds within which `share` of the searches finished, by nearest rank.
int RoundsAt(const SearchCounts& counts, double share) {
  size_t all = 0;
  for (const auto& [rounds, searches] : counts.rounds) all += searches;
  size_t seen = 0;
  for (const auto& [rounds, searches] : counts.rounds) {
    seen += searches;
    if (static_cast<double>(seen) >= share * static_cast<double>(all)) return rounds;
  }
  return 0;
}

// "common starts: 717 found, 99.8 % proved, 12 searches in vain; rounds 1 / 3": rounds are median
// and maximum.
std::string SearchText(const SearchCounts& counts, const char* what) {
  if (counts.rounds.empty()) return "";
  const double share = counts.found == 0
                           ? 0
                           : static_cast<double>(counts.proved) / static_cast<double>(counts.found);
  return fmt::format("{}: {} found, {:.1f} % proved, {} searches in vain; rounds {} / {}\n", what,
                     Grouped(counts.found), std::floor(share * 1000) / 10, Grouped(counts.in_vain),
                     RoundsAt(counts, 0.5), RoundsAt(counts, 1));
}

using Row = std::vector<std::string>;

size_t Width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string Counted(const std::vector<std::pair<size_t, std::string>>& counts) {
  std::string out;
  for (const auto& [count, what] : counts) {
    if (count > 0) out += (out.empty() ? "" : ", ") + Grouped(count) + " " + what;
  }
  return out;
}

Row Cells(const GroupFigures& group, const std::string& utilisation) {
  return {WaitText(group.wait_mean) + " / " + WaitText(group.wait_p95),
          fmt::format("{:.1f}", group.slowdown), utilisation, Kept(group), Covers(group)};
}

Json ErrorJson(const ErrorFigures& errors) {
  const std::optional<double> ev = errors.Ev();
  return {{"count", errors.count}, {"mean_s", errors.mean}, {"late_s", errors.late},
          {"p95_s", errors.p95},   {"most_s", errors.most}, {"ev", ev ? Json(*ev) : Json(nullptr)}};
}

Json GroupJson(const GroupFigures& g) {
  Json late = Json::array();
  for (const auto& [cause, count] : g.late) late.push_back({{"cause", cause}, {"count", count}});
  Json forecast = nullptr;
  if (g.forecast.count > 0) {
    forecast = {{"count", g.forecast.count},
                {"median_s", g.forecast.median},
                {"mean_s", g.forecast.mean},
                {"within_60_s_ratio", g.forecast.within_60},
                {"within_600_s_ratio", g.forecast.within_600},
                {"within_quarter_of_wait_ratio", g.forecast.within_quarter}};
  }
  Json interval = nullptr;
  if (g.interval.count > 0) {
    interval = {{"count", g.interval.count},
                {"started_at_once", g.interval.at_once},
                {"coverage_ratio", g.interval.coverage},
                {"width_over_wait_ratio", g.interval.width_over_wait}};
  }
  return {{"jobs", g.jobs},
          {"refused", g.refused},
          {"cancelled", g.cancelled},
          {"started", g.started},
          {"wait_mean_s", g.wait_mean},
          {"wait_p95_s", g.wait_p95},
          {"wait_most_s", g.wait_most},
          {"bounded_slowdown", g.slowdown},
          {"stretch", g.stretch},
          {"promised", g.promised},
          {"kept", g.kept},
          {"late", late},
          {"error_at_submission", ErrorJson(g.at_submission)},
          {"error_on_entering", ErrorJson(g.on_entering)},
          {"error_at_submission_trimmed", ErrorJson(g.at_submission_trimmed)},
          {"error_on_entering_trimmed", ErrorJson(g.on_entering_trimmed)},
          {"forecast", forecast},
          {"interval", interval}};
}

Json AccountsJson(const ReplayRun& run) {
  Json out = Json::array();
  for (const AccountFigures& account : run.accounts) {
    out.push_back({{"account", account.name},
                   {"target_ratio", account.target},
                   {"share_ratio", account.share},
                   {"off_mean_ratio", account.off_mean},
                   {"off_most_ratio", account.off_most},
                   {"spans", account.spans}});
  }
  return out;
}

Json AppsJson(const ReplayRun& run) {
  Json out = Json::array();
  for (const AppFigures& app : run.apps) {
    out.push_back({{"name", app.name},
                   {"jobs", app.jobs},
                   {"stretch_mean", app.stretch},
                   {"cut", app.cut},
                   {"grown", app.grown}});
  }
  return out;
}

// REQUIRES: the run has lent figures.
Json LentJson(const ReplayRun& run) {
  return {{"recallable", run.lent->recallable},
          {"recalls", run.lent->recalls},
          {"lost_ratio", run.lent->lost},
          {"delay_mean_s", run.lent->delay},
          {"delay_recallable_mean_s", run.lent->delay_recallable},
          {"delay_others_mean_s", run.lent->delay_others}};
}

// REQUIRES: the run has fillers.
Json FillersJson(const FillerFigures& fillers) {
  return {{"utilisation_ratio", fillers.utilisation},
          {"ended", fillers.ended},
          {"recalls", fillers.recalls},
          {"lost_ratio", fillers.lost}};
}

Json SettingsJson(const RunSettings& s) {
  return {{"trace", s.trace.empty() ? Json(nullptr) : Json(s.trace)},
          {"sites", s.sites},
          {"seed", s.seed},
          {"cancelled", s.cancelled == CancelledRule::kDrop ? "drop" : "enter"},
          {"strict", s.strict},
          {"exact", s.exact},
          {"threshold_s", s.threshold ? Json(s.threshold->seconds) : Json(nullptr)},
          {"block_max", s.block_max},
          {"packing", s.packing},
          {"home", s.home},
          {"alone", s.alone},
          {"home_first", s.home_first},
          {"keep", s.keep},
          {"accounts", s.accounts},
          {"shares", s.shares},
          {"recallable_ratio", static_cast<double>(s.recallable) / 1000},
          {"recall", s.recall},
          {"lent_alone", s.lent_alone},
          {"beyond_balance", s.beyond_balance ? "lend" : "promise"},
          {"apps", s.apps},
          {"fillers_s", s.fillers.seconds},
          {"kept_percent", s.kept},
          {"kept_lent", s.kept_lent},
          {"classes", s.classes},
          {"co_allocated_ratio", static_cast<double>(s.co_allocated) / 1000},
          {"scaled_from", s.scaled_from},
          {"load", s.load ? Json(*s.load) : Json(nullptr)},
          {"backlog", s.backlog},
          {"times", s.ideal ? "ideal" : "daemon"},
          {"link", s.real_link ? "real" : "ideal"}};
}

Json CountsJson(const WorkloadCounts& c) {
  return {{"lines", c.trace.lines},
          {"cancelled_dropped", c.trace.cancelled},
          {"cancelled_entered", c.trace.entered},
          {"ran_0_s", c.trace.instant},
          {"overran", c.trace.overran},
          {"no_requested_time", c.trace.no_request},
          {"no_requested_processors", c.trace.no_processors},
          {"unsorted", c.trace.unsorted},
          {"outside", c.outside},
          {"homeless", c.homeless},
          {"thinned", c.thinned},
          {"too_wide", c.too_wide},
          {"split_in_two", c.split_in_two},
          {"split_in_three", c.split_in_three},
          {"interval_scale", c.interval_scale}};
}

Json SearchJson(const SearchCounts& c) {
  return {{"found", c.found},
          {"proved", c.proved},
          {"in_vain", c.in_vain},
          {"messages", c.messages},
          {"rounds_median", RoundsAt(c, 0.5)},
          {"rounds_most", RoundsAt(c, 1)}};
}

const char* FateText(JobFate fate) {
  constexpr const char* kNames[] = {"open", "refused", "cancelled", "ended"};
  return kNames[static_cast<size_t>(fate)];
}

std::string SitesText(const ReplayRun& run, const JobOutcome& outcome) {
  std::string out;
  for (const size_t site : outcome.sites) {
    out += (out.empty() ? "" : " ") + run.sites[site].site.name;
  }
  return out;
}

std::string SecondsText(const std::optional<Instant>& at) {
  return at ? std::to_string(at->seconds) : "";
}

std::string CsvRow(const ReplayRun& run, size_t index) {
  const FederationJob& job = run.workload.jobs[index];
  const JobOutcome& o = run.result.jobs[index];
  const std::optional<ToldFigures>& first = o.first;
  const bool told = first && first->expected;
  std::string wait;
  std::string slowdown;
  if (o.start) {
    const auto waited = static_cast<double>((*o.start - job.submitted).seconds);
    wait = fmt::format("{:.0f}", waited);
    slowdown =
        fmt::format("{:.3f}", BoundedSlowdown(waited, static_cast<double>(job.runs.seconds)));
  }
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.settings.name,
      job.number, job.submitted.seconds, job.asks.seconds, job.runs.seconds, job.Processors(),
      job.parts.size(), job.user, job.home ? run.sites[*job.home].site.name : "", SitesText(run, o),
      FateText(o.fate), SecondsText(o.start), SecondsText(o.end), wait, slowdown,
      first ? SecondsText(first->starts_by) : "",
      o.promise ? SecondsText(o.promise->starts_by) : "", told ? SecondsText(first->expected) : "",
      told ? std::to_string(first->low.seconds) : "",
      told ? std::to_string(first->high.seconds) : "");
}

void AddHomes(const ReplayRun& run, std::vector<Row>& rows) {
  for (size_t i = 0; i < run.sites.size(); ++i) {
    const GroupFigures& home = run.figures.by_home[i];
    const std::string use = fmt::format("{:.1f} %", 100 * run.figures.sites[i].utilisation);
    Row row = {run.settings.name, run.sites[i].site.name, Grouped(run.figures.sites[i].started),
               Grouped(home.jobs)};
    for (std::string& cell : Cells(home, use)) row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
}

void AddAccounts(const ReplayRun& run, std::vector<Row>& rows) {
  for (const AccountFigures& account : run.accounts) {
    rows.push_back(
        {run.settings.name, account.name, fmt::format("{:.0f} %", 100 * account.target),
         fmt::format("{:.1f} %", 100 * account.share),
         fmt::format("{:.1f} / {:.1f}", 100 * account.off_mean, 100 * account.off_most)});
  }
}

// Adds a row of what a vote weighs: the makespan, and the waits of each class.
void AddClasses(const ReplayRun& run, std::vector<Row>& rows) {
  const ReplayFigures& f = run.figures;
  Row row = {run.settings.name, fmt::format("{:.1f} h", f.makespan / 3600)};
  for (const GroupFigures* group : {&f.interactive, &f.batch}) {
    row.push_back(Grouped(group->started));
    row.push_back(WaitText(group->wait_mean) + " / " + WaitText(group->wait_p95));
  }
  rows.push_back(std::move(row));
}

}  // namespace

std::string Aligned(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - Width(row[i]) + 2, ' ');
    }
    out += line + "\n";
  }
  return out;
}

std::string WaitText(double seconds) {
  const auto s = static_cast<int64_t>(std::llround(seconds));
  constexpr int64_t kMinute = 60;
  constexpr int64_t kHour = 3600;
  constexpr int64_t kDay = 86400;
  if (s < kMinute) return fmt::format("{}s", s);
  if (s < kHour) return fmt::format("{}m", s / kMinute);
  if (s < kDay) return fmt::format("{}h{:02}m", s / kHour, s % kHour / kMinute);
  return fmt::format("{}d{:02}h", s / kDay, s % kDay / kHour);
}

std::string TimesText(const RunSettings& settings) {
  if (settings.ideal) return "ideal times";
  return settings.real_link ? "daemon times, real link" : "daemon times";
}

size_t Skipped(const WorkloadCounts& counts) {
  return counts.trace.cancelled + counts.too_wide + counts.homeless + counts.thinned +
         counts.outside;
}

std::string SkippedText(const WorkloadCounts& c) {
  return Counted({{c.trace.cancelled, "cancelled before start"},
                  {c.too_wide, "larger than every machine"},
                  {c.homeless, "without a home"},
                  {c.thinned, "not kept"},
                  {c.outside, "outside of what was asked for"}});
}

std::string ChangedText(const WorkloadCounts& c) {
  return Counted({{c.trace.entered, "enter and are cancelled"},
                  {c.trace.instant, "ran 0 s"},
                  {c.trace.overran, "overran their request"},
                  {c.trace.no_request, "without a requested time"},
                  {c.trace.no_processors, "without requested processors"},
                  {c.trace.unsorted, "unsorted"},
                  {c.split_in_two, "split over two sites"},
                  {c.split_in_three, "split over three sites"},
                  {c.without_set, "without a set, as they are wider than each group"}});
}

std::string ReplayTable(const std::vector<ReplayRun>& runs) {
  const bool named = runs.size() > 1;
  std::vector<Row> rows(1);
  if (named) rows[0].push_back("RUN");
  for (const char* word :
       {"JOBS", "SKIPPED", "WAIT mean/p95", "SLOWDOWN", "UTILISATION", "KEPT", "90 % COVERS"}) {
    rows[0].push_back(word);
  }
  std::vector<Row> homes = {{"RUN", "HOME", "STARTED HERE", "JOBS", "WAIT mean/p95", "SLOWDOWN",
                             "UTILISATION", "KEPT", "90 % COVERS"}};
  std::vector<Row> classes = {
      {"RUN", "MAKESPAN", "INTERACTIVE", "WAIT mean/p95", "BATCH", "WAIT mean/p95"}};
  std::vector<Row> accounts = {{"RUN", "ACCOUNT", "TARGET", "HAD", "POINTS OFF in 7d, mean/most"}};
  std::string notes;
  for (const ReplayRun& run : runs) {
    const GroupFigures& all = run.figures.all;
    Row row;
    if (named) row.push_back(run.settings.name);
    row.push_back(Grouped(all.jobs));
    row.push_back(Grouped(Skipped(run.workload.counts)));
    const std::string use = fmt::format("{:.1f} %", 100 * run.figures.utilisation);
    for (std::string& cell : Cells(all, use)) row.push_back(std::move(cell));
    rows.push_back(std::move(row));
    if (run.sites.size() > 1) AddHomes(run, homes);
    if (run.settings.classes) AddClasses(run, classes);
    AddAccounts(run, accounts);
    const std::string prefix = named ? run.settings.name + ": " : "";
    const std::string skipped = SkippedText(run.workload.counts);
    if (!skipped.empty()) notes += prefix + "skipped: " + skipped + "\n";
    const std::string changed = ChangedText(run.workload.counts);
    if (!changed.empty()) notes += prefix + "changed: " + changed + "\n";
    if (all.refused > 0) notes += prefix + "refused: " + Grouped(all.refused) + "\n";
    if (run.settings.backlog) notes += prefix + "all submitted at once\n";
    if (run.settings.load) {
      notes += prefix + fmt::format("interval scale: {:.4f}\n", run.workload.counts.interval_scale);
    }
    if (run.lent) {
      notes +=
          prefix + fmt::format(
                       "lent: {} of {} jobs may be recalled, {} recalls, {:.2f} % of "
                       "the work lost; delay {}, of these {}, of others {}\n",
                       Grouped(run.lent->recallable), Grouped(all.started),
                       Grouped(run.lent->recalls), 100 * run.lent->lost, WaitText(run.lent->delay),
                       WaitText(run.lent->delay_recallable), WaitText(run.lent->delay_others));
    }
    for (const AppFigures& app : run.apps) {
      notes += prefix + fmt::format(
                            "program {}: {} jobs ran {:.2f} times as long as alone, {} were ended "
                            "by their walltime, {} had more processors for a while\n",
                            app.name, Grouped(app.jobs), app.stretch, app.cut, app.grown);
    }
    if (run.fillers) {
      notes += prefix + fmt::format(
                            "filled: {:.2f} % of all processors with fillers, of which {} "
                            "ended, {} recalls, {:.2f} % of their time lost\n",
                            100 * run.fillers->utilisation, Grouped(run.fillers->ended),
                            Grouped(run.fillers->recalls), 100 * run.fillers->lost);
    }
    for (const auto& [cause, count] : all.late) {
      notes += prefix + "late: " + Grouped(count) + " by " + cause + "\n";
    }
    const std::string first = SearchText(run.result.first, "common starts");
    if (!first.empty()) notes += prefix + first;
    const std::string moves = SearchText(run.result.moves, "earlier common starts");
    if (!moves.empty()) notes += prefix + moves;
    if (run.figures.co_allocated.promised > 0) {
      notes += prefix + "co-allocated: kept " + Kept(run.figures.co_allocated) + ", wait " +
               WaitText(run.figures.co_allocated.wait_mean) + "\n";
    }
    for (const std::string& broken : run.result.violations)
      notes += prefix + "broken: " + broken + "\n";
  }
  std::string times = runs.empty() ? "" : TimesText(runs.front().settings);
  for (const ReplayRun& run : runs) {
    if (TimesText(run.settings) != times) times = "daemon and ideal times";
  }
  std::string out = times + "\n" + Aligned(rows);
  std::vector<Row> speeds = SpeedRows(runs);
  for (std::vector<Row>* more : {&classes, &homes, &accounts, &speeds}) {
    if (more->size() < 2) continue;
    if (!named) {
      for (Row& row : *more) row.erase(row.begin());
    }
    out += "\n" + Aligned(*more);
  }
  return out + notes;
}

std::string ReplayJson(const std::vector<ReplayRun>& runs) {
  Json out = {{"schema", "muster.replay/1"}, {"runs", Json::array()}};
  for (const ReplayRun& run : runs) {
    const ReplayFigures& f = run.figures;
    Json sites = Json::array();
    for (size_t i = 0; i < run.sites.size(); ++i) {
      sites.push_back({{"site", run.sites[i].site.name},
                       {"processors", run.sites[i].processors},
                       {"parts_started", f.sites[i].started},
                       {"utilisation_ratio", f.sites[i].utilisation},
                       {"home", GroupJson(f.by_home[i])}});
    }
    out["runs"].push_back({{"name", run.settings.name},
                           {"settings", SettingsJson(run.settings)},
                           {"counts", CountsJson(run.workload.counts)},
                           {"utilisation_ratio", f.utilisation},
                           {"makespan_s", f.makespan},
                           {"accounts", AccountsJson(run)},
                           {"all", GroupJson(f.all)},
                           {"interactive", GroupJson(f.interactive)},
                           {"batch", GroupJson(f.batch)},
                           {"co_allocated", GroupJson(f.co_allocated)},
                           {"started_apart", run.result.started_apart},
                           {"common_starts", SearchJson(run.result.first)},
                           {"earlier_common_starts", SearchJson(run.result.moves)},
                           {"sites", sites},
                           {"violations", run.result.violations}});
    if (run.speeds) out["runs"].back()["speeds"] = SpeedJson(run);
    if (run.lent) out["runs"].back()["lent"] = LentJson(run);
    if (run.apps_known) out["runs"].back()["apps"] = AppsJson(run);
    if (run.fillers) out["runs"].back()["fillers"] = FillersJson(*run.fillers);
  }
  return out.dump(1) + "\n";
}

std::string ReplayCsv(const std::vector<ReplayRun>& runs) {
  std::string out =
      "run,job,submitted,requested_s,runs_s,processors,parts,user,home,sites,fate,start,end,wait_s,"
      "bounded_slowdown,first_starts_by,promise,expected,low,high\n";
  for (const ReplayRun& run : runs) {
    for (size_t i = 0; i < run.workload.jobs.size(); ++i) out += CsvRow(run, i);
  }
  return out;
}

std::string ReplaySwf(const ReplayRun& run) {
  const std::vector<FederationJob>& jobs = run.workload.jobs;
  const int64_t begin = jobs.empty() ? 0 : jobs.front().submitted.seconds;
  std::string out =
      fmt::format("; UnixStartTime: {}\n; Note: the schedule of muster sim, seed {}\n", begin,
                  run.settings.seed);
  for (size_t i = 0; i < run.sites.size(); ++i) {
    out += fmt::format("; Partition: {} {} ({} processors)\n", i + 1, run.sites[i].site.name,
                       run.sites[i].processors);
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    const FederationJob& job = jobs[i];
    const JobOutcome& o = run.result.jobs[i];
    const bool ran = o.start && o.end;
    const int status = o.fate == JobFate::kEnded ? 1 : (o.fate == JobFate::kCancelled ? 5 : 0);
    out += fmt::format("{} {} {} {} {} -1 -1 {} {} -1 {} {} {} -1 {} {} -1 -1\n", job.number,
                       job.submitted.seconds - begin,
                       o.start ? (*o.start - job.submitted).seconds : -1,
                       ran ? (*o.end - *o.start).seconds : -1, ran ? job.Processors() : -1,
                       job.Processors(), job.asks.seconds, status, job.user, job.group,
                       job.interactive ? 0 : 1, o.sites.empty() ? 0 : o.sites.front() + 1);
  }
  return out;
}

}  // namespace muster::sim
