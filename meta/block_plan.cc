// Amounts and durations in, places out; sites decide later.
#include "meta/block_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "meta/packing/packing.h"
#include "meta/placing.h"
#include "meta/queueing.h"
#include "meta/terms.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

// The packing problem of these requests, and which of the sites are its bins.
struct BlockProblem {
  packing::Problem problem;
  std::vector<std::string> sites;
};

packing::Entry EntryOf(const Federation& f, const Turn& t, const Request& request,
                       const std::vector<std::string>& sites) {
  const schemas::RequestSpec& spec = request.record.spec;
  packing::Entry out{.duration = spec.duration, .allowed = StartsFrom(f, t, request, false)};
  out.apart = spec.apart;
  out.tail = TailOf(f);
  out.joint_from = Moment{t.plan.milliseconds + f.options.values.lead.milliseconds}.Ceiling();
  for (size_t p = 0; p < spec.parts.size(); ++p) {
    packing::Part part{.offset = spec.parts[p].offset};
    for (const std::string& name : UsableSites(f, request, p)) {
      const auto at = std::find(sites.begin(), sites.end(), name);
      if (at == sites.end()) continue;
      part.choices.push_back({.bin = static_cast<size_t>(at - sites.begin()),
                              .amounts = partitioner::AmountsOf(spec.parts[p]),
                              .length = LengthAt(f, spec, name),
                              .cost = CostAt(f, name),
                              .transfer = TransferFromHome(f, request, name),
                              .home = IsHome(f, request.record.requester.user, name)});
    }
    out.parts.push_back(std::move(part));
  }
  return out;
}

// Sites that can be asked, with the room their shadows leave.
BlockProblem ProblemOf(const Federation& f, const Turn& t, const std::vector<RequestId>& ids) {
  BlockProblem out;
  out.problem.now = t.NowCeiling();
  for (const std::string& name : f.site_names) {
    const Site& site = f.sites.at(name);
    if (!site.Up() || site.disk_low || !site.shadow.known()) continue;
    out.sites.push_back(name);
    out.problem.bins.emplace_back(name, site.shadow, out.problem.now,
                                  site.capacity ? site.capacity->turnover : Span{0});
  }
  for (const RequestId id : ids) {
    out.problem.entries.push_back(EntryOf(f, t, *f.requests.Find(id), out.sites));
  }
  return out;
}

// What the block says of itself: how many of it could not start at once, and who is in it.
packing::Ballot BallotOf(const Federation& f, const std::vector<RequestId>& ids,
                         const packing::Problem& problem, const packing::Schedule& at_earliest) {
  packing::Ballot out{.requests = ids.size()};
  std::map<std::string, size_t> votes_of;
  std::set<RequestId> arrays;
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto& place = at_earliest[i];
    if (!place || place->start > problem.now + packing::kAtOnce) ++out.delayed;
    const schemas::RequestRecord& record = f.requests.Find(ids[i])->record;
    if (record.id.is_element() && !arrays.insert(record.id.array()).second) continue;
    if (++votes_of[record.requester.user] > packing::kVotesPerUser) continue;
    ++out.votes;
    if (record.spec.request_class == schemas::RequestClass::kInteractive) ++out.interactive;
  }
  return out;
}

}  // namespace

std::vector<PlannedEntry> PlanBlock(Federation& f, Turn& t, const std::vector<RequestId>& ids) {
  if (ids.empty()) return {};
  const BlockProblem block = ProblemOf(f, t, ids);
  packing::Schedule packed = packing::Pack(packing::Algorithm::kFcfsStar, block.problem);
  const packing::Algorithm algorithm = CountVotes(f, t, BallotOf(f, ids, block.problem, packed));
  if (algorithm != packing::Algorithm::kFcfsStar) packed = packing::Pack(algorithm, block.problem);
  const packing::Schedule schedule = packing::Compact(block.problem, packed);
  std::vector<PlannedEntry> out;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (!schedule[i]) continue;
    PlannedEntry planned{ids[i], {}, schedule[i]->start};
    for (const size_t bin : schedule[i]->bins) planned.part_sites.push_back(block.sites[bin]);
    out.push_back(std::move(planned));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const PlannedEntry& a, const PlannedEntry& b) { return a.start < b.start; });
  return out;
}

}  // namespace muster::meta
