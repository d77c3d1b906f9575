// What the threads share is queues: commands, looks and hand-overs in, events out. A thread holds
// the mutex for no call and no file.
#include "site/driver/slurm/slurm_driver.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/io/system/clock.h"
#include "site/driver/slurm/facts_watch.h"
#include "site/driver/slurm/grants.h"
#include "site/driver/slurm/keeper.h"
#include "site/driver/slurm/looker.h"

namespace muster::driver {
namespace {

using slurm::HandedOver;
using slurm::HandOver;
using slurm::Look;

constexpr BootSpan kSlowCall = Milliseconds(2000);  // longer, and the cluster is not seen
constexpr BootSpan kWatchEvery = Milliseconds(250);
constexpr BootSpan kBlindPause = Milliseconds(500);  // between two tries to see again
constexpr BootSpan kLeastWait = Milliseconds(1);
constexpr BootSpan kFactsEvery = Milliseconds(10'000);

enum Worker : size_t { kSee, kDo, kFill, kStart, kWorkers };
constexpr const char* kWorkerNames[] = {"looking at the cluster", "changing the cluster",
                                        "making a part's folder", "submitting a job"};

std::chrono::milliseconds Chrono(BootSpan span) {
  return std::chrono::milliseconds(span.milliseconds);
}

}  // namespace

class SlurmDriver::Threads {
 public:
  Threads(const SlurmOptions& options, slurm::SeenOptions seen, const Facts& facts,
          slurm::Cluster cluster, slurm::TokenFolders folders);
  ~Threads();

  void Do(const Command& command);
  std::vector<Event> Take();
  // Those that were seen since the last call; none: nothing has changed.
  std::optional<Facts> TakeFacts();
  BootInstant Now() const { return clock_->Read().boot; }
  int event_fd() const { return event_fd_; }

 private:
  // Around work that calls the cluster, so that the watch knows how long it takes.
  class Call {
   public:
    Call(Threads& threads, Worker worker) : since_(threads.since_[worker]) {
      since_ = threads.BootMs();
    }
    ~Call() { since_ = 0; }

   private:
    std::atomic<int64_t>& since_;
  };

  void See();
  void DoAll();
  void FillAll();
  void StartAll();
  void Watch();

  std::optional<Worker> Hanging() const;
  void Say(Event event);
  // REQUIRES: the mutex is held.
  void SayLocked(Event event);
  void Wake() const;
  void Blind(const std::string& why);
  void Seeing(uint64_t blinds);
  int64_t BootMs() const { return clock_->Read().boot.milliseconds; }
  // An order, and what became of its folder.
  struct Filled {
    HandOver order;
    absl::Status made;
  };
  absl::Status Fill(const HandOver& order);
  void HandOverBatch(const std::deque<Filled>& batch);
  HandedOver HandOverOne(const Filled& filled);
  void Admit(const std::set<std::string>& users);

  const SlurmOptions options_;
  const slurm::SeenOptions seen_;
  const slurm::Cluster cluster_;
  const slurm::TokenFolders folders_;
  const std::unique_ptr<io::Clock> clock_ = io::SystemClock();
  const int event_fd_;
  std::array<std::atomic<int64_t>, kWorkers> since_{};  // boot ms of the call under way; 0: none

  std::mutex mutex_;
  std::condition_variable do_wake_, fill_wake_, start_wake_, see_wake_, watch_wake_;
  bool stop_ = false;
  bool look_soon_ = false;
  bool want_rows_ = true;  // the keeper may not have those of the last look
  std::deque<Command> commands_;
  std::deque<HandedOver> handed_over_;
  std::optional<Look> look_;
  bool blind_news_ = false;  // the keeper does not know yet
  std::deque<HandOver> orders_;
  bool filling_ = false;  // the fill thread has one of them
  std::deque<Filled> filled_;
  std::optional<std::set<std::string>> admit_only_;
  std::vector<Event> events_;
  std::optional<Facts> facts_seen_;  // the keeper has not told what came with them yet
  std::optional<Facts> facts_;
  std::optional<Moment> blind_since_;
  uint64_t blinds_ = 0;       // how often something failed
  uint64_t look_blinds_ = 0;  // how often before look_ began

