// bench_federation: what the federation sustains, each figure beside the limit measured in the same
// run. One JSON line a figure on stdout: {"bench","value","unit","reference","ratio"}; ratio =
// value / reference.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/io/rocks/store.h"
#include "base/io/wait.h"
#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "base/io/zmq/server.h"
#include "schemas/codec/codec.h"
#include "schemas/limits.h"
#include "tests/bench/federation/conversation.h"
#include "tests/bench/federation/fleet.h"

extern char** environ;

namespace muster::bench {
namespace {

using Clock = std::chrono::steady_clock;
std::string programs;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Print(const char* bench, double value, const char* unit, double reference) {
  std::printf(
      "{\"bench\":\"%s\",\"value\":%.4g,\"unit\":\"%s\",\"reference\":%.4g,\"ratio\":%.4g}\n",
      bench, value, unit, reference, value / reference);
  std::fflush(stdout);
}

std::unique_ptr<io::Store> ScratchStore(const std::string& folder) {
  auto store = io::OpenStore({.folder = folder + "/reference", .create = true, .ballast_bytes = 0});
  if (!store.ok()) Fail("what the measurement stands on failed");
  return *std::move(store);
}

// Submissions as fast as `window` outstanding ones on each of the conversations allow; returns the
// rate.
double SubmitMany(std::vector<Conversation>& talks, size_t total, size_t window,
                  const schemas::RequestSpec& spec, std::vector<RequestId>* ids) {
  std::vector<size_t> outstanding(talks.size(), 0);
  size_t sent = 0;
  size_t acknowledged = 0;
  const auto begin = Clock::now();
  std::vector<io::Waitable*> waitables;
  for (Conversation& talk : talks) waitables.push_back(&talk.client());
  while (acknowledged < total) {
    for (size_t t = 0; t < talks.size(); ++t) {
      for (; outstanding[t] < window && sent < total; ++outstanding[t], ++sent) {
        talks[t].Say({.body = schemas::Submit{.key = NextKey(), .request = spec}});
      }
    }
    io::WaitReadable(waitables, {}, Milliseconds(100));
    for (size_t t = 0; t < talks.size(); ++t) {
      for (const schemas::ToClient& answer : talks[t].Hear(BootSpan{0})) {
        const auto* accepted = std::get_if<schemas::Accepted>(&answer.body);
        if (accepted == nullptr) {
          Fail(std::get<schemas::Refused>(answer.body).message);
        }
        if (ids != nullptr) ids->push_back(accepted->requests.front());
        ++acknowledged;
        --outstanding[t];
      }
    }
  }
  return static_cast<double>(total) / SecondsSince(begin);
}

void SubmitDurable() {
  constexpr size_t kTotal = 40000;
  Fleet fleet({.programs = programs, .absent_sites = {"lakes"}});
  std::vector<Conversation> talks;
  for (int u = 0; u < 8; ++u) talks.emplace_back(fleet.Connect(u));
  for (Conversation& talk : talks)
    talk.Get({.kind = schemas::GetKind::kSites});  // the handshakes are over
  const schemas::RequestSpec spec = SmallRequest(1, {600}, std::nullopt);
  const double rate = SubmitMany(talks, kTotal, 64, spec, nullptr);

  schemas::RequestRecord record{
      .id = {1}, .requester = {.user = "user0"}, .key = NextKey(), .spec = spec};
  const std::string bytes = schemas::EncodeRecord(schemas::MetaRecord{record});
  const std::unique_ptr<io::Store> store = ScratchStore(fleet.folder());
  const auto begin = Clock::now();
  for (size_t written = 0; written < kTotal;) {
    std::vector<io::Mutation> batch;
    for (size_t i = 0; i < schemas::kTurnMessages && written < kTotal; ++i, ++written) {
      batch.push_back({"request/" + std::to_string(written), bytes});
    }
    if (!store->Commit(batch).ok()) Fail("what the measurement stands on failed");
  }
  Print("submit_durable", rate, "1/s", static_cast<double>(kTotal) / SecondsSince(begin));
}

// p50 in ms of three round trips at once, each to its own CURVE server that only echoes.
double BareRoundTrips() {
  constexpr int kTimes = 500;
  const std::unique_ptr<io::Entropy> entropy = io::SystemEntropy();
  const io::KeyPair own = entropy->NewKeyPair();
  std::atomic<bool> stop = false;
  std::vector<std::unique_ptr<io::Server>> servers;
  std::vector<std::unique_ptr<io::Client>> clients;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    const io::KeyPair keys = entropy->NewKeyPair();
    auto server = io::OpenServer({.endpoint = "tcp://127.0.0.1:*",
                                  .keys = keys,
                                  .allowed = {{own.public_key, "user:bench"}}});
    if (!server.ok()) Fail("what the measurement stands on failed");
    auto client = io::OpenClient(
        {.endpoint = (*server)->Endpoint(), .server_key = keys.public_key, .keys = own});
    if (!client.ok()) Fail("what the measurement stands on failed");
    servers.push_back(*std::move(server));
    clients.push_back(*std::move(client));
    threads.emplace_back([&stop, s = servers.back().get()] {
      while (!stop) {
        for (const io::Incoming& in : s->Receive(16, Milliseconds(50))) s->Send(in.peer, in.bytes);
      }
    });
  }
  std::vector<double> times;
  const std::string payload(400, 'x');
  for (int i = 0; i < kTimes; ++i) {
    const auto begin = Clock::now();
    for (auto& client : clients) client->Send(payload);
    for (auto& client : clients) {
      while (client->Receive(1, Seconds(5)).empty()) {
      }
    }
    times.push_back(SecondsSince(begin) * 1e3);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return Median(times);
}

void AskThreeSites(const Fleet& fleet, const char* bench) {
  constexpr int kTimes = 500;
  Conversation talk(fleet.Connect(0));
  std::vector<double> times;
  for (int i = 0; i < kTimes; ++i) {
    const auto begin = Clock::now();
    const schemas::ToClient answer =
        talk.Ask({.body = schemas::Ask{SmallRequest(1, {600}, std::nullopt)}});
    const auto* rows = std::get_if<schemas::Rows>(&answer.body);
    if (rows == nullptr || rows->offers.size() < 3) {
      Fail("a quote had fewer than three offers");
    }
    times.push_back(SecondsSince(begin) * 1e3);
  }
  Print(bench, Median(times), "ms", BareRoundTrips());
}

FleetOptions ThreeSites() { return {.programs = programs, .sites = {"lakes", "woods", "hills"}}; }

void AskThreeSites() {
  Fleet fleet(ThreeSites());
  fleet.AwaitSites();
  AskThreeSites(fleet, "ask_3sites");
}

bool Committed(const schemas::JobView& job) {
  return !job.parts.empty() &&
         std::all_of(job.parts.begin(), job.parts.end(), [](const schemas::PartView& p) {
           return p.state >= schemas::PartShown::kCommitted &&
                  p.state != schemas::PartShown::kUnknown;
         });
}

// Submits `total` co-allocations over three sites with `window` under way; returns seconds each
// took to be committed on disk everywhere, as its follower was told.
std::vector<double> CoAllocate(Conversation& talk, size_t total, size_t window) {
  schemas::RequestSpec spec = SmallRequest(3, {600}, WallNow() + Span{3600});
  spec.firm = true;                             // promised at submission, whatever the threshold
  std::map<uint64_t, Clock::time_point> begun;  // by number of the submission
  std::map<std::string, Clock::time_point> followed;
  std::map<std::string, uint64_t> follow_numbers;
  std::vector<double> times;
  size_t sent = 0;
  while (times.size() < total) {
    for (; begun.size() + followed.size() < window && sent < total; ++sent) {
      const auto now = Clock::now();
      begun[talk.Say({.body = schemas::Submit{.key = NextKey(), .request = spec}})] = now;
    }
    for (const schemas::ToClient& answer : talk.Hear(Milliseconds(100))) {
      if (const auto* accepted = std::get_if<schemas::Accepted>(&answer.body)) {
        followed[std::to_string(accepted->requests.front().value)] = begun.at(answer.answers.value);
        begun.erase(answer.answers.value);
        const std::string job = std::to_string(accepted->requests.front().value);
        follow_numbers[job] = talk.Say({.body = schemas::Follow{.requests = accepted->requests}});
      } else if (const auto* rows = std::get_if<schemas::Rows>(&answer.body)) {
        for (const schemas::JobView& job : rows->jobs) {
          const auto it = followed.find(job.id);
          if (it == followed.end() || !Committed(job)) continue;
          times.push_back(SecondsSince(it->second));
          followed.erase(it);
          talk.SayAgain(follow_numbers[job.id], {.body = schemas::Follow{.stop = true}});
          follow_numbers.erase(job.id);
        }
      } else {
        Fail(std::get<schemas::Refused>(answer.body).message);
      }
    }
  }
  return times;
}

void CoAllocation(const Fleet& fleet, const char* bench, const char* rate_bench) {
  Conversation talk(fleet.Connect(0));
  std::vector<double> times = CoAllocate(talk, 200, 1);
  // The synced writes in sequence: submission, prepared, decided, committed.
  const std::unique_ptr<io::Store> store = ScratchStore(fleet.folder());
  std::vector<double> writes;
  for (int i = 0; i < 200; ++i) {
    const auto begin = Clock::now();
    for (int w = 0; w < 4; ++w) {
      if (!store->Commit({{"hold/" + std::to_string(i * 4 + w), std::string(800, 'x')}}).ok())
        Fail("what the measurement stands on failed");
    }
    writes.push_back(SecondsSince(begin) * 1e3);
  }
  const double reference = Median(writes);
  Print(bench, Median(times) * 1e3, "ms", reference);
  constexpr size_t kTotal = 1500;
  Conversation other(fleet.Connect(1));
  const auto begin = Clock::now();
  CoAllocate(other, kTotal, 64);
  Print(rate_bench, static_cast<double>(kTotal) / SecondsSince(begin), "1/s", 1e3 / reference);
}

void CoAllocation() {
  Fleet fleet(ThreeSites());
  fleet.AwaitSites();
  CoAllocation(fleet, "coalloc_3sites", "coalloc_3sites_rate");
}

// What credits cost: p50 of the same while each is paid for, beside that without a bank. In turn,
// so that both meet the same machine.
void PaidCoAllocation() {
  constexpr int kRounds = 3;
  std::map<bool, std::vector<double>> times;
  for (int round = 0; round < 2 * kRounds; ++round) {
    FleetOptions options = ThreeSites();
    options.paid = round % 2 == 1;
    Fleet fleet(options);
    fleet.AwaitSites();
    Conversation talk(fleet.Connect(0));
    const std::vector<double> some = CoAllocate(talk, 200, 1);
    times[options.paid].insert(times[options.paid].end(), some.begin(), some.end());
    if (!options.paid) continue;
    const schemas::Rows rows = talk.Get({.kind = schemas::GetKind::kAccounts});
    if (rows.accounts.empty() || rows.accounts.front().set_aside == 0) Fail("nothing is paid for");
  }
  Print("coalloc_3sites_paid", Median(times[true]) * 1e3, "ms", Median(times[false]) * 1e3);
}

// A request for all of one site, from `in` after now on, for `duration`.
schemas::RequestSpec WholeSite(const std::string& site, Span in, Span duration, bool firm) {
  schemas::RequestSpec spec = SmallRequest(1, duration, WallNow() + in);
  spec.parts[0].sites = {site};
  spec.parts[0].chunks = {{.count = 64, .resources = {{"ncpus", 64}}}};
  spec.firm = firm;
  return spec;
}

// The same figures while 10,000 requests wait: 5,000 for a site that is not there, and 5,000 in a
// queue for their block, where a threshold of an hour and a block that begins later keep them. The
// measured requests are promised at submission.
void WithTenThousandWaiting() {
  constexpr size_t kHalf = 5000;
  FleetOptions options = ThreeSites();
  options.absent_sites = {"moors"};
  options.threshold = "1h";
  Fleet fleet(options);
  fleet.AwaitSites();
  std::vector<Conversation> talks;
  for (int u = 4; u < 8; ++u) talks.emplace_back(fleet.Connect(u));
  for (const std::string& site : options.sites) {
    SubmitMany(talks, 1, 1, WholeSite(site, {120}, {7000}, true), nullptr);
    SubmitMany(talks, 1, 1, WholeSite(site, {7200}, {7200}, false), nullptr);
  }
  usleep(1'000'000);  // until these blocks have their places
  schemas::RequestSpec absent = SmallRequest(1, {600}, std::nullopt);
  absent.parts[0].sites = options.absent_sites;
  SubmitMany(talks, kHalf, 64, absent, nullptr);
  SubmitMany(talks, kHalf, 64, SmallRequest(1, {20'000}, std::nullopt), nullptr);
  const schemas::Rows rows = talks[0].Get({.kind = schemas::GetKind::kJobs});
  const auto waiting = std::count_if(rows.jobs.begin(), rows.jobs.end(), [](const auto& job) {
    return job.state == schemas::RequestState::kWaiting;
  });
  // All jobs of a page wait except those that keep the sites busy.
  if (waiting < 100 || static_cast<size_t>(waiting) + 6 < rows.jobs.size()) {
    Fail("they do not wait");
  }
  AskThreeSites(fleet, "ask_3sites_10k");
  CoAllocation(fleet, "coalloc_3sites_10k", "coalloc_3sites_rate_10k");
}

void Recover() {
  constexpr size_t kTotal = 100000;
  Fleet fleet({.programs = programs, .absent_sites = {"lakes"}});
  {
    std::vector<Conversation> talks;
    for (int u = 0; u < 8; ++u) talks.emplace_back(fleet.Connect(u));
    SubmitMany(talks, kTotal, 64, SmallRequest(1, {600}, std::nullopt), nullptr);
  }
  fleet.KillMeta();
  const auto begin = Clock::now();
  fleet.StartMeta();
  Conversation talk(fleet.Connect(0));
  const schemas::Rows rows = talk.Get({.kind = schemas::GetKind::kJobs});
  const double seconds = SecondsSince(begin);
  if (rows.jobs.empty()) Fail("what the measurement stands on failed");
  // The reference: reading the same records' bytes from the store.
  fleet.KillMeta();
  const auto read_begin = Clock::now();
  auto store = io::OpenStore({.folder = fleet.folder() + "/meta/store"});
  if (!store.ok()) Fail("what the measurement stands on failed");
  size_t bytes = 0;
  if (!(*store)
           ->Scan("", [&](std::string_view k, std::string_view v) { bytes += k.size() + v.size(); })
           .ok()) {
    Fail("what the measurement stands on failed");
  }
  const double reference = SecondsSince(read_begin);
  store->reset();
  fleet.StartMeta();
  Print("recover_100k", seconds, "s", reference);
}

// posix_spawn and waitpid of /bin/true, one after the other.
double BareSpawns() {
  constexpr int kTimes = 500;
  const auto begin = Clock::now();
  for (int i = 0; i < kTimes; ++i) {
    const char* arguments[] = {"/bin/true", nullptr};
    pid_t pid = 0;
    if (posix_spawn(&pid, arguments[0], nullptr, nullptr, const_cast<char**>(arguments), environ) !=
        0)
      Fail("what the measurement stands on failed");
    waitpid(pid, nullptr, 0);
  }
  return kTimes / SecondsSince(begin);
}

void ProcessStarts() {
  constexpr size_t kTotal = 3000;
  Fleet fleet({.programs = programs, .sites = {"lakes"}});
  fleet.AwaitSites();
  std::vector<Conversation> talks;
  talks.emplace_back(fleet.Connect(0));
  schemas::RequestSpec spec = SmallRequest(1, {600}, std::nullopt);
  spec.at = WallNow() + Span{20};
  SubmitMany(talks, kTotal, 64, spec, nullptr);
  if (WallNow() >= *spec.at)
    std::fprintf(stderr, "bench: submitting took longer than the lead; the rate is low\n");
  for (;;) {  // until none of them waits or runs
    const schemas::Rows rows = talks[0].Get({.kind = schemas::GetKind::kJobs});
    if (rows.jobs.empty()) break;
    usleep(20'000);
  }
  using std::chrono::system_clock;
  const double ended =
      std::chrono::duration<double>(system_clock::now().time_since_epoch()).count();
  Print("process_starts",
        static_cast<double>(kTotal) / (ended - static_cast<double>(spec.at->seconds)), "1/s",
        BareSpawns());
}

int Main(int argc, char** argv) {
  const std::map<std::string, void (*)()> cases = {
      {"submit_durable", SubmitDurable},       {"ask_3sites", AskThreeSites},
      {"coalloc_3sites", CoAllocation},        {"coalloc_3sites_paid", PaidCoAllocation},
      {"waiting_10k", WithTenThousandWaiting}, {"recover_100k", Recover},
      {"process_starts", ProcessStarts}};
  programs = std::filesystem::canonical("/proc/self/exe").parent_path().string();
  std::vector<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty())
    wanted = {"submit_durable", "ask_3sites",   "coalloc_3sites", "coalloc_3sites_paid",
              "waiting_10k",    "recover_100k", "process_starts"};
  for (const std::string& name : wanted) {
    const auto it = cases.find(name);
    if (it == cases.end()) {
      std::fprintf(stderr, "bench: error[usage]: no case '%s'\n  help:", name.c_str());
      for (const auto& [known, run] : cases) std::fprintf(stderr, " %s", known.c_str());
      std::fprintf(stderr, "\n");
      return 2;
    }
    try {
      it->second();
    } catch (const std::runtime_error& failure) {  // the fleet is gone by now
      std::fprintf(stderr, "bench: %s\n", failure.what());
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) { return muster::bench::Main(argc, argv); }
