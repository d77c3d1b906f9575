// The site's side of its link: what is heard and in which order it is checked, hello, heartbeats.
// protocol.md sections 2 (envelope, hello to heartbeat), 3.4, 6, 8.
#include <algorithm>
#include <string>
#include <utility>

#include "schemas/limits.h"
#include "site/planning/admission.h"
#include "site/planning/environment.h"
#include "site/state.h"

namespace muster::site {
namespace {

// Bodies that make sense before a welcome to this incarnation.
bool OpensTheLink(const schemas::ToSite& m) {
  return std::holds_alternative<schemas::Welcome>(m.body) ||
         std::holds_alternative<schemas::LinkRefused>(m.body);
}

}  // namespace

const schemas::ProtocolValues& Core::State::values() const {
  static const schemas::ProtocolValues kDefaults;
  return ledger.identity().values ? *ledger.identity().values : kDefaults;
}

BootSpan Core::State::HeartbeatPeriod() const {
  if (ready_of_several == 0 || values().heartbeat == BootSpan{0}) return values().heartbeat;
  return std::min(values().heartbeat, schemas::kReadyHeartbeat);
}

schemas::ClockStamps Core::State::Stamps() const {
  // The wall clock, not the plan's: a jump must show, so that the meta can quarantine this site.
  schemas::ClockStamps stamps = echo;
  stamps.sent = turn.wall;
  return stamps;
}

void Core::State::Say(decltype(schemas::ToMeta::body) body, MessageNumber answers_to) {
  numbered.value += 1;
  schemas::ToMeta message{.federation = ledger.identity().federation,
                          .incarnation = ledger.identity().incarnation,
                          .number = numbered,
                          .answers = answers_to,
                          .expires = {now().milliseconds + schemas::kOrderExpires.milliseconds}};
  message.body = std::move(body);
  effects.to_meta.push_back(std::move(message));
}

void Core::State::Nonsense(const std::string& what) {
  ++nonsense;
  effects.notes.push_back("not taken from the meta: " + what);
}

// The order of the checks is the page's: version, federation, incarnation and epoch, expiry.
bool Core::State::Acceptable(const schemas::ToSite& m) {
  const schemas::SiteIdentity& self = ledger.identity();
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
  } else if (!OpensTheLink(m) && !welcomed) {
    Nonsense("an order before a welcome");
  } else if (m.floor.epoch > std::max(m.epoch, self.epoch)) {
    Nonsense("a floor of a later epoch");
  } else {
    return true;
  }
  return false;
}

void Core::State::Hear(const schemas::ToSite& m) {
  if (!Acceptable(m)) return;
  if (!OpensTheLink(m)) ledger.RaiseFloor(m.floor);
  std::visit([&](const auto& body) { OnBody(m, body); }, m.body);
}

void Core::State::OnBody(const schemas::ToSite& m, const schemas::Welcome& welcome) {
  const Epoch known = ledger.identity().epoch;
  if (welcome.epoch != m.epoch || welcome.epoch.value == 0 || !Sane(welcome.values) ||
      welcome.floor.epoch > welcome.epoch) {
    return Nonsense("a welcome that contradicts itself or has absurd values");
  }
  if (welcome.epoch < known) {
    effects.notes.push_back("a meta of epoch " + std::to_string(welcome.epoch.value) +
                            " said welcome; epoch " + std::to_string(known.value) +
                            " is known here, so it is not listened to");
    return;
  }
  if (known < welcome.epoch) {
    ledger.SetEpoch(welcome.epoch);
    for (const Fence& fence : ledger.HeldHolds()) {  // H8
      const auto step = NextHold(schemas::HoldState::kHeld, verifier::HoldEvent::kHigherEpoch, {});
      Close(fence, step.closed_as, Own(schemas::CauseCode::kNone));
    }
  }
  if (ledger.identity().federation.empty()) ledger.SetFederation(m.federation);
  ledger.SetValues(welcome.values);
  ledger.RaiseFloor(std::max(welcome.floor, m.floor));
  welcomed = true;
  capacity_known = {};
  echo = {.echoed = welcome.stamps.sent, .received = turn.wall};
  link.OnWelcome(turn.boot, values().heartbeat);
  // Spans may have changed with the values.
  for (const auto& [fence, hold] : live) touched.insert(fence);
  backfilling.Freed(plan.revision());  // for who waited for the link
  RestartFeed(welcome.feed);
}

