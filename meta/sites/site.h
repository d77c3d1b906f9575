// One site as the meta knows it: its link, the mirror of its holds, what it last said of itself.
// protocol.md sections 2, 3.4 and 7.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/time.h"
#include "meta/waiting/committed_plan.h"
#include "partitioner/shadow.h"
#include "schemas/inspect.h"
#include "schemas/meta_records.h"
#include "schemas/site_link.h"
#include "verifier/mirror.h"
#include "verifier/site_link_meta.h"

namespace muster::meta {

// One site: its link, the mirror of its holds, and what it last said of itself. Invariant: what
// differs from the store is due.
class Site {
 public:
  std::string name;
  verifier::SiteLinkMeta link;
  verifier::Mirror mirror;
  std::string connection;  // the welcomed one; empty before the first hello of this epoch
  Moment heard;            // plan time and boot time of its last message
  BootInstant heard_boot;
  std::optional<schemas::Capacity> capacity;
  PlanRevision plan;
  Revision reach;            // SYNCING ends when the mirror has it
  BootInstant resync_after;  // not before
  bool resync_all = false;   // a listing was asked for and has not come
  MessageNumber
      newest_report;  // that brought changes: what was sent before it speaks of an older ledger
  Moment peer_sent;   // to be echoed: its last stamp and when it came
  Moment peer_received;
  bool disk_low = false;
  bool clock_warned = false;
  uint32_t strangers = 0;  // messages of this incarnation by another connection
  partitioner::Shadow shadow;
  room::CommittedPlan committed;
  std::set<Fence> attempts;  // not closed, with a member here
  std::map<Fence, schemas::HoldOrder>
      listed;                    // orders of holds the meta did not know, from a listing
  std::set<Fence> unknown;       // such holds that wait for that listing
  std::set<Fence> unwanted;      // such holds that were told to be released, and are not yet
  BootInstant unwanted_said_at;  // last

  bool overdue = false;  // it had kDialWait since the start of this epoch, and did not dial

  Incarnation incarnation() const { return incarnation_; }  // highest heard
  // Given up by an operator, and not heard since.
  const std::optional<Moment>& forgotten() const { return forgotten_; }
  // It said hello: written with this turn.
  void HearAs(Incarnation incarnation) {
    incarnation_ = incarnation;
    forgotten_.reset();
    due_ = true;
  }
  void Forget(Moment at) {
    forgotten_ = at;
    due_ = true;
  }
  // As the store has it: not written again.
  void Restore(const schemas::SiteLinkRecord& record) {
    incarnation_ = record.incarnation;
    forgotten_ = record.forgotten;
    mirror.Restore(record.feed);
  }
  schemas::SiteLinkRecord Stored() const {
    return {name, incarnation_, mirror.position(), forgotten_};
  }
  // True once after what is stored of the link, or the mirror's position, has changed.
  bool TakeDue() {
    const bool moved = mirror.TakeMoved();
    return std::exchange(due_, false) || moved;
  }

  bool Up() const { return link.Up(); }
  // Nothing is to be expected of it; after a start of the meta sites have time to dial first.
  bool Silent() const {
    return link.state() == schemas::SiteState::kSilent ||
           (link.state() == schemas::SiteState::kDown && overdue);
  }
  // Orders reach it: welcomed, and not silent.
  bool Listens() const {
    const schemas::SiteState s = link.state();
    return s == schemas::SiteState::kUp || s == schemas::SiteState::kSyncing ||
           s == schemas::SiteState::kQuarantined;
  }

 private:
  Incarnation incarnation_;
  std::optional<Moment> forgotten_;
  bool due_ = false;
};

}  // namespace muster::meta
