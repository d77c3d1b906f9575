// Reading meta.toml.
#include "base/config/meta_config.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/config/bank_reader.h"
#include "base/config/document.h"
#include "base/config/listed.h"
#include "base/config/policy_reader.h"
#include "base/config/qos_reader.h"
#include "base/config/site_values.h"
#include "base/config/spanning_limits.h"
#include "base/phrases.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr BootSpan kShortest = Milliseconds(10);
constexpr BootSpan kLongestWait = Seconds(24 * 3600);
// the default max_lease of a site, protocol.md section 9
constexpr BootSpan kLongestLease = Seconds(300);
constexpr BootSpan kLongestHeartbeat = Seconds(60);

void ReadMeta(Section section, MetaConfig& config) {
  Set(config.name, section.Need("name").AsName());
  ReadZone(section.Get("time_zone"), config.time_zone, config.validities.zone);
  Set(config.listen, section.Need("listen").AsEndpoint(true));
  Set(config.key_path, section.Need("key").AsPath());
  Set(config.state_dir, section.Need("state_dir").AsPath());
  Set(config.min_free_bytes, section.Get("min_free").AsSize());
  Set(config.record, section.Get("record").AsBool());
  section.Finish();
}

void ReadScheduler(Section section, SchedulerConfig& config) {
  Set(config.packing,
      section.Get("packing").AsChoice({"auto", "fcfs", "fcfs*", "ffdh", "ffdh*", "ffih", "ffih*"}));
  const Value threshold = section.Get("threshold");
  const auto* text = threshold ? threshold.node()->as_string() : nullptr;
  if (text == nullptr || text->get() != "inf") {
    if (const auto span = threshold.AsSpan(Span{1}, kYear)) config.threshold = *span;
  }
  Set(config.block_max, section.Get("block_max").AsInteger(1, 100000));
  Set(config.ask_sites, section.Get("ask_sites").AsInteger(1, 1000));
  Set(config.ask_joint, section.Get("ask_joint").AsInteger(1, 1000));
  Set(config.confidence, section.Get("confidence").AsFraction());
  Set(config.home_first, section.Get("home_first").AsBool());
  config.duration = section.Get("duration").AsSpan(Span{1}, Span{10 * kYear.seconds});
  Set(config.horizon, section.Get("horizon").AsSpan(kDay, Span{10 * kYear.seconds}));
  section.Finish();
}

// Reports a violated rule at the first of `values` that the file sets; the defaults by themselves
// satisfy the rule.
void ReportRule(std::initializer_list<const Value*> values, const std::string& message,
                const std::string& help) {
  for (const Value* value : values) {
    if (!*value) continue;
    value->Report(message, "", {help});
    return;
  }
}

void ReadProtocol(Section section, ProtocolConfig& config) {
  const auto read = [&section](const std::string& key, BootSpan& target, BootSpan most) {
    const Value value = section.Get(key);
    Set(target, value.AsBootSpan(kShortest, most));
    return value;
  };
  const Value lead = read("lead", config.lead, kLongestWait);
  const Value start_wait = read("start_wait", config.start_wait, kLongestWait);
  const Value permit_window = read("permit_window", config.permit_window, kLongestWait);
  read("answer_wait", config.answer_wait, kLongestWait);
  read("settle", config.settle, kLongestWait);
  read("partner_wait", config.partner_wait, kLongestWait);
  read("lease", config.lease, kLongestLease);
  read("heartbeat", config.heartbeat, kLongestHeartbeat);
  section.Finish();
  const std::string wait = DurationText(config.start_wait);
  if (config.lead > config.start_wait) {
    ReportRule({&lead, &start_wait},
               "lead (" + DurationText(config.lead) + ") is more than start_wait (" + wait + ")",
               "sites are told no later than the barrier lasts: lead is at most start_wait");
  }
  if (config.permit_window >= config.start_wait) {
    ReportRule({&permit_window, &start_wait},
               "permit_window (" + DurationText(config.permit_window) +
                   ") is not less than start_wait (" + wait + ")",
               "permits end before the barrier does: permit_window is less than start_wait");
  }
}

void ReadQueues(Section& root, Listed& listed, MetaConfig& config) {
  for (Section& section : root.GetSections("queue")) {
    QueueConfig queue;
    const Value name = section.Need("name");
    Set(queue.name, name.AsName());
    listed.Name(name, "queue", queue.name);
    Set(queue.order, section.Need("order").AsInteger(1, 1000000));
    section.Finish();
    config.queues.push_back(std::move(queue));
  }
  if (config.queues.empty())
    config.queues = {{.name = "interactive", .order = 8}, {.name = "normal", .order = 4}};
}

constexpr int kFastestPercent = 10'000;
constexpr int64_t kMostCost = 1'000'000'000;

