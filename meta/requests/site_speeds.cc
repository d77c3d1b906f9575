// Computed in thousandths and whole seconds, so that every daemon gets the same length.
#include "meta/requests/site_speeds.h"

#include <algorithm>

#include "partitioner/split.h"

namespace muster::meta {
namespace {

SiteTerms TermsOf(const RequestsLayer& f, const std::string& site) {
  const auto it = f.options.terms.find(site);
  return it == f.options.terms.end() ? SiteTerms{} : it->second;
}

Span Over(Span duration, int64_t speed) {
  return {(duration.seconds * kReferenceSpeed + speed - 1) / speed};
}

bool IsScaled(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return !f.options.terms.empty() && !spec.reserves;
}

}  // namespace

Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site) {
  return IsScaled(f, spec) ? Over(spec.duration, TermsOf(f, site).speed) : spec.duration;
}

Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec,
              const std::vector<std::string>& sites) {
  Span longest;
  for (const std::string& site : sites) longest = std::max(longest, LengthAt(f, spec, site));
  return longest;
}

Span ShortestLength(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  if (!IsScaled(f, spec)) return spec.duration;
  Span out;
  for (const schemas::PartSpec& part : spec.parts) {
    const std::vector<std::string> sites = partitioner::EligibleSites(part, f.site_names);
    if (sites.empty()) return spec.duration;
    Span shortest{kFarFuture.seconds};
    for (const std::string& site : sites) shortest = std::min(shortest, LengthAt(f, spec, site));
    out = std::max(out, shortest);
  }
  return out;
}

Instant LastStart(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return partitioner::LastAllowedStart(spec, ShortestLength(f, spec));
}

Span ReferenceOf(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site,
                 Span length) {
  if (!IsScaled(f, spec)) return length;
  return {length.seconds * TermsOf(f, site).speed / kReferenceSpeed};
}

int64_t SpeedAt(const RequestsLayer& f, const std::string& site) { return TermsOf(f, site).speed; }
int64_t CostAt(const RequestsLayer& f, const std::string& site) { return TermsOf(f, site).cost; }

}  // namespace muster::meta