  slurm::FactsWatch facts_watch_;   // of the see thread
  std::set<std::string> admitted_;  // of the start thread
  slurm::Keeper keeper_;            // of the do thread
  std::array<std::thread, kWorkers> workers_;
  std::thread watch_;
};

SlurmDriver::Threads::Threads(const SlurmOptions& options, slurm::SeenOptions seen,
                              const Facts& facts, slurm::Cluster cluster,
                              slurm::TokenFolders folders)
    : options_(options),
      seen_(seen),
      cluster_(std::move(cluster)),
      folders_(folders),
      event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      facts_watch_(options, seen, facts),
      keeper_(options, std::move(seen), std::move(folders),
              {.cluster = &cluster_,
               .clock = clock_.get(),
               .say = [this](Event event) { Say(std::move(event)); },
               .hand_over =
                   [this](HandOver order) {
                     const std::lock_guard lock(mutex_);
                     orders_.push_back(std::move(order));
                     fill_wake_.notify_one();
                   },
               .admit_only =
                   [this](std::set<std::string> users) {
                     const std::lock_guard lock(mutex_);
                     admit_only_ = std::move(users);
                     start_wake_.notify_one();
                   },
               .failed = [this](const std::string& why) { Blind(why); },
               .look_soon =
                   [this] {
                     const std::lock_guard lock(mutex_);
                     look_soon_ = true;
                     see_wake_.notify_one();
                   },
               .look_anew =
                   [this] {
                     const std::lock_guard lock(mutex_);
                     look_soon_ = want_rows_ = true;
                     see_wake_.notify_one();
                   }}) {
  workers_[kSee] = std::thread([this] { See(); });
  workers_[kDo] = std::thread([this] { DoAll(); });
  workers_[kFill] = std::thread([this] { FillAll(); });
  workers_[kStart] = std::thread([this] { StartAll(); });
  watch_ = std::thread([this] { Watch(); });
}

SlurmDriver::Threads::~Threads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  for (auto* wake : {&do_wake_, &fill_wake_, &start_wake_, &see_wake_, &watch_wake_})
    wake->notify_all();
  for (std::thread& worker : workers_) worker.join();
  watch_.join();
  close(event_fd_);
}

void SlurmDriver::Threads::Do(const Command& command) {
  const std::lock_guard lock(mutex_);
  commands_.push_back(command);
  do_wake_.notify_one();
}

void SlurmDriver::Threads::Say(Event event) {
  const std::lock_guard lock(mutex_);
  SayLocked(std::move(event));
}

void SlurmDriver::Threads::SayLocked(Event event) {
  events_.push_back(std::move(event));
  Wake();
}

void SlurmDriver::Threads::Wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(event_fd_, &one, sizeof(one));
}

std::vector<Event> SlurmDriver::Threads::Take() {
  const std::lock_guard lock(mutex_);
  uint64_t drained = 0;
  [[maybe_unused]] const ssize_t got = read(event_fd_, &drained, sizeof(drained));
  return std::exchange(events_, {});
}

// Behind all that was told: who was on a node that is gone has left it by then.
std::optional<Facts> SlurmDriver::Threads::TakeFacts() {
  const std::lock_guard lock(mutex_);
  if (!events_.empty()) return std::nullopt;
  return std::exchange(facts_, std::nullopt);
}

void SlurmDriver::Threads::Blind(const std::string& why) {
  const std::lock_guard lock(mutex_);
  ++blinds_;
  blind_news_ = true;
  look_.reset();
  want_rows_ = true;
  if (blind_since_) return;
  blind_since_ = clock_->Read().wall;
  SayLocked(Sight{.blind = true, .why = why, .since = *blind_since_});
}

// Behind what a look has shown, so that nobody plans by what was so before; unless something has
// failed since.
void SlurmDriver::Threads::Seeing(uint64_t blinds) {
  const std::lock_guard lock(mutex_);
  if (!blind_since_ || blinds != blinds_) return;
  blind_since_.reset();
  SayLocked(Sight{.blind = false, .since = clock_->Read().wall});
}

