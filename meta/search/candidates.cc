// Home and distance come from the configuration, load from the shadows.
#include "meta/search/candidates.h"

#include <algorithm>
#include <utility>

#include "meta/attempts/attempts.h"
#include "meta/requests/credits.h"
#include "meta/requests/homes.h"
#include "meta/requests/site_speeds.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using partitioner::Candidate;
using schemas::VerdictEntry;
using schemas::VerdictKind;

// Whether there is too little credit for the whole request at this site. Of several parts each may
// be at another site, so nobody can tell; nor if there is no start yet.
bool IsUnpaid(const SearchLayer& f, const Turn& t, const Request& request, const std::string& site,
              Instant start) {
  const bool one = request.record().spec.parts.size() == 1;
  return f.options.bank && one && start < kFarFuture && IsByUser(request) &&
         !CanPay(f, request, {site}, start, TailAlone(f, t, request), t.plan);
}

// Whether the search has found that the part of several must cost less than it does at this site.
bool IsTooDear(const SearchLayer& f, const Request& request, size_t part, const std::string& site) {
  const auto& below = f.searches.Of(request.id()).below;
  const auto most = below.find(part);
  return most != below.end() && LeastPriceAt(f, request.record().spec, part, site) >= most->second;
}

}  // namespace

int64_t TransferFromHome(const SearchLayer& f, const Request& request, const std::string& site) {
  const auto it = f.users.find(request.record().requester.user);
  if (it == f.users.end() || it->second.home.empty()) return 0;
  return f.options.transfer.Between(it->second.home, site);
}

partitioner::TransferOf TransferOfSites(const SearchLayer& f) {
  if (f.options.transfer.empty()) return nullptr;
  return [distances = f.options.transfer](const std::vector<std::string>& part_sites) {
    return distances.Among(part_sites);
  };
}

Candidate CandidateAt(const SearchLayer& f, const Turn& t, const Request& request, size_t part,
                      const std::string& site, Instant start) {
  const schemas::RequestSpec& spec = request.record().spec;
  return {.site = site,
          .start = start,
          .length = spec.parts[part].offset + LengthAt(f, spec, site),
          .spoils = f.rarity.SpoilsOf(site, spec.parts[part]),
          .load = f.sites.at(site).shadow.Load(t.NowCeiling()),
          .balance = f.balances.Of(site),
          .cost = CostAt(f, site),
          .home = IsHome(f, request.record().requester.user, site),
          .transfer = TransferFromHome(f, request, site),
          .unpaid = IsUnpaid(f, t, request, site, start)};
}

std::vector<std::string> PaidOf(const SearchLayer& f, const Turn& t, const Request& request,
                                size_t part, std::vector<std::string> sites) {
  const schemas::RequestSpec& spec = request.record().spec;
  if (!IsPaid(f, spec) || !IsByUser(request)) return sites;
  const bool one = spec.parts.size() == 1;
  std::vector<std::string> paid;
  for (const std::string& site : sites) {
    const bool can =
        one ? !IsUnpaid(f, t, request, site, t.NowCeiling()) : !IsTooDear(f, request, part, site);
    if (can) paid.push_back(site);
  }
  return paid.empty() ? sites : paid;
}

std::optional<Candidate> BestOf(const SearchLayer& f, const Turn& t, const Request& request,
                                const std::map<std::string, VerdictEntry>& by_site) {
  std::optional<Candidate> best;
  for (const auto& [site, verdict] : by_site) {
    if (!f.sites.at(site).Up()) continue;
    if (verdict.kind != VerdictKind::kAccepted && verdict.kind != VerdictKind::kCountered) continue;
    Candidate candidate = CandidateAt(f, t, request, 0, site, verdict.start);
    if (!best || partitioner::Better(candidate, *best)) best = std::move(candidate);
  }
  return best;
}

std::vector<std::string> UpSites(const SearchLayer& f, const schemas::RequestSpec& spec,
                                 size_t part) {
  std::vector<std::string> out = partitioner::EligibleSites(spec.parts[part], f.site_names);
  std::erase_if(out, [&](const std::string& name) {
    const Site& site = f.sites.at(name);
    return !site.Up() || site.disk_low;
  });
  return out;
}

std::vector<std::string> SitesMissed(const SearchLayer& f, const schemas::RequestSpec& spec) {
  std::vector<std::vector<std::string>> up;
  std::vector<std::string> missed;
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    up.push_back(UpSites(f, spec, i));
    std::vector<std::string> sites = partitioner::EligibleSites(spec.parts[i], f.site_names);
    if (up[i].empty()) return sites;
    for (std::string& site : sites) {
      const bool is_up = std::find(up[i].begin(), up[i].end(), site) != up[i].end();
      if (!is_up) missed.push_back(std::move(site));
    }
  }
  if (!spec.apart || partitioner::CanBeApart(up)) return {};
  std::sort(missed.begin(), missed.end());
  missed.erase(std::unique(missed.begin(), missed.end()), missed.end());
  return missed;
}

}  // namespace muster::meta
