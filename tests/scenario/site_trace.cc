// See site_trace.h. Words of the protocol's tables; numbers as small as they can be read.
#include "tests/scenario/site_trace.h"

#include <array>
#include <utility>

#include "base/interval.h"

namespace muster::scenario {
namespace {

using schemas::CauseCode;

template <size_t N, class E>
std::string Word(const std::array<const char*, N>& words, E value) {
  return words.at(static_cast<size_t>(value));
}

constexpr std::array kHoldStates = {"none", "held", "prepared", "committed", "permitted", "closed"};
constexpr std::array kClosedAs = {"", " released", " expired", " dropped", " ended"};
constexpr std::array kPartStates = {"booked", "ready", "starting", "running", "ending", "ended"};
constexpr std::array kStarted = {"no", "yes", "unknown"};
constexpr std::array kEndedBy = {"", "exit", "walltime", "release", "failed_to_start", "unknown"};
constexpr std::array kAnswers = {"unknown", "countered", "stale", "present"};
constexpr std::array kVerdicts = {"accepted", "countered", "never", "blocked", "unanswered"};
constexpr std::array kCauses = {
    "none",    "node_lost", "operator",   "preempted", "overrun",   "policy_changed", "clock",
    "forgot",  "disk_full", "site_down",  "no_permit", "late",      "site_silent",    "meta_outage",
    "partner", "user",      "backfilled", "joint",     "overtaken", "packed",         "site"};

class Tracer {
 public:
  explicit Tracer(Instant zero) : zero_(zero) {}

  std::string At(Instant t) const {
    return t == kFarFuture ? "never" : std::to_string((t - zero_).seconds);
  }
  std::string At(Moment t) const {
    const int64_t ms = t.milliseconds - ToMoment(zero_).milliseconds;
    std::string text = std::to_string(ms / 1000);
    if (ms % 1000 != 0) text += "+" + std::to_string(ms % 1000) + "ms";
    return text;
  }
  std::string Starts(const IntervalSet& set) const {
    std::string text;
    for (const Interval& i : set.intervals()) {
      if (!text.empty()) text += ",";
      text += At(i.begin) + "-" + (i.end == kFarFuture ? "" : At(i.end));
    }
    return text;
  }
  std::string Cause(const schemas::Cause& cause) const {
    if (cause.code == CauseCode::kNone) return "";
    std::string text = " cause=" + Word(kCauses, cause.code);
    if (!cause.subject.job.empty()) text += "(" + cause.subject.job + ")";
    return text;
  }
  std::string Booking(const schemas::PartBooking& part) const {
    std::string text = " [" + std::to_string(part.index);
    for (const std::string& node : part.nodes) text += " " + node;
    if (!part.rendezvous.empty()) text += " " + part.rendezvous;
    if (part.extended > Span{0}) text += " +" + std::to_string(part.extended.seconds) + "s";
    for (size_t i = 0; i < part.counts.size(); ++i) {
      text += (i == 0 ? " sets " : "+") + std::to_string(part.counts[i]);
    }
    return text + "]";
  }
  std::string What(const schemas::HoldChanged& c) const {
    std::string text = Word(kHoldStates, c.state) + Word(kClosedAs, c.closed_as) + Cause(c.cause);
    if (c.start != Instant{}) text += " start=" + At(c.start);
    if (c.deadline && c.state != schemas::HoldState::kClosed) text += " D=" + At(*c.deadline);
    if (c.state == schemas::HoldState::kClosed)
      return text + " started=" + Word(kStarted, c.started);
    for (const auto& part : c.parts) text += Booking(part);
    return text;
  }
  std::string What(const schemas::PartChanged& c) const {
    std::string text =
        "part " + std::to_string(c.index) + " " + Word(kPartStates, c.state) + " at=" + At(c.at);
    if (c.end.by != schemas::EndedBy::kNotEnded) text += " by=" + Word(kEndedBy, c.end.by);
    if (c.end.exit_code) text += " exit=" + std::to_string(*c.end.exit_code);
    if (!c.end.text.empty()) text += " (" + c.end.text + ")";
    const bool changed = c.booking.extended > Span{0} || !c.booking.counts.empty();
    if (changed && c.state == schemas::PartState::kRunning) text += Booking(c.booking);
    return text;
  }
  std::string What(const schemas::Moved& c) const {
    std::string text = "moved " + At(c.old_start) + " -> " + At(c.new_start) + Cause(c.cause);
    if (c.deadline) text += " D=" + At(*c.deadline);
    if (!c.starts.empty()) text += " starts=" + Starts(c.starts);
    return text;
  }
  std::string What(const schemas::UsageChanged& c) const {
    return "usage " + std::to_string(c.index) +
           " elapsed=" + std::to_string(c.usage.elapsed.milliseconds) + "ms" +
           (c.final ? " final" : "");
  }
  std::string What(const schemas::Steered& c) const {
    return "steered " + std::to_string(c.order) + (c.done ? " done: " : " refused: ") + c.text;
  }
  std::string Verdict(const schemas::VerdictEntry& v) const {
    std::string text = Word(kVerdicts, v.kind);
    if (v.kind == schemas::VerdictKind::kAccepted) text += " start=" + At(v.start);
    if (!v.starts.empty()) text += " starts=" + Starts(v.starts);
    if (v.reason && !v.reason->text.empty()) text += " (" + v.reason->text + ")";
    return text;
  }

