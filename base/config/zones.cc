// Abseil reads the database. The changes are copied once into a Zone.
#include "base/config/zones.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace muster::config {
namespace {

// Accepts names within the database only. Excludes paths outside it, and this machine's own zone,
// which differs between machines.
bool IsZoneName(const std::string& name) {
  const auto accepted = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '+' || c == '/';
  };
  return !name.empty() && name != "localtime" && name[0] != '/' &&
         std::all_of(name.begin(), name.end(), accepted);
}

// The instant of a change. Abseil describes a change by the local times before and after it; one of
// the two is an unambiguous reference.
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
