// `reserve`: submits a request that runs nothing, whose resources are then open to the allowed
// users.
#include <utility>

#include "cli/documents.h"
#include "cli/verbs/look.h"
#include "cli/verbs/submitting.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

Options ReserveOptions() { return RequestOptions(Asked::kReserve); }

Result RunReserve(Given given) {
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  auto submission = ReadSubmission(Asked::kReserve, given.line, ReadHere(context.value()));
  if (!submission.ok()) return submission.failure();
  auto session = OpenSession(std::move(submission->command_line));
  if (!session.ok()) return session.failure();
  CatchInterrupt();
  auto accepted = AcceptSubmission(session->client, {NewKey(submission->once), submission->request},
                                   submission->once.has_value());
  if (!accepted.ok()) return accepted.failure();
  const RequestId id = accepted->requests.front();
  if (session->context.quiet) {
    Print("R" + ToText(id) + '\n');
    return kExitDone;
  }
  auto rows = FirstFigures(session->client, id);
  if (!rows.ok()) return rows.failure();
  const schemas::JobView& job = rows->jobs.front();
  Show(session->context, ToDocument(JobDocument{rows->as_of, job}), views::ReservedView);
  if (accepted->repeated) Warn("the same reservation as before; nothing new was made");
  if (job.outcome != schemas::Outcome::kRefused) return kExitDone;
  Failure failure = Fail("never", "there is no room for reservation " + job.id);
  const auto& reason = job.figures.no_promise_reason;
  if (reason && !reason->text.empty()) failure.diagnostic.notes.push_back(reason->text);
  failure.changed = "nothing is reserved";
  return failure;
}

}  // namespace

const Verb kReserveVerb = {"reserve", "Work", "set resources aside for people and times",
                           ReserveOptions, RunReserve};

}  // namespace muster::cli
