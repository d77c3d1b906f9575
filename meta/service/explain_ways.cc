// Sites propose changes of one part, in their own durations. Here these become changes of the job,
// in terms of `muster alter`.
#include "meta/service/explain_ways.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/units.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/validate.h"

namespace muster::meta {
namespace {

using schemas::CheaperWay;
using schemas::RequestSpec;

struct Candidate {
  Way way;
  Instant start;  // of the changed part, at the site that proposed it
};

class Maker {
 public:
  Maker(const ServiceLayer& f, const Turn& t, const Request& subject)
      : f_(f), t_(t), subject_(subject), job_(ShownId(subject)) {}

  const RequestSpec& spec() const { return subject_.record().spec; }

  // The way once forced durations are applied; nullopt if it is then invalid, or changes nothing.
  std::optional<Way> Changed(Way way) const {
    const bool longer = way.spec.duration != spec().duration || way.spec.parts != spec().parts;
    if (longer) FillDuration(f_, way.spec, subject_.record().requester.user);
    if (way.spec == spec()) return std::nullopt;
    if (CheckRequest(f_, way.spec, t_.plan, false) ||
        NeverRuns(f_, way.spec, subject_.record().requester.user, t_.plan)) {
      return std::nullopt;
    }
    return way;
  }

  std::optional<Way> InTime(Span duration, Way::Kind kind = Way::Kind::kChange) const {
    if (duration <= Span{0} || duration >= spec().duration) return std::nullopt;
    Way way{.kind = kind,
            .text = "in " + DurationText(duration),
            .argv = {"alter", job_, "-t", DurationText(duration)},
            .number = "duration",
            .left = duration.seconds,
            .spec = spec()};
    way.spec.duration = duration;
    return Changed(std::move(way));
  }

  std::optional<Way> Proposed(const std::string& site, const CheaperWay& cheaper) const {
    if (cheaper.part == 0 || cheaper.part > spec().parts.size()) return std::nullopt;
    const schemas::PartSpec& before = spec().parts[cheaper.part - 1];
    const schemas::PartDemand& after = cheaper.demand;
    const Span length = AskedAt(f_, spec(), site);
    if (after.duration < length) {
      Span duration = ReferenceOf(f_, spec(), site, after.duration);
      if (duration >= Span{600}) duration.seconds -= duration.seconds % 60;
      return InTime(duration);
    }
    const bool several = spec().parts.size() > 1;
    const std::string part = std::to_string(cheaper.part);
    Way way{.text = (several ? "part " + part + " " : "") + cheaper.text,
            .argv = {"alter", job_ + (several ? "." + part : "")},
            .spec = spec()};
    way.argv.insert(way.argv.end(), cheaper.argv.begin(), cheaper.argv.end());
    schemas::PartSpec& changed = way.spec.parts[cheaper.part - 1];
    changed.chunks = after.chunks;
    changed.place = after.place;
    changed.exclusive = after.exclusive;
    NameNumber(before, changed, part, way);
    return Changed(std::move(way));
  }

  std::optional<Way> NotApart() const {
    if (!spec().apart || spec().parts.size() < 2) return std::nullopt;
    Way way{.text = "parts on fewer sites", .argv = {"alter", job_, "--no-apart"}, .spec = spec()};
    way.spec.apart = false;
    return Changed(std::move(way));
  }
  std::optional<Way> AnySite() const {
    Way way{.text = "at any site", .argv = {"alter", job_, "--site", "any"}, .spec = spec()};
    for (schemas::PartSpec& part : way.spec.parts) part.sites.clear();
    return Changed(std::move(way));
  }

 private:
  // Names the quantity that the way reduces (Way::number), if any: the sets of the part, or the
  // amount of one resource.
  static void NameNumber(const schemas::PartSpec& before, const schemas::PartSpec& after,
                         const std::string& part, Way& way) {
    if (before.chunks.size() != after.chunks.size()) return;
    for (size_t c = 0; c < after.chunks.size(); ++c) {
      const schemas::Chunk& was = before.chunks[c];
      const schemas::Chunk& is = after.chunks[c];
      if (is.count < was.count) way.number = part + ":sets";
      for (const auto& [name, amount] : was.resources.entries()) {
        const int64_t rest = is.resources.Get(name);
        if (rest > 0 && rest < amount) way.number = part + ":" + name;
        if (rest > 0 && rest < amount) way.left = std::max(way.left, rest);
      }
    }
    if (way.number != part + ":sets") return;
    for (const schemas::Chunk& chunk : after.chunks) way.left += chunk.count;
  }

  const ServiceLayer& f_;
  const Turn& t_;
  const Request& subject_;
  std::string job_;
};

// For each quantity, keeps the largest amount that any site proposed, and the largest one that
// starts at once at its site.
void KeepLargest(std::vector<Candidate>& candidates, Instant at_once) {
  const std::vector<Candidate> all = candidates;
  std::erase_if(candidates, [&](const Candidate& one) {
    if (one.way.number.empty()) return false;
    const auto larger = [&](const Candidate& other) {
      return other.way.number == one.way.number && other.way.left > one.way.left;
    };
    const bool soon = one.start <= at_once;
    return std::any_of(all.begin(), all.end(), larger) &&
           (!soon || std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
             return larger(other) && other.start <= at_once;
           }));
  });
}

}  // namespace

WaysTried WaysOf(const ServiceLayer& f, const Turn& t, const Request& subject,
                 const std::map<AskedPart, schemas::ExplainView>& views, Instant earliest,
                 bool quarters) {
  const Maker maker(f, t, subject);
  WaysTried out;
  const auto add = [&out](std::optional<Way> way) {
    if (way) out.Add(*std::move(way));
  };
  out.Add({.kind = Way::Kind::kAsItIs, .text = "as it is", .spec = maker.spec()});
  add(maker.InTime(Span{1}, Way::Kind::kShortest));
  add(maker.NotApart());
  add(maker.AnySite());
  std::vector<Candidate> candidates;
  for (const auto& [at, view] : views) {
    for (const CheaperWay& cheaper : view.changes) {
      if (auto way = maker.Proposed(at.second, cheaper)) {
        candidates.push_back({*std::move(way), cheaper.start});
      }
    }
  }
  // A single part may go to the site where most of it fits. Each of several parts has its own
  // limit, so all proposals stay.
  if (maker.spec().parts.size() == 1) KeepLargest(candidates, earliest + kWaySaves);
  const bool shorter = std::any_of(candidates.begin(), candidates.end(), [](const Candidate& one) {
    return one.way.number == "duration";
  });
  for (Candidate& one : candidates) out.Add(std::move(one.way));
  for (int64_t left = 3; quarters && !shorter && left > 0; --left) {
    Span duration{maker.spec().duration.seconds * left / 4};
    if (duration >= Span{600}) duration.seconds -= duration.seconds % 60;
    add(maker.InTime(duration));
  }
  return out;
}

}  // namespace muster::meta
