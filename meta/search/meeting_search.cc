// A shadow is a hint: it gives the order of the questions, or saves them.
#include "meta/search/meeting_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "meta/attempts/attempts.h"
#include "meta/requests/homes.h"
#include "meta/requests/horizon.h"
#include "meta/requests/site_speeds.h"
#include "meta/search/candidates.h"
#include "meta/search/queueing.h"
#include "meta/search/shadow_starts.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

using partitioner::Group;
using partitioner::Meeting;
using partitioner::MeetingQuestion;
using partitioner::MeetingSite;
using schemas::RequestSpec;
using schemas::VerdictEntry;
using schemas::VerdictKind;

IntervalSet StartsOf(const SearchLayer& f, const Turn& t, const Seeker& seeker, bool several,
                     const std::string& site) {
  IntervalSet starts;
  if (seeker.to_be_placed) {
    starts = StartsSought(f, t, *seeker.request, several, site);
  } else if (seeker.request) {
    starts = StartsAt(f, t, *seeker.request, several, {site});
  } else {
    starts = StartsAt(f, t, seeker.spec, seeker.user, several, {site});
  }
  return starts.NotBefore(seeker.not_before);
}

bool SaidNever(const SearchLayer& f, const Seeker& seeker, size_t part, const std::string& site) {
  return seeker.on_record && f.searches.SaidNever(seeker.request->id(), part, site);
}

// Shadows of sites, with the place to be replaced left out.
class Shadows {
 public:
  Shadows(const SearchLayer& f, std::optional<Fence> without) : f_(f), without_(without) {}
  const partitioner::Shadow& At(const std::string& name) {
    const Site& site = f_.sites.at(name);
    if (!without_ || !site.attempts.contains(*without_)) return site.shadow;
    const auto it = without_it_.find(name);
    if (it != without_it_.end()) return it->second;
    return without_it_.emplace(name, site.shadow.Without({*without_})).first->second;
  }

 private:
  const SearchLayer& f_;
  std::optional<Fence> without_;
  std::map<std::string, partitioner::Shadow> without_it_;
};

// A site maps its parts in the order of their numbers. So if a request has unlike parts, even two
// equal ones are not interchangeable: up to this many parts, each part is a kind of its own.
constexpr size_t kOwnKinds = 6;

// What the part must cost less than, if the search has found that.
std::optional<int64_t> Below(const SearchLayer& f, const Seeker& seeker, size_t part) {
  if (!seeker.request) return std::nullopt;
  const auto& below = f.searches.Of(seeker.request->id()).below;
  const auto it = below.find(part);
  return it == below.end() ? std::nullopt : std::optional(it->second);
}

// The kind of each part. Equal parts share a kind if all parts are equal, or if there are more than
// kOwnKinds. `first_of_kind` gets the first part of each kind.
std::vector<size_t> KindsOf(const SearchLayer& f, const Seeker& seeker,
                            std::vector<size_t>& first_of_kind) {
  const RequestSpec& spec = seeker.spec;
  std::vector<size_t> out;
  const auto like = [&](size_t a, size_t b) {
    return spec.parts[a] == spec.parts[b] && Below(f, seeker, a) == Below(f, seeker, b);
  };
  bool alike = true;
  for (size_t i = 0; i < spec.parts.size(); ++i) alike = alike && like(i, 0);
  if (!alike && spec.parts.size() <= kOwnKinds) {
    for (size_t i = 0; i < spec.parts.size(); ++i) first_of_kind.push_back(i);
    return first_of_kind;
  }
  for (size_t i = 0; i < spec.parts.size(); ++i) {
    size_t kind = 0;
    while (kind < first_of_kind.size() && !like(first_of_kind[kind], i)) ++kind;
    if (kind == first_of_kind.size()) first_of_kind.push_back(i);
    out.push_back(kind);
  }
  return out;
}

// How many parts of each kind there are among these.
Group GroupOf(const std::vector<size_t>& kinds, const std::vector<size_t>& parts) {
  Group out(kinds.size(), 0);
  for (const size_t part : parts) ++out[kinds[part]];
  return out;
}

