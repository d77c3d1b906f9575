// See site_says.h. Words of the protocol's tables; numbers as small as they can be read.
#include "tests/scenario/site_says.h"

#include <cmath>

#include "tests/scenario/trace_words.h"

namespace muster::scenario {
namespace {

class Speaker : public TraceWords {
 public:
  using TraceWords::TraceWords;

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
  void Show(const schemas::OrderView& view, std::vector<std::string>& lines) const {
    for (const Fence& fence : view.fences) lines.push_back("    " + ToText(fence));
  }
  void Show(const schemas::RanksView& view, std::vector<std::string>& lines) const {
    for (const schemas::RankRow& row : view.ranks) {
      lines.push_back("    " + std::to_string(row.place) + " of " + std::to_string(row.holds) +
                      ": job " + row.job + " of " + row.user + ", " + std::to_string(row.points) +
                      " points, urgency " + std::to_string(row.urgency) + ", start " +
                      At(row.start));
      for (const schemas::PriorityRow& factor : row.rows) {
        lines.push_back("      " + factor.factor + " " + std::to_string(factor.points) + ": " +
                        factor.because);
      }
    }
  }
  void Show(const schemas::SharesView& view, std::vector<std::string>& lines) const {
    for (const schemas::ShareRow& row : view.shares) {
      const auto thousandths = [](std::optional<double> ratio) {
        return ratio ? std::to_string(std::lround(*ratio * 1000)) : std::string("-");
      };
      lines.push_back("    " + row.who + " used " + thousandths(row.used_ratio) + " promised " +
                      thousandths(row.promised_ratio) + " counts " + thousandths(row.counts_ratio) +
                      (row.new_work ? ", new work from " + At(*row.new_work) : ""));
    }
  }
  void Show(const schemas::SnapshotView& view, std::vector<std::string>& lines) const {
    lines.push_back("    page " + std::to_string(view.page) + (view.more ? ", more" : "") +
                    (view.refused.empty() ? "" : ", refused: " + view.refused));
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

  std::string Hold(const schemas::HoldRecord& hold) const {
    std::string text = ToText(hold.order.fence) + " " + Word(kHoldStates, hold.state) +
                       Word(kClosedAs, hold.closed_as);
    if (hold.start != Instant{}) text += " start=" + At(hold.start);
    for (const auto& part : hold.parts) text += " " + Word(kPartStates, part.state);
    if (hold.started != schemas::Started::kNo) text += " started=" + Word(kStarted, hold.started);
    return text;
  }
};

}  // namespace

std::vector<std::string> SaidBySite(const SiteMessageBody& body, Instant zero) {
  const Speaker speaker(zero);
  return std::visit([&](const auto& b) { return speaker.Say(b); }, body);
}

std::string TraceOf(const schemas::HoldRecord& hold, Instant zero) {
  return Speaker(zero).Hold(hold);
}

}  // namespace muster::scenario
