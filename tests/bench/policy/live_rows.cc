// The figures of one what-if are measured once for both rows.
#include "tests/bench/policy/live_rows.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/random.h"
#include "tests/bench/federation/conversation.h"
#include "tests/bench/federation/fleet.h"

namespace muster::bench {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

std::string Programs() {
  return std::filesystem::canonical("/proc/self/exe").parent_path().string();
}

RequestId Submitted(Conversation& talk, const schemas::RequestSpec& spec) {
  const schemas::ToClient answer =
      talk.Ask({.body = schemas::Submit{.key = NextKey(), .request = spec}});
  const auto* accepted = std::get_if<schemas::Accepted>(&answer.body);
  if (accepted == nullptr) Fail(std::get<schemas::Refused>(answer.body).message);
  return accepted->requests.front();
}

schemas::RequestSpec WholeNodes(uint32_t nodes, Span duration) {
  schemas::RequestSpec spec = SmallRequest(1, duration, std::nullopt);
  spec.parts[0].chunks = {{.count = nodes, .resources = {{"ncpus", 64}}}};
  return spec;
}

// Jobs of 1 to 16 of 192 nodes, of minutes to hours, a month in all. The newest of them.
RequestId SubmitTenThousand(Conversation& talk) {
  constexpr size_t kJobs = 10'000;
  constexpr size_t kWindow = 64;
  Random random(19);
  size_t sent = 0;
  RequestId newest;
  for (size_t accepted = 0; accepted < kJobs;) {
    for (; sent < kJobs && sent - accepted < kWindow; ++sent) {
      const auto nodes = static_cast<uint32_t>(random.Between(1, 16));
      const Span duration{random.Between(300, 12'000)};
      talk.Say({.body = schemas::Submit{.key = NextKey(), .request = WholeNodes(nodes, duration)}});
    }
    for (const schemas::ToClient& answer : talk.Hear(Milliseconds(100))) {
      if (const auto* refused = std::get_if<schemas::Refused>(&answer.body)) Fail(refused->message);
      const auto* submitted = std::get_if<schemas::Accepted>(&answer.body);
      if (submitted == nullptr) continue;
      ++accepted;
      newest = std::max(newest, submitted->requests.front());
    }
  }
  return newest;
}

// Until the newest has its place, the others having theirs before it.
void AwaitPromise(Conversation& talk, RequestId newest) {
  for (int i = 0; i < 1200; ++i) {
    const schemas::Rows rows = talk.Get({.kind = schemas::GetKind::kJobs, .requests = {newest}});
    if (rows.jobs.at(0).state != schemas::RequestState::kWaiting) return;
    usleep(100'000);
  }
  Fail("the newest job is not promised after two minutes");
}

// Until no site's plan has changed for ten seconds: all that can start earlier does.
void AwaitRest(Conversation& talk) {
  constexpr double kQuietMs = 10'000;
  constexpr double kMostMs = 600'000;
  const auto begin = Clock::now();
  auto changed = begin;
  std::vector<std::optional<PlanRevision>> known;
  while (MillisecondsSince(changed) < kQuietMs) {
    if (MillisecondsSince(begin) > kMostMs) Fail("the plans of the sites do not come to rest");
    std::vector<std::optional<PlanRevision>> plans;
    for (const schemas::SiteView& site : talk.Get({.kind = schemas::GetKind::kSites}).sites) {
      plans.push_back(site.plan_revision);
    }
    if (plans != known) changed = Clock::now();
    known = std::move(plans);
    usleep(200'000);
  }
}

struct Asked {
  double seconds = 0;
  double stall_ms = 0;
};

// One short question after the other, until `over` says so; the longest answer, in ms.
template <typename Over>
double LongestAnswer(Conversation& talk, Over over) {
  double longest = 0;
  while (!over()) {
    const auto begin = Clock::now();
    talk.Get({.kind = schemas::GetKind::kSites});
    longest = std::max(longest, MillisecondsSince(begin));
  }
  return longest;
}

Asked AskWhatIf() {
  Fleet fleet({.programs = Programs(),
               .users = 2,
               .sites = {"lakes", "woods", "hills"},
               .driver = "simulated",
               .operators = true});
  fleet.AwaitSites();
  Conversation talk(fleet.Connect(0));
  Conversation beside(fleet.Connect(1));
  AwaitPromise(talk, SubmitTenThousand(talk));
  AwaitRest(talk);
  schemas::Act drain{.verb = schemas::ActVerb::kDrain, .nodes = {"lakes/n1"}};
  drain.hard = true;
  schemas::WhatIf question;
  question.changes.push_back({.text = "drain lakes/n1", .act = drain});
  const schemas::Get get{.kind = schemas::GetKind::kWhatIf, .what_if = question};
  Asked out;
  const auto quiet = Clock::now();
  const double before = LongestAnswer(beside, [&] { return MillisecondsSince(quiet) > 3000; });
  const auto begin = Clock::now();
  const uint64_t number = talk.Say({.body = get});
  const double during = LongestAnswer(beside, [&] {
    for (const schemas::ToClient& answer : talk.Hear(BootSpan{0})) {
      if (answer.answers.value != number) continue;
      if (const auto* refused = std::get_if<schemas::Refused>(&answer.body)) Fail(refused->message);
      const auto* rows = std::get_if<schemas::Rows>(&answer.body);
      if (rows == nullptr || !rows->what_if) continue;
      if (!rows->what_if->refused.empty()) Fail(rows->what_if->refused);
      out.seconds = MillisecondsSince(begin) / 1e3;
    }
    if (MillisecondsSince(begin) > 120'000) Fail("no answer to a what-if");
    return out.seconds > 0;
  });
  out.stall_ms = std::max(0.0, during - before);
  return out;
}

const Asked& AskedOnce() {
  static const Asked asked = AskWhatIf();
  return asked;
}

// Milliseconds from "recalled" to "returned" of each job; empty until all are.
std::vector<double> Returned(Conversation& talk, const std::vector<RequestId>& jobs) {
  std::vector<double> out;
  for (const RequestId id : jobs) {
    const schemas::Rows rows = talk.Get({.kind = schemas::GetKind::kJob, .requests = {id}});
    std::optional<Moment> recalled;
    std::optional<Moment> returned;
    for (const schemas::JobEvent& event : rows.jobs.at(0).events) {
      if (event.code == "recalled") recalled = event.at;
      if (event.code == "returned") returned = event.at;
    }
    if (!recalled || !returned) return {};
    out.push_back(static_cast<double>(returned->milliseconds - recalled->milliseconds));
  }
  return out;
}

}  // namespace

double WhatIfSeconds() { return AskedOnce().seconds; }
double WhatIfStall() { return AskedOnce().stall_ms; }

double RecallToClean() {
  constexpr int kParts = 100;
  Fleet fleet({.programs = Programs(), .users = 2, .sites = {"lakes"}, .lends = true});
  fleet.AwaitSites();
  Conversation talk(fleet.Connect(0));
  // All of the site is due in 25 s, for ten minutes: nobody else has a start before that.
  schemas::RequestSpec due = WholeNodes(64, Span{600});
  due.at = WallNow() + Span{25};
  AwaitPromise(talk, Submitted(talk, due));
  schemas::RequestSpec lent = SmallRequest(1, Span{900}, std::nullopt);
  lent.payload.argv = {"/bin/sleep", "60"};
  lent.qos = "idle";
  std::vector<RequestId> jobs;
  for (int i = 0; i < kParts; ++i) jobs.push_back(Submitted(talk, lent));
  for (int i = 0; i < 100; ++i) {
    usleep(500'000);
    std::vector<double> times = Returned(talk, jobs);
    if (times.empty()) continue;
    for (const RequestId id : jobs) talk.Ask({.body = schemas::Cancel{.requests = {id}}});
    usleep(1'000'000);  // no process outlives the daemons
    std::sort(times.begin(), times.end());
    return times[times.size() - 2];
  }
  Fail("parts on lent room were not recalled");
}

}  // namespace muster::bench
