// Plans on a given occupancy, and answers the questions of a verdict. Writes nothing to the plan
// but the partitions of a verdict.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text/node_set.h"
#include "base/units.h"
#include "site/plan/apart.h"
#include "site/plan/mapper.h"
#include "site/plan/overlay.h"
#include "site/plan/plan.h"
#include "site/plan/search.h"
#include "site/plan/shape.h"

namespace muster::plan {
namespace {

// The epoch in fences of a verdict's questions; no meta has it.
constexpr Epoch kQuestion{UINT64_MAX};

}  // namespace

// The reason why no start lies within the horizon: an account that binds all over it, if there is
// one.
Why Plan::BeyondHorizon(const Occupancy& occupancy, const Order& order, const Shape& shape,
                        Instant from, Instant now) const {
  const Instant end = LastStart(order, now);
  const std::string ahead = DurationText(end - now);
  if (from > end) {
    // `until`: when the first allowed start will be within the horizon.
    return {Why::Code::kHorizon,
            "",
            "",
            "",
            now + (from - end),
            "starts are planned at most " + ahead + " ahead"};
  }
  for (const AccountNeed& need : shape.accounts) {
    const Instant begin = std::max(from, need.from) + need.shift;
    const Instant fit =
        occupancy.accounts().Of(need.account).EarliestFit(need.amount, need.length, begin);
    if (fit > end + need.shift) {
      return rules_->Binding(need.account, fit >= kFarFuture ? kFarFuture : fit - need.shift);
    }
  }
  return {Why::Code::kHorizon, "", "", "", std::nullopt, "no start within the next " + ahead};
}

Instant Plan::LastStart(const Order& order, Instant now) const {
  const bool federated = order.who.federated && settings_.federated.has_value();
  return now + (federated ? *settings_.federated : settings_.horizon);
}

Refused Plan::RefusedByRule(const Order& order, const Refusal& refusal, Instant now) const {
  Refused refused{refusal.kind, {}, refusal.why, {}};
  if (refused.kind == Refused::Kind::kLater) {
    refused.feasible.complete_until = LastStart(order, now) + Span{1};
  }
  return refused;
}

IntervalSet Plan::WithinHorizon(const Order& order, const IntervalSet& allowed, Instant now) const {
  const Instant begin = std::max(now, occupancy_.forgotten() + settings_.turnover);
  const Instant end = LastStart(order, now) + Span{1};
  if (begin >= end) return {};
  return allowed.Intersect(IntervalSet({{begin, end}}));
}

std::vector<ResourceSet> Plan::TakenBy(const std::vector<std::vector<NodeUse>>& uses) const {
  const size_t resources = machine_->resource_count();
  std::vector<int64_t> sums(machine_->classes().size() * resources);
  for (const std::vector<NodeUse>& part : uses) {
    for (const NodeUse& use : part) {
      int64_t* row = &sums[machine_->ClassOf(use.node) * resources];
      for (size_t r = 0; r < resources; ++r) row[r] += use.amounts[r];
    }
  }
  std::vector<ResourceSet> out(machine_->classes().size());
  for (size_t c = 0; c < out.size(); ++c) {
    for (uint32_t r = 0; r < resources; ++r) {
      const int64_t sum = sums[c * resources + r];
      if (sum > 0) out[c].Set(machine_->resource(r), sum);
    }
  }
  return out;
}

std::optional<Found> Plan::FindFirst(const Occupancy& occupancy, const Order& order,
                                     const Ruling& ruling, const Shape& shape,
                                     const IntervalSet& inside, const Released* given) const {
  const std::optional<Frontier::Asked> asked = Frontier::AskedBy(order, shape);
  const bool moves = given != nullptr && given->for_good;
  const auto by_nodes = [&shape] {
    const PartShape& part = shape.parts.front();
    return !part.partition.has_value() && Sieve::FindsOne(part.groups.front());
  };
  if (inside.empty() || !asked.has_value() || by_nodes()) {
    std::optional<Found> found = Search(occupancy, shape).FirstIn(inside);
    if (found.has_value() && moves) occupancy.Release(given->booked, given->nodes);
    return found;
  }
  const Interval& first = inside.intervals().front();
  Frontier& frontier = occupancy.frontier();
  const PartShape& part = shape.parts.front();
  const Sieve one(occupancy, part, part.groups.front());
  const Frontier::Takes takes = [&](uint32_t node, Span length, const Interval& booked) {
    return one.MayTake(node, length, booked.begin - length + Span{1}, booked.end);
  };
  // The begins of those booked windows that meet the temporarily removed booking and could have a
  // set on one of its nodes.
  std::optional<Interval> own;
  if (given != nullptr) {
    Instant from = given->booked.end - part.shift;
    const Instant earliest = given->booked.begin - part.length + Span{1} - part.shift;
    for (const uint32_t node : given->nodes) {
      if (one.Hosts(node))
        from = std::min(from, one.Rise(node, 0, std::max(earliest, first.begin)));
    }
    own = {from + part.shift, given->booked.end};
  }
  const IntervalSet open = inside.Intersect(frontier.Open(*asked, first.begin, own, takes));
  if (open.empty()) return std::nullopt;
  std::optional<Found> found = Search(occupancy, shape).FirstIn(open);
  if (found.has_value() && moves) occupancy.Release(given->booked, given->nodes);
  // With rules the frontier learns nothing: rules exclude starts that other orders may have, and
  // they depend on more than the bookings.
  if (shape.accounts.empty() && ruling.hosts.open.empty()) {
    const Instant until = found.has_value() ? std::min(found->start, first.end) : first.end;
    frontier.Learn(*asked, first.begin, until, takes);
  }
  return found;
}

// Of several ways only the one that is picked takes what was removed.
std::optional<Picked> Plan::Pick(const Occupancy& occupancy, const Order& order,
                                 const Ruling& ruling, const CompiledWays& compiled,
                                 const IntervalSet& inside, const std::optional<Present>& present,
                                 const Released* given) const {
  std::optional<Released> lent;
  if (given != nullptr && !compiled.single()) {
    lent = *given;
    lent->for_good = false;
  }
  const Released* of_each = lent.has_value() ? &*lent : given;
  std::optional<Picked> picked = PickFirst(
      occupancy, compiled, inside, present, [&](const Shape& shape, const IntervalSet& open) {
        return FindFirst(occupancy, order, ruling, shape, open, of_each);
      });
  if (picked.has_value() && lent.has_value() && given->for_good) {
    occupancy.Release(given->booked, given->nodes);
  }
  return picked;
}

Refused Plan::NoWay(const Ways& ways) const { return {Refused::Kind::kNever, {}, *ways.none, {}}; }

// Some nodes would do together earlier if they need not be one group.
Why Plan::WithSets(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                   const IntervalSet& inside, Instant start, Why why) const {
  Order anywhere = order;
  std::string sets;
  for (Part& part : anywhere.parts) {
    if (!part.set || part.set->IsOneSwitch()) continue;
    if (sets.empty()) sets = text::NodeSetText(*part.set);
    part.set.reset();
  }
  if (sets.empty()) return why;
  const CompiledWays compiled = WaysFor(anywhere, ruling);
  const std::optional<Picked> other =
      Pick(occupancy, anywhere, ruling, compiled, inside, std::nullopt, nullptr);
  if (!other.has_value() || other->found.start >= start) return why;
  why.code = Why::Code::kTopology;
  why.text = "its nodes must be " + sets + "; any nodes would do " +
             DurationText(start - other->found.start) + " earlier";
  return why;
}

Answer Plan::PlanOn(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                    const IntervalSet& allowed, Instant now, size_t intervals,
                    const Booking* present, const Released* given) const {
  const std::optional<Why> nonsense = CheckOrder(order);
  if (nonsense.has_value()) return NeverOrBlocked(order, ruling, nonsense);
  if (ruling.refuses.has_value()) return RefusedByRule(order, *ruling.refuses, now);
  const CompiledWays compiled = WaysFor(order, ruling);
  if (compiled.ways.none.has_value()) return NoWay(compiled.ways);
  const IntervalSet inside = WithinHorizon(order, allowed, now);
  std::optional<Present> had;
  if (present != nullptr) had = PresentOf(*present, compiled.ways);
  std::optional<Picked> picked = Pick(occupancy, order, ruling, compiled, inside, had, given);
  if (picked.has_value()) {
    std::vector<ResourceSet> taken = TakenBy(UsesOf(order, picked->found.mapping, occupancy_));
    return Placed{picked->found.start, std::move(picked->found.mapping), std::move(taken),
                  ChosenBy(order, compiled.ways.all[picked->way])};
  }
  if (intervals == 0) return Refused{};
  const Instant from = allowed.empty() ? now : std::max(now, allowed.intervals().front().begin);
  const IntervalSet way_out = WithinHorizon(order, IntervalSet::From(from), now);
  Refused refused;
  refused.feasible = FeasibleBy(occupancy, compiled, way_out, intervals);
  const Instant end = std::max(from, LastStart(order, now) + Span{1});
  refused.feasible.complete_until = std::min(refused.feasible.complete_until, end);
  if (!refused.feasible.starts.empty()) {
    const Instant begin = refused.feasible.starts.intervals().front().begin;
    const std::optional<Picked> first = PickAt(occupancy, compiled, begin);
    refused.why =
        WhyNotBefore(occupancy, order, begin, first->found.mapping, compiled.shapes[first->way]);
    return refused;
  }
  if (!MapsNow(order, ruling)) return NeverOrBlocked(order, ruling, std::nullopt);
  refused.why = BeyondHorizon(occupancy, order, compiled.shapes.front(), from, now);
  return refused;
}

std::vector<Reply> Plan::AskAll(Overlay& overlay, const std::vector<Question>& questions,
                                Instant now, uint64_t looks) {
  verified_.clear();
  std::vector<Reply> out;
  out.reserve(questions.size());
  const uint64_t before = overlay.occupancy().looks();
  for (const Question& question : questions) {
    if (!out.empty() && overlay.occupancy().looks() - before >= looks) break;
    overlay.last = !overlay.continued && out.size() + 1 == questions.size();
    out.push_back(Ask(overlay, question, out.size(), now));
  }
  return out;
}

std::vector<Reply> Plan::Verify(const std::vector<Question>& questions, Instant now,
                                uint64_t looks) {
  Overlay overlay{occupancy_, LookAhead(questions)};
  return AskAll(overlay, questions, now, looks);
}

std::vector<Reply> Plan::Verify(const std::vector<Question>& questions, Instant now, uint64_t looks,
                                Draft& draft) {
  MUSTER_CHECK(draft.asked == 0 || draft.revision == revision_);
  Overlay overlay{occupancy_, LookAhead(questions), std::move(draft.copy)};
  overlay.partner = std::move(draft.partner);
  overlay.before = draft.asked;
  overlay.continued = true;
  std::vector<Reply> out = AskAll(overlay, questions, now, looks);
  draft = {revision_, std::move(overlay.copy), std::move(overlay.partner),
           draft.asked + out.size()};
  return out;
}

std::vector<Plan::Members> Plan::GroupsOf(const std::vector<Fence>& fences) const {
  std::vector<Members> out;
  for (const Fence& fence : fences) {
    if (!Has(fence)) continue;
    Members members = MembersOf(fence);
    const bool known = std::any_of(out.begin(), out.end(), [&](const Members& m) {
      return m.front().first == members.front().first;
    });
    if (!known) out.push_back(std::move(members));
  }
  return out;
}

// Takes a group out of the overlay, or puts it back. The answer that joined it (Overlay::partner)
// stays booked alone meanwhile.
void Plan::PutGroup(Overlay& overlay, const Members& group, bool add) const {
  const auto it = overlay.partner.find(group.front().first);
  if (it == overlay.partner.end()) {
    Put(overlay.Changing(), group, add);
    return;
  }
  const Members alone{{it->second.first, &it->second.second}};
  Members together = group;
  together.push_back(alone.front());
  Put(overlay.Changing(), add ? alone : together, false);
  Put(overlay.Changing(), add ? together : alone, true);
}

void Plan::BookReply(Overlay& overlay, const std::vector<Members>& ignored, const Fence& as,
                     Booking booking) const {
  const bool first = ignored.size() == 1 && !overlay.partner.contains(ignored[0].front().first);
  if (first) {
    overlay.partner.emplace(ignored[0].front().first, std::pair(as, std::move(booking)));
    Members together = ignored[0];
    const auto& partner = overlay.partner.at(ignored[0].front().first);
    together.emplace_back(partner.first, &partner.second);
    Put(overlay.Changing(), together, true);
    return;
  }
  Put(overlay.Changing(), {{as, &booking}}, true);
  for (const Members& group : ignored) PutGroup(overlay, group, true);
}

Reply Plan::Ask(Overlay& overlay, const Question& question, size_t place, Instant now) {
  const Fence as{kQuestion, overlay.before + place + 1};
  const std::optional<Why> nonsense = CheckOrder(question.order);
  const auto refuse = [](Refused refused) {
    const Why why = refused.why;
    const Starts feasible = refused.feasible;
    return Reply{std::move(refused), feasible, why};
  };
  if (nonsense.has_value()) return refuse(NeverOrBlocked(question.order, {}, nonsense));
  const std::vector<Members> ignored = GroupsOf(question.ignoring);
  for (const Members& group : ignored) PutGroup(overlay, group, false);
  std::optional<Apart> apart;
  if (Apart::IsNeeded(*this, question.order)) {
    apart.emplace(*this, question.order, question.allowed, overlay.Changing(), question.ignoring);
  }
  if (overlay.ahead.has_value() && !ignored.empty()) overlay.ahead->table.reset();
  const Occupancy& occupancy = overlay.occupancy();
  const Ruling ruling = rules_->On(question.order, occupancy.accounts(), now);
  if (ruling.refuses.has_value()) {
    for (const Members& group : ignored) PutGroup(overlay, group, true);
    return refuse(RefusedByRule(question.order, *ruling.refuses, now));
  }
  const CompiledWays compiled = WaysFor(question.order, ruling);
  if (compiled.ways.none.has_value()) {
    for (const Members& group : ignored) PutGroup(overlay, group, true);
    return refuse(NoWay(compiled.ways));
  }

  const IntervalSet inside = WithinHorizon(question.order, question.allowed, now);
  std::optional<Picked> picked;
  if (inside.Contains(question.asked)) picked = PickAt(occupancy, compiled, question.asked);
  // What starts as asked may still be worth less than what is wished for and starts soon.
  const bool waits = picked.has_value() && compiled.ways.wait > Span{0};
  if (!picked.has_value() || waits) {
    const IntervalSet open = waits ? inside.NotBefore(question.asked) : inside;
    picked = Pick(occupancy, question.order, ruling, compiled, open, std::nullopt, nullptr);
  }
  if (!picked.has_value()) {
    Reply reply = NoneAllowed(occupancy, compiled, ruling, question, now);
    for (const Members& group : ignored) PutGroup(overlay, group, true);
    return reply;
  }
  Found* const found = &picked->found;
  const Shape& shape = compiled.shapes[picked->way];
  const bool as_asked = found->start == question.asked;
  Reply reply;
  if (question.want_starts || !as_asked) {
    const IntervalSet rest = as_asked ? inside : inside.NotBefore(found->start);
    reply.feasible = question.want_starts
                         ? FeasibleBy(occupancy, compiled, rest, question.intervals)
                         : Search(occupancy, shape).From(*found, rest.intervals().front().end);
    const Instant end = LastStart(question.order, now) + Span{1};
    const bool cut = !question.allowed.NotBefore(end).empty();
    if (cut) reply.feasible.complete_until = std::min(reply.feasible.complete_until, end);
  }
  if (!as_asked) {
    reply.why = found->start == inside.intervals().front().begin
                    ? Why{Why::Code::kPolicy, "", "", "", found->start, "not allowed earlier"}
                    : WithSets(occupancy, question.order, ruling, inside, found->start,
                               WhyNotBefore(occupancy, question.order, found->start, found->mapping,
                                            shape));
  }
  // This comes after the reason, which explains the first free partition, not the one chosen here.
  if (!question.alternative) Arrange(overlay, question, shape, place, now, *found);
  auto uses = UsesOf(question.order, found->mapping, occupancy);
  std::vector<Chosen> chosen = ChosenBy(question.order, compiled.ways.all[picked->way]);
  reply.answer = Placed{found->start, std::move(found->mapping), TakenBy(uses), chosen};
  if (overlay.last) return reply;
  if (question.alternative) {
    for (const Members& group : ignored) PutGroup(overlay, group, true);
    return reply;
  }
  BookReply(overlay, ignored, as,
            MakeBooking(question.order, ruling, found->start, std::move(uses), std::move(chosen)));
  if (overlay.ahead.has_value() && !ignored.empty()) overlay.ahead->table.reset();
  return reply;
}

Reply Plan::NoneAllowed(const Occupancy& occupancy, const CompiledWays& compiled,
                        const Ruling& ruling, const Question& question, Instant now) const {
  Refused refused;
  const Instant from =
      question.allowed.empty() ? now : std::max(now, question.allowed.intervals()[0].begin);
  const std::optional<Picked> later =
      PickFirst(occupancy, compiled, WithinHorizon(question.order, IntervalSet::From(from), now),
                std::nullopt, [&](const Shape& shape, const IntervalSet& open) {
                  return Search(occupancy, shape).FirstIn(open);
                });
  if (later.has_value()) {
    refused.why = WhyNotBefore(occupancy, question.order, later->found.start, later->found.mapping,
                               compiled.shapes[later->way]);
  } else if (MapsNow(question.order, ruling)) {
    refused.why = BeyondHorizon(occupancy, question.order, compiled.shapes.front(), from, now);
  } else {
    refused = NeverOrBlocked(question.order, ruling, std::nullopt);
  }
  if (refused.kind == Refused::Kind::kLater) {
    refused.feasible.complete_until = LastStart(question.order, now) + Span{1};
  }
  Reply reply{std::move(refused), {}, std::nullopt};
  reply.feasible = std::get<Refused>(reply.answer).feasible;
  reply.why = std::get<Refused>(reply.answer).why;
  return reply;
}

}  // namespace muster::plan
