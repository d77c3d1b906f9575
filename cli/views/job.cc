// Views of one job, for `submit` and `show`.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"
#include "cli/views/figures.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

std::string Header(const Json& job) {
  return (FlagAt(job, "reserves") ? "reservation " : "job ") + IdOfJob(job) + "  " +
         TextAt(job, "name");
}

std::string OrNone(std::string text) { return text.empty() ? kNone : text; }

// "3 of 3 sites, 0.2 s old".
std::string BasisSummary(const Json& basis) {
  size_t answered = 0;
  double oldest = 0;
  for (const Json& site : basis) {
    if (!TimeAt(site, "answered_at")) continue;
    ++answered;
    oldest = std::max(oldest, NumberAt(site, "age_s").value_or(0));
  }
  return fmt::format("{} of {}, {} old", answered, Counted(basis.size(), "site"), Age(oldest));
}

// "lakes plan 1188, woods 902, hills 456; oldest 0.4 s".
std::string BasisDetail(const Json& basis) {
  std::vector<std::string> sites;
  double oldest = 0;
  for (const Json& site : basis) {
    const auto plan = NumberAt(site, "plan_revision");
    sites.push_back(TextAt(site, "site") + (sites.empty() ? " plan " : " ") +
                    (plan ? std::to_string(static_cast<int64_t>(*plan)) : "?"));
    oldest = std::max(oldest, NumberAt(site, "age_s").value_or(0));
  }
  return Joined(sites) + "; oldest " + Age(oldest);
}

// A note on a bound that the sites' present plans have not confirmed yet; else "".
std::string YetToVerify(const Json& figures) {
  const Json& starts_by = At(figures, "starts_by");
  const bool bound = starts_by.is_object() && !FlagAt(starts_by, "firm");
  return bound && !FlagAt(starts_by, "verified") ? "; not verified yet" : "";
}

// "joint: job 37 at hills ended early".
std::string CauseText(const Json& cause) {
  if (!cause.is_object()) return "placed again";
  std::string text = TextAt(cause, "code");
  const bool earlier = text == "joint" || text == "backfilled";
  const std::string because = TextAt(cause, "because");
  if (!because.empty() && because != "none") text += " (" + because + ")";
  std::replace(text.begin(), text.end(), '_', ' ');
  const Json& subject = At(cause, "subject");
  const std::string job = TextAt(subject, "job");
  const std::string site = TextAt(subject, "site");
  const std::string node = TextAt(subject, "node");
  std::string about = job.empty() ? "" : "job " + job;
  if (!site.empty()) {
    const std::string place = node.empty() ? site : site + "/" + node;
    about += (about.empty() ? "" : " at ") + place;
  }
  if (earlier && !job.empty()) about += " ended early";
  if (text == "home" && !site.empty()) return "gave way to users whose home is " + site;
  const std::string packing = TextAt(subject, "packing");
  if (!packing.empty()) about += (about.empty() ? "by " : ", by ") + packing;
  if (about.empty()) {
    const std::string who = TextAt(cause, "who");
    return who.empty() ? text : text + ", by " + who;
  }
  const std::string resource = TextAt(cause, "resource");
  return text + ": " + about + (resource.empty() ? "" : ", " + resource);
}

std::string PartState(const Json& part) {
  std::string state = TextAt(part, "state");
  if (const Json& lent = At(part, "lent"); lent.is_object()) {
    state = TextAt(lent, "state") + " (lent)";
  }
  if (const std::string end = EndOfPart(part); !end.empty()) state += ", " + end;
  return state;
}

std::string PartsTable(const Json& job, const ViewOptions& options) {
  Table table({{.header = "PART"},
               {.header = "SITE"},
               {.header = "NODES", .shrinks_to = 8},
               {.header = "CHUNKS", .shrinks_to = 12},
               {.header = "STATE"}});
  for (const Json& part : At(job, "parts")) {
    const std::string state = PartState(part);
    const Json& lent = At(part, "lent");
    table.Add({TextAt(part, "id"), OrNone(TextAt(part, "site")),
               OrNone(NodesShown(TextsAt(lent.is_object() ? lent : part, "nodes"))),
               ChunksShown(At(part, "chunks")), Cell(state, PaintOfState(state))});
  }
  return table.Text(options);
}

