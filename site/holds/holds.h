// The room for a site's holds: orders, starts, ends, losses, drains and moves to earlier starts.
// The other classes of this folder are its inside: a chain that begins with the record of holds.
// Other rooms see only what is listed here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "site/holds/lending.h"

namespace muster::site {

// The permit of a local user's hold.
struct OwnPermit {
  Instant latest;  // latest start of its job
  Secret secret;
  bool was_promised = false;  // the job has lost a place: it is no new work
};
// A new place for such a hold, and a plan in which it is booked there.
struct OwnPlace {
  SitePlanner plan;
  verifier::Booked booked;
};

// Invariants: those of the base classes. A hold is touched whenever something of it may be due.
class Holds : private Lending {
 public:
  // REQUIRES: `ledger` has just been loaded. Rebuilds plan, nodes and ports, in fence order.
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
  using HoldBook::MovesInOrder, HoldBook::order, HoldBook::shares, HoldBook::WhyBarred,
      HoldBook::Date;
  using HoldBook::outside, HoldBook::OutsideRuns, HoldBook::Told, HoldBook::WhyBlind;
  using HoldBook::ready_of_several;
  using Loans::LentTo, Loans::RoomOf;

  // --- a turn, in this order
  void AfterRestart();  // first of all, in the first turn: carries out what a restart makes due
  using HoldBook::ForgetOldUse, HoldBook::JudgeShares, HoldBook::NextOfPolicy;
  using HoldBook::RankAnew;
  using HoldBook::SetLinked, HoldBook::Touch, HoldBook::TouchAll, HoldBook::TouchDue;
  using HoldBook::TakeNews;
  using HoldBook::TakeTouched, HoldBook::touched;
  using HoldProgress::Advance;
  using Improver::Backfill, Improver::MakeOffers;
  using Lending::LendRoom, Lending::LookAtLoans, Lending::NoteWhenDue, Lending::RollLoans;
  using NodeFailures::NodesBack;
  using Orders::AskedAs, Orders::IsAsked, Orders::Unask;
  using Orders::On, Orders::TakeAnswers, Orders::NextOfAsked, Orders::GiveUpAsked;
  // Deletes holds that are closed and acknowledged, and their traces at the driver. Returns the
  // writes of the turn.
  std::vector<schemas::Write<schemas::SiteRecord>> Settled();
  using HoldProgress::NextDue;
  using Improver::NextImprovement;
  using Lending::NextOfLoans;

  // --- the meta
  using HoldBook::HearStanding;
  using Orders::Take;
  // Carries out an order of an operator, or of the owner of a running part or a reservation. Each
  // order id is carried out once; if the order comes again, the result on record is reported again.
  void CarryOut(const schemas::Steer& steer);
  // Carries out what was asked for and is answered by now.
  void CarryOutAsked();
  // A meta with a higher epoch has welcomed the site: HELD holds expire (H8).
  void BeginEpoch(Epoch epoch);
  void Join(const std::string& federation) { records().SetFederation(federation); }
  // Takes over the meta's protocol values. Every hold is looked at again, since `lead` may have
  // changed; backfilling tries again the holds that need a link.
  void Welcome(const schemas::ProtocolValues& values);
  void RaiseFloor(const Fence& floor) { records().RaiseFloor(floor); }
  void Acknowledge(Revision revision) { records().Acknowledge(revision); }

  // --- the site's own users
  using Drains::Carry;
  using Extension::ExtendPart;
  using HoldBook::ReportHold;
  using Resizing::ResizePart;
  // Books and permits a hold in one write, without reporting it; a refusal leaves nothing behind.
  std::optional<schemas::VerdictEntry> PlaceOwn(const schemas::HoldOrder& order,
                                                const OwnPermit& permit);
  // Replaces the hold's order and, if given, its place. `later`: the cause on record if it starts
  // later there.
  void AlterOwn(const schemas::HoldOrder& order, std::optional<OwnPlace> place,
                const schemas::Cause& later, const OwnPermit& permit);
  void StopOwn(const Fence& fence, schemas::CauseCode why);
  uint64_t NextJob() { return records().NextLocal(); }
  schemas::LocalRecord& EditJob(uint64_t number) { return records().EditLocal(number); }
  void EraseJob(uint64_t number) { records().EraseLocal(number); }

 private:
  void Rebuild();
  // None: it is asked for.
  std::optional<schemas::Steered> CarryRunning(const schemas::Steer& steer);
  schemas::Steered Share(const schemas::Steer& steer);
  void Permit(schemas::HoldRecord& hold, const OwnPermit& permit) const;

  std::map<uint64_t, schemas::Steer> steers_asked_;  // whose result is still out, by order
};

}  // namespace muster::site
