// Each run of a scenario reads its trace anew: that takes a second, compared with minutes for the
// run.
#include "sim/replay/replay_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "meta/search/packing/algorithm.h"
#include "sim/replay/autonomous_replay.h"
#include "sim/replay/node_speeds.h"
#include "sim/replay/replay_times.h"
#include "sim/replay/shares_of_a_whole.h"
#include "sim/replay/site_text.h"

namespace muster::sim {
namespace {

absl::StatusOr<std::vector<ReplaySite>> SitesOf(const RunSettings& settings) {
  if (settings.sites.empty()) return InvalidArgument("no site; as in --site lakes=flat:430");
  std::vector<ReplaySite> out;
  std::set<std::string> names;
  for (const std::string& text : settings.sites) {
    MUSTER_ASSIGN_OR_RETURN(ReplaySite site, SiteFromText(text));
    if (settings.ideal) MakeIdeal(site.site);
    if (!names.insert(site.site.name).second) {
      return InvalidArgument("site '" + site.site.name + "' is there twice");
    }
    out.push_back(std::move(site));
  }
  return out;
}

absl::StatusOr<SwfTrace> TraceOf(const RunSettings& settings) {
  if (settings.trace.empty()) {
    if (!settings.model) return InvalidArgument("neither a trace nor a model");
    return LublinTrace(*settings.model, settings.seed);
  }
  MUSTER_ASSIGN_OR_RETURN(const std::string text, ReadPacked(settings.trace));
  const SwfRules rules{.strict = settings.strict,
                       .keep_cancelled = settings.cancelled == CancelledRule::kEnter};
  MUSTER_ASSIGN_OR_RETURN(SwfTrace trace, ParseSwf(settings.trace, text, rules));
  if (trace.jobs.empty()) return InvalidArgument(settings.trace + " has no job that ran");
  return trace;
}

absl::StatusOr<HomeRule> HomeOf(const RunSettings& settings, const std::vector<ReplaySite>& sites) {
  HomeRule out;
  if (settings.home == "partition") return out;
  out.by_partition = false;
  if (settings.home == "none") return out;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].site.name == settings.home) out.site = i;
  }
  if (out.site) return out;
  std::string names;
  for (const ReplaySite& site : sites) names += ", " + site.site.name;
  return InvalidArgument("home '" + settings.home + "': no such site; partition, none" + names);
}

// The share of the jobs of each home that is kept, in thousandths.
absl::StatusOr<std::map<size_t, uint32_t>> KeepOf(const RunSettings& settings,
                                                  const std::vector<ReplaySite>& sites) {
  std::map<size_t, uint32_t> out;
  for (const std::string& text : settings.keep) {
    const size_t sign = text.find('=');
    const std::optional<uint32_t> share =
        sign == std::string::npos ? std::nullopt : Thousandths(text.substr(sign + 1));
    const auto site = std::find_if(sites.begin(), sites.end(), [&](const ReplaySite& one) {
      return one.site.name == text.substr(0, sign);
    });
    if (!share || site == sites.end()) {
      return InvalidArgument("keep '" + text + "': as in " + sites.front().site.name + "=20%");
    }
    out[static_cast<size_t>(site - sites.begin())] = *share;
  }
  return out;
}

absl::StatusOr<meta::Options> MetaOf(const RunSettings& settings) {
  meta::Options out{.federation = "replay"};
  // The pinned packing; none if the vote decides.
  out.packing = packing::ParseAlgorithm(settings.packing);
  if (!out.packing && settings.packing != "auto") {
    return InvalidArgument("packing '" + settings.packing + "'; there are auto, " +
                           packing::AlgorithmNames());
  }
  out.threshold = settings.threshold;
  out.block_max = settings.block_max;
  out.seed = settings.seed;
  out.home_first = settings.home_first;
  if (settings.ideal) out.values = IdealValues();
  return out;
}

LentRules LentOf(const RunSettings& settings) {
  return {.recallable = settings.recallable,
          .recall = settings.recall,
          .alone = settings.lent_alone,
          .seed = settings.seed};
}

// The trace is discarded afterwards, since it is large.
absl::StatusOr<FederationWorkload> WorkloadOf(const RunSettings& settings,
                                              const std::vector<ReplaySite>& sites) {
  if (settings.backlog && settings.load) {
    return InvalidArgument("a backlog and an offered load: one of them");
  }
  WorkloadRules rules{.exact = settings.exact,
                      .from = settings.from,
                      .until = settings.until,
                      .jobs = settings.jobs,
                      .alone = settings.alone,
                      .co_allocated = settings.co_allocated,
                      .scaled_from = settings.scaled_from,
                      .load = settings.load,
                      .backlog = settings.backlog,
                      .seed = settings.seed};
  MUSTER_ASSIGN_OR_RETURN(rules.home, HomeOf(settings, sites));
  MUSTER_ASSIGN_OR_RETURN(rules.keep, KeepOf(settings, sites));
  MUSTER_ASSIGN_OR_RETURN(const SwfTrace trace, TraceOf(settings));
  return MakeWorkload(trace, sites, rules);
}

}  // namespace

