// One function per table. Rules may name groups and users not known yet, but only declared
// resources, nodes and properties.
#include "base/config/rules_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/credentials.h"
#include "base/phrases.h"
#include "base/text/calendar.h"
#include "base/text/validity.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr Span kLongestLimit{10 * 366 * int64_t{86400}};  // longest duration of a limit or default
// How far ahead overlaps of standing reservations are searched.
constexpr Span kOverlapsSought{10 * 366 * int64_t{86400}};
constexpr size_t kDefaultDurations = 256;  // limited because sites report them to the meta

// Prints "12" or "64gb".
std::string AmountText(const std::string& resource, int64_t amount) {
  return resource.ends_with("mem") ? SizeText(amount) : std::to_string(amount);
}

class RulesReader {
 public:
  RulesReader(Document& document, Section& root, const Declared& declared,
              const std::optional<AsOf>& as_of, SiteConfig& config)
      : document_(document), root_(root), declared_(declared), as_of_(as_of), config_(config) {}

  void Read() {
    for (Section& section : root_.GetSections("limit")) ReadLimit(section);
    for (Section& section : root_.GetSections("freepool")) ReadPool(section);
    for (Section& section : root_.GetSections("reservation")) ReadReservation(section);
    ReadRequestValues("default", config_.defaults);
    ReadRequestValues("force", config_.forced);
    for (const NodeRange& range : config_.ranges) {
      WarnIfOver("valid of [[nodes]] " + range.names, range.valid);
    }
    WarnOfPools();
  }

 private:
  // Reports a name that occurs twice.
  void CheckOnce(const Value& name, const std::string& kind, const std::string& text) {
    if (text.empty() || seen_.insert({{kind, text}, name.where().line}).second) return;
    name.Report("two " + kind + "s are named '" + text + "'",
                "the first stands in line " + std::to_string(seen_[{kind, text}]));
  }

  // Reads the resource of a limit or pool; `words` are accepted besides resources.
  std::optional<std::string> ReadResource(const Value& value, const Lines& words) {
    const std::optional<std::string> name = value.AsText();
    if (!name) return std::nullopt;
    Lines known = declared_.AllResources();
    known.insert(known.end(), words.begin(), words.end());
    if (Contains(known, *name)) return name;
    value.Report("unknown resource '" + *name + "'", DidYouMean(*name, known),
                 {"declared: " + Joined(known)});
    return std::nullopt;
  }

  // "none" counts as absent.
  static bool IsGiven(const Value& value) {
    return value && value.node()->value<std::string_view>() != std::string_view("none");
  }

  void ReadLimit(Section& section) {
    LimitConfig limit;
    Set(limit.who, ReadWho(section.Get("who"), true));
    const auto resource =
        ReadResource(section.Need("resource"),
                     {LimitConfig::kJobs, LimitConfig::kArrayJobs, LimitConfig::kEvery});
    const Value each = section.Get("each");
    const Value items = section.Get("items");
    const Value duration = section.Get("duration");
    const Value area = section.Get("area");
    const Value soft = section.Get("soft");
    const Value valid = section.Get("valid");
    section.Finish();
    if (!resource) return;
    limit.resource = *resource;
    Set(limit.items, ReadQuota(items, *resource));
    if (IsGiven(duration)) limit.duration = duration.AsSpan(Span{1}, kLongestLimit);
    if (IsGiven(area)) limit.area = ReadArea(area);
    Set(limit.soft, soft.AsBool());
    limit.each = ReadEach(each, limit.who);
    Set(limit.valid, ReadValidity(valid));
    WarnIfOver("[[limit]] of " + limit.who + " on " + limit.resource, limit.valid);
    CheckLimit(section, limit, items, duration, area);
    config_.limits.push_back(std::move(limit));
  }

  // each = "user": the limit is for every user of the group, account, QoS or queue `who`.
  static bool ReadEach(const Value& each, const std::string& who) {
    if (!each) return false;
    const std::optional<std::string> word = each.AsText();
    if (!word) return false;
    if (*word != "user") {
      each.Report("'" + *word + "' is nothing that is counted apart", "", {"each = \"user\""});
    } else if (who == LimitConfig::kEvery ||
               CredentialOf(who).kind == CredentialName::Kind::kUser) {
      each.Report(who == LimitConfig::kEvery ? "a limit of '*' is for each user already"
                                             : "'" + who + "' is one user",
                  "", {"a group, as in who = \"@students\"; or no 'each'"});
    } else {
      return true;
    }
    return false;
  }

