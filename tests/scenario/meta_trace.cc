// See meta_trace.h. Uses the words of protocol.md and cli.md, and short numbers.
#include "tests/scenario/meta_trace.h"

#include <variant>

#include "base/phrases.h"
#include "tests/scenario/site_says.h"
#include "tests/scenario/trace_words.h"

namespace muster::scenario {
namespace {

constexpr std::array kRequestStates = {"waiting", "parked",     "promised", "starting",
                                       "running", "cancelling", "unknown",  "ended"};
constexpr std::array kOutcomes = {"done", "failed", "timeout", "cancelled", "refused", "lost"};
constexpr std::array kPartsShown = {"seeking",   "held",  "prepared", "committed",
                                    "permitted", "ready", "starting", "running",
                                    "ending",    "ended", "unknown"};
constexpr std::array kAttemptStates = {"seeking",   "holding", "decided", "committed", "barrier",
                                       "permitted", "running", "partial", "aborting",  "closed"};
constexpr std::array kSiteStates = {"down", "hello", "syncing", "up", "silent", "quarantined"};
constexpr std::array kPlaces = {"free", "pack", "scatter"};
constexpr std::array kReasons = {"job",      "limit",     "freepool", "reservation", "property",
                                 "topology", "node",      "policy",   "dependency",  "silent",
                                 "blocked",  "contended", "budget",   "horizon"};
constexpr std::array kSteers = {"drain", "resume", "extend", "resize", "share"};
constexpr std::array kInspects = {"bookings", "output", "nodes", "slots", "explain", "local",
                                  "limits",   "moves",  "order", "ranks", "shares"};

class Teller : public TraceWords {
 public:
  using TraceWords::TraceWords;
  using Lines = MetaTrace::Lines;

  // --- to sites
  static std::string Chunks(const std::vector<schemas::Chunk>& chunks) {
    return Joined(chunks, "+", [](const schemas::Chunk& chunk) {
      return std::to_string(chunk.count) + ":" + ToText(chunk.resources);
    });
  }
  static std::string Parts(const std::vector<schemas::PartDemand>& parts) {
    std::string text;
    for (const schemas::PartDemand& part : parts) {
      text += " [" + std::to_string(part.index) + " " + Chunks(part.chunks) +
              " for=" + std::to_string(part.duration.seconds);
      if (part.offset > Span{0}) text += " offset=" + std::to_string(part.offset.seconds);
      if (part.tail > Span{0}) text += " tail=" + std::to_string(part.tail.seconds);
      if (part.place != schemas::Place::kFree) text += " " + Word(kPlaces, part.place);
      text += "]";
    }
    return text;
  }
  std::string Order(const schemas::HoldOrder& o) const {
    std::string text = "hold " + ToText(o.fence) + " " + Word(kHoldStates, o.stage) +
                       " job=" + ToText(o.request) + Parts(o.parts) +
                       " allowed=" + Starts(o.allowed) +
                       " wait=" + std::to_string(o.deadline_after.seconds);
    if (o.members.size() > 1) text += " members=" + Joined(o.members, ",");
    if (o.priority != 0) text += " priority=" + std::to_string(o.priority);
    if (o.start_notice > Span{0}) text += " notice=" + std::to_string(o.start_notice.seconds);
    const bool gated = o.members.size() == 1 && o.stage == schemas::HoldState::kPrepared;
    if (gated) text += " earliest=" + At(o.earliest);
    if (o.replaces) text += " replaces=" + ToText(*o.replaces);
    if (o.inside) text += " inside=R" + ToText(*o.inside);
    if (o.reserves) text += " reserves=" + Joined(o.reserves->allow, ",");
    if (!o.payload.script.empty()) text += " script=" + std::to_string(o.payload.script.size());
    return text;
  }
  std::string Order(const schemas::PrepareOrder& o) const { return "prepare " + ToText(o.fence); }
  std::string Order(const schemas::CommitOrder& o) const { return "commit " + ToText(o.fence); }
  std::string Order(const schemas::PermitOrder& o) const {
    return "permit " + ToText(o.fence) + Permit(o.permit);
  }
  std::string Order(const schemas::ReleaseOrder& o) const {
    return "release " + ToText(o.fence) + Cause(o.cause) +
           (o.unless_started ? " unless started" : "");
  }
  std::string Permit(const schemas::Permit& permit) const {
    std::string text = " last=" + At(permit.last_start);
    if (!permit.rendezvous.empty()) text += " peers=" + Joined(permit.rendezvous, ",");
    return text;
  }
  Lines Say(const schemas::Welcome& w) const {
    return {"welcome E=" + std::to_string(w.epoch.value) +
            " r=" + std::to_string(w.feed.revision.value) + " floor=" + ToText(w.floor)};
  }
  Lines Say(const schemas::LinkRefused& r) const {
    return {"refused " + r.code + ": " + r.message};
  }
  Lines Say(const schemas::Beat&) const { return {}; }
  Lines Say(const schemas::Propose& p) const {
    std::string head =
        "propose" + std::string(p.tentative ? " tentative" : "") + (p.continues ? " on top" : "");
    Lines lines;
    for (const schemas::ProposalEntry& e : p.entries) {
      std::string line = head + Parts(e.parts) + " asked=" + At(e.asked);
      line += " allowed=" + Starts(e.allowed);
      if (!e.ignoring.empty()) {
        line += " ignoring=" + Joined(e.ignoring, ",", [](const Fence& f) { return ToText(f); });
      }
      lines.push_back(line);
    }
    return lines;
  }
  Lines Say(const schemas::Orders& orders) const {
    Lines lines;
    for (const schemas::Order& order : orders.orders) {
      lines.push_back(std::visit([&](const auto& o) { return Order(o); }, order.what));
    }
    return lines;
  }
  Lines Say(const schemas::Resync& r) const {
    return {r.all ? std::string("resync all") : "resync from r=" + std::to_string(r.from.value)};
  }
  Lines Say(const schemas::Inspect& i) const { return {"inspect " + Word(kInspects, i.kind)}; }
  Lines Say(const schemas::Standing& s) const {
    std::string text = "standing";
    for (const schemas::StandingRow& row : s.rows) {
      text += " " + row.who + "=" + std::to_string(row.value);
    }
    return {text};
  }
  Lines Say(const schemas::Steer& s) const {
    std::string text = "steer " + std::to_string(s.order) + " " + Word(kSteers, s.verb);
    if (s.fence != Fence{}) text += " " + ToText(s.fence);
    if (s.span > Span{0}) text += " by=" + std::to_string(s.span.seconds);
    if (!s.nodes.empty()) text += " " + Joined(s.nodes, ",");
    if (!s.allow.empty()) text += " allow=" + Joined(s.allow, ",");
    return {text};
  }

