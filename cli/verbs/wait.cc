// `wait`: follows jobs until they have ended, or are as far as was asked for.
#include <chrono>
#include <map>
#include <utility>

#include "cli/documents.h"
#include "cli/verbs/verb.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurn{100};  // of the spinner
constexpr std::chrono::seconds kRepeat{5};  // half of what the meta forgets a silent follower after
constexpr std::chrono::seconds kFirstAnswer{5};
constexpr std::chrono::seconds kGivenUp{60};  // of a lost link: a meta restarts faster

enum class Until { kEnded, kPromised, kRunning };

bool Reached(const schemas::JobView& job, Until until) {
  using State = schemas::RequestState;
  if (job.state == State::kEnded) return true;
  switch (until) {
    case Until::kPromised:
      return job.state == State::kPromised || job.state == State::kStarting ||
             job.state == State::kRunning;
    case Until::kRunning:
      return job.state == State::kRunning;
    case Until::kEnded:
      return false;
  }
  return false;
}

bool Successful(const schemas::JobView& job, Until until) {
  if (job.state == schemas::RequestState::kEnded) return job.outcome == schemas::Outcome::kDone;
  return Reached(job, until);
}

class Waiter {
 public:
  Waiter(MetaClient& client, const Context& context, std::vector<RequestId> ids, Until until)
      : client_(client), context_(context), ids_(std::move(ids)), until_(until) {
    for (const RequestId id : ids_)
      id_width_ = std::max(id_width_, std::to_string(id.value).size());
  }

  Result Run() {
    const auto begin = SteadyClock::now();
    auto heard = begin;
    auto sent = begin;
    const MessageNumber number = client_.Send(schemas::Follow{ids_, false}, Seconds(30));
    while (told_.size() < ids_.size()) {
      if (Interrupted()) {
        Clear();
        Warn("the jobs go on");
        return kExitInterrupted;
      }
      if (auto message = client_.Receive(Milliseconds(50)); message && message->answers == number) {
        heard = SteadyClock::now();
        if (const auto* refused = std::get_if<schemas::Refused>(&message->body)) {
          Clear();
          return FailureOf(*refused);
        }
        if (const auto* rows = std::get_if<schemas::Rows>(&message->body)) Take(*rows);
      }
      const auto now = SteadyClock::now();
      const bool connected = client_.Connected();
      const bool lost =
          jobs_.empty() ? now - begin > kFirstAnswer : !connected && now - heard > kGivenUp;
      if (lost) {
        Clear();
        return client_.Silence();
      }
      if (now - sent > kRepeat) {
        client_.Send(schemas::Follow{ids_, false}, Seconds(30), number);
        sent = now;
      }
      ShowProgress(now);
    }
    Clear();
    client_.Send(schemas::Follow{ids_, true}, Seconds(1), number);
    return unsuccessful_ ? kExitUnsuccessful : kExitDone;
  }

 private:
  void Take(const schemas::Rows& rows) {
    for (const schemas::JobView& job : rows.jobs) {
      const RequestId id = IdOf(job);
      jobs_[id] = job;
      if (told_.contains(id) || !Reached(job, until_)) continue;
      told_[id] = true;
      unsuccessful_ = unsuccessful_ || !Successful(job, until_);
      Tell(job, rows.as_of);
    }
  }

  void Tell(const schemas::JobView& job, Moment as_of) {
    Clear();
    const Json document = JobDocument(job, as_of);
    if (context_.json) {
      PrintJson(document, true);
    } else if (context_.quiet) {
      Print(job.id + '\n');
    } else if (job.state == schemas::RequestState::kEnded) {
      Print(views::WaitLine(document, id_width_, context_.View()));
    } else {
      Print(views::Padded(job.id, id_width_ + 2) + std::string(Word(job.state)) + '\n');
    }
  }

  void ShowProgress(SteadyClock::time_point now) {
    if (!context_.terminal_err || context_.quiet || now < next_turn_) return;
    next_turn_ = now + kTurn;
    Json jobs = Json::array();
    for (const auto& [id, job] : jobs_) jobs.push_back(ToJson(job));
    views::ViewOptions view = context_.View();
    if (view.width == 0) view.width = views::kPageWidth;
    Say("\r" + views::WaitProgress(jobs, turn_++, view) + "\x1b[K");
    shown_ = true;
  }

  void Clear() {
    if (shown_) Say("\r\x1b[K");
    shown_ = false;
  }

  MetaClient& client_;
  const Context& context_;
  std::vector<RequestId> ids_;
  Until until_;
  size_t id_width_ = 0;
  std::map<RequestId, schemas::JobView> jobs_;
  std::map<RequestId, bool> told_;
  bool unsuccessful_ = false;
  SteadyClock::time_point next_turn_;
  size_t turn_ = 0;
  bool shown_ = false;
};

}  // namespace

Options WaitOptions() {
  Options options("wait [options] JOB …", "Waits until jobs end. Exit 9 if one did not succeed.",
                  Words::kAnywhere);
  options.Value("--until", "STATE", "promised or running, instead of ended").Globals();
  options.Note("JOB: 42, 42-48,50, last, all. Ctrl-C leaves the jobs alone.\n");
  return options;
}

Result RunWait(const std::vector<std::string>& words) {
  auto given = WaitOptions().Parse(words);
  if (!given.ok()) return given.failure();
  Until until = Until::kEnded;
  if (const auto word = given->Maybe("--until")) {
    if (*word != "promised" && *word != "running" && *word != "ended") {
      return UsageError("--until " + *word + ": unknown state", "promised, running or ended");
    }
    until = *word == "promised"  ? Until::kPromised
            : *word == "running" ? Until::kRunning
                                 : Until::kEnded;
  }
  auto set = JobsOf(given->words, "wait");
  if (!set.ok()) return set.failure();
  auto session = OpenSession(std::move(given.value()));
  if (!session.ok()) return session.failure();
  CatchInterrupt();
  auto ids = Resolve(session->client, set.value());
  if (!ids.ok()) return ids.failure();
  return Waiter(session->client, session->context, std::move(ids.value()), until).Run();
}

}  // namespace muster::cli
