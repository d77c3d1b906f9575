// Reads a scenario: [defaults] into a run, then every [[run]] on a copy of it.
#include "base/config/scenario_config.h"

#include <cmath>
#include <set>

#include "base/config/document.h"
#include "base/text/node_set.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr int64_t kMost = int64_t{1} << 40;
constexpr Span kLongestRun{int64_t{100} * 366 * 86400};

// Reads "inf" or a duration.
void ReadThreshold(const Value& value, std::optional<Span>& threshold) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return;
  threshold.reset();
  if (*text == "inf") return;
  if (const auto span = value.AsSpan(Span{0}, kLongestRun)) threshold = *span;
}

// Reads "ffih*:1h" or "fcfs*:inf".
void ReadPacking(const Value& value, std::vector<ScenarioPacking>& out) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return;
  const size_t colon = text->find(':');
  const std::string threshold = colon == std::string::npos ? "" : text->substr(colon + 1);
  ScenarioPacking packing{.packing = text->substr(0, colon)};
  if (threshold != "inf") {
    const absl::StatusOr<Span> span = ParseDuration(threshold);
    if (!span.ok() || *span < Span{0} || *span > kLongestRun) {
      return value.Report("'" + *text + "' is no packing with its threshold", "",
                          {"as in packings = [\"fcfs*:inf\", \"ffih*:1h\"]"});
    }
    packing.threshold = *span;
  }
  out.push_back(std::move(packing));
}

void ReadSiteNames(const Value& value, std::vector<std::string>& sites) {
  if (!value) return;
  sites.clear();
  for (const Value& one : value.AsList()) {
    if (const auto text = one.AsText()) sites.push_back(*text);
  }
  if (sites.empty()) value.Report("no sites", "", {"as in sites = [\"lakes=flat:430\"]"});
}

void ReadTexts(const Value& value, std::vector<std::string>& texts) {
  if (!value) return;
  texts.clear();
  for (const Value& one : value.AsList()) {
    if (const auto text = one.AsText()) texts.push_back(*text);
  }
}

// Reads "30%" as 0.3.
void ReadShare(const Value& value, double& share) {
  if (const auto percent = value.AsPercent(0, 100)) share = *percent / 100.0;
}

void ReadLoad(const Value& value, std::optional<double>& load) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return;
  char* end = nullptr;
  const double number = std::strtod(text->c_str(), &end);
  if (end != text->c_str() + text->size() || !(number > 0) || number > 10) {
    value.Report("'" + *text + "' is no offered load", "", {"as in load = \"0.85\""});
    return;
  }
  load = number;
}

// Reads a node set as jobs ask for it.
void ReadSet(const Value& value, std::string& set) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return;
  const Diagnosed<NodeSet> parsed = text::ParseNodeSet(*text);
  if (!parsed.ok()) return value.ReportInside(parsed.diagnostic());
  set = *text;
}

void ReadModel(Section section, std::optional<ScenarioModel>& model) {
  if (!section.present()) return;
  ScenarioModel out;
  Set(out.kind, section.Get("kind").AsChoice({"all", "batch", "interactive"}));
  Set(out.jobs, section.Get("jobs").AsInteger(1, 100'000'000));
  Set(out.processors, section.Get("processors").AsInteger(2, 1 << 24));
  Set(out.homes, section.Get("homes").AsInteger(1, 1000));
  section.Finish();
  model = out;
}

void ReadComparison(Section section, std::optional<ScenarioComparison>& compare) {
  if (!section.present()) return;
  ScenarioComparison out;
  ReadSiteNames(section.Need("sites"), out.sites);
  const Value packings = section.Need("packings");
  const std::vector<Value> named = packings.AsList();
  if (packings && named.empty()) packings.Report("no packings");
  for (const Value& one : named) ReadPacking(one, out.packings);
  const Value times = section.Need("times");
  const std::vector<Value> kinds = times.AsList();
  if (times && kinds.empty()) times.Report("no times");
  for (const Value& one : kinds) {
    if (const auto kind = one.AsChoice({"exact", "requested"})) {
      out.exact.push_back(*kind == "exact");
    }
  }
  section.Finish();
  compare = std::move(out);
}

