// Zones by their names in the zone database of this machine (package tzdata), as plain values.
#pragma once

#include <optional>
#include <string>

#include "base/calendar.h"

namespace muster::config {

// Changes are known from 1970 to the end of this year; the last offset then holds on.
inline constexpr int kLastZoneYear = 2100;

// "Europe/Berlin", "UTC". None if the database has no such zone.
std::optional<Zone> LoadZone(const std::string& name);

}  // namespace muster::config
