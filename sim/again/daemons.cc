// Makes core options from a recorded configuration, as the daemon does from its file.
#include "base/config/meta_config.h"
#include "base/config/site_config.h"
#include "meta/settings/options_of.h"
#include "sim/again/again.h"
#include "site/settings/options_of.h"

namespace muster::sim {
namespace {

absl::StatusOr<meta::Options> MetaOptions(const schemas::CoreOrigin& origin,
                                          const std::string& file, uint64_t seed) {
  const auto config = config::ParseMetaConfig(origin.path, file);
  if (!config.ok()) return InvalidArgument(Render(config.diagnostic()));
  return meta::OptionsOf(*config, seed);
}

absl::StatusOr<site::Options> SiteOptions(const schemas::CoreOrigin& origin) {
  const config::Found found = site::FoundBy(origin.facts);
  const auto config = config::ParseSiteConfig(
      origin.path, origin.file, config::AsOf{.now = origin.read_at, .refuse_past = false}, &found);
  if (!config.ok()) return InvalidArgument(Render(config.diagnostic()));
  site::Options options = site::OptionsOf(
      *config, {.boot_id = origin.boot_id, .seed = origin.seed, .secret_root = origin.secret_root},
      origin.facts);
  options.driver = origin.driver;
  return options;
}

}  // namespace

OptionsAgain OptionsOfDaemons() {
  return {.meta =
              [](const schemas::CoreOrigin& origin) {
                return MetaOptions(origin, origin.file, origin.seed);
              },
          .site = SiteOptions,
          .reread = [](const schemas::CoreOrigin& origin,
                       const std::string& file) { return MetaOptions(origin, file, 0); }};
}

}  // namespace muster::sim