  void CheckLimit(Section& section, const LimitConfig& limit, const Value& items,
                  const Value& duration, const Value& area) {
    const bool counts_jobs =
        limit.resource == LimitConfig::kJobs || limit.resource == LimitConfig::kArrayJobs;
    if (limit.resource == LimitConfig::kEvery && limit.items.items) {
      items.Report("so many of what? '*' is every resource", "",
                   {"a share as in \"45%\", or a limit for each resource"});
    } else if (counts_jobs && limit.items.percent) {
      items.Report("'" + limit.resource + "' are counted; there is nothing to take a share of", "",
                   {"as in items = \"1000\""});
    } else if (counts_jobs && (IsGiven(duration) || IsGiven(area))) {
      (IsGiven(duration) ? duration : area)
          .Report("'" + limit.resource + "' are only counted", "", {"as in items = \"1000\""});
    } else if (limit.soft && limit.items.unlimited()) {
      section.Report("a soft limit has 'items' that widen");
    } else if (!items && !IsGiven(duration) && !IsGiven(area)) {
      section.Report("[[limit]] needs 'items', 'duration' or 'area'");
    }
    const std::string what = (limit.each ? "each user of " : "") + limit.who + " on " +
                             limit.resource + ", valid " + text::ValidityText(limit.valid);
    const auto [first, added] = seen_.insert({{"limit", what}, section.line()});
    if (!added) {
      section.Report("two limits are for " + what,
                     {"one of them; the first stands in line " + std::to_string(first->second)});
    }
  }

  void ReadPool(Section& section) {
    PoolConfig pool;
    const Value name = section.Need("name");
    Set(pool.name, name.AsName());
    CheckOnce(name, "freepool", pool.name);
    const auto resource = ReadResource(section.Need("resource"), {});
    const Value keep = section.Need("keep");
    const Value open_to = section.Need("open_to");
    const Value valid = section.Get("valid");
    Set(pool.lend, section.Get("lend").AsBool());
    section.Finish();
    Set(pool.open_to, ReadCondition(open_to, declared_.AllResources(), {}));
    Set(pool.valid, ReadValidity(valid));
    WarnIfOver("[[freepool]] '" + pool.name + "'", pool.valid);
    if (!resource) return;
    pool.resource = *resource;
    const std::optional<Quota> quota = ReadQuota(keep, *resource);
    if (!quota) return;
    pool.keep = *quota;
    const int64_t total = declared_.totals.Get(*resource);
    if (quota->unlimited() || quota->Of(std::max<int64_t>(total, 100)) == 0) {
      keep.Report("this pool keeps " + std::string(quota->unlimited() ? "without end" : "nothing"),
                  "", {"as in \"10\", \"20%\" or \"10/20%\""});
      return;
    }
    if (quota->items.value_or(0) > total) {
      keep.Report("this pool keeps " + AmountText(*resource, *quota->items) + " " + *resource +
                      ", and the site has " + AmountText(*resource, total),
                  "", {"at most " + AmountText(*resource, total) + ", or a share as in \"20%\""});
    }
    config_.pools.push_back(std::move(pool));
  }

  void ReadReservation(Section& section) {
    ReservationConfig reservation;
    const Value name = section.Need("name");
    Set(reservation.name, name.AsName());
    CheckOnce(name, "reservation", reservation.name);
    const Value nodes = section.Need("nodes");
    if (nodes) Set(reservation.nodes, ReadNodeNames(nodes, declared_));
    const Value allow = section.Get("allow");
    for (const Value& one : allow.AsList()) {
      if (const auto who = ReadWho(one, true)) reservation.allow.push_back(*who);
    }
    const Value open_to = section.Get("open_to");
    if (open_to) Set(reservation.open_to, ReadCondition(open_to, declared_.AllResources(), {}));
    if (!allow && !open_to) {
      section.Report(
          section.title() + " needs 'allow' or 'open_to'",
          {"as in allow = [\"kim\", \"account chem\"] or open_to = \"class = interactive\""});
    }
    const Value valid = section.Need("valid");
    Set(reservation.lend, section.Get("lend").AsBool());
    section.Finish();
    if (const auto validity = ReadValidity(valid)) {
      reservation.valid = *validity;
      CheckNotOver(reservation, valid);
      CheckApart(reservation, valid);
    }
    config_.reservations.push_back(std::move(reservation));
  }

  std::string Local(Instant instant) const {
    const Civil c = config_.zone.Local(instant);
    return text::ToRfc3339(FromCivil(c)).substr(0, 16);
  }

  bool IsOver(const Validity& valid) const {
    return as_of_ && EndOf(valid, config_.zone) <= as_of_->now;
  }

  void CheckNotOver(const ReservationConfig& reservation, const Value& valid) {
    if (!IsOver(reservation.valid)) return;
    const std::string what = "reservation '" + reservation.name + "' is in the past: it ended at " +
                             Local(EndOf(reservation.valid, config_.zone));
    if (as_of_->refuse_past) {
      valid.Report(what, "it is now " + Local(as_of_->now),
                   {"a time to come, or take the reservation out"});
    } else {
      config_.warnings.push_back(what);
    }
  }

