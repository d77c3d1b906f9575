// The record is made once, by the cores over an ideal link, and kept as stores keep it.
#include "tests/bench/policy/whatif_replay.h"

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/config/meta_config.h"
#include "base/config/site_config.h"
#include "meta/settings/options_of.h"
#include "sim/replay/ideal_federation.h"
#include "sim/replay/replay_run.h"
#include "sim/whatif/answer.h"
#include "site/settings/options_of.h"
#include "tests/bench/federation/conversation.h"

namespace muster::bench {
namespace {

constexpr Moment kBeganAt{int64_t{1'800'000'000} * 1000};
constexpr int64_t kFrom = int64_t{100} * 86'400;  // of the trace
constexpr int64_t kWeek = int64_t{7} * 86'400;
constexpr int kUsers = 50;
const std::vector<std::pair<std::string, int>> kSites = {{"ctc", 338}, {"kth", 100}, {"sdsc", 128}};

std::string KeyOf(size_t number) {
  std::string digits = std::to_string(number);
  return std::string(40 - digits.size(), 'k') + digits;
}

std::string MetaText() {
  std::string out =
      "[meta]\nname = \"classic\"\nlisten = \"tcp://127.0.0.1:7710\"\nkey = \"meta.key\"\n"
      "state_dir = \"meta\"\n[[user]]\nname = \"root\"\nkey = \"" +
      KeyOf(0) + "\"\nrole = \"operator\"\n";
  for (int u = 0; u < kUsers; ++u) {
    out += "[[user]]\nname = \"user" + std::to_string(u) + "\"\nkey = \"" + KeyOf(100 + u) + "\"\n";
  }
  for (size_t i = 0; i < kSites.size(); ++i) {
    out += "[[site]]\nname = \"" + kSites[i].first + "\"\nkey = \"" + KeyOf(900 + i) + "\"\n";
  }
  return out;
}

std::string SiteText(const std::string& name, int nodes) {
  return "[site]\nname = \"" + name + "\"\nmeta = \"tcp://127.0.0.1:7710\"\nmeta_key = \"" +
         KeyOf(999) + "\"\nkey = \"x.key\"\nstate_dir = \"x\"\n[[nodes]]\nnames = \"n[1-" +
         std::to_string(nodes) + "]\"\nresources = { ncpus = 1 }\n";
}

// A federation that runs a week of jobs and keeps what its daemons write.
class RecordedWeek : public sim::Onlooker {
 public:
  RecordedWeek() : site_records_(kSites.size()) {
    const char* const traces = std::getenv("MUSTER_TRACES");
    if (traces == nullptr) Fail("MUSTER_TRACES does not name the folder of traces");
    const auto text = sim::ReadPacked(std::string(traces) + "/fed-classic3-ctc-kth-sdsc.swf.gz");
    if (!text.ok()) Fail(std::string(Text(text.status())));
    const auto trace = sim::ParseSwf("fed3", *text);
    MUSTER_CHECK(trace.ok());
    Open();
    const auto begin = std::chrono::steady_clock::now();
    for (const sim::SwfJob& job : trace->jobs) {
      const int64_t at = job.submitted - trace->jobs.front().submitted - kFrom;
      if (at < 0 || at >= kWeek || job.cancelled) continue;
      RunUntil({kBeganAt.milliseconds + at * 1000});
      Submit(job);
    }
    RunUntil({kBeganAt.milliseconds + kWeek * 1000});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    seconds_ = took.count();
  }
  double seconds() const { return seconds_; }
  size_t jobs() const { return number_; }

  void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) override {
    for (const auto& write : writes) Take(write, meta_records_);
  }
  void OnSiteWrites(size_t site,
                    const std::vector<schemas::Write<schemas::SiteRecord>>& writes) override {
    for (const auto& write : writes) Take(write, site_records_[site]);
  }
  void OnTold(const meta::ClientAnswer& answer) override {
    if (const auto* refused = std::get_if<schemas::Refused>(&answer.message.body)) {
      Fail(refused->message);
    }
  }
  void OnStarted(size_t, const driver::StartPart&, Moment) override {}
  void OnEnded(size_t, const driver::StartPart&, const driver::PartEnded&) override {}

  sim::FederationSnapshot Snapshot() const {
    sim::FederationSnapshot out;
    out.meta.origin = {.daemon = "meta", .path = "meta.toml", .file = MetaText(), .seed = 1};
    out.meta.origin.wall = federation_->Wall();
    out.meta.records = {meta_records_.begin(), meta_records_.end()};
    for (size_t i = 0; i < kSites.size(); ++i) {
      const auto& [name, nodes] = kSites[i];
      sim::SiteSnapshot& site = out.sites[name];
      site.origin = {.daemon = "site", .path = name + ".toml", .file = SiteText(name, nodes)};
      site.origin.facts = driver::FactsOf("process");
      site.origin.wall = federation_->Wall();
      site.records = {site_records_[i].begin(), site_records_[i].end()};
    }
    return out;
  }

 private:
  template <class Record>
  static void Take(const schemas::Write<Record>& write, std::map<std::string, Record>& records) {
    if (write.value) {
      records.insert_or_assign(write.key, *write.value);
    } else {
      records.erase(write.key);
    }
  }

  void Open() {
    const auto meta = config::ParseMetaConfig("meta.toml", MetaText());
    MUSTER_CHECK(meta.ok());
    sim::IdealOptions options{.meta = meta::OptionsOf(*meta, 1)};
    options.begins = {kBeganAt.milliseconds - 1000};
    for (const auto& [name, nodes] : kSites) {
      const auto site = config::ParseSiteConfig("site.toml", SiteText(name, nodes));
      MUSTER_CHECK(site.ok());
      options.sites.push_back(site::OptionsOf(*site, {.boot_id = "b1"}));
    }
    options.fate_of = [](size_t, const driver::StartPart& part) {
      driver::SimulatedFate fate;
      fate.runs = Seconds(std::strtoll(part.payload.argv.at(1).c_str(), nullptr, 10));
      return fate;
    };
    federation_ = std::make_unique<sim::IdealFederation>(std::move(options), this);
  }
  void RunUntil(Moment until) {
    for (auto next = federation_->Next(); next && *next <= until; next = federation_->Next()) {
      federation_->GoTo(std::max(*next, federation_->Wall()));
      federation_->Timers();
    }
    if (federation_->Wall() < until) federation_->GoTo(until);
    federation_->Timers();
  }
  void Submit(const sim::SwfJob& job) {
    schemas::RequestSpec spec;
    spec.duration = Span{job.asked};
    spec.parts.push_back({.chunks = {{.count = static_cast<uint32_t>(job.processors),
                                      .resources = {{"ncpus", 1}}}}});
    spec.payload.argv = {"run", std::to_string(job.ran)};
    ++number_;
    schemas::Submit submit{.key = {.text = std::to_string(number_)}, .request = std::move(spec)};
    const auto user = static_cast<int>(std::max<int64_t>(job.user, 0) % kUsers);
    federation_->Say("user" + std::to_string(user),
                     {.number = {number_}, .body = std::move(submit)});
  }

  std::map<std::string, schemas::MetaRecord> meta_records_;
  std::vector<std::map<std::string, schemas::SiteRecord>> site_records_;
  std::unique_ptr<sim::IdealFederation> federation_;
  uint64_t number_ = 0;
  double seconds_ = 0;
};

const RecordedWeek& Week() {
  static const RecordedWeek week;
  return week;
}

}  // namespace

double WeekReplayedOnce() { return Week().seconds(); }

double WhatIfReplaySeconds() {
  const sim::FederationSnapshot snapshot = Week().Snapshot();
  schemas::WhatIfOrder order{.number = 1, .user = "root", .is_operator = true};
  order.question.changes.push_back(
      {.text = "fewer nodes",
       .file =
           schemas::FileChange{.at = "kth", .path = "nodes.n[1-100].names", .to = "\"n[1-90]\""}});
  order.question.replay = Span{kWeek};
  const auto begin = std::chrono::steady_clock::now();
  const auto view = sim::AnswerWhatIf(order, snapshot);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (!view.ok()) Fail(std::string(Text(view.status())));
  if (!view->refused.empty()) Fail(view->refused);
  MUSTER_CHECK(view->before && view->before->started > Week().jobs() / 2);
  return took.count();
}

}  // namespace muster::bench