void SlurmDriver::Threads::See() {
  slurm::Looker looker(&cluster_, clock_.get());
  std::unique_lock lock(mutex_);
  while (!stop_) {
    using Rows = slurm::Looker::Rows;
    using Depth = slurm::Looker::Depth;
    const Rows rows = std::exchange(want_rows_, false) ? Rows::kAlways : Rows::kIfChanged;
    const Depth depth = std::exchange(look_soon_, false) ? Depth::kAll : Depth::kAsDue;
    const uint64_t blinds = blinds_;
    lock.unlock();
    const int64_t began = BootMs();
    absl::StatusOr<Look> look = [&] {
      const Call call(*this, kSee);
      return looker.Next(rows, depth);
    }();
    const bool slow = BootMs() - began > kSlowCall.milliseconds || Hanging();
    if (!look.ok()) {
      Blind(std::string(Text(look.status())));
    } else if (slow) {
      Blind("the cluster takes longer than 2 s to say what it has");
    }
    std::optional<Facts> facts;
    if (look.ok() && look->has_rows) facts = facts_watch_.Next(*look);
    lock.lock();
    if (facts) facts_seen_ = std::move(facts);
    if (!look.ok() || slow) want_rows_ = true;
    if (look.ok() && !slow) {
      // What was not taken yet has rows that this one does not repeat.
      if (look_ && look_->has_rows && !look->has_rows) {
        look_->began = look->began;
        look_->reread_at = look->reread_at;
        look_->at = look->at;
      } else {
        look->changed = look->changed || (look_ && look_->changed);
        look_ = *std::move(look);
      }
      blind_news_ = false;
      look_blinds_ = blinds;
      do_wake_.notify_one();
    }
    const BootSpan pause = blind_since_ ? kBlindPause : looker.Pause();
    see_wake_.wait_for(lock, Chrono(pause), [&] { return stop_ || look_soon_; });
  }
}

void SlurmDriver::Threads::DoAll() {
  std::unique_lock lock(mutex_);
  Moment next = clock_->Read().wall;
  bool seen = false;
  while (!stop_) {
    const int64_t wait = next.milliseconds - clock_->Read().wall.milliseconds;
    do_wake_.wait_for(lock, Chrono({std::max(wait, kLeastWait.milliseconds)}), [&] {
      return stop_ || look_ || blind_news_ || !handed_over_.empty() || (seen && !commands_.empty());
    });
    if (stop_) return;
    std::optional<Look> look = std::exchange(look_, std::nullopt);
    const uint64_t look_blinds = look_blinds_;
    const bool blind = std::exchange(blind_news_, false);
    const auto handed_over = std::exchange(handed_over_, {});
    // Nothing is decided before the cluster was seen once.
    seen = seen || look.has_value();
    std::deque<Command> commands;
    if (seen) commands = std::exchange(commands_, {});
    lock.unlock();
    {
      const Call call(*this, kDo);
      if (blind) keeper_.OnBlind();
      for (const HandedOver& done : handed_over) keeper_.OnHandedOver(done);
      if (look) {
        keeper_.OnLook(*std::move(look));
        Seeing(look_blinds);
      }
      if (seen) {
        keeper_.Do({commands.begin(), commands.end()});
        next = keeper_.Tick();
      }
    }
    lock.lock();
    if (look && facts_seen_) {
      facts_ = std::exchange(facts_seen_, std::nullopt);
      Wake();
    }
  }
}

void SlurmDriver::Threads::Admit(const std::set<std::string>& users) {
  std::vector<std::string> list = {"root"};
  for (const std::string& user : users) {
    if (user != "root") list.push_back(user);
  }
  for (const std::string& name : seen_.commons) {
    const absl::Status status = cluster_.SetUsers(name, list);
    if (!status.ok()) return Blind(std::string(Text(status)));
  }
  admitted_ = users;
}

absl::Status SlurmDriver::Threads::Fill(const HandOver& order) {
  if (!order.make_folder) return absl::OkStatus();
  const Call call(*this, kFill);
  return folders_.Make(order.part, order.account, options_.graces);
}

HandedOver SlurmDriver::Threads::HandOverOne(const Filled& filled) {
  const auto& [order, made] = filled;
  HandedOver done{.token = order.part.token};
  using Outcome = HandedOver::Outcome;
  if (!made.ok()) {
    done.outcome = absl::IsAlreadyExists(made) ? Outcome::kUsed : Outcome::kRefused;
    done.why = std::string(Text(made));
    return done;
  }
  const auto job = cluster_.Submit(order.submission);
  done.at = clock_->Read().wall;
  if (job.ok()) {
    done.outcome = Outcome::kSubmitted;
    done.job = *job;
    return done;
  }
  done.why = std::string(Text(job.status()));
  // A wall that its controller has lost is put again meanwhile.
  done.outcome = absl::IsUnavailable(job.status()) ? Outcome::kUnknown
                 : absl::IsNotFound(job.status()) || absl::IsFailedPrecondition(job.status())
                     ? Outcome::kTryAgain
                     : Outcome::kRefused;
  return done;
}

void SlurmDriver::Threads::HandOverBatch(const std::deque<Filled>& batch) {
  const Call call(*this, kStart);
  std::set<std::string> users = admitted_;
  for (const Filled& filled : batch) {
    if (!filled.order.admit.empty()) users.insert(filled.order.admit);
  }
  if (users != admitted_) Admit(users);
  for (const Filled& filled : batch) {
    HandedOver done = HandOverOne(filled);
    const std::lock_guard lock(mutex_);
    handed_over_.push_back(std::move(done));
    do_wake_.notify_one();
  }
}

