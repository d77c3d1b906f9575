// muster-sim: the virtual world from the command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

#include "base/units.h"
#include "sim/again/command.h"
#include "sim/campaign.h"
#include "sim/forecast/command.h"
#include "sim/path_coverage.h"
#include "sim/replay/replay_command.h"
#include "sim/replay/site_report.h"
#include "sim/replay/swf.h"
#include "sim/script/command.h"
#include "sim/whatif/command.h"

namespace muster::sim {
namespace {

int Report(const CampaignOptions& options, const CampaignResult& result) {
  std::printf(
      "seed %llu  faults %s  %zu requests, %zu ended well  %llu starts  %llu turns  %llu messages  "
      "%llu crash points, %llu crashes, %llu reloads  digest %.12s\n",
      static_cast<unsigned long long>(options.seed), ToText(options.faults).c_str(),
      result.acknowledged, result.ended_well, static_cast<unsigned long long>(result.counts.starts),
      static_cast<unsigned long long>(result.counts.turns),
      static_cast<unsigned long long>(result.counts.messages),
      static_cast<unsigned long long>(result.counts.crash_points),
      static_cast<unsigned long long>(result.counts.crashes),
      static_cast<unsigned long long>(result.counts.reloads), result.digest.c_str());
  if (!options.bad_site.empty()) {
    std::printf(
        "  %s told %llu lies and was quarantined %llu times; %zu of %zu requests apart "
        "from it are open\n",
        options.bad_site.c_str(), static_cast<unsigned long long>(result.counts.lies),
        static_cast<unsigned long long>(result.counts.quarantines), result.apart_open,
        result.apart);
  }
  if (options.moves || options.reservations || options.rules) {
    std::printf("  %s\n", ToText(result.path_counts).c_str());
  }
  std::printf("  idle node-seconds: %s\n", ToText(result.idle).c_str());
  if (options.told > 0) std::printf("  told: %s\n", ToText(result.told).c_str());
  for (const std::string& wrong : result.told_wrong) std::printf("  not so: %s\n", wrong.c_str());
  for (const std::string& violation : result.violations)
    std::printf("  broken: %s\n", violation.c_str());
  if (!result.violations.empty()) std::printf("  again: %s\n", ReplayCommand(options).c_str());
  std::fflush(stdout);
  return result.violations.empty() ? 0 : 1;
}

CLI::App* AddSite(CLI::App& app, SiteReplayOptions& replay) {
  CLI::App* site = app.add_subcommand("site", "a trace through one site, its plan checked");
  site->add_option("--trace", replay.trace, "SWF file, plain or gzipped")->required();
  site->add_option("--nodes", replay.nodes, "as in 616x16 or 20x80:512gb,48x12");
  site->add_option("--machines", replay.machines, "machine file; else the one beside the trace");
  site->add_option("--resources", replay.resources, "resource file; else the one beside the trace");
  site->add_option("--day", replay.day, "of the trace, from 0; the busiest if this is not given");
  site->add_option("--jobs", replay.jobs, "at most so many, the first ones");
  site->add_option("--turnover", replay.turnover.seconds, "seconds before each booking");
  site->add_flag("--strict", replay.strict, "refuse a trace that is not sorted by submission");
  return site;
}

int Replay(SiteReplayOptions options) {
  options.trace = FindTrace(options.trace);
  const absl::StatusOr<SiteReport> report = ReplayTrace(options);
  if (!report.ok()) {
    std::fprintf(stderr, "muster: error[usage]: %s\n", std::string(Text(report.status())).c_str());
    return 2;
  }
  std::fputs(ToText(*report).c_str(), stdout);
  return report->result.violations.empty() ? 0 : 1;
}

// Arguments of `world`, as typed.
struct WorldArguments {
  CampaignOptions options;
  std::string faults;  // empty: "all", or "none" with --calm
  uint64_t runs = 1;
  uint64_t crash_at = 0;
  std::string trace;
  std::string threshold = "inf";
  std::string idle;  // empty: the default of CampaignOptions
  bool honest = false;
};

void AddWorld(CLI::App& app, WorldArguments& given) {
  CampaignOptions& options = given.options;
  CLI::App* world =
      app.add_subcommand("world", "a federation of three sites under faults, judged by checkers");
  world->add_option("--seed", options.seed, "of the first run; the others count up");
  world->add_option("--runs", given.runs, "how many");
  world->add_option("--faults", given.faults, "none, lost, crash or all; all if not given");
  world->add_option("--requests", options.requests, "of one run");
  world->add_option("--threshold", given.threshold, "of extraction: 0s, 30s, 1h, ... or inf");
  world->add_flag("--drains", options.drains, "operators drain and resume nodes");
  world->add_flag("--reservations", options.reservations, "some requests reserve");
  world->add_flag("--rules", options.rules, "sites have limits, pools and licences");
  world->add_flag("--speeds", options.speeds, "sites that are not equally fast");
  world->add_flag("--sets", options.sets,
                  "nodes of several speeds in two racks; parts and sites ask for node sets");
  world->add_flag("--neighbours", options.neighbours,
                  "with --moves: users of the sites themselves alter their jobs too");
  world->add_flag("--moves", options.moves,
                  "requests are altered, extended and resized; nodes are lost; sites have users");
  world->add_flag("--policy", options.policy,
                  "those who wait are ordered by points, and what gives them is changed");
  world->add_flag("--outside", options.outside,
                  "machines have users of their own, walls, commons, and are not always seen");
  world->add_flag("--reloads", options.reloads, "sites read their configuration again");
  world->add_flag("--lent", options.lent,
                  "with --policy: sites lend idle room to jobs that may be recalled");
  world->add_flag("--shapes", options.shapes,
                  "sites are a torus, a mesh and a cube: parts have whole partitions");
  world->add_option("--bad-site", options.bad_site, "a site that lies: hills, lakes or woods")
      ->check(CLI::IsMember({"hills", "lakes", "woods"}));
  world->add_flag("--honest", given.honest, "the bad site does not lie: what it is compared with");
  world->add_flag("--calm", options.calm,
                  "no faults, every start succeeds, jobs end early: no node may idle");
  world->add_flag("--hours", options.hours, "jobs last sixty times as long: starts lie far apart");
  world->add_option("--told", options.told,
                    "of 1,000 looks, one in 5 s: so many answers are tried out in a copy");
  world->add_option("--idle", given.idle,
                    "idle nodes that are violations: all, none, or of home,elsewhere,gated,joint");
  world->add_flag("--again", options.again,
                  "every daemon's turns are recorded and then taken again");
  world->add_option("--crash-at", given.crash_at, "crash at exactly this crash point");
  world->add_option("--rebuild-every", options.rebuild_every,
                    "batches from one comparison with a rebuilt core to the next; 0: none");
  world->add_option("--trace", given.trace, "EPOCH.NUMBER: print what is said about this attempt");
  world->add_option("--story", options.story,
                    "a job, as in 42, 27[3] or lakes/17: print what is on record of it");
}

// Checks the arguments and fills in the options. Returns what is wrong; empty if nothing is.
std::string Understand(WorldArguments& given) {
  CampaignOptions& options = given.options;
  options.lies = !given.honest;
  if (!given.trace.empty()) {
    unsigned long long epoch = 0;
    unsigned long long number = 0;
    if (std::sscanf(given.trace.c_str(), "%llu.%llu", &epoch, &number) != 2) {
      return "--trace " + given.trace + "\n  help: as in 1.17";
    }
    options.trace = Fence{{epoch}, number};
  }
  if (given.threshold != "inf") {
    const absl::StatusOr<Span> span = ParseDuration(given.threshold);
    if (!span.ok()) return "--threshold " + given.threshold + "\n  help: as in 30s, 1h or inf";
    options.threshold = *span;
  }
  if (given.faults.empty()) given.faults = options.calm ? "none" : "all";
  const std::optional<FaultKind> kind = ParseFaultKind(given.faults);
  if (!kind) return "--faults " + given.faults + "\n  help: none, lost, crash or all";
  options.faults = *kind;
  if (!given.idle.empty()) {
    const std::optional<IdleKinds> kinds = ParseIdleKinds(given.idle);
    if (!kinds) {
      return "--idle " + given.idle + "\n  help: all, none, or of home,elsewhere,gated,joint";
    }
    options.idle = *kinds;
  }
  if (given.crash_at > 0) options.crash_at = given.crash_at;
  const bool disturbed = options.drains || options.moves || options.crash_at || options.threshold ||
                         !options.bad_site.empty();
  if (options.calm && (disturbed || *kind != FaultKind::kNone)) {
    return "--calm: nothing may go wrong then\n  help: --faults none, and none of --drains, "
           "--moves, --threshold, --bad-site, --crash-at";
  }
  if (options.sets && options.shapes) {
    return "--sets: on a machine with a geometry parts have partitions, and name no sets\n"
           "  help: --sets or --shapes";
  }
  if (options.lent && !options.policy) {
    return "--lent: a QoS says under which terms a job may be recalled\n  help: --policy --lent";
  }
  return "";
}

int RunWorld(WorldArguments& given) {
  const std::string wrong = Understand(given);
  if (!wrong.empty()) {
    std::fprintf(stderr, "muster: error[usage]: %s\n", wrong.c_str());
    return 2;
  }
  int worst = 0;
  size_t broken = 0;
  IdleCounts idle;
  ToldCounts told;
  for (uint64_t run = 0; run < given.runs; ++run, ++given.options.seed) {
    const CampaignResult result = RunCampaign(given.options);
    const int status = Report(given.options, result);
    idle += result.idle;
    told += result.told;
    worst = std::max(worst, status);
    broken += status != 0 ? 1 : 0;
  }
  if (given.runs > 1) {
    std::printf("%llu runs, %zu of them broken\n", static_cast<unsigned long long>(given.runs),
                broken);
    std::printf("idle node-seconds: %s\n", ToText(idle).c_str());
    if (given.options.told > 0) std::printf("told: %s\n", ToText(told).c_str());
  }
  return worst;
}

int Main(int argc, char** argv) {
  CLI::App app{"muster-sim: the real cores in a virtual world"};
  app.require_subcommand(1);
  WorldArguments world;
  AddWorld(app, world);
  SiteReplayOptions replay;
  CLI::App* site = AddSite(app, replay);
  TraceCommands replays(app);
  ForecastCommand forecast;
  AddForecast(app, forecast);
  ScriptCommand script;
  AddScript(app, script);
  AgainCommand again;
  AddAgain(app, again);
  WhatIfCommand what_if;
  AddWhatIf(app, what_if);
  CLI11_PARSE(app, argc, argv);
  if (what_if.app->parsed()) return RunWhatIf(what_if);
  if (script.app->parsed()) return RunScript(script);
  if (again.app->parsed()) return RunAgain(again);
  if (forecast.app->parsed()) return RunForecast(forecast);
  if (replays.parsed()) return replays.Run();
  return site->parsed() ? Replay(replay) : RunWorld(world);
}

}  // namespace
}  // namespace muster::sim

int main(int argc, char** argv) { return muster::sim::Main(argc, argv); }
