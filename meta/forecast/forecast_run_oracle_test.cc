// Compares bounds with later promises: a copy of the real cores runs ahead until every request has
// a promise. If run times are exact, sites are flat and no request arrives, the bound equals that
// promise to the second, whichever packing lays blocks out. scheduling.md section 5 (bound, Forward
// run).
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "meta/search/packing/algorithm.h"
#include "sim/replay/ideal_federation.h"

namespace muster::meta {
namespace {

constexpr int64_t kBegin = 1'800'000'000;
constexpr size_t kMostSteps = 100'000;  // of one run ahead

// Jobs do what they asked for, to the second.
driver::SimulatedFate Exactly(size_t, const driver::StartPart& part) {
  return {.runs = Seconds(std::stoll(part.payload.argv[1]))};
}

site::Options Flat(const std::string& name, int64_t processors) {
  site::Options out;
  out.name = name;
  out.nodes = {{.name = "all", .resources = {{"ncpus", processors}}, .properties = {}}};
  out.driver = "simulated";
  return out;
}

// The first promise of each request, and the last answer about each.
class Watch : public sim::Onlooker {
 public:
  void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) override {
    for (const auto& write : writes) {
      const auto* record =
          write.value ? std::get_if<schemas::RequestRecord>(&*write.value) : nullptr;
      if (record == nullptr) continue;
      waits[record->id] = !record->attempt;
      for (const schemas::FigureChange& change : record->history) {
        const auto& starts_by = change.figures.starts_by;
        if (starts_by && starts_by->firm) promised.emplace(record->id, starts_by->at);
      }
    }
  }
  void OnTold(const ClientAnswer& answer) override {
    const auto* rows = std::get_if<schemas::Rows>(&answer.message.body);
    if (rows && rows->jobs.size() == 1) job = rows->jobs[0];
  }
  void OnStarted(size_t, const driver::StartPart&, Moment) override {}
  void OnEnded(size_t, const driver::StartPart&, const driver::PartEnded&) override {}

  std::map<RequestId, bool> waits;
  std::map<RequestId, Instant> promised;
  schemas::JobView job;
};

struct Case {
  std::optional<packing::Algorithm> packing;  // none: by vote
  uint64_t seed = 1;
  Span turnover;
  size_t block_max = 1000;
  int64_t interactive_permille = 0;
  int64_t split_permille = 0;  // jobs of two parts, apart
};

class Oracle : public testing::Test {
 protected:
  // Jobs arrive for a while; after that none arrives.
  void Crowd(const Case& c, size_t jobs) {
    random_ = Random(c.seed);
    sim::IdealOptions options{.fate_of = Exactly, .begins = {kBegin * 1000}};
    options.meta.federation = "oracle";
    options.meta.users = {{.name = "kim"}};
    options.meta.queues = {{"urgent", 4}, {"normal", 1}};
    options.meta.threshold = Span{3600};
    options.meta.packing = c.packing;
    options.meta.block_max = c.block_max;
    // Bounds do not foresee moves to another site, so no move gains enough here.
    options.meta.rechoice.least_gain = Span{1000 * 86400};
    options.meta.values.lead = {0};
    options.meta.values.start_wait = Seconds(1);
    options.meta.values.permit_window = Milliseconds(500);
    for (const auto& [name, processors] : {std::pair("hills", 48), std::pair("lakes", 32)}) {
      options.sites.push_back(Flat(name, processors));
      options.sites.back().facts.turnover = c.turnover;
    }
    federation_ = std::make_unique<sim::IdealFederation>(std::move(options), &watch_);
    for (size_t i = 0; i < jobs; ++i) {
      GoOnTo(federation_->Wall().milliseconds +
             1000 * (1 + static_cast<int64_t>(random_.Below(90))));
      Submit(c);
    }
  }

  void GoOnTo(int64_t milliseconds) {
    for (size_t step = 0; step < kMostSteps; ++step) {
      const std::optional<Moment> next = federation_->Next();
      if (!next || next->milliseconds > milliseconds) break;
      federation_->GoTo(*next);
      federation_->Timers();
    }
    federation_->GoTo({milliseconds});
    federation_->Timers();
  }

  void Submit(const Case& c) {
    schemas::Submit submit{.key = {.text = std::to_string(++number_)}, .request = {}};
    schemas::RequestSpec& spec = submit.request;
    spec.duration = Span{60 * (1 + static_cast<int64_t>(random_.Below(240)))};
    spec.queue = random_.Below(4) == 0 ? "urgent" : "normal";
    if (static_cast<int64_t>(random_.Below(1000)) < c.interactive_permille) {
      spec.request_class = schemas::RequestClass::kInteractive;
    }
    spec.apart = static_cast<int64_t>(random_.Below(1000)) < c.split_permille;
    for (size_t p = 0; p < (spec.apart ? 2 : 1); ++p) {
      schemas::PartSpec& part = spec.parts.emplace_back();
      const int64_t processors = 1 + static_cast<int64_t>(random_.Below(32));
      part.chunks = {{.count = 1, .resources = {{"ncpus", processors}}}};
    }
    if (!spec.apart && random_.Below(4) == 0) {
      spec.parts[0].sites = {random_.Below(2) == 0 ? "hills" : "lakes"};
    }
    spec.payload.argv = {"job", std::to_string(spec.duration.seconds)};
    federation_->Say("kim", {.number = {number_}, .body = std::move(submit)});
  }

