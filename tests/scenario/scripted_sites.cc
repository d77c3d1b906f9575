// See scripted_federation.h. What the scripted sites do with orders and questions, and what changes
// at them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "base/node_set.h"
#include "schemas/canonical.h"
#include "tests/scenario/scripted_federation.h"

namespace muster::scenario {

using schemas::HoldState;
using schemas::PartState;

void ScriptedFederation::Change(FakeSite& site, const Fence& fence,
                                decltype(schemas::Change::what) what) {
  const schemas::FeedPosition after = site.feed;
  schemas::Change change{Revision{site.feed.revision.value + 1}, fence, std::move(what)};
  site.feed = {change.revision, schemas::ChainDigest(site.feed.digest, change)};
  site.changes.push_back(change);
  if (one_write_) {
    one_write_->changes.push_back(std::move(change));
  } else if (!site.cut) {
    Say(site, schemas::Report{after, {change}});
  }
}
void ScriptedFederation::Become(FakeSite& site, const Fence& fence, HoldState state,
                                schemas::ClosedAs as, schemas::Cause cause) {
  site.states[fence] = state;
  const schemas::HoldOrder& order = site.orders[fence];
  schemas::HoldChanged c{.state = state, .closed_as = as, .request = order.request, .cause = cause};
  c.start = starts_[{site.name_, fence}];
  if (state >= HoldState::kPrepared && state < HoldState::kClosed) {
    c.deadline = ToMoment(c.start + order.deadline_after);
  }
  if (started_.contains({site.name_, fence})) c.started = schemas::Started::kYes;
  for (const schemas::PartDemand& part : order.parts) {
    c.parts.push_back({part.index, {"n1"}, site.name_ + ":" + std::to_string(part.index)});
    if (!site.node_speed) continue;
    c.parts.back().slower = AtSpeed(part.duration, *site.node_speed) - part.duration;
  }
  Change(site, fence, c);
}
void ScriptedFederation::PartIs(FakeSite& site, const Fence& fence, uint32_t index, PartState state,
                                schemas::PartEnd end) {
  if (state == PartState::kRunning) started_.insert({site.name_, fence});
  schemas::PartChanged change{.index = index, .state = state, .at = now_.wall, .end = end};
  if (state == PartState::kRunning) change.started_at = now_.wall;
  Change(site, fence, std::move(change));
}
void ScriptedFederation::Run(FakeSite& site, const Fence& fence) {
  for (const auto& part : site.orders[fence].parts)
    PartIs(site, fence, part.index, PartState::kRunning);
}
void ScriptedFederation::End(FakeSite& site, const Fence& fence, int code) {
  for (const auto& part : site.orders[fence].parts) {
    PartIs(site, fence, part.index, PartState::kEnded,
           {.by = schemas::EndedBy::kExit, .exit_code = code});
  }
  Become(site, fence, HoldState::kClosed, schemas::ClosedAs::kEnded);
}
void ScriptedFederation::Ready(FakeSite& site, const Fence& fence) {
  for (const auto& part : site.orders[fence].parts)
    PartIs(site, fence, part.index, PartState::kReady);
}

void ScriptedFederation::Commit(FakeSite& site, const schemas::HoldOrder& order, HoldState state) {
  one_write_ = schemas::Report{.after = site.feed};
  const auto old = order.replaces ? site.states.find(*order.replaces) : site.states.end();
  if (old != site.states.end() && old->second != HoldState::kClosed) {
    Become(site, *order.replaces, HoldState::kClosed, schemas::ClosedAs::kReleased);
  }
  Become(site, order.fence, state);
  schemas::Report report = *std::exchange(one_write_, std::nullopt);
  if (!site.cut) Say(site, std::move(report));
}

void ScriptedFederation::Create(FakeSite& site, const schemas::HoldOrder& order) {
  if (site.states.contains(order.fence) || site.mute_holds) return;
  if (site.counter) {
    const schemas::VerdictEntry v{.kind = schemas::VerdictKind::kCountered,
                                  .start = site.counter->intervals()[0].begin,
                                  .starts = *site.counter};
    site.counter.reset();
    Say(site, schemas::Answers{{{order.fence, schemas::AnswerKind::kCountered, v}}});
    return;
  }
  const std::optional<Instant> start =
      order.allowed.FirstFrom(std::max(site.not_before, now_.wall.Ceiling()));
  ASSERT_TRUE(start.has_value());
  site.orders[order.fence] = order;
  starts_[{site.name_, order.fence}] = *start;
  if (order.stage == HoldState::kCommitted) return Commit(site, order, order.stage);
  Become(site, order.fence, order.stage);
}

void ScriptedFederation::Permit(FakeSite& site, const schemas::PermitOrder& permit) {
  // The permit must be durable before it is sent.
  const auto record = store_.find(AttemptKeyText(permit.fence));
  ASSERT_NE(record, store_.end());
  EXPECT_TRUE(std::get<schemas::AttemptRecord>(record->second).permit.has_value());
  const HoldState s = site.states[permit.fence];
  if (s == HoldState::kPrepared || s == HoldState::kCommitted) {
    site.permits[permit.fence] = permit.permit;
    Become(site, permit.fence, HoldState::kPermitted);
  }
}

void ScriptedFederation::Release(FakeSite& site, const schemas::ReleaseOrder& release) {
  if (site.loses_releases) return;
  site.releases.push_back(release);
  if (site.states[release.fence] == HoldState::kClosed) return;
  const bool started = started_.contains({site.name_, release.fence});
  if (started && release.unless_started) return;
  if (started) {
    for (const auto& part : site.orders[release.fence].parts) {
      PartIs(site, release.fence, part.index, PartState::kEnded,
             {.by = schemas::EndedBy::kRelease});
    }
  }
  Become(site, release.fence, HoldState::kClosed, schemas::ClosedAs::kReleased, release.cause);
}

void ScriptedFederation::Obey(FakeSite& site, const schemas::Order& order) {
  if (const auto* hold = std::get_if<schemas::HoldOrder>(&order.what)) Create(site, *hold);
  if (const auto* commit = std::get_if<schemas::CommitOrder>(&order.what)) {
    if (site.states[commit->fence] == HoldState::kPrepared) {
      Commit(site, site.orders[commit->fence], HoldState::kCommitted);
    }
  }
  if (const auto* permit = std::get_if<schemas::PermitOrder>(&order.what)) Permit(site, *permit);
  if (const auto* release = std::get_if<schemas::ReleaseOrder>(&order.what)) {
    Release(site, *release);
  }
}

void ScriptedFederation::Hear(FakeSite& site, const schemas::ToSite& m) {
  if (const auto* welcome = std::get_if<schemas::Welcome>(&m.body)) {
    Replay(site, welcome->feed.revision.value);
  } else if (const auto* resync = std::get_if<schemas::Resync>(&m.body)) {
    if (!resync->all) return Replay(site, resync->from.value);
    if (!site.mute_listings) ListAll(site);
  } else if (const auto* orders = std::get_if<schemas::Orders>(&m.body)) {
    for (const schemas::Order& order : orders->orders) Obey(site, order);
  } else if (const auto* propose = std::get_if<schemas::Propose>(&m.body)) {
    Answer(site, *propose);
  } else if (const auto* steer = std::get_if<schemas::Steer>(&m.body)) {
    site.steers.push_back(*steer);
    if (site.mute_steers) return;
    const bool done = !site.refuses_steers;
    Change(site, Fence{}, schemas::Steered{steer->order, done, done ? "done" : "refused"});
  } else if (const auto* inspect = std::get_if<schemas::Inspect>(&m.body)) {
    Answer(site, *inspect);
  }
}

void ScriptedFederation::ListAll(FakeSite& site) {
  schemas::Listing listing{.feed = site.feed, .first = true, .last = true};
  for (const auto& [fence, order] : site.orders) {
    schemas::HoldRecord record;
    record.order = order;
    record.state = site.states[fence];
    record.start = starts_[{site.name_, fence}];
    if (record.state >= HoldState::kPrepared && record.state < HoldState::kClosed) {
      record.deadline = schemas::Deadline{.wall = ToMoment(record.start + order.deadline_after)};
    }
    record.cause = site.causes[fence];
    for (const auto& part : order.parts) record.parts.push_back({.index = part.index});
    listing.holds.push_back(std::move(record));
  }
  Say(site, std::move(listing));
}

void ScriptedFederation::Answer(FakeSite& site, const schemas::Propose& propose) {
  ++site.proposals;
  schemas::Verdict verdict{.proposal = propose.proposal, .plan = site.plan};
  verdict.gone = propose.continues && site.forgets_overlays;
  if (propose.tentative) site.tentative.push_back(propose);
  for (const schemas::ProposalEntry& entry : propose.entries) {
    if (verdict.gone) break;
    verdict.entries.push_back(site.judges         ? site.judges(entry)
                              : propose.tentative ? InOrder(site, entry)
                              : site.verdict      ? *site.verdict
                                                  : Judge(site, entry));
  }
  Say(site, std::move(verdict));
}

void ScriptedFederation::Answer(FakeSite& site, const schemas::Inspect& inspect) {
  const auto view = [&](decltype(schemas::View::what) what) {
    Say(site, schemas::View{inspect.inspection, PlanRevision{1}, std::move(what)});
  };
  site.inspected.push_back(inspect.kind);
  if (inspect.kind == schemas::InspectKind::kOrder) {
    view(schemas::OrderView{.version = 1, .fences = site.moves_first});
  } else if (inspect.kind == schemas::InspectKind::kRanks) {
    view(schemas::RanksView{site.ranks});
  } else if (inspect.kind == schemas::InspectKind::kShares) {
    view(schemas::SharesView{site.shares});
  } else if (inspect.kind == schemas::InspectKind::kMoves) {
    view(schemas::MovesView{.moves = site.moves});
  } else if (inspect.kind == schemas::InspectKind::kExplain && site.explains) {
    view(site.explains(inspect));
  } else if (inspect.kind == schemas::InspectKind::kBookings) {
    view(schemas::BookingsView{{"n1"}, {}});
  } else {
    view(schemas::OutputView{.data = "hello", .next = 5, .known = true});
  }
}

void ScriptedFederation::Replay(FakeSite& site, uint64_t from) {
  schemas::FeedPosition after;
  for (const schemas::Change& change : site.changes) {
    if (change.revision.value > from) {
      Say(site, schemas::Report{after, {change}});
    }
    after = {change.revision, schemas::ChainDigest(after.digest, change)};
  }
}

schemas::VerdictEntry ScriptedFederation::InOrder(FakeSite& site,
                                                  const schemas::ProposalEntry& entry) {
  schemas::VerdictEntry v;
  if (site.in_order.empty()) return v;
  v.start = site.in_order.front();
  v.kind =
      v.start == entry.asked ? schemas::VerdictKind::kAccepted : schemas::VerdictKind::kCountered;
  site.in_order.pop_front();
  return v;
}
schemas::VerdictEntry ScriptedFederation::Judge(const FakeSite& site,
                                                const schemas::ProposalEntry& entry) const {
  const Instant from = std::max(entry.asked, site.not_before);
  schemas::VerdictEntry v;
  v.start = from;
  v.kind = from == entry.asked ? schemas::VerdictKind::kAccepted : schemas::VerdictKind::kCountered;
  if (entry.want_starts) v.starts = IntervalSet::From(from).Intersect(entry.allowed);
  return v;
}

std::string ScriptedFederation::AttemptKeyText(const Fence& fence) {
  const auto hex = [](uint64_t v) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(v));
    return std::string(text);
  };
  return "attempt/" + hex(fence.epoch.value) + "." + hex(fence.number);
}

}  // namespace muster::scenario
