// The text of the page is the table that people see at the terminal; the plots are drawn from the
// jobs.
#include "sim/replay/replay_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "sim/replay/plot.h"
#include "sim/replay/replay_files.h"

namespace muster::sim {
namespace {

constexpr int64_t kDay = 86400;
constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr size_t kDaysDrawn = 200;

constexpr char kStyle[] = R"(
:root { --ink: #1c2430; --paper: #fff; --grid: #dde2ea; --quiet: #5c6878; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9f0; --paper: #151a21; --grid: #2e3743; --quiet: #9aa6b5; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 1340px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
pre { overflow-x: auto; border: 1px solid var(--grid); padding: .8rem; font-size: 13px; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(480px, 1fr)); gap: 1rem; }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: var(--quiet); }
svg text.title { font-size: 13px; font-weight: 600; fill: var(--ink); }
.grid { stroke: var(--grid); stroke-width: 1; } .curve { fill: none; stroke-width: 1.8; }
.box { stroke: var(--paper); stroke-width: .3; }
)";
constexpr const char* kColours[] = {"#2f6fb7", "#d1602b", "#3a9a5b", "#9b4dca",
                                    "#b8911a", "#c23b5e", "#2aa3a3", "#77808c"};

std::string Colours() {
  std::string out;
  for (size_t i = 0; i < std::size(kColours); ++i) {
    out += fmt::format(".c{0} {{ stroke: {1}; }} .f{0} {{ fill: {1}; fill-opacity: .75; }}\n", i,
                       kColours[i]);
  }
  return out;
}

using ValueOf = std::function<std::optional<double>(const FederationJob&, const JobOutcome&)>;

std::string Distributions(const std::vector<ReplayRun>& runs, Plot plot, const ValueOf& value_of) {
  plot.y = "% of jobs at or below";
  plot.y_most = 100;
  plot.log_x = true;
  for (const ReplayRun& run : runs) {
    std::vector<double> values;
    for (size_t i = 0; i < run.workload.jobs.size(); ++i) {
      const auto value = value_of(run.workload.jobs[i], run.result.jobs[i]);
      if (value) values.push_back(*value);
    }
    if (values.empty()) continue;
    plot.curves.push_back(Distribution(run.settings.name, std::move(values)));
  }
  return plot.curves.empty() ? "" : ToSvg(plot);
}

double Waited(const FederationJob& job, const JobOutcome& outcome) {
  return static_cast<double>((*outcome.start - job.submitted).seconds);
}

std::optional<double> ErrorOf(const std::optional<ToldFigures>& told, const JobOutcome& outcome,
                              bool expected) {
  if (!told || !outcome.start) return std::nullopt;
  const std::optional<Instant>& figure = expected ? told->expected : told->starts_by;
  if (!figure) return std::nullopt;
  return std::abs(static_cast<double>((*outcome.start - *figure).seconds)) / kMinute;
}

std::string WaitPlots(const std::vector<ReplayRun>& runs) {
  std::string out;
  out += Distributions(runs, {.title = "Wait", .x = "minutes"}, [](const auto& job, const auto& o) {
    return o.start ? std::optional(Waited(job, o) / kMinute) : std::nullopt;
  });
  out += Distributions(runs, {.title = "Bounded slowdown (10 s)", .x = "times"},
                       [](const auto& job, const auto& o) -> std::optional<double> {
                         if (!o.start) return std::nullopt;
                         const auto ran = static_cast<double>(job.runs.seconds);
                         return BoundedSlowdown(Waited(job, o), ran);
                       });
  out += Distributions(runs, {.title = "Stretch", .x = "times"},
                       [](const auto& job, const auto& o) -> std::optional<double> {
                         if (!o.start) return std::nullopt;
                         const auto ran = static_cast<double>(job.runs.seconds);
                         return (Waited(job, o) + ran) / ran;
                       });
  return out;
}

std::string ErrorPlots(const std::vector<ReplayRun>& runs) {
  std::string out;
  const Plot submission{.title = "Error of what was told at submission (starts by)",
                        .x = "minutes, absolute"};
  out += Distributions(runs, submission,
                       [](const auto&, const auto& o) { return ErrorOf(o.first, o, false); });
  const Plot entering{.title = "Error of the first promise", .x = "minutes, absolute"};
  out += Distributions(runs, entering,
                       [](const auto&, const auto& o) { return ErrorOf(o.promise, o, false); });
  const Plot forecast{.title = "Error of the forecast at submission (expected)",
                      .x = "minutes, absolute"};
  out += Distributions(runs, forecast,
                       [](const auto&, const auto& o) { return ErrorOf(o.first, o, true); });
  return out;
}

// Use of each site, averaged over equal spans of at least a day.
std::string UsePlot(const ReplayRun& run) {
  if (run.workload.jobs.empty()) return "";
  const Instant begin = run.workload.jobs.front().submitted;
  const auto lasts = static_cast<int64_t>(run.figures.makespan);
  const int64_t days = std::max<int64_t>(1, lasts / kDay / static_cast<int64_t>(kDaysDrawn) + 1);
  const int64_t bucket = days * kDay;
  const auto buckets = static_cast<size_t>(lasts / bucket + 1);
  Plot plot{.title = run.settings.name + ": processors in use",
            .x = "days",
            .y = "% of the site",
            .y_most = 100};
  for (size_t site = 0; site < run.sites.size(); ++site) {
    std::vector<double> busy(buckets);
    const auto steps = BusySteps(site, run.workload.jobs, run.result);
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      int64_t from = (steps[i].first - begin).seconds;
      const int64_t to = (steps[i + 1].first - begin).seconds;
      while (from < to) {
        const int64_t place = from / bucket;
        const int64_t next = std::min(to, (place + 1) * bucket);
        busy[static_cast<size_t>(place)] +=
            static_cast<double>(next - from) * static_cast<double>(steps[i].second);
        from = next;
      }
    }
    Curve curve{.name = run.sites[site].site.name, .steps = true};
    const double full =
        static_cast<double>(bucket) * static_cast<double>(run.sites[site].processors) / 100;
    for (size_t i = 0; i < buckets; ++i) {
      curve.points.push_back({static_cast<double>(i) * static_cast<double>(days), busy[i] / full});
    }
    plot.curves.push_back(std::move(curve));
  }
  return ToSvg(plot);
}

