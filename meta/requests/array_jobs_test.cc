// Arrays as jobs: elements with one script, so many of them at once, and what becomes of the whole.
// cli.md section 3 (submit -a); protocol.md section 4.
#include "meta/requests/array_jobs.h"

#include <algorithm>

#include "meta/requests/array_states.h"
#include "meta/requests/job_view.h"
#include "meta/requests/requests_fixture.h"
#include "meta/requests/start_conditions.h"
#include "meta/requests/validate.h"

namespace muster::meta {
namespace {

using schemas::Outcome;
using schemas::RequestState;

class ArrayJobs : public RequestsRoom {
 protected:
  static schemas::RequestSpec ArraySpec(uint64_t first, uint64_t last, uint64_t at_once) {
    schemas::RequestSpec spec = Spec({{"hills"}});
    spec.array = {.first = first, .last = last, .step = 1, .at_once = at_once};
    return spec;
  }
  Request& Array(uint64_t elements, uint64_t at_once) {
    Request& array = Submitted(ArraySpec(1, elements, at_once));
    MakeElements(f_, array);
    return array;
  }
  // Promises the element a start at hills as soon as its gate may open, with a permit if it is
  // open. Returns the start.
  Instant Place(Request& element) {
    const Instant opens = *GateOpensAt(f_, element, t_.plan);
    const bool open = GateIsOpen(f_, element, t_.plan);
    const Instant start = std::max(opens, Instant{kBegin});
    TakePlace(f_, element, Promise(element, {"hills"}, start, !open));
    return start;
  }
  // The element has run, and its process has ended with this code.
  void RunToEnd(Request& element, int code) {
    schemas::MirrorRecord hold{.site = "hills",
                               .fence = *element.record().attempt,
                               .request = element.id(),
                               .state = schemas::HoldState::kClosed};
    hold.parts = {{.end = {.by = schemas::EndedBy::kExit, .exit_code = code}}};
    f_.sites.at("hills").mirror.Restore(std::move(hold));
    End(element, code == 0 ? Outcome::kDone : Outcome::kFailed);
    RefreshArrays(f_, t_);
  }
  schemas::ArrayView View(const Request& array) { return ArrayViewOf(f_, array); }
  bool IsOpen(const Request& request) { return GateIsOpen(f_, request, t_.plan); }
};

TEST_F(ArrayJobs, AnArrayIsOneJobOfElementsWithOneScript) {
  Request& array = Array(3, 0);
  const RequestId id = array.id();
  for (uint64_t i = 1; i <= 3; ++i) Place(Find(id.element(i)));
  RefreshArrays(f_, t_);
  EXPECT_EQ(array.state(), RequestState::kPromised);
  EXPECT_EQ(View(array).promised, 3u);
  EXPECT_EQ(View(array).sites, std::vector<std::string>{"hills"});
  const Request& second = Find(id.element(2));
  EXPECT_EQ(JobViewOf(f_, second, t_.plan, true).id, ToText(id) + "[2]");
  EXPECT_EQ(PayloadOf(f_, second).argv[0], "hostname");
  EXPECT_TRUE(second.record().spec.payload.argv.empty());
  RunToEnd(Find(id.element(1)), 0);
  RunToEnd(Find(id.element(2)), 3);
  EXPECT_EQ(array.state(), RequestState::kPromised);
  RunToEnd(Find(id.element(3)), 0);
  const schemas::JobView ended = JobViewOf(f_, array, t_.plan, true);
  EXPECT_EQ(ended.outcome, Outcome::kFailed);
  EXPECT_EQ(ended.array->done, 2u);
  ASSERT_EQ(ended.array->failures.size(), 1u);
  EXPECT_EQ(ended.array->failures[0].id, ToText(id) + "[2]");
  EXPECT_EQ(ended.array->failures[0].exit_code, 3);
}

TEST_F(ArrayJobs, SoManyElementsAtOnceHaveAnOpenGateAndTheOthersStartBehindThem) {
  const RequestId id = Array(5, 2).id();
  std::vector<Instant> starts;
  for (uint64_t i = 1; i <= 5; ++i) starts.push_back(Place(Find(id.element(i))));
  EXPECT_EQ(f_.arrays.Taken(id), 2u);
  EXPECT_EQ(f_.arrays.Gated(id, 9), (std::vector{id.element(3), id.element(4), id.element(5)}));
  // Two from now on, two behind them, one behind those.
  EXPECT_EQ(starts[1], Instant{kBegin});
  EXPECT_EQ(starts[2], Instant{kBegin + 600});
  EXPECT_EQ(starts[3], Instant{kBegin + 600});
  EXPECT_GE(starts[4], starts[2] + Span{600});
  // An end makes room for the next, at once.
  RunToEnd(Find(id.element(1)), 0);
  EXPECT_TRUE(t_.moved.contains(id.element(1)));
  Request& third = Find(id.element(3));
  EXPECT_TRUE(IsOpen(third));
  EXPECT_EQ(GateOpensAt(f_, third, t_.plan), Instant{0});
  Attempt& place = f_.attempts.at(*third.record().attempt);
  f_.attempts.Enter(place, schemas::AttemptState::kPermitted);
  TakePlace(f_, third, place);
  EXPECT_TRUE(IsOpen(third));
  EXPECT_FALSE(IsOpen(Find(id.element(4))));
}

TEST_F(ArrayJobs, EachRoundOfAnArrayStartsBehindTheOneBeforeIt) {
  const RequestId id = Array(10, 3).id();
  std::vector<Instant> starts;
  for (uint64_t i = 1; i <= 10; ++i) {
    starts.push_back(Place(Find(id.element(i))));
    if (i > 3) EXPECT_GE(starts[i - 1], starts[i - 4] + Span{600}) << "element " << i;
  }
}

TEST_F(ArrayJobs, CancellingAnArrayConcernsItsElements) {
  Request& array = Array(4, 1);
  const std::vector<RequestId> all = TargetsOf(f_, array);
  ASSERT_EQ(all.size(), 4u);
  for (const RequestId one : all) {
    EXPECT_FALSE(array.Ended());
    End(Find(one), Outcome::kCancelled);
    RefreshArrays(f_, t_);
  }
  EXPECT_EQ(array.record().outcome, Outcome::kCancelled);
  EXPECT_EQ(View(array).cancelled, 4u);
}

TEST_F(ArrayJobs, AnArrayWithoutSenseIsRefused) {
  EXPECT_FALSE(CheckRequest(f_, ArraySpec(1, 5, 0), t_.plan, true).has_value());
  for (const schemas::ArraySpec& a :
       {schemas::ArraySpec{.first = 5, .last = 1}, schemas::ArraySpec{.step = 0},
        schemas::ArraySpec{.first = 1, .last = 20'000}}) {
    schemas::RequestSpec spec = Spec({{"hills"}});
    spec.array = a;
    const auto refused = CheckRequest(f_, spec, t_.plan, true);
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->code, "usage");
  }
}

TEST_F(ArrayJobs, OneAfterAnArrayWaitsForItsLastElement) {
  const RequestId id = Array(2, 0).id();
  schemas::RequestSpec spec = Spec({{"lakes"}});
  spec.after = {{schemas::DependencyKind::kOk, id}};
  const Request& after = Submitted(spec);
  EXPECT_EQ(GateOpensAt(f_, after, t_.plan), std::nullopt);
  for (uint64_t i = 1; i <= 2; ++i) Place(Find(id.element(i)));
  RefreshArrays(f_, t_);
  EXPECT_EQ(GateOpensAt(f_, after, t_.plan), Instant{kBegin + 600});
  RunToEnd(Find(id.element(1)), 0);
  EXPECT_FALSE(IsOpen(after));
  RunToEnd(Find(id.element(2)), 0);
  EXPECT_TRUE(IsOpen(after));
}

}  // namespace
}  // namespace muster::meta
