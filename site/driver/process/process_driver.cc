// Starts parts and reports their ends. Parts of an earlier daemon are handled in
// process_recovery.cc.
#include "site/driver/process/process_driver.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "schemas/limits.h"
#include "site/driver/process/spawn.h"
#include "site/driver/shepherd/part_folder.h"

namespace muster::driver {
namespace {

// Tags in the epoll set; a part's tag is its serial, which is greater.
constexpr uint64_t kWakeTag = 0;
constexpr uint64_t kNewsTag = 1;
constexpr uint64_t kTimerTag = 2;
constexpr uint64_t kFirstSerial = 16;

constexpr int kHighFd = 10;  // own descriptors stay above the numbers that a shepherd uses
constexpr int kNewsPipeBytes = 1 << 20;  // some 40,000 records; smaller where not allowed
// Between two looks at a part without a pidfd (protocol.md section 3.3).
constexpr int64_t kUnsureMs = 1000;
// Time between two looks at a part that an earlier daemon started, while the driver still owes an
// answer about it.
constexpr int64_t kAnswerMs = 20;
constexpr int64_t kSweepMs = 20;  // between two steps of a sweep
constexpr int kSweepSteps = 64;   // files per step

int64_t ClockMs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

Descriptor High(int fd) {
  const Descriptor low(fd);
  return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, kHighFd));
}

bool Poll(int epoll, int fd, uint64_t tag) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = tag}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

// A hash of the state folder (FNV-1a) in the name keeps two sites on one machine from sharing a
// cgroup.
std::string GroupName(const std::string& state_dir) {
  uint64_t hash = 14695981039346656037u;
  for (const unsigned char c : state_dir) hash = (hash ^ c) * 1099511628211u;
  uint8_t bytes[8];
  std::memcpy(bytes, &hash, sizeof(bytes));
  return "muster-" + ToHex(bytes, sizeof(bytes));
}

std::string BesideThisProgram(const std::string& name) {
  std::error_code error;
  return (std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / name).string();
}

}  // namespace

absl::StatusOr<std::unique_ptr<ProcessDriver>> ProcessDriver::Open(ProcessOptions options) {
  std::error_code error;
  options.state_dir =
      std::filesystem::absolute(options.state_dir, error).lexically_normal().string();
  if (options.shepherd.empty()) options.shepherd = BesideThisProgram("muster-shepherd");
  if (access(options.shepherd.c_str(), X_OK) != 0) {
    return NotFound("cannot run the shepherd '" + options.shepherd + "': " + std::strerror(errno));
  }
  std::unique_ptr<ProcessDriver> driver(new ProcessDriver(std::move(options)));
  driver->facts_.accounts = driver->accounts_.WhoHasNone();
  MUSTER_RETURN_IF_ERROR(driver->Prepare());
  return driver;
}

ProcessDriver::ProcessDriver(ProcessOptions options)
    : options_(std::move(options)),
      accounts_(options_.accounts),
      machine_(ThisMachine()),
      sweep_(options_.state_dir, options_.output_keep),
      next_serial_(kFirstSerial),
      sweep_at_ms_(ClockMs(CLOCK_BOOTTIME) + options_.sweep_every.milliseconds) {}

ProcessDriver::~ProcessDriver() { cgroups_.RemoveEmpty(); }

absl::Status ProcessDriver::Prepare() {
  MUSTER_RETURN_IF_ERROR(PrepareFolders());
  epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  wake_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  timer_ = Descriptor(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    news_in_ = High(ends[0]);
    news_out_ = High(ends[1]);
    fcntl(news_in_.get(), F_SETPIPE_SZ, kNewsPipeBytes);
  }
  null_ = High(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!epoll_ || !wake_ || !timer_ || !news_in_ || !news_out_ || !null_ ||
      !Poll(epoll_.get(), wake_.get(), kWakeTag) || !Poll(epoll_.get(), news_in_.get(), kNewsTag) ||
      !Poll(epoll_.get(), timer_.get(), kTimerTag)) {
    return Internal(std::string("the process driver cannot open its descriptors: ") +
                    std::strerror(errno));
  }
  // Raises the limit of open files, since each live part needs one; parts themselves get the
  // original limit.
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    open_files_ = static_cast<int64_t>(limit.rlim_cur);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (options_.cgroups) cgroups_ = Cgroups::Detect(GroupName(options_.state_dir));
  ArmTimer();
  return absl::OkStatus();
}

std::string ProcessDriver::FolderOf(const std::string& token) const {
  return options_.state_dir + "/tries/" + token;
}

