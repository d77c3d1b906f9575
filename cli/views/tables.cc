// The listings: jobs, offers, sites.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"
#include "cli/views/figures.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

constexpr size_t kSitesWidth = 17;    // width of a job's sites, gap included
constexpr size_t kFreeNowWidth = 25;  // width of "4 of 16 cpus, 1 of 2 gpus"

// The remaining time of a started job.
std::string LeftOf(const Json& job, const ViewOptions& options) {
  const auto started = StartedAt(job);
  if (!started || TextAt(job, "state") == "ended") return kNone;
  auto ends = TimeAt(At(job, "figures"), "ends_by");
  if (!ends) ends = *started + Span{static_cast<int64_t>(NumberAt(job, "duration_s").value_or(0))};
  return About(std::max(Span{0}, *ends - options.now));
}

std::string QueueFooter(const Json& document) {
  std::string text = Counted(At(document, "jobs").size(), "job");
  if (const auto yours = NumberAt(document, "yours")) {
    text += fmt::format(", {} yours", static_cast<int64_t>(*yours));
  }
  std::optional<double> oldest;
  for (const Json& site : At(document, "basis")) {
    const auto age = NumberAt(site, "age_s");
    if (age) oldest = std::max(oldest.value_or(0), *age);
  }
  if (oldest) text += " · plans at most " + Age(*oldest) + " old";
  return text + '\n';
}

// "n3-4: job 41", "g1: jobs 37, 42.3": nodes that wait for the same jobs are grouped.
std::string WaitsFor(const Json& reasons, const ViewOptions& options) {
  std::map<std::string, std::vector<std::string>> jobs_of;  // node -> jobs
  std::vector<std::string> nodes;                           // in the order of the reasons
  std::vector<std::string> others;
  if (!reasons.is_array()) return kNone;
  for (const Json& reason : reasons) {
    const Json& subject = At(reason, "subject");
    const std::string job = TextAt(subject, "job");
    if (TextAt(reason, "code") != "job" || job.empty()) {
      std::string text = TextAt(reason, "text");
      others.push_back(text.empty() ? TextAt(reason, "code") : std::move(text));
      continue;
    }
    const std::string node = TextAt(subject, "node");
    auto& jobs = jobs_of[node];
    if (jobs.empty()) nodes.push_back(node);
    if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
  }
  std::vector<std::string> groups;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto& jobs = jobs_of[nodes[i]];
    if (jobs.empty()) continue;  // shown with an earlier node
    std::vector<std::string> alike;
    const std::vector<std::string> same = jobs;
    for (size_t k = i; k < nodes.size(); ++k) {
      if (jobs_of[nodes[k]] != same) continue;
      alike.push_back(nodes[k]);
      jobs_of[nodes[k]].clear();
    }
    const std::string where = NodesShown(alike);
    groups.push_back((where.empty() ? "" : where + ": ") + (same.size() == 1 ? "job " : "jobs ") +
                     Joined(same));
  }
  groups.insert(groups.end(), others.begin(), others.end());
  (void)options;
  return groups.empty() ? kNone : Joined(groups, "; ");
}

// "4 of 16 cpus, 1 of 2 gpus".
std::string FreeNow(const Json& site) {
  const Json& free = At(site, "free");
  const Json& total = At(site, "total");
  if (!free.is_object() || !total.is_object()) return "?";
  std::vector<std::string> words;
  for (const auto& [name, word] : {std::pair{"ncpus", " cpus"}, {"ngpus", " gpus"}}) {
    const auto all = static_cast<int64_t>(NumberAt(total, name).value_or(0));
    if (all == 0) continue;
    const auto now = static_cast<int64_t>(NumberAt(free, name).value_or(0));
    words.push_back(fmt::format("{} of {}{}", now, all, word));
  }
  return words.empty() ? kNone : Joined(words);
}

std::string SiteStateText(const Json& site) {
  const std::string state = TextAt(site, "state");
  const auto age = NumberAt(site, "age_s");
  return state == "silent" && age ? state + " " + Age(*age) : state;
}

Cell OfferStart(const Json& offer, const ViewOptions& options) {
  if (At(offer, "never").is_object()) return Cell("never", Paint::kBad);
  const Json& figures = At(offer, "figures");
  const auto at = TimeAt(At(figures, "starts_by"), "at");
  if (!at) return kNone;
  return ClockTime(*at, options) + "  " + InAbout(*at - options.now);
}

std::string OfferWaits(const Json& offer, const ViewOptions& options) {
  const Json& never = At(offer, "never");
  if (never.is_object()) return TextAt(never, "text");
  const Json& figures = At(offer, "figures");
  if (!TimeAt(At(figures, "starts_by"), "at")) {
    if (std::string why = NoPromiseText(offer, options); !why.empty()) return why;
  }
  return WaitsFor(At(offer, "waits_for"), options);
}

