// One rule covers duplicates, late messages and resync: apply revision r + 1, ignore anything
// older.
#include "verifier/mirror.h"

#include <algorithm>
#include <utility>

#include "schemas/canonical.h"
#include "verifier/part_booking.h"

namespace muster::verifier {
namespace {

using schemas::HoldState;
using schemas::MirrorPart;
using schemas::MirrorRecord;

MirrorPart& PartOf(MirrorRecord& hold, uint32_t index) {
  auto it = hold.parts.begin();
  while (it != hold.parts.end() && it->index < index) ++it;
  if (it == hold.parts.end() || it->index != index) it = hold.parts.insert(it, {.index = index});
  return *it;
}

void Book(MirrorRecord& hold, const schemas::PartBooking& booking) {
  if (booking.nodes.empty() && booking.rendezvous.empty()) return;
  schemas::PartBooking& kept = PartOf(hold, booking.index).booking;
  kept.index = booking.index;
  if (!booking.nodes.empty()) kept.nodes = booking.nodes;
  if (!booking.rendezvous.empty()) kept.rendezvous = booking.rendezvous;
  kept.extended = booking.extended;
  kept.counts = booking.counts;
  kept.slower = booking.slower;
  kept.group = booking.group;
  kept.lent = booking.lent;
  kept.recalls = booking.recalls;
  kept.lost = booking.lost;
  kept.saved = booking.saved;
}

struct Applier {
  MirrorRecord& hold;

  void operator()(const schemas::HoldChanged& c) {
    hold.state = c.state;
    hold.closed_as = c.closed_as;
    if (c.request.value != 0) hold.request = c.request;
    hold.cause = c.cause;
    if (c.state != HoldState::kClosed || c.start.seconds != 0) hold.start = c.start;
    if (c.deadline) hold.deadline = c.deadline;
    hold.started = c.started;
    for (const schemas::PartBooking& b : c.parts) Book(hold, b);
  }
  void operator()(const schemas::PartChanged& c) {
    MirrorPart& part = PartOf(hold, c.index);
    part.state = c.state;
    if (!part.started_at) part.started_at = c.started_at;
    if (c.started_at) hold.started = schemas::Started::kYes;
    if (c.state == schemas::PartState::kEnded) part.ended_at = c.at;
    if (c.end.by != schemas::EndedBy::kNotEnded) part.end = c.end;
    schemas::PartBooking booking = c.booking;
    booking.index = c.index;
    Book(hold, booking);
  }
  void operator()(const schemas::Moved& c) {
    // Like the ledger: a move to an earlier start keeps the cause of the last delay.
    const bool earlier = c.new_start < c.old_start;
    if (!earlier || hold.cause.code == schemas::CauseCode::kNone) hold.cause = c.cause;
    if (hold.state == HoldState::kClosed) return;
    hold.start = c.new_start;
    if (c.deadline) hold.deadline = c.deadline;
  }
  void operator()(const schemas::UsageChanged& c) {
    MirrorPart& part = PartOf(hold, c.index);
    part.usage = c.usage;
    part.usage_final = c.final;
  }
  void operator()(const schemas::Steered&) {}  // belongs to no hold
};

bool SameButRevision(MirrorRecord a, const MirrorRecord& b) {
  a.revision = b.revision;
  return a == b;
}

}  // namespace

void Mirror::Restore(MirrorRecord record) {
  const Fence fence = record.fence;
  holds_[fence] = std::move(record);
}

const MirrorRecord* Mirror::Find(const Fence& fence) const {
  const auto it = holds_.find(fence);
  return it == holds_.end() ? nullptr : &it->second;
}

void Mirror::Apply(const schemas::Change& change) {
  if (std::holds_alternative<schemas::Steered>(change.what)) return;
  due_.insert(change.fence);
  MirrorRecord& hold = holds_[change.fence];
  hold.site = site_;
  hold.fence = change.fence;
  std::visit(Applier{hold}, change.what);
  hold.revision = change.revision;
}

Mirror::Outcome Mirror::Apply(const schemas::Report& report) {
  Outcome out;
  if (report.after.revision > position_.revision) {
    out.heard = Heard::kGap;
    return out;
  }
  if (report.after.revision == position_.revision && report.after.digest != position_.digest) {
    out.heard = Heard::kDiverged;
    return out;
  }
  for (const schemas::Change& change : report.changes) {
    if (change.revision <= position_.revision) continue;
    if (change.revision.value != position_.revision.value + 1) {
      out.heard = Heard::kGap;
      return out;
    }
    moved_ = true;
    position_.revision = change.revision;
    position_.digest = schemas::ChainDigest(position_.digest, change);
    Apply(change);
    out.applied.push_back(change);
  }
  return out;
}

bool Mirror::Take(const schemas::Listing& page, std::vector<Fence>& changed) {
  if (page.first) pages_.clear();
  for (const schemas::HoldRecord& hold : page.holds) {
    pages_[hold.order.fence] = MirrorOf(site_, hold);
  }
  if (!page.last) return false;
  for (auto& [fence, record] : holds_) {
    const auto listed = pages_.find(fence);
    if (listed == pages_.end()) {
      if (Forgot(fence)) changed.push_back(fence);
    } else {
      if (!SameButRevision(listed->second, record)) changed.push_back(fence);
      record = std::move(listed->second);
      pages_.erase(listed);
    }
  }
  for (auto& [fence, record] : pages_) {
    holds_[fence] = std::move(record);
    changed.push_back(fence);
  }
  pages_.clear();
  for (const auto& [fence, record] : holds_) due_.insert(fence);
  moved_ = true;
  position_ = page.feed;
  return true;
}

bool Mirror::Forgot(const Fence& fence) {
  const auto it = holds_.find(fence);
  if (it == holds_.end() || it->second.state == HoldState::kClosed) return false;
  due_.insert(fence);
  MirrorRecord& hold = it->second;
  // A permitted hold that its site forgot may have run; that cannot be determined any more.
  if (hold.state == HoldState::kPermitted && hold.started == schemas::Started::kNo) {
    hold.started = schemas::Started::kUnknown;
  }
  hold.state = HoldState::kClosed;
  hold.closed_as = schemas::ClosedAs::kDropped;
  hold.cause = {schemas::CauseCode::kForgot, {.site = site_}, "site:" + site_};
  return true;
}

void Mirror::Erase(const Fence& fence) {
  due_.insert(fence);
  holds_.erase(fence);
}

MirrorRecord MirrorOf(const std::string& site, const schemas::HoldRecord& hold) {
  MirrorRecord out;
  out.site = site;
  out.fence = hold.order.fence;
  out.request = hold.order.request;
  out.state = hold.state;
  out.closed_as = hold.closed_as;
  out.cause = hold.cause;
  out.start = hold.start;
  if (hold.deadline) out.deadline = hold.deadline->wall;
  out.started = hold.started;
  out.revision = hold.revision;
  for (const schemas::PartRecord& part : hold.parts) {
    MirrorPart p;
    p.index = part.index;
    p.state = part.state;
    p.booking = BookingOf(part);
    p.started_at = part.started_at;
    p.ended_at = part.ended_at;
    p.end = part.end;
    p.usage = part.usage;
    p.usage_final = part.usage_final;
    out.parts.push_back(std::move(p));
  }
  return out;
}

}  // namespace muster::verifier