  // Checks that no node belongs to two standing reservations at the same time.
  void CheckApart(const ReservationConfig& reservation, const Value& valid) {
    const Instant from = as_of_ ? as_of_->now : Instant{0};
    const Expansion times =
        Intervals(reservation.valid, config_.zone, from, from + kOverlapsSought);
    for (const Taken& other : taken_) {
      const auto node = std::find_if(reservation.nodes.begin(), reservation.nodes.end(),
                                     [&](const auto& one) { return Contains(other.nodes, one); });
      if (node == reservation.nodes.end()) continue;
      const IntervalSet both = times.intervals.Intersect(other.times);
      if (both.empty()) continue;
      valid.Report("reservations '" + other.name + "' and '" + reservation.name +
                       "' overlap on node " + *node,
                   "first at " + Local(both.intervals().front().begin),
                   {"other nodes or times, or one reservation; the first stands in line " +
                    std::to_string(other.line)});
      break;
    }
    taken_.push_back({reservation.name, reservation.nodes, times.intervals, valid.where().line});
  }

  void WarnIfOver(const std::string& what, const Validity& valid) {
    if (!IsOver(valid)) return;
    config_.warnings.push_back(what + " is in the past: it ended at " +
                               Local(EndOf(valid, config_.zone)));
  }

  void ReadRequestValues(const std::string& key, std::vector<RequestValues>& out) {
    size_t durations = 0;
    for (Section& section : root_.GetSections(key)) {
      RequestValues values;
      const Value who = section.Get("who");
      Set(values.who, ReadWho(who, false));
      const auto [first, added] = seen_.insert({{key, values.who}, section.line()});
      if (!added) {
        section.Report("two " + section.title() + " are for '" + values.who + "'",
                       {"one of them; the first stands in line " + std::to_string(first->second)});
      }
      const Value duration = section.Get("duration");
      values.duration = duration.AsSpan(Span{1}, kLongestLimit);
      durations += values.duration ? 1 : 0;
      if (durations == kDefaultDurations + 1) {
        section.Report("more than " + std::to_string(kDefaultDurations) + " " + section.title() +
                           " have a duration",
                       {"of groups rather than of each user"});
      }
      Section resources = section.GetSection("resources");
      const bool given = resources.present();
      const ResourceSet amounts = ReadAmounts(document_, resources, declared_, true);
      for (const auto& [name, amount] : amounts.entries()) {
        const bool jobwide = Contains(declared_.jobwide, name);
        (jobwide ? values.jobwide : values.resources).Set(name, amount);
        if (amount <= declared_.most.Get(name)) continue;
        document_.Report(resources.KeyRegion(name),
                         (jobwide ? "the site has only " : "no node has more than ") +
                             AmountText(name, declared_.most.Get(name)) + " " + name,
                         "no request of " + values.who + " could ever run");
      }
      Section properties = section.GetSection("properties");
      values.properties = ReadWanted(properties);
      section.Finish();
      if (section.present() && !duration && !given && !properties.present()) {
        section.Report(section.title() + " needs 'duration', 'resources' or 'properties'");
      }
      out.push_back(std::move(values));
    }
  }

  // Reads required properties. Each must be a property of some node.
  std::map<std::string, std::string> ReadWanted(Section& section) {
    std::map<std::string, std::string> wanted;
    Lines names;
    const std::vector<Value> values = section.All(names);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::optional<std::string> text = values[i].AsText();
      if (!text) continue;
      const auto known = declared_.properties.find(names[i]);
      if (known == declared_.properties.end()) {
        const Lines all = declared_.PropertyNames();
        document_.Report(section.KeyRegion(names[i]), "no node has a property '" + names[i] + "'",
                         DidYouMean(names[i], all), {"declared: " + Joined(all)});
      } else if (!known->second.contains(*text)) {
        values[i].Report("no node has " + names[i] + " = '" + *text + "'", "",
                         {"declared: " + Joined(known->second)});
      } else {
        wanted[names[i]] = *text;
      }
    }
    return wanted;
  }

  // Warns if the pools that are always valid together keep more of a resource than the site has.
  // Each pool by itself keeps no more than that.
  void WarnOfPools() {
    std::map<std::string, int64_t> kept;
    for (const PoolConfig& pool : config_.pools) {
      if (pool.valid.kind == Validity::Kind::kAlways) {
        kept[pool.resource] += pool.keep.Of(declared_.totals.Get(pool.resource));
      }
    }
    for (const auto& [resource, amount] : kept) {
      if (amount <= declared_.totals.Get(resource)) continue;
      config_.warnings.push_back("[[freepool]]s together keep " + AmountText(resource, amount) +
                                 " " + resource + ", and the site has " +
                                 AmountText(resource, declared_.totals.Get(resource)));
    }
  }

  Document& document_;
  Section& root_;
  const Declared& declared_;
  const std::optional<AsOf>& as_of_;
  SiteConfig& config_;
  struct Taken {  // the nodes of a standing reservation, and the times at which it has them
    std::string name;
    Lines nodes;
    IntervalSet times;
    uint32_t line;
  };

  std::map<std::pair<std::string, std::string>, uint32_t> seen_;  // (kind, name) -> line
  std::vector<Taken> taken_;
};

}  // namespace

void ReadRules(Document& document, Section& root, const Declared& declared,
               const std::optional<AsOf>& as_of, SiteConfig& config) {
  RulesReader(document, root, declared, as_of, config).Read();
}

}  // namespace muster::config
