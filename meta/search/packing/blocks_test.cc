// The forward run block by block: when blocks are due, what fills gaps between them, who votes.
// scheduling.md sections 1 (Extraction, Gap rule), 2 and 5 (Forward run).
#include "meta/search/packing/blocks.h"

#include <gtest/gtest.h>

#include <map>

namespace muster::packing {
namespace {

constexpr Instant kNow{1000};

class BlocksTest : public testing::Test {
 protected:
  // One site of 10 processors, all of which are taken until then by an entry of a block.
  void BusyUntil(Instant last_start, Instant end) {
    BlockSite site{.bin = Bin("hills", ResourceSet{{"ncpus", 10}}, kNow)};
    site.bin.Take({{"ncpus", 10}}, kNow, end - kNow);
    site.last_start = last_start;
    site.plan_end = end;
    site.ends = {last_start, end};
    site_.emplace(std::move(site));
  }

  RequestId Waits(int64_t processors, int64_t seconds, bool interactive = false, int queue = 1) {
    const RequestId id{++last_};
    BlockRequest& request = requests_[id];
    request.entry = {.duration = Span{seconds}, .allowed = IntervalSet::From(kNow)};
    Part& part = request.entry.parts.emplace_back();
    part.choices = {{.bin = 0, .amounts = {{"ncpus", processors}}, .length = Span{seconds}}};
    request.voter = {.user = "u" + std::to_string(last_), .job = id, .interactive = interactive};
    request.chunks = 1;
    queues_.Enter({-queues_.PriorityOf(static_cast<size_t>(queue)), 0, id}, {"hills"});
    return id;
  }

  // All of them, in the order in which they were placed.
  std::vector<Blocks::Placed> Run(const BlockTerms& terms) {
    Blocks blocks(kNow, {*site_}, queues_, terms);
    std::vector<Blocks::Placed> out;
    for (int step = 0; step < 1000 && !blocks.Done(); ++step) {
      const Blocks::Step done =
          blocks.Next([this](RequestId id) { return std::optional(requests_.at(id)); });
      out.insert(out.end(), done.placed.begin(), done.placed.end());
    }
    EXPECT_TRUE(blocks.Done());
    for (const Blocks::Placed& placed : out) at_[placed.request] = placed;
    return out;
  }
  static BlockTerms Pinned(Algorithm algorithm, Span threshold = Span{100}) {
    return {.threshold = threshold,
            .block_max = 1000,
            .pin = algorithm,
            .voting = {},
            .came = {},
            .near = {},
            .lead = {}};
  }

