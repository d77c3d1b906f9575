// Questions what would be, asked of a federation that runs: what is predicted is what then happens,
// and what changes nothing moves nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "base/config/meta_config.h"
#include "base/config/site_config.h"
#include "meta/settings/options_of.h"
#include "sim/replay/ideal_federation.h"
#include "sim/whatif/answer.h"
#include "sim/whatif/side.h"
#include "site/settings/options_of.h"

namespace muster::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Moment kBeganAt{int64_t{1'800'000'000} * 1000};

std::string Key(char c) { return std::string(40, c); }

const std::string kMetaText =
    "[meta]\nname = \"pair\"\nlisten = \"tcp://127.0.0.1:7710\"\nkey = \"meta.key\"\n"
    "state_dir = \"meta\"\n[[site]]\nname = \"lakes\"\nkey = \"" +
    Key('l') + "\"\n[[site]]\nname = \"woods\"\nkey = \"" + Key('w') +
    "\"\n[[user]]\nname = \"root\"\nkey = \"" + Key('k') +
    "\"\nrole = \"operator\"\n[[user]]\nname = \"ana\"\nkey = \"" + Key('a') +
    "\"\n[[user]]\nname = \"kim\"\nkey = \"" + Key('b') + "\"\n";

std::string SiteText(const std::string& name) {
  return "[site]\nname = \"" + name + "\"\nmeta = \"tcp://127.0.0.1:7710\"\nmeta_key = \"" +
         Key('m') + "\"\nkey = \"x.key\"\nstate_dir = \"x\"\n[[nodes]]\nnames = \"n[1-2]\"\n" +
         "resources = { ncpus = 4 }\n";
}

// Two sites of two nodes; what their daemons write is kept, as their stores keep it.
class WhatIfOfAFederation : public testing::Test, public Onlooker {
 protected:
  void SetUp() override {
    const auto meta = config::ParseMetaConfig("meta.toml", kMetaText);
    ASSERT_TRUE(meta.ok()) << Render(meta.diagnostic());
    IdealOptions options{.meta = meta::OptionsOf(*meta, 1)};
    options.begins = kBeganAt;
    for (const char* name : {"lakes", "woods"}) {
      const auto site = config::ParseSiteConfig("site.toml", SiteText(name));
      ASSERT_TRUE(site.ok()) << Render(site.diagnostic());
      options.sites.push_back(site::OptionsOf(*site, {.boot_id = "b1"}));
    }
    site_records_.resize(2);
    options.fate_of = [this](size_t, const driver::StartPart& part) {
      const auto runs = runs_.find(part.part_name);
      driver::SimulatedFate fate;
      if (runs != runs_.end()) fate.runs = ToBootSpan(runs->second);
      return fate;
    };
    federation_ = std::make_unique<IdealFederation>(std::move(options), this);
  }

  void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) override {
    for (const auto& write : writes) Keep(write, meta_records_);
  }
  void OnSiteWrites(size_t site,
                    const std::vector<schemas::Write<schemas::SiteRecord>>& writes) override {
    for (const auto& write : writes) Keep(write, site_records_[site]);
  }
  void OnTold(const meta::ClientAnswer& answer) override { told_ = answer.message; }
  void OnStarted(size_t, const driver::StartPart&, Moment) override {}
  void OnEnded(size_t, const driver::StartPart&, const driver::PartEnded&) override {}

  template <class Record>
  static void Keep(const schemas::Write<Record>& write, std::map<std::string, Record>& records) {
    if (write.value) {
      records[write.key] = *write.value;
    } else {
      records.erase(write.key);
    }
  }

  // The time goes on by so many seconds.
  void Pass(int64_t seconds) {
    const Moment until{federation_->Wall().milliseconds + seconds * 1000};
    for (auto next = federation_->Next(); next && *next <= until; next = federation_->Next()) {
      federation_->GoTo(std::max(*next, federation_->Wall()));
      federation_->Timers();
    }
    federation_->GoTo(until);
    federation_->Timers();
  }
  static schemas::RequestSpec Nodes(int64_t count, int64_t minutes, const std::string& site) {
    schemas::RequestSpec spec;
    spec.duration = Span{minutes * 60};
    schemas::PartSpec& part = spec.parts.emplace_back();
    part.chunks = {{.count = static_cast<uint32_t>(count), .resources = {{"ncpus", 4}}}};
    if (!site.empty()) part.sites = {site};
    spec.payload.argv = {"run"};
    return spec;
  }
  RequestId Submit(const std::string& user, schemas::RequestSpec spec) {
    schemas::Submit submit{.key = {.text = std::to_string(++number_)}, .request = std::move(spec)};
    federation_->Say(user, {.number = {number_}, .body = std::move(submit)});
    const auto* accepted = std::get_if<schemas::Accepted>(&told_.body);
    EXPECT_NE(accepted, nullptr);
    return accepted ? accepted->requests.at(0) : RequestId{};
  }
  std::optional<Instant> StartsBy(RequestId id) const {
    for (const auto& [key, one] : meta_records_) {
      const auto* request = std::get_if<schemas::RequestRecord>(&one);
      if (request == nullptr || request->id != id || request->history.empty()) continue;
      const auto& figure = request->history.back().figures.starts_by;
      return figure ? std::optional(figure->at) : std::nullopt;
    }
    return std::nullopt;
  }