  // --- messages
  std::vector<std::string> Say(const schemas::Hello& hello) const {
    return {"hello I E=" + std::to_string(hello.highest_epoch.value) +
            " r=" + std::to_string(hello.feed.revision.value)};
  }
  std::vector<std::string> Say(const schemas::Heartbeat& beat) const {
    return {"heartbeat r=" + std::to_string(beat.feed.revision.value) +
            (beat.capacity ? " with capacity" : "") + (beat.disk_low ? " disk low" : "")};
  }
  std::vector<std::string> Say(const schemas::Verdict& verdict) const {
    std::vector<std::string> lines = {"verdict " + std::to_string(verdict.proposal.value) +
                                      (verdict.gone ? " gone" : "")};
    for (const auto& entry : verdict.entries) lines.push_back("  " + Verdict(entry));
    return lines;
  }
  std::vector<std::string> Say(const schemas::Report& report) const {
    std::vector<std::string> lines = {"report after r=" +
                                      std::to_string(report.after.revision.value)};
    for (const auto& change : report.changes) {
      lines.push_back("  " + std::to_string(change.revision.value) + " " + ToText(change.fence) +
                      " " + std::visit([this](const auto& w) { return What(w); }, change.what));
    }
    return lines;
  }
  std::vector<std::string> Say(const schemas::Listing& page) const {
    std::vector<std::string> lines = {"listing r=" + std::to_string(page.feed.revision.value) +
                                      (page.first ? " first" : "") + (page.last ? " last" : "")};
    for (const auto& hold : page.holds) lines.push_back("  " + Hold(hold));
    return lines;
  }
  std::vector<std::string> Say(const schemas::Answers& answers) const {
    std::vector<std::string> lines;
    for (const auto& a : answers.answers) {
      std::string line = "answer " + ToText(a.fence) + " " + Word(kAnswers, a.kind);
      if (a.present) line += " " + What(*a.present);
      if (a.revision) line += " r=" + std::to_string(a.revision->value);
      if (a.verdict) line += " " + Verdict(*a.verdict);
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> Say(const schemas::Offer& offer) const {
    return {"offer " + ToText(offer.fence) + " starts=" + Starts(offer.starts)};
  }
  void Show(const schemas::OutputView&, std::vector<std::string>&) const {}
  void Show(const schemas::LocalView&, std::vector<std::string>&) const {}
  void Show(const schemas::BookingsView& view, std::vector<std::string>& lines) const {
    for (const auto& row : view.bookings) {
      const bool drained = row.kind == schemas::BookingKind::kDrained;
      lines.push_back("  " + row.node + " " + (drained ? "drained" : row.job) + " " +
                      At(row.begin) + "-" + At(row.end) + (row.running ? " running" : "") + " " +
                      ToText(row.resources));
    }
  }
  void Show(const schemas::NodesView& view, std::vector<std::string>& lines) const {
    constexpr std::array<const char*, 4> kStates = {"up", "draining", "drained", "down"};
    for (const auto& row : view.nodes) {
      std::string line = "  " + row.name + " " + Word(kStates, row.state);
      if (!row.reason.empty()) line += " '" + row.reason + "'";
      line += " used " + ToText(row.used) + " of " + ToText(row.total) + " jobs";
      for (const std::string& job : row.jobs) line += " " + job;
      line += " free " + (row.free_at ? At(*row.free_at) : std::string("never"));
      if (row.free_until) line += " until " + At(*row.free_until);
      lines.push_back(line);
    }
  }
  void Show(const schemas::SlotsView& view, std::vector<std::string>& lines) const {
    for (const auto& row : view.slots) {
      std::string line = "  " + At(row.start_from) + "-";
      if (row.start_until) line += At(*row.start_until);
      for (const std::string& node : row.nodes) line += " " + node;
      if (row.ended_by) line += " ended by " + Why(*row.ended_by);
      lines.push_back(line);
    }
  }
  void Show(const schemas::LimitsView& view, std::vector<std::string>& lines) const {
    for (const auto& row : view.limits) {
      lines.push_back("  " + row.who + " " + row.what + " " + std::to_string(row.used) + " of " +
                      row.limit + ", " + row.when + ", else " + row.if_exceeded);
    }
  }
  void Show(const schemas::MovesView& view, std::vector<std::string>& lines) const {
    if (!view.refused.empty()) lines.push_back("  refused: " + view.refused);
    for (const auto& row : view.moves) {
      const std::string after = row.after ? At(*row.after) : std::string("nowhere");
      lines.push_back("  " + row.job + " " + At(row.before) + " to " + after + ": " + row.because);
    }
  }
  void Show(const schemas::ExplainView& view, std::vector<std::string>& lines) const {
    lines.push_back("  " + Verdict(view.verdict));
    for (const auto& blocker : view.blockers) lines.push_back("  " + Why(blocker));
  }
  std::string Why(const schemas::Reason& reason) const {
    std::string text = reason.subject.site + "/" + reason.subject.node + " " + reason.text;
    if (reason.until) text += " until " + At(*reason.until);
    return text;
  }
  std::vector<std::string> Say(const schemas::View& view) const {
    std::vector<std::string> lines = {"view " + std::to_string(view.inspection)};
    if (const auto* output = std::get_if<schemas::OutputView>(&view.what)) {
      lines.push_back("  output '" + output->data + "' next=" + std::to_string(output->next));
      return lines;
    }
    std::visit([&](const auto& shown) { Show(shown, lines); }, view.what);
    return lines;
  }

  // --- clients of the site itself
  std::string Tell(const schemas::Accepted& accepted) const {
    std::string text = accepted.repeated ? "accepted before" : "accepted";
    for (const RequestId id : accepted.requests) text += " lakes/" + ToText(id);
    return text;
  }
  std::string Tell(const schemas::Refused& refused) const {
    return "refused " + refused.code + ": " + refused.message;
  }
  std::string Tell(const schemas::Rows& rows) const {
    return std::to_string(rows.jobs.size()) + " jobs";
  }

  // --- driver
  std::string Do(const driver::StartPart& c) const {
    std::string text = "start " + c.token + " part " + c.part_name + " for " + c.user + " on";
    for (const auto& chunk : c.place.chunks) text += " " + chunk.node;
    return text + " not_after=" + At(c.not_after) +
           " walltime=" + std::to_string(c.walltime.seconds) +
           " peers=" + c.environment.at("MUSTER_RENDEZVOUS");
  }
  std::string Do(const driver::StopPart& c) const { return "stop " + c.token; }
  std::string Do(const driver::LimitPart& c) const {
    return "limit " + c.token + " to " + std::to_string(c.walltime.seconds);
  }
  std::string Do(const driver::ResizePart& c) const {
    std::string text = "resize " + c.token + " to";
    for (const auto& chunk : c.place.chunks) text += " " + chunk.node;
    return text;
  }
  std::string Do(const driver::FindParts& c) const {
    std::string text = "find";
    for (const std::string& token : c.tokens) text += " " + token;
    return text;
  }
  std::string Do(const driver::ForgetPart& c) const { return "forget " + c.token; }
  std::string Do(const driver::ReadOutput& c) const {
    return "read " + c.part_name + " from " + std::to_string(c.offset);
  }

  std::string Write(const schemas::Write<schemas::SiteRecord>& write) const {
    if (!write.value) return "delete " + Short(write.key);
    if (const auto* hold = std::get_if<schemas::HoldRecord>(&*write.value)) {
      return "write hold " + Hold(*hold);
    }
    return "write " + Short(write.key);
  }

  std::string Hold(const schemas::HoldRecord& hold) const {
    std::string text = ToText(hold.order.fence) + " " + Word(kHoldStates, hold.state) +
                       Word(kClosedAs, hold.closed_as);
    if (hold.start != Instant{}) text += " start=" + At(hold.start);
    for (const auto& part : hold.parts) text += " " + Word(kPartStates, part.state);
    if (hold.started != schemas::Started::kNo) text += " started=" + Word(kStarted, hold.started);
    return text;
  }

 private:
  // Leading zeros of the keys' numbers say nothing to a reader.
  static std::string Short(const std::string& key) {
    std::string text;
    bool leading = true;
    for (char c : key) {
      const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f' && leading == false);
      if (c == '/' || c == '.') leading = true;
      if (leading && c == '0') continue;
      if (digit) leading = false;
      text += c == '/' ? ' ' : c;
    }
    return text;
  }

  Instant zero_;
};

}  // namespace

std::vector<std::string> TraceOf(const site::Effects& effects, Instant zero, bool beats) {
  const Tracer tracer(zero);
  std::vector<std::string> lines;
  for (const auto& write : effects.writes) {
    // What each node had when it was first seen is in the file already.
    if (!write.key.starts_with("size/")) lines.push_back(tracer.Write(write));
  }
  for (const auto& message : effects.to_meta) {
    if (!beats && std::holds_alternative<schemas::Heartbeat>(message.body)) continue;
    bool first = true;
    for (std::string& line :
         std::visit([&](const auto& b) { return tracer.Say(b); }, message.body)) {
      const bool more = !first && line.starts_with(" ");
      lines.push_back((more ? "  " : "say ") + line);
      first = false;
    }
  }
  for (const auto& answer : effects.to_clients) {
    lines.push_back("tell " + answer.user + " " +
                    std::visit([&](const auto& b) { return tracer.Tell(b); }, answer.message.body));
  }
  for (const auto& command : effects.driver) {
    // Asked at every start of a site: says nothing if it is for no token.
    if (command == driver::Command(driver::FindParts{})) continue;
    lines.push_back("do " + std::visit([&](const auto& c) { return tracer.Do(c); }, command));
  }
  for (const std::string& note : effects.notes) lines.push_back("note " + note);
  return lines;
}

std::string TraceOf(const schemas::HoldRecord& hold, Instant zero) {
  return Tracer(zero).Hold(hold);
}

}  // namespace muster::scenario
