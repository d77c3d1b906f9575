// `whatif` and `limits`: show what would move, and which limits apply. Neither changes anything.
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/phrases.h"
#include "cli/documents.h"
#include "cli/verbs/become.h"
#include "cli/verbs/look.h"
#include "cli/verbs/nodes_named.h"
#include "cli/verbs/stays.h"
#include "cli/verbs/tried_changes.h"
#include "cli/views/views.h"
#include "cli/views/whatif_page.h"

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
  Options options("whatif --change FILE | drain|resume|alter|cancel …",
                  "What changes would do, on a copy of now. Changes nothing.", Words::kEnd);
  options.Choices({"drain", "resume", "alter", "cancel"});
  options.Value("--change", "FILE", "tries all changes of this file")
      .Value("--for", "TIME", "with --change: looks so far ahead")
      .Value("--replay", "TIME", "with --change: takes the last so long again")
      .Value("--seed", "NUMBER", "of the run times that --for draws")
      .Value("--page", "FILE", "with --change: writes a page with plots there, too");
  options.Globals().Note(
      "As in muster whatif drain --hard lakes/n1, muster whatif alter 41 -t 2h. A drain\n"
      "without --hard moves nothing: it says what stays on the nodes, and until when.\n"
      "\n"
      "A FILE of changes has one [[change]] for each:\n"
      "  do = \"set\", at = \"lakes\", path = \"share.chem.target\", to = 0.35\n"
      "  do = \"add\", at = \"lakes\", text = \"[[nodes]] …\"\n"
      "  do = \"remove\", at = \"lakes\", path = \"nodes.n9\"\n"
      "  do = \"drain\", words = \"lakes/n1 --hard\", when = \"now+1h\"\n"
      "and likewise resume, submit, reserve, alter, cancel, hold, release, deposit.\n"
      "Users may try what they may do; operators of the federation all of it.\n");
  return options;
}

// The meta answers within this, or says that it takes too long.
constexpr BootSpan kWhatIfWait = Seconds(100);

Expect<schemas::WhatIf> ReadWhatIf(Session& session) {
  const Given& given = session.given;
  schemas::WhatIf out;
  for (const auto& [option, span] :
       {std::pair("--for", &out.ahead), std::pair("--replay", &out.replay)}) {
    const auto text = given.Maybe(option);
    if (!text) continue;
    auto read = ReadSpan(option, *text);
    if (!read.ok()) return read.failure();
    *span = read.value();
  }
  if (const auto seed = given.Maybe("--seed")) {
    const auto read = std::from_chars(seed->data(), seed->data() + seed->size(), out.seed);
    if (read.ec != std::errc() || read.ptr != seed->data() + seed->size()) {
      return UsageError("--seed " + *seed + ": expected a number", "as in --seed 7");
    }
  }
  auto changes = ReadTriedChanges(given.Value("--change"), session);
  if (!changes.ok()) return changes.failure();
  out.changes = std::move(changes.value());
  return out;
}

Result RunChanges(Given given) {
  if (!given.words.empty()) return NoWords("whatif --change FILE", given.words.front());
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  CatchInterrupt();
  auto question = ReadWhatIf(session.value());
  if (!question.ok()) return question.failure();
  schemas::Get get{.kind = schemas::GetKind::kWhatIf};
  get.what_if = std::move(question.value());
  auto rows = session->client.Rows(get, kWhatIfWait);
  if (!rows.ok()) return rows.failure();
  if (!rows->what_if) return Fail("internal", "the meta answered a what-if by something else");
  if (!rows->what_if->refused.empty()) {
    return Fail("config", rows->what_if->refused, "", "nothing was tried");
  }
  WhatIfDocument document{.as_of = rows->as_of, .run = *std::move(rows->what_if)};
  document.command = "--change " + session->given.Value("--change");
  for (const schemas::WhatIfRow& row : document.run->rows) {
    if (!row.breaks) continue;
    document.moves.push_back({row.job, row.before.value_or(Instant{0}), row.after, row.because});
  }
  const Json shown = ToDocument(document);
  Show(session->context, shown, views::WhatIfView);
  if (!session->given.Has("--page")) return kExitDone;
  views::ViewOptions options = session->context.View();
  options.color = false;
  options.unicode = true;
  const std::string plots = views::WhatIfPlots(shown, options).dump();
  return BecomeWith(plots, "muster-sim",
                    {"page", "/dev/stdin", "--html", session->given.Value("--page")});
}

Result RunWhatif(Given given) {
  if (given.Has("--change")) return RunChanges(std::move(given));
  for (const char* option : {"--for", "--replay", "--seed", "--page"}) {
    if (given.Has(option)) return UsageError(std::string(option) + " goes with --change FILE");
  }
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
  WhatIfDocument document{.command = Joined(given.words, " ")};
  auto moves =
      verb == "cancel" ? TryCancel(session.value())
      : verb == "alter"
          ? TryAct(session.value(), ReadAlterAct(session->given, session.value()))
          : TryAct(session.value(), ReadNodesAct(session->given, verb, session->client.site()));
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