  FederationSnapshot Snapshot() const {
    FederationSnapshot out;
    out.meta.origin = {.daemon = "meta", .path = "meta.toml", .file = kMetaText, .seed = 1};
    out.meta.origin.wall = federation_->Wall();
    out.meta.records = {meta_records_.begin(), meta_records_.end()};
    for (size_t i = 0; i < 2; ++i) {
      const std::string name = i == 0 ? "lakes" : "woods";
      SiteSnapshot& site = out.sites[name];
      site.origin = {.daemon = "site", .path = name + ".toml", .file = SiteText(name)};
      site.origin.facts = driver::FactsOf("process");
      site.origin.wall = federation_->Wall();
      site.records = {site_records_[i].begin(), site_records_[i].end()};
    }
    return out;
  }
  schemas::WhatIfView Asked(const std::string& user, schemas::WhatIf question) const {
    const schemas::WhatIfOrder order{
        .number = 1, .user = user, .is_operator = user == "root", .question = std::move(question)};
    const auto view = AnswerWhatIf(order, Snapshot());
    EXPECT_TRUE(view.ok()) << view.status();
    return view.ok() ? *view : schemas::WhatIfView{};
  }
  static schemas::WhatIf Try(schemas::TriedChange change) {
    schemas::WhatIf out;
    out.changes.push_back(std::move(change));
    return out;
  }
  static schemas::TriedChange Drain(const std::string& node) {
    return {.text = "drain " + node,
            .act = schemas::Act{
                .verb = schemas::ActVerb::kDrain, .nodes = {node}, .reason = "", .hard = true}};
  }
  static schemas::TriedChange InFile(const std::string& at, const std::string& path,
                                     const std::string& to) {
    return {.text = at + ": " + path + " = " + to,
            .file = schemas::FileChange{.at = at, .path = path, .to = to}};
  }