void ReadSettings(Section& section, ScenarioRun& run) {
  const Value trace = section.Get("trace");
  if (const auto text = trace.AsText()) {
    run.trace = *text;
    run.model.reset();
  }
  Section lublin = section.GetSection("lublin");
  if (trace && lublin.present()) trace.Report("a trace and [lublin]: one of them");
  if (lublin.present()) run.trace.clear();
  ReadModel(std::move(lublin), run.model);
  ReadSiteNames(section.Get("sites"), run.sites);
  Set(run.seed, section.Get("seed").AsInteger(0, kMost));
  Set(run.cancelled, section.Get("cancelled").AsChoice({"drop", "enter"}));
  Set(run.strict, section.Get("strict").AsBool());
  Set(run.exact, section.Get("exact").AsBool());
  ReadThreshold(section.Get("threshold"), run.threshold);
  Set(run.block_max, section.Get("block_max").AsInteger(1, 1000));
  Set(run.packing, section.Get("packing").AsText());
  Set(run.home, section.Get("home").AsText());
  Set(run.alone, section.Get("alone").AsBool());
  Set(run.home_first, section.Get("home_first").AsBool());
  ReadTexts(section.Get("keep"), run.keep);
  ReadTexts(section.Get("accounts"), run.accounts);
  Set(run.shares, section.Get("shares").AsBool());
  Set(run.classes, section.Get("classes").AsBool());
  if (const auto jobs = section.Get("jobs").AsInteger(1, kMost)) run.jobs = *jobs;
  Set(run.from, section.Get("from").AsSpan(Span{0}, kLongestRun));
  if (const auto until = section.Get("to").AsSpan(Span{1}, kLongestRun)) run.until = *until;
  ReadShare(section.Get("co_allocated"), run.co_allocated);
  Set(run.scaled_from, section.Get("scaled_from").AsInteger(1, kMost));
  ReadLoad(section.Get("load"), run.load);
  Set(run.backlog, section.Get("backlog").AsBool());
  ReadShare(section.Get("balanced"), run.balanced);
  ReadShare(section.Get("recallable"), run.recallable);
  Set(run.recall, section.Get("recall").AsChoice({"no", "requeue", "checkpoint", "suspend"}));
  Set(run.lent_alone, section.Get("lent_alone").AsBool());
  if (const auto beyond = section.Get("beyond_balance").AsChoice({"promise", "lend"})) {
    run.beyond_balance = *beyond == "lend";
  }
  Set(run.apps, section.Get("apps").AsPath());
  Set(run.fillers, section.Get("fillers").AsSpan(Span{60}, kLongestRun));
  Set(run.kept, section.Get("kept").AsInteger(0, 100));
  Set(run.kept_lent, section.Get("kept_lent").AsBool());
  ReadSet(section.Get("set"), run.set);
  Set(run.against, section.Get("against").AsText());
  Set(run.placing, section.Get("placing").AsChoice({"fastest", "random", "partitions"}));
  if (const auto scheduler = section.Get("scheduler").AsChoice({"verified", "autonomous"})) {
    run.autonomous = *scheduler == "autonomous";
  }
  Set(run.estimates, section.Get("estimates").AsBool());
  Set(run.forecasts, section.Get("forecasts").AsInteger(0, kMost));
  const Value ideal = section.Get("ideal");
  Set(run.ideal, ideal.AsBool());
  if (const auto link = section.Get("link").AsChoice({"ideal", "real"})) {
    run.real_link = *link == "real";
  }
  if (run.ideal && run.real_link) {
    section.Report("ideal times over a real link",
                   {"ideal = true is for comparing with simulators in which nothing takes time"});
  }
}

}  // namespace

Diagnosed<ScenarioConfig> ParseScenarioConfig(const std::string& path, std::string_view text) {
  Document document(path, text);
  if (document.error()) return *document.error();
  ScenarioConfig out;
  Section root(document);
  Set(out.title, root.Get("title").AsText());
  ScenarioRun defaults;
  Section section = root.GetSection("defaults");
  if (section.present()) {
    ReadSettings(section, defaults);
    section.Finish();
  }
  ReadComparison(root.GetSection("compare"), out.compare);
  std::set<std::string> names;
  for (Section& one : root.GetSections("run")) {
    ScenarioRun run = defaults;
    run.line = one.line();
    Set(run.name, one.Need("name").AsText());
    ReadSettings(one, run);
    if (run.trace.empty() && !run.model) one.Report("neither a trace nor [run.lublin]");
    if (run.sites.empty() && !out.compare)
      one.Report("no sites", {"as in sites = [\"lakes=flat:430\"]"});
    if (!names.insert(run.name).second) one.Report("another run is called '" + run.name + "'");
    one.Finish();
    out.runs.push_back(std::move(run));
  }
  root.Finish();
  for (const ScenarioRun& run : out.runs) {
    if (run.against.empty() || names.contains(run.against)) continue;
    document.ReportFile("run '" + run.name + "' is against '" + run.against + "', which is no run");
  }
  if (out.runs.empty()) document.ReportFile("no [[run]]", {"every [[run]] is one replay"});
  if (document.error()) return *document.error();
  return out;
}

Diagnosed<ScenarioConfig> ReadScenarioConfig(const std::string& path) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseScenarioConfig(path, *text);
}

}  // namespace muster::config
