// Verbs that explain: explain, priority, shares, verdicts.
#include <utility>

#include "cli/documents.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

Options ExplainOptions() {
  Options options("explain JOB", "Why a job does not start earlier, and the cheapest change.",
                  Words::kAnywhere);
  options.Globals().Note("JOB: 42, 43[7], last\n");
  return options;
}

Result RunExplain(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  const auto id = OneJob(session->client, session->given.words, "explain");
  if (!id.ok()) return id.failure();
  schemas::Get get{.kind = schemas::GetKind::kExplain, .requests = {id.value()}};
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (!rows->explain) return Fail("internal", "the meta sent no explanation");
  Show(session->context, ToDocument(Explained(*std::move(rows->explain), rows->as_of)),
       views::ExplainView);
  return kExitDone;
}

Options PriorityOptions() {
  Options options("priority JOB | --site SITE",
                  "Which points a job has and its place, or whom a site moves earlier first.",
                  Words::kAnywhere);
  options.Value("--site", "SITE", "the order of this site").Globals();
  options.Note("JOB: 42, 43[7], last\n");
  return options;
}

// The order in which a site moves what it holds to earlier starts.
Result ShowOrder(Session& session, const std::string& site) {
  auto rows =
      session.client.Rows(schemas::Get{.kind = schemas::GetKind::kPriority, .sites = {site}});
  if (!rows.ok()) return rows.failure();
  Show(session.context, ToDocument(OrderDocument{rows->as_of, site, std::move(rows->ranks)}),
       views::OrderView);
  return kExitDone;
}

Result RunPriority(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (const auto site = session->given.Maybe("--site")) {
    if (!session->given.words.empty()) return NoWords("priority", session->given.words.front());
    return ShowOrder(session.value(), *site);
  }
  const auto id = OneJob(session->client, session->given.words, "priority");
  if (!id.ok()) return id.failure();
  schemas::Get get{.kind = schemas::GetKind::kPriority, .requests = {id.value()}};
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  if (!rows->priority) return Fail("internal", "the meta sent no priority");
  Show(session->context, ToDocument(PriorityDocument{rows->as_of, *std::move(rows->priority)}),
       views::PriorityView);
  return kExitDone;
}

Options SharesOptions() {
  Options options("shares [--site SITE]",
                  "What users and groups have had and are promised, beside their shares.",
                  Words::kAnywhere);
  options.Value("--site", "SITE", "those of this site").Globals();
  return options;
}

Result RunShares(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  const auto site = session->given.Maybe("--site");
  schemas::Get get{.kind = schemas::GetKind::kShares};
  if (site) get.sites = {*site};
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  Show(session->context, ToDocument(SharesDocument{rows->as_of, std::move(rows->shares), site}),
       views::SharesView);
  return kExitDone;
}

Options VerdictsOptions() {
  Options options("verdicts JOB", "What sites were asked about a job and answered, round by round.",
                  Words::kAnywhere);
  options.Globals().Note("JOB: 42, 43[7], last\n");
  return options;
}

Result RunVerdicts(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  const auto id = OneJob(session->client, session->given.words, "verdicts");
  if (!id.ok()) return id.failure();
  schemas::Get get{.kind = schemas::GetKind::kVerdicts, .requests = {id.value()}};
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  Show(session->context,
       ToDocument(VerdictsDocument{rows->as_of, ToText(id.value()), std::move(rows->verdicts)}),
       views::VerdictsView);
  return kExitDone;
}

}  // namespace

const Verb kExplainVerb = {"explain", "Look", "why not earlier, and the cheapest change",
                           ExplainOptions, RunExplain};
const Verb kPriorityVerb = {"priority", "Look", "the points of a job, and its place in its queue",
                            PriorityOptions, RunPriority};
const Verb kSharesVerb = {"shares", "Look", "what users and groups have had, beside their shares",
                          SharesOptions, RunShares};
const Verb kVerdictsVerb = {"verdicts", "Plumbing",
                            "proposals and answers of a job, round by round", VerdictsOptions,
                            RunVerdicts};

}  // namespace muster::cli
