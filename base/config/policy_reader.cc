// What [priority] names must be listed in the same file, so that a misspelt name does not go
// unnoticed.
#include "base/config/policy_reader.h"

#include <map>
#include <utility>
#include <vector>

#include "base/credentials.h"
#include "base/phrases.h"

namespace muster::config {
namespace {

using Kind = CredentialName::Kind;

constexpr int64_t kMostWeight = 1'000'000;
constexpr int64_t kMostExpansion = 1000;
constexpr const char* kFactors[] = {"cred", "queue",  "xfactor",   "procs",  "mem",
                                    "area", "target", "fs_global", "balance"};
constexpr int64_t kMostDepth = 366;

constexpr const char* kSiteFactors[] = {"cred", "queue",  "xfactor",   "procs",   "mem",
                                        "area", "target", "fs_global", "fs_local"};

void ReadWeights(Section section, OrderOf whose, PriorityConfig& config) {
  const auto read = [&](const char* factor) {
    if (const auto weight = section.Get(factor).AsInteger(-kMostWeight, kMostWeight)) {
      config.weights[factor] = *weight;
    }
  };
  if (whose == OrderOf::kMeta) {
    for (const char* factor : kFactors) read(factor);
  } else {
    for (const char* factor : kSiteFactors) read(factor);
  }
  section.Finish();
}

void ReadPoints(Section section, const Named& named, PriorityConfig& config) {
  Lines names;
  const std::vector<Value> values = section.All(names);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto points = values[i].AsInteger(-kMostPoints, kMostPoints);
    if (!points || !IsKnown(values[i], names[i], named)) continue;
    if (CredentialOf(names[i]).name == kEverybody) {
      values[i].Report("points for everybody change no order");
      continue;
    }
    config.points[names[i]] = *points;
  }
  section.Finish();
}

void ReadWindows(Section section, bool has_bank, FairshareConfig& config) {
  const Value window = section.Get("window");
  Set(config.window, window.AsSpan(Span{60}, kYear));
  const int64_t length = config.window.seconds;
  if (length % kDay.seconds != 0 && kDay.seconds % length != 0) {
    window.Report("windows of this length do not begin at midnight", "",
                  {"a whole number of days, or a part of a day as in \"6h\""});
  }
  const Value depth = section.Get("depth");
  Set(config.depth, depth.AsInteger(1, kMostDepth));
  if (config.depth * length > kYear.seconds) {
    (depth ? depth : window).Report("the windows reach back more than a year");
  }
  if (const auto decay = section.Get("decay").AsFraction()) {
    config.decay_thousandths = static_cast<int64_t>(*decay * 1000 + 0.5);
  }
  const Value metric = section.Get("metric");
  Set(config.metric, metric.AsChoice({"dedicated", "used", "charged"}));
  if (config.metric == "charged" && !has_bank) {
    metric.Report("nothing is charged", "", {"[bank] with rates, or another metric"});
  }
  Set(config.booked_percent, section.Get("booked").AsPercent(0, 1000));
  config.tree = section.Get("method").AsChoice({"share", "tree"}) == "tree";
  section.Finish();
}

// Reads [[share]]. Of shares by themselves the targets of users, of groups and of accounts are at
// most 100 % together each; of a tree, those of siblings.
class ShareReader {
 public:
  ShareReader(const Named& named, bool tree) : named_(named), tree_(tree) {}