absl::StatusOr<ReplayRun> PrepareReplay(RunSettings settings) {
  ReplayRun run;
  MUSTER_ASSIGN_OR_RETURN(run.sites, SitesOf(settings));
  MUSTER_ASSIGN_OR_RETURN(run.workload, WorkloadOf(settings, run.sites));
  MUSTER_ASSIGN_OR_RETURN(const auto accounts, ParseAccounts(settings.accounts));
  GiveAccounts(run.workload.jobs, accounts, settings.seed);
  MUSTER_RETURN_IF_ERROR(GiveContracts(LentOf(settings), run.workload.jobs, run.sites));
  if (!settings.apps.empty()) {
    const Diagnosed<config::AppsConfig> apps = config::ReadAppsConfig(settings.apps);
    if (!apps.ok()) return InvalidArgument(Render(apps.diagnostic()));
    GiveApps(*apps, run.workload.jobs);
    run.apps_known = std::make_shared<const config::AppsConfig>(*apps);
  }
  if (settings.beyond_balance) LendBeyondBalances(run.sites);
  KeepForInteractive(settings.kept, settings.kept_lent, run.sites);
  NodeSetRules rules{.balanced = settings.balanced, .set = settings.set, .seed = settings.seed};
  MUSTER_ASSIGN_OR_RETURN(rules.placing, ParsePlacing(settings.placing));
  MUSTER_RETURN_IF_ERROR(GiveSets(rules, run.sites, run.workload));
  run.settings = std::move(settings);
  return run;
}

absl::Status Play(ReplayRun& run, const Progress& progress) {
  if (run.settings.ideal && run.settings.real_link) {
    return InvalidArgument("ideal times with a real link: one of them");
  }
  if (run.settings.autonomous && HaveSpeeds(run.sites)) {
    return InvalidArgument("the autonomous scheduler knows no speeds of nodes: verified only");
  }
  if (run.settings.autonomous && run.settings.recall != "no") {
    return InvalidArgument("the autonomous scheduler lends nothing: verified only");
  }
  if (run.settings.autonomous && run.apps_known) {
    return InvalidArgument("the autonomous scheduler knows no programs: verified only");
  }
  if (run.settings.fillers > Span{0} && run.settings.recall == "no") {
    return InvalidArgument("fillers are recalled: by requeue or by checkpoint");
  }
  MUSTER_ASSIGN_OR_RETURN(meta::Options meta, MetaOf(run.settings));
  MUSTER_ASSIGN_OR_RETURN(const auto accounts, ParseAccounts(run.settings.accounts));
  TellMeta(meta, accounts, run.settings.shares);
  TellMeta(LentOf(run.settings), meta);
  const FillerRules fillers{.runs = run.settings.fillers, .way = run.settings.recall};
  TellMeta(fillers, meta);
  FederationReplayOptions options{.meta = meta,
                                  .sites = run.sites,
                                  .classes = run.settings.classes,
                                  .estimates = run.settings.estimates,
                                  .forecasts = run.settings.forecasts,
                                  .fillers = fillers};
  if (run.apps_known) options.applications = ApplicationsOf(*run.apps_known, run.workload.jobs);
  if (run.settings.ideal) options.start_delay_most = {0};
  if (run.settings.real_link) options.link.emplace();
  const size_t all = run.workload.jobs.size();
  if (progress) options.progress = [&progress, all](size_t done) { progress(done, all); };
  if (run.settings.autonomous) {
    MUSTER_ASSIGN_OR_RETURN(run.result, ReplayAutonomous(options, run.workload.jobs));
  } else {
    run.result = ReplayFederation(std::move(options), run.workload.jobs);
  }
  run.figures = Measure(run.sites, run.workload.jobs, run.result);
  run.accounts = MeasureAccounts(accounts, run.workload.jobs, run.result);
  if (run.settings.recallable > 0) run.lent = MeasureLent(run.workload.jobs, run.result);
  if (fillers.IsOn() && !run.workload.jobs.empty()) {
    run.fillers = MeasureFillers(run.sites, CoreOf(run.workload.jobs), run.figures.utilisation,
                                 run.result.fillers);
  }
  if (run.apps_known) run.apps = MeasureApps(*run.apps_known, run.workload.jobs, run.result);
  if (HaveSpeeds(run.sites)) run.speeds = MeasureSpeeds(run.sites, run.workload.jobs, run.result);
  return absl::OkStatus();
}

absl::StatusOr<ReplayRun> RunReplay(RunSettings settings, const Progress& progress) {
  MUSTER_ASSIGN_OR_RETURN(ReplayRun run, PrepareReplay(std::move(settings)));
  MUSTER_RETURN_IF_ERROR(Play(run, progress));
  return run;
}

}  // namespace muster::sim