// For each of these parts the sites where it is sought, if it was too dear at others; else empty.
std::vector<std::set<std::string>> PaidSites(const SearchLayer& f, const Turn& t,
                                             const Seeker& seeker,
                                             const std::vector<size_t>& parts) {
  std::vector<std::set<std::string>> out;
  if (!seeker.on_record || f.searches.Of(seeker.request->id()).below.empty()) return out;
  for (const size_t part : parts) {
    const std::vector<std::string> paid =
        PaidOf(f, t, *seeker.request, part, UpSites(f, seeker.spec, part));
    out.emplace_back(paid.begin(), paid.end());
  }
  return out;
}

std::optional<MeetingSite> SiteOf(const SearchLayer& f, const Turn& t, const Seeker& seeker,
                                  const std::vector<size_t>& first_of_kind,
                                  const std::vector<std::set<std::string>>& paid,
                                  const std::string& name, Shadows& shadows) {
  MeetingSite out{.name = name};
  bool any = false;
  for (size_t kind = 0; kind < first_of_kind.size(); ++kind) {
    const size_t part = first_of_kind[kind];
    const bool may = partitioner::MayRunAt(seeker.spec.parts[part], name) &&
                     !SaidNever(f, seeker, part, name) &&
                     (paid.empty() || paid[kind].contains(name));
    any = any || may;
    out.may_run.push_back(may);
    out.spoils.push_back(f.rarity.SpoilsOf(name, seeker.spec.parts[part]));
  }
  if (!any) return std::nullopt;
  out.alone = StartsOf(f, t, seeker, false, name);
  out.beside = StartsOf(f, t, seeker, true, name);
  if (out.alone.empty()) return std::nullopt;
  const Instant earliest = out.alone.intervals()[0].begin;
  out.shadow = kFarFuture;
  // No shadow knows the system inside of a reservation.
  if (seeker.spec.inside || !f.sites.at(name).shadow.known()) out.shadow = earliest;
  for (size_t kind = 0; kind < first_of_kind.size() && out.shadow > earliest; ++kind) {
    if (!out.may_run[kind]) continue;
    const auto fit =
        ShadowStart(f, shadows.At(name), seeker.spec,
                    AtSite(seeker.spec, {first_of_kind[kind]}, name), name, earliest, Span{0});
    if (fit) out.shadow = std::min(out.shadow, *fit);
  }
  out.length = LengthAt(f, seeker.spec, name);
  out.home = IsHome(f, seeker.user, name);
  out.load = f.sites.at(name).shadow.Load(t.NowCeiling());
  out.balance = f.balances.Of(name);
  out.cost = CostAt(f, name);
  return out;
}

Meeting MeetingOver(const SearchLayer& f, const Turn& t, const Seeker& seeker, Shadows& shadows) {
  std::vector<size_t> first_of_kind;
  std::vector<size_t> kinds = KindsOf(f, seeker, first_of_kind);
  std::vector<Span> offsets;
  for (const size_t part : first_of_kind) offsets.push_back(seeker.spec.parts[part].offset);
  const std::vector<std::set<std::string>> paid = PaidSites(f, t, seeker, first_of_kind);
  std::vector<MeetingSite> sites;
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (!site.Up() || site.disk_low) continue;
    if (auto facts = SiteOf(f, t, seeker, first_of_kind, paid, name, shadows)) {
      sites.push_back(*std::move(facts));
    }
  }
  return Meeting(std::move(kinds), std::move(offsets), seeker.spec.apart, std::move(sites),
                 {.ask_sites = f.options.ask_joint});
}

// Numbers of the parts that an attempt has at this site.
std::vector<size_t> PartsAt(const Attempt& attempt, const std::string& site) {
  std::vector<size_t> out;
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    if (attempt.record().part_sites[i] == site) out.push_back(i);
  }
  return out;
}

