// Options are made from the text of the configuration, as the daemons make them.
#include "sim/whatif/setup.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/config/edit.h"
#include "base/config/meta_config.h"
#include "base/config/site_config.h"
#include "meta/settings/options_of.h"
#include "site/holds/hold_facts.h"
#include "site/planning/environment.h"
#include "site/settings/options_of.h"

namespace muster::sim {
namespace {

constexpr char kOfMeta[] = "meta";
// Leases of the snapshot are armed again for what is left of them, as after a restart of a machine.
constexpr char kBoot[] = "what-if";

// The text of a daemon's file with all changes of it.
absl::StatusOr<std::string> Changed(const std::string& at, std::string text,
                                    const std::vector<schemas::TriedChange>& changes) {
  for (const schemas::TriedChange& change : changes) {
    if (!change.file || change.file->at != at) continue;
    if (!change.file->add.empty()) {
      text += "\n" + change.file->add + "\n";
      continue;
    }
    auto edited = config::Edited(text, change.file->path, change.file->to);
    if (!edited.ok()) {
      return InvalidArgument(change.text + ": " + std::string(Text(edited.status())));
    }
    text = *std::move(edited);
  }
  return text;
}

// What a reload says of a file that it does not take.
absl::Status NotTaken(const std::string& at, bool changed, const Diagnostic& problem) {
  std::string why = problem.message;
  for (const std::string& note : problem.notes) why += "; " + note;
  for (const std::string& help : problem.help) why += "; " + help;
  return changed ? InvalidArgument(at + " does not take this: " + why)
                 : Internal("the configuration of " + at + " is not good any more: " + why);
}

bool Changes(const std::vector<schemas::TriedChange>& changes, const std::string& at) {
  return std::any_of(changes.begin(), changes.end(),
                     [&](const auto& change) { return change.file && change.file->at == at; });
}

absl::StatusOr<meta::Options> MetaOptions(const schemas::CoreOrigin& origin,
                                          const std::vector<schemas::TriedChange>& changes) {
  MUSTER_ASSIGN_OR_RETURN(const std::string text, Changed(kOfMeta, origin.file, changes));
  const auto config = config::ParseMetaConfig(origin.path, text);
  if (!config.ok()) return NotTaken(kOfMeta, Changes(changes, kOfMeta), config.diagnostic());
  meta::Options options = meta::OptionsOf(*config, origin.seed);
  options.users.push_back({.name = kWatcher, .is_operator = true});
  return options;
}

absl::StatusOr<site::Options> SiteOptions(const std::string& name,
                                          const schemas::CoreOrigin& origin,
                                          const std::vector<schemas::TriedChange>& changes) {
  MUSTER_ASSIGN_OR_RETURN(const std::string text, Changed(name, origin.file, changes));
  const config::Found found = site::FoundBy(origin.facts);
  const auto config = config::ParseSiteConfig(
      origin.path, text, config::AsOf{.now = origin.read_at, .refuse_past = false}, &found);
  if (!config.ok()) return NotTaken(name, Changes(changes, name), config.diagnostic());
  if (config->name != name) return InvalidArgument(name + " would have another name");
  schemas::DriverFacts facts = origin.facts;
  facts.finds_parts = true;
  facts.shared = false;  // what others have there is not in a snapshot
  facts.most_walls = 0;
  site::Options options = site::OptionsOf(*config, {.boot_id = kBoot, .seed = origin.seed}, facts);
  options.driver = origin.driver.empty() ? options.driver : origin.driver;
  return options;
}

bool Runs(const schemas::PartRecord& part) {
  if (part.loan) return part.loan->state != schemas::LoanState::kStarting || part.loan->started_at;
  return part.state >= schemas::PartState::kStarting && part.state < schemas::PartState::kEnded;
}

// The parts that run on the site's machine, as their holds have them.
std::vector<IdealRecords::Running> RunningIn(const SiteSnapshot& site, Moment now) {
  std::vector<IdealRecords::Running> out;
  for (const auto& [key, record] : site.records) {
    const auto* hold = std::get_if<schemas::HoldRecord>(&record);
    if (hold == nullptr || hold->state != schemas::HoldState::kPermitted) continue;
    for (const schemas::PartRecord& part : hold->parts) {
      if (!Runs(part) || site::TokenNow(part).empty()) continue;
      const std::optional<Moment> since = part.loan ? part.loan->started_at : part.started_at;
      driver::StartPart command{.token = site::TokenNow(part),
                                .part_name = site::PartFolder(hold->order, part.index),
                                .user = hold->order.requester.user,
                                .place = site::PlaceNow(part),
                                .walltime = site::RunTime(*hold, part.index),
                                .notice = hold->order.notice};
      out.push_back({std::move(command), std::min(now, since.value_or(now))});
    }
  }
  return out;
}

// What a record that is taken again begins with.
bool IsBeginning(const schemas::MetaRecord& record) {
  return std::holds_alternative<schemas::MetaIdentity>(record) ||
         std::holds_alternative<schemas::AccountRecord>(record) ||
         std::holds_alternative<schemas::EntryRecord>(record) ||
         std::holds_alternative<schemas::SchedulerRecord>(record);
}

double ProcessorsOf(const site::Options& site) {
  int64_t sum = 0;
  for (const site::Node& node : site.nodes) sum += node.resources.Get("ncpus");
  return static_cast<double>(sum);
}

}  // namespace

absl::StatusOr<Setup> SetUp(const FederationSnapshot& snapshot,
                            const std::vector<schemas::TriedChange>& changes, bool again,
                            Moment begins) {
  Setup out;
  out.options.begins = begins;
  MUSTER_ASSIGN_OR_RETURN(out.options.meta, MetaOptions(snapshot.meta.origin, changes));
  for (const auto& [key, record] : snapshot.meta.records) {
    if (!again || IsBeginning(record)) out.records.meta.emplace_back(key, record);
  }
  for (const std::string& name : out.options.meta.sites) {
    if (!snapshot.sites.contains(name)) out.options.absent.push_back(name);
  }
  for (const auto& [name, site] : snapshot.sites) {
    MUSTER_ASSIGN_OR_RETURN(site::Options options, SiteOptions(name, site.origin, changes));
    out.processors += ProcessorsOf(options);
    out.options.sites.push_back(std::move(options));
    IdealRecords::Site& records = out.records.sites.emplace_back();
    if (again) continue;
    records.records = site.records;
    records.running = RunningIn(site, begins);
  }
  return out;
}

}  // namespace muster::sim