std::string FiguresTable(const Json& job, const ViewOptions& options) {
  std::string interval = "90 %";
  Table table({{.header = "FIGURES"},
               {.header = "STARTS BY"},
               {.header = "EXPECTED"},
               {.header = interval},
               {.header = "BECAUSE"}});
  bool after_bound = false;
  for (const Json& change : At(job, "history")) {
    const auto at = TimeAt(change, "at");
    const Json& figures = At(change, "figures");
    const Json& starts_by = At(figures, "starts_by");
    const bool bound = starts_by.is_object() && !FlagAt(starts_by, "firm");
    const Json& cause = At(change, "cause");
    const bool promised = after_bound && !bound && !cause.is_object();
    const std::string because = table.empty() ? "submitted"
                                : promised    ? "promised"
                                              : CauseText(cause);
    table.Add({at ? ClockTime(*at, options) : "?", StartsByText(figures, options),
               ExpectedText(figures, options), IntervalText(figures, options), because});
    after_bound = bound;
  }
  return table.empty() ? "" : table.Text(options);
}

// The text of an event: its code if it has no text; with several parts, prefixed by the part.
std::string EventText(const Json& event, bool several_parts, const ViewOptions& options) {
  const std::string part = TextAt(event, "part");
  const std::string site = TextAt(event, "site");
  std::string text = TextAt(event, "text");
  if (text.empty()) {
    text = TextAt(event, "code");
    if (!site.empty()) text += " at " + site;
  }
  text = WithClockTimes(text, options);
  return several_parts && !part.empty() ? part + "  " + text : text;
}

std::string Timeline(const Json& job, const ViewOptions& options) {
  const Json& events = At(job, "events");
  if (!events.is_array() || events.empty()) return "";
  std::string text = Painted("TIMELINE", Paint::kDim, options) + '\n';
  for (const Json& event : events) {
    const auto at = TimeAt(event, "at");
    const std::string when = at ? ClockTime(*at, options) : "?";
    const std::string line = when + "  " + EventText(event, At(job, "parts").size() > 1, options);
    text += (options.width == 0 ? line : Cut(line, options.width)) + '\n';
  }
  return text;
}

// The states of an array's elements, and how they failed.
std::string Elements(const Json& job, const ViewOptions& options) {
  const Json& array = At(job, "array");
  if (!array.is_object()) return "";
  std::string text;
  if (TextAt(job, "state") != "ended") text = "  elements   " + ElementStates(array) + '\n';
  Table table({{.header = "ELEMENT"}, {.header = "OUTCOME"}, {.header = "HOW"}});
  for (const Json& failure : At(array, "failures")) {
    const std::string outcome = TextAt(failure, "outcome");
    table.Add(
        {TextAt(failure, "id"), Cell(outcome, PaintOfState(outcome)), OrNone(EndOfPart(failure))});
  }
  return table.empty() ? text : text + table.Text(options);
}

// "  lent       by requeue: ends within 20s, not before 15m, at most 3 times; 1 recall, 18m lost".
std::string LentLine(const Json& job) {
  const Json& contract = At(job, "contract");
  if (!contract.is_object()) return "";
  const auto span = [&](const char* name) {
    return DurationText(Span{static_cast<int64_t>(NumberAt(contract, name).value_or(0))});
  };
  const auto most = static_cast<size_t>(NumberAt(contract, "max_recalls").value_or(0));
  std::string text = fmt::format("by {}: ends within {}, not before {}, at most {}",
                                 TextAt(contract, "way"), span("grace_s"), span("min_run_s"),
                                 most == 1 ? "once" : std::to_string(most) + " times");
  for (const Json& part : At(job, "parts")) {
    const auto recalls = NumberAt(part, "recalls");
    if (!recalls) continue;
    const Span lost{static_cast<int64_t>(NumberAt(part, "lost_s").value_or(0))};
    text += "; " + Counted(static_cast<size_t>(*recalls), "recall");
    if (const auto saved = NumberAt(part, "saved_s")) {
      text += ", " + DurationText(Span{static_cast<int64_t>(*saved)}) + " saved";
    }
    if (lost > Span{0}) text += ", " + DurationText(lost) + " lost";
  }
  return "  lent       " + text + '\n';
}