VerdictEntry ShadowAnswer(Instant start, const IntervalSet& allowed) {
  VerdictEntry out{.kind = VerdictKind::kBlocked};
  if (!allowed.Contains(start)) return out;
  out.kind = VerdictKind::kCountered;
  out.start = start;
  out.starts = IntervalSet::Only(start);
  return out;
}

VerdictEntry ShadowAnswers(const partitioner::Shadow::Starts& told, const IntervalSet& allowed) {
  VerdictEntry out{.kind = VerdictKind::kBlocked};
  out.starts = told.starts.Intersect(allowed);
  if (out.starts.empty()) return out;
  out.kind = VerdictKind::kCountered;
  out.start = out.starts.intervals()[0].begin;
  out.complete_until = told.complete_until;
  return out;
}

IntervalSet Both(const IntervalSet& a, const IntervalSet& b) {
  std::vector<Interval> all = a.intervals();
  all.insert(all.end(), b.intervals().begin(), b.intervals().end());
  return IntervalSet(std::move(all));
}

// When a part on its own might start at a site, according to the shadow and to the site's offer.
IntervalSet ChancesAt(const SearchLayer& f, const Seeker& seeker, const Attempt& place, size_t part,
                      const std::string& name, const Interval& within, Shadows& shadows) {
  const Site& site = f.sites.at(name);
  if (!site.Up() || site.disk_low || SaidNever(f, seeker, part, name)) return {};
  if (!partitioner::MayRunAt(seeker.spec.parts[part], name)) return {};
  if (seeker.on_record && TellsLess(f, *seeker.request, name)) return {};
  if (!site.shadow.known()) return IntervalSet({within});
  const partitioner::Shadow::Starts told = ShadowStarts(
      f, shadows.At(name), seeker.spec, AtSite(seeker.spec, {part}, name), name, within, Span{0});
  IntervalSet starts = told.starts;
  if (told.complete_until < within.end) {
    starts = Both(starts, IntervalSet({{told.complete_until, within.end}}));
  }
  const auto offer = place.offers.find(name);
  if (offer == place.offers.end() || place.record().part_sites[part] != name) return starts;
  return Both(starts, offer->second);
}

// True if there is a start at which each part alone might start somewhere. A common start needs
// this, since several parts at one site need at least as much room as each of them.
bool PartsMightMeet(const SearchLayer& f, const Seeker& seeker, const Attempt& place,
                    const Interval& within, Shadows& shadows) {
  IntervalSet common({within});
  for (size_t part = 0; part < seeker.spec.parts.size() && !common.empty(); ++part) {
    IntervalSet any;
    for (const std::string& name : f.site_names) {
      any = Both(any, ChancesAt(f, seeker, place, part, name, within, shadows));
    }
    common = common.Intersect(any);
  }
  return !common.empty();
}

}  // namespace

Seeker SeekerOf(const Request& request, bool on_record) {
  return {.spec = request.record().spec,
          .request = &request,
          .on_record = on_record,
          .user = request.record().requester.user,
          .place = request.replacing};
}

Seeker SeekerOf(const Inquiry& inquiry) {
  if (inquiry.as) return SeekerOf(*inquiry.as, false);
  return {.spec = inquiry.spec, .user = inquiry.user};
}

std::vector<std::string> AtSite(const RequestSpec& spec, const std::vector<size_t>& parts,
                                const std::string& site) {
  std::vector<std::string> out(spec.parts.size());
  for (const size_t part : parts) out[part] = site;
  return out;
}

Meeting MeetingOf(const SearchLayer& f, const Turn& t, const Seeker& seeker) {
  Shadows shadows(f, seeker.place);
  return MeetingOver(f, t, seeker, shadows);
}

Span TailBehind(const SearchLayer& f, const Turn& t, const Seeker& seeker, bool whole) {
  if (!whole) return TailOf(f);
  return seeker.request ? TailAlone(f, t, *seeker.request) : Span{0};
}

std::optional<Instant> SeeksBehind(const SearchLayer& f, const Request& request) {
  const auto slack =
      partitioner::MeetSlack(f.searches.Of(request.id()).tries, f.options.meet_tries);
  if (!slack || slack->seconds == 0) return std::nullopt;
  return f.searches.Of(request.id()).best_slot + *slack;
}

