// Requests are chosen by state, running ones most often, since the clients themselves cancel and
// park waiting ones.
#include "sim/operator_workload.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "policy/rates.h"

namespace muster::sim {
namespace {

using schemas::Alteration;
using schemas::RequestRecord;
using schemas::RequestSpec;
using schemas::RequestState;

struct SiteNodes {
  const char* site;
  uint64_t nodes;
};
constexpr SiteNodes kNodes[] = {{"hills", 2}, {"lakes", 4}, {"woods", 4}};
constexpr char kOperator[] = "root";

bool Malleable(const schemas::PartSpec& part) {
  return std::any_of(part.chunks.begin(), part.chunks.end(),
                     [](const schemas::Chunk& chunk) { return chunk.most > 0; });
}

}  // namespace

void OperatorWorkload::Say(World& world, const std::string& user, schemas::Act act) {
  schemas::ClientMessage message{.number = {++said_}};
  message.body = std::move(act);
  world.Say(user, message);
}

void OperatorWorkload::DrainOrResume(World& world) {
  const auto& [site, nodes] = kNodes[random_.Below(std::size(kNodes))];
  schemas::Act act{.verb =
                       random_.Chance(600) ? schemas::ActVerb::kDrain : schemas::ActVerb::kResume};
  act.nodes = {std::string(site) + "/n" + std::to_string(1 + random_.Below(nodes))};
  act.reason = "fan";
  act.hard = random_.Chance(500);
  act.may_move = true;
  Say(world, kOperator, std::move(act));
}

void OperatorWorkload::ResumeAll(World& world) {
  for (const auto& [site, nodes] : kNodes) {
    for (uint64_t n = 1; n <= nodes; ++n) {
      schemas::Act act{.verb = schemas::ActVerb::kResume};
      act.nodes = {std::string(site) + "/n" + std::to_string(n)};
      Say(world, kOperator, std::move(act));
    }
  }
}

void OperatorWorkload::Post(World& world) {
  schemas::PostingOrder posting{.account = random_.Chance(500) ? "chem" : "course",
                                .amount = random_.Between(1, 10) * policy::kCredit,
                                .key = "k" + std::to_string(++posted_)};
  if (random_.Chance(100) && posted_ > 1) posting.key = "k" + std::to_string(posted_ - 1);
  if (random_.Chance(300)) {
    posting.until = world.Wall().Floor() + Span{random_.Between(1, 60)};
  }
  if (random_.Chance(150)) {
    posting.kind = schemas::EntryKind::kAdjust;
    posting.until.reset();
    posting.amount = -posting.amount;
  } else if (random_.Chance(150)) {
    posting.kind = schemas::EntryKind::kTransfer;
    posting.until.reset();
    posting.to = posting.account == "chem" ? "course" : "chem";
  }
  Say(world, kOperator, {.verb = schemas::ActVerb::kPost, .posting = std::move(posting)});
}

void OperatorWorkload::GrantAll(World& world) {
  for (const char* account : {"chem", "course"}) {
    Say(world, kOperator,
        {.verb = schemas::ActVerb::kPost,
         .posting = schemas::PostingOrder{.account = account,
                                          .amount = 1'000'000 * policy::kCredit,
                                          .key = "k" + std::to_string(++posted_)}});
  }
}

// Sometimes asks for slightly more time than the site's bound or for a count above the most.
Alteration OperatorWorkload::ChangeOfRunning(const RequestSpec& spec) {
  Alteration changes;
  std::vector<uint32_t> malleable;
  for (uint32_t p = 0; p < spec.parts.size(); ++p) {
    if (Malleable(spec.parts[p])) malleable.push_back(p);
  }
  if (!malleable.empty() && random_.Chance(700)) {
    const uint32_t p = malleable[random_.Below(malleable.size())];
    schemas::PartAlteration part{.part = p + 1, .chunks = spec.parts[p].chunks};
    for (schemas::Chunk& chunk : part.chunks) {
      if (chunk.most == 0) continue;
      chunk.count = static_cast<uint32_t>(random_.Between(chunk.least, chunk.most));
      if (random_.Chance(50)) chunk.count = chunk.most + 1;
    }
    changes.parts.push_back(std::move(part));
  } else if (spec.reserves && random_.Chance(500)) {
    changes.allow = schemas::Names{};
    if (random_.Chance(500)) changes.allow->names = {"ana"};
  } else {
    const int64_t tenth = spec.duration.seconds / 10;
    changes.duration = spec.duration + Span{random_.Between(1, tenth + 3)};
  }
  return changes;
}

Alteration OperatorWorkload::ChangeOfWaiting(const RequestSpec& spec, Instant now) {
  Alteration changes;
  switch (random_.Below(6)) {
    case 0:
    case 1:
      changes.duration = Span{random_.Between(3, 90)};
      break;
    case 2: {
      const uint32_t p = static_cast<uint32_t>(random_.Below(spec.parts.size()));
      schemas::PartAlteration part{.part = p + 1, .chunks = spec.parts[p].chunks};
      schemas::Chunk& chunk = part.chunks[random_.Below(part.chunks.size())];
      chunk.count = static_cast<uint32_t>(random_.Between(1, 3));
      chunk.least = std::min(chunk.least, chunk.count);
      if (chunk.most > 0) chunk.most = std::max(chunk.most, chunk.count);
      part.exclusive = random_.Chance(200);
      changes.parts.push_back(std::move(part));
      break;
    }
    case 3:
      changes.from = now + Span{random_.Between(0, 60)};
      break;
    case 4:
      changes.deadline = now + spec.duration + Span{random_.Between(0, 200)};
      break;
    default:
      changes.queue = random_.Chance(500) ? "high" : "normal";
      changes.name = "altered";
      break;
  }
  return changes;
}

void OperatorWorkload::Alter(World& world) {
  if (world.meta() == nullptr) return;
  const bool running = random_.Chance(600);
  std::vector<RequestRecord> those;
  for (RequestRecord& request : world.meta()->Requests()) {
    if (request.state == RequestState::kEnded) continue;
    if ((request.state == RequestState::kRunning) == running) those.push_back(std::move(request));
  }
  if (those.empty()) return;
  const RequestRecord& request = those[random_.Below(those.size())];
  schemas::Act act{.verb = schemas::ActVerb::kAlter};
  act.requests = {request.id};
  act.may_move = random_.Chance(600);
  act.only_try = random_.Chance(100);
  act.changes =
      running ? ChangeOfRunning(request.spec) : ChangeOfWaiting(request.spec, world.Wall().Floor());
  Say(world, random_.Chance(150) ? kOperator : request.requester.user, std::move(act));
}

// Rebuilds, from the job's booking, the fields of the request that an alteration depends on.
void OperatorWorkload::AlterAtSite(World& world) {
  const std::string site = kNodes[random_.Below(std::size(kNodes))].site;
  const site::Core* core = world.SiteCore(site);
  if (core == nullptr) return;
  std::vector<schemas::HoldRecord> own;
  for (schemas::HoldRecord& hold : core->Holds()) {
    const bool live = hold.state == schemas::HoldState::kPermitted && !hold.parts.empty();
    if (hold.order.fence.epoch == Epoch{0} && live) own.push_back(std::move(hold));
  }
  if (own.empty()) return;
  const schemas::HoldRecord& hold = own[random_.Below(own.size())];
  RequestSpec spec{.duration = hold.order.parts.front().duration};
  for (const schemas::PartDemand& part : hold.order.parts) {
    spec.parts.push_back({.chunks = part.chunks});
  }
  const bool running = hold.parts.front().started_at.has_value();
  schemas::Act act{.verb = schemas::ActVerb::kAlter};
  act.requests = {hold.order.request};
  act.may_move = random_.Chance(600);
  act.only_try = random_.Chance(100);
  act.changes = running ? ChangeOfRunning(spec) : ChangeOfWaiting(spec, world.Wall().Floor());
  schemas::ClientMessage message{.number = {++said_}};
  message.body = std::move(act);
  world.SayAt(site, hold.order.requester.user, message);
}

}  // namespace muster::sim