// Of a job that has not ended. On lent room: how it fares there, beside its promise.
std::string OpenState(const Json& job) {
  for (const Json& part : At(job, "parts")) {
    const Json& lent = At(part, "lent");
    if (lent.is_object()) return TextAt(lent, "state") + " (lent)";
  }
  return TextAt(job, "state");
}

}  // namespace

std::string QueueView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "JOB"},
               {.header = "NAME", .shrinks_to = 6},
               {.header = "USER", .shrinks_to = 6},
               {.header = "STATE"},
               {.header = "SITES", .list_width = kSitesWidth},
               {.header = "STARTS BY"},
               {.header = "EXPECTED"},
               {.header = "LEFT", .right = true}});
  for (const Json& job : At(document, "jobs")) {
    const bool ended = TextAt(job, "state") == "ended";
    const bool coming = !ended && !StartedAt(job);
    const Json& figures = At(job, "figures");
    const std::string state = ended ? TextAt(job, "outcome") : OpenState(job);
    const std::vector<std::string> sites = SitesOf(job);
    table.Add({IdOfJob(job), TextAt(job, "name"), TextAt(job, "user"),
               Cell(state, PaintOfState(state)), sites.empty() ? kNone : Joined(sites, " "),
               coming ? StartsByText(figures, options) : kNone,
               coming ? ExpectedText(figures, options) : kNone, LeftOf(job, options)});
  }
  return Finished((table.empty() ? "" : table.Text(options)) + QueueFooter(document), options);
}

std::string AskView(const Json& document, const ViewOptions& options) {
  double confidence = 0.9;
  bool several = false;
  bool priced = false;  // somewhere work is paid for
  for (const Json& offer : At(document, "offers")) {
    priced = priced || At(offer, "cost").is_number_integer();
    several = several || At(offer, "sites").size() > 1;
    confidence =
        NumberAt(At(At(offer, "figures"), "expected"), "confidence_ratio").value_or(confidence);
  }
  std::vector<Column> columns{{.header = several ? "SITES" : "SITE"},
                              {.header = "STARTS BY"},
                              {.header = "EXPECTED"},
                              {.header = WholePercent(confidence)},
                              {.header = "ENDS BY"}};
  if (priced) columns.push_back({.header = "COST", .right = true});
  columns.push_back({.header = "WAITS FOR"});
  Table table(std::move(columns));
  for (const Json& offer : At(document, "offers")) {
    const Json& cost = At(offer, "cost");
    const Json& figures = At(offer, "figures");
    const auto ends = TimeAt(figures, "ends_by");
    std::vector<Cell> cells{Joined(TextsAt(offer, "sites"), " "), OfferStart(offer, options),
                            ExpectedText(figures, options), IntervalText(figures, options),
                            ends ? ClockTime(*ends, options) : kNone};
    if (priced) {
      cells.emplace_back(cost.is_number_integer() ? CreditsText(cost.get<int64_t>()) : kNone);
    }
    cells.emplace_back(OfferWaits(offer, options));
    table.Add(std::move(cells));
  }
  return Finished(table.Text(options) + "Nothing was submitted; a quote binds nobody.\n", options);
}

std::string SitesView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "SITE"},
               {.header = "STATE"},
               {.header = "NODES", .right = true},
               {.header = "FREE NOW", .list_width = kFreeNowWidth},
               {.header = "DRIVER"},
               {.header = "ANSWERED"},
               {.header = "KEPT 30d"}});
  std::vector<std::string> kept;
  size_t kept_width = 0;
  for (const Json& site : At(document, "sites")) {
    const auto ratio = NumberAt(site, "kept_ratio");
    kept.push_back(ratio ? Percent(*ratio) : kNone);
    if (ratio) kept_width = std::max(kept_width, Columns(kept.back()));
  }
  size_t row = 0;
  for (const Json& site : At(document, "sites")) {
    const std::string state = SiteStateText(site);
    const auto nodes = NumberAt(site, "nodes");
    const auto age = NumberAt(site, "age_s");
    std::string ratio = kept[row++];
    // Figures are right-aligned; a dash is left-aligned.
    if (ratio != kNone) ratio.insert(0, kept_width - Columns(ratio), ' ');
    const std::string driver = TextAt(site, "driver");
    table.Add({TextAt(site, "name"), Cell(state, PaintOfState(state)),
               nodes ? std::to_string(static_cast<int64_t>(*nodes)) : "?", FreeNow(site),
               driver.empty() ? "?" : driver, age ? Age(*age) : "never", ratio});
  }
  return Finished(table.Text(options), options);
}

}  // namespace muster::cli::views