  std::map<std::string, Span> runs_;  // by name of the part
  std::map<std::string, schemas::MetaRecord> meta_records_;
  std::vector<std::map<std::string, schemas::SiteRecord>> site_records_;
  std::unique_ptr<IdealFederation> federation_;
  schemas::ToClient told_;
  uint64_t number_ = 0;
};

TEST_F(WhatIfOfAFederation, ThatChangesNothingMovesNothing) {
  for (int i = 0; i < 12; ++i) Submit(i % 2 ? "ana" : "kim", Nodes(1 + i % 2, 10 + i, ""));
  Pass(90);
  schemas::WhatIf question = Try(InFile("lakes", "federation.max_holds", "1000"));
  for (const bool ahead : {false, true}) {
    if (ahead) question.ahead = Span{4 * 3600};
    const schemas::WhatIfView view = Asked("root", question);
    EXPECT_EQ(view.refused, "");
    EXPECT_THAT(view.rows, IsEmpty());
    EXPECT_EQ(view.breaks, 0u);
    EXPECT_EQ(view.before, view.after);
    EXPECT_EQ(view.moved, (schemas::MovedCounts{0, 0, 12}));
  }
}

TEST_F(WhatIfOfAFederation, PredictsOfADrainWhatItThenDoes) {
  Submit("ana", Nodes(2, 20, "lakes"));
  std::vector<RequestId> waiting;
  for (int i = 0; i < 4; ++i) waiting.push_back(Submit("kim", Nodes(1, 30, "lakes")));
  Pass(60);
  std::map<std::string, std::optional<Instant>> before;
  for (const RequestId id : waiting) before[ToText(id)] = StartsBy(id);
  const schemas::WhatIfView view = Asked("root", Try(Drain("lakes/n1")));
  EXPECT_EQ(view.refused, "");
  EXPECT_GT(view.breaks, 0u);

  schemas::Act drain{.verb = schemas::ActVerb::kDrain, .nodes = {"lakes/n1"}};
  drain.hard = true;
  drain.may_move = true;
  federation_->Say("root", {.number = {++number_}, .body = drain});
  Pass(kWhatIfSettles.seconds);
  std::map<std::string, std::optional<Instant>> moved;
  for (const RequestId id : waiting) {
    if (StartsBy(id) != before[ToText(id)]) moved[ToText(id)] = StartsBy(id);
  }
  EXPECT_FALSE(moved.empty());
  std::map<std::string, std::optional<Instant>> predicted;
  for (const schemas::WhatIfRow& row : view.rows) {
    EXPECT_EQ(row.before, before[row.job]) << row.job;
    predicted[row.job] = row.after;
  }
  EXPECT_EQ(predicted, moved);
}

TEST_F(WhatIfOfAFederation, GoesOnWithWhatRunsAndEndsAsItWould) {
  runs_["1.1"] = Span{600};
  Submit("ana", Nodes(2, 20, "lakes"));
  const RequestId waits = Submit("kim", Nodes(2, 20, "lakes"));
  Pass(300);
  schemas::WhatIf question = Try(InFile("lakes", "federation.max_holds", "1000"));
  question.ahead = Span{3600};
  const schemas::WhatIfView view = Asked("root", question);
  ASSERT_TRUE(view.before);
  // One runs since before; what it does in this hour counts, and the other one started.
  EXPECT_EQ(view.before->started, 1u);
  EXPECT_EQ(view.before->promises_later, 0u);
  EXPECT_GT(view.before->utilisation_ratio, 0.1);
  EXPECT_TRUE(StartsBy(waits));
}

// They came together, when nothing was known of how long such jobs run.
TEST_F(WhatIfOfAFederation, GoesOnByWhatWasLearnedSinceTheJobsCame) {
  constexpr int kJobs = 40;
  for (int i = 1; i <= kJobs; ++i) {
    runs_[std::to_string(i) + ".1"] = Span{300};
    Submit("ana", Nodes(2, 60, "lakes"));
  }
  Pass(20 * 310);
  schemas::WhatIf question = Try(InFile("lakes", "federation.max_holds", "1000"));
  question.ahead = Span{3600};
  const schemas::WhatIfView view = Asked("root", question);
  ASSERT_TRUE(view.before);
  EXPECT_GE(view.before->started, 6u);
  EXPECT_LE(view.before->started, 13u);
}

TEST_F(WhatIfOfAFederation, TriesASubmissionOfAUserAndTellsThemTheirOwnAlone) {
  for (int i = 0; i < 6; ++i) Submit("ana", Nodes(2, 30, "lakes"));
  Pass(30);
  schemas::TriedChange change{.text = "submit"};
  change.submit = schemas::Submit{.key = {.text = "tried"}, .request = Nodes(1, 10, "lakes")};
  const schemas::WhatIfView view = Asked("kim", Try(std::move(change)));
  EXPECT_EQ(view.refused, "");
  ASSERT_THAT(view.rows, SizeIs(1));
  EXPECT_EQ(view.rows[0].user, "kim");
  EXPECT_FALSE(view.rows[0].before);
  EXPECT_TRUE(view.rows[0].after);
  EXPECT_FALSE(view.before);
  EXPECT_EQ(view.others.same, 6u);
}

TEST_F(WhatIfOfAFederation, SaysWhyAChangeCannotBeMade) {
  Submit("ana", Nodes(1, 10, ""));
  Pass(30);
  EXPECT_THAT(Asked("root", Try(InFile("lakes", "federation.max_holds", "\"many\""))).refused,
              HasSubstr("lakes does not take this"));
  EXPECT_THAT(Asked("root", Try(InFile("lakes", "limit.x.items", "3"))).refused,
              HasSubstr("limit"));
  EXPECT_THAT(Asked("root", Try(Drain("lakes/n9"))).refused, HasSubstr("n9"));
  EXPECT_THAT(Asked("root", Try(InFile("meta", "meta.surprise", "3"))).refused,
              HasSubstr("surprise"));
}

TEST_F(WhatIfOfAFederation, TakesARecordAgainThroughBothConfigurations) {
  // Pairs of jobs that need a whole site each, so the second one waits.
  for (int i = 1; i <= 6; ++i) {
    runs_[std::to_string(i) + ".1"] = Span{1500};
    Submit("ana", Nodes(2, 60, "lakes"));
    Pass(600);
  }
  Pass(4 * 3600);
  schemas::TriedChange more{.text = "more nodes"};
  more.file = schemas::FileChange{.at = "lakes", .path = "nodes.n[1-2].names", .to = "\"n[1-6]\""};
  schemas::WhatIf question = Try(std::move(more));
  question.replay = Span{6 * 3600};
  const schemas::WhatIfView view = Asked("root", question);
  EXPECT_EQ(view.refused, "");
  ASSERT_TRUE(view.before && view.after);
  EXPECT_EQ(view.before->started, 6u);
  EXPECT_EQ(view.after->started, 6u);
  EXPECT_GT(*view.before->wait_s, 600);
  EXPECT_LT(*view.after->wait_s, 60);
  EXPECT_EQ(view.before->promises_later, 0u);
  EXPECT_EQ(view.moved.later, 0u);
  EXPECT_GE(view.moved.earlier, 4u);
}

}  // namespace
}  // namespace muster::sim
