// Rules R5 and R6. Parts that share a site form one demand over their hull; sites meet by leapfrog.
#include <algorithm>
#include <map>
#include <string>

#include "base/check.h"
#include "meta/search/packing/making.h"
#include "partitioner/meet.h"

namespace muster::packing {
namespace {

// The demand of a request at one bin: the sum of its parts over the span that covers them.
struct Demand {
  size_t bin = 0;
  ResourceSet amounts;
  Span first;
  Span end;
};

std::vector<Demand> DemandsOf(const Entry& entry, const std::vector<size_t>& bins) {
  const Span tail = Several(bins) ? entry.tail : Span{0};
  std::vector<Demand> out;
  for (size_t p = 0; p < bins.size(); ++p) {
    const Part& part = entry.parts[p];
    const Choice& choice = ChoiceAt(part, bins[p]);
    const Span end = part.offset + choice.length + tail;
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const Demand& demand) { return demand.bin == bins[p]; });
    if (same == out.end()) {
      out.push_back({bins[p], choice.amounts, part.offset, end});
    } else {
      same->amounts += choice.amounts;
      same->first = std::min(same->first, part.offset);
      same->end = std::max(same->end, end);
    }
  }
  return out;
}

// The first allowed start up to `until` that `earliest` confirms.
template <typename Earliest>
std::optional<Instant> FirstAllowed(const IntervalSet& allowed, Instant from, Instant until,
                                    const Earliest& earliest) {
  for (std::optional<Instant> t = allowed.FirstFrom(from); t && *t <= until;
       t = allowed.FirstFrom(*t)) {
    const std::optional<Instant> start = earliest(*t);
    if (!start || *start > until) return std::nullopt;
    if (allowed.Contains(*start)) return start;
    t = start;
  }
  return std::nullopt;
}

std::optional<Instant> StartAlone(const Problem& problem, const Entry& entry, const Choice& choice,
                                  Instant not_before, const Offer& offer, Instant until) {
  const std::optional<Bin::Need> need = problem.bins[choice.bin].NeedOf(choice.amounts);
  if (!need) return std::nullopt;
  const Span offset = entry.parts[0].offset;
  return FirstAllowed(entry.allowed, std::max(not_before, problem.now), until,
                      [&](Instant t) -> std::optional<Instant> {
                        const std::optional<Instant> fit =
                            offer(choice.bin, *need, t + offset, choice.length, until + offset);
                        if (!fit) return std::nullopt;
                        return *fit - offset;
                      });
}

std::optional<Place> ChooseOne(const Problem& problem, const Entry& entry, Instant not_before,
                               const Offer& offer) {
  const Choice* best = nullptr;
  Instant best_start = kFarFuture;
  for (const Choice& choice : entry.parts[0].choices) {
    const std::optional<Instant> start =
        StartAlone(problem, entry, choice, not_before, offer, best_start);
    if (!start) continue;
    if (best && *start == best_start) {
      const Part& part = entry.parts[0];
      if (!partitioner::Better(CandidateOf(problem, part, choice, *start),
                               CandidateOf(problem, part, *best, *start))) {
        continue;
      }
    }
    best = &choice;
    best_start = *start;
  }
  if (!best) return std::nullopt;
  return Place{{best->bin}, best_start};
}

}  // namespace

const Choice& ChoiceAt(const Part& part, size_t bin) {
  const auto it = std::find_if(part.choices.begin(), part.choices.end(),
                               [bin](const Choice& choice) { return choice.bin == bin; });
  MUSTER_CHECK(it != part.choices.end());
  return *it;
}

bool Several(const std::vector<size_t>& bins) {
  return std::any_of(bins.begin(), bins.end(), [&](size_t bin) { return bin != bins.front(); });
}

partitioner::Candidate CandidateOf(const Problem& problem, const Part& part, const Choice& choice,
                                   Instant start) {
  const Bin& bin = problem.bins[choice.bin];
  return {.site = bin.name(),
          .start = start,
          .length = part.offset + choice.length,
          .spoils = choice.spoils,
          .load = bin.Load(),
          .balance = choice.balance,
          .cost = choice.cost,
          .home = choice.home,
          .transfer = choice.transfer};
}