std::optional<partitioner::Met> MeetByShadows(const SearchLayer& f, const Turn& t,
                                              const Request& request) {
  const Seeker seeker = SeekerOf(request);
  Shadows shadows(f, seeker.place);
  Meeting search = MeetingOver(f, t, seeker, shadows);
  const auto questions = search.questions();
  Instant alone = kFarFuture;
  Instant beside = kFarFuture;
  for (const auto& [name, asked] : questions) {
    if (!f.sites.at(name).shadow.known()) return std::nullopt;
    std::vector<VerdictEntry> answers;
    for (const MeetingQuestion& question : asked) {
      const Instant earliest = question.allowed.intervals()[0].begin;
      Instant& least = question.whole ? alone : beside;
      least = std::min(least, earliest);
      const auto start =
          ShadowStart(f, shadows.At(name), seeker.spec, AtSite(seeker.spec, question.parts, name),
                      name, earliest, TailBehind(f, t, seeker, question.whole));
      answers.push_back(ShadowAnswer(start.value_or(kFarFuture), question.allowed));
    }
    search.Take(name, {}, &answers);
  }
  std::optional<partitioner::Met> met = search.Best(f.options.transfer);
  if (!met) return std::nullopt;
  const bool several = partitioner::MembersOf(met->part_sites).size() > 1;
  // A single site needs no start barrier. So if one site could have all the parts, it might start
  // earlier than a co-allocation, even if its shadow does not show that.
  const bool nothing_better =
      several ? met->start == beside && alone == kFarFuture : met->start == alone;
  if (!nothing_better) return std::nullopt;
  return met;
}

// A shadow ignores nodes, shapes and rules, so it may show starts that do not exist but rarely
// misses one.
std::optional<Instant> EarliestChance(const SearchLayer& f, const Turn& t, const Request& request,
                                      const Attempt& place, const Interval& within,
                                      std::map<std::string, IntervalSet>& seen) {
  if (within.begin >= within.end) return std::nullopt;
  Seeker seeker = SeekerOf(request);
  seeker.place = place.fence();
  Shadows shadows(f, seeker.place);
  for (const std::string& name : place.record().members) {
    const std::vector<std::string> own = AtSite(seeker.spec, PartsAt(place, name), name);
    seen[name] = ShadowStarts(f, shadows.At(name), seeker.spec, own, name, within,
                              TailBehind(f, t, seeker, false))
                     .starts;
    const auto offer = place.offers.find(name);
    if (offer != place.offers.end()) seen[name] = Both(seen[name], offer->second);
  }
  if (!PartsMightMeet(f, seeker, place, within, shadows)) return std::nullopt;
  Meeting search = MeetingOver(f, t, seeker, shadows);
  std::vector<size_t> first_of_kind;
  const std::vector<size_t> kinds = KindsOf(f, seeker, first_of_kind);
  const IntervalSet worth({within});
  const auto questions = search.questions();
  for (const auto& [name, asked] : questions) {
    if (!f.sites.at(name).shadow.known()) return within.begin;
    const Group own = GroupOf(kinds, PartsAt(place, name));
    const auto offer = place.offers.find(name);
    std::vector<VerdictEntry> answers;
    for (const MeetingQuestion& question : asked) {
      const IntervalSet allowed = question.allowed.Intersect(worth);
      partitioner::Shadow::Starts starts =
          ShadowStarts(f, shadows.At(name), seeker.spec, AtSite(seeker.spec, question.parts, name),
                       name, within, TailBehind(f, t, seeker, question.whole));
      if (offer != place.offers.end() && GroupOf(kinds, question.parts) == own) {
        starts.starts = Both(starts.starts, offer->second);
      }
      answers.push_back(ShadowAnswers(starts, allowed));
    }
    search.Take(name, {}, &answers);
  }
  const std::optional<Instant> possible = search.Possible();
  return possible && *possible < within.end ? possible : std::nullopt;
}

}  // namespace muster::meta
