// The verbs hold, release and settle, and how every order is sent.
#include "cli/verbs/act.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

constexpr char kNothingChanged[] = "nothing was changed";

// Turns "this would move …" into a question: "This moves 2 promises, by up to 16m: 42, 43[1-100].
// Go ahead?"
std::string QuestionOf(const Failure& conflict) {
  constexpr std::string_view kWould = "this would move ";
  const std::string& message = conflict.diagnostic.message;
  std::string text =
      message.starts_with(kWould) ? "This moves " + message.substr(kWould.size()) : message;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  const std::vector<std::string>& details = conflict.diagnostic.notes;
  if (details.empty()) return text + ". Go ahead?";
  if (details.size() == 1) return text + ": " + details.front() + ". Go ahead?";
  for (const std::string& line : details) text += "\n  " + line;
  return text + "\nGo ahead?";
}

bool NamesYes(const Failure& conflict) {
  const std::vector<std::string>& help = conflict.diagnostic.help;
  return std::any_of(help.begin(), help.end(), [](const std::string& line) {
    return line.find("--yes") != std::string::npos;
  });
}

Failure WithoutYes(Failure conflict) {
  if (!NamesYes(conflict)) conflict.diagnostic.help.emplace_back("go ahead with --yes");
  if (conflict.changed.empty()) conflict.changed = kNothingChanged;
  return conflict;
}

// Sends an order; if it would move promises, asks the user, and then sends it again with may_move.
template <class Order>
Expect<schemas::Accepted> SendOrAsk(Session& session, Order order, BootSpan wait) {
  order.may_move = order.may_move || session.given.Has("--yes");
  auto accepted = session.client.Accepted(order, wait);
  if (accepted.ok()) return accepted;
  const Failure& failure = accepted.failure();
  // Other conflicts are not about promises, so --yes would not help.
  const bool asks = failure.diagnostic.code == "conflict" && !order.may_move &&
                    (!failure.diagnostic.notes.empty() || NamesYes(failure));
  if (!asks) return accepted;
  if (!session.context.terminal_in || !session.context.terminal_err) return WithoutYes(failure);
  if (!Agreed(QuestionOf(failure))) {
    return Fail("conflict", "not agreed to", "", kNothingChanged);
  }
  order.may_move = true;
  return session.client.Accepted(order, wait);
}

// Runs `hold` and `release`, which differ in the target state only.
Result ParkOrUnpark(Given given, schemas::ActVerb verb, const std::string& name) {
  auto set = JobsOf(given.words, name);
  if (!set.ok()) return set.failure();
  if (auto failure = WholeJobs(set.value(), name)) return *failure;
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto ids = Resolve(session->client, set.value());
  if (!ids.ok()) return ids.failure();
  ActDocument document{.as_of = WallNow(), .verb = name};
  if (!ids->empty()) {
    auto accepted = SendAct(session.value(), {.verb = verb, .requests = ids.value()});
    if (!accepted.ok()) return accepted.failure();
    document.jobs = ChangedJobs(accepted.value(), session->client.site());
  }
  ShowAct(session->context, document);
  return kExitDone;
}

}  // namespace

Options& YesOption(Options& options) {
  return options.Flag("--yes", "go ahead even if promises move");
}

Expect<schemas::Accepted> SendAct(Session& session, schemas::Act act) {
  // These orders ask the sites first, which may have to place jobs anew.
  const bool asks_sites =
      act.verb == schemas::ActVerb::kAlter || act.verb == schemas::ActVerb::kDrain;
  return SendOrAsk(session, std::move(act), asks_sites ? kAnswerWait * 3 : kAnswerWait);
}

Expect<schemas::Accepted> SendCancel(Session& session, schemas::Cancel cancel) {
  return SendOrAsk(session, std::move(cancel), kAnswerWait);
}

void ShowAct(const Context& context, const ActDocument& document) {
  if (context.json) {
    PrintJson(ToDocument(document), false);
  } else if (context.quiet) {
    for (const ChangedJob& job : document.jobs) Print(job.id + '\n');
    for (const ChangedTarget& target : document.targets) Print(target.name + '\n');
  } else if (document.jobs.empty() && document.targets.empty()) {
    Print("nothing to " + document.verb + '\n');
  } else {
    Print(views::ActView(ToDocument(document), context.View()));
  }
}

namespace {

Options HoldOptions() {
  Options options("hold JOB …", "Keeps jobs from starting; a promise is given back.",
                  Words::kAnywhere);
  YesOption(options).Globals().Note(kJobsNote);
  return options;
}
Result RunHold(Given given) {
  return ParkOrUnpark(std::move(given), schemas::ActVerb::kPark, "hold");
}

Options ReleaseOptions() {
  Options options("release JOB …", "Lets held jobs start; they keep their rank.", Words::kAnywhere);
  YesOption(options).Globals().Note(kJobsNote);
  return options;
}
Result RunRelease(Given given) {
  return ParkOrUnpark(std::move(given), schemas::ActVerb::kUnpark, "release");
}

Options SettleOptions() {
  Options options("settle JOB ended|never-ran",
                  "Decides an outcome that no site can tell. For operators; audited.",
                  Words::kAnywhere);
  YesOption(options).Globals().Note(
      "ended: it ran, and nobody knows how it ended; it counts as lost. never-ran: it\n"
      "did not start, and may start now if it is --rerunnable.\n");
  return options;
}

Result RunSettle(Given given) {
  const size_t count = given.words.size();
  const std::string how = count < 2 ? "" : given.words.back();
  if (how != "ended" && how != "never-ran") {
    return UsageError(how.empty() ? "settle which job, and how?"
                                  : "'" + how + "' is neither 'ended' nor 'never-ran'",
                      "as in muster settle 42 ended");
  }
  given.words.pop_back();
  auto set = JobsOf(given.words, "settle");
  if (!set.ok()) return set.failure();
  if (auto failure = WholeJobs(set.value(), "settle")) return *failure;
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto ids = Resolve(session->client, set.value());
  if (!ids.ok()) return ids.failure();
  schemas::Act act{.verb = schemas::ActVerb::kSettle, .requests = ids.value()};
  act.settled = how == "ended" ? schemas::Settlement::kEnded : schemas::Settlement::kNeverRan;
  auto accepted = SendAct(session.value(), act);
  if (!accepted.ok()) return accepted.failure();
  ActDocument document{.as_of = WallNow(), .verb = "settle"};
  document.jobs = ChangedJobs(accepted.value(), session->client.site());
  ShowAct(session->context, document);
  return kExitDone;
}

}  // namespace

const Verb kHoldVerb = {"hold", "Work", "keep jobs from starting", HoldOptions, RunHold};
const Verb kReleaseVerb = {"release", "Work", "let them start", ReleaseOptions, RunRelease};
const Verb kSettleVerb = {"settle", "Operate",
                          "decide an unknown outcome: settle JOB ended|never-ran", SettleOptions,
                          RunSettle};

}  // namespace muster::cli
