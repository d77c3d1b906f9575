// Reads config.toml.
#include "base/config/user_config.h"

#include <algorithm>
#include <cctype>

#include "base/config/document.h"
#include "base/phrases.h"

namespace muster::config {
namespace {

// Checks the key of a table that the user named, such as [federation.campus].
void CheckName(Document& document, const Section& parent, const std::string& name) {
  const auto accepted = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), accepted)) return;
  document.Report(parent.KeyRegion(name), "malformed name '" + name + "'", "",
                  {"letters, digits, '.', '_' and '-' are accepted"});
}

FederationAddress ReadFederation(Document& document, Section section, const std::string& name) {
  FederationAddress federation{.name = name};
  Set(federation.meta, section.Need("meta").AsEndpoint(false));
  Set(federation.meta_key, section.Need("meta_key").AsPublicKey());
  const Value key = section.Need("key");
  Set(federation.key_path, key.AsPath());
  if (key) federation.key_where = key.where();
  Section sites = section.GetSection("site");
  Lines names;
  sites.All(names);
  for (const std::string& site_name : names) {
    CheckName(document, sites, site_name);
    Section site = sites.GetSection(site_name);
    SiteAddress address{.name = site_name};
    Set(address.address, site.Need("address").AsEndpoint(false));
    Set(address.key, site.Need("key").AsPublicKey());
    site.Finish();
    federation.sites.push_back(std::move(address));
  }
  section.Finish();
  return federation;
}

void ReadOutput(Section section, UserConfig& config) {
  if (const auto color = section.Get("color").AsChoice({"auto", "always", "never"})) {
    config.color = *color == "auto"     ? ColorChoice::kAuto
                   : *color == "always" ? ColorChoice::kAlways
                                        : ColorChoice::kNever;
  }
  Set(config.utc, section.Get("utc").AsBool());
  section.Finish();
}

}  // namespace

Diagnosed<UserConfig> ParseUserConfig(const std::string& path, std::string_view text) {
  Document document(path, text);
  if (document.error()) return *document.error();
  UserConfig config;
  Section root(document);
  const Value chosen = root.Get("default");
  Set(config.default_federation, chosen.AsName());
  Section federations = root.GetSection("federation");
  Lines names;
  federations.All(names);
  for (const std::string& name : names) {
    CheckName(document, federations, name);
    config.federations.push_back(ReadFederation(document, federations.GetSection(name), name));
  }
  ReadOutput(root.GetSection("output"), config);
  root.Finish();
  const bool known =
      std::find(names.begin(), names.end(), config.default_federation) != names.end();
  if (!config.default_federation.empty() && !known) {
    const Lines help = {names.empty() ? "[federation." + config.default_federation + "] is missing"
                                      : "federations here: " + Joined(names)};
    chosen.Report("unknown federation '" + config.default_federation + "'",
                  DidYouMean(config.default_federation, names), help);
  }
  if (document.error()) return *document.error();
  return config;
}

Diagnosed<UserConfig> ReadUserConfig(const std::string& path) {
  const Diagnosed<std::string> text = ReadFile(path);
  if (!text.ok()) return text.diagnostic();
  return ParseUserConfig(path, *text);
}

}  // namespace muster::config
