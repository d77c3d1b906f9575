// The real cores of a meta and its sites promise a co-allocation the earliest common start that
// exists: compared with brute force over the same sites. scheduling.md section 4.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/drawn_federation.h"
#include "sim/meeting_oracle.h"
#include "sim/replay/ideal_federation.h"

namespace muster::sim {
namespace {

constexpr Moment kBegins{1'000'000'000};

// Remembers the newest record of each request, by its key, the newest offers and refusal.
class Watch : public Onlooker {
 public:
  void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* record = std::get_if<schemas::RequestRecord>(&*write.value);
      if (record != nullptr) requests[record->key.text] = *record;
    }
  }
  void OnTold(const meta::ClientAnswer& answer) override {
    if (const auto* rows = std::get_if<schemas::Rows>(&answer.message.body)) offers = rows->offers;
    if (const auto* no = std::get_if<schemas::Refused>(&answer.message.body)) refused = no->message;
  }
  void OnStarted(size_t, const driver::StartPart&, Moment) override {}
  void OnEnded(size_t, const driver::StartPart&, const driver::PartEnded&) override {}

  std::map<std::string, schemas::RequestRecord> requests;
  std::vector<schemas::OfferView> offers;
  std::string refused;
};

driver::SimulatedFate FateOf(size_t, const driver::StartPart& part) {
  driver::SimulatedFate fate;
  fate.runs = Seconds(std::atoll(part.payload.argv[1].c_str()));
  return fate;
}

// A fault that the comparison has to find: the messages between the meta and its sites are changed
// so that one of them seems to have this fault.
enum class Planted : uint8_t {
  kNothing,
  kAlternativesBooked,  // a site books each alternative before it plans the next
  kCutShort,            // starts that a site did not tell count as impossible
  kOffsetsReversed,     // a site takes the last part to be the first
};

void SpoilQuestions(Planted planted, schemas::ToSite& message) {
  auto* propose = std::get_if<schemas::Propose>(&message.body);
  if (propose == nullptr) return;
  for (schemas::ProposalEntry& entry : propose->entries) {
    if (planted == Planted::kAlternativesBooked) entry.alternative = false;
    if (planted != Planted::kOffsetsReversed) continue;
    Span last{0};
    for (const schemas::PartDemand& part : entry.parts) last = std::max(last, part.offset);
    for (schemas::PartDemand& part : entry.parts) part.offset = last - part.offset;
  }
}

void SpoilAnswers(Planted planted, schemas::ToMeta& message) {
  auto* verdict = std::get_if<schemas::Verdict>(&message.body);
  if (verdict == nullptr || planted != Planted::kCutShort) return;
  for (schemas::VerdictEntry& entry : verdict->entries) {
    if (entry.starts.empty()) continue;
    entry.starts = entry.starts.FirstIntervals(1);
    entry.complete_until = kFarFuture;
  }
}

IdealOptions OptionsOf(const DrawnFederation& drawn, Planted planted) {
  IdealOptions out{.meta = drawn.meta, .sites = drawn.sites, .fate_of = FateOf, .begins = kBegins};
  if (planted == Planted::kNothing) return out;
  out.to_site = [planted](schemas::ToSite& message) { SpoilQuestions(planted, message); };
  out.to_meta = [planted](schemas::ToMeta& message) { SpoilAnswers(planted, message); };
  return out;
}

class Probe {
 public:
  explicit Probe(uint64_t seed, Planted planted = Planted::kNothing)
      : random_(seed), drawn_(DrawFederation(random_)) {
    federation_ = std::make_unique<IdealFederation>(OptionsOf(drawn_, planted), &watch_);
    const int64_t jobs = random_.Between(5, 40);
    const bool neighbours = random_.Chance(300);
    const bool drains = random_.Chance(200);
    for (int64_t i = 0; i < jobs; ++i) {
      if (random_.Chance(300)) Pass(random_.Between(0, 20));
      if (drains && random_.Chance(60)) DrainSomeNode();
      if (neighbours && random_.Chance(300)) {
        SubmitAtSite(random_.Below(drawn_.sites.size()));
      } else {
        Submit(DrawJob(random_, drawn_, random_.Chance(200) ? random_.Between(2, 3) : 1));
      }
    }
    Pass(random_.Between(0, 60));
  }

