// Readers of values; each kind has its own error message.
#include "base/config/site_values.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/config/site_rules.h"
#include "base/config/zones.h"
#include "base/credentials.h"
#include "base/phrases.h"
#include "base/text/condition.h"
#include "base/text/validity.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr int64_t kAmountMost = int64_t{1} << 40;   // most of a countable resource
constexpr int64_t kLeastMemory = int64_t{1} << 20;  // less memory indicates a forgotten unit
constexpr int64_t kAreaMost = int64_t{1} << 53;     // item-seconds: 285 million cores for a year
constexpr const char* kItemsForms = "as in \"30\", \"45%\", \"30/45%\" or \"unlimited\"";

bool IsWord(const std::string& name) {
  const auto accepted = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
         std::all_of(name.begin(), name.end(), accepted);
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Whether the resource is a count, never a size.
bool IsCounted(const std::string& resource) {
  return resource == "ncpus" || resource == "ngpus" || resource == LimitConfig::kJobs ||
         resource == LimitConfig::kArrayJobs;
}

// Reads the "30" or "64gb" of a quota.
std::optional<int64_t> ReadItems(const Value& value, std::string_view text,
                                 const std::string& resource) {
  std::optional<int64_t> items = Number(text);
  std::string why = "this is not a number";
  if (!items && !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
    const absl::StatusOr<int64_t> size = ParseSize(text);
    if (size.ok() && !IsCounted(resource)) items = *size;
    why = size.ok() ? resource + " is counted and has no unit" : std::string(Text(size.status()));
    if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      why = "this is more than can be counted";
    }
  }
  const int64_t most = IsCounted(resource) ? kAmountMost : int64_t{1} << 60;
  if (items && *items < 0) why = "this is negative";
  if (items && *items > most) why = "this is more than can be counted";
  if (items && *items >= 0 && *items <= most) return items;
  value.Report("malformed items '" + std::string(text) + "'", why, {kItemsForms});
  return std::nullopt;
}

std::optional<int> ReadShare(const Value& value, std::string_view text) {
  const std::optional<int64_t> percent = Number(text.substr(0, text.size() - 1));
  if (percent && *percent >= 0 && *percent <= 100) return static_cast<int>(*percent);
  value.Report(percent ? "'" + std::string(text) + "' is out of bounds"
                       : "malformed share '" + std::string(text) + "'",
               "", {percent ? "accepted: \"0%\" to \"100%\"" : kItemsForms});
  return std::nullopt;
}

}  // namespace

Lines Declared::AllResources() const {
  Lines all = resources;
  all.insert(all.end(), jobwide.begin(), jobwide.end());
  return all;
}

Lines Declared::PropertyNames() const {
  Lines names;
  for (const auto& [name, values] : properties) names.push_back(name);
  return names;
}

const Lines& KnownResources() {
  static const Lines names = {"ncpus", "mem", "ngpus"};
  return names;
}

bool CheckName(Document& document, const Section& section, const std::string& name,
               const std::string& kind) {
  Lines taken = text::ConditionWords();
  for (const char* word : {LimitConfig::kJobs, LimitConfig::kArrayJobs, "for", "place"}) {
    taken.emplace_back(word);
  }
  if (!IsWord(name)) {
    document.Report(section.KeyRegion(name), "malformed " + kind + " name '" + name + "'", "",
                    {"a letter, then letters, digits and '_'"});
    return false;
  }
  if (!Contains(taken, name)) return true;
  document.Report(section.KeyRegion(name), "no " + kind + " can be named '" + name + "'",
                  "the word has a meaning in conditions, limits or requests",
                  {"another name; taken are " + Joined(taken)});
  return false;
}

std::optional<int64_t> ReadAmount(const std::string& name, const Value& value) {
  if (name != "mem") {
    // A site's own resources may be sizes; ncpus and ngpus are counts.
    if (value.node()->is_string() && !IsCounted(name)) return value.AsSize();
    return value.AsInteger(0, kAmountMost);
  }
  const std::optional<int64_t> size = value.AsSize();
  if (!size || *size == 0 || *size >= kLeastMemory) return size;
  value.Report("mem is in bytes, and " + std::to_string(*size) + " is too little to run anything",
               "", {"with a unit, as in \"64gb\""});
  return std::nullopt;
}

ResourceSet ReadAmounts(Document& document, Section section, const Declared& declared,
                        bool jobwide) {
  ResourceSet amounts;
  Lines names;
  const std::vector<Value> values = section.All(names);
  const Lines known = jobwide ? declared.AllResources() : declared.resources;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (!Contains(known, name)) {
      document.Report(section.KeyRegion(name), "unknown resource '" + name + "'",
                      DidYouMean(name, known), {"declared: " + Joined(known)});
      continue;
    }
    const std::optional<int64_t> amount = ReadAmount(name, values[i]);
    if (!amount) continue;
    if (*amount == 0) {
      values[i].Report("'" + name + "' is nothing here", "", {"at least 1, or leave it out"});
    } else {
      amounts.Set(name, *amount);
    }
  }
  return amounts;
}