std::optional<Instant> StartAt(const Problem& problem, const Entry& entry,
                               const std::vector<size_t>& bins, Instant not_before,
                               const Offer& offer, Instant until) {
  if (bins.size() == 1) {
    return StartAlone(problem, entry, ChoiceAt(entry.parts[0], bins[0]), not_before, offer, until);
  }
  const std::vector<Demand> demands = DemandsOf(entry, bins);
  std::vector<partitioner::EarliestFrom> sites;
  for (const Demand& demand : demands) {
    std::optional<Bin::Need> need = problem.bins[demand.bin].NeedOf(demand.amounts);
    if (!need) return std::nullopt;
    sites.push_back(
        [&offer, &demand, need = *std::move(need)](Instant t) -> std::optional<Instant> {
          const std::optional<Instant> fit =
              offer(demand.bin, need, t + demand.first, demand.end - demand.first, kFarFuture);
          if (!fit) return std::nullopt;
          return *fit - demand.first;
        });
  }
  Instant from = std::max(not_before, problem.now);
  if (demands.size() > 1) from = std::max(from, entry.joint_from);
  return FirstAllowed(entry.allowed, from, until,
                      [&sites](Instant t) { return partitioner::MeetFrom(sites, t); });
}

std::optional<Place> ChooseSeveral(const Problem& problem, const Entry& entry, Instant not_before,
                                   const Offer& offer, const StartAtBins& start_at) {
  std::map<std::string, size_t> index;
  std::vector<std::vector<partitioner::Candidate>> parts(entry.parts.size());
  for (size_t p = 0; p < entry.parts.size(); ++p) {
    const Part& part = entry.parts[p];
    const Instant from = std::max(not_before, problem.now) + part.offset;
    for (const Choice& choice : part.choices) {
      const std::optional<Bin::Need> need = problem.bins[choice.bin].NeedOf(choice.amounts);
      if (!need) continue;
      const std::optional<Instant> alone =
          offer(choice.bin, *need, from, choice.length, kFarFuture);
      if (!alone) continue;
      parts[p].push_back(CandidateOf(problem, part, choice, *alone - part.offset));
      index[parts[p].back().site] = choice.bin;
    }
    if (parts[p].empty()) return std::nullopt;
  }
  const auto bins_of = [&index](const std::vector<std::string>& names) {
    std::vector<size_t> out;
    for (const std::string& name : names) out.push_back(index.at(name));
    return out;
  };
  const std::optional<partitioner::Assignment> found = partitioner::Assign(
      std::move(parts), entry.apart,
      [&](const std::vector<std::string>& names) { return start_at(bins_of(names)); },
      problem.transfer_of);
  if (!found) return std::nullopt;
  return Place{bins_of(found->part_sites), found->start};
}

std::optional<Place> Choose(const Problem& problem, const Entry& entry, Instant not_before,
                            const Offer& offer) {
  if (entry.parts.size() == 1) return ChooseOne(problem, entry, not_before, offer);
  return ChooseSeveral(problem, entry, not_before, offer, [&](const std::vector<size_t>& bins) {
    return StartAt(problem, entry, bins, not_before, offer);
  });
}

std::vector<Hull> Take(const Entry& entry, const Place& place, std::vector<Bin>& bins) {
  const Span tail = Several(place.bins) ? entry.tail : Span{0};
  std::vector<Hull> out;
  for (size_t p = 0; p < place.bins.size(); ++p) {
    const size_t bin = place.bins[p];
    const Choice& choice = ChoiceAt(entry.parts[p], bin);
    const Instant start = place.start + entry.parts[p].offset;
    const Span length = choice.length + tail;
    std::optional<Bin::Need> need = bins[bin].NeedOf(choice.amounts);
    MUSTER_CHECK(need.has_value());
    bins[bin].Take(*need, start, length);
    const auto same =
        std::find_if(out.begin(), out.end(), [bin](const Hull& hull) { return hull.bin == bin; });
    if (same == out.end()) {
      out.push_back({bin, start, length, std::move(need)});
    } else {
      same->need.reset();
      const Instant end = std::max(same->start + same->length, start + length);
      same->start = std::min(same->start, start);
      same->length = end - same->start;
    }
  }
  return out;
}

Instant NotBefore(const Problem& problem, const Entry& entry, const Schedule& schedule) {
  Instant out = problem.now;
  for (const size_t before : entry.after) {
    if (before >= schedule.size() || !schedule[before]) continue;
    const Entry& other = problem.entries[before];
    const Place& place = *schedule[before];
    for (size_t p = 0; p < other.parts.size(); ++p) {
      const Span length = ChoiceAt(other.parts[p], place.bins[p]).length;
      out = std::max(out, place.start + other.parts[p].offset + length);
    }
  }
  return out;
}

}  // namespace muster::packing
