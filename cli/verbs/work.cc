// Verbs that change something: submit, cancel.
#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <utility>

#include "base/digest.h"
#include "base/io/zmq/keys.h"
#include "base/phrases.h"
#include "cli/documents.h"
#include "cli/replies.h"
#include "cli/verbs/act.h"
#include "cli/verbs/submitting.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

// longest wait for the first figures; then they are "being verified"
constexpr std::chrono::seconds kFiguresWait{1};
constexpr BootSpan kStopFollow = Seconds(1);

void WarnOfMissingCommand(const schemas::Payload& payload) {
  if (!payload.script.empty() || payload.argv.empty()) return;
  const std::string& command = payload.argv.front();
  if (command.front() == '/' || command.find('/') == std::string::npos) return;
  struct stat status{};
  if (stat(command.c_str(), &status) == 0) return;
  Warn(fmt::format("warning: '{}' does not exist in {}; the job fails unless the site has it there",
                   command, HomeShown(payload.submit_dir)));
}

text::ArrayText ArrayOf(const schemas::ArraySpec& array) {
  return {array.first, array.last, array.step, array.at_once};
}

bool Settled(const schemas::JobView& job) {
  if (job.figures.starts_by) return true;
  const auto& reason = job.figures.no_promise_reason;
  if (reason && reason->code == schemas::ReasonCode::kSilent) return true;
  return job.state != schemas::RequestState::kWaiting;
}

// The failure of a job that was refused within its first second.
Failure RefusedFailure(const schemas::JobView& job) {
  const std::string chunks = Joined(job.parts, " : ", [](const schemas::PartView& part) {
    return views::ChunksShown(ToJson(part.chunks));
  });
  Failure failure = Fail("never", "no site can ever run " + chunks);
  const auto& reason = job.figures.no_promise_reason;
  if (reason && !reason->text.empty()) failure.diagnostic.notes.push_back(reason->text);
  failure.changed = "job " + job.id + " was refused";
  return failure;
}

Result FollowToEnd(Session& session, RequestId id) {
  const Result shown = ShowOutput(session.client, session.context, {{.job = id, .follow = true}});
  if (!shown.ok()) return shown;
  if (shown.exit() == kExitInterrupted) {
    const std::string text = IdShown(session.client, id);
    Warn("job " + text + " goes on; muster logs -f " + text);
    return shown;
  }
  auto rows = GetJob(session.client, id);
  if (!rows.ok()) return rows.failure();
  const auto outcome = rows->jobs.front().outcome;
  if (outcome == schemas::Outcome::kDone) return kExitDone;
  const Json document = ToDocument(JobDocument{rows->as_of, rows->jobs.front()});
  views::ViewOptions view = session.context.View();
  view.color = false;
  Say(views::WaitLine(document, 0, view));
  return kExitUnsuccessful;
}

}  // namespace

schemas::ClientKey NewKey(const std::optional<std::string>& once) {
  if (once) return {*once, std::nullopt};
  const Secret random = io::SystemEntropy()->NewSecret();
  return {ToHex(random.bytes.data(), 16), WallNow()};  // 128 bits
}

Expect<schemas::Accepted> AcceptSubmission(MetaClient& client, const schemas::Submit& submit,
                                           bool named) {
  auto answer = client.Call(submit);
  const bool silent = !answer.ok() && answer.failure().diagnostic.code == "timeout";
  if (silent && !Interrupted()) answer = client.Call(submit);
  if (!answer.ok()) {
    Failure failure = answer.failure();
    if (failure.diagnostic.code == "timeout") {
      failure.diagnostic.help = {
          named ? "repeat with the same --once"
                : "'muster queue' shows whether it is there; --once TEXT makes repeating safe"};
      failure.changed = "unknown whether it was submitted";
    } else if (failure.changed.empty() && failure.diagnostic.code != "conflict") {
      failure.changed = "nothing was submitted";
    }
    return failure;
  }
  const auto* accepted = std::get_if<schemas::Accepted>(&answer->body);
  if (accepted == nullptr || accepted->requests.empty()) {
    return Fail("internal", "the meta answered a submission by something else");
  }
  return *accepted;
}

Expect<schemas::Rows> FirstFigures(MetaClient& client, RequestId id) {
  const auto until = SteadyClock::now() + kFiguresWait;
  const MessageNumber number = client.Send(schemas::Follow{{id}, false});
  std::optional<schemas::Rows> last;
  while (SteadyClock::now() < until && !Interrupted()) {
    const auto message = client.Receive(Milliseconds(50));
    if (!message || message->answers != number) continue;
    const auto* rows = std::get_if<schemas::Rows>(&message->body);
    if (rows == nullptr) break;
    if (rows->jobs.empty()) continue;
    last = *rows;
    if (Settled(last->jobs.front())) break;
  }
  client.Send(schemas::Follow{{id}, true}, kStopFollow, number);
  if (last) return *std::move(last);
  return GetJob(client, id);
}

