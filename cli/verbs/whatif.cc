// `whatif` and `limits`: show what would move, and which limits apply. Neither changes anything.
#include <utility>

#include "base/phrases.h"
#include "cli/documents.h"
#include "cli/verbs/alter.h"
#include "cli/verbs/look.h"
#include "cli/verbs/nodes_named.h"
#include "cli/verbs/stays.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

// The number of jobs of all users that are promised and have not started.
Expect<uint64_t> PromisesNow(MetaClient& client) {
  auto rows = AllJobs(client, {.kind = schemas::GetKind::kJobs, .everyone = true});
  if (!rows.ok()) return rows.failure();
  uint64_t promises = 0;
  for (const schemas::JobView& job : rows->jobs) {
    if (job.state == schemas::RequestState::kPromised) ++promises;
  }
  return promises;
}

Expect<schemas::Act> ReadNodesAct(Session& session, const std::string& verb) {
  const bool drain = verb == "drain";
  if (session.given.words.empty()) {
    return UsageError("which nodes?", "as in muster whatif " + verb + " lakes/n1");
  }
  auto nodes = NodesNamed(session.given.words, session.client.site());
  if (!nodes.ok()) return nodes.failure();
  schemas::Act act{.verb = drain ? schemas::ActVerb::kDrain : schemas::ActVerb::kResume,
                   .nodes = std::move(nodes.value())};
  act.hard = drain && session.given.Has("--hard");
  return act;
}

Expect<schemas::Act> ReadAlterAct(Session& session) {
  auto set = JobsOf(session.given.words, "whatif alter");
  if (!set.ok()) return set.failure();
  auto changes = ReadAlteration(session.given, set.value(), ReadHere(session.context));
  if (!changes.ok()) return changes.failure();
  auto ids = Resolve(session.client, set.value());
  if (!ids.ok()) return ids.failure();
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = std::move(ids.value())};
  act.changes = std::move(changes.value());
  return act;
}

// Tries a cancellation of "R7 44": which promises of others it would take away.
Expect<std::vector<schemas::MoveRow>> TryCancel(Session& session) {
  auto set = JobsOf(session.given.words, "whatif cancel");
  if (!set.ok()) return set.failure();
  auto ids = Resolve(session.client, set.value());
  if (!ids.ok()) return ids.failure();
  if (ids->empty()) return std::vector<schemas::MoveRow>();
  auto accepted = session.client.Accepted(
      schemas::Cancel{.requests = std::move(ids.value()), .only_try = true});
  if (!accepted.ok()) return accepted.failure();
  return std::move(accepted->moves);
}

Expect<std::vector<schemas::MoveRow>> TryAct(Session& session, Expect<schemas::Act> act) {
  if (!act.ok()) return act.failure();
  act->only_try = true;
  auto accepted = session.client.Accepted(act.value(), kAnswerWait * 3);
  if (!accepted.ok()) return accepted.failure();
  return std::move(accepted->moves);
}

Options WhatifOptions() {
  Options options("whatif drain|resume|alter|cancel …",
                  "What a changing command would move, on a copy of now. Changes nothing.",
                  Words::kEnd);
  options.Choices({"drain", "resume", "alter", "cancel"})
      .Globals()
      .Note(
          "As in muster whatif drain --hard lakes/n1, muster whatif alter 41 -t 2h. A drain\n"
          "without --hard moves nothing: it says what stays on the nodes, and until when.\n");
  return options;
}

Result RunWhatif(Given given) {
  const std::string verb = given.words.empty() ? "" : given.words.front();
  if (verb != "drain" && verb != "resume" && verb != "alter" && verb != "cancel") {
    return UsageError(verb.empty() ? "what if what?" : "'" + verb + "' moves no promise",
                      "whatif knows drain, resume, alter and cancel");
  }
  // Options before the tried verb belong to it.
  std::vector<std::string> rest(given.line.begin(),
                                given.line.end() - static_cast<std::ptrdiff_t>(given.words.size()));
  rest.insert(rest.end(), given.words.begin() + 1, given.words.end());
  const Verb& tried = verb == "alter"    ? kAlterVerb
                      : verb == "cancel" ? kCancelVerb
                      : verb == "drain"  ? kDrainVerb
                                         : kResumeVerb;
  auto rest_given = tried.options().Parse(rest);
  if (!rest_given.ok()) return rest_given.failure();
  auto session = OpenSession(std::move(rest_given.value()));
  if (!session.ok()) return session.failure();
  MovesDocument document{.command = Joined(given.words, " ")};
  auto moves = verb == "cancel"  ? TryCancel(session.value())
               : verb == "alter" ? TryAct(session.value(), ReadAlterAct(session.value()))
                                 : TryAct(session.value(), ReadNodesAct(session.value(), verb));
  if (!moves.ok()) return moves.failure();
  document.moves = std::move(moves.value());
  if (verb == "drain" && !session->given.Has("--hard")) {
    auto nodes = NodesNamed(session->given.words, session->client.site());
    if (!nodes.ok()) return nodes.failure();
    auto stays = StaysOn(session.value(), nodes.value());
    if (!stays.ok()) return stays.failure();
    document.stays = std::move(stays.value());
  }
  auto promises = PromisesNow(session->client);
  if (!promises.ok()) return promises.failure();
  document.promises = promises.value();
  document.as_of = WallNow();
  Show(session->context, ToDocument(document), views::MovesView);
  return kExitDone;
}

Options LimitsOptions() {
  Options options("limits [SITE …]", "What you may use, and have used.", Words::kAnywhere);
  options.Globals().Note(
      "Limits of a share of the site are shown as 12/45 %: the larger counts.\n");
  return options;
}

Result RunLimits(Given given) {
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  schemas::Get get{.kind = schemas::GetKind::kLimits, .sites = session->given.words};
  auto rows = session->client.Rows(get);
  if (!rows.ok()) return rows.failure();
  Show(session->context,
       ToDocument(LimitsDocument{rows->as_of, std::move(rows->limits), std::move(rows->basis)}),
       views::LimitsView);
  return kExitDone;
}

}  // namespace

const Verb kLimitsVerb = {"limits", "Look", "what you may use, and have used", LimitsOptions,
                          RunLimits};
const Verb kWhatifVerb = {"whatif", "Operate", "any changing command, on a copy of now",
                          WhatifOptions, RunWhatif};

}  // namespace muster::cli
