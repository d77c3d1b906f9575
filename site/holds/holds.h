// The room of what is held at a site: orders, starts, ends, losses and drains, what moves earlier.
// The classes below it in this folder are its inside: a chain from the record of holds up, of which
// other rooms see what is listed here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "site/holds/improver.h"

namespace muster::site {

// What a hold of the site's own users is permitted with.
struct OwnPermit {
  Instant latest;  // that its job may start
  Secret secret;
};
// Where such a hold is to go: the plan that has it there.
struct OwnPlace {
  SitePlanner plan;
  verifier::Booked booked;
};

// Invariants: as of the classes below. A hold is touched whenever something of it may be due.
class Holds : private Improver {
 public:
  // From a ledger that has just been loaded: plan, nodes and ports are rebuilt, in fence order.
  Holds(Options told, verifier::Ledger ledger, Now now);

  // --- the rooms below
  using Nodes::PartsOn;
  using Planning::plan;
  using Turn::BeginTurn, Turn::TakeEffects, Turn::SetDiskLow, Turn::disk_low;
  using Turn::Note, Turn::Nonsense, Turn::Drive, Turn::Send, Turn::ReadAgain;
  using Turn::options, Turn::turn, Turn::now, Turn::now_floor, Turn::plan_clock;

  // --- what is on record
  using Drains::TryMoves;
  using HoldBook::ledger, HoldBook::live, HoldBook::values, HoldBook::Own, HoldBook::IsDown;
  using HoldBook::ready_of_several;

  // --- a turn, in this order
  void AfterRestart();  // what a restart makes due: before anything starts
  using DriverEvents::On;
  using HoldBook::SetLinked, HoldBook::Touch, HoldBook::TouchAll, HoldBook::TouchDue;
  using HoldBook::TakeNews;
  using HoldBook::TakeTouched, HoldBook::touched;
  using HoldProgress::Advance;
  using Improver::Backfill, Improver::MakeOffers;
  using NodeFailures::NodesBack;
  // Deletes what is closed and acknowledged, and its traces at the driver; the batch of the turn.
  std::vector<schemas::Write<schemas::SiteRecord>> Settled();
  using HoldProgress::NextDue;
  using Improver::NextImprovement;

  // --- the meta
  using Orders::Take;
  // An operator's order or the owner's on what runs: once by its number, with its result on record.
  void CarryOut(const schemas::Steer& steer);
  // A meta of a higher epoch: what is only leased ends (H8).
  void BeginEpoch(Epoch epoch);
  void Join(const std::string& federation) { records().SetFederation(federation); }
  // Leases and leads may differ, and who waited for the meta has it.
  void Welcome(const schemas::ProtocolValues& values);
  void RaiseFloor(const Fence& floor) { records().RaiseFloor(floor); }
  void Acknowledge(Revision revision) { records().Acknowledge(revision); }

  // --- the site's own users
  using Drains::Carry;
  using Extension::ExtendPart;
  using HoldBook::ReportHold;
  using Resizing::ResizePart;
  // Books and permits in one write, not reported yet; a refusal leaves nothing behind.
  std::optional<schemas::VerdictEntry> PlaceOwn(const schemas::HoldOrder& order,
                                                const OwnPermit& permit);
  // The hold gets another order and, if given, another place; `later` is why it starts later there.
  void AlterOwn(const schemas::HoldOrder& order, std::optional<OwnPlace> place,
                const schemas::Cause& later, const OwnPermit& permit);
  void StopOwn(const Fence& fence, schemas::CauseCode why);
  uint64_t NextJob() { return records().NextLocal(); }
  schemas::LocalRecord& EditJob(uint64_t number) { return records().EditLocal(number); }
  void EraseJob(uint64_t number) { records().EraseLocal(number); }

 private:
  void Rebuild();
  schemas::Steered CarryRunning(const schemas::Steer& steer);
  schemas::Steered Share(const schemas::Steer& steer);
  void Permit(schemas::HoldRecord& hold, const OwnPermit& permit) const;
};

}  // namespace muster::site
