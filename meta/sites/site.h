// One site as the meta knows it: its link, the mirror of its holds, what it last said of itself.
// protocol.md sections 2, 3.4 and 7.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/sites/move_order.h"
#include "meta/waiting/committed_plan.h"
#include "partitioner/shadow.h"
#include "schemas/inspect.h"
#include "schemas/meta_records.h"
#include "schemas/site_link.h"
#include "verifier/mirror.h"
#include "verifier/site_link_meta.h"

namespace muster::meta {

// Invariant: when the stored part (Stored) differs from the store, a write is pending.
class Site {
 public:
  std::string name;
  verifier::SiteLinkMeta link;
  verifier::Mirror mirror;
  std::string connection;  // the welcomed connection; empty before the first hello of this epoch
  Moment heard;            // plan time and boot time of its last message
  BootInstant heard_boot;
  std::optional<schemas::Capacity> capacity;
  PlanRevision plan;
  Revision reach;            // SYNCING ends when the mirror has this revision
  BootInstant resync_after;  // until then neither changes nor a lost listing are asked for again
  bool resync_all = false;   // a listing was asked for and has not come
  // The newest report with changes; a listing sent before it describes an older ledger.
  MessageNumber newest_report;
  Moment peer_sent;  // its last clock stamp, to be echoed, and when that came
  Moment peer_received;
  bool disk_low = false;
  bool clock_warned = false;
  uint32_t strangers = 0;  // messages with the site's incarnation from another connection
  partitioner::Shadow shadow;
  room::CommittedPlan committed;
  std::set<Fence> attempts;  // open attempts with a member here
  // Orders of holds that the meta did not know, from a listing.
  std::map<Fence, schemas::HoldOrder> listed;
  std::set<Fence> unknown;       // unknown holds that wait for that listing
  std::set<Fence> unwanted;      // unknown holds that were ordered to be released, and are not yet
  BootInstant unwanted_said_at;  // when that order was last given

  MoveOrder move_order;
  // Values of the federation's shares that it was told since its last welcome, by who.
  std::optional<std::map<std::string, int64_t>> told_shares;

  // kDialWait has passed since the start of this epoch, so a site that is DOWN counts as silent.
  bool overdue = false;

  Incarnation incarnation() const { return incarnation_; }  // the highest heard
  // When an operator gave the site up; unset if it was heard since.
  const std::optional<Moment>& forgotten() const { return forgotten_; }
  // Notes a hello with this incarnation; the record is written with this turn.
  void HearAs(Incarnation incarnation) {
    incarnation_ = incarnation;
    forgotten_.reset();
    due_ = true;
  }
  void Forget(Moment at) {
    forgotten_ = at;
    due_ = true;
  }
  // Loads the stored record without writing it again.
  void Restore(const schemas::SiteLinkRecord& record) {
    incarnation_ = record.incarnation;
    forgotten_ = record.forgotten;
    mirror.Restore(record.feed);
  }
  schemas::SiteLinkRecord Stored() const {
    return {name, incarnation_, mirror.position(), forgotten_};
  }
  // True once after the stored part of the link, or the mirror's position, has changed.
  bool TakeDue() {
    const bool moved = mirror.TakeMoved();
    return std::exchange(due_, false) || moved;
  }

  // What the site said last that it can do (site/planning/capabilities.h).
  bool Can(std::string_view capability) const {
    if (!capacity) return false;
    const std::vector<std::string>& all = capacity->capabilities;
    return std::find(all.begin(), all.end(), capability) != all.end();
  }
  bool Up() const { return link.Up(); }
  // Whether nothing is expected of the site. After a start of the meta, sites have time to dial
  // first.
  bool Silent() const {
    return link.state() == schemas::SiteState::kSilent ||
           (link.state() == schemas::SiteState::kDown && overdue);
  }
  // Whether orders reach the site: it was welcomed and is not silent.
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