// The folder of the next part is made while the controller takes the job of this one.
void SlurmDriver::Threads::FillAll() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    fill_wake_.wait(lock, [&] { return stop_ || !orders_.empty(); });
    if (stop_) return;
    Filled filled{.order = std::move(orders_.front())};
    orders_.pop_front();
    filling_ = true;
    lock.unlock();
    filled.made = Fill(filled.order);
    lock.lock();
    filling_ = false;
    filled_.push_back(std::move(filled));
    start_wake_.notify_one();
  }
}

void SlurmDriver::Threads::StartAll() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    start_wake_.wait(lock, [&] {
      const bool idle = orders_.empty() && !filling_;
      return stop_ || !filled_.empty() || (idle && admit_only_);
    });
    if (stop_) return;
    const auto batch = std::exchange(filled_, {});
    const auto only = batch.empty() ? std::exchange(admit_only_, std::nullopt) : std::nullopt;
    lock.unlock();
    if (!batch.empty()) {
      HandOverBatch(batch);
    } else if (only && *only != admitted_) {
      const Call call(*this, kStart);
      Admit(*only);
    }
    lock.lock();
  }
}

void SlurmDriver::Threads::Watch() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    watch_wake_.wait_for(lock, Chrono(kWatchEvery), [&] { return stop_; });
    if (stop_) return;
    lock.unlock();
    if (const auto worker = Hanging()) {
      Blind(fmt::format("{} takes longer than 2 s", kWorkerNames[*worker]));
    }
    lock.lock();
  }
}

std::optional<Worker> SlurmDriver::Threads::Hanging() const {
  const int64_t now = BootMs();
  for (const Worker worker : {kSee, kDo, kFill, kStart}) {
    const int64_t since = since_[worker];
    if (since != 0 && now - since > kSlowCall.milliseconds) return worker;
  }
  return std::nullopt;
}

absl::StatusOr<std::unique_ptr<SlurmDriver>> SlurmDriver::Open(const SlurmOptions& options) {
  MUSTER_RETURN_IF_ERROR(slurm::CheckOptions(options));
  auto opened = slurm::TokenFolders::Open(options.shared_folder);
  if (!opened.ok()) {
    return InvalidArgument(fmt::format("shared_folder: {}", Text(opened.status())));
  }
  slurm::TokenFolders folders = *std::move(opened);
  MUSTER_ASSIGN_OR_RETURN(slurm::Cluster cluster, slurm::Cluster::Open(options.conf));
  const auto clock = io::SystemClock();
  MUSTER_ASSIGN_OR_RETURN(const Look look,
                          slurm::Looker(&cluster, clock.get())
                              .Next(slurm::Looker::Rows::kAlways, slurm::Looker::Depth::kAll));
  slurm::SeenOptions seen = slurm::SeenOptionsOf(options);
  MUSTER_RETURN_IF_ERROR(slurm::CheckNamed(options, seen, look));
  Facts facts = slurm::FactsFrom(options, seen, look);
  facts.accounts = Accounts(options.accounts).WhoHasNone();
  if (facts.nodes.empty()) {
    return NotFound(
        fmt::format("cluster '{}' has no nodes in its partitions", look.settings.cluster));
  }
  auto threads = std::make_unique<Threads>(options, std::move(seen), facts, std::move(cluster),
                                           std::move(folders));
  return std::unique_ptr<SlurmDriver>(new SlurmDriver(std::move(facts), std::move(threads)));
}

SlurmDriver::SlurmDriver(Facts facts, std::unique_ptr<Threads> threads)
    : facts_(std::move(facts)), threads_(std::move(threads)) {}
SlurmDriver::~SlurmDriver() = default;

bool SlurmDriver::TakeFacts() {
  const BootInstant now = threads_->Now();
  if (facts_at_ && now - *facts_at_ < kFactsEvery) return false;
  std::optional<Facts> facts = threads_->TakeFacts();
  if (!facts || *facts == facts_) return false;
  facts_ = *std::move(facts);
  facts_at_ = now;
  return true;
}

void SlurmDriver::Do(const Command& command) { threads_->Do(command); }
std::vector<Event> SlurmDriver::Take() { return threads_->Take(); }
int SlurmDriver::EventFd() const { return threads_->event_fd(); }

}  // namespace muster::driver
