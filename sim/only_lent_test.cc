// Jobs that are promised nothing and have lent room alone, with the real cores of a meta and two
// sites: they fill what is idle, leave when others are due, wait and begin again, and are promised
// a start once they were recalled often enough. Maui Sect. IV (bottom feeders); scheduling.md
// section 18.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/replay/ideal_federation.h"

namespace muster::sim {
namespace {

using schemas::RequestState;

constexpr Moment kFillingBegins{1'000'000'000};

// Keeps the newest record of each job, and when its lives began and ended.
class Diary : public Onlooker {
 public:
  struct Life {
    Moment began;
    std::optional<Moment> ended;
    std::map<std::string, std::string> environment;
  };
  void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) override {
    for (const auto& write : writes) {
      const auto* record =
          write.value ? std::get_if<schemas::RequestRecord>(&*write.value) : nullptr;
      if (record != nullptr) jobs[record->key.text] = *record;
    }
  }
  void OnTold(const meta::ClientAnswer&) override {}
  void OnStarted(size_t, const driver::StartPart& part, Moment at) override {
    lives[part.payload.argv[0]].push_back({at, std::nullopt, part.environment});
  }
  void OnEnded(size_t, const driver::StartPart& part, const driver::PartEnded& ended) override {
    lives[part.payload.argv[0]].back().ended = ended.at;
  }

  std::map<std::string, schemas::RequestRecord> jobs;
  std::map<std::string, std::vector<Life>> lives;
};

class OnlyLent : public ::testing::Test {
 protected:
  OnlyLent() {
    options_.meta.federation = "lakes";
    options_.meta.users = {{.name = "ana"}};
    options_.meta.credentials.qos = {
        {.name = "filler",
         .grant = {"*"},
         .promise = policy::PromiseTime::kStart,
         .recall = policy::RecallTerms{.way = policy::Recall::kCheckpoint,
                                       .grace = Span{20},
                                       .min_run = Span{60},
                                       .max_recalls = 2}}};
    for (const char* name : {"alster", "bille"}) {
      site::Options site;
      site.name = name;
      site.boot_id = name;
      site.facts.turnover = Span{1};
      site.lends_to = {"qos filler"};
      site.nodes = {{"n1", {{"ncpus", 4}}, {}}};
      options_.sites.push_back(std::move(site));
    }
    options_.begins = kFillingBegins;
    options_.fate_of = [this](size_t, const driver::StartPart& part) {
      const auto saved = part.environment.find("MUSTER_SAVED_S");
      const int64_t done = saved == part.environment.end() ? 0 : std::atoll(saved->second.c_str());
      driver::SimulatedFate fate;
      fate.runs = Seconds(std::atoll(part.payload.argv[1].c_str()) - done);
      if (saves_) fate.term_code = schemas::kSavedStatus;
      fate.after_term = Seconds(5);
      return fate;
    };
  }
  void Boot() { federation_.emplace(options_, &diary_); }
  void Until(int64_t second) {
    const Moment to{kFillingBegins.milliseconds + second * 1000};
    while (const auto next = federation_->Next()) {
      if (*next > to) break;
      federation_->GoTo(*next);
      federation_->Timers();
    }
    federation_->GoTo(to);
    federation_->Timers();
  }
  // A job of one whole node. Its name is its client key.
  void Submit(const std::string& name, int64_t runs, const std::string& site = "",
              const std::string& qos = "") {
    schemas::Submit submit{.key = {.text = name}};
    schemas::PartSpec part{.chunks = {{.count = 1, .resources = {{"ncpus", 4}}}}};
    if (!site.empty()) part.sites = {site};
    submit.request.parts = {part};
    submit.request.duration = Span{runs};
    submit.request.qos = qos;
    submit.request.payload.argv = {name, std::to_string(runs)};
    federation_->Say("ana", {.number = {++said_}, .body = std::move(submit)});
  }
  RequestState StateOf(const std::string& name) const { return diary_.jobs.at(name).state; }
  const std::vector<Diary::Life>& Lives(const std::string& name) { return diary_.lives[name]; }
  static int64_t SecondOf(Moment at) {
    return (at.milliseconds - kFillingBegins.milliseconds) / 1000;
  }