void ReadSites(Section& root, Listed& listed, MetaConfig& config) {
  for (Section& section : root.GetSections("site")) {
    ListedSite site;
    const Value name = section.Need("name");
    Set(site.name, name.AsName());
    listed.Name(name, "site", site.name);
    if (site.name == "any") name.Report("no site is named 'any'", "it means every site");
    const Value key = section.Need("key");
    Set(site.key, key.AsPublicKey());
    listed.Key(key, site.key);
    Set(site.speed_percent, section.Get("speed").AsPercent(1, kFastestPercent));
    Set(site.cost, section.Get("cost").AsInteger(0, kMostCost));
    Set(site.charge, AsMultiple(section.Get("charge")));
    section.Finish();
    config.sites.push_back(std::move(site));
  }
}

Lines SiteNames(const MetaConfig& config) {
  Lines names;
  for (const ListedSite& site : config.sites) names.push_back(site.name);
  return names;
}

// The name of a listed site; reports any other name.
std::optional<std::string> AsSite(const Value& value, const Lines& sites) {
  std::optional<std::string> name = value.AsName();
  if (!name || std::find(sites.begin(), sites.end(), *name) != sites.end()) return name;
  const std::string help = sites.empty() ? "no [[site]] is listed" : "sites here: " + Joined(sites);
  value.Report("unknown site '" + *name + "'", DidYouMean(*name, sites), {help});
  return std::nullopt;
}

void ReadUsers(Section& root, Listed& listed, MetaConfig& config) {
  const Lines sites = SiteNames(config);
  for (Section& section : root.GetSections("user")) {
    ListedUser user = ReadUser(section, listed, config.validities);
    Set(user.home, AsSite(section.Get("home"), sites));
    section.Finish();
    config.users.push_back(std::move(user));
  }
}

void ReadLinks(Section& root, MetaConfig& config) {
  const Lines sites = SiteNames(config);
  std::map<std::pair<std::string, std::string>, uint32_t> seen;
  for (Section& section : root.GetSections("link")) {
    LinkConfig link;
    const Value between = section.Need("between");
    const std::vector<Value> ends = between.AsList();
    if (between && ends.size() != 2) {
      between.Report("a link is between two sites", "", {"as in [\"lakes\", \"woods\"]"});
    }
    if (ends.size() == 2) {
      Set(link.from, AsSite(ends[0], sites));
      Set(link.to, AsSite(ends[1], sites));
      if (!link.from.empty() && link.from == link.to)
        between.Report("a link is between two different sites");
      const auto [first, added] =
          seen.insert({std::minmax(link.from, link.to), between.where().line});
      if (!added) {
        between.Report("this link is listed twice",
                       "the first stands in line " + std::to_string(first->second));
      }
    }
    Set(link.mbit_per_s, section.Need("mbit_per_s").AsInteger(1, 100'000'000));
    Set(link.latency, section.Need("latency").AsBootSpan(BootSpan{}, Seconds(60)));
    section.Finish();
    config.links.push_back(std::move(link));
  }
}

// Users, groups and queues that the file lists. A group is listed by its users, or by its validity.
Named NamedIn(const MetaConfig& config) {
  Named out;
  std::set<std::string> groups;
  for (const ListedUser& user : config.users) {
    out.users.push_back(user.name);
    groups.insert(user.groups.begin(), user.groups.end());
  }
  for (const auto& [group, valid] : config.validities.groups) groups.insert(group);
  out.groups.assign(groups.begin(), groups.end());
  for (const QueueConfig& queue : config.queues) out.queues.push_back(queue.name);
  return out;
}

}  // namespace

Diagnosed<MetaConfig> ParseMetaConfig(const std::string& path, std::string_view text) {
  Document document(path, text);
  if (document.error()) return *document.error();
  MetaConfig config;
  config.path = path;
  config.text = text;
  Listed listed;
  Section root(document);
  ReadMeta(root.NeedSection("meta"), config);
  ReadScheduler(root.GetSection("scheduler"), config.scheduler);
  ReadProtocol(root.GetSection("protocol"), config.protocol);
  ReadQueues(root, listed, config);
  ReadSites(root, listed, config);
  ReadUsers(root, listed, config);
  ReadGroups(root, listed, config.validities);
  ReadLinks(root, config);
  Named named = NamedIn(config);
  config.accounts = ReadAccounts(root, listed, named);
  config.qos = ReadQos(root, listed, config.scheduler.threshold, named);
  config.priority = ReadPriority(root.GetSection("priority"), named, OrderOf::kMeta);
  config.bank = ReadBank(root, config.accounts);
  config.limits = ReadSpanningLimits(root, named);
  config.fairshare = ReadFairshare(root, named, config.bank.has_value());
  root.Finish();
  if (document.error()) return *document.error();
  return config;
}

Diagnosed<MetaConfig> ReadMetaConfig(const std::string& path) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseMetaConfig(path, *text);
}

}  // namespace muster::config
