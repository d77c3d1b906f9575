// Every field of a document struct is printed as JSON.
#include "cli/documents.h"

#include <utility>

#include "base/phrases.h"
#include "cli/notices.h"
#include "cli/replies.h"

namespace muster::cli {
namespace {

template <class T>
Json Whole(const T& document) {
  Json object = Json::object();
  object["schema"] = T::kSchema;
  schemas::ForEachField(
      document, [&object](const char* name, const auto& field) { AddField(object, name, field); });
  return object;
}

// The reason that determines the planned start: the one that ends last among those that end by the
// start. If none ends by then, the first reason; null if there is no reason.
const schemas::Reason* BindingOf(const schemas::ExplainPart& part,
                                 const std::optional<Instant>& start) {
  const schemas::Reason* binding = nullptr;
  for (const schemas::Reason& reason : part.reasons) {
    if (start && reason.until && *reason.until > *start) continue;
    if (binding == nullptr || reason.until > binding->until) binding = &reason;
  }
  if (binding == nullptr && !part.reasons.empty()) binding = &part.reasons.front();
  return binding;
}

}  // namespace

ExplainDocument Explained(schemas::ExplainRows rows, Moment as_of) {
  ExplainDocument document{.as_of = as_of, .job = rows.job, .starts_by = rows.starts_by};
  document.start = rows.start;
  document.reason = std::move(rows.reason);
  document.changes = std::move(rows.changes);
  document.no_help = std::move(rows.no_help);
  document.more = std::move(rows.more);
  document.queued = std::move(rows.queued);
  for (const schemas::ExplainPart& part : rows.parts) {
    if (!part.binds) {
      document.ready.push_back({part.part, part.from});
      continue;
    }
    if (const schemas::Reason* reason = BindingOf(part, rows.start); reason != nullptr) {
      const schemas::Subject& subject = reason->subject;
      document.binding = BindingReason{.part = part.part,
                                       .site = subject.site.empty() ? part.site : subject.site,
                                       .node = subject.node,
                                       .resource = reason->resource,
                                       .until = reason->until,
                                       .reason = *reason};
    }
  }
  document.parts = std::move(rows.parts);
  return document;
}

std::vector<ChangedJob> ChangedJobs(const schemas::Accepted& accepted, const std::string& site) {
  std::vector<ChangedJob> jobs;
  for (size_t i = 0; i < accepted.requests.size(); ++i) {
    ChangedJob job{.id = (site.empty() ? "" : site + "/") + ToText(accepted.requests[i])};
    if (i < accepted.states.size()) job.state = accepted.states[i];
    if (i < accepted.notes.size()) job.text = accepted.notes[i];
    jobs.push_back(std::move(job));
  }
  return jobs;
}

ErrorDocument ErrorOf(const Failure& failure) {
  const Diagnostic& diagnostic = failure.diagnostic;
  ErrorDocument document{.code = diagnostic.code,
                         .message = diagnostic.message,
                         .exit = ExitOf(diagnostic.code),
                         .where = std::nullopt,
                         .notes = diagnostic.notes,
                         .help = Joined(diagnostic.help, " "),
                         .changed = failure.changed};
  if (diagnostic.where && !diagnostic.where->file.empty()) {
    const auto known = [](uint32_t n) { return n == 0 ? std::nullopt : std::optional(n); };
    document.where = ErrorPlace{diagnostic.where->file, known(diagnostic.where->line),
                                known(diagnostic.where->column)};
  }
  return document;
}

Json ToDocument(const JobDocument& document) { return Whole(document); }
Json ToDocument(const QueueDocument& document) { return Whole(document); }
Json ToDocument(const AskDocument& document) { return Whole(document); }
Json ToDocument(const SlotsDocument& document) { return Whole(document); }
Json ToDocument(const SitesDocument& document) { return Whole(document); }
Json ToDocument(const NodesDocument& document) { return Whole(document); }
Json ToDocument(const GanttDocument& document) { return Whole(document); }
Json ToDocument(const ExplainDocument& document) { return Whole(document); }
Json ToDocument(const PriorityDocument& document) { return Whole(document); }
Json ToDocument(const SharesDocument& document) { return Whole(document); }
Json ToDocument(const OrderDocument& document) { return Whole(document); }
Json ToDocument(const AccountsDocument& document) { return Whole(document); }
Json ToDocument(const StatementDocument& document) { return Whole(document); }
Json ToDocument(const VerdictsDocument& document) { return Whole(document); }
Json ToDocument(const LimitsDocument& document) { return Whole(document); }
Json ToDocument(const SchedulerDocument& document) { return Whole(document); }
Json ToDocument(const CalibrationDocument& document) { return Whole(document); }
Json ToDocument(const WhatIfDocument& document) { return Whole(document); }
Json ToDocument(const CancelDocument& document) { return Whole(document); }
Json ToDocument(const ActDocument& document) { return Whole(document); }
Json ToDocument(const KeyDocument& document) { return Whole(document); }
Json ToDocument(const KeysDocument& document) { return Whole(document); }
Json ToDocument(const DigestDocument& document) { return Whole(document); }
Json ToDocument(const OutputLine& document) { return Whole(document); }
Json ToDocument(const EventLine& line) { return Whole(line); }
Json ToDocument(const AuditLine& line) { return Whole(line); }
Json ToDocument(const ErrorDocument& document) { return Whole(document); }
Json ToDocument(const UpDocument& document) { return Whole(document); }
Json ToDocument(const DownDocument& document) { return Whole(document); }
Json ToDocument(const CheckDocument& document) { return Whole(document); }

}  // namespace muster::cli
