// Walls: how nodes that are booked are kept from those who use the machine without muster. A part
// on nodes outside of the driver's commons stands behind one. protocol.md section 3.1 (asked).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "site/holds/hold_book.h"

namespace muster::site {

// Invariants: every wall that was asked for and not dropped is here, with the last that was asked.
// A wall belongs to one fence: that of a hold on record, or of one that is to be recorded once its
// walls stand. Nothing of it is on record.
class Walls : public HoldBook {
 public:
  using HoldBook::HoldBook;

  // Puts, changes and drops walls as the holds that changed in this turn need them.
  void KeepWalls();

 protected:
  // How a hold's walls are left to whoever asked for them: until LeaveWalls, KeepWalls keeps off.
  void TakeOverWalls(const Fence& fence) { taken_over_.insert(fence); }
  void LeaveWalls(const Fence& fence) { taken_over_.erase(fence); }
  bool IsTakenOver(const Fence& fence) const { return taken_over_.contains(fence); }

  // The place as a driver takes it whose machine others use, too: of an exclusive part an entry
  // without resources blocks the whole of each of its nodes.
  static schemas::PartPlace Blocking(const schemas::PartDemand& demand, schemas::PartPlace place);
  // The walls that these places need, as the plan has them booked under `booked`; they bear the
  // name of `fence`. Empty: all of it is in the commons, or inside of a reservation, or the site
  // has no walls.
  std::vector<driver::PutWall> WallsOf(const Fence& fence, const Fence& booked,
                                       const schemas::HoldOrder& order, Instant start,
                                       const std::vector<schemas::PartPlace>& places) const;
  // Of a hold on record.
  std::vector<driver::PutWall> WallsOf(const schemas::HoldRecord& hold) const;
  // Asks for these and no others; those that are asked for already are not asked for again.
  void Want(const Fence& fence, std::vector<driver::PutWall> walls);
  void WantNone(const Fence& fence) { Want(fence, {}); }
  void KeepWallsOf(const Fence& fence);
  // All that was asked for stands.
  bool WallsStand(const Fence& fence) const;
  // Every wall that the hold needs stands, for long enough; inside of a reservation, those of that.
  bool HasItsWalls(const schemas::HoldRecord& hold) const;
  // How many more may be put.
  size_t WallsLeft() const;
  // The wall behind which the part starts; "": none.
  std::string WallFor(const schemas::HoldRecord& hold, uint32_t index) const;
  // After a restart: everything that the site has at the driver.
  void TellAllWalls();

  // The fence whose wall this was; none: nobody waits for that answer any more. A refused one is
  // again what stood under its name, if something did. The nodes that were refused are not booked
  // for those times for a while.
  std::optional<Fence> TakeStood(const driver::WallStands& event);
  std::optional<Fence> TakeRefused(const driver::WallRefused& event);
  std::optional<Fence> TakeLost(const driver::WallLost& event);

 private:
  struct Wall {
    Fence fence;
    driver::PutWall asked;
    bool stands = false;
    bool inherited = false;  // another daemon put it, and what stands of it is not known
    std::optional<driver::PutWall> before;    // what stands until `asked` does
    std::map<uint64_t, driver::PutWall> out;  // not answered yet, by serial
  };
  std::string NameOf(const Fence& fence, std::optional<uint32_t> part) const;
  ResourceSet OfTheMachine(const ResourceSet& jobwide) const;

  std::map<std::string, Wall> walls_;  // by name
  std::map<Fence, std::set<std::string>> names_;
  std::set<Fence> taken_over_;
  uint64_t NextSerial();
  uint64_t serials_ = 0;
};

}  // namespace muster::site
