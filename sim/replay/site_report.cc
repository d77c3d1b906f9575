// Files next to the trace are found by its name: CERIT-wagap-2013.swf.gz has
// CERIT-wagap-2013.machines.tsv and CERIT-wagap-2013-resources.tsv.gz.
#include "sim/replay/site_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace muster::sim {
namespace {

std::string Stem(std::string path) {
  for (const char* suffix : {".gz", ".swf"}) {
    if (path.ends_with(suffix)) path.resize(path.size() - std::string(suffix).size());
  }
  return path;
}

std::string Beside(const std::string& given, const std::string& found) {
  if (!given.empty() || !std::filesystem::exists(found)) return given;
  return found;
}

absl::StatusOr<std::vector<site::Node>> NodesOf(const SiteReplayOptions& options) {
  if (!options.nodes.empty()) return NodesFromText(options.nodes);
  const std::string path = Beside(options.machines, Stem(options.trace) + ".machines.tsv");
  if (path.empty()) {
    return InvalidArgument("no machine file is beside " + options.trace +
                           ": say --nodes 616x16 or --machines FILE");
  }
  MUSTER_ASSIGN_OR_RETURN(const std::string text, ReadPacked(path));
  return NodesFromFile(path, text);
}

std::string Counts(const std::map<std::string, size_t>& counts) {
  std::string out;
  for (const auto& [name, count] : counts) out += fmt::format("  {} {}", count, name);
  return out.empty() ? "  none" : out;
}

double Mean(int64_t sum, size_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace

absl::StatusOr<SiteReport> ReplayTrace(const SiteReplayOptions& options) {
  MUSTER_ASSIGN_OR_RETURN(const std::string text, ReadPacked(options.trace));
  MUSTER_ASSIGN_OR_RETURN(const SwfTrace trace,
                          ParseSwf(options.trace, text, {.strict = options.strict}));
  if (trace.jobs.empty()) return InvalidArgument(options.trace + " has no job that ran");
  MUSTER_ASSIGN_OR_RETURN(std::vector<site::Node> nodes, NodesOf(options));
  ResourceFile resources;
  const std::string path = Beside(options.resources, Stem(options.trace) + "-resources.tsv.gz");
  // With --nodes the resource file beside the trace is not used: it names kinds of nodes that those
  // nodes do not have.
  if (!path.empty() && (options.nodes.empty() || !options.resources.empty())) {
    MUSTER_ASSIGN_OR_RETURN(const std::string rows, ReadPacked(path));
    MUSTER_ASSIGN_OR_RETURN(resources, ReadResourceFile(path, rows, nodes));
  }
  Selection selection{options.day, options.jobs};
  if (!selection.day && !selection.jobs) selection.day = BusiestDay(trace);
  const SiteWorkload workload = MakeSiteWorkload(trace, resources, selection);
  SiteReport report{.trace = trace.counts,
                    .day = selection.day,
                    .words_ignored = resources.words_ignored,
                    .nodes = nodes.size(),
                    .running = workload.running,
                    .waiting = workload.waiting};
  site::Options site{.name = "site", .boot_id = "boot-1", .nodes = std::move(nodes)};
  site.driver = "simulated";
  site.facts.turnover = options.turnover;
  site.facts.start_slack = {0};
  site.first_port = 1024;  // a wide range: each live part takes a port
  site.last_port = 65535;
  report.result = ReplayAtSite(std::move(site), workload);
  return report;
}

std::string ToText(const SiteReport& report) {
  const ReplayResult& r = report.result;
  std::string out = fmt::format(
      "trace      {} lines, {} cancelled before they ran, {} ran 0 s, {} overran, {} without a "
      "requested time, {} without requested processors, {} unsorted, {} words ignored\n",
      report.trace.lines, report.trace.cancelled, report.trace.instant, report.trace.overran,
      report.trace.no_request, report.trace.no_processors, report.trace.unsorted,
      report.words_ignored);
  out += fmt::format(
      "replayed   {}{} jobs on {} nodes: {} running and {} waiting at first, {} arriving\n",
      report.day ? fmt::format("day {}: ", *report.day) : "", r.submitted, report.nodes,
      report.running, report.waiting, r.submitted - report.running - report.waiting);
  out += fmt::format("refused  {}\nended    {}\n", Counts(r.refused), Counts(r.outcomes));
  out += fmt::format(
      "plan       {} changes, at most {} bookings at once, {} checks, {} moved earlier, {} turns\n",
      r.plan_changes, r.most_booked, r.checks, r.backfilled, r.turns);
  out += fmt::format("promises   {} kept of {}, late{}\n", r.kept, r.started, Counts(r.late));
  out += fmt::format(
      "earlier    {} of {} before their first promise, by {:.0f} s in the mean, {} s at most\n",
      r.earlier, r.started, Mean(r.earlier_sum_s, r.earlier), r.earlier_most_s);
  out += fmt::format(
      "waited     {:.0f} s in the mean, {} s at most; {:.1f} % of the processors used in {:.1f} "
      "d\n",
      Mean(r.waited_sum_s, r.started), r.waited_most_s, 100 * r.utilisation,
      static_cast<double>(r.lasted.milliseconds) / 86400000);
  out += fmt::format("violations {}\n", r.violations.size());
  for (const std::string& violation : r.violations) out += "  broken: " + violation + "\n";
  return out;
}

}  // namespace muster::sim