  // Empty if all is as it should be, or there is nothing to compare.
  std::string Fault() {
    schemas::RequestSpec spec = DrawJob(random_, drawn_, random_.Between(2, 4));
    const Instant now = federation_->Wall().Ceiling();
    if (random_.Chance(200)) spec.from = now + Span{random_.Between(1, 100)};
    if (random_.Chance(150)) spec.start_by = now + Span{random_.Between(40, 300)};
    if (random_.Chance(150)) spec.deadline = now + Span{random_.Between(100, 400)};
    const std::optional<Instant> best = Oracle(spec);
    if (!oracle_was_heard_) return "the sites did not listen to the oracle";
    watch_.offers.clear();
    federation_->Say("kim", {.number = {++number_}, .body = schemas::Ask{.request = spec}});
    std::optional<Instant> asked;
    for (const schemas::OfferView& offer : watch_.offers) {
      if (offer.figures.starts_by) asked = offer.figures.starts_by->at;
    }
    const std::string key = Submit(spec);
    const auto record = watch_.requests.find(key);
    if (record == watch_.requests.end()) return best ? "it was refused: " + watch_.refused : "";
    std::optional<Instant> promised;
    std::optional<Instant> told;
    for (const schemas::AttemptRecord& attempt : federation_->meta().Attempts()) {
      if (attempt.request == record->second.id) promised = attempt.start;
    }
    for (const schemas::FigureChange& change : record->second.history) {
      if (change.figures.starts_by && change.figures.starts_by->firm && !told) {
        told = change.figures.starts_by->at;
      }
    }
    const auto text = [](std::optional<Instant> at) {
      return at ? std::to_string(at->seconds) : std::string("none");
    };
    ++compared_;
    if (std::getenv("MUSTER_STORY") != nullptr) Tell(record->second);
    if (promised != best) return "promised " + text(promised) + ", the earliest is " + text(best);
    if (promised && asked != told) return "asked " + text(asked) + ", told " + text(told);
    return "";
  }

  bool compared() const { return compared_ > 0; }

 private:
  // Prints a request with its sites' nodes and its events, and the places of all attempts.
  void Tell(const schemas::RequestRecord& record) const {
    std::cout << "now " << federation_->Wall().milliseconds << " parts " << record.spec.parts.size()
              << (record.spec.apart ? " apart" : "") << " for " << record.spec.duration.seconds
              << " s\n";
    for (const schemas::PartSpec& part : record.spec.parts) {
      std::cout << "  part " << part.chunks[0].count << " x "
                << part.chunks[0].resources.Get("ncpus") << (part.exclusive ? " excl" : "")
                << (part.place == schemas::Place::kScatter ? " scatter" : "") << " offset "
                << part.offset.seconds << " at " << (part.sites.empty() ? "any" : part.sites[0])
                << "\n";
    }
    if (record.spec.from) std::cout << "  from " << record.spec.from->seconds << "\n";
    if (record.spec.start_by) std::cout << "  start by " << record.spec.start_by->seconds << "\n";
    if (record.spec.deadline) std::cout << "  deadline " << record.spec.deadline->seconds << "\n";
    for (const site::Options& site : drawn_.sites) {
      std::cout << "  site " << site.name << " turnover " << site.facts.turnover.seconds << " lead "
                << drawn_.meta.values.lead.milliseconds << " nodes";
      for (const site::Node& node : site.nodes) std::cout << " " << node.resources.Get("ncpus");
      std::cout << "\n";
    }
    for (const schemas::JobEvent& event : record.events) {
      std::cout << "  " << event.at.milliseconds << " " << event.text << "\n";
    }
    for (const schemas::AttemptRecord& attempt : federation_->meta().Attempts()) {
      std::cout << "  attempt of " << ToText(attempt.request) << " at " << attempt.start.seconds;
      for (const std::string& site : attempt.part_sites) std::cout << " " << site;
      std::cout << "\n";
    }
  }

  std::string Submit(schemas::RequestSpec spec) {
    const std::string key = std::to_string(++number_);
    federation_->Say("kim",
                     {.number = {number_},
                      .body = schemas::Submit{.key = {.text = key}, .request = std::move(spec)}});
    return key;
  }

