// `events`: prints all events, or the audit log, as JSON Lines.
#include <charconv>
#include <chrono>
#include <utility>

#include "cli/replies.h"
#include "cli/verbs/following.h"
#include "cli/verbs/look.h"

namespace muster::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;

// without -f: silence after which no more rows are expected
constexpr std::chrono::milliseconds kKept{500};

class Listener {
 public:
  Listener(MetaClient& client, uint64_t from, bool follow)
      : client_(client), next_(from), follow_(follow) {}

  Result Run() {
    const auto begin = SteadyClock::now();
    heard_ = begin;
    Send();
    while (!done_) {
      if (Interrupted()) return kExitInterrupted;
      if (auto message = client_.Receive(Milliseconds(50)); message) {
        if (message->answers != number_) continue;
        if (const auto* refused = std::get_if<schemas::Refused>(&message->body)) {
          return FailureOf(*refused);
        }
        if (const auto* rows = std::get_if<schemas::Rows>(&message->body)) Take(*rows);
        continue;
      }
      const auto now = SteadyClock::now();
      const bool back = link_.Look(client_);
      if (!answered_ && now - begin > kFirstAnswer) return client_.Silence();
      if (!client_.Connected() && now - heard_ > kGivenUp) return client_.Silence();
      if (!follow_ && answered_ && now - heard_ > kKept) break;
      if (back || now - sent_ > kRepeat) Send();
    }
    client_.Send(schemas::Follow{.stop = true, .kind = schemas::FollowKind::kEvents}, Seconds(1),
                 number_);
    return kExitDone;
  }

 private:
  // Asks for events from next_ on. Repeating the number replaces the earlier question, so this is
  // also the keep-alive.
  void Send() {
    schemas::Follow follow{.kind = schemas::FollowKind::kEvents, .from = next_};
    number_ = client_.Send(follow, Seconds(30), number_);
    sent_ = SteadyClock::now();
  }

  void Take(const schemas::Rows& rows) {
    answered_ = true;
    heard_ = SteadyClock::now();
    for (const schemas::EventRow& row : rows.events) {
      if (row.number < next_) continue;  // already printed
      next_ = row.number + 1;
      PrintJson(ToDocument(EventLine{row}), true);
    }
    // The meta ended the follow because this reader was too slow: asks again from here on.
    if (rows.end && follow_) {
      number_ = {};
      Send();
    }
    done_ = !follow_ && (rows.end || (rows.events.empty() && !rows.more));
  }

  MetaClient& client_;
  uint64_t next_;
  bool follow_;
  LinkTeller link_;
  MessageNumber number_;
  SteadyClock::time_point sent_;
  SteadyClock::time_point heard_;
  bool answered_ = false;
  bool done_ = false;
};

Result PrintAudit(MetaClient& client, uint64_t from) {
  schemas::Get get{.kind = schemas::GetKind::kAudit};
  get.from = from;
  while (true) {
    auto rows = client.Rows(get);
    if (!rows.ok()) return rows.failure();
    for (const schemas::AuditRow& row : rows->audit) PrintJson(ToDocument(AuditLine{row}), true);
    if (!rows->more || rows->audit.empty()) return kExitDone;
    if (rows->audit.back().number <= get.from) {
      return Fail("internal", "pages of the audit log do not go on");
    }
    get.from = rows->audit.back().number;
  }
}

Options EventsOptions() {
  Options options("events [options]", "Everything that happens, as JSON Lines.", Words::kAnywhere);
  options.Value("--from", "NUMBER", "from this event on, as far as it is kept")
      .Flag("-f,--follow", "and what is to come; without --from, only that")
      .Flag("--audit", "what operators and owners of keys did, instead")
      .Globals();
  options.Note(
      "Each line is a muster.event/1 or, with --audit, a muster.audit/1. Without -f it\n"
      "prints what is kept and ends. 'muster queue' shows your jobs.\n");
  return options;
}

Result RunEvents(Given given) {
  std::optional<uint64_t> from;
  if (given.Has("--from")) {
    const std::string& text = given.Value("--from");
    uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
      return UsageError("--from " + text + ": expected the number of an event", "as in --from 1");
    }
    from = number;
  }
  if (given.Has("--audit") && given.Has("-f")) {
    return UsageError("--audit prints what is there; it does not follow",
                      "muster events -f shows acts as they happen");
  }
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (!session->given.words.empty()) return NoWords("events", session->given.words.front());
  CatchInterrupt();
  if (session->given.Has("--audit")) return PrintAudit(session->client, from.value_or(0));
  const bool follow = session->given.Has("-f");
  // By default from the first event kept; with -f, new events only.
  return Listener(session->client, from.value_or(follow ? 0 : 1), follow).Run();
}

}  // namespace

const Verb kEventsVerb = {"events", "Plumbing", "everything that happens, as JSON Lines",
                          EventsOptions, RunEvents};

}  // namespace muster::cli