  // --- to clients
  std::string Figures(const schemas::Figures& f) const {
    if (!f.starts_by) return " no start";
    return (f.starts_by->firm ? " starts_by=" : " bound=") + At(f.starts_by->at);
  }
  std::string Job(const schemas::JobView& job) const {
    std::string text = "job " + job.id + " " + Word(kRequestStates, job.state);
    if (job.outcome) text += " " + Word(kOutcomes, *job.outcome);
    text += Figures(job.figures);
    if (job.figures.no_promise_reason) text += " (" + job.figures.no_promise_reason->text + ")";
    return text;
  }
  Lines Tell(const schemas::Accepted& a) const {
    std::string text = a.repeated ? "accepted before" : "accepted";
    for (size_t i = 0; i < a.requests.size(); ++i) {
      text += " " + ToText(a.requests[i]);
      if (i < a.states.size()) text += " " + Word(kRequestStates, a.states[i]);
    }
    for (const std::string& note : a.notes) text += ": " + note;
    Lines lines = {text};
    for (const schemas::MoveRow& move : a.moves) {
      lines.push_back("  moves " + move.job + " " + At(move.before) + " to " +
                      (move.after ? At(*move.after) : std::string("nowhere")) + ": " +
                      move.because);
    }
    return lines;
  }
  Lines Tell(const schemas::Refused& r) const {
    Lines lines = {"refused " + r.code + ": " + r.message};
    if (!r.detail.empty()) lines.push_back("  " + r.detail);
    if (!r.help.empty()) lines.push_back("  " + r.help);
    return lines;
  }
  Lines Tell(const schemas::Rows& rows) const {
    Lines lines;
    for (const schemas::JobView& job : rows.jobs) lines.push_back(Job(job));
    for (const schemas::OfferView& offer : rows.offers) {
      std::string line = "offer " + Joined(offer.sites, ",") + Figures(offer.figures);
      if (offer.figures.no_promise_reason)
        line += " (" + offer.figures.no_promise_reason->text + ")";
      lines.push_back(line);
    }
    for (const schemas::GanttSite& site : rows.gantt) {
      lines.push_back("plan of " + site.name + (site.stale ? " (stale)" : ""));
    }
    for (const schemas::OutputRow& row : rows.output) {
      lines.push_back("output of " + row.part + ": " + row.data);
    }
    if (!rows.offers.empty()) {
      lines.push_back(
          "  by the plans of " +
          Joined(rows.basis, ",", [](const schemas::Basis& basis) { return basis.site; }));
    }
    if (rows.end) lines.push_back("  nothing more will come");
    return lines;
  }