  // A job of the site's own user.
  void SubmitAtSite(size_t site) {
    schemas::RequestSpec spec = DrawJob(random_, drawn_, 1);
    spec.parts[0].sites.clear();
    const std::string key = std::to_string(++number_);
    federation_->SayAtSite(
        site, "bo",
        {.number = {number_},
         .body = schemas::Submit{.key = {.text = key}, .request = std::move(spec)}});
  }

  void DrainSomeNode() {
    const site::Options& site = drawn_.sites[random_.Below(drawn_.sites.size())];
    schemas::Act act{.verb = schemas::ActVerb::kDrain};
    act.nodes = {site.name + "/" + site.nodes[random_.Below(site.nodes.size())].name};
    act.reason = "fan";
    act.hard = random_.Chance(500);
    act.may_move = true;
    federation_->Say("root", {.number = {++number_}, .body = std::move(act)});
  }

  void Pass(int64_t seconds) {
    const Moment until{federation_->Wall().milliseconds + seconds * 1000};
    for (;;) {
      const std::optional<Moment> next = federation_->Next();
      if (!next || *next >= until) break;
      federation_->GoTo(*next);
      federation_->Timers();
    }
    federation_->GoTo(until);
    federation_->Timers();
  }

  std::optional<Instant> Oracle(const schemas::RequestSpec& spec) {
    std::vector<OracleSite> sites;
    for (size_t i = 0; i < drawn_.sites.size(); ++i) {
      sites.push_back({drawn_.sites[i].name, &federation_->site(i), drawn_.speeds[i]});
    }
    OracleQuestion question{.spec = spec,
                            .envelope = {.federation = drawn_.meta.federation,
                                         .epoch = {1},
                                         .number = {uint64_t{1} << 40},
                                         .expires = {federation_->Wall().milliseconds + 1000},
                                         .incarnation = {1}},
                            .now = federation_->Clocks(),
                            .lead = {drawn_.meta.values.lead.milliseconds / 1000},
                            .tail = {drawn_.meta.values.start_wait.milliseconds / 1000}};
    MeetingOracle oracle(std::move(question), sites);
    const std::optional<Instant> out = oracle.Earliest();
    oracle_was_heard_ = oracle.WasHeard();
    return out;
  }

  Random random_;
  DrawnFederation drawn_;
  Watch watch_;
  std::unique_ptr<IdealFederation> federation_;
  uint64_t number_ = 0;
  size_t compared_ = 0;
  bool oracle_was_heard_ = false;
};

// MUSTER_MEETINGS sets how many are drawn.
TEST(CoAllocation, IsPromisedTheEarliestCommonStartThereIsAndAskTellsTheSame) {
  const char* wanted = std::getenv("MUSTER_MEETINGS");
  const uint64_t runs = wanted ? std::strtoull(wanted, nullptr, 10) : 300;
  size_t compared = 0;
  size_t faults = 0;
  const char* one = std::getenv("MUSTER_SEED");
  const uint64_t first = one ? std::strtoull(one, nullptr, 10) : 1;
  for (uint64_t seed = first; seed < first + runs; ++seed) {
    Probe probe(seed);
    const std::string fault = probe.Fault();
    compared += probe.compared();
    EXPECT_EQ(fault, "") << "seed " << seed;
    if (!fault.empty() && ++faults == 20) break;
  }
  EXPECT_GT(compared * 10, runs * 7);
}

// A site refuses a shadow's start because a node is out of use: then the sites are asked. A
// deadline that is too near at the reference speed is not too near at fast sites.
TEST(CoAllocation, WhatOnceWasPromisedNothingIsPromisedTheEarliestNow) {
  for (const uint64_t seed : {3340, 4923, 17275})
    EXPECT_EQ(Probe(seed).Fault(), "") << "seed " << seed;
}

class CoAllocationPlanted : public testing::TestWithParam<Planted> {};

TEST_P(CoAllocationPlanted, FaultIsFoundByTheComparison) {
  constexpr uint64_t kMost = 300;
  std::string fault;
  for (uint64_t seed = 1; seed <= kMost && fault.empty(); ++seed) {
    fault = Probe(seed, GetParam()).Fault();
  }
  EXPECT_NE(fault, "");
}

INSTANTIATE_TEST_SUITE_P(Each, CoAllocationPlanted,
                         testing::Values(Planted::kAlternativesBooked, Planted::kCutShort,
                                         Planted::kOffsetsReversed));

}  // namespace
}  // namespace muster::sim
