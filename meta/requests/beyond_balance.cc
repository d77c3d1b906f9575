// The balance is the one that R5 and the factor go by, worked out once a minute.
#include "meta/requests/beyond_balance.h"

#include <algorithm>
#include <vector>

#include "meta/requests/credentials.h"
#include "meta/requests/homes.h"
#include "partitioner/split.h"
#include "policy/balance.h"
#include "verifier/start_notice.h"

namespace muster::meta {
namespace {

// What the site has in one window is 1000 thousandths.
bool IsBeyond(const RequestsLayer& f, const Site& site) {
  if (!site.capacity) return false;
  const std::optional<int> slack = policy::LendsBeyond(site.capacity->capabilities);
  return slack && f.balances.ValueOf(site.name) > 10 * *slack;
}

template <typename Keeps>
std::optional<schemas::Reason> WhyNoSite(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                         Keeps keeps) {
  for (const schemas::PartSpec& part : spec.parts) {
    std::string kept;
    const std::vector<std::string> sites = partitioner::EligibleSites(part, f.site_names);
    const bool all = std::all_of(sites.begin(), sites.end(), [&](const std::string& name) {
      const Site& site = f.sites.at(name);
      if (!site.Up() || site.disk_low) return true;
      if (!keeps(name)) return false;
      kept = name;
      return true;
    });
    if (all && !kept.empty()) return WhyRoomIsKept(f, kept);
  }
  return std::nullopt;
}

}  // namespace

bool KeepsRoomFrom(const RequestsLayer& f, const schemas::RequestSpec& spec,
                   const std::string& user, const std::string& site) {
  const auto it = f.sites.find(site);
  if (it == f.sites.end() || !IsBeyond(f, it->second)) return false;
  return !IsHome(f, user, site) && !spec.inside && !AsksForLentRoom(f, spec);
}

bool KeepsRoomFrom(const RequestsLayer& f, const Request& request, const std::string& site) {
  const schemas::RequestRecord& record = request.record();
  if (!KeepsRoomFrom(f, record.spec, record.requester.user, site)) return false;
  if (!record.attempt) return !verifier::PromiseLost(record.history);
  const auto it = f.attempts.find(*record.attempt);
  if (it == f.attempts.end()) return true;
  const std::vector<std::string>& members = it->second.record().members;
  return !it->second.endangered && std::find(members.begin(), members.end(), site) == members.end();
}

schemas::Reason WhyRoomIsKept(const RequestsLayer& f, const std::string& site) {
  const int64_t value = f.balances.ValueOf(site);
  return {.code = schemas::ReasonCode::kShare,
          .subject = {.site = site},
          .text = "site " + site + " gave others " + std::to_string(value / 10) + "." +
                  std::to_string(value % 10) +
                  " % of a window more than its users took elsewhere, and lends beyond that"};
}

std::optional<schemas::Reason> WhyNoRoomBeyondBalances(const RequestsLayer& f,
                                                       const schemas::RequestSpec& spec,
                                                       const std::string& user) {
  return WhyNoSite(f, spec,
                   [&](const std::string& site) { return KeepsRoomFrom(f, spec, user, site); });
}

std::optional<schemas::Reason> WhyNoRoomBeyondBalances(const RequestsLayer& f,
                                                       const Request& request) {
  return WhyNoSite(f, request.record().spec,
                   [&](const std::string& site) { return KeepsRoomFrom(f, request, site); });
}

}  // namespace muster::meta
