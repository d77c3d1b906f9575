// `alter`: changes resources, times or sites of a job, or who may use a reservation. `whatif alter`
// uses the same parser.
#include "cli/verbs/alter.h"

#include <fmt/format.h>

#include <utility>

#include "base/text/when.h"
#include "cli/documents.h"
#include "cli/part_options.h"
#include "cli/verbs/act.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

using schemas::Alteration;
using schemas::PartAlteration;

// Reads --at, --from, --start-by and --deadline; "none" removes the bound.
Expect<Alteration> ReadBounds(const Given& given, const Surroundings& around, Alteration changes) {
  const std::tuple<const char*, const char*, std::optional<Instant> Alteration::*> bounds[] = {
      {"--at", "at", &Alteration::at},
      {"--from", "from", &Alteration::from},
      {"--start-by", "start_by", &Alteration::start_by},
      {"--deadline", "deadline", &Alteration::deadline}};
  for (const auto& [option, name, member] : bounds) {
    if (!given.Has(option)) continue;
    const std::string& value = given.Value(option);
    if (value == "none") {
      changes.cleared.emplace_back(name);
      continue;
    }
    const auto at = text::ParseWhen(value, around.now, around.zone);
    if (!at.ok()) {
      Diagnostic wrong = at.diagnostic();
      wrong.message = std::string(option) + " " + wrong.message;
      return Source{}.Place(option, value, std::move(wrong));
    }
    changes.*member = at.value();
  }
  return changes;
}

// Reads --slot, --notice, --after and --start-notice; "none" removes the present value.
Expect<Alteration> ReadWords(const Given& given, const Surroundings& around, Alteration changes) {
  const auto none = [&](const char* option, const char* name) {
    const std::vector<std::string> all = given.All(option);
    if (all != std::vector<std::string>{"none"}) return false;
    changes.cleared.emplace_back(name);
    return true;
  };
  if (given.Has("--slot") && !none("--slot", "slots")) {
    auto slots = ReadSlots(given.All("--slot"), Source{}, around.now, around.zone);
    if (!slots.ok()) return slots.failure();
    changes.slots = IntervalSet(std::move(slots.value()));
  }
  if (given.Has("--notice") && !none("--notice", "notice")) {
    auto notice = ReadNotice(given.Value("--notice"), Source{});
    if (!notice.ok()) return notice.failure();
    changes.notice = std::move(notice.value());
  }
  if (given.Has("--after") && !none("--after", "after")) {
    auto after = ReadAfter(given.All("--after"), Source{});
    if (!after.ok()) return after.failure();
    changes.after = std::move(after.value());
  }
  if (given.Has("--start-notice") && !none("--start-notice", "start_notice")) {
    const auto span = ReadStartNotice(given.Value("--start-notice"), Source{});
    if (!span.ok()) return span.failure();
    changes.start_notice = span.value();
  }
  return changes;
}

Expect<PartAlteration> ReadPartChanges(const Given& given, uint32_t part) {
  PartAlteration out{.part = part};
  auto read = ReadPart(given, Source{});
  if (!read.ok()) return read.failure();
  if (!read->jobwide.empty() || read->walltime) {
    return UsageError("-l here takes chunks only", "-t is the duration; job-wide amounts stay");
  }
  out.chunks = read->chunks.value_or(std::vector<schemas::Chunk>{});
  out.place = read->place;
  if (read->place) out.exclusive = read->exclusive;
  if (read->sites) out.sites = schemas::Names{*read->sites};
  out.set = read->set;
  return out;
}

}  // namespace