// The day on which most jobs started.
Instant BusyDay(const ReplayRun& run) {
  std::map<int64_t, size_t> starts;
  for (const JobOutcome& outcome : run.result.jobs) {
    if (outcome.start) ++starts[outcome.start->seconds / kDay];
  }
  if (starts.empty()) return {0};
  const auto most =
      std::max_element(starts.begin(), starts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return {most->first * kDay};
}

// Lanes for one who runs from `start` on: the lowest free ones, in pieces where they lie apart.
class Lanes {
 public:
  explicit Lanes(int64_t count) : free_at_(static_cast<size_t>(count)) {}

  std::vector<std::pair<size_t, size_t>> Take(Instant start, Instant end, int64_t wanted) {
    std::vector<std::pair<size_t, size_t>> out;
    for (size_t lane = 0; lane < free_at_.size() && wanted > 0; ++lane) {
      if (free_at_[lane] > start) continue;
      free_at_[lane] = end;
      --wanted;
      if (!out.empty() && out.back().second == lane) {
        ++out.back().second;
      } else {
        out.push_back({lane, lane + 1});
      }
    }
    return out;
  }

 private:
  std::vector<Instant> free_at_;
};

std::string Gantt(const ReplayRun& run, size_t site) {
  constexpr int64_t kLanesMost = 4096;  // of a larger site one lane is several processors
  const int64_t processors = run.sites[site].processors;
  const int64_t per_lane = (processors + kLanesMost - 1) / kLanesMost;
  const Instant day = BusyDay(run);
  const Instant night = day + Span{kDay};
  GanttChart chart{.title = fmt::format(
                       "{}: {}, day {} of the replay", run.settings.name, run.sites[site].site.name,
                       (day - run.workload.jobs.front().submitted).seconds / kDay + 1),
                   .begin = 0,
                   .end = 24,
                   .lanes = static_cast<double>(processors)};
  struct Piece {
    Instant start, end;
    size_t job;
    size_t part;
  };
  std::vector<Piece> pieces;
  for (size_t i = 0; i < run.workload.jobs.size(); ++i) {
    const JobOutcome& o = run.result.jobs[i];
    if (!o.start || !o.end || *o.end <= day || *o.start >= night) continue;
    for (size_t part = 0; part < o.sites.size(); ++part) {
      if (o.sites[part] == site) pieces.push_back({*o.start, *o.end, i, part});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.start < b.start; });
  Lanes lanes((processors + per_lane - 1) / per_lane);
  const auto hour = [day](Instant at) { return static_cast<double>((at - day).seconds) / kHour; };
  for (const Piece& piece : pieces) {
    const FederationJob& job = run.workload.jobs[piece.job];
    const int64_t wanted = (job.parts[piece.part] + per_lane - 1) / per_lane;
    for (const auto& [low, high] : lanes.Take(piece.start, piece.end, wanted)) {
      chart.boxes.push_back(
          {hour(piece.start), hour(piece.end),
           static_cast<double>(low) * static_cast<double>(per_lane),
           static_cast<double>(high) * static_cast<double>(per_lane),
           job.parts.size() > 1 ? 5 : (job.home ? *job.home : 0),
           fmt::format("job {}, {} processors, waited {}", job.number, job.parts[piece.part],
                       WaitText(Waited(job, run.result.jobs[piece.job])))});
    }
  }
  return ToSvg(chart);
}

}  // namespace

std::string PageBegin(const std::string& title, const std::string& table) {
  return fmt::format(
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n"
      "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
      "<title>{0}</title>\n<style>{1}{2}</style></head>\n<body><h1>{0}</h1>\n<pre>{3}</pre>\n",
      EscapeHtml(title), kStyle, Colours(), EscapeHtml(table));
}

std::string ReplayPage(const std::string& title, const std::vector<ReplayRun>& runs) {
  std::string out = PageBegin(title, ReplayTable(runs));
  out += "<h2>Waits</h2><div class='plots'>\n" + WaitPlots(runs) + "</div>\n";
  out += "<h2>What users were told</h2><div class='plots'>\n" + ErrorPlots(runs) + "</div>\n";
  out += "<h2>Use of the sites</h2><div class='plots'>\n";
  for (const ReplayRun& run : runs) out += UsePlot(run);
  out +=
      "</div>\n<h2>The day with the most starts</h2>\n"
      "<p>Colours are home sites; co-allocations have one of their own.</p><div class='plots'>\n";
  for (const ReplayRun& run : runs) {
    if (run.workload.jobs.empty()) continue;
    for (size_t site = 0; site < run.sites.size(); ++site) out += Gantt(run, site);
  }
  return out + "</div></body></html>\n";
}

}  // namespace muster::sim
