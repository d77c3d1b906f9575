// Reading site.toml.
#include "base/config/site_config.h"

#include <algorithm>
#include <charconv>

#include "base/config/document.h"
#include "base/config/listed.h"
#include "base/units.h"

namespace muster::config {
namespace {

constexpr Span kDay{86400};
constexpr Span kYear{366 * 86400};
constexpr int64_t kAmountMost = int64_t{1} << 40;   // of a countable resource on one node
constexpr int64_t kLeastMemory = int64_t{1} << 20;  // less is a forgotten unit

// Resources every command and view knows. A name one edit away is a slip, but for those of
// NearlyKnown; any other that a node declares is a resource of the site's own.
const Lines& KnownResources() {
  static const Lines names = {"ncpus", "mem", "ngpus"};
  return names;
}
const Lines& NearlyKnown() {
  static const Lines names = {"vmem", "npus"};
  return names;
}

bool Contains(const Lines& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsResourceName(const std::string& name) {
  const auto accepted = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
         std::all_of(name.begin(), name.end(), accepted);
}

// "20000-29999".
void ReadPorts(const Value& value, SiteConfig& config) {
  const std::optional<std::string> text = value.AsText();
  if (!text) return;
  const char* const end = text->data() + text->size();
  uint16_t first = 0;
  uint16_t last = 0;
  const auto low = std::from_chars(text->data(), end, first);
  const bool dash = low.ec == std::errc() && low.ptr != end && *low.ptr == '-';
  const auto high = dash ? std::from_chars(low.ptr + 1, end, last) : low;
  constexpr uint16_t kLeastPort = 1024;  // below, only root may listen
  if (!dash || high.ec != std::errc() || high.ptr != end || first < kLeastPort || first > last) {
    value.Report("malformed ports '" + *text + "'", "",
                 {"two numbers from 1024 to 65535, as in \"20000-29999\""});
    return;
  }
  config.first_port = first;
  config.last_port = last;
}

void ReadSite(Section section, SiteConfig& config) {
  const Value name = section.Need("name");
  Set(config.name, name.AsName());
  if (config.name == "any") name.Report("no site is named 'any'", "it means every site");
  Set(config.time_zone, section.Get("time_zone").AsText());
  Set(config.meta, section.Need("meta").AsEndpoint(false));
  Set(config.meta_key, section.Need("meta_key").AsPublicKey());
  Set(config.key_path, section.Need("key").AsPath());
  Set(config.state_dir, section.Need("state_dir").AsPath());
  Set(config.min_free_bytes, section.Get("min_free").AsSize());
  Set(config.driver, section.Get("driver").AsChoice({"process", "simulated"}, {"slurm"}));
  if (const auto turnover = section.Get("turnover").AsSpan(Span{0}, kDay))
    config.turnover = *turnover;
  Set(config.output_keep, section.Get("output_keep").AsSpan(Span{0}, Span{10 * kYear.seconds}));
  Set(config.rendezvous_host, section.Get("rendezvous_host").AsName());
  ReadPorts(section.Get("rendezvous_ports"), config);
  Set(config.listen, section.Get("listen").AsEndpoint(true));
  section.Finish();
}

void ReadMachine(Section section, SiteConfig& config) {
  Set(config.machine,
      section.Get("kind").AsChoice({"flat"}, {"mesh", "hypercube", "torus", "tree"}));
  section.Finish();
}

std::optional<int64_t> ReadAmount(const std::string& name, const Value& value) {
  if (name != "mem") {
    // The site's own resources may be sizes; ncpus and ngpus are counted.
    if (value.node()->is_string() && !Contains(KnownResources(), name)) return value.AsSize();
    return value.AsInteger(0, kAmountMost);
  }
  const std::optional<int64_t> size = value.AsSize();
  if (!size || *size == 0 || *size >= kLeastMemory) return size;
  value.Report("mem is in bytes, and " + std::to_string(*size) + " is too little to run anything",
               "", {"with a unit, as in \"64gb\""});
  return std::nullopt;
}

ResourceSet ReadResources(Document& document, Section section, Lines& declared) {
  ResourceSet resources;
  Lines names;
  const std::vector<Value> values = section.All(names);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const std::optional<std::string> meant = ClosestName(name, KnownResources(), 1);
    if (!IsResourceName(name)) {
      document.Report(section.KeyRegion(name), "malformed resource name '" + name + "'", "",
                      {"a letter, then letters, digits and '_'"});
    } else if (!Contains(KnownResources(), name) && !Contains(NearlyKnown(), name) && meant) {
      document.Report(section.KeyRegion(name), "unknown name '" + name + "'",
                      "did you mean '" + *meant + "'?", {"declared: " + Joined(declared)});
    } else if (const auto amount = ReadAmount(name, values[i])) {
      resources.Set(name, *amount);
      if (!Contains(declared, name)) declared.push_back(name);
    }
  }
  if (section.present() && names.empty()) section.Report("a node has at least one resource");
  return resources;
}

std::map<std::string, std::string> ReadProperties(Document& document, Section section,
                                                  const ResourceSet& resources) {
  std::map<std::string, std::string> properties;
  Lines names;
  const std::vector<Value> values = section.All(names);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (!IsResourceName(name)) {
      document.Report(section.KeyRegion(name), "malformed property name '" + name + "'", "",
                      {"a letter, then letters, digits and '_'"});
    } else if (Contains(KnownResources(), name) || resources.Get(name) != 0) {
      document.Report(section.KeyRegion(name), "'" + name + "' is a resource, not a property");
    } else if (const auto text = values[i].AsText()) {
      properties[name] = *text;
    }
  }
  return properties;
}

void ReadNodes(Document& document, Section& root, SiteConfig& config) {
  Lines declared = KnownResources();
  std::map<std::string, uint32_t> seen;
  std::vector<Section> sections = root.GetSections("nodes");
  for (Section& section : sections) {
    const Value names = section.Need("names");
    Section resource_section = section.NeedSection("resources");
    const ResourceSet resources = ReadResources(document, std::move(resource_section), declared);
    const auto properties = ReadProperties(document, section.GetSection("properties"), resources);
    section.NotYet({"only"});
    section.Finish();
    const std::optional<std::string> text = names.AsText();
    if (!text) continue;
    const absl::StatusOr<Lines> expanded = ExpandNames(*text);
    if (!expanded.ok()) {
      names.Report("malformed names '" + *text + "'", std::string(Text(expanded.status())),
                   {"as in \"n[1-16]\" or \"n[9-16],g[1-2]\""});
      continue;
    }
    for (const std::string& name : *expanded) {
      const auto [first, added] = seen.insert({name, names.where().line});
      if (!added) {
        names.Report("two nodes are named '" + name + "'",
                     "the first stands in line " + std::to_string(first->second));
        break;
      }
      config.nodes.push_back({.name = name, .resources = resources, .properties = properties});
    }
    if (config.nodes.size() > kNamesInRange) {
      names.Report("a site has at most " + std::to_string(kNamesInRange) + " nodes");
    }
  }
  if (sections.empty())
    document.ReportFile("[[nodes]] is missing", {"a site has at least one node"});
  config.resources = std::move(declared);
}

void ReadFederation(Section section, FederationShare& share) {
  Set(share.max_share_percent, section.Get("max_share").AsPercent(1, 100));
  Set(share.max_holds, section.Get("max_holds").AsInteger(1, 10'000'000));
  Set(share.max_held, section.Get("max_held").AsInteger(1, 1'000'000));
  Set(share.max_lease, section.Get("max_lease").AsBootSpan(Seconds(1), Seconds(24 * 3600)));
  Set(share.horizon, section.Get("horizon").AsSpan(Span{60}, Span{10 * kYear.seconds}));
  Section users = section.GetSection("users");
  Lines names;
  const std::vector<Value> values = users.All(names);
  for (size_t i = 0; i < names.size(); ++i) {
    if (const auto name = values[i].AsName()) share.users[names[i]] = *name;
  }
  section.Finish();
}

void ReadTimeouts(Section section, SiteConfig& config) {
  Set(config.allocate_timeout, section.Get("allocate").AsSpan(Span{1}, kDay));
  Set(config.release_timeout, section.Get("release").AsSpan(Span{1}, kDay));
  Set(config.extend_percent, section.Get("extend").AsPercent(0, 1000));
  section.Finish();
}

void ReadUsers(Section& root, SiteConfig& config) {
  Listed listed;
  for (Section& section : root.GetSections("user")) {
    config.users.push_back(ReadUser(section, listed));
    section.Finish();
  }
  if (!config.listen.empty() && config.users.empty()) {
    config.warnings.push_back("[site] has listen, but there is no [[user]]: nobody is heard there");
  }
  if (config.listen.empty() && !config.users.empty()) {
    config.warnings.push_back("there are [[user]]s, but [site] has no listen: they are not heard");
  }
}

}  // namespace

Diagnosed<SiteConfig> ParseSiteConfig(const std::string& path, std::string_view text) {
  Document document(path, text);
  if (document.error()) return *document.error();
  SiteConfig config;
  Section root(document);
  ReadSite(root.NeedSection("site"), config);
  ReadMachine(root.GetSection("machine"), config);
  ReadNodes(document, root, config);
  ReadFederation(root.GetSection("federation"), config.federation);
  ReadTimeouts(root.GetSection("timeouts"), config);
  ReadUsers(root, config);
  root.NotYet({"limit", "freepool", "reservation", "jobwide", "switch"});
  root.Finish();
  if (document.error()) return *document.error();
  return config;
}

Diagnosed<SiteConfig> ReadSiteConfig(const std::string& path) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseSiteConfig(path, *text);
}

}  // namespace muster::config
