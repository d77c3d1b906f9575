// Verbs that order, and those that tell of arrays, sites alone and events, against a meta that
// answers as told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/io/zmq/keys.h"
#include "cli/json.h"
#include "cli/verb_fixture.h"

namespace muster::cli {
namespace {

using schemas::Accepted;
using schemas::ClientMessage;
using testing::HasSubstr;

using Act = schemas::Act;
using Answers = std::vector<AnswerBody>;

const Act& ActOf(const ClientMessage& message) { return std::get<Act>(message.body); }

TEST_F(VerbsTest, HoldAndReleaseNameElements) {
  Start([](const ClientMessage& message) -> Answers {
    const Act& act = ActOf(message);
    return {Accepted{
        act.requests, std::vector(act.requests.size(), schemas::RequestState::kParked), {}}};
  });
  const Ran held = Muster({"hold", "42", "43[7-8]"});
  EXPECT_EQ(held.exit, 0) << held.err;
  EXPECT_EQ(held.out, "job 42  parked\njob 43[7]  parked\njob 43[8]  parked\n");
  EXPECT_EQ(Muster({"release", "-q", "43_7"}).out, "43[7]\n");
  const auto heard = meta_->Heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(ActOf(heard[0]).verb, schemas::ActVerb::kPark);
  EXPECT_EQ(ActOf(heard[0]).requests[1], RequestId{43}.element(7));
  EXPECT_EQ(ActOf(heard[1]).verb, schemas::ActVerb::kUnpark);
  EXPECT_EQ(Muster({"hold", "42.1"}).exit, 2);
}

TEST_F(VerbsTest, NothingBreaksAPromiseSilently) {
  Start([](const ClientMessage& message) -> Answers {
    if (std::holds_alternative<schemas::Get>(message.body)) return {schemas::Rows{}};
    const Act& act = ActOf(message);
    if (!act.may_move) {
      return {schemas::Refused{"conflict", "this would move 2 promises, by up to 16m",
                               "42, 43[1-100]", "", "nothing was changed"}};
    }
    return {Accepted{{}, {}, {"draining; job 36 may finish, by 22:30:59"}}};
  });
  const Ran refused = Muster({"drain", "lakes/n1", "--reason", "fan"});
  EXPECT_EQ(refused.exit, 8);
  EXPECT_EQ(refused.err,
            "muster: error[conflict]: this would move 2 promises, by up to 16m\n"
            "  42, 43[1-100]\n"
            "  help: go ahead with --yes; nothing was changed\n");
  const Ran done = Muster({"drain", "lakes/n1", "--reason", "fan", "--yes"});
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_EQ(done.out,
            "lakes/n1  draining; job 36 may finish, by 22:30:59; what is booked there stays\n");
  const std::vector<ClientMessage> heard = meta_->Heard();
  ASSERT_GE(heard.size(), 2u);
  const Act act = ActOf(heard[heard.size() - 2]);
  EXPECT_EQ(act.nodes, std::vector<std::string>{"lakes/n1"});
  EXPECT_EQ(act.reason, "fan");
}

TEST_F(VerbsTest, ASiteIsGivenUpOnlyWithAYes) {
  Start([](const ClientMessage&) -> Answers { return {Accepted{}}; });
  EXPECT_EQ(Muster({"site", "forget", "hills"}).exit, 8);
  EXPECT_TRUE(meta_->Heard().empty());
  const Ran done = Muster({"site", "forget", "hills", "--yes"});
  EXPECT_EQ(done.out, "hills  given up\n") << done.err;
  EXPECT_EQ(ActOf(meta_->Heard().front()).site, "hills");
}

TEST_F(VerbsTest, SettleSaysWhichWay) {
  Start([](const ClientMessage& message) -> Answers {
    EXPECT_EQ(ActOf(message).settled, schemas::Settlement::kNeverRan);
    return {Accepted{ActOf(message).requests, {schemas::RequestState::kWaiting}, {"waits again"}}};
  });
  EXPECT_EQ(Muster({"settle", "42", "never-ran"}).out, "job 42  waits again\n");
  EXPECT_EQ(Muster({"settle", "42"}).exit, 2);
  EXPECT_EQ(Muster({"settle", "42", "gone"}).exit, 2);
}

TEST_F(VerbsTest, ARotatedKeyReplacesTheFileOnceItIsAccepted) {
  std::string fresh;
  Start([&fresh](const ClientMessage& message) -> Answers {
    fresh = ActOf(message).public_key;
    return {Accepted{}};
  });
  const std::string path = folder_ + "/kim.key";
  const auto before = io::ReadKeyFile(path);
  ASSERT_TRUE(before.ok());
  const Ran ran = Muster({"keys", "rotate"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("kim.key.old"));
  const auto after = io::ReadKeyFile(path);
  const auto old = io::ReadKeyFile(path + ".old");
  ASSERT_TRUE(after.ok() && old.ok());
  EXPECT_EQ(after->public_key, fresh);
  EXPECT_EQ(old->public_key, before->public_key);
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_F(VerbsTest, ARefusedRotationChangesNoFile) {
  Start([](const ClientMessage&) -> Answers {
    return {schemas::Refused{"denied", "not here", "", "", ""}};
  });
  const std::string path = folder_ + "/kim.key";
  const auto before = io::ReadKeyFile(path);
  EXPECT_EQ(Muster({"keys", "rotate"}).exit, 4);
  EXPECT_EQ(io::ReadKeyFile(path)->public_key, before->public_key);
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  EXPECT_FALSE(std::filesystem::exists(path + ".old"));
}

TEST_F(VerbsTest, EventsWithoutFollowAreWhatIsKept) {
  Start([](const ClientMessage& message) -> Answers {
    const auto& follow = std::get<schemas::Follow>(message.body);
    if (follow.stop) return {};
    EXPECT_EQ(follow.kind, schemas::FollowKind::kEvents);
    EXPECT_EQ(follow.from, 1u);
    schemas::Rows rows;
    rows.events.push_back({.number = 7, .at = Moment{1}, .code = "accepted", .job = "42"});
    rows.events.push_back({.number = 8, .at = Moment{2}, .code = "ended", .job = "42"});
    return {rows, schemas::Rows{}};
  });
  const Ran ran = Muster({"events"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const Json first = Json::parse(ran.out.substr(0, ran.out.find('\n')));
  EXPECT_EQ(first["schema"], "muster.event/1");
  EXPECT_EQ(first["number"], 7);
  EXPECT_EQ(first["site"], nullptr);
  EXPECT_THAT(ran.out, HasSubstr("\"code\":\"ended\""));
}

TEST_F(VerbsTest, ViaASiteJobsAreItsOwn) {
  Start([](const ClientMessage& message) -> Answers {
    if (const auto* cancel = std::get_if<schemas::Cancel>(&message.body)) {
      return {Accepted{cancel->requests, {schemas::RequestState::kEnded}, {}}};
    }
    const auto& get = std::get<schemas::Get>(message.body);
    EXPECT_EQ(get.locals, std::vector<uint64_t>{17});
    EXPECT_TRUE(get.requests.empty());
    schemas::JobView job = Job(17);
    job.id = "lakes/17";
    return {JobRows({job})};
  });
  const Ran shown = Muster({"--via", "lakes", "show", "17"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("job lakes/17  solve  kim"));
  EXPECT_EQ(Muster({"--via", "lakes", "show", "lakes/17"}).out, shown.out);
  EXPECT_EQ(Muster({"--via", "lakes", "cancel", "17"}).out, "job lakes/17  ended\n");
  EXPECT_EQ(Muster({"--via", "lakes", "show", "woods/17"}).exit, 2);
  const Ran unknown = Muster({"--via", "laks", "show", "17"});
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'lakes'?"));
}

TEST_F(VerbsTest, JobsOfASiteAloneAreShownThroughTheMetaAndNotChanged) {
  Start([](const ClientMessage& message) -> Answers {
    const auto& get = std::get<schemas::Get>(message.body);
    EXPECT_EQ(get.locals, std::vector<uint64_t>{17});
    EXPECT_EQ(get.sites, std::vector<std::string>{"lakes"});
    schemas::JobView job = Job(17);
    job.id = "lakes/17";
    return {JobRows({job})};
  });
  EXPECT_THAT(Muster({"show", "lakes/17"}).out, HasSubstr("job lakes/17"));
  const Ran refused = Muster({"cancel", "lakes/17"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("muster --via lakes"));
}

TEST_F(VerbsTest, WaitTellsTheLastLineOfTheElementThatFailed) {
  Start([](const ClientMessage& message) -> Answers {
    if (const auto* get = std::get_if<schemas::Get>(&message.body)) {
      EXPECT_EQ(get->requests, std::vector<RequestId>{RequestId{43}.element(17)});
      if (get->kind == schemas::GetKind::kJob) {
        schemas::JobView element = EndedJob(43, schemas::Outcome::kFailed, 3);
        element.id = "43[17]";
        return {JobRows({element})};
      }
      schemas::Rows rows;
      rows.output.push_back({.part = "43[17].1",
                             .known = true,
                             .data = get->error_stream ? "start\nno input 17\n\n" : "",
                             .next = 20,
                             .ended = true});
      return {rows};
    }
    if (std::get<schemas::Follow>(message.body).stop) return {};
    schemas::JobView array = EndedJob(43, schemas::Outcome::kFailed, 0);
    array.array = schemas::ArrayView{.first = 1, .last = 100, .done = 99, .failed = 1};
    array.array->failures.push_back({.id = "43[17]", .exit_code = 3});
    return {JobRows({array})};
  });
  const Ran ran = Muster({"wait", "43"});
  EXPECT_EQ(ran.exit, 9) << ran.err;
  EXPECT_EQ(ran.out, "43[1-100]  99 done, 1 failed: 43[17] exit 3, last line 'no input 17'\n");
}

TEST_F(VerbsTest, AnArrayIsSubmittedWithItsElementsInTheId) {
  Start([](const ClientMessage& message) -> Answers {
    if (const auto* submit = std::get_if<schemas::Submit>(&message.body)) {
      EXPECT_EQ(submit->request.array->at_once, 20u);
      EXPECT_EQ(submit->request.after.front().request, RequestId{42});
      EXPECT_TRUE(submit->request.firm);
      return {Accepted{{RequestId{43}}, {schemas::RequestState::kWaiting}, {}}};
    }
    if (std::get<schemas::Follow>(message.body).stop) return {};
    schemas::JobView array = Job(43);
    array.array = schemas::ArrayView{.first = 1, .last = 100, .at_once = 20, .sites = {"lakes"}};
    return {JobRows({array})};
  });
  const Ran ran = Muster({"submit", "--utc", "--firm", "-a", "1-100%20", "--after", "42", "-t",
                          "5m", "--", "/bin/true"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out,
              testing::StartsWith("job 43[1-100]  solve  100 elements, 20 at once, on lakes: "));
  EXPECT_EQ(Muster({"submit", "-f", "-a", "1-101", "-t", "5m", "--", "/bin/true"}).exit, 2);
}

TEST_F(VerbsTest, WithoutAWindowSlotsExitSeven) {
  Start([](const ClientMessage& message) -> Answers {
    const auto& get = std::get<schemas::Get>(message.body);
    EXPECT_EQ(get.spec->duration, Span{1200});
    EXPECT_TRUE(get.until.has_value());
    return {schemas::Rows{}};
  });
  const Ran ran = Muster({"slots", "-l", "2:ncpus=4", "-t", "20m", "--within", "2h"});
  EXPECT_EQ(ran.exit, 7);
  EXPECT_THAT(ran.err, HasSubstr("error[window]: no window of 20m begins within 2h"));
  EXPECT_EQ(Muster({"slots", "-l", "1", ":", "-l", "1", "-t", "1m"}).exit, 2);
}

TEST_F(VerbsTest, SilentSitesShowTheirNodesOnlyWhenAskedFor) {
  Start([](const ClientMessage&) -> Answers {
    schemas::Rows rows;
    rows.nodes.push_back({.name = "hills", .stale = true, .age_s = 192.0});
    rows.nodes.back().nodes.push_back({.name = "g1"});
    return {rows};
  });
  EXPECT_THAT(Muster({"nodes"}).out, HasSubstr("hills  silent 3m12s"));
  const Ran stale = Muster({"nodes", "--stale"});
  EXPECT_THAT(stale.out, HasSubstr("hills/g1"));
  EXPECT_THAT(stale.out, HasSubstr("hills: as known 3m12s ago"));
  EXPECT_EQ(Muster({"nodes", "woods"}).exit, 3);
}

}  // namespace
}  // namespace muster::cli
