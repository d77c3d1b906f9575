// What a hold's record says by itself, without a plan or a clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"
#include "schemas/site_records.h"
#include "site/policy/credentials.h"
#include "verifier/part_booking.h"
#include "verifier/planner.h"

namespace muster::site {

// The part with this index. REQUIRES: the hold has one.
const schemas::PartDemand& DemandOf(const schemas::HoldRecord& hold, uint32_t index);
schemas::PartRecord& PartOf(schemas::HoldRecord& hold, uint32_t index);
const schemas::PartRecord& PartOf(const schemas::HoldRecord& hold, uint32_t index);

verifier::Demand DemandOf(const schemas::HoldOrder& order);
// The names of a hold, and of one of its parts, in messages to others: "42"; if the job has several
// parts "42.1".
std::string LabelOf(const schemas::HoldOrder& order);
std::string ShownAs(const schemas::HoldOrder& order, uint32_t index);

// The feed change that shows the present state of a hold, and its entry for one part.
schemas::HoldChanged HoldChangedOf(const schemas::HoldRecord& hold);
using verifier::BookingOf;
// What the meta is told of a part whose record has changed. `at`: when it changed.
schemas::PartChanged ChangeOf(const schemas::PartRecord& part, Moment at);

// What is left of its ordered duration, at the reference speed: less what recalled lives have
// saved.
Span LeftOf(const schemas::HoldRecord& hold, uint32_t index);
// How long the part may run, from its start: what is left of its duration on these nodes, plus its
// extensions, plus the time that it was paused.
Span RunTime(const schemas::HoldRecord& hold, uint32_t index);
// The number of sets that the part has now, by chunk.
std::vector<uint64_t> CountsOf(const schemas::PartRecord& part, const schemas::PartDemand& demand);
// How long after the hold's start its permit may come without moving it: the tail booked for that;
// 0 if it has none.
Span PermitWait(const schemas::HoldRecord& hold);

// Of a life of the part, on lent room or for good: its nodes, its token, and whether the driver is
// to confirm that it begins, or that its processes are gone.
const schemas::PartPlace& PlaceNow(const schemas::PartRecord& part);
const std::string& TokenNow(const schemas::PartRecord& part);
// What of this place a life keeps while it is paused: all but its cores.
schemas::PartPlace WithoutCores(schemas::PartPlace place);
// Whether its life on lent room is off its cores, and for how long it has been by then, up to the
// word to end.
bool IsOffItsCores(const schemas::PartRecord& part);
Span InSeconds(BootSpan paused);  // rounded up
BootSpan PausedBy(const schemas::Loan& loan, Moment at);
bool IsBeginning(const schemas::PartRecord& part);
bool IsEnding(const schemas::PartRecord& part);

bool WaitsToStart(schemas::PartState state);  // BOOKED or READY
// Has neither begun nor ended. A start that was asked for may still fail, and the part then waits.
bool HasNotBegun(const schemas::PartRecord& part);
bool OneMember(const schemas::HoldRecord& hold);   // no other site has a part of it
bool HasStarted(const schemas::HoldRecord& hold);  // a part is STARTING or beyond
bool IsLent(const schemas::HoldRecord& hold);      // a part has a loan: it runs, or is about to
bool HasOnlyLentRoom(const schemas::HoldRecord& hold);
// Whether nodes that it has can be taken back: it has a loan, or only lent room and has begun.
bool CanBeRecalled(const schemas::HoldRecord& hold);
// Whether the part, with only lent room, was told to end because others are due there.
bool IsRecalled(const schemas::PartRecord& part);
// Whether something of it may run, for good or on lent room.
bool MayRun(const schemas::HoldRecord& hold);
bool AllEnded(const schemas::HoldRecord& hold);
bool IsLive(const schemas::HoldRecord& hold);
bool Reserves(const schemas::HoldRecord& hold);    // a reservation: other holds run inside it
bool IsStopping(const schemas::HoldRecord& hold);  // H13: released, processes not gone yet

}  // namespace muster::site
