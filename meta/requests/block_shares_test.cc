// How blocks go by shares: with what is promised and what their own requests would be. Maui Sect.
// III (Fairshare); scheduling.md section 12.
#include "meta/requests/block_shares.h"

#include "meta/requests/rank.h"
#include "meta/requests/requests_fixture.h"

namespace muster::meta {
namespace {

class BlockShares : public RequestsRoom {
 protected:
  BlockShares() {
    f_.options.priority = policy::PointsRules{};
    Weight(policy::Factor::kFsGlobal, 1000);
    f_.options.fairshare = policy::FairshareRules{
        .window = Span{86'400},
        .shares = {{.who = "kim", .target = 500}, {.who = "ana", .target = 500}}};
  }
  void Weight(policy::Factor factor, int64_t points) {
    f_.options.priority->weights[static_cast<size_t>(factor)] = points;
  }
  // A request that is queued.
  RequestId Waits(const std::string& user, int64_t cpus = 1) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.parts[0].chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}};
    Request& request = Submitted(spec);
    f_.requests.Edit(request).requester.user = user;
    f_.room.Queue(RankOf(request), {"lakes"});
    return request.id();
  }
  // Who leaves with a block of this size, in the order of being laid out: "kak".
  std::string Block(size_t size) {
    const auto order = BlockOrderOf(f_, t_);
    std::string out;
    for (const Rank& rank : order->InOrder(f_.room.queues().Block(size, &*order))) {
      out += Find(rank.id).record().requester.user[0];
    }
    return out;
  }
};

TEST_F(BlockShares, AHundredOfOneUserAndTenOfAnotherTakeTurns) {
  for (int i = 0; i < 100; ++i) Waits("kim");
  for (int i = 0; i < 10; ++i) Waits("ana");
  EXPECT_EQ(Block(16), "kakakakakakakaka");
}

TEST_F(BlockShares, WhatIsPromisedCountsBeforeTheFirstIsChosen) {
  Request& promised = Submitted(Spec({{"lakes"}}));
  Promise(promised, {"lakes"}, Instant{kBegin + 60});
  f_.requests.Edit(promised).spec.parts[0].chunks = {{.count = 1, .resources = {{"ncpus", 3}}}};
  for (int i = 0; i < 10; ++i) Waits("kim");
  for (int i = 0; i < 10; ++i) Waits("ana");
  EXPECT_EQ(Block(8), "aaakakak") << "kim is promised three processors, and so is ana then";
}

TEST_F(BlockShares, ALargeRequestCountsForAsMuchAsItBooks) {
  Waits("kim", 4);
  for (int i = 0; i < 10; ++i) Waits("kim");
  for (int i = 0; i < 10; ++i) Waits("ana");
  EXPECT_EQ(Block(8), "kaaaakak");
}

TEST_F(BlockShares, TheOtherFactorsCountBesideTheShares) {
  Weight(policy::Factor::kProcs, 1'000'000);
  CapacityOf("lakes").total = {{"ncpus", 256}};
  Waits("kim", 2);
  Waits("ana", 1);
  Waits("kim", 4);
  EXPECT_EQ(Block(3), "kka") << "who asks for more leaves before";
}

TEST_F(BlockShares, WithoutAWeightOrAFloorTheOrderIsThatOfRanks) {
  Weight(policy::Factor::kFsGlobal, 0);
  EXPECT_FALSE(BlockOrderOf(f_, t_));
  f_.options.fairshare->shares = {{.who = "kim", .floor = 100}};
  EXPECT_TRUE(BlockOrderOf(f_, t_));
  f_.options.fairshare->shares.clear();
  EXPECT_FALSE(BlockOrderOf(f_, t_));
}

}  // namespace
}  // namespace muster::meta
