// Packing works on amounts and durations; the sites check the result later.
#include "meta/search/block_plan.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "meta/requests/homes.h"
#include "meta/requests/horizon.h"
#include "meta/requests/site_speeds.h"
#include "meta/search/candidates.h"
#include "meta/search/packing_choice.h"
#include "meta/search/queueing.h"
#include "meta/search/shadow_starts.h"
#include "partitioner/split.h"

namespace muster::meta {
namespace {

// A packing problem, and the names of the sites behind its bins.
struct BlockProblem {
  packing::Problem problem;
  std::vector<std::string> sites;
};

// Bins are the sites that can be asked, with the free amounts of their shadows.
BlockProblem ProblemOf(const SearchLayer& f, const Turn& t, const std::vector<RequestId>& ids) {
  BlockProblem out;
  out.problem.now = t.NowCeiling();
  out.problem.transfer_of = TransferOfSites(f);
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

bool Votes(const Request& request) {
  const schemas::RequestRecord& record = request.record();
  const bool gone = record.outcome == schemas::Outcome::kCancelled ||
                    record.outcome == schemas::Outcome::kRefused;
  return !gone && !request.Cancelling() && !record.spec.reserves && !record.spec.inside;
}

}  // namespace

packing::Entry EntryOf(const SearchLayer& f, const Turn& t, const Request& request,
                       const std::vector<std::string>& sites) {
  const schemas::RequestSpec& spec = request.record().spec;
  packing::Entry out{.duration = spec.duration, .allowed = StartsFrom(f, t, request, false)};
  out.apart = spec.apart;
  out.tail = TailOf(f);
  out.joint_from = Moment{t.plan.milliseconds + f.options.values.lead.milliseconds}.Ceiling();
  for (size_t p = 0; p < spec.parts.size(); ++p) {
    packing::Part part{.offset = spec.parts[p].offset};
    for (const std::string& name : PaidOf(f, t, request, p, UsableSites(f, request, p))) {
      const auto at = std::find(sites.begin(), sites.end(), name);
      if (at == sites.end()) continue;
      part.choices.push_back({.bin = static_cast<size_t>(at - sites.begin()),
                              .amounts = partitioner::AmountsOf(spec.parts[p]),
                              .length = LengthAt(f, spec, name),
                              .cost = CostAt(f, name),
                              .transfer = TransferFromHome(f, request, name),
                              .home = IsHome(f, request.record().requester.user, name),
                              .spoils = f.rarity.SpoilsOf(name, spec.parts[p]),
                              .balance = f.balances.Of(name)});
    }
    out.parts.push_back(std::move(part));
  }
  return out;
}

packing::Voter VoterOf(const Request& request) {
  const schemas::RequestRecord& record = request.record();
  return {.user = record.requester.user,
          .job = record.id.array(),
          .interactive = record.spec.request_class == schemas::RequestClass::kInteractive};
}

std::vector<packing::Voter> NewVoters(const SearchLayer& f) {
  const std::map<RequestId, Request>& all = f.requests.all();
  std::vector<packing::Voter> out;
  auto at = all.end();
  for (size_t looked = 0; at != all.begin() && looked < packing::kNewVoters; ++looked) {
    const RequestId job = std::prev(at)->first.array();
    if (job <= f.scheduler.voting.counted()) break;
    at = all.lower_bound(job);  // the first record of the array, so that its elements are skipped
    if (Votes(at->second)) out.push_back(VoterOf(at->second));
  }
  return out;
}

size_t ChunksOf(const Request& request) {
  size_t out = 0;
  for (const schemas::PartSpec& part : request.record().spec.parts) out += part.chunks.size();
  return out;
}

size_t BlockMax(const SearchLayer& f) {
  // A queue whose share rounds to zero still gets one entry, so a block may exceed block_max by up
  // to one entry per queue.
  const size_t most = schemas::kProposalEntries - std::min<size_t>(f.options.queues.size(), 500);
  return std::min(f.options.block_max, most);
}

std::vector<PlannedEntry> PlanBlock(SearchLayer& f, Turn& t, const std::vector<RequestId>& ids) {
  if (ids.empty()) return {};
  const BlockProblem block = ProblemOf(f, t, ids);
  std::vector<packing::Voter> voters;
  for (const RequestId id : ids) voters.push_back(VoterOf(*f.requests.Find(id)));
  packing::Schedule at_earliest = packing::Pack(packing::Algorithm::kFcfsStar, block.problem);
  const size_t delayed = packing::StartAfter(at_earliest, block.problem.now + packing::kAtOnce);
  const packing::Algorithm algorithm =
      CountVotes(f, t, packing::BallotOf(voters, NewVoters(f), delayed));
  const packing::BlockLayout laid_out =
      packing::LayOutBlock(algorithm, block.problem, std::move(at_earliest));
  std::vector<PlannedEntry> out;
  for (const size_t i : laid_out.order) {
    const packing::Place& place = *laid_out.schedule[i];
    PlannedEntry planned{ids[i], {}, place.start};
    for (const size_t bin : place.bins) planned.part_sites.push_back(block.sites[bin]);
    out.push_back(std::move(planned));
  }
  return out;
}

}  // namespace muster::meta
