// Uses the world of the campaigns without faults; the script determines how long parts run.
#include "sim/script/script_run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "base/config/meta_config.h"
#include "base/config/site_config.h"
#include "base/text/words.h"
#include "cli/request.h"
#include "meta/settings/options_of.h"
#include "sim/world.h"
#include "site/settings/options_of.h"

namespace muster::sim {
namespace {

// head start for the sites to come up before the script begins
constexpr BootSpan kUpFirst = Seconds(9);
constexpr BootSpan kShown = Milliseconds(1);  // from the end of the script until its jobs are shown
// Delay from a driver's command to the running process.
constexpr BootSpan kSpawn = Milliseconds(20);
constexpr double kLongestSleep = 86400;  // seconds

absl::Status Bad(const Diagnostic& diagnostic) { return InvalidArgument(Render(diagnostic)); }

// The values that a daemon draws at its start, here from the script's seed.
site::Process ProcessOf(const std::string& site, uint64_t seed) {
  return {.boot_id = "script-" + site, .seed = seed, .secret_root = {}};
}

absl::StatusOr<WorldOptions> WorldOf(const config::ScriptConfig& script,
                                     const ScriptOptions& options) {
  WorldOptions world{.seed = options.seed, .begins = options.begins, .rebuild_every = 0};
  world.begins.milliseconds -= kUpFirst.milliseconds;
  const auto meta = config::ReadMetaConfig(script.meta);
  if (!meta.ok()) return Bad(meta.diagnostic());
  world.meta = meta::OptionsOf(*meta, options.seed);
  const auto listed = [&](const meta::User& user) { return user.name == script.user; };
  const std::vector<meta::User>& users = world.meta.users;
  if (const auto user = std::find_if(users.begin(), users.end(), listed);
      user == users.end() || !user->is_operator) {
    return InvalidArgument(script.path + ": user '" + script.user + "' is no operator in " +
                           script.meta);
  }
  for (const std::string& path : script.sites) {
    const auto site = config::ReadSiteConfig(path);
    if (!site.ok()) return Bad(site.diagnostic());
    if (!site->machine.size.empty()) {
      return InvalidArgument(path + ": a " + site->machine.kind +
                             " cannot be played: only flat machines and trees");
    }
    world.sites.push_back(site::OptionsOf(*site, ProcessOf(site->name, options.seed)));
  }
  return world;
}

// The duration N of {"sleep", "N"}; none if the command is another.
std::optional<BootSpan> SleepOf(const schemas::Payload& payload) {
  if (payload.argv.size() != 2 || payload.argv[0] != "sleep") return std::nullopt;
  const std::string& text = payload.argv[1];
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(seconds >= 0 && seconds <= kLongestSleep)) return std::nullopt;
  return Milliseconds(std::llround(seconds * 1000));
}

absl::StatusOr<schemas::RequestSpec> SpecOf(const config::ScriptConfig& script,
                                            const config::ScriptedJob& job, Instant now) {
  const auto split = text::SplitWords(job.submit, script.path, job.line, job.submit, 1);
  if (!split.ok()) return Bad(split.diagnostic());
  std::vector<std::string> words = {"--name", job.name};
  for (const text::Word& word : *split) words.push_back(word.text);
  const cli::Surroundings here{
      .now = now, .zone = {}, .directory = "/", .read_file = [](const std::string& path) {
        return cli::Expect<std::string>(cli::UsageError("a script's jobs have no file " + path));
      }};
  const auto submission = cli::ReadSubmission(cli::Asked::kSubmit, words, here);
  if (!submission.ok()) {
    return InvalidArgument(script.path + ": job '" + job.name +
                           "': " + cli::RenderFailure(submission.failure()));
  }
  if (!SleepOf(submission.value().request.payload)) {
    return InvalidArgument(script.path + ": job '" + job.name +
                           "' does not end with '-- sleep SECONDS': that is how long it runs");
  }
  return submission.value().request;
}

// The job as its user sees it. Asks a copy of the meta, so the world is not affected.
absl::StatusOr<schemas::JobView> Shown(const World& world, const std::string& user, RequestId id) {
  meta::Core copy = *world.meta();
  const Now now{world.now() + kShown, {world.Wall().milliseconds + kShown.milliseconds}};
  schemas::ClientMessage message{.number = {1}};
  message.body = schemas::Get{.kind = schemas::GetKind::kJob, .requests = {id}};
  const meta::Effects effects =
      copy.Step(now, {meta::ClientSays{user, "script", std::move(message)}});
  for (const meta::ClientAnswer& answer : effects.to_clients) {
    const auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
    if (answer.link == "script" && rows != nullptr && !rows->jobs.empty()) return rows->jobs[0];
  }
  return Internal("the meta does not show job " + ToText(id));
}

class Player {
 public:
  Player(const config::ScriptConfig& script, WorldOptions options, BootInstant begins)
      : script_(script), begins_(begins), world_(std::move(options)) {
    for (const std::string& site : Sites()) {
      world_.Machine(site) = driver::SimulatedMachine([](const driver::StartPart& part) {
        return driver::SimulatedFate{.start_delay = kSpawn, .runs = SleepOf(part.payload)};
      });
    }
  }

