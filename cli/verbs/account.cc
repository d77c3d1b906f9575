// `account`: what accounts have and what was posted to them; operators post deposits, transfers and
// adjustments.
#include "cli/verbs/account.h"

#include <charconv>
#include <utility>

#include "base/status.h"
#include "base/text/when.h"
#include "base/units.h"
#include "cli/documents.h"
#include "cli/verbs/act.h"
#include "cli/verbs/look.h"
#include "cli/verbs/submitting.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using schemas::EntryKind;

Options AccountOptions() {
  Options options("account [NAME [statement|liens]]", "What accounts have, and what was posted.",
                  Words::kAnywhere);
  options.Choices({"deposit", "transfer", "adjust"});
  options.Value("--from", "WHEN", "of a deposit: it can be used from then on")
      .Value("--until", "WHEN", "of a deposit: what is left then is gone")
      .Value("--after", "NUMBER", "of a statement: entries with larger numbers alone")
      .Value("--note", "TEXT", "says why, in the statement")
      .Value("--once", "TEXT", "posts once however often it is repeated");
  options.Globals().Note(
      "Operators post:\n"
      "  muster account deposit NAME CREDITS       grants credits\n"
      "  muster account transfer FROM TO CREDITS   hands on what was granted\n"
      "  muster account adjust NAME CREDITS        adds, or takes if below zero\n");
  return options;
}

Expect<int64_t> ReadAmount(const std::string& text) {
  const auto amount = ParseCredits(text);
  if (!amount.ok()) return UsageError(std::string(Text(amount.status())), "as in 100 or 0.5");
  return *amount;
}

Expect<std::optional<Instant>> ReadWhen(const Given& given, const std::string& option) {
  const std::optional<std::string> text = given.Maybe(option);
  if (!text) return std::optional<Instant>();
  const Instant now = WallNow().Floor();
  const auto when = text::ParseWhen(*text, now, LocalZone(now));
  if (!when.ok()) {
    return UsageError(option + " " + *text + ": " + when.diagnostic().message,
                      "as in 2027-01-31 or 18:00");
  }
  return std::optional<Instant>(*when);
}

}  // namespace

Expect<schemas::Act> ReadPosting(const Given& given) {
  const std::string verb = given.words.empty() ? "" : given.words[0];
  const EntryKind kind = verb == "transfer" ? EntryKind::kTransfer
                         : verb == "adjust" ? EntryKind::kAdjust
                                            : EntryKind::kDeposit;
  const size_t names = kind == EntryKind::kTransfer ? 2 : 1;
  if (given.words.size() != names + 2) {
    return UsageError("muster account " + verb + " needs " +
                          (names == 2 ? "two accounts" : "an account") + " and an amount",
                      names == 2 ? "as in muster account transfer chem bio 100"
                                 : "as in muster account " + verb + " chem 100");
  }
  const std::vector<std::string>& words = given.words;
  auto amount = ReadAmount(words.back());
  if (!amount.ok()) return amount.failure();
  auto from = ReadWhen(given, "--from");
  if (!from.ok()) return from.failure();
  auto until = ReadWhen(given, "--until");
  if (!until.ok()) return until.failure();
  if (kind != EntryKind::kDeposit && (from.value() || until.value())) {
    return UsageError("only a deposit has a beginning and an end", "without --from and --until");
  }
  schemas::PostingOrder posting{.kind = kind,
                                .account = words[1],
                                .amount = amount.value(),
                                .from = from.value(),
                                .until = until.value(),
                                .key = NewKey(given.Maybe("--once")).text};
  if (names == 2) posting.to = words[2];
  return schemas::Act{.verb = schemas::ActVerb::kPost,
                      .reason = given.Maybe("--note").value_or(""),
                      .posting = std::move(posting)};
}

namespace {

Result PostEntry(Given given) {
  auto act = ReadPosting(given);
  if (!act.ok()) return act.failure();
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  const schemas::PostingOrder posting = *act->posting;
  auto accepted = SendAct(session.value(), std::move(act.value()));
  if (!accepted.ok()) return accepted.failure();
  ActDocument document{.as_of = WallNow(), .verb = session->given.words[0]};
  document.targets.push_back({posting.to.empty() ? posting.account : posting.to,
                              accepted->notes.empty() ? "" : accepted->notes.front()});
  ShowAct(session->context, document);
  return kExitDone;
}

Result ShowStatement(Session& session, const std::string& account) {
  StatementDocument document{.account = account};
  schemas::Get get{.kind = schemas::GetKind::kStatement, .account = account};
  if (const auto after = session.given.Maybe("--after")) {
    const auto read = std::from_chars(after->data(), after->data() + after->size(), get.from);
    if (read.ec != std::errc() || read.ptr != after->data() + after->size()) {
      return UsageError("--after " + *after + ": expected the number of an entry",
                        "as in --after 120");
    }
  }
  for (bool more = true; more;) {
    auto rows = session.client.Rows(get);
    if (!rows.ok()) return rows.failure();
    document.as_of = rows->as_of;
    more = rows->more && !rows->entries.empty();
    for (schemas::EntryRow& entry : rows->entries) {
      get.from = entry.number;
      document.entries.push_back(std::move(entry));
    }
  }
  Show(session.context, ToDocument(document), views::StatementView);
  return kExitDone;
}

Result RunAccount(Given given) {
  if (!given.words.empty()) {
    const std::string& what = given.words[0];
    if (what == "deposit" || what == "transfer" || what == "adjust") {
      return PostEntry(std::move(given));
    }
  }
  for (const char* option : {"--from", "--until", "--note", "--once"}) {
    if (given.Has(option)) return UsageError(std::string(option) + " is for what is posted");
  }
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  const std::vector<std::string>& words = session->given.words;
  if (words.size() > 2) return NoWords("account", words[2]);
  const std::string account = words.empty() ? "" : words[0];
  const std::string what = words.size() < 2 ? "" : words[1];
  if (what == "statement") return ShowStatement(session.value(), account == "all" ? "" : account);
  if (!what.empty() && what != "liens") {
    return UsageError("'" + what + "' is nothing that an account has", "statement or liens");
  }
  auto rows =
      session->client.Rows(schemas::Get{.kind = schemas::GetKind::kAccounts, .account = account});
  if (!rows.ok()) return rows.failure();
  Show(session->context, ToDocument(AccountsDocument{rows->as_of, std::move(rows->accounts)}),
       what.empty() ? views::AccountsView : views::LiensView);
  return kExitDone;
}

}  // namespace

const Verb kAccountVerb = {"account", "Look", "what accounts have, and what was posted to them",
                           AccountOptions, RunAccount};

}  // namespace muster::cli
