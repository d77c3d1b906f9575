// Loads time zones by name from this machine's zone database (package tzdata) into plain values.
#pragma once

#include <optional>
#include <string>

#include "base/calendar.h"

namespace muster::config {

// Zones contain the changes from 1970 to the end of this year; later the last offset applies.
inline constexpr int kLastZoneYear = 2100;

// Loads "Europe/Berlin", "UTC"; none if the database has no such zone.
std::optional<Zone> LoadZone(const std::string& name);

}  // namespace muster::config
