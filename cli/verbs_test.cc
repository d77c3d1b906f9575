// The verbs against a meta that answers as told: what is asked, what is printed, with which exit
// status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/verb_fixture.h"

namespace muster::cli {
namespace {

using schemas::ClientMessage;
using testing::HasSubstr;

TEST_F(VerbsTest, QueueAsksPageByPageAndPrintsTheTable) {
  Start([](const ClientMessage& message) -> std::vector<AnswerBody> {
    const auto& get = std::get<schemas::Get>(message.body);
    schemas::Rows rows = JobRows({Job(get.page_after.value == 0 ? 41 : 42)});
    rows.more = get.page_after.value == 0;
    return {rows};
  });
  const Ran ran = Muster({"queue", "--utc"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("41   solve  kim   promised  lakes"));
  EXPECT_THAT(ran.out, HasSubstr("42   solve  kim"));
  EXPECT_THAT(ran.out, HasSubstr("2 jobs\n"));
  EXPECT_EQ(Muster({"-q", "queue"}).out, "41\n42\n");
  EXPECT_EQ(Muster({"q", "-q"}).out, "41\n42\n");
}

TEST_F(VerbsTest, QueueDocumentHoldsEveryFieldOfThePage) {
  Start([](const ClientMessage&) -> std::vector<AnswerBody> { return {JobRows({Job(41)})}; });
  const Ran ran = Muster({"queue", "--json"});
  const Json document = Json::parse(ran.out);
  EXPECT_EQ(document["schema"], "muster.queue/1");
  EXPECT_EQ(document["as_of"], "2026-11-20T21:14:05.000Z");
  const Json& job = document["jobs"][0];
  for (const char* name :
       {"id",           "name",       "user",       "kind",    "state",       "outcome",
        "submitted_at", "once",       "duration_s", "apart",   "at",          "from",
        "start_by",     "deadline",   "after",      "array",   "reservation", "queue",
        "firm",         "rerunnable", "keep_going", "figures", "parts"}) {
    EXPECT_TRUE(job.contains(name)) << name;
  }
  EXPECT_FALSE(job.contains("history"));
  EXPECT_EQ(job["outcome"], nullptr);
  EXPECT_EQ(job["figures"]["starts_by"]["at"], "2026-11-20T21:24:01Z");
  EXPECT_EQ(job["figures"]["expected"], nullptr);
  for (const char* name : {"id", "site", "state", "offset_s", "place", "nodes", "chunks",
                           "started_at", "ended_at", "exit_code", "signal", "used"}) {
    EXPECT_TRUE(job["parts"][0].contains(name)) << name;
  }
}

TEST_F(VerbsTest, SubmitPrintsTheJobOnceItHasFigures) {
  Start([](const ClientMessage& message) -> std::vector<AnswerBody> {
    if (std::holds_alternative<schemas::Submit>(message.body)) {
      return {schemas::Accepted{{RequestId{41}}, {schemas::RequestState::kWaiting}, {}, false}};
    }
    const auto& follow = std::get<schemas::Follow>(message.body);
    if (follow.stop) return {};
    return {JobRows({Job(41, schemas::RequestState::kWaiting)}), JobRows({Job(41)})};
  });
  const Ran ran = Muster({"submit", "--utc", "-l", "2:ncpus=4", "-t", "30m", "--", "/bin/true"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::StartsWith("job 41  solve  on lakes: 2 × (4 cpus)\n  starts by  "));
  EXPECT_EQ(ran.err, "");
  const auto heard = meta_->Heard();
  ASSERT_FALSE(heard.empty());
  const auto& submit = std::get<schemas::Submit>(heard.front().body);
  EXPECT_EQ(submit.key.text.size(), 32u);
  EXPECT_TRUE(submit.key.generated.has_value());
  EXPECT_EQ(submit.request.name, "true");
  EXPECT_EQ(Muster({"submit", "-q", "-t", "1m", "--", "/bin/true"}).out, "41\n");
}

TEST_F(VerbsTest, SubmitRepeatsOnceWithTheSameKey) {
  int submissions = 0;
  Start([&submissions](const ClientMessage& message) -> std::vector<AnswerBody> {
    if (!std::holds_alternative<schemas::Submit>(message.body)) return {JobRows({Job(41)})};
    if (++submissions == 1) return {};
    return {schemas::Accepted{{RequestId{41}}, {schemas::RequestState::kWaiting}, {}, true}};
  });
  const Ran ran = Muster({"submit", "-q", "-t", "1m", "--", "/bin/true"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  const auto heard = meta_->Heard();
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(std::get<schemas::Submit>(heard[0].body), std::get<schemas::Submit>(heard[1].body));
}

TEST_F(VerbsTest, RefusedSubmissionIsToldInFullAndExitsSeven) {
  Start([](const ClientMessage&) -> std::vector<AnswerBody> {
    return {schemas::Refused{"never", "no site can ever run 2 × (64 cpus)",
                             "lakes, woods, hills: no node has more than 4 cpus",
                             "the largest here is -l 2:ncpus=4", "nothing was submitted"}};
  });
  const Ran ran = Muster({"submit", "-l", "2:ncpus=64", "-t", "1h", "--", "/bin/true"});
  EXPECT_EQ(ran.exit, 7);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "muster: error[never]: no site can ever run 2 × (64 cpus)\n"
            "  lakes, woods, hills: no node has more than 4 cpus\n"
            "  help: the largest here is -l 2:ncpus=4; nothing was submitted\n");
  const Json document =
      Json::parse(Muster({"submit", "--json", "-t", "1h", "--", "/bin/true"}).err);
  EXPECT_EQ(document["schema"], "muster.error/1");
  EXPECT_EQ(document["code"], "never");
  EXPECT_EQ(document["exit"], 7);
  EXPECT_EQ(document["changed"], "nothing was submitted");
}

TEST_F(VerbsTest, AskThatNoSiteCanEverRunSaysWhyPerSite) {
  Start([](const ClientMessage& message) -> std::vector<AnswerBody> {
    EXPECT_TRUE(std::get<schemas::Ask>(message.body).request.payload.argv.empty());
    schemas::Rows rows = JobRows({});
    for (const char* site : {"lakes", "woods"}) {
      schemas::OfferView offer;
      offer.sites = {site};
      offer.never = schemas::Reason{.code = schemas::ReasonCode::kNode,
                                    .text = "no node has more than 4 cpus"};
      offer.largest = {{2, {{"ncpus", 4}}, {}}};
      rows.offers.push_back(offer);
    }
    return {rows};
  });
  const Ran ran = Muster({"ask", "-l", "2:ncpus=64", "-t", "1h"});
  EXPECT_EQ(ran.exit, 7);
  EXPECT_EQ(ran.err,
            "muster: error[never]: no site can ever run 2 × (64 cpus)\n"
            "  lakes, woods: no node has more than 4 cpus\n"
            "  help: the largest here is -l 2:ncpus=4\n");
}

TEST_F(VerbsTest, ForeignKeyIsShownInTheConfigurationAndExitsFour) {
  Start([](const ClientMessage&) -> std::vector<AnswerBody> { return {}; }, false);
  const Ran ran = Muster({"queue"});
  EXPECT_EQ(ran.exit, 4);
  EXPECT_THAT(ran.err,
              HasSubstr("error[wrong-key]: campus takes the connection but not the handshake\n"));
  EXPECT_THAT(
      ran.err,
      HasSubstr(
          "config.toml:5:12\n 5 | key      = \"kim.key\"\n   |            ^^^^^^^^^ public half "));
  EXPECT_THAT(ran.err, HasSubstr("  help: either this key is not on its list"));
}

TEST_F(VerbsTest, NobodyThereExitsFive) {
  Start([](const ClientMessage&) -> std::vector<AnswerBody> { return {}; });
  const std::string config = folder_ + "/config.toml";
  meta_.reset();
  setenv("MUSTER_CONFIG", config.c_str(), 1);
  const Ran ran = Muster({"sites"});
  EXPECT_EQ(ran.exit, 5);
  EXPECT_THAT(ran.err, HasSubstr("error[unreachable]: campus does not answer at tcp://127.0.0.1:"));
  unsetenv("MUSTER_CONFIG");
}

TEST_F(VerbsTest, WaitPrintsWhatEndsAndExitsNineIfOneFailed) {
  Start([](const ClientMessage& message) -> std::vector<AnswerBody> {
    // Of its output nothing is known any more.
    if (std::holds_alternative<schemas::Get>(message.body)) return {schemas::Rows{}};
    if (std::get<schemas::Follow>(message.body).stop) return {};
    schemas::Rows last = JobRows({EndedJob(42, schemas::Outcome::kFailed, 3)});
    last.end = true;
    return {JobRows({Job(41), Job(42)}), JobRows({EndedJob(41, schemas::Outcome::kDone, 0)}), last};
  });
  const Ran ran = Muster({"wait", "--utc", "41-42"});
  EXPECT_EQ(ran.exit, 9) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("41  done     "));
  EXPECT_THAT(ran.out, HasSubstr("42  failed   "));
  EXPECT_THAT(ran.out, HasSubstr("exit 3\n"));
}

TEST_F(VerbsTest, WaitForLastUntilPromisedAsksWhichItIs) {
  Start([](const ClientMessage& message) -> std::vector<AnswerBody> {
    if (const auto* get = std::get_if<schemas::Get>(&message.body)) {
      EXPECT_TRUE(get->last);
      return {JobRows({Job(41)})};
    }
    const auto& follow = std::get<schemas::Follow>(message.body);
    EXPECT_EQ(follow.requests, std::vector<RequestId>{RequestId{41}});
    return {JobRows({Job(41)})};
  });
  const Ran ran = Muster({"wait", "--until", "promised", "last"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "41  promised\n");
}

TEST_F(VerbsTest, LogsPrefixSeveralPartsAndReadOnFromWhereTheyWere) {
  Start([](const ClientMessage& message) -> std::vector<AnswerBody> {
    const auto& get = std::get<schemas::Get>(message.body);
    if (get.kind == schemas::GetKind::kJob) {
      schemas::JobView job = EndedJob(42, schemas::Outcome::kDone, 0);
      job.parts.push_back(job.parts[0]);
      job.parts[1].id = "42.2";
      return {JobRows({job})};
    }
    const std::string whole = "first " + std::to_string(get.part) + "\nsecond\n";
    schemas::OutputRow row;
    row.known = !get.error_stream;
    if (row.known) row.data = whole.substr(get.offset, 10);
    row.next = get.offset + row.data.size();
    row.ended = row.next == whole.size();
    schemas::Rows rows = JobRows({});
    rows.output = {row};
    return {rows};
  });
  const Ran ran = Muster({"logs", "42"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  for (const char* line :
       {"42.1 | first 1\n", "42.1 | second\n", "42.2 | first 2\n", "42.2 | second\n"}) {
    EXPECT_THAT(ran.out, HasSubstr(line));
  }
  EXPECT_EQ(Muster({"logs", "-f", "42.2"}).out, "first 2\nsecond\n");
  EXPECT_EQ(Muster({"logs", "42.3"}).exit, 3);
}

TEST_F(VerbsTest, CancelSaysWhatBecameOfEachJob) {
  Start([](const ClientMessage& message) -> std::vector<AnswerBody> {
    const auto& cancel = std::get<schemas::Cancel>(message.body);
    EXPECT_EQ(cancel.requests, (std::vector<RequestId>{RequestId{44}, RequestId{45}}));
    return {schemas::Accepted{cancel.requests,
                              {schemas::RequestState::kEnded, schemas::RequestState::kCancelling},
                              {"cancelled before its start", ""},
                              false}};
  });
  const Ran ran = Muster({"cancel", "44-45"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "job 44  cancelled before its start\njob 45  cancelling\n");
}

TEST_F(VerbsTest, WithoutAnyFederationTheWayToOneIsShown) {
  setenv("XDG_CONFIG_HOME", (folder_ + "/none").c_str(), 1);
  const Ran ran = Muster({"queue"});
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err,
              HasSubstr("error[no-federation]: none configured, and none runs on this machine\n"
                        "  help: 'muster up' starts one; or name one in "));
}

TEST_F(VerbsTest, KeysAreMadeOnceAndNeverOverwritten) {
  const std::string path = folder_ + "/new.key";
  EXPECT_EQ(Muster({"keys", "new", path}).exit, 0);
  const Ran again = Muster({"keys", "new", path});
  EXPECT_EQ(again.exit, 8);
  EXPECT_THAT(again.err, HasSubstr("error[exists]"));
}

TEST_F(VerbsTest, CheckPointsAtWhatIsWrongInAConfiguration) {
  const std::string path = folder_ + "/mine.toml";
  std::ofstream(path) << "[output]\ncolour = \"never\"\n";
  const Ran ran = Muster({"check", path});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_THAT(ran.err, HasSubstr(":2:1"));
}

}  // namespace
}  // namespace muster::cli