  // --- what is written
  std::string Write(const schemas::RequestRecord& r) const {
    std::string text = "job " + ToText(r.id) + " " + Word(kRequestStates, r.state);
    if (r.outcome) text += " " + Word(kOutcomes, *r.outcome);
    if (r.attempt) text += " attempt=" + ToText(*r.attempt);
    if (!r.history.empty()) {
      text += Figures(r.history.back().figures);
      if (r.history.back().cause) text += Cause(*r.history.back().cause);
    }
    if (r.replacements > 0) text += " replaced=" + std::to_string(r.replacements);
    const size_t script = r.spec.payload.script.size();
    return script > 0 ? text + " script=" + std::to_string(script) : text;
  }
  std::string Write(const schemas::AttemptRecord& a) const {
    std::string text = "attempt " + ToText(a.fence) + " " + Word(kAttemptStates, a.state) +
                       " job=" + ToText(a.request) + " at=" + Joined(a.members, ",") +
                       " start=" + At(a.start) + " D=" + At(a.deadline);
    if (a.gated) text += " gated";
    if (a.replaces) text += " replaces=" + ToText(*a.replaces);
    if (a.superseded_by) text += " superseded_by=" + ToText(*a.superseded_by);
    if (a.permit) text += " with a permit";
    return text + (a.partial ? " partial" : "") + Cause(a.cause);
  }
  std::string Write(const schemas::MetaIdentity& m) const {
    return "epoch " + std::to_string(m.epoch.value);
  }
  std::string Write(const schemas::ScriptRecord& s) const {
    return "script of job " + ToText(s.request) + " bytes=" + std::to_string(s.script.size());
  }
  std::string Write(const schemas::SteerRecord& s) const {
    return "steer " + std::to_string(s.steer.order);
  }
  // Not shown: feeds and mirrors follow from what sites say; other records concern no request.
  template <class Other>
  std::string Write(const Other&) const {
    return "";
  }
};

}  // namespace

void MetaTrace::Write(const schemas::Write<schemas::MetaRecord>& write, Lines& lines) {
  const auto old = written_.find(write.key);
  if (!write.value) {
    if (old == written_.end()) return;
    // Names the record only ("attempt 1.2"), without its last contents.
    lines.push_back("delete " +
                    old->second.substr(0, old->second.find(' ', old->second.find(' ') + 1)));
    written_.erase(old);
    return;
  }
  const Teller teller(zero_);
  std::string line =
      std::visit([&](const auto& record) { return teller.Write(record); }, *write.value);
  if (line.empty() || (old != written_.end() && old->second == line)) return;
  lines.push_back("write " + line);
  written_[write.key] = std::move(line);
}

MetaTrace::Lines MetaTrace::Of(const meta::Effects& effects) {
  const Teller teller(zero_);
  Lines lines;
  const auto add = [&](const std::string& head, const Lines& said) {
    for (const std::string& line : said) {
      lines.push_back((line.starts_with(" ") ? "  " : head) + line);
    }
  };
  for (const auto& write : effects.writes) Write(write, lines);
  for (const meta::SiteMessage& message : effects.to_sites) {
    add("say " + message.site + ": ",
        std::visit([&](const auto& body) { return teller.Say(body); }, message.message.body));
  }
  for (const meta::ClientAnswer& answer : effects.to_clients) {
    add("tell " + answer.user + ": ",
        std::visit([&](const auto& body) { return teller.Tell(body); }, answer.message.body));
  }
  for (const std::string& note : effects.notes) lines.push_back("note " + note);
  return lines;
}

MetaTrace::Lines MetaTrace::Of(const std::string& site, const schemas::ToMeta& message) const {
  if (std::holds_alternative<schemas::Heartbeat>(message.body)) return {};
  Lines lines = SaidBySite(message.body, zero_);
  // A report is shown as its changes, one line each.
  const bool report = std::holds_alternative<schemas::Report>(message.body);
  if (report) lines.erase(lines.begin());
  for (std::string& line : lines) {
    if (report || !line.starts_with(" ")) {
      line = "hear " + site + ": " + line.substr(line.find_first_not_of(' '));
    } else {
      line = "  " + line;
    }
  }
  return lines;
}

MetaTrace::Lines MetaTrace::Show(const schemas::JobView& job, bool events) const {
  const Teller teller(zero_);
  Lines lines = {teller.Job(job)};
  for (const schemas::PartView& part : job.parts) {
    std::string line = "  part " + part.id + " " + Word(kPartsShown, part.state);
    if (part.site) line += " at " + *part.site;
    if (part.exit_code) line += " exit=" + std::to_string(*part.exit_code);
    lines.push_back(line);
  }
  if (!job.after.empty()) lines.push_back("  after " + Joined(job.after, ","));
  for (const schemas::FigureChange& told : job.history) {
    lines.push_back("  told at " + teller.At(told.at) + ":" + teller.Figures(told.figures) +
                    (told.cause ? teller.Cause(*told.cause) : ""));
  }
  if (!events) return lines;
  if (job.figures.no_promise_reason) {
    lines.push_back("  reason " + Word(kReasons, job.figures.no_promise_reason->code));
  }
  for (const schemas::JobEvent& event : job.events) {
    std::string line = "  event at " + teller.At(event.at) + ": " + event.code;
    if (!event.part.empty()) line += " " + event.part;
    if (!event.site.empty()) line += " " + event.site;
    if (!event.text.empty()) line += " (" + event.text + ")";
    lines.push_back(line);
  }
  return lines;
}

MetaTrace::Lines MetaTrace::Show(const std::vector<schemas::SiteView>& sites) const {
  Lines lines;
  for (const schemas::SiteView& site : sites) {
    lines.push_back("site " + site.name + " " + Word(kSiteStates, site.state));
  }
  return lines;
}

}  // namespace muster::scenario
