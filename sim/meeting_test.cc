// What a co-allocation is promised, by the real cores of a meta and its sites, is the earliest
// common start there is: compared with brute force over the same sites. scheduling.md section 4.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "sim/meeting_oracle.h"
#include "sim/replay/ideal_federation.h"

namespace muster::sim {
namespace {

constexpr Moment kBegins{1'000'000'000};

// Remembers the newest record of each request, by its key, and the newest offers.
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
  }
  void OnStarted(size_t, const driver::StartPart&, Moment) override {}
  void OnEnded(size_t, const driver::StartPart&, const driver::PartEnded&) override {}

  std::map<std::string, schemas::RequestRecord> requests;
  std::vector<schemas::OfferView> offers;
};

driver::SimulatedFate FateOf(const driver::StartPart& part) {
  driver::SimulatedFate fate;
  fate.runs = Seconds(std::atoll(part.payload.argv[1].c_str()));
  return fate;
}

struct Drawn {
  IdealOptions options;
  std::vector<int64_t> speeds;
  int64_t nodes = 0;
};

Drawn DrawFederation(Random& random) {
  Drawn out;
  out.options.begins = kBegins;
  out.options.fate_of = FateOf;
  meta::Options& meta = out.options.meta;
  meta.federation = "drawn";
  meta.users = {{.name = "kim"}};
  meta.values.lead = Seconds(random.Chance(500) ? 0 : random.Between(1, 30));
  meta.values.start_wait = Seconds(90);
  const int64_t sites = random.Between(2, 4);
  const Span turnover{random.Between(0, 3)};
  for (int64_t i = 0; i < sites; ++i) {
    site::Options site;
    site.name = std::string(1, static_cast<char>('a' + i));
    site.driver = "simulated";
    site.turnover = turnover;
    site.start_slack = Span{turnover.seconds > 0 ? 1 : 0};
    const int64_t nodes = random.Between(1, 6);
    for (int64_t n = 0; n < nodes; ++n) {
      site.nodes.push_back(
          {.name = site.name + std::to_string(n), .resources = {{"ncpus", random.Between(1, 4)}}});
    }
    out.nodes += nodes;
    out.speeds.push_back(random.Chance(200) ? random.Between(1, 4) * 500 : 1000);
    meta.terms[site.name].speed = out.speeds.back();
    out.options.sites.push_back(std::move(site));
  }
  return out;
}

schemas::PartSpec DrawPart(Random& random, const Drawn& drawn) {
  schemas::PartSpec out;
  out.chunks = {{.count = static_cast<uint32_t>(random.Between(1, 3)),
                 .resources = {{"ncpus", random.Between(1, 2)}}}};
  if (random.Chance(100)) out.place = schemas::Place::kScatter;
  if (random.Chance(100)) out.exclusive = true;
  if (random.Chance(250)) {
    const size_t sites = drawn.options.sites.size();
    out.sites = {drawn.options.sites[static_cast<size_t>(random.Between(0, 99)) % sites].name};
  }
  return out;
}

schemas::RequestSpec DrawJob(Random& random, const Drawn& drawn, int64_t parts) {
  schemas::RequestSpec spec;
  spec.name = "drawn";
  spec.duration = Span{random.Between(5, 90)};
  for (int64_t i = 0; i < parts; ++i) spec.parts.push_back(DrawPart(random, drawn));
  if (parts > 1) {
    if (random.Chance(400)) {
      for (schemas::PartSpec& part : spec.parts) part = spec.parts.front();
    }
    if (random.Chance(200)) spec.parts.back().offset = Span{random.Between(1, 30)};
    spec.apart = random.Chance(300);
  }
  const int64_t runs =
      random.Chance(500) ? spec.duration.seconds : random.Between(1, spec.duration.seconds);
  spec.payload.argv = {"job", std::to_string(runs)};
  return spec;
}

class Probe {
 public:
  explicit Probe(uint64_t seed) : random_(seed), drawn_(DrawFederation(random_)) {
    federation_ = std::make_unique<IdealFederation>(drawn_.options, &watch_);
    const int64_t jobs = random_.Between(5, 40);
    for (int64_t i = 0; i < jobs; ++i) {
      if (random_.Chance(300)) Pass(random_.Between(0, 20));
      Submit(DrawJob(random_, drawn_, random_.Chance(200) ? random_.Between(2, 3) : 1));
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
    if (record == watch_.requests.end()) return best ? "it was refused" : "";
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
  // What is on record of a request, and where all that hold a place have it.
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
    for (const site::Options& site : drawn_.options.sites) {
      std::cout << "  site " << site.name << " turnover " << site.turnover.seconds << " lead "
                << drawn_.options.meta.values.lead.milliseconds << " nodes";
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
    for (size_t i = 0; i < drawn_.options.sites.size(); ++i) {
      sites.push_back({drawn_.options.sites[i].name, &federation_->site(i), drawn_.speeds[i]});
    }
    OracleQuestion question{.spec = spec,
                            .envelope = {.federation = drawn_.options.meta.federation,
                                         .epoch = {1},
                                         .number = {uint64_t{1} << 40},
                                         .expires = {federation_->Wall().milliseconds + 1000},
                                         .incarnation = {1}},
                            .now = federation_->Clocks(),
                            .lead = {drawn_.options.meta.values.lead.milliseconds / 1000},
                            .tail = {drawn_.options.meta.values.start_wait.milliseconds / 1000}};
    MeetingOracle oracle(std::move(question), sites);
    const std::optional<Instant> out = oracle.Earliest();
    oracle_was_heard_ = oracle.WasHeard();
    return out;
  }

  Random random_;
  Drawn drawn_;
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

}  // namespace
}  // namespace muster::sim
