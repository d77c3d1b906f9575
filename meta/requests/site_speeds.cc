// Computed in thousandths and whole seconds, so that every daemon gets the same length.
#include "meta/requests/site_speeds.h"

#include <algorithm>

#include "meta/requests/attempt_facts.h"
#include "partitioner/split.h"
#include "verifier/node_speeds.h"

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

// The site's nodes, if it states their speeds and they matter to the request; else null.
const schemas::Capacity* SpeedsStated(const RequestsLayer& f, const schemas::RequestSpec& spec,
                                      const std::string& site) {
  const auto it = f.sites.find(site);
  if (spec.reserves || it == f.sites.end() || !it->second.capacity) return nullptr;
  const std::vector<schemas::NodeClass>& classes = it->second.capacity->classes;
  const bool any = std::any_of(classes.begin(), classes.end(),
                               [](const auto& one) { return one.speed.has_value(); });
  return any ? &*it->second.capacity : nullptr;
}

bool AnySpeeds(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  return std::any_of(f.sites.begin(), f.sites.end(), [&](const auto& site) {
    return SpeedsStated(f, spec, site.first) != nullptr;
  });
}

}  // namespace

Span AskedAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site) {
  return IsScaled(f, spec) ? Over(spec.duration, TermsOf(f, site).speed) : spec.duration;
}

Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const std::string& site) {
  const Span asked = AskedAt(f, spec, site);
  const schemas::Capacity* nodes = SpeedsStated(f, spec, site);
  if (nodes == nullptr) return asked;
  int64_t least = kMostSpeed;
  for (const schemas::PartSpec& part : spec.parts) {
    if (!partitioner::MayRunAt(part, site)) continue;
    least = std::min(least, verifier::SpeedsFor(part, *nodes).least);
  }
  return Over(asked, least);
}

Span LengthAt(const RequestsLayer& f, const schemas::RequestSpec& spec,
              const std::vector<std::string>& sites) {
  Span longest;
  for (const std::string& site : sites) longest = std::max(longest, LengthAt(f, spec, site));
  return longest;
}

Span ShortestLength(const RequestsLayer& f, const schemas::RequestSpec& spec) {
  if (!IsScaled(f, spec) && !AnySpeeds(f, spec)) return spec.duration;
  Span out;
  for (const schemas::PartSpec& part : spec.parts) {
    const std::vector<std::string> sites = partitioner::EligibleSites(part, f.site_names);
    if (sites.empty()) return spec.duration;
    Span shortest{kFarFuture.seconds};
    for (const std::string& site : sites) {
      const schemas::Capacity* nodes = SpeedsStated(f, spec, site);
      const int64_t most = nodes ? verifier::SpeedsFor(part, *nodes).most : kFullSpeed;
      shortest = std::min(shortest, Over(AskedAt(f, spec, site), most));
    }
    out = std::max(out, shortest);
  }
  return out;
}

Span BookedLength(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt,
                  size_t part) {
  const std::string& site = attempt.record().part_sites[part];
  if (SpeedsStated(f, spec, site) == nullptr) return AskedAt(f, spec, site);
  const schemas::MirrorPart* booked = PartAt(f, attempt, part);
  if (booked == nullptr || booked->booking.nodes.empty()) return LengthAt(f, spec, site);
  return std::max(AskedAt(f, spec, site) + booked->booking.slower, Span{1});
}

Span BookedLength(const RequestsLayer& f, const schemas::RequestSpec& spec,
                  const Attempt& attempt) {
  Span longest;
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    longest = std::max(longest, BookedLength(f, spec, attempt, i));
  }
  return longest;
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

int64_t SpeedAt(const RequestsLayer& f, const schemas::RequestSpec& spec, const Attempt& attempt,
                size_t part) {
  const std::string& site = attempt.record().part_sites[part];
  const int64_t speed = SpeedAt(f, site);
  if (SpeedsStated(f, spec, site) == nullptr) return speed;
  const Span booked = BookedLength(f, spec, attempt, part);
  return std::max<int64_t>(speed * AskedAt(f, spec, site).seconds / booked.seconds, 1);
}
int64_t CostAt(const RequestsLayer& f, const std::string& site) { return TermsOf(f, site).cost; }

}  // namespace muster::meta
