// Verbs that ask where a request would fit: ask, slots.
#include <algorithm>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"
#include "cli/documents.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

constexpr Span kUsualWithin{86400};

// "lakes, woods, hills: no node has more than 4 cpus": sites with the same answer share a line.
Failure NeverFailure(const schemas::RequestSpec& request,
                     const std::vector<schemas::OfferView>& offers) {
  std::vector<std::pair<std::string, std::string>> said;  // text, sites
  std::string help;
  for (const schemas::OfferView& offer : offers) {
    const std::string sites = Joined(offer.sites);
    const std::string& text = offer.never->text;
    const auto same = std::find_if(said.begin(), said.end(),
                                   [&](const auto& entry) { return entry.first == text; });
    if (same == said.end()) {
      said.emplace_back(text, sites);
    } else {
      same->second += ", " + sites;
    }
    if (help.empty() && !offer.largest.empty())
      help = "the largest here is -l " + ChunksOption(offer.largest);
  }
  const std::string chunks = Joined(request.parts, " : ", [](const schemas::PartSpec& part) {
    return views::ChunksShown(ToJson(part.chunks));
  });
  Failure failure = Fail("never", "no site can ever run " + chunks, help);
  for (const auto& [text, sites] : said) failure.diagnostic.notes.push_back(sites + ": " + text);
  return failure;
}

// "last known plan: muster gantt --site hills --stale".
std::string LastKnown(const std::vector<schemas::OfferView>& offers) {
  std::vector<std::string> sites;
  for (const schemas::OfferView& offer : offers) {
    sites.insert(sites.end(), offer.sites.begin(), offer.sites.end());
  }
  return sites.empty() ? "'muster sites' shows their state"
                       : "last known plan: muster gantt --site " + Joined(sites, ",") + " --stale";
}

std::optional<Failure> WithoutOffer(const schemas::RequestSpec& request,
                                    const std::vector<schemas::OfferView>& offers) {
  if (offers.empty())
    return Fail("unreachable", "no site answered", "'muster sites' shows their state");
  const auto all = [&](const auto& holds) {
    return std::all_of(offers.begin(), offers.end(), holds);
  };
  if (all([](const schemas::OfferView& offer) { return offer.never.has_value(); })) {
    return NeverFailure(request, offers);
  }
  const auto silent = [](const schemas::OfferView& offer) {
    const auto& reason = offer.figures.no_promise_reason;
    return !offer.figures.starts_by && reason && reason->code == schemas::ReasonCode::kSilent;
  };
  if (all(silent)) {
    return Fail("unreachable", offers.front().figures.no_promise_reason->text, LastKnown(offers));
  }
  return std::nullopt;
}

// The parsed request, and the session to ask in.
struct Question {
  Submission submission;
  Session session;
};
Expect<Question> ReadQuestion(Asked asked, const Given& given) {
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  auto submission = ReadSubmission(asked, given.line, ReadHere(context.value()));
  if (!submission.ok()) return submission.failure();
  auto session = OpenSession(submission->command_line);
  if (!session.ok()) return session.failure();
  // The request is not run, so its payload is not sent.
  submission->request.payload = {};
  return Question{std::move(submission.value()), std::move(session.value())};
}

Options AskOptions() { return RequestOptions(Asked::kAsk); }

Result RunAsk(Given given) {
  auto question = ReadQuestion(Asked::kAsk, given);
  if (!question.ok()) return question.failure();
  const schemas::RequestSpec& request = question->submission.request;
  const Context& context = question->session.context;
  auto rows = question->session.client.Rows(schemas::Ask{request});
  if (!rows.ok()) return rows.failure();
  const Json document = ToDocument(AskDocument{rows->as_of, rows->offers});
  if (auto failure = WithoutOffer(request, rows->offers)) {
    if (context.json) PrintJson(document, false);
    return *failure;
  }
  Show(context, document, views::AskView);
  return kExitDone;
}

Options SlotsOptions() { return RequestOptions(Asked::kSlots); }

Result RunSlots(Given given) {
  auto question = ReadQuestion(Asked::kSlots, given);
  if (!question.ok()) return question.failure();
  schemas::RequestSpec& request = question->submission.request;
  const Given& read = question->submission.command_line;
  if (!read.words.empty()) {
    if (read.words.front() == ":") {
      return UsageError("slots are of one part", "'muster ask' takes several");
    }
    return NoWords("slots", read.words.front());
  }
  const Context& context = question->session.context;
  Span within = kUsualWithin;
  if (read.Has("--within")) {
    const auto span = ReadSpan("--within", read.Value("--within"));
    if (!span.ok()) return span.failure();
    within = span.value();
  }
  schemas::Get get{.kind = schemas::GetKind::kSlots};
  get.until = WallNow().Floor() + within;
  get.sites = request.parts.front().sites;
  get.spec = request;
  auto rows = question->session.client.Rows(get);
  if (!rows.ok()) return rows.failure();
  const bool none = rows->slots.empty();
  const Json document = ToDocument(
      SlotsDocument{rows->as_of, *get.until, std::move(rows->slots), std::move(rows->basis)});
  if (!none || context.json) Show(context, document, views::SlotsView);
  if (none) {
    return Fail(
        "window",
        "no window of " + DurationText(request.duration) + " begins within " + DurationText(within),
        "look further: --within " + DurationText(Span{2 * within.seconds}));
  }
  return kExitDone;
}

}  // namespace

const Verb kAskVerb = {"ask", "Work", "when would it start, and where? changes nothing", AskOptions,
                       RunAsk};
const Verb kSlotsVerb = {"slots", "Look", "free windows that a request fits", SlotsOptions,
                         RunSlots};

}  // namespace muster::cli
