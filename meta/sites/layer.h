// Layer of the sites room: the listed sites, and those that are only on record.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "meta/sites/site.h"
#include "meta/turn/layer.h"
#include "partitioner/rarity.h"

namespace muster::meta {

struct SitesLayer : TurnLayer {
  using TurnLayer::TurnLayer;

  // Only listed sites are heard and asked; a site on record that is no longer listed stays in
  // `sites`.
  bool Lists(const std::string& site) const {
    return std::binary_search(site_names.begin(), site_names.end(), site);
  }

  std::vector<std::string> site_names;  // listed, ascending
  std::map<std::string, Site> sites;
  partitioner::Rarity rarity;  // of resources and properties of the sites' nodes
};

// How long sites have to dial after a start: the longest back-off plus the heartbeats that make
// SILENT.
inline constexpr BootSpan kDialWait = Seconds(16);

}  // namespace muster::meta