// "  after      ok:41, any:43[7]".
std::string AfterLine(const Json& job) {
  const std::vector<std::string> after = TextsAt(job, "after");
  if (after.empty() || TextAt(job, "state") == "ended") return "";
  return "  after      " + Joined(after) + '\n';
}

// "  for        account chem, QoS urgent".
std::string ForLine(const Json& job) {
  const std::string account = TextAt(job, "account");
  const std::string qos = TextAt(job, "qos");
  std::string text = account.empty() ? "" : "account " + account;
  if (!qos.empty()) text += (text.empty() ? "QoS " : ", QoS ") + qos;
  return text.empty() ? "" : "  for        " + text + '\n';
}

// "  cost       16 credits set aside, 9.333333 charged, of account chem".
std::string CostLine(const Json& job) {
  const Json& cost = At(job, "cost");
  if (!cost.is_object()) return "";
  const auto amount = [&](const char* name) { return At(cost, name).get<int64_t>(); };
  std::string text;
  if (amount("set_aside") > 0) text = CreditsText(amount("set_aside")) + " credits set aside";
  if (amount("charged") > 0 || text.empty()) {
    text += (text.empty() ? "" : ", ") + CreditsText(amount("charged")) + " charged";
  }
  return "  cost       " + text + '\n';
}

// "2m before an earlier start; 5m before the end: USR1".
std::string NoticeLine(const Json& job) {
  if (TextAt(job, "state") == "ended") return "";
  std::string text;
  const int64_t start = static_cast<int64_t>(NumberAt(job, "start_notice_s").value_or(0));
  if (start > 0) text = DurationText(Span{start}) + " before an earlier start";
  const Json& end = At(job, "end_notice");
  if (end.is_object()) {
    const int64_t before = static_cast<int64_t>(NumberAt(end, "before_s").value_or(0));
    const std::string signal = TextAt(end, "signal");
    if (!text.empty()) text += "; ";
    text += DurationText(Span{before}) + " before the end: ";
    text +=
        signal.empty() ? TextsAt(end, "argv").empty() ? "?" : TextsAt(end, "argv").back() : signal;
  }
  return text.empty() ? "" : "  notice     " + text + '\n';
}

// "  slots      22:00:00–23:30:00".
std::string SlotsLine(const Json& job, const ViewOptions& options) {
  std::vector<std::string> slots;
  for (const Json& slot : At(job, "slots")) {
    const auto from = TimeAt(slot, "from");
    const auto until = TimeAt(slot, "until");
    if (from && until)
      slots.push_back(ClockTime(*from, options) + "–" + ClockTime(*until, options));
  }
  if (slots.empty() || TextAt(job, "state") == "ended") return "";
  return "  slots      " + Joined(slots) + '\n';
}

constexpr char kBelowOne[] = "below one switch";

// "speed=80% of speed:oneof, 15m longer there"; empty if there is nothing to say.
std::string SetShown(const Json& part) {
  std::string text = TextAt(part, "group").empty() ? "" : kBelowOne;
  const std::string set = TextAt(part, "set");
  const std::string group = TextAt(part, "set_group");
  if (!set.empty()) text = group.empty() ? set : group + " of " + set;
  if (set.empty() && !group.empty()) text = group + ", as the site says";
  const auto slower = NumberAt(part, "slower_s");
  if (!slower) return text;
  const Span span{static_cast<int64_t>(*slower)};
  const std::string than = span < Span{0} ? DurationText(-span) + " shorter there"
                                          : DurationText(span) + " longer there";
  return text.empty() ? than : text + ", " + than;
}

// "  nodes      42.1 below one switch".
std::string GroupLine(const Json& job) {
  std::vector<std::string> parts;
  bool switches = true;
  const Json& all = At(job, "parts");
  for (const Json& part : all) {
    const std::string shown = SetShown(part);
    if (shown.empty()) continue;
    switches = switches && shown == kBelowOne;
    parts.push_back((all.size() > 1 ? TextAt(part, "id") + " " : "") + shown);
  }
  if (parts.empty()) return "";
  return "  nodes      " + Joined(parts, switches ? ", " : "\n             ") + '\n';
}