  IdealOptions options_{};
  Diary diary_;
  std::optional<IdealFederation> federation_;
  uint64_t said_ = 0;
  bool saves_ = false;
};

TEST_F(OnlyLent, FillsWhatIsIdleAndIsGoneWithinItsGraceWhenAnotherComes) {
  Boot();
  Submit("fill-1", 50'000, "", "filler");
  Submit("fill-2", 50'000, "", "filler");
  Submit("fill-3", 50'000, "", "filler");
  Until(10);
  EXPECT_EQ(StateOf("fill-1"), RequestState::kRunning);
  EXPECT_EQ(StateOf("fill-2"), RequestState::kRunning);
  EXPECT_EQ(StateOf("fill-3"), RequestState::kWaiting);
  for (const char* name : {"fill-1", "fill-2", "fill-3"}) {
    for (const auto& told : diary_.jobs.at(name).history) {
      EXPECT_FALSE(told.figures.starts_by.has_value()) << name << " is promised nothing";
    }
  }
  Until(500);
  Submit("normal", 100);
  Until(501);
  ASSERT_FALSE(diary_.jobs.at("normal").history.empty());
  const auto promise = diary_.jobs.at("normal").history.front().figures.starts_by;
  ASSERT_TRUE(promise.has_value());
  EXPECT_LE(SecondOf(ToMoment(promise->at)), 500 + 20 + 5 + 3) << "grace, look, turnovers";
  Until(540);
  ASSERT_EQ(Lives("normal").size(), 1u);
  EXPECT_LE(Lives("normal").front().began, ToMoment(promise->at + Span{1}));
}

TEST_F(OnlyLent, WhoIsRecalledWaitsWithItsRankAndBeginsAgain) {
  Boot();
  Submit("fill", 2000, "alster", "filler");
  Until(500);
  Submit("normal", 300, "alster");
  Until(535);
  EXPECT_EQ(StateOf("fill"), RequestState::kWaiting);
  const schemas::RequestRecord& waits = diary_.jobs.at("fill");
  EXPECT_EQ(waits.recalls, 1u);
  EXPECT_GT(waits.lost, Seconds(480));
  EXPECT_EQ(waits.replacements, 0u) << "a recall takes no place away";
  bool told = false;
  for (const schemas::JobEvent& event : waits.events) told = told || event.code == "recalled";
  EXPECT_TRUE(told);
  Until(900);
  EXPECT_EQ(StateOf("fill"), RequestState::kRunning);
  ASSERT_EQ(Lives("fill").size(), 2u);
  EXPECT_EQ(Lives("fill").back().environment.at("MUSTER_RECALLS"), "1");
  Until(900 + 2000);
  EXPECT_EQ(StateOf("fill"), RequestState::kEnded);
  EXPECT_EQ(diary_.jobs.at("fill").outcome, schemas::Outcome::kDone);
}

TEST_F(OnlyLent, WhatItSavedNeedNotBeDoneAgain) {
  saves_ = true;
  Boot();
  Submit("fill", 2000, "alster", "filler");
  Until(500);
  Submit("normal", 300, "alster");
  Until(900);
  ASSERT_EQ(Lives("fill").size(), 2u);
  const int64_t saved = std::atoll(Lives("fill").back().environment.at("MUSTER_SAVED_S").c_str());
  EXPECT_GT(saved, 480);
  EXPECT_EQ(diary_.jobs.at("fill").saved, Span{saved});
  EXPECT_EQ(diary_.jobs.at("fill").spec.duration, Span{2000 - saved});
  EXPECT_EQ(diary_.jobs.at("fill").lost, Seconds(0));
  Until(3000);
  ASSERT_TRUE(Lives("fill").back().ended.has_value());
  const int64_t last =
      (Lives("fill").back().ended->milliseconds - Lives("fill").back().began.milliseconds) / 1000;
  EXPECT_EQ(last, 2000 - saved);
}

TEST_F(OnlyLent, RecalledOftenEnoughItIsPromisedAStartAndKeepsIt) {
  Boot();
  Submit("fill", 2000, "alster", "filler");
  for (const int64_t at : {500, 1500}) {
    Until(at);
    Submit("normal-" + std::to_string(at), 300, "alster");
  }
  Until(1540);
  EXPECT_EQ(diary_.jobs.at("fill").recalls, 2u);
  Until(1560);
  EXPECT_EQ(StateOf("fill"), RequestState::kPromised);
  const auto promise = diary_.jobs.at("fill").history.back().figures.starts_by;
  ASSERT_TRUE(promise.has_value());
  Until(SecondOf(ToMoment(promise->at)) + 100);
  EXPECT_EQ(StateOf("fill"), RequestState::kRunning);
  const Instant runs = Lives("fill").back().began.Floor();
  EXPECT_LE(runs, promise->at);
  Submit("late", 300, "alster");
  Until(SecondOf(ToMoment(promise->at)) + 1500);
  EXPECT_EQ(StateOf("late"), RequestState::kPromised) << "nobody throws it off any more";
  EXPECT_EQ(Lives("fill").size(), 3u);
}

TEST_F(OnlyLent, ItGoesWhereASiteLendsAndNowhereElse) {
  options_.sites[0].lends_to.clear();
  Boot();
  Submit("fill", 2000, "", "filler");
  Submit("stuck", 2000, "alster", "filler");
  Until(100);
  EXPECT_EQ(StateOf("fill"), RequestState::kRunning);
  EXPECT_EQ(StateOf("stuck"), RequestState::kWaiting);
  ASSERT_TRUE(diary_.jobs.at("stuck").reason.has_value());
  EXPECT_NE(diary_.jobs.at("stuck").reason->text.find("lends no room to QoS filler"),
            std::string::npos)
      << diary_.jobs.at("stuck").reason->text;
}

}  // namespace
}  // namespace muster::sim