Expect<Alteration> ReadAlteration(const Given& given, const text::JobSet& set,
                                  const Surroundings& around) {
  uint32_t part = 0;
  for (const text::JobName& name : set.names) {
    if (!name.part) continue;
    if (set.names.size() > 1 || set.all || set.last) {
      return UsageError("'" + text::JobNameText(name) + "': one part at a time",
                        "as in muster alter 42.3 -l 1:ncpus=2");
    }
    part = *name.part;
  }
  Alteration changes;
  if (given.Has("-t")) {
    auto span = ReadSpan("-t", given.Value("-t"));
    if (!span.ok()) return span.failure();
    changes.duration = span.value();
  }
  changes.name = given.Maybe("-n");
  changes.queue = given.Maybe("--queue");
  changes.account = given.Maybe("-A");
  changes.qos = given.Maybe("--qos");
  if (given.Has("--apart") && given.Has("--no-apart")) {
    return UsageError("--apart and --no-apart: which?");
  }
  if (given.Has("--apart")) changes.apart = true;
  if (given.Has("--no-apart")) changes.apart = false;
  auto bounds = ReadBounds(given, around, std::move(changes));
  if (!bounds.ok()) return bounds.failure();
  changes = std::move(bounds.value());
  auto words = ReadWords(given, around, std::move(changes));
  if (!words.ok()) return words.failure();
  changes = std::move(words.value());
  auto of_part = ReadPartChanges(given, part);
  if (!of_part.ok()) return of_part.failure();
  if (given.Has("--not-site")) {
    of_part->not_sites = schemas::Names{SplitSites(given.Value("--not-site"))};
  }
  if (of_part.value() != PartAlteration{.part = part}) changes.parts = {of_part.value()};
  if (part != 0 && changes.parts.empty()) {
    return UsageError("only -l, --place, --set, --group, --site and --not-site are of one part",
                      fmt::format("muster alter {} … for all", set.names.front().job));
  }
  if (given.Has("--allow")) {
    auto allow = ReadAllow(given.Value("--allow"), Source{});
    if (!allow.ok()) return allow.failure();
    changes.allow = schemas::Names{std::move(allow.value())};
  }
  changes.confirm = given.Has("--confirm");
  if (changes == Alteration{}) {
    return UsageError("nothing to change",
                      "as in muster alter 41 -t 20m; --help lists the options");
  }
  return changes;
}

namespace {

Options AlterOptions() {
  Options options("alter JOB … [options]",
                  "Changes jobs and reservations; a promise stays until another takes its place.",
                  Words::kAnywhere);
  options.Values("-l", "CHUNKS", "other resources; of one part: alter 42.3 -l 1:ncpus=2")
      .Value("-t,--time", "DURATION", "another duration; a running job gets more")
      .Value("-n,--name", "NAME", "another name")
      .Value("--site", "A,B|any", "other sites")
      .Value("--not-site", "A,B", "sites it may not run on")
      .Value("--place", "HOW", "free, pack or scatter, and :excl for whole nodes")
      .Value("--set", "SET", "nodes alike, as in speed~10%:oneof; none: any")
      .Value("--group", "HOW|none", "switch: all nodes below one switch")
      .Flag("--apart", "each part on its own site")
      .Flag("--no-apart", "parts may share a site")
      .Value("--at", "TIME|none", "start exactly then")
      .Value("--from", "TIME|none", "not before")
      .Value("--start-by", "TIME|none", "latest start")
      .Value("--deadline", "TIME|none", "ended by")
      .Values("--slot", "FROM-TO|none", "wholly inside one of these")
      .Values("--after", "JOBS|none", "once these ended well, in place of those it waits for")
      .Value("--notice", "BEFORE[:SIGNAL]|none", "before its time ends")
      .Value("--start-notice", "DURATION|none", "no earlier start nearer than this")
      .Value("--queue", "NAME", "another queue")
      .Value("-A,--account", "NAME|none", "for another account; none: your first")
      .Value("--qos", "NAME|none", "another quality of service; none: your usual one")
      .Value("--allow", "NAMES|none", "of a reservation: who may use it besides its owner")
      .Flag("--confirm", "of a provisional reservation: it stays");
  YesOption(options).Globals().Note(
      "JOB: 42, 42.3 (one part), 43[7], R7, 42-48, last, all\n"
      "Where its start would be later, that is shown and asked for first.\n");
  return options;
}

Result RunAlter(Given given) {
  auto context = Context::Of(given);
  if (!context.ok()) return context.failure();
  auto set = JobsOf(given.words, "alter");
  if (!set.ok()) return set.failure();
  auto changes = ReadAlteration(given, set.value(), ReadHere(context.value()));
  if (!changes.ok()) return changes.failure();
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto ids = Resolve(session->client, set.value());
  if (!ids.ok()) return ids.failure();
  ActDocument document{.as_of = WallNow(), .verb = "alter"};
  if (ids->empty()) {
    ShowAct(session->context, document);
    return kExitDone;
  }
  schemas::Act act{.verb = schemas::ActVerb::kAlter, .requests = ids.value()};
  act.changes = changes.value();
  auto accepted = SendAct(session.value(), act);
  if (!accepted.ok()) return accepted.failure();
  if (ids->size() > 1 || session->context.quiet) {
    document.jobs = ChangedJobs(accepted.value(), session->client.site());
    ShowAct(session->context, document);
    return kExitDone;
  }
  auto rows = GetJob(session->client, ids->front());
  if (!rows.ok()) return rows.failure();
  Show(session->context, ToDocument(JobDocument{rows->as_of, rows->jobs.front()}),
       views::AlteredView);
  return kExitDone;
}

}  // namespace

const Verb kAlterVerb = {"alter", "Work", "change a job or reservation", AlterOptions, RunAlter};

}  // namespace muster::cli
