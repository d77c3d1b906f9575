// Prints one line per job, or the documents of `muster --json show`.
#include "sim/script/command.h"

#include <fmt/format.h>

#include <cstdio>

#include "cli/json.h"
#include "sim/script/script_run.h"

namespace muster::sim {
namespace {

constexpr int kExitBroken = 1;
constexpr int kExitUsage = 2;

int Fail(const std::string& text) {
  fmt::print(stderr, "{}\n", text);
  return kExitUsage;
}

cli::Json DocumentOf(const ScriptResult& result) {
  cli::Json jobs = cli::Json::array();
  for (const ScriptResult::Job& job : result.jobs) jobs.push_back(cli::ToJson(job.view));
  return {{"begins", cli::ToJson(result.begins)},
          {"jobs", std::move(jobs)},
          {"refused", result.refused},
          {"violations", result.violations}};
}

// The line of a job, such as "a1 lakes started +10.0 s 2 figures done".
std::string LineOf(const ScriptResult::Job& job, Moment begins) {
  std::string sites;
  std::string started = "-";
  for (const schemas::PartView& part : job.view.parts) {
    sites += (sites.empty() ? "" : ",") + part.site.value_or("-");
    if (part.started_at && started == "-") {
      started = fmt::format(
          "{:+.1f} s",
          static_cast<double>(part.started_at->milliseconds - begins.milliseconds) / 1000);
    }
  }
  return fmt::format("{:<12} {:<24} started {:>9}  {} figures  {}\n", job.name, sites, started,
                     job.view.history.size(),
                     job.view.outcome ? cli::Word(*job.view.outcome) : cli::Word(job.view.state));
}

}  // namespace

void AddScript(CLI::App& app, ScriptCommand& command) {
  command.app = app.add_subcommand(
      "script", "a script of submissions, played by the daemons' cores and configurations");
  command.app->add_option("file", command.file, "a script, as docs/simulation.md has it")
      ->required();
  command.app
      ->add_option("--link", command.link,
                   "real: the protocol with its heartbeats, leases and delays; a script has no "
                   "other")
      ->check(CLI::IsMember({"real"}));
  command.app->add_option("--seed", command.seed, "of what daemons draw");
  command.app->add_option("--begins", command.begins, "the clock then, seconds since 1970");
  command.app->add_flag("--json", command.json, "every job as 'muster --json show' has it");
}

int RunScript(const ScriptCommand& command) {
  const auto script = config::ReadScriptConfig(command.file);
  if (!script.ok()) return Fail(Render(script.diagnostic()));
  const absl::StatusOr<ScriptResult> result =
      PlayScript(*script, {.seed = command.seed, .begins = {command.begins * 1000}});
  if (!result.ok()) {
    return Fail("muster: error[usage]: " + std::string(Text(result.status())));
  }
  if (command.json) {
    fmt::print("{}\n", DocumentOf(*result).dump(1));
  } else {
    for (const ScriptResult::Job& job : result->jobs) fmt::print("{}", LineOf(job, result->begins));
    for (const std::string& line : result->refused) fmt::print("refused: {}\n", line);
    for (const std::string& line : result->violations) fmt::print("broken: {}\n", line);
  }
  return result->refused.empty() && result->violations.empty() ? 0 : kExitBroken;
}

}  // namespace muster::sim