  schemas::JobView Told(RequestId id) {
    federation_->Say("kim",
                     {.number = {++number_},
                      .body = schemas::Get{.kind = schemas::GetKind::kJob, .requests = {id}}});
    return watch_.job;
  }

  std::vector<RequestId> Waiting() const {
    std::vector<RequestId> out;
    for (const auto& [id, waits] : watch_.waits) {
      if (waits && !watch_.promised.contains(id)) out.push_back(id);
    }
    return out;
  }

  // Runs a copy ahead until all waiting requests have promises. Returns the promises.
  std::map<RequestId, Instant> Ahead() const {
    Watch ahead;
    const std::unique_ptr<sim::IdealFederation> copy = federation_->Ahead(&ahead);
    const std::vector<RequestId> waiting = Waiting();
    for (size_t step = 0; step < kMostSteps; ++step) {
      copy->Timers();
      size_t open = 0;
      for (const RequestId id : waiting) open += ahead.promised.contains(id) ? 0 : 1;
      const std::optional<Moment> next = copy->Next();
      if (open == 0 || !next) break;
      copy->GoTo(*next);
    }
    return ahead.promised;
  }

  // A bound is never earlier than the promise. If it is later by more than `near`, far_ counts the
  // request.
  void ExpectBoundsArePromises(Span near) {
    const std::vector<RequestId> waiting = Waiting();
    waited_ += waiting.size();
    const std::map<RequestId, Instant> promised = Ahead();
    for (const RequestId id : waiting) {
      SCOPED_TRACE("job " + std::to_string(id.value));
      const schemas::JobView job = Told(id);
      ASSERT_TRUE(job.figures.starts_by.has_value());
      ASSERT_TRUE(promised.contains(id));
      EXPECT_TRUE(job.figures.starts_by->verified);
      EXPECT_GE(job.figures.starts_by->at.seconds - kBegin, promised.at(id).seconds - kBegin);
      if (job.figures.starts_by->at - near > promised.at(id)) ++far_;
    }
  }

  Random random_{1};
  Watch watch_;
  std::unique_ptr<sim::IdealFederation> federation_;
  uint64_t number_ = 0;
  size_t waited_ = 0;  // in all crowds
  size_t far_ = 0;     // of these, requests whose bound was later than the promise
};

TEST_F(Oracle, BoundsAreThePromisesThatFollowUnderEachPacking) {
  for (const packing::Algorithm algorithm : packing::kAlgorithms) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(std::string(packing::NameOf(algorithm)) + ", seed " + std::to_string(seed));
      Crowd({.packing = algorithm, .seed = seed, .block_max = seed % 2 == 0 ? 1000u : 8u}, 60);
      ExpectBoundsArePromises(Span{0});
    }
  }
  EXPECT_GT(waited_, 300u);
  EXPECT_EQ(far_, 0u);
}

TEST_F(Oracle, SoTheyAreWhereBlocksVote) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Crowd({.packing = {}, .seed = seed, .block_max = 12, .interactive_permille = 500}, 60);
    ExpectBoundsArePromises(Span{0});
  }
  EXPECT_GT(waited_, 50u);
  EXPECT_EQ(far_, 0u);
}

// Sites give back seconds of turnovers that were not needed, and blocks are due that much earlier.
TEST_F(Oracle, WithTurnoversAPromiseIsNoLaterAndHardlyEarlier) {
  for (const packing::Algorithm algorithm : packing::kAlgorithms) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(std::string(packing::NameOf(algorithm)) + ", seed " + std::to_string(seed));
      Crowd({.packing = algorithm, .seed = seed, .turnover = Span{1}}, 60);
      ExpectBoundsArePromises(Span{30});
    }
  }
  EXPECT_EQ(far_, 0u);
}

// When promised co-allocations move up at all their sites, a later block may start earlier.
TEST_F(Oracle, PartsOnSeveralSitesAreToldWhatAllOfThemGive) {
  for (const packing::Algorithm algorithm :
       {packing::Algorithm::kFcfsStar, packing::Algorithm::kFfdhStar}) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(std::string(packing::NameOf(algorithm)) + ", seed " + std::to_string(seed));
      Crowd({.packing = algorithm, .seed = seed, .split_permille = 300}, 50);
      ExpectBoundsArePromises(Span{30});
    }
  }
  EXPECT_GT(waited_, 100u);
  EXPECT_LE(100 * far_, 2 * waited_);
}

}  // namespace
}  // namespace muster::meta