namespace {

Options SubmitOptions() { return RequestOptions(Asked::kSubmit); }

Result RunSubmit(Given given) {
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  auto submission = ReadSubmission(Asked::kSubmit, given.line, ReadHere(context.value()));
  if (!submission.ok()) return submission.failure();
  auto opened = OpenSession(std::move(submission->command_line));
  if (!opened.ok()) return opened.failure();
  Session& session = opened.value();
  CatchInterrupt();
  WarnOfMissingCommand(submission->request.payload);
  const bool follow = session.given.Has("-f");
  const auto& array = submission->request.array;
  if (follow && array && text::ElementsOf(ArrayOf(*array)) > kElementsFollowed) {
    return UsageError(fmt::format("-f follows at most {} elements", kElementsFollowed),
                      "submit without it, then 'muster wait last'");
  }

  auto accepted = AcceptSubmission(session.client, {NewKey(submission->once), submission->request},
                                   submission->once.has_value());
  if (!accepted.ok()) return accepted.failure();
  const RequestId id = accepted->requests.front();
  const std::string number =
      IdShown(session.client, id) + (array ? text::ElementsText(ArrayOf(*array)) : "");
  if (session.context.quiet) {
    // Prints what a script passes to the next command: for an array its number is enough.
    Print(IdShown(session.client, id) + '\n');
    return follow ? FollowToEnd(session, id) : Result(kExitDone);
  }
  // Prints the id at once, since the job is durable; the rest of the line follows with the figures.
  const std::string begun = "job " + number + "  ";
  if (!session.context.json) Print(begun);
  auto rows = FirstFigures(session.client, id);
  if (!rows.ok()) {
    if (!session.context.json) Print("accepted, on disk\n");
    return rows.failure();
  }
  const schemas::JobView& job = rows->jobs.front();
  const Json document = ToDocument(JobDocument{rows->as_of, job});
  if (session.context.json) {
    PrintJson(document, follow);
  } else {
    const std::string text = views::SubmittedView(document, session.context.View());
    Print(text.starts_with(begun) ? text.substr(begun.size()) : "\n" + text);
    if (accepted->repeated) Warn("the same job as before; nothing new was submitted");
  }
  if (job.outcome == schemas::Outcome::kRefused) return RefusedFailure(job);
  return follow ? FollowToEnd(session, id) : Result(kExitDone);
}

Options CancelOptions() {
  Options options("cancel JOB …",
                  "Ends jobs (those that run get TERM, then KILL) and reservations.",
                  Words::kAnywhere);
  YesOption(options).Globals().Note(
      kJobsNote +
      std::string("With a reservation end the jobs inside: where some are promised, it asks.\n"));
  return options;
}

Result RunCancel(Given given) {
  auto set = JobsOf(given.words, "cancel");
  if (!set.ok()) return set.failure();
  if (auto failure = WholeJobs(set.value(), "cancel")) return *failure;
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto targets = ResolveAll(session->client, set.value());
  if (!targets.ok()) return targets.failure();
  if (!targets->locals.empty()) return Resolve(session->client, set.value()).failure();
  const std::vector<RequestId>& ids = targets->requests;
  schemas::Accepted accepted;
  if (!ids.empty()) {
    auto answer = SendCancel(session.value(), {.requests = ids});
    if (!answer.ok()) return answer.failure();
    accepted = std::move(answer.value());
  }
  CancelDocument document{WallNow(), ChangedJobs(accepted, session->client.site())};
  for (ChangedJob& job : document.jobs) {
    const auto name = text::ParseShownJob(job.id);
    if (name && targets->reservations.contains(RequestId{name->job})) job.id.insert(0, "R");
  }
  if (session->context.json) {
    PrintJson(ToDocument(document), false);
  } else if (session->context.quiet) {
    for (const ChangedJob& job : document.jobs) Print(job.id + '\n');
  } else if (document.jobs.empty()) {
    Print("no job to cancel\n");
  } else {
    Print(views::ActView(ToDocument(document), session->context.View()));
  }
  return kExitDone;
}

}  // namespace

const Verb kSubmitVerb = {"submit", "Work",
                          "run a command or script, on one site or several at once", SubmitOptions,
                          RunSubmit};
const Verb kCancelVerb = {"cancel", "Work", "end jobs, give back reservations", CancelOptions,
                          RunCancel};

}  // namespace muster::cli