  void Play() {
    for (const auto& [at, act] : Acts()) {
      world_.Run(begins_ + at);
      schemas::ClientMessage message{.number = {++said_}};
      message.body = act;
      world_.Say(script_.user, message);
    }
    world_.Run(begins_ + ToBootSpan(script_.length));
    world_.Finish(false);
  }

  const World& world() const { return world_; }

 private:
  std::vector<std::string> Sites() const { return world_.SiteNames(); }

  // The operators' acts, in order of time.
  std::vector<std::pair<BootSpan, schemas::Act>> Acts() const {
    std::vector<std::pair<BootSpan, schemas::Act>> acts;
    for (const config::ScriptedDrain& drain : script_.drains) {
      schemas::Act act{.verb = schemas::ActVerb::kDrain, .nodes = drain.nodes};
      act.hard = drain.hard;
      act.may_move = true;
      acts.emplace_back(drain.at, act);
      if (drain.until) {
        acts.emplace_back(*drain.until,
                          schemas::Act{.verb = schemas::ActVerb::kResume, .nodes = drain.nodes});
      }
    }
    std::stable_sort(acts.begin(), acts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return acts;
  }

  const config::ScriptConfig& script_;
  BootInstant begins_;
  World world_;
  uint64_t said_ = 0;
};

}  // namespace

absl::StatusOr<ScriptResult> PlayScript(const config::ScriptConfig& script,
                                        const ScriptOptions& options) {
  MUSTER_ASSIGN_OR_RETURN(WorldOptions world, WorldOf(script, options));
  const BootInstant begins = BootInstant{1000} + kUpFirst;
  std::vector<PlannedRequest> plan;
  for (const config::ScriptedJob& job : script.jobs) {
    const Moment at{options.begins.milliseconds + job.at.milliseconds};
    MUSTER_ASSIGN_OR_RETURN(schemas::RequestSpec spec, SpecOf(script, job, at.Floor()));
    PlannedRequest planned{.at = begins + job.at, .spec = std::move(spec)};
    if (job.cancel_at) planned.cancel_after = *job.cancel_at - job.at;
    plan.push_back(std::move(planned));
  }
  world.clients.emplace_back(script.user, std::move(plan));
  Player player(script, std::move(world), begins);
  player.Play();

  ScriptResult result{.begins = options.begins};
  const Client& client = player.world().clients().front();
  for (size_t i = 0; i < script.jobs.size(); ++i) {
    if (!client.jobs()[i]) continue;
    MUSTER_ASSIGN_OR_RETURN(schemas::JobView view,
                            Shown(player.world(), script.user, *client.jobs()[i]));
    result.jobs.push_back({script.jobs[i].name, std::move(view)});
  }
  for (const schemas::Refused& refused : client.refusals())
    result.refused.push_back(refused.message);
  result.violations = player.world().Violations();
  return result;
}

}  // namespace muster::sim
