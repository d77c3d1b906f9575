// `wait`: follows jobs until they have ended or reached the state of --until.
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "cli/documents.h"
#include "cli/verbs/following.h"
#include "cli/verbs/verb.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTurn{100};  // interval of the spinner

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

// True if the job ended by failing, not by a user's wish: then its last output line helps.
bool Failed(schemas::Outcome outcome) {
  return outcome == schemas::Outcome::kFailed || outcome == schemas::Outcome::kTimeout;
}

class Waiter {
 public:
  Waiter(MetaClient& client, const Context& context, std::vector<RequestId> ids, Until until)
      : client_(client), context_(context), ids_(std::move(ids)), until_(until) {
    for (const RequestId id : ids_) id_width_ = std::max(id_width_, IdShown(client, id).size());
  }

  Result Run() {
    const auto begin = SteadyClock::now();
    auto heard = begin;
    auto sent = begin;
    const MessageNumber number = client_.Send(schemas::Follow{ids_, false}, Seconds(30));
    client_.Keep(number);
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
      const bool back = LookAtLink();
      const bool lost = jobs_.empty() ? now - begin > kFirstAnswer
                                      : !client_.Connected() && now - heard > kGivenUp;
      if (lost) {
        Clear();
        Failure failure = client_.Silence();
        failure.diagnostic.help.emplace_back(kFindAgain);
        return failure;
      }
      // A restarted meta has no followers, so the follow is sent again.
      if (back || now - sent > kRepeat) {
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
  // Clears the progress line first, so that messages about the link do not run into it.
  bool LookAtLink() {
    if (shown_ && !client_.Connected()) Clear();
    return link_.Look(client_);
  }

  void Take(const schemas::Rows& rows) {
    for (const schemas::JobView& job : rows.jobs) {
      id_width_ = std::max(id_width_, views::Columns(views::IdOfJob(ToJson(job))));
      jobs_[IdOf(job)] = job;
    }
    for (const schemas::JobView& job : rows.jobs) {
      const RequestId id = IdOf(job);
      if (job.state == schemas::RequestState::kUnknown && unknown_.insert(id).second) {
        Clear();
        Warn("job " + job.id +
             ": its outcome is unknown until its site is back, or an operator settles it");
      }
      if (told_.contains(id) || !Reached(job, until_)) continue;
      told_[id] = true;
      unsuccessful_ = unsuccessful_ || !Successful(job, until_);
      Tell(id, job, rows.as_of);
    }
  }

  void Tell(RequestId id, schemas::JobView job, Moment as_of) {
    Clear();
    const bool ended = job.state == schemas::RequestState::kEnded;
    if (ended && !context_.quiet) AddLastLine(id, job);
    const Json document = ToDocument(JobDocument{as_of, job});
    if (context_.json) {
      PrintJson(document, true);
    } else if (context_.quiet) {
      Print(IdShown(client_, id) + '\n');
    } else if (ended) {
      Print(views::WaitLine(document, id_width_, context_.View()));
    } else {
      Print(views::Padded(views::IdOfJob(ToJson(job)), id_width_ + 2) +
            std::string(Word(job.state)) + '\n');
    }
  }

  // Adds the last output line of a failed job, or of an array's first failed element.
  void AddLastLine(RequestId id, schemas::JobView& job) {
    const auto quoted = [](const std::string& line) { return "last line '" + line + "'"; };
    if (job.array) {
      if (job.array->failures.empty()) return;
      schemas::ElementFailure& failure = job.array->failures.front();
      const auto name = text::ParseShownJob(failure.id);
      if (!failure.text.empty() || !Failed(failure.outcome) || !name || !name->element) return;
      const RequestId element = id.array().element(*name->element);
      auto rows = GetJob(client_, element);
      if (!rows.ok()) return;
      const std::string line = LastLineOf(client_, element, rows->jobs.front());
      if (!line.empty()) failure.text = quoted(line);
      return;
    }
    if (!job.outcome || !Failed(*job.outcome)) return;
    for (schemas::PartView& part : job.parts) {
      if (!part.ended_text.empty() || !(part.signal || part.exit_code.value_or(0) != 0)) continue;
      const std::string line = LastLineOf(client_, id, job);
      if (!line.empty()) part.ended_text = quoted(line);
      return;
    }
  }

  void ShowProgress(SteadyClock::time_point now) {
    if (!context_.terminal_err || context_.quiet || now < next_turn_) return;
    next_turn_ = now + kTurn;
    Json jobs = Json::array();
    for (const auto& [id, job] : jobs_) jobs.push_back(JobJson(job, false));
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
  LinkTeller link_;
  std::map<RequestId, schemas::JobView> jobs_;
  std::map<RequestId, bool> told_;
  std::set<RequestId> unknown_;  // already reported as unknown
  bool unsuccessful_ = false;
  SteadyClock::time_point next_turn_;
  size_t turn_ = 0;
  bool shown_ = false;
};

Options WaitOptions() {
  Options options("wait [options] JOB …", "Waits until jobs end. Exit 9 if one did not succeed.",
                  Words::kAnywhere);
  options.Value("--until", "STATE", "promised or running, instead of ended").Globals();
  options.Note(kJobsNote + std::string("Ctrl-C leaves the jobs alone.\n"));
  return options;
}

Result RunWait(Given given) {
  Until until = Until::kEnded;
  if (const auto word = given.Maybe("--until")) {
    if (*word != "promised" && *word != "running" && *word != "ended") {
      return UsageError("--until " + *word + ": unknown state", "promised, running or ended");
    }
    until = *word == "promised"  ? Until::kPromised
            : *word == "running" ? Until::kRunning
                                 : Until::kEnded;
  }
  auto set = JobsOf(given.words, "wait");
  if (!set.ok()) return set.failure();
  if (auto failure = WholeJobs(set.value(), "wait")) return *failure;
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  CatchInterrupt();
  auto ids = Resolve(session->client, set.value());
  if (!ids.ok()) return ids.failure();
  if (ids->empty()) return kExitDone;  // "all" was given, and there are no jobs
  return Waiter(session->client, session->context, std::move(ids.value()), until).Run();
}

}  // namespace

const Verb kWaitVerb = {"wait", "Work", "until jobs end (or --until promised|running)", WaitOptions,
                        RunWait};

}  // namespace muster::cli