void Core::State::OnBody(const schemas::ToSite&, const schemas::LinkRefused& refused) {
  effects.notes.push_back("the meta refuses this site (" + refused.code + "): " + refused.message);
  link.OnRefused(turn.boot);
}

void Core::State::OnBody(const schemas::ToSite&, const schemas::Beat& beat) {
  link.OnBeat(turn.boot);
  echo = {.echoed = beat.stamps.sent, .received = turn.wall};
  if (beat.floor.epoch <= ledger.identity().epoch) ledger.RaiseFloor(beat.floor);
  if (beat.feed > ledger.feed().end().revision) {
    return Nonsense("an acknowledgement of changes that were never made");
  }
  ledger.Acknowledge(beat.feed);
  sent = std::max(sent, ledger.feed().acknowledged());
  capacity_known = beat.capacity;
}

void Core::State::OnBody(const schemas::ToSite& m, const schemas::Orders& orders) {
  if (orders.orders.size() > schemas::kOrdersPerMessage) return Nonsense("too many orders");
  answers.clear();
  for (const schemas::Order& order : orders.orders) {
    const bool there = !std::holds_alternative<schemas::HoldOrder>(order.what);
    std::visit(
        [&](const auto& what) {
          if (there && verifier::IsLocal(what.fence)) return Nonsense("an order on a local job");
          OnOrder(what);
          touched.insert(what.fence);
        },
        order.what);
  }
  if (!answers.empty()) Say(schemas::Answers{std::exchange(answers, {})}, m.number);
}

void Core::State::OnBody(const schemas::ToSite& m, const schemas::Propose& propose) {
  schemas::Verdict verdict{.proposal = propose.proposal, .round = propose.round};
  if (propose.entries.size() > schemas::kProposalEntries) return Nonsense("too many entries");
  Overlays::Run run;
  if (propose.continues) {
    run = overlays.Take(*propose.continues, plan.revision());
    verdict.gone = run == nullptr;
  }
  if (!verdict.gone) {
    std::vector<schemas::ProposalEntry> sound;
    for (const auto& entry : propose.entries) {
      if (!FaultOf(entry.parts)) sound.push_back(entry);
    }
    auto answered = propose.tentative ? plan.Continue(sound, now_floor(), run)
                                      : plan.Verify(sound, now_floor());
    if (propose.tentative) overlays.Keep(propose.proposal, plan.revision(), std::move(run));
    auto next = answered.begin();
    for (const auto& entry : propose.entries) {
      const auto fault = FaultOf(entry.parts);
      verdict.entries.push_back(fault ? Never(*fault) : std::move(*next++));
    }
  }
  verdict.plan = plan.revision();
  Say(std::move(verdict), m.number);
}

void Core::State::OnBody(const schemas::ToSite&, const schemas::Resync& resync) {
  if (!link.up()) return;
  if (resynced_at && turn.boot < *resynced_at + schemas::kResyncApart) {
    return Nonsense("resync asked twice within a second");
  }
  resynced_at = turn.boot;
  if (!resync.all && ledger.feed().PositionAt(resync.from)) {
    sent = resync.from;
    listing_from.reset();
  } else {
    StartListing();
  }
}

void Core::State::TickLink() {
  verifier::SiteLink::Due due;
  if (link.up() && values().heartbeat == BootSpan{0}) {
    // An ideal link (scheduling.md section 10): a changed plan is told in the turn that changed it.
    // The meta's answer to the last one is heard before the next turn.
    due.heartbeat = plan.revision() != capacity_known;
  } else {
    due = link.Tick(turn.boot, HeartbeatPeriod());
  }
  if (due.lost) effects.notes.push_back("the meta is silent; the site works on and dials again");
  if (due.hello) {
    listing_from.reset();
    Say(schemas::Hello{.incarnation = ledger.identity().incarnation,
                       .highest_epoch = ledger.identity().epoch,
                       .feed = ledger.feed().end(),
                       .capacity = plan.Capacity(now_floor()),
                       .stamps = Stamps()});
  }
  if (due.heartbeat) {
    schemas::Heartbeat beat{.feed = ledger.feed().PositionAt(sent).value_or(ledger.feed().end()),
                            .plan = plan.revision(),
                            .stamps = Stamps(),
                            .disk_low = disk_low};
    if (beat.plan != capacity_known) beat.capacity = plan.Capacity(now_floor());
    Say(std::move(beat));
  }
}

}  // namespace muster::site
