// R5 and R6: parts of one site are one demand over their hull, sites meet by leapfrog.
#include "partitioner/choose.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "meta/packing/packing.h"
#include "partitioner/meet.h"

namespace muster::packing {
namespace {

const Choice& ChoiceAt(const Part& part, size_t bin) {
  return *std::find_if(part.choices.begin(), part.choices.end(),
                       [bin](const Choice& choice) { return choice.bin == bin; });
}

bool Several(const std::vector<size_t>& bins) {
  return std::any_of(bins.begin(), bins.end(), [&](size_t bin) { return bin != bins.front(); });
}

// All that a request has at one bin: the sum of its parts over the span that holds them all.
struct Demand {
  ResourceSet amounts;
  Span first{kFarFuture.seconds};
  Span end;
};

std::map<size_t, Demand> DemandsOf(const Entry& entry, const std::vector<size_t>& bins) {
  const Span tail = Several(bins) ? entry.tail : Span{0};
  std::map<size_t, Demand> out;
  for (size_t p = 0; p < bins.size(); ++p) {
    const Part& part = entry.parts[p];
    const Choice& choice = ChoiceAt(part, bins[p]);
    Demand& demand = out[bins[p]];
    demand.amounts += choice.amounts;
    demand.first = std::min(demand.first, part.offset);
    demand.end = std::max(demand.end, part.offset + choice.length + tail);
  }
  return out;
}

// The first allowed start that `earliest` names for itself.
std::optional<Instant> FirstAllowed(const IntervalSet& allowed, Instant from,
                                    const partitioner::EarliestFrom& earliest) {
  for (std::optional<Instant> t = allowed.FirstFrom(from); t; t = allowed.FirstFrom(*t)) {
    const std::optional<Instant> start = earliest(*t);
    if (!start || allowed.Contains(*start)) return start;
    t = start;
  }
  return std::nullopt;
}

std::optional<Place> ChooseOne(const Problem& problem, const Entry& entry, Instant not_before,
                               const Offer& offer) {
  using Key = std::tuple<Instant, Instant, int64_t, int64_t, bool, std::string>;
  std::optional<std::pair<Key, size_t>> best;
  for (const Choice& choice : entry.parts[0].choices) {
    const std::optional<Instant> start = StartAt(problem, entry, {choice.bin}, not_before, offer);
    if (!start) continue;
    Key key(*start, *start + choice.length, choice.cost, choice.transfer, !choice.home,
            problem.bins[choice.bin].name());
    if (!best || key < best->first) best.emplace(std::move(key), choice.bin);
  }
  if (!best) return std::nullopt;
  return Place{{best->second}, std::get<0>(best->first)};
}

}  // namespace

std::optional<Instant> StartAt(const Problem& problem, const Entry& entry,
                               const std::vector<size_t>& bins, Instant not_before,
                               const Offer& offer) {
  const std::map<size_t, Demand> demands = DemandsOf(entry, bins);
  std::vector<partitioner::EarliestFrom> sites;
  for (const auto& [bin, demand] : demands) {
    sites.push_back([&offer, &demand = demand, bin = bin](Instant t) -> std::optional<Instant> {
      const std::optional<Instant> fit =
          offer(bin, demand.amounts, t + demand.first, demand.end - demand.first);
      if (!fit) return std::nullopt;
      return *fit - demand.first;
    });
  }
  Instant from = std::max(not_before, problem.now);
  if (demands.size() > 1) from = std::max(from, entry.joint_from);
  return FirstAllowed(entry.allowed, from,
                      [&sites](Instant t) { return partitioner::MeetFrom(sites, t); });
}

std::optional<Place> Choose(const Problem& problem, const Entry& entry, Instant not_before,
                            const Offer& offer) {
  if (entry.parts.size() == 1) return ChooseOne(problem, entry, not_before, offer);
  std::map<std::string, size_t> index;
  std::vector<std::vector<partitioner::Candidate>> parts(entry.parts.size());
  for (size_t p = 0; p < entry.parts.size(); ++p) {
    for (const Choice& choice : entry.parts[p].choices) {
      const Span offset = entry.parts[p].offset;
      const Instant from = std::max(not_before, problem.now) + offset;
      const std::optional<Instant> alone = offer(choice.bin, choice.amounts, from, choice.length);
      if (!alone) continue;
      const std::string& name = problem.bins[choice.bin].name();
      index[name] = choice.bin;
      parts[p].push_back({name, *alone - offset, 0, choice.home});
    }
  }
  const auto bins_of = [&index](const std::vector<std::string>& names) {
    std::vector<size_t> out;
    for (const std::string& name : names) out.push_back(index.at(name));
    return out;
  };
  const std::optional<partitioner::Assignment> found = partitioner::Assign(
      std::move(parts), entry.apart, problem.now, [&](const std::vector<std::string>& names) {
        return StartAt(problem, entry, bins_of(names), not_before, offer);
      });
  if (!found) return std::nullopt;
  return Place{bins_of(found->part_sites), found->start};
}

void Take(Problem& problem, const Entry& entry, const Place& place) {
  const Span tail = Several(place.bins) ? entry.tail : Span{0};
  for (size_t p = 0; p < place.bins.size(); ++p) {
    const Choice& choice = ChoiceAt(entry.parts[p], place.bins[p]);
    problem.bins[place.bins[p]].Take(choice.amounts, place.start + entry.parts[p].offset,
                                     choice.length + tail);
  }
}

std::vector<size_t> Followed(const std::vector<Entry>& entries, std::vector<size_t> order) {
  std::vector<size_t> out;
  std::set<size_t> placed;
  const std::set<size_t> known(order.begin(), order.end());
  // Each pass takes what may go; what waits for itself (which no caller asks for) keeps its order.
  while (!order.empty()) {
    std::vector<size_t> later;
    for (const size_t i : order) {
      const std::vector<size_t>& after = entries[i].after;
      const bool waits = std::any_of(after.begin(), after.end(), [&](size_t j) {
        return known.contains(j) && !placed.contains(j);
      });
      if (waits) {
        later.push_back(i);
      } else {
        out.push_back(i);
        placed.insert(i);
      }
    }
    if (later.size() == order.size()) {
      out.insert(out.end(), later.begin(), later.end());
      break;
    }
    order = std::move(later);
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
