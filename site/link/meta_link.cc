// The site's side of its link: receiving and checking messages, hello, heartbeats. protocol.md
// sections 2 (envelope, hello to heartbeat), 3.4, 6, 8.
#include "site/link/meta_link.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/units.h"
#include "schemas/limits.h"
#include "site/planning/admission.h"
#include "site/planning/environment.h"

namespace muster::site {
namespace {

// Bodies that are accepted before a welcome to this incarnation.
bool OpensTheLink(const schemas::ToSite& m) {
  return std::holds_alternative<schemas::Welcome>(m.body) ||
         std::holds_alternative<schemas::LinkRefused>(m.body);
}

}  // namespace

MetaLink::MetaLink(Options told, verifier::Ledger ledger, Now now)
    : Holds(std::move(told), std::move(ledger), now), link_(options().seed, now.boot) {}

BootSpan MetaLink::HeartbeatPeriod() const {
  if (ready_of_several() == 0 || values().heartbeat == BootSpan{0}) return values().heartbeat;
  return std::min(values().heartbeat, schemas::kReadyHeartbeat);
}

schemas::ClockStamps MetaLink::Stamps() const {
  // The wall clock, not the plan clock: the meta must see a jump, so that it can quarantine this
  // site.
  schemas::ClockStamps stamps = echo_;
  stamps.sent = turn().wall;
  return stamps;
}

void MetaLink::Say(decltype(schemas::ToMeta::body) body, MessageNumber answers_to) {
  numbered_.value += 1;
  schemas::ToMeta message{.federation = ledger().identity().federation,
                          .incarnation = ledger().identity().incarnation,
                          .number = numbered_,
                          .answers = answers_to,
                          .expires = {now().milliseconds + schemas::kOrderExpires.milliseconds}};
  message.body = std::move(body);
  Send(std::move(message));
}

// Checks in the order of protocol.md section 2: version, federation, incarnation and epoch, expiry;
// then whether a meta has said welcome, and the floor.
bool MetaLink::Acceptable(const schemas::ToSite& m) {
  const schemas::SiteIdentity& self = ledger().identity();
  if (m.version != schemas::kProtocolVersion) {
    Nonsense("protocol version " + std::to_string(m.version));
  } else if (m.federation != self.federation && !(self.federation.empty() && OpensTheLink(m))) {
    Nonsense("a message of federation '" + m.federation + "'");
  } else if (m.incarnation != self.incarnation) {
    Nonsense("a message to incarnation " + std::to_string(m.incarnation.value));
  } else if (!OpensTheLink(m) && m.epoch != self.epoch) {
    Nonsense("a message of epoch " + std::to_string(m.epoch.value));
  } else if (m.expires <= now()) {
    Nonsense("an expired message");
  } else if (!OpensTheLink(m) && !welcomed_) {
    Nonsense("an order before a welcome");
  } else if (m.floor.epoch > std::max(m.epoch, self.epoch)) {
    Nonsense("a floor of a later epoch");
  } else {
    return true;
  }
  return false;
}

const schemas::Inspect* MetaLink::Hear(const schemas::ToSite& m) {
  if (!Acceptable(m)) return nullptr;
  if (!OpensTheLink(m)) RaiseFloor(m.floor);
  if (const auto* inspect = std::get_if<schemas::Inspect>(&m.body)) return OnInspect(m, *inspect);
  std::visit(
      [&](const auto& body) {
        if constexpr (!std::is_same_v<decltype(body), const schemas::Inspect&>) OnBody(m, body);
      },
      m.body);
  return nullptr;
}

void MetaLink::OnBody(const schemas::ToSite& m, const schemas::Welcome& welcome) {
  const Epoch known = ledger().identity().epoch;
  if (welcome.epoch != m.epoch || welcome.epoch.value == 0 || !Sane(welcome.values) ||
      welcome.floor.epoch > welcome.epoch) {
    return Nonsense("a welcome that contradicts itself or has absurd values");
  }
  if (welcome.epoch < known) {
    Note("a meta of epoch " + std::to_string(welcome.epoch.value) + " said welcome; epoch " +
         std::to_string(known.value) + " is known here, so it is not listened to");
    return;
  }
  if (known < welcome.epoch) BeginEpoch(welcome.epoch);
  if (ledger().identity().federation.empty()) Join(m.federation);
  Welcome(welcome.values);
  const Span least = options().facts.LeastLead();
  if (welcome.values.lead < ToBootSpan(least)) {
    Note("co-allocations may begin late here: parts are handed over " +
         DurationText(options().facts.start_ahead) +
         " before they start, and 'lead' in the federation's [protocol] is " +
         DurationText(welcome.values.lead) + "; at least " + DurationText(least) + " is needed");
  }
  RaiseFloor(std::max(welcome.floor, m.floor));
  welcomed_ = true;
  capacity_known_ = {};
  echo_ = {.echoed = welcome.stamps.sent, .received = turn().wall};
  link_.OnWelcome(turn().boot, values().heartbeat);
  SetLinked(link_.up());
  RestartFeed(welcome.feed);
}

void MetaLink::OnBody(const schemas::ToSite&, const schemas::LinkRefused& refused) {
  Note("the meta refuses this site (" + refused.code + "): " + refused.message);
  link_.OnRefused(turn().boot);
  SetLinked(link_.up());
}

void MetaLink::OnBody(const schemas::ToSite&, const schemas::Beat& beat) {
  link_.OnBeat(turn().boot);
  echo_ = {.echoed = beat.stamps.sent, .received = turn().wall};
  if (beat.floor.epoch <= ledger().identity().epoch) RaiseFloor(beat.floor);
  if (beat.feed > ledger().feed().end().revision) {
    return Nonsense("an acknowledgement of changes that were never made");
  }
  Acknowledge(beat.feed);
  sent_ = std::max(sent_, ledger().feed().acknowledged());
  capacity_known_ = beat.capacity;
}

void MetaLink::OnBody(const schemas::ToSite& m, const schemas::Orders& orders) {
  if (orders.orders.size() > schemas::kOrdersPerMessage) return Nonsense("too many orders");
  schemas::Answers answers;
  for (const schemas::Order& order : orders.orders) {
    const bool there = !std::holds_alternative<schemas::HoldOrder>(order.what);
    std::visit(
        [&](const auto& what) {
          if (there && verifier::IsLocal(what.fence)) return Nonsense("an order on a local job");
          if (auto answer = Take(what)) answers.answers.push_back(*std::move(answer));
          Touch(what.fence);
        },
        order.what);
  }
  if (!answers.answers.empty()) Say(std::move(answers), m.number);
}

void MetaLink::OnBody(const schemas::ToSite& m, const schemas::Propose& propose) {
  schemas::Verdict verdict{.proposal = propose.proposal, .round = propose.round};
  if (propose.entries.size() > schemas::kProposalEntries) return Nonsense("too many entries");
  TentativePlans::Run run;
  if (propose.continues) {
    run = tentative_.Take(*propose.continues, plan().revision());
    verdict.gone = run == nullptr;
  }
  if (!verdict.gone) {
    std::vector<schemas::ProposalEntry> sound;
    for (const auto& entry : propose.entries) {
      if (!FaultOf(entry, options())) sound.push_back(entry);
    }
    const Dating dated = Date(std::move(sound));
    auto answered =
        dated.Tell(propose.tentative ? plan().Continue(dated.entries(), now_floor(), run)
                                     : plan().Verify(dated.entries(), now_floor()));
    if (propose.tentative) tentative_.Keep(propose.proposal, plan().revision(), std::move(run));
    auto next = answered.begin();
    for (const auto& entry : propose.entries) {
      const auto fault = FaultOf(entry, options());
      verdict.entries.push_back(fault ? Never(*fault) : std::move(*next++));
    }
  }
  verdict.plan = plan().revision();
  Say(std::move(verdict), m.number);
}

void MetaLink::OnBody(const schemas::ToSite&, const schemas::Resync& resync) {
  if (!link_.up()) return;
  if (resynced_at_ && turn().boot < *resynced_at_ + schemas::kResyncApart) {
    return Nonsense("resync asked twice within a second");
  }
  resynced_at_ = turn().boot;
  if (!resync.all && ledger().feed().PositionAt(resync.from)) {
    sent_ = resync.from;
    listing_from_.reset();
  } else {
    StartListing();
  }
}

schemas::Capacity MetaLink::CapacityNow() const {
  schemas::Capacity out = plan().Capacity(now_floor());
  out.outside = OutsideRuns();
  return out;
}

void MetaLink::Tick() {
  verifier::SiteLink::Due due;
  if (link_.up() && values().heartbeat == BootSpan{0}) {
    // An ideal link (scheduling.md section 10) reports a changed plan in the turn that changed it.
    // The meta's answer to the last report arrives before the next turn.
    due.heartbeat = plan().revision() != capacity_known_;
  } else {
    due = link_.Tick(turn().boot, HeartbeatPeriod());
    SetLinked(link_.up());
  }
  if (due.lost) Note("the meta is silent; the site works on and dials again");
  if (due.hello) {
    listing_from_.reset();
    Say(schemas::Hello{.incarnation = ledger().identity().incarnation,
                       .highest_epoch = ledger().identity().epoch,
                       .feed = ledger().feed().end(),
                       .capacity = CapacityNow(),
                       .stamps = Stamps()});
  }
  if (due.heartbeat) {
    schemas::Heartbeat beat{
        .feed = ledger().feed().PositionAt(sent_).value_or(ledger().feed().end()),
        .plan = plan().revision(),
        .stamps = Stamps(),
        .disk_low = disk_low()};
    if (beat.plan != capacity_known_) beat.capacity = CapacityNow();
    Say(std::move(beat));
  }
}

const schemas::Inspect* MetaLink::OnInspect(const schemas::ToSite& m,
                                            const schemas::Inspect& inspect) {
  using schemas::InspectKind;
  const bool planned = inspect.kind == InspectKind::kSlots || inspect.kind == InspectKind::kExplain;
  const bool moves = inspect.kind == InspectKind::kMoves;
  if ((planned && !inspect.entry) || (moves && !inspect.steer)) {
    Nonsense("an inspection without what it asks about");
    return nullptr;
  }
  if (inspect.kind != InspectKind::kOutput) return &inspect;
  AskForOutput(m, inspect);
  return nullptr;
}

void MetaLink::Inspected(const schemas::ToSite& m, decltype(schemas::View::what) what) {
  const auto& inspect = std::get<schemas::Inspect>(m.body);
  Say(
      schemas::View{
          .inspection = inspect.inspection, .plan = plan().revision(), .what = std::move(what)},
      m.number);
}

// Asks the driver to read the output. TellOutput sends the output when that is done.
void MetaLink::AskForOutput(const schemas::ToSite& m, const schemas::Inspect& inspect) {
  const bool taken = inspect.inspection >= kFirstReading;  // reserved for local clients
  if (taken || inspect.part == 0 || inspect.part > schemas::kPartsPerRequest) {
    return Nonsense("no such part");
  }
  if (readings_.size() >= kReadingsOpen && !readings_.contains(inspect.inspection)) {
    readings_.erase(readings_.begin());  // drops the oldest, whose client has long given up
  }
  readings_[inspect.inspection] = m.number;
  const std::string folder =
      inspect.locals.empty() ? PartName(inspect.request, inspect.part)
                             : LocalFolder(options().name, inspect.locals.front(), inspect.part);
  Drive(driver::ReadOutput{.inspection = inspect.inspection,
                           .part_name = folder,
                           .error_stream = inspect.error_stream,
                           .offset = inspect.offset,
                           .limit = schemas::kOutputPieceBytes});
}

void MetaLink::TellOutput(const driver::OutputRead& read) {
  const auto it = readings_.find(read.inspection);
  if (it == readings_.end()) return;
  const MessageNumber answers_to = it->second;
  readings_.erase(it);
  Say(schemas::View{.inspection = read.inspection, .plan = plan().revision(), .what = read.view},
      answers_to);
}

void MetaLink::OnBody(const schemas::ToSite&, const schemas::Steer& steer) {
  if (steer.order == 0 || steer.nodes.size() > schemas::kNodesPerSite ||
      steer.reason.size() > schemas::kScriptBytes) {
    return Nonsense("an operator's order without a number, or too large");
  }
  CarryOut(steer);
}

void MetaLink::OnBody(const schemas::ToSite&, const schemas::Standing& standing) {
  HearStanding(standing);
}

void MetaLink::EndTurn() {
  tentative_.DropStale(plan().revision());
  std::vector<schemas::Answer> late = TakeAnswers();
  if (!late.empty() && link_.up()) Say(schemas::Answers{.answers = std::move(late)});
  SendFeed();
  Tick();
}

BootInstant MetaLink::NextOfLink() const {
  if (link_.up() && listing_from_) return turn().boot;
  const bool alone = !link_.up() || HeartbeatPeriod() > BootSpan{0};
  // An ideal link has no timers.
  return alone ? link_.Next(HeartbeatPeriod()) : turn().boot + ToBootSpan(options().horizon);
}

}  // namespace muster::site
