// Tables go to stdout, progress and errors to stderr. If no output file is named, the report is
// written to the current folder as NAME.html and NAME.json. A program without the page writes the
// page's data instead, as NAME.plots.json, so that hours of work are not lost.
#include "sim/replay/replay_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/units.h"
#include "sim/page/page.h"
#include "sim/replay/comparison_files.h"
#include "sim/replay/replay_files.h"
#include "sim/replay/replay_plots.h"
#include "sim/replay/shares_of_a_whole.h"

namespace muster::sim {
namespace {

constexpr int kExitUsage = 2;
constexpr int kExitInternal = 1;
constexpr size_t kBar = 28;  // characters

int Fail(const std::string& code, const std::string& message, const std::string& help = "") {
  std::fprintf(stderr, "muster: error[%s]: %s\n", code.c_str(), message.c_str());
  if (!help.empty()) std::fprintf(stderr, "  help: %s\n", help.c_str());
  return kExitUsage;
}

// A file's name without folder and suffixes: "ctc" of ".../ctc.swf.gz".
std::string StemOf(const std::string& path) {
  std::string out = std::filesystem::path(path).filename().string();
  for (const char* suffix : {".gz", ".swf", ".toml"}) {
    if (out.ends_with(suffix)) out.resize(out.size() - std::string(suffix).size());
  }
  return out;
}

std::string Grouped(size_t number) {
  std::string out = std::to_string(number);
  for (size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

// A progress bar: one line, redrawn in place, on a terminal only. Real time affects when it is
// drawn, never the results.
class Bar {
 public:
  Bar(std::string name, bool quiet)
      : name_(std::move(name)),
        shown_(!quiet && isatty(STDERR_FILENO) == 1),
        began_(Clock::now()) {}
  ~Bar() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }

  void Draw(size_t done, size_t all) {
    const Clock::time_point now = Clock::now();
    if (!shown_ || all == 0 || now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    const double share = static_cast<double>(done) / static_cast<double>(all);
    const auto full = static_cast<size_t>(share * static_cast<double>(kBar));
    std::string bar;
    for (size_t i = 0; i < kBar; ++i) bar += i == full ? "╺" : "━";
    const double spent = std::chrono::duration<double>(now - began_).count();
    const double left = share > 0 ? spent / share - spent : 0;
    fmt::print(stderr, "\r{} {}  {:.0f} %  {}/{} jobs  {:.0f} s left\x1b[K", name_, bar,
               100 * share, Grouped(done), Grouped(all), left);
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  bool shown_;
  Clock::time_point began_;
  Clock::time_point drawn_;
};

absl::StatusOr<ReplayRun> RunWithBar(const RunSettings& settings, bool quiet) {
  Bar bar(settings.name, quiet);
  return RunReplay(settings, [&bar](size_t done, size_t all) { bar.Draw(done, all); });
}

bool Write(const std::string& path, const std::string& text) {
  if (path == "-") return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && whole;
}

constexpr char kNoPage[] = "this program has no page: uPlot, which draws it, was not there";
constexpr char kNoPageHelp[] =
    "./dev build fetches uPlot by npm and builds again; meanwhile --plots FILE writes the data, of "
    "which muster sim page makes the page then";

// The outputs if no file is named.
ReplayFiles Usual(const std::string& stem) {
  ReplayFiles out{.json = stem + ".json"};
  if (HasPage()) {
    out.html = stem + ".html";
  } else {
    out.plots = stem + ".plots.json";
    fmt::print(stderr, "muster: {}\n  help: {}\n", kNoPage, kNoPageHelp);
  }
  return out;
}

bool WriteAsked(const std::string& path, const std::string& text) {
  if (path.empty() || Write(path, text)) return true;
  Fail("usage", path + " cannot be written");
  return false;
}

// Writes the page, its data, or both. `plots_of` makes the data, which may be large, only if
// needed.
template <typename PlotsOf>
bool WritePlots(const ReplayFiles& files, const PlotsOf& plots_of) {
  if (files.html.empty() && files.plots.empty()) return true;
  const std::string data = PlotsJson(plots_of());
  return (files.html.empty() || WriteAsked(files.html, PageOf(data))) &&
         WriteAsked(files.plots, data);
}

// The files written, such as "ctc.html, ctc.json".
std::string Written(const ReplayFiles& files) {
  std::string out;
  for (const auto* path : {&files.html, &files.json, &files.csv, &files.swf, &files.plots}) {
    if (!path->empty() && *path != "-") out += (out.empty() ? "" : ", ") + *path;
  }
  return out;
}

// Prints the table and writes every requested file. Returns the exit code.
int Report(const std::string& title, const std::vector<ReplayRun>& runs, const ReplayFiles& files) {
  if (!files.ToStdout()) std::fputs(ReplayTable(runs).c_str(), stdout);
  const bool all = WritePlots(files, [&] { return ReplayPlots(title, runs); }) &&
                   (files.json.empty() || WriteAsked(files.json, ReplayJson(runs))) &&
                   (files.csv.empty() || WriteAsked(files.csv, ReplayCsv(runs))) &&
                   (files.swf.empty() || WriteAsked(files.swf, ReplaySwf(runs.front())));
  if (!all) return kExitInternal;
  if (!files.ToStdout()) fmt::print("report: {}\n", Written(files));
  const bool sound = std::all_of(
      runs.begin(), runs.end(), [](const ReplayRun& run) { return run.result.violations.empty(); });
  return sound ? 0 : kExitInternal;
}

// Parses "inf" (none) or a duration.
absl::StatusOr<std::optional<Span>> Threshold(const std::string& text) {
  if (text == "inf") return std::optional<Span>();
  MUSTER_ASSIGN_OR_RETURN(const Span span, ParseDuration(text));
  return std::optional<Span>(span);
}

RunSettings SettingsOf(const config::ScenarioRun& run, std::string trace) {
  RunSettings out{.name = run.name, .trace = std::move(trace), .sites = run.sites};
  if (run.model) {
    out.model = Lublin{.kind = *ParseLublinKind(run.model->kind),
                       .jobs = static_cast<size_t>(run.model->jobs),
                       .processors = run.model->processors,
                       .homes = static_cast<uint32_t>(run.model->homes)};
  }
  out.seed = static_cast<uint64_t>(run.seed);
  out.cancelled = run.cancelled == "enter" ? CancelledRule::kEnter : CancelledRule::kDrop;
  out.strict = run.strict;
  out.exact = run.exact;
  out.threshold = run.threshold;
  out.block_max = static_cast<size_t>(run.block_max);
  out.packing = run.packing;
  out.home = run.home;
  out.alone = run.alone;
  out.home_first = run.home_first;
  out.keep = run.keep;
  out.accounts = run.accounts;
  out.shares = run.shares;
  out.classes = run.classes;
  if (run.jobs) out.jobs = static_cast<size_t>(*run.jobs);
  out.from = run.from;
  out.until = run.until;
  out.co_allocated = static_cast<uint32_t>(run.co_allocated * 1000 + 0.5);
  out.scaled_from = run.scaled_from;
  out.load = run.load;
  out.backlog = run.backlog;
  out.balanced = static_cast<uint32_t>(run.balanced * 1000 + 0.5);
  out.set = run.set;
  out.recall = run.recall;
  out.lent_alone = run.lent_alone;
  out.beyond_balance = run.beyond_balance;
  out.apps = run.apps;
  out.fillers = run.fillers;
  out.kept = static_cast<int>(run.kept);
  out.kept_lent = run.kept_lent;
  out.recallable = static_cast<uint32_t>(run.recallable * 1000 + 0.5);
  out.placing = run.placing;
  out.against = run.against;
  out.autonomous = run.autonomous;
  out.estimates = run.estimates;
  out.forecasts = static_cast<size_t>(run.forecasts);
  out.ideal = run.ideal;
  out.real_link = run.real_link;
  return out;
}

void AddFiles(CLI::App* app, ReplayFiles& files, bool& quiet) {
  app->add_option("--json", files.json, "write all figures there; - is stdout");
  app->add_option("--csv", files.csv, "write a row for each job there");
  app->add_option("--swf", files.swf, "write the schedule there, as a trace");
  app->add_option("--html", files.html, "write one page with plots there");
  app->add_option("--plots", files.plots, "write the data of that page there");
  app->add_flag("-q,--quiet", quiet, "no progress");
}

}  // namespace

bool ReplayFiles::None() const {
  return json.empty() && csv.empty() && swf.empty() && html.empty() && plots.empty();
}

bool ReplayFiles::ToStdout() const {
  return json == "-" || csv == "-" || swf == "-" || html == "-" || plots == "-";
}

TraceCommands::TraceCommands(CLI::App& app) {
  replay_ = app.add_subcommand("replay", "a trace through sites, by the scheduler of the daemons");
  replay_->add_option("trace", typed_.trace, "SWF file, plain or gzipped")->required();
  replay_->add_option("--site", typed_.sites, "NAME=flat:430, mesh:8x8, ...; one for each site");
  replay_->add_option("--seed", typed_.seed, "of what is drawn");
  replay_
      ->add_option("--cancelled", typed_.cancelled, "jobs cancelled before they ran: drop, enter")
      ->check(CLI::IsMember({"drop", "enter"}));
  replay_->add_flag("--strict", typed_.strict, "refuse a trace that is not sorted by submission");
  replay_->add_flag("--exact", typed_.exact, "jobs ask for the time they really run");
  replay_->add_flag("--classes", typed_.classes, "interactive jobs are submitted as such");
  replay_->add_flag("--alone", typed_.alone, "every job at its home site only");
  replay_->add_flag("--no-home-first", typed_.no_home_first,
                    "nothing gives way to a site's own users");
  replay_->add_option("--account", typed_.accounts,
                      "NAME=40%: an account and its share; jobs get one by chance, in proportion");
  replay_->add_flag("--no-shares", typed_.no_shares, "accounts are not ordered by their shares");
  replay_->add_option("--keep", typed_.keep, "SITE=20%: so much of the jobs of this home");
  replay_->add_option("--threshold", typed_.threshold, "of extraction: 1h, ... or inf");
  replay_->add_option("--block-max", typed_.block_max, "most entries of a block")
      ->check(CLI::Range(1, 1000));
  replay_->add_option("--packing", typed_.packing,
                      "of blocks: fcfs, ffdh, ffih, with or without *; or auto");
  replay_->add_option("--home", typed_.home, "partition, none, or a site for all jobs");
  replay_->add_option("--jobs", typed_.jobs, "at most so many, the first ones");
  replay_->add_option("--from", typed_.from, "so long after the first submission, as in 30d");
  replay_->add_option("--to", typed_.to, "until then");
  replay_->add_option("--co-allocated", typed_.co_allocated, "share split over two or three sites");
  replay_->add_option("--scaled-from", typed_.scaled_from, "processors of the trace's machine");
  replay_->add_flag("--autonomous", typed_.autonomous, "by a scheduler that asks no site first");
  replay_->add_flag("--estimates", typed_.estimates,
                    "tell who gets no promise at once an estimate");
  replay_->add_option("--forecasts", typed_.forecasts,
                      "each n-th job that waits asks what is expected, as in 1");
  replay_->add_flag("--ideal", typed_.ideal, "nothing takes time, as in simulators without cores");
  replay_
      ->add_option("--link", typed_.link,
                   "between meta and sites: ideal, or real with delays and heartbeats, for days")
      ->check(CLI::IsMember({"ideal", "real"}));
  replay_->add_option("--load", typed_.load, "offered load, by moving submissions");
  replay_->add_flag("--backlog", typed_.backlog, "all jobs are submitted at once");
  replay_->add_option("--balanced", typed_.balanced,
                      "share of jobs whose processes wait for each other, as in 50%");
  replay_->add_option("--recallable", typed_.recallable,
                      "share of users whose jobs may be recalled, as in 50%");
  replay_
      ->add_option("--recall", typed_.recall,
                   "how: idle room is lent to their jobs, which lose or save their work")
      ->check(CLI::IsMember({"no", "requeue", "checkpoint", "suspend"}));
  replay_->add_flag("--lent-alone", typed_.lent_alone, "they get lent room alone, and no promise");
  replay_->add_flag("--beyond-balance", typed_.beyond_balance,
                    "sites that gave more than they took lend to users of other homes alone");
  replay_->add_option("--app", typed_.app,
                      "file of the programs that jobs are, whose speed depends on their "
                      "surroundings");
  replay_->add_option("--fillers", typed_.fillers,
                      "jobs of one processor that last this long, as in 12h, fill what is idle");
  replay_->add_option("--kept", typed_.kept, "percent of the processors kept for interactive jobs")
      ->check(CLI::Range(0, 100));
  replay_->add_flag("--kept-lent", typed_.kept_lent, "these are lent meanwhile");
  replay_->add_option("--set", typed_.set, "node set that these ask for, as in speed:oneof:best");
  replay_->add_option("--placing", typed_.placing,
                      "of jobs without a set, on nodes of several speeds: fastest, random, "
                      "partitions");
  AddFiles(replay_, typed_.files, typed_.quiet);
  scenario_ = app.add_subcommand("run", "several replays, as a scenario file says");
  scenario_->add_option("scenario", typed_.scenario, "TOML file")->required();
  AddFiles(scenario_, typed_.files, typed_.quiet);
  page_ = app.add_subcommand("page", "a page with plots, of what --plots wrote");
  page_->add_option("data", typed_.data, "what --plots wrote")->required();
  page_->add_option("--html", typed_.files.html, "where it goes; - is stdout")->required();
}

int TraceCommands::Run() {
  // Checked before a replay that may take hours.
  if (!typed_.files.html.empty() && !HasPage()) return Fail("usage", kNoPage, kNoPageHelp);
  if (page_->parsed()) return RunPage();
  return replay_->parsed() ? RunTrace() : RunScenario();
}

int TraceCommands::RunPage() {
  std::ifstream file(typed_.data, std::ios::binary);
  if (!file) return Fail("usage", typed_.data + " cannot be read");
  const std::string data((std::istreambuf_iterator<char>(file)), {});
  const absl::Status sound = CheckPlots(data);
  if (!sound.ok()) {
    return Fail("usage", typed_.data + ": " + std::string(Text(sound)),
                "muster sim replay --plots FILE writes one");
  }
  return WriteAsked(typed_.files.html, PageOf(data)) ? 0 : kExitInternal;
}

int TraceCommands::RunTrace() {
  RunSettings settings{
      .name = StemOf(typed_.trace), .trace = FindTrace(typed_.trace), .sites = typed_.sites};
  settings.seed = typed_.seed;
  settings.cancelled = typed_.cancelled == "enter" ? CancelledRule::kEnter : CancelledRule::kDrop;
  settings.strict = typed_.strict;
  settings.exact = typed_.exact;
  settings.alone = typed_.alone;
  settings.home_first = !typed_.no_home_first;
  settings.keep = typed_.keep;
  settings.accounts = typed_.accounts;
  settings.shares = !typed_.no_shares;
  settings.classes = typed_.classes;
  settings.autonomous = typed_.autonomous;
  settings.estimates = typed_.estimates;
  settings.forecasts = typed_.forecasts;
  settings.ideal = typed_.ideal;
  settings.real_link = typed_.link == "real";
  const auto threshold = Threshold(typed_.threshold);
  if (!threshold.ok()) return Fail("usage", "--threshold " + typed_.threshold, "as in 1h, or inf");
  settings.threshold = *threshold;
  settings.block_max = typed_.block_max;
  settings.packing = typed_.packing;
  settings.home = typed_.home;
  if (typed_.jobs > 0) settings.jobs = typed_.jobs;
  for (const auto& [text, until] : {std::pair(&typed_.from, false), std::pair(&typed_.to, true)}) {
    if (text->empty()) continue;
    const absl::StatusOr<Span> span = ParseDuration(*text);
    if (!span.ok()) return Fail("usage", std::string(Text(span.status())), "as in 30d");
    if (until) {
      settings.until = *span;
    } else {
      settings.from = *span;
    }
  }
  const std::optional<uint32_t> share = Thousandths(typed_.co_allocated);
  if (!share) return Fail("usage", "--co-allocated " + typed_.co_allocated, "as in 10%");
  settings.co_allocated = *share;
  settings.scaled_from = static_cast<int64_t>(typed_.scaled_from);
  if (typed_.load < 0) return Fail("usage", "--load is negative", "as in 0.85");
  if (typed_.load > 0) settings.load = typed_.load;
  settings.backlog = typed_.backlog;
  const std::optional<uint32_t> balanced = Thousandths(typed_.balanced);
  if (!balanced) return Fail("usage", "--balanced " + typed_.balanced, "as in 50%");
  settings.balanced = *balanced;
  const std::optional<uint32_t> recallable = Thousandths(typed_.recallable);
  if (!recallable) return Fail("usage", "--recallable " + typed_.recallable, "as in 50%");
  settings.recallable = *recallable;
  settings.recall = typed_.recall;
  settings.lent_alone = typed_.lent_alone;
  settings.beyond_balance = typed_.beyond_balance;
  settings.apps = typed_.app;
  settings.kept = typed_.kept;
  settings.kept_lent = typed_.kept_lent;
  if (!typed_.fillers.empty()) {
    const absl::StatusOr<Span> fillers = ParseDuration(typed_.fillers);
    if (!fillers.ok()) return Fail("usage", std::string(Text(fillers.status())), "as in 12h");
    settings.fillers = *fillers;
  }
  settings.set = typed_.set;
  settings.placing = typed_.placing;
  absl::StatusOr<ReplayRun> run = RunWithBar(settings, typed_.quiet);
  if (!run.ok()) return Fail("usage", std::string(Text(run.status())));
  std::vector<ReplayRun> runs;
  runs.push_back(*std::move(run));
  const std::string title = runs.front().settings.name;
  return Report(title, runs, typed_.files.None() ? Usual(title) : typed_.files);
}

int TraceCommands::RunComparison(const config::ScenarioConfig& scenario) {
  if (!typed_.files.csv.empty() || !typed_.files.swf.empty()) {
    return Fail("usage", "a comparison keeps no jobs: --json, --html and --plots only");
  }
  ComparisonAxes axes{.sites = scenario.compare->sites, .exact = scenario.compare->exact};
  for (const config::ScenarioPacking& packing : scenario.compare->packings) {
    axes.packings.emplace_back(packing.packing, packing.threshold);
  }
  std::vector<RunSettings> runs;
  for (const config::ScenarioRun& one : scenario.runs) {
    runs.push_back(SettingsOf(one, FindTrace(one.trace, typed_.scenario)));
  }
  std::optional<Bar> bar;
  const auto progress = [&](const RunSettings& settings) {
    bar.emplace(settings.name + " " + settings.sites.front() + " " + settings.packing,
                typed_.quiet);
    return Progress([&bar](size_t done, size_t all) { bar->Draw(done, all); });
  };
  const absl::StatusOr<std::vector<ErrorComparison>> all = CompareAll(runs, axes, progress);
  bar.reset();
  if (!all.ok()) return Fail("config", typed_.scenario + ": " + std::string(Text(all.status())));
  const ReplayFiles files = typed_.files.None() ? Usual(StemOf(typed_.scenario)) : typed_.files;
  const std::string title = scenario.title.empty() ? typed_.scenario : scenario.title;
  if (!files.ToStdout()) std::fputs(ComparisonTable(*all).c_str(), stdout);
  if (!WritePlots(files, [&] { return ComparisonPlots(title, *all); }) ||
      !WriteAsked(files.json, files.json.empty() ? "" : ComparisonJson(*all))) {
    return kExitInternal;
  }
  const bool sound = std::all_of(all->begin(), all->end(),
                                 [](const ErrorComparison& one) { return one.violations.empty(); });
  return sound ? 0 : kExitInternal;
}

int TraceCommands::RunScenario() {
  const auto scenario = config::ReadScenarioConfig(typed_.scenario);
  if (!scenario.ok()) {
    std::fputs(Render(scenario.diagnostic()).c_str(), stderr);
    return kExitUsage;
  }
  if (scenario->compare) return RunComparison(*scenario);
  std::vector<ReplayRun> runs;
  for (const config::ScenarioRun& one : scenario->runs) {
    const RunSettings settings = SettingsOf(one, FindTrace(one.trace, typed_.scenario));
    absl::StatusOr<ReplayRun> run = RunWithBar(settings, typed_.quiet);
    if (!run.ok()) {
      return Fail("config", fmt::format("{}:{}: run '{}': {}", typed_.scenario, one.line, one.name,
                                        std::string(Text(run.status()))));
    }
    runs.push_back(*std::move(run));
  }
  const std::string title = scenario->title.empty() ? typed_.scenario : scenario->title;
  return Report(title, runs, typed_.files.None() ? Usual(StemOf(typed_.scenario)) : typed_.files);
}

}  // namespace muster::sim
