// Machines with a geometry: which of the free partitions a verdict takes, and why there was none
// before. CCS Sect. 4.2: verification brings a known set of requests, and mapping the set together
// leaves fewer holes.
#include <algorithm>
#include <utility>

#include "site/plan/free_units.h"
#include "site/plan/mapper.h"
#include "site/plan/overlay.h"
#include "site/plan/partition.h"
#include "site/plan/plan.h"
#include "site/plan/search.h"

namespace muster::plan {
namespace {

using machine::Bits;
using machine::Choice;

bool Alike(const Part& a, const Part& b) {
  const auto same = [](const Chunk& x, const Chunk& y) {
    return x.count == y.count && x.resources == y.resources && x.properties == y.properties;
  };
  return a.place == b.place && a.offset == b.offset && a.length == b.length &&
         std::equal(a.chunks.begin(), a.chunks.end(), b.chunks.begin(), b.chunks.end(), same);
}

Mapping On(const Bits& units, const PartShape& part, const machine::Machine& machine) {
  std::vector<Assignment> assigned = Fill(part, units, machine);
  ToChunks(part, assigned);
  return {std::move(assigned)};
}

// The timetable of which units are busy when, from `from` on.
machine::Timetable TimetableOf(const Occupancy& occupancy, Instant from) {
  const machine::Machine& machine = occupancy.machine();
  machine::Timetable table(machine.geometry()->unit_count());
  for (uint32_t node = 0; node < machine.node_count(); ++node) {
    Bits unit(machine.geometry()->unit_count());
    unit.Set(machine.UnitOf(node));
    const rusv::Rusv& used = occupancy.Of(node, occupancy.share());
    for (Instant t = from; t < kFarFuture;) {
      const Instant end = used.NextEdge(t);
      if (used.At(t) > 0) table.Take(unit, t, end);
      t = end;
    }
  }
  return table;
}

}  // namespace

std::optional<Plan::Ahead> Plan::LookAhead(const std::vector<Question>& questions) const {
  if (machine_->geometry() == nullptr || settings_.choice == Choice::kFirstFit) return std::nullopt;
  Ahead ahead;
  for (const Question& question : questions) {
    const std::vector<Part>& parts = question.order.parts;
    const bool counts = !question.alternative && parts.size() == 1;
    if (counts && !CheckOrder(question.order).has_value()) {
      const CompiledWays compiled = WaysFor(question.order, {});
      if (!compiled.shapes.empty()) {
        ahead.wanted.push_back(*compiled.shapes.front().parts.front().partition);
      }
    }
    ahead.after.push_back(ahead.wanted.size());
  }
  return ahead;
}

void Plan::Arrange(Overlay& overlay, const Question& question, const Shape& shape, size_t place,
                   Instant now, Found& found) {
  if (!overlay.ahead.has_value() || shape.parts.size() != 1) return;
  Ahead& ahead = *overlay.ahead;
  const PartShape& part = shape.parts.front();
  if (!ahead.table.has_value()) {
    ahead.table = TimetableOf(overlay.occupancy(), now - settings_.turnover);
  }
  const std::span<const machine::Wanted> coming(ahead.wanted);
  const Bits free = FreeUnits(overlay.occupancy(), part).At(found.start);
  const machine::Placement placement =
      Choose(*machine_->geometry(), *ahead.table, found.start, *part.partition, free,
             coming.subspan(ahead.after[place]), settings_.choice, ahead.nodes);
  const Bits units = machine_->geometry()->UnitsAt(placement);
  found.mapping = On(units, part, *machine_);
  const Instant begin = found.start + part.shift;
  ahead.table->Take(units, begin, begin + part.length);
  verified_.push_back({question.order.parts.front(), found.start, units});
}

// Takes the partition that the verdict chose, if it is still free.
void Plan::ArrangeAsVerified(const Occupancy& occupancy, const Order& order, const Ruling& ruling,
                             Placed& placed) const {
  if (order.parts.size() != 1) return;
  for (const Verified& verified : verified_) {
    if (verified.start != placed.start || !Alike(verified.part, order.parts.front())) continue;
    const CompiledWays compiled = WaysFor(order, ruling);
    for (size_t w = 0; w < compiled.shapes.size(); ++w) {
      if (ChosenBy(order, compiled.ways.all[w]) != placed.chosen) continue;
      const PartShape& part = compiled.shapes[w].parts.front();
      if (!FreeUnits(occupancy, part).At(placed.start).Contains(verified.units)) continue;
      placed.mapping = On(verified.units, part, *machine_);
      placed.taken = TakenBy(UsesOf(order, placed.mapping, occupancy_));
      return;
    }
  }
}

Why Plan::OfTopology(const Occupancy& occupancy, const Shape& shape, Instant start, Why why) const {
  if (shape.parts.size() != 1 || why.code != Why::Code::kBooking) return why;
  const PartShape& part = shape.parts.front();
  if (!part.partition.has_value()) return why;
  const size_t free = FreeUnits(occupancy, part).At(start - Span{1}).Count();
  if (free < UnitsWanted(*part.partition)) return why;
  const std::string form = machine_->geometry()->TextOf(part.partition->forms.front());
  why.code = Why::Code::kTopology;
  why.text = std::to_string(free) + " units are free before, but none of its forms, as " + form +
             ", lies among them; " + why.text;
  return why;
}

}  // namespace muster::plan