  void Read(Section& section, FairshareConfig& config) {
    ShareConfig share;
    const Value who = section.Need("who");
    Set(share.who, who.AsText());
    const Value target = section.Get("target");
    share.target_percent = target.AsPercent(1, 100);
    const Value floor = section.Get("floor");
    const Value ceiling = section.Get("ceiling");
    share.floor_percent = floor.AsPercent(1, 100);
    share.ceiling_percent = ceiling.AsPercent(1, 100);
    const Value enforce = section.Get("enforce");
    if (const auto word = enforce.AsChoice({"order", "admission"})) {
      share.admission = *word == "admission";
      if (share.admission && !ceiling) {
        enforce.Report("only a ceiling can keep work from starting", "",
                       {"ceiling = \"30%\", or enforce = \"order\""});
      }
    }
    const Value parent = section.Get("parent");
    Set(share.parent, parent.AsText());
    section.Finish();
    if (parent && !tree_) {
      parent.Report("only shares of a tree have a parent", "", {"[fairshare] method = \"tree\""});
    }
    const int given = int{bool(target)} + int{bool(floor)} + int{bool(ceiling)};
    if (given != 1) {
      section.Report("a share is a target, a floor or a ceiling",
                     {"one of target, floor, ceiling, as in target = \"25%\""});
    }
    if (tree_ && given == 1 && !target) {
      (floor ? floor : ceiling)
          .Report("in a tree each share is a target", "", {"target = \"25%\""});
    }
    if (share.who.empty()) return;
    const CredentialName name = CredentialOf(share.who);
    const bool of_one = name.name != kEverybody;
    if (name.kind == Kind::kQueue || name.kind == Kind::kQos || !of_one) {
      return who.Report(
          of_one ? "a " + std::string(WordOf(name.kind)) + " has no share" : "a share is of one",
          "", {"a user, a group as in \"@weather\", or \"account chem\""});
    }
    if (!IsKnown(who, share.who, named_)) return;
    const auto [first, added] = seen_.insert({share.who, section.line()});
    if (!added) {
      who.Report("two shares are of " + share.who,
                 "the first stands in line " + std::to_string(first->second));
    }
    if (parent) parents_.emplace_back(share.who, parent);
    int& sum = tree_ ? of_siblings_[share.parent] : targets_[name.kind];
    sum += share.target_percent.value_or(0);
    if (sum > 100)
      target.Report("the targets before and this one are " + std::to_string(sum) + " %");
    config.shares.push_back(std::move(share));
  }

  // To be called once all are read.
  void CheckParents(const FairshareConfig& config) const {
    std::map<std::string, std::string> above;
    for (const ShareConfig& share : config.shares) above[share.who] = share.parent;
    for (const auto& [who, parent] : parents_) {
      const std::string& name = above[who];
      if (!above.contains(name)) {
        parent.Report("no share is of " + name, "", {"[[share]] with who = \"" + name + "\""});
        continue;
      }
      std::string up = name;
      for (size_t i = 0; i < above.size() && up != who && !up.empty(); ++i) up = above[up];
      if (up == who) parent.Report("the share of " + who + " is below itself");
    }
  }

 private:
  const Named& named_;
  const bool tree_;
  std::vector<std::pair<std::string, Value>> parents_;  // by who
  std::map<std::string, int> of_siblings_;              // sum of targets so far, by parent
  std::map<std::string, uint32_t> seen_;
  std::map<CredentialName::Kind, int> targets_;  // sum of all so far
};

}  // namespace

std::optional<FairshareConfig> ReadFairshare(Section& root, const Named& named, bool has_bank) {
  FairshareConfig config;
  Section section = root.GetSection("fairshare");
  const bool present = section.present();
  ReadWindows(std::move(section), has_bank, config);
  ShareReader shares(named, config.tree);
  for (Section& share : root.GetSections("share")) shares.Read(share, config);
  shares.CheckParents(config);
  if (!present && config.shares.empty()) return std::nullopt;
  return config;
}

std::optional<PriorityConfig> ReadPriority(Section section, const Named& named, OrderOf whose) {
  if (!section.present()) return std::nullopt;
  PriorityConfig config;
  Set(config.tick, section.Get("tick").AsSpan(Span{1}, kDay));
  Set(config.queue_full, section.Get("queue_full").AsSpan(Span{1}, kYear));
  Set(config.x_full, section.Get("x_full").AsInteger(1, kMostExpansion));
  ReadWeights(section.NeedSection("weight"), whose, config);
  ReadPoints(section.GetSection("points"), named, config);
  section.Finish();
  return config;
}

}  // namespace muster::config