// Who may use a reservation, and which reservation a job runs in.
std::string ReservedLines(const Json& job) {
  std::string text;
  if (const std::string inside = TextAt(job, "reservation"); !inside.empty()) {
    text += "  inside     reservation " + inside + '\n';
  }
  if (!FlagAt(job, "reserves")) return text;
  const std::vector<std::string> allow = TextsAt(job, "allow");
  return text + "  open to    " + TextAt(job, "user") +
         (allow.empty() ? "" : ", " + Joined(allow)) + '\n';
}

// Advice for a job without a promise.
std::string WaitingAdvice(const Json& job) {
  const Json& reason = At(At(job, "figures"), "no_promise_reason");
  if (TextAt(job, "state") == "ended" || TextAt(reason, "code") != "silent") return "";
  const std::string site = TextAt(At(reason, "subject"), "site");
  return "Accepted, on disk; promised when " + (site.empty() ? "a site" : site) + " answers.\n";
}

}  // namespace

std::string SubmittedView(const Json& document, const ViewOptions& options) {
  const Json& job = At(document, "job");
  const Json& parts = At(job, "parts");
  std::string text = Header(job);
  if (parts.size() == 1) {
    const std::string sites = Joined(SitesOf(job));
    if (ElementCount(job) > 0) {
      text += "  " + ElementShape(job) + (sites.empty() ? ": " : ", on " + sites + ": ");
    } else {
      text += sites.empty() ? ": " : "  on " + sites + ": ";
    }
    text += ChunksShown(At(parts[0], "chunks")) + '\n';
  } else {
    if (ElementCount(job) > 0) text += "  " + ElementShape(job) + ",";
    text +=
        fmt::format("{}{} parts, all or none\n", ElementCount(job) > 0 ? " " : "  ", parts.size());
    size_t id_width = 0;
    size_t site_width = 0;
    for (const Json& part : parts) {
      id_width = std::max(id_width, Columns(TextAt(part, "id")));
      site_width = std::max(site_width, Columns(OrNone(TextAt(part, "site"))));
    }
    for (const Json& part : parts) {
      text += "  " + Padded(TextAt(part, "id"), id_width + 2) +
              Padded(OrNone(TextAt(part, "site")), site_width + 2) +
              ChunksShown(At(part, "chunks")) + '\n';
    }
  }
  text += FigureLines(job, false, options);
  const Json& figures = At(job, "figures");
  const Json& basis = At(figures, "basis");
  if (TimeAt(At(figures, "starts_by"), "at") && basis.is_array() && !basis.empty()) {
    text += "  basis      " + BasisSummary(basis) + YetToVerify(figures) + '\n';
  }
  return Finished(text + WaitingAdvice(job), options);
}

std::string JobView(const Json& document, const ViewOptions& options) {
  const Json& job = At(document, "job");
  const std::string state =
      TextAt(job, "state") == "ended" ? TextAt(job, "outcome") : TextAt(job, "state");
  std::string text = Header(job) + "  " + TextAt(job, "user") + "  " +
                     Painted(state, PaintOfState(state), options);
  if (const std::string shape = ShapeOf(job); !shape.empty()) text += "  " + shape;
  text += '\n' + FigureLines(job, true, options);
  const Json& basis = At(At(job, "figures"), "basis");
  if (TextAt(job, "state") != "ended" && basis.is_array() && !basis.empty()) {
    text += "  basis      " + BasisDetail(basis) + YetToVerify(At(job, "figures")) + '\n';
  }
  text += ForLine(job) + CostLine(job) + LentLine(job) + AfterLine(job) + SlotsLine(job, options) +
          NoticeLine(job) + GroupLine(job);
  text += ReservedLines(job) + Elements(job, options);
  text += PartsTable(job, options) + FiguresTable(job, options) + Timeline(job, options);
  return Finished(text, options);
}

std::string ActView(const Json& document, const ViewOptions& options) {
  std::string text;
  for (const Json& target : At(document, "targets")) {
    text += TextAt(target, "name") + "  " + WithClockTimes(TextAt(target, "text"), options) + '\n';
  }
  for (const Json& job : At(document, "jobs")) {
    const std::string said = WithClockTimes(TextAt(job, "text"), options);
    const std::string id = TextAt(job, "id");
    const bool reservation = !id.empty() && id[0] == 'R';
    text += (reservation ? "reservation " : "job ") + id + "  " +
            (said.empty() ? TextAt(job, "state") : said) + '\n';
  }
  return Finished(text, options);
}

}  // namespace muster::cli::views