  std::optional<BlockSite> site_;
  room::Queues queues_{{4, 1}};
  std::map<RequestId, BlockRequest> requests_;
  std::map<RequestId, Blocks::Placed> at_;
  uint64_t last_ = 0;
};

TEST_F(BlocksTest, ABlockIsAskedForWhenTheLastOfTheOneBeforeIsNear) {
  BusyUntil(Instant{5000}, Instant{6000});
  const RequestId id = Waits(10, 50);
  Run(Pinned(Algorithm::kFcfsStar));
  EXPECT_EQ(at_.at(id).asked, Instant{4901});
  EXPECT_EQ(at_.at(id).place.start, Instant{6000});
}

TEST_F(BlocksTest, EachPackingLaysOutAsItDoesInTheDaemon) {
  for (const auto& [algorithm, first] :
       {std::pair(Algorithm::kFcfsStar, 0), {Algorithm::kFfdh, 1}, {Algorithm::kFfih, 2}}) {
    SCOPED_TRACE(NameOf(algorithm));
    BusyUntil(Instant{5000}, Instant{6000});
    queues_ = room::Queues({4, 1});
    const std::vector<RequestId> ids = {Waits(10, 300), Waits(10, 500), Waits(10, 100)};
    EXPECT_EQ(Run(Pinned(algorithm)).front().request, ids[static_cast<size_t>(first)]);
  }
}

// A block is cut where its proposals would not fit into messages. The oldest are not cut off by
// what has more points.
TEST_F(BlocksTest, ACutBlockStillTakesItsOldest) {
  BusyUntil(Instant{5000}, Instant{6000});
  const RequestId oldest = Waits(10, 50);
  for (int i = 0; i < 8; ++i) {
    const RequestId id = Waits(10, 50);
    requests_.at(id).chunks = kBlockChunks / 2;
    queues_.Reorder({-queues_.PriorityOf(1), -1000, id});
  }
  Run(Pinned(Algorithm::kFcfsStar));
  EXPECT_EQ(at_.at(oldest).asked, Instant{4901}) << "with the first block";
}

TEST_F(BlocksTest, TheVoteOnEachBlockDecidesUnlessItIsPinned) {
  BusyUntil(Instant{5000}, Instant{6000});
  Waits(10, 300, /*interactive=*/true);
  const RequestId shortest = Waits(10, 100, /*interactive=*/true);
  BlockTerms voted = Pinned(Algorithm::kFcfsStar);
  voted.pin.reset();
  EXPECT_EQ(Run(voted).front().request, shortest) << "saturated and interactive: ffih*";
  EXPECT_NE(Run(Pinned(Algorithm::kFcfsStar)).front().request, shortest);
}

// CCS Sect. 3.3: the relevant requests, not only those that wait.
TEST_F(BlocksTest, WhoCameSinceTheLastVoteVotesWithTheFirstBlockAndNoOther) {
  BlockTerms voted = Pinned(Algorithm::kFcfsStar);
  voted.pin.reset();
  voted.block_max = 3;
  BusyUntil(Instant{5000}, Instant{6000});
  std::vector<RequestId> batch;
  for (const int64_t seconds : {300, 200, 100, 400, 600, 500}) {
    batch.push_back(Waits(10, seconds));
  }
  for (uint64_t i = 0; i < 9; ++i) {
    voted.came.push_back({.user = "v" + std::to_string(i), .job = {100 + i}, .interactive = true});
  }
  std::vector<RequestId> order;
  for (const Blocks::Placed& placed : Run(voted)) order.push_back(placed.request);
  EXPECT_EQ(order, (std::vector<RequestId>{batch[2], batch[1], batch[0],    // ffih*
                                           batch[4], batch[5], batch[3]}))  // ffdh*
      << "nobody comes in virtual time";
}

TEST_F(BlocksTest, ShareByShareTheQueuesLeaveInBlocksOneBehindTheOther) {
  BusyUntil(Instant{5000}, Instant{6000});
  std::vector<RequestId> normal;
  for (int i = 0; i < 8; ++i) normal.push_back(Waits(10, 200));
  const RequestId urgent = Waits(10, 200, false, 0);
  EXPECT_EQ(Run(Pinned(Algorithm::kFcfsStar)).front().request, urgent);
  // Two of eight, as its weight is a quarter of the other's; alone then all the rest.
  EXPECT_EQ(at_.at(normal[1]).asked, Instant{4901});
  EXPECT_EQ(at_.at(normal[1]).place.start, Instant{6400});
  EXPECT_EQ(at_.at(normal[2]).asked, Instant{6301});
  EXPECT_EQ(at_.at(normal[7]).place.start, Instant{6000 + 8 * 200});
}

TEST_F(BlocksTest, AtAnEndThoseThatEndWithinThePlanFillGapsOfTheLastBlock) {
  BusyUntil(Instant{5000}, Instant{6000});
  // The first block: one that leaves half of the machine free for 1,000 s.
  Waits(5, 1000);
  Waits(10, 1000);
  const RequestId behind = Waits(5, 900);
  BlockTerms terms = Pinned(Algorithm::kFcfsStar);
  terms.block_max = 2;
  Run(terms);
  EXPECT_EQ(at_.at(behind).place.start, Instant{6000});
  EXPECT_EQ(at_.at(behind).asked, Instant{5000}) << "when the first one after the block ended";
}

TEST_F(BlocksTest, WhoWaitsAloneStartsNowWhereThereIsRoom) {
  BusyUntil(Instant{5000}, Instant{6000});
  site_->bin = Bin("hills", ResourceSet{{"ncpus", 10}}, kNow);
  site_->bin.Take({{"ncpus", 5}}, kNow, Span{2000});
  site_->ends = {Instant{3000}};
  const RequestId id = Waits(10, 9000);
  Run(Pinned(Algorithm::kFcfsStar));
  EXPECT_EQ(at_.at(id).asked, Instant{3000});
  EXPECT_EQ(at_.at(id).place.start, Instant{3000});
}

TEST_F(BlocksTest, WithAnInfiniteThresholdItIsConservativeBackfillingByRank) {
  BusyUntil(Instant{5000}, Instant{6000});
  Problem all{.now = kNow, .bins = {site_->bin}, .entries = {}};
  std::vector<RequestId> ids;
  for (int i = 0; i < 40; ++i) {
    ids.push_back(Waits(1 + (i * 7) % 10, 50 + (i * 131) % 400, false, i % 2));
  }
  std::map<RequestId, Instant> wanted;
  for (auto rank = queues_.After(std::nullopt); rank; rank = queues_.After(rank)) {
    all.entries.push_back(requests_.at(rank->id).entry);
  }
  const Schedule schedule = Pack(Algorithm::kFcfsStar, all);
  BlockTerms terms = Pinned(Algorithm::kFcfsStar);
  terms.threshold.reset();
  EXPECT_EQ(Run(terms).size(), ids.size());
  size_t i = 0;
  for (auto rank = queues_.After(std::nullopt); rank; rank = queues_.After(rank)) {
    EXPECT_EQ(at_.at(rank->id).place, *schedule[i]) << i;
    ++i;
  }
}

// The first three sites by name have room within their plans too, but much later.
TEST_F(BlocksTest, PartsThatFillGapsTogetherGetTheBestOfAllTheirSites) {
  std::vector<BlockSite> sites;
  BlockRequest both{.entry = {.duration = Span{100}, .allowed = IntervalSet::From(kNow)},
                    .voter = {.user = "kim", .job = {1}, .interactive = false},
                    .shape = {},
                    .chunks = 2};
  both.entry.parts.resize(2);
  both.entry.apart = true;
  std::vector<std::string> names;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    const bool late = sites.size() < 3;
    const Instant end{late ? 9000 : 3000};
    BlockSite& site =
        sites.emplace_back(BlockSite{.bin = Bin(name, ResourceSet{{"ncpus", 10}}, kNow),
                                     .last_start = Instant{5000},
                                     .plan_end = Instant{10'000},
                                     .ends = {end}});
    site.bin.Take({{"ncpus", 10}}, kNow, end - kNow);
    for (Part& part : both.entry.parts) {
      part.choices.push_back(
          {.bin = names.size(), .amounts = {{"ncpus", 10}}, .length = Span{100}});
    }
    names.emplace_back(name);
  }
  queues_.Enter({0, 0, RequestId{1}}, names);
  Blocks blocks(kNow, sites, queues_, Pinned(Algorithm::kFcfsStar));
  const Blocks::Step step = blocks.Next([&](RequestId) { return std::optional(both); });
  ASSERT_EQ(step.placed.size(), 1u);
  EXPECT_EQ(step.placed[0].asked, Instant{3000}) << "no block: one is due at 4,901";
  EXPECT_EQ(step.placed[0].place, (Place{{3, 4}, Instant{3000}}));
}

TEST_F(BlocksTest, WhoFitsNowhereIsLeftOutAndHoldsNobodyUp) {
  BusyUntil(Instant{5000}, Instant{6000});
  const RequestId never = Waits(11, 50);
  const RequestId id = Waits(10, 50);
  Run(Pinned(Algorithm::kFfdhStar));
  EXPECT_FALSE(at_.contains(never));
  EXPECT_TRUE(at_.contains(id));
}

TEST_F(BlocksTest, NoBlockIsDueAtASiteThatTakesNoNewWork) {
  BusyUntil(Instant{5000}, Instant{6000});
  site_->asked = false;
  Waits(1, 50);
  EXPECT_TRUE(Run(Pinned(Algorithm::kFcfsStar)).empty());
}

}  // namespace
}  // namespace muster::packing