void ProcessDriver::Do(const Command& command) {
  if (const auto* start = std::get_if<StartPart>(&command)) Start(*start);
  if (const auto* stop = std::get_if<StopPart>(&command)) Stop(*stop);
  if (const auto* limit = std::get_if<LimitPart>(&command)) Limit(*limit);
  if (const auto* resize = std::get_if<ResizePart>(&command)) Resize(*resize);
  if (const auto* pause = std::get_if<PausePart>(&command)) Tell(pause->token, shepherd::kPaused);
  if (const auto* go_on = std::get_if<ResumePart>(&command)) Tell(go_on->token, shepherd::kResumed);
  if (const auto* forget = std::get_if<ForgetPart>(&command)) Forget(forget->token);
  if (const auto* read = std::get_if<ReadOutput>(&command)) Read(*read);
  if (const auto* find = std::get_if<FindParts>(&command)) {
    for (const std::string& token : find->tokens) Find(token);
    RememberBoot();
  }
}

void ProcessDriver::Start(const StartPart& part) {
  if (serials_.contains(part.token)) return;  // it runs; its events will come
  RememberBoot();
  if (verdicts_.contains(part.token)) return StartAgain(part.token);
  if (ClockMs(CLOCK_REALTIME) > ToMoment(part.not_after).milliseconds) {
    return Refuse({.token = part.token, .why = "its last start has passed", .late = true});
  }
  absl::StatusOr<Live> live = TryToStart(part);
  if (live.ok()) {
    Add(*std::move(live));
  } else if (absl::IsAlreadyExists(live.status())) {
    StartAgain(part.token);
  } else {
    Refuse({.token = part.token, .why = std::string(Text(live.status()))});
  }
}

absl::StatusOr<ProcessDriver::Live> ProcessDriver::TryToStart(const StartPart& part) {
  for (const std::string& name : {part.token, part.part_name}) {
    if (!IsFileName(name)) return InvalidArgument("'" + name + "' cannot name a folder");
  }
  if (const std::string wrong = WhatIsWrongWith(part); !wrong.empty())
    return InvalidArgument(wrong);
  SpecFacts facts{.boot_id = boot_id_,
                  .serial = next_serial_++,
                  .walltime_grace = options_.walltime_grace,
                  .stop_grace = options_.straggler_grace,
                  .open_files = open_files_,
                  .own_dir = options_.state_dir + "/parts/" + part.part_name,
                  .groups = cgroups_.GroupsFor(part.token, OnFirstNode(part.place), machine_)};
  MUSTER_ASSIGN_OR_RETURN(facts.account, accounts_.Of(part.user));
  facts.devices = devices_.Take(part.place);
  Live live{.token = part.token,
            .part_name = part.part_name,
            .serial = facts.serial,
            .child = true,
            .devices = facts.devices};
  const std::string folder = FolderOf(part.token);
  absl::Status written = WritePart(folder, part, facts);
  if (!written.ok()) {
    devices_.Return(facts.devices);
    return written;
  }
  const absl::StatusOr<pid_t> pid =
      SpawnShepherd(options_.shepherd, folder, part.token, news_out_.get(), null_.get());
  if (!pid.ok()) {
    devices_.Return(facts.devices);
    RemoveFolder(folder);
    return pid.status();
  }
  live.pid = *pid;
  PointOutputTo(part.part_name, part.token);
  return live;
}

void ProcessDriver::PointOutputTo(const std::string& part_name, const std::string& token) {
  const std::string link = options_.state_dir + "/outputs/" + part_name;
  const std::string target = "../tries/" + token;
  if (symlink(target.c_str(), link.c_str()) == 0 || errno != EEXIST) return;
  const std::string fresh = options_.state_dir + "/outputs/.new";
  unlink(fresh.c_str());
  if (symlink(target.c_str(), fresh.c_str()) == 0) rename(fresh.c_str(), link.c_str());
}

void ProcessDriver::Add(Live added) {
  const uint64_t serial = added.serial;
  serials_[added.token] = serial;
  Live& live = live_.emplace(serial, std::move(added)).first->second;
  if (live.child) Attach(live, live.pid);
  if (!live.pidfd || !live.answered()) unsure_.insert(serial);
  ArmTimer();
}

// Opens a pidfd and adds it to the epoll set. False if the process is gone or no descriptor is
// available: then ticks look at the part.
bool ProcessDriver::Attach(Live& live, pid_t pid) {
  Descriptor pidfd(OpenPidfd(pid));
  if (!pidfd || !Poll(epoll_.get(), pidfd.get(), live.serial)) return false;
  live.pid = pid;
  live.pidfd = std::move(pidfd);
  return true;
}

void ProcessDriver::Stop(const StopPart& command) {
  const auto serial = serials_.find(command.token);
  if (serial == serials_.end()) return;
  Live& live = live_.at(serial->second);
  if (live.pidfd) {
    AskToStop(live.pidfd.get(), command.grace);
  } else if (live.child) {
    // The child is not reaped yet, so its pid is valid. A SIGTERM means the grace of the spec.
    kill(live.pid, SIGTERM);
  } else {
    live.stop = live.stop ? std::min(*live.stop, command.grace) : command.grace;
  }
}

