// Abseil reads the database; its changes are copied into a value once, so that nobody asks again.
#include "base/config/zones.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace muster::config {
namespace {

// A path outside the database is no name of a zone, and neither is this machine's own zone, which
// is another on another machine.
bool IsZoneName(const std::string& name) {
  const auto accepted = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '+' || c == '/';
  };
  return !name.empty() && name != "localtime" && name[0] != '/' &&
         std::all_of(name.begin(), name.end(), accepted);
}

// A change is named by the times that clocks show before and after; one of them is special.
absl::Time InstantOf(const absl::TimeZone& zone, const absl::TimeZone::CivilTransition& change) {
  const absl::TimeZone::TimeInfo after = zone.At(change.to);
  if (after.kind == absl::TimeZone::TimeInfo::REPEATED) return after.trans;
  return zone.At(change.from).trans;
}

}  // namespace

std::optional<Zone> LoadZone(const std::string& name) {
  absl::TimeZone zone;
  if (!IsZoneName(name) || !absl::LoadTimeZone(name, &zone)) return std::nullopt;
  const auto offset_at = [&zone](absl::Time at) { return Span{zone.At(at).offset}; };
  const absl::Time last = absl::FromCivil(absl::CivilSecond(kLastZoneYear + 1), zone);
  std::vector<Zone::Change> changes;
  absl::Time at = absl::UnixEpoch();
  absl::TimeZone::CivilTransition change;
  while (at < last && zone.NextTransition(at, &change)) {
    at = InstantOf(zone, change);
    if (at >= last) break;
    changes.push_back({Instant{absl::ToUnixSeconds(at)}, offset_at(at)});
  }
  return Zone(offset_at(absl::UnixEpoch()), std::move(changes));
}

}  // namespace muster::config
