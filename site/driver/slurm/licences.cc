// Lists of Slurm's: entries by comma or semicolon, each "NAME" or "NAME:COUNT".
#include "site/driver/slurm/licences.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace muster::driver::slurm {
namespace {

constexpr char kPrefix[] = "licence_";

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

Licences LicencesIn(std::string_view list) {
  Licences out;
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(",;"), list.size());
    const std::string_view entry = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const size_t colon = std::min(entry.find(':'), entry.size());
    const std::string name(entry.substr(0, colon));
    int64_t count = 1;
    if (colon < entry.size()) {
      const char* const last = entry.data() + entry.size();
      const auto [stop, error] = std::from_chars(entry.data() + colon + 1, last, count);
      if (error != std::errc() || stop != last || count < 0) continue;
    }
    if (!name.empty() && count > 0) out[name] += count;
  }
  return out;
}

std::string ListOf(const Licences& licences) {
  std::string out;
  for (const auto& [name, count] : licences) {
    if (!out.empty()) out += ',';
    out += name + ":" + std::to_string(count);
  }
  return out;
}

std::string ResourceOf(const std::string& licence) {
  std::string out = kPrefix;
  for (const char c : licence) out += IsLetterOrDigit(c) ? c : '_';
  return out;
}

ResourceSet JobwideOf(const Licences& licences) {
  ResourceSet out;
  for (const auto& [name, count] : licences) {
    if (out.Get(ResourceOf(name)) == 0) out.Set(ResourceOf(name), count);
  }
  return out;
}

Licences LicencesOf(const ResourceSet& jobwide, const Licences& there) {
  Licences out;
  std::set<std::string> resources;
  for (const auto& [name, _] : there) {
    if (!resources.insert(ResourceOf(name)).second) continue;
    if (const int64_t amount = jobwide.Get(ResourceOf(name)); amount > 0) out[name] = amount;
  }
  return out;
}

}  // namespace muster::driver::slurm