void ProcessDriver::Forget(const std::string& token) {
  if (serials_.contains(token)) return;
  // A shepherd that starts late then finds no token file, or an unlinked one.
  if (IsFileName(token)) RemoveBookkeeping(FolderOf(token));
  verdicts_.erase(token);
}

void ProcessDriver::Read(const ReadOutput& command) {
  OutputRead answer{.inspection = command.inspection};
  schemas::OutputView& view = answer.view;
  view.next = command.offset;
  const std::string link = options_.state_dir + "/outputs/" + command.part_name;
  std::error_code error;
  const std::string token = IsFileName(command.part_name)
                                ? std::filesystem::read_symlink(link, error).filename().string()
                                : "";
  // Checked before reading: a part that ended by now has written all of its output.
  const bool ended =
      !token.empty() && !serials_.contains(token) && TryLock(FolderOf(token)).lock != Lock::kHeld;
  const char* stream = command.error_stream ? shepherd::kStderrFile : shepherd::kStdoutFile;
  const Descriptor file(token.empty() ? -1
                                      : open((FolderOf(token) + "/" + stream).c_str(),
                                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file) {
    view.known = true;
    view.data.resize(std::min(command.limit, schemas::kOutputPieceBytes));
    const ssize_t got =
        pread(file.get(), view.data.data(), view.data.size(), static_cast<off_t>(command.offset));
    view.data.resize(std::max<ssize_t>(got, 0));
    view.next += view.data.size();
    struct stat status{};
    view.ended = ended && fstat(file.get(), &status) == 0 &&
                 view.next >= static_cast<uint64_t>(status.st_size);
  }
  Say(std::move(answer));
}

void ProcessDriver::Say(Event event) {
  events_.push_back(std::move(event));
  if (woken_) return;
  woken_ = true;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

std::vector<Event> ProcessDriver::Take() {
  constexpr int kBatch = 256;
  epoll_event ready[kBatch];
  for (int count = kBatch; count == kBatch;) {
    count = epoll_wait(epoll_.get(), ready, kBatch, 0);
    // A shepherd writes its news before it ends, so they are in the pipe by now.
    if (count > 0) TakeNews();
    for (int i = 0; i < count; ++i) {
      if (ready[i].data.u64 == kTimerTag) Tick();
      if (ready[i].data.u64 >= kFirstSerial) Gone(ready[i].data.u64);
    }
  }
  if (woken_) {
    uint64_t drained = 0;
    [[maybe_unused]] const ssize_t got = read(wake_.get(), &drained, sizeof(drained));
    woken_ = false;
  }
  return std::exchange(events_, {});
}

void ProcessDriver::TakeNews() {
  shepherd::News news[256];
  for (;;) {
    const ssize_t got = read(news_in_.get(), news, sizeof(news));
    if (got <= 0) return;
    for (size_t i = 0; i < got / sizeof(news[0]); ++i) {
      const auto found = live_.find(news[i].serial);
      if (found == live_.end()) continue;
      Live& live = found->second;
      if (news[i].kind == shepherd::NewsKind::kStarted && !live.start_told) {
        live.start_told = true;
        live.started_at = Moment{news[i].at_ms};
        Say(PartStarted{.token = live.token, .at = *live.started_at});
      }
      if (news[i].kind == shepherd::NewsKind::kEnding) Say(PartEnding{live.token});
    }
  }
}

void ProcessDriver::Tick() {
  uint64_t expirations = 0;
  [[maybe_unused]] const ssize_t got = read(timer_.get(), &expirations, sizeof(expirations));
  const std::set<uint64_t> unsure = unsure_;
  for (const uint64_t serial : unsure) Look(serial);
  const int64_t now = ClockMs(CLOCK_BOOTTIME);
  if (!sweeping_ && now >= sweep_at_ms_) sweeping_ = true;
  if (sweeping_) {
    const auto in_use = [this](const std::string& token) { return serials_.contains(token); };
    sweeping_ = sweep_.Continue(ClockMs(CLOCK_REALTIME) / 1000, kSweepSteps, in_use);
    sweep_at_ms_ = now + options_.sweep_every.milliseconds;
  }
  ArmTimer();
}

void ProcessDriver::ArmTimer() {
  int64_t wait = std::max<int64_t>(1, sweep_at_ms_ - ClockMs(CLOCK_BOOTTIME));
  if (sweeping_) wait = kSweepMs;
  for (const uint64_t serial : unsure_) {
    wait = std::min(wait, live_.at(serial).answered() ? kUnsureMs : kAnswerMs);
  }
  itimerspec when{};
  when.it_value = {.tv_sec = wait / 1000, .tv_nsec = wait % 1000 * 1'000'000};
  timerfd_settime(timer_.get(), 0, &when, nullptr);
}

}  // namespace muster::driver
