// Reads a script: first the daemons and the user, then the commands to run.
#include "base/config/script_config.h"

#include <set>
#include <utility>

#include "base/config/document.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr BootSpan kLongestScript = Seconds(24 * 3600);

void ReadPlay(Section section, ScriptConfig& script) {
  Set(script.meta, section.Need("meta").AsPath());
  const Value sites = section.Need("sites");
  for (const Value& site : sites.AsList()) {
    if (const auto path = site.AsPath()) script.sites.push_back(*path);
  }
  if (sites && script.sites.empty()) {
    sites.Report("no sites", "", {"as in sites = [\"lakes.toml\", \"woods.toml\"]"});
  }
  Set(script.user, section.Need("user").AsName());
  Set(script.length, section.Need("length").AsSpan(Span{1}, Span{24 * 3600}));
  section.Finish();
}

void ReadJob(Section& section, std::set<std::string>& names, ScriptConfig& script) {
  ScriptedJob job{.line = section.line()};
  const Value name = section.Need("name");
  Set(job.name, name.AsName());
  if (name && !names.insert(job.name).second) name.Report("two jobs are named '" + job.name + "'");
  const Value at = section.Need("at");
  Set(job.at, at.AsBootSpan({0}, kLongestScript));
  if (!script.jobs.empty() && job.at < script.jobs.back().at) {
    at.Report(
        "job '" + job.name + "' comes before '" + script.jobs.back().name + "', which is above", "",
        {"jobs stand in the order in which they are submitted"});
  }
  Set(job.submit, section.Need("submit").AsText());
  const Value cancel = section.Get("cancel_at");
  job.cancel_at = cancel.AsBootSpan({0}, kLongestScript);
  if (job.cancel_at && *job.cancel_at <= job.at) {
    cancel.Report("it is cancelled before it is submitted, at " + DurationText(job.at));
  }
  section.Finish();
  script.jobs.push_back(std::move(job));
}

void ReadDrain(Section& section, ScriptConfig& script) {
  ScriptedDrain drain;
  Set(drain.at, section.Need("at").AsBootSpan({0}, kLongestScript));
  const Value until = section.Get("until");
  drain.until = until.AsBootSpan({0}, kLongestScript);
  if (drain.until && *drain.until <= drain.at) {
    until.Report("the nodes are resumed before they are drained, at " + DurationText(drain.at));
  }
  for (const Value& node : section.Need("nodes").AsList()) {
    if (const auto name = node.AsText()) drain.nodes.push_back(*name);
  }
  if (drain.nodes.empty()) section.Report("which nodes?", {"as in nodes = [\"lakes/n1\"]"});
  Set(drain.hard, section.Get("hard").AsBool());
  section.Finish();
  script.drains.push_back(std::move(drain));
}

}  // namespace

Diagnosed<ScriptConfig> ParseScriptConfig(const std::string& path, std::string_view text) {
  Document document(path, text);
  if (document.error()) return *document.error();
  ScriptConfig script{.path = path};
  Section root(document);
  ReadPlay(root.NeedSection("script"), script);
  std::set<std::string> names;
  for (Section& section : root.GetSections("job")) ReadJob(section, names, script);
  for (Section& section : root.GetSections("drain")) ReadDrain(section, script);
  root.Finish();
  if (document.error()) return *document.error();
  return script;
}

Diagnosed<ScriptConfig> ReadScriptConfig(const std::string& path) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseScriptConfig(path, *text);
}

}  // namespace muster::config
