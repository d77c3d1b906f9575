// 10,000 jobs of 100 accounts have ended; the store is a real one in a new folder.
#include "tests/bench/policy/settling.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/io/records.h"
#include "base/io/rocks/store.h"
#include "meta/requests/credits.h"
#include "meta/turn/keys.h"
#include "schemas/codec/codec.h"
#include "tests/bench/rows.h"

namespace muster::bench {
namespace {

using meta::Attempt;
using meta::Request;
using meta::RequestsLayer;

constexpr size_t kJobs = 10'000;
constexpr size_t kAccounts = 100;
constexpr Instant kStart{1'800'000'000};
constexpr Moment kEnded{(kStart.seconds + 3600) * 1000};

// A folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "muster-bench-XXXXXX").string();
    MUSTER_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string AccountOf(size_t job) { return "account" + std::to_string(job % kAccounts); }

// Every job ran for an hour on 8 processors and has something set aside; what it used is on record.
RequestsLayer Ended(bool with_bank) {
  RequestsLayer f(Now{BootInstant{0}, kEnded});
  if (with_bank) f.options.bank = policy::BankRules{.rates = {{"ncpus", policy::kCredit, 1}}};
  f.sites["lakes"].name = "lakes";
  f.sites["lakes"].mirror = verifier::Mirror("lakes");
  for (size_t a = 0; with_bank && a < kAccounts; ++a) {
    f.options.credentials.accounts.push_back({.name = AccountOf(a), .owners = {"*"}});
    MUSTER_CHECK(
        f.bank
            .Deposit({.key = "d" + std::to_string(a), .by = "ops", .note = "", .at = kEnded},
                     AccountOf(a), 100'000 * policy::kCredit, kStart, {})
            .ok());
  }
  for (size_t job = 0; job < kJobs; ++job) {
    const Fence fence{Epoch{1}, job + 1};
    schemas::RequestRecord record{.id = {job + 1}, .attempt = fence};
    record.requester.user = "kim";
    record.spec.account = AccountOf(job);
    record.spec.duration = Span{7200};
    record.spec.payload.argv = {"./halo", "--steps", "1000"};
    record.spec.parts.resize(1);
    record.spec.parts[0].chunks = {{.count = 2, .resources = {{"ncpus", 4}}}};
    if (with_bank) {
      record.lien = schemas::Lien{.account = AccountOf(job), .parts = {16 * policy::kCredit}};
    }
    if (record.lien) f.bank.SetLien(record.id, &*record.lien);
    f.requests.Restore(std::move(record));
    MUSTER_CHECK(f.attempts.Restore({.fence = fence,
                                     .request = {job + 1},
                                     .state = schemas::AttemptState::kRunning,
                                     .members = {"lakes"},
                                     .part_sites = {"lakes"},
                                     .start = kStart}));
    schemas::MirrorRecord hold{.site = "lakes", .fence = fence, .request = {job + 1}};
    hold.state = schemas::HoldState::kClosed;
    hold.parts.resize(1);
    hold.parts[0].started_at = ToMoment(kStart);
    hold.parts[0].ended_at = kEnded;
    hold.parts[0].end.by = schemas::EndedBy::kExit;
    hold.parts[0].usage = {.elapsed = Seconds(3600), .cpu = Seconds(3600 * 8)};
    hold.parts[0].usage_final = true;
    f.sites["lakes"].mirror.Restore(std::move(hold));
  }
  std::vector<schemas::Write<schemas::MetaRecord>> initial;
  f.bank.TakeWrites(initial);
  f.requests.TakeWrites(initial);
  return f;
}

double PerSecond(bool with_bank) {
  RequestsLayer f = Ended(with_bank);
  const Folder folder;
  auto store =
      io::OpenStore({.folder = folder.path() + "/store", .create = true, .ballast_bytes = 0});
  MUSTER_CHECK(store.ok());
  const double seconds = BestSeconds(
      1, [] {},
      [&] {
        for (size_t job = 0; job < kJobs;) {
          std::vector<schemas::Write<schemas::MetaRecord>> writes;
          for (size_t n = 0; n < schemas::kReportChanges && job < kJobs; ++n, ++job) {
            const Fence fence{Epoch{1}, job + 1};
            Request& request = *f.requests.Find({job + 1});
            SettleLien(f, request, f.attempts.at(fence), kEnded);
            writes.push_back(
                {meta::MirrorKey("lakes", fence), *f.sites.at("lakes").mirror.Find(fence)});
          }
          f.requests.TakeWrites(writes);
          f.bank.TakeWrites(writes);
          MUSTER_CHECK(io::CommitWrites(**store, writes, [](const auto& record) {
                         return schemas::EncodeRecord(record);
                       }).ok());
        }
      });
  MUSTER_CHECK(f.bank.entries().size() == (with_bank ? kJobs + kAccounts : 0));
  return kJobs / seconds;
}

}  // namespace

double SettledPerSecond() { return PerSecond(true); }
double StoredPerSecond() { return PerSecond(false); }

}  // namespace muster::bench