std::optional<Quota> ReadQuota(const Value& value, const std::string& resource) {
  if (!value) return std::nullopt;
  Quota quota;
  if (value.node()->is_integer()) {
    quota.items = value.AsInteger(0, kAmountMost);
    return quota.items ? std::optional<Quota>(quota) : std::nullopt;
  }
  const std::optional<std::string> text = value.AsText();
  if (!text) return std::nullopt;
  if (*text == "unlimited") return quota;
  const size_t slash = text->find('/');
  const std::string_view first = std::string_view(*text).substr(0, slash);
  std::string_view share;
  if (slash != std::string::npos) share = std::string_view(*text).substr(slash + 1);
  if (slash == std::string::npos && first.ends_with('%')) share = first;
  const bool has_items = slash != std::string::npos || share.empty();
  if (slash != std::string::npos && (!share.ends_with('%') || first.ends_with('%'))) {
    value.Report("malformed items '" + *text + "'", "a number, '/' and a share: the larger counts",
                 {kItemsForms});
    return std::nullopt;
  }
  if (has_items) {
    quota.items = ReadItems(value, first, resource);
    if (!quota.items) return std::nullopt;
  }
  if (!share.empty()) {
    quota.percent = ReadShare(value, share);
    if (!quota.percent) return std::nullopt;
  }
  return quota;
}

std::optional<int64_t> ReadArea(const Value& value) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return std::nullopt;
  const auto wrong = [&](const std::string& note) {
    value.Report("malformed area '" + *text + "'", note, {"items times time, as in \"500h\""});
    return std::nullopt;
  };
  const std::map<char, int64_t> units = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  const auto unit = units.find(text->back());
  if (unit == units.end()) return wrong("it ends in s, m, h or d");
  const std::optional<int64_t> number = Number(std::string_view(*text).substr(0, text->size() - 1));
  if (!number) return wrong("a whole number, then s, m, h or d");
  if (*number < 1) return wrong("it is more than nothing");
  if (*number > kAreaMost / unit->second) return wrong("this is more than can be counted");
  return *number * unit->second;
}

std::optional<std::string> ReadWho(const Value& value, bool of_any_kind) {
  std::optional<std::string> who = value.AsText();
  if (!who || *who == LimitConfig::kEvery) return who;
  const CredentialName credential = CredentialOf(*who);
  const bool of_people = credential.kind == CredentialName::Kind::kUser ||
                         credential.kind == CredentialName::Kind::kGroup;
  const std::string_view name = credential.name;
  const bool all = !of_people && name == kEverybody;
  const bool named =
      all || (!name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
      }));
  if (named && (of_people || of_any_kind)) return who;
  value.Report(named ? "'" + *who + "' is no user and no group" : "malformed name '" + *who + "'",
               "",
               {std::string("a user as in \"kim\", a group as in \"@students\", ") +
                (of_any_kind ? "\"account chem\", \"qos urgent\" or \"queue debug\", " : "") +
                "or \"*\" for each user"});
  return std::nullopt;
}

std::optional<Condition> ReadCondition(const Value& value, const Lines& resources,
                                       const Lines& properties) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return std::nullopt;
  Diagnosed<Condition> condition =
      text::ParseCondition(*text, {.resources = resources, .properties = properties});
  if (condition.ok()) return std::move(condition).value();
  value.ReportInside(condition.diagnostic());
  return std::nullopt;
}

std::optional<Validity> ReadValidity(const Value& value) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return std::nullopt;
  const Diagnosed<Validity> validity = text::ParseValidity(*text);
  if (validity.ok()) return *validity;
  value.ReportInside(validity.diagnostic());
  return std::nullopt;
}

void ReadZone(const Value& value, std::string& name, Zone& zone) {
  const std::optional<std::string> written = value.AsText();
  if (!written) return;
  std::optional<Zone> known = LoadZone(*written);
  if (!known) {
    value.Report("unknown time zone '" + *written + "'", "",
                 {"a name of the zone database (package tzdata), as in \"Europe/Berlin\""});
    return;
  }
  name = *written;
  zone = *std::move(known);
}

std::optional<Lines> ReadNodeNames(const Value& value, const Declared& declared) {
  std::optional<Lines> names = value.AsNames();
  if (!names) return std::nullopt;
  for (const std::string& name : *names) {
    if (declared.nodes.contains(name)) continue;
    value.Report("no node is named '" + name + "'", "", {"declared: " + Joined(declared.ranges)});
    return std::nullopt;
  }
  return names;
}

}  // namespace muster::config
