// Points that order are the points that are shown, whatever changes in between. scheduling.md
// section 11.
#include "meta/requests/points.h"

#include <algorithm>

#include "base/random.h"
#include "meta/requests/requests_fixture.h"

namespace muster::meta {
namespace {

class Points : public RequestsRoom {
 protected:
  static constexpr int64_t kTick = 60;

  Points() {
    f_.options.queues = {{"debug", 4}, {"normal", 1}};
    f_.requests.SetQueues({"debug", "normal"});
    f_.options.credentials.qos = {{.name = "urgent", .target = Span{1200}}, {.name = "usual"}};
    f_.options.priority = policy::PointsRules{.tick = Span{kTick}, .queue_full = Span{3600}};
    f_.options.priority->weights.fill(1000);
    f_.options.priority->credentials = {{"kim", 300}, {"queue debug", 50}, {"qos urgent", 200}};
    f_.users["kim"].home = "hills";
    f_.users["ana"].home = "woods";
    for (const std::string& name : f_.site_names) {
      CapacityOf(name).total = {{"ncpus", 16}, {"mem", int64_t{64} << 30}};
    }
  }

  // One turn of the core, as far as points are concerned.
  void Rank() {
    RankAnew(f_, t_);
    f_.askers.NoteChanged(f_.requests.due());
    std::vector<schemas::Write<schemas::MetaRecord>> writes;
    f_.requests.TakeWrites(writes);
  }
  void ExpectAsShown() {
    ASSERT_FALSE(f_.ranking.running());
    for (const RequestId id : f_.requests.open()) {
      const policy::Asker shown = AskerOf(f_, Find(id), *f_.ranking.at());
      EXPECT_EQ(Find(id).points(), PointsOf(*f_.options.priority, shown, LargestOf(f_)))
          << ToText(id);
    }
  }
  Request& Any(Random& random) {
    const std::set<RequestId>& open = f_.requests.open();
    return Find(*std::next(open.begin(), static_cast<std::ptrdiff_t>(random.Below(open.size()))));
  }
  void Submit(Random& random) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.queue = random.Chance(300) ? "debug" : "normal";
    spec.qos = random.Chance(300) ? "urgent" : "usual";
    spec.duration = Span{random.Between(60, 7200)};
    spec.parts[0].chunks[0] = {.count = static_cast<uint32_t>(random.Between(1, 4)),
                               .resources = {{"ncpus", 2}, {"mem", int64_t{4} << 30}}};
    if (random.Chance(200)) spec.from = t_.plan.Floor() + Span{random.Between(0, 900)};
    if (random.Chance(200) && !f_.requests.open().empty()) {
      spec.after = {{.request = Any(random).id()}};
    }
    Request& request = Submitted(spec);
    if (random.Chance(500)) f_.requests.Edit(request).requester.user = "ana";
  }
  void Change(Random& random) {
    Request& request = Any(random);
    switch (random.Below(4)) {
      case 0:
        CountWait(f_, request, t_.plan);
        f_.requests.Edit(request).parked = !request.record().parked;
        break;
      case 1:
        CountWait(f_, request, t_.plan);
        f_.requests.Edit(request).spec.duration = Span{random.Between(60, 7200)};
        break;
      case 2:
        f_.requests.Edit(request).spec.queue = random.Chance(500) ? "debug" : "normal";
        break;
      default:
        End(request, schemas::Outcome::kCancelled);
    }
  }
};

TEST_F(Points, WhatOrdersIsWhatIsShownWhateverChanges) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    for (int turn = 0; turn < 60; ++turn) {
      Pass(Span{random.Between(1, 50)});
      if (random.Chance(600) || f_.requests.open().size() < 3) Submit(random);
      if (random.Chance(400)) Change(random);
      if (random.Chance(50)) {
        f_.options.priority->credentials["ana"] = random.Between(-500, 500);
        f_.ranking.NoteChanged();
      }
      Rank();
      // What came after the points were worked out is known to the next tick.
      const bool late = random.Chance(200);
      if (late) Change(random);
      f_.askers.NoteChanged(f_.requests.due());
      std::vector<schemas::Write<schemas::MetaRecord>> writes;
      f_.requests.TakeWrites(writes);
      if (late) {
        Pass(Span{kTick});
        Rank();
      }
      ExpectAsShown();
    }
  }
}

TEST_F(Points, TheBalanceOfItsHomeCountsForWhoWaits) {
  f_.options.priority->weights.fill(0);
  f_.options.priority->weights[static_cast<size_t>(policy::Factor::kBalance)] = 1000;
  f_.balances.Take(t_.plan.Floor(), {{"hills", {.given = 5, .taken = 0, .value = 250}}});
  Request& request = Submitted(Spec({{"lakes"}}));
  Rank();
  EXPECT_EQ(request.points(), 250);
  f_.balances.Take(t_.plan.Floor(), {{"hills", {.given = 0, .taken = 5, .value = -100}}});
  Pass(Span{kTick});
  Rank();
  EXPECT_EQ(request.points(), -100) << "anew with each tick";
}

}  // namespace
}  // namespace muster::meta
