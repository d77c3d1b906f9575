// `scheduler`: shows packing and waiting room; operators pin and tune them. cli.md section 3.
#include <charconv>
#include <utility>

#include "base/status.h"
#include "base/units.h"
#include "cli/documents.h"
#include "cli/verbs/act.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

template <class Number>
std::optional<Number> WholeNumber(const std::string& text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Expect<schemas::QueueWeight> ReadOrder(const std::string& text) {
  const size_t equals = text.rfind('=');
  const auto order =
      equals == std::string::npos ? std::nullopt : WholeNumber<int64_t>(text.substr(equals + 1));
  if (!order || equals == 0) {
    return UsageError("--order '" + text + "' is no queue and its weight",
                      "as in --order normal=4");
  }
  return schemas::QueueWeight{text.substr(0, equals), *order};
}

// Reads the options; the meta checks names and bounds.
Expect<schemas::SchedulerChange> ReadChange(const Given& given) {
  schemas::SchedulerChange change;
  change.packing = given.Maybe("--packing");
  if (const auto threshold = given.Maybe("--threshold")) {
    if (*threshold == "inf") {
      change.unbounded = true;
    } else {
      const auto span = ParseDuration(*threshold);
      if (!span.ok()) {
        return UsageError("--threshold " + *threshold + ": " + std::string(Text(span.status())),
                          DurationHelp(*threshold) + ", or inf");
      }
      change.threshold = *span;
    }
  }
  if (const auto block = given.Maybe("--block-max")) {
    change.block_max = WholeNumber<uint64_t>(*block);
    if (!change.block_max) {
      return UsageError("--block-max " + *block + " is no number of entries", "as in 1000");
    }
  }
  for (const std::string& text : given.All("--order")) {
    auto order = ReadOrder(text);
    if (!order.ok()) return order.failure();
    change.orders.push_back(std::move(order.value()));
  }
  return change;
}

Result SetScheduler(Session& session, schemas::SchedulerChange change) {
  schemas::Act act{.verb = schemas::ActVerb::kSchedule};
  act.scheduler = std::move(change);
  auto accepted = SendAct(session, act);
  if (!accepted.ok()) return accepted.failure();
  ActDocument document{.as_of = WallNow(), .verb = "scheduler"};
  for (const std::string& note : accepted->notes) {
    const size_t blank = note.rfind(' ');
    if (blank == std::string::npos) continue;
    document.targets.push_back({note.substr(0, blank), note.substr(blank + 1)});
  }
  ShowAct(session.context, document);
  return kExitDone;
}

Options SchedulerOptions() {
  Options options("scheduler [options]",
                  "How requests are packed, who waits, and what verification takes.",
                  Words::kAnywhere);
  options.Value("--packing", "NAME", "pin fcfs, ffdh or ffih, with or without *; or auto")
      .Value("--threshold", "SPAN", "extract the next block so long ahead; or inf")
      .Value("--block-max", "N", "at most so many requests in a block")
      .Values("--order", "QUEUE=E", "weight of a queue in a block, from 1; may be repeated")
      .Globals()
      .Note("Setting is for operators; it holds over meta.toml, and after a restart.\n");
  return options;
}

Result RunScheduler(Given given) {
  if (!given.words.empty()) return NoWords("scheduler", given.words.front());
  auto change = ReadChange(given);
  if (!change.ok()) return change.failure();
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  if (change.value() != schemas::SchedulerChange{}) {
    return SetScheduler(session.value(), std::move(change.value()));
  }
  auto rows = session->client.Rows(schemas::Get{.kind = schemas::GetKind::kScheduler});
  if (!rows.ok()) return rows.failure();
  SchedulerDocument document{.as_of = rows->as_of};
  if (rows->scheduler) document.scheduler = std::move(*rows->scheduler);
  Show(session->context, ToDocument(document), views::SchedulerView);
  return kExitDone;
}

}  // namespace

const Verb kSchedulerVerb = {"scheduler", "Operate", "packing, voting, waiting room; show or pin",
                             SchedulerOptions, RunScheduler};

}  // namespace muster::cli
