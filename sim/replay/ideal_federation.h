// A federation in virtual time over an ideal link: the real cores, where each message arrives in
// the same instant, in order. There is no codec and no store, since nothing crashes. With link
// delays it behaves like daemons: messages take time, sites send heartbeats, and the meta judges
// sites by when it last heard them. scheduling.md section 10 (Ideal link), architecture.md section
// 3 rule 2.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "meta/core.h"
#include "sim/replay/link.h"
#include "site/core.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim {

// Observes a federation, in the order of events.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  virtual void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) = 0;
  virtual void OnSiteWrites(size_t /*site*/,
                            const std::vector<schemas::Write<schemas::SiteRecord>>&) {}
  // The meta finished a search for a common start of a request's parts.
  virtual void OnSearched(const meta::CommonStart&) {}
  virtual void OnTold(const meta::ClientAnswer& answer) = 0;
  // A part started / ended; `command` is its site's order to the driver.
  virtual void OnStarted(size_t site, const driver::StartPart& command, Moment at) = 0;
  virtual void OnEnded(size_t site, const driver::StartPart& command,
                       const driver::PartEnded& ended) = 0;
  // A part has another place than `was`, and runs on.
  virtual void OnResized(size_t /*site*/, const driver::StartPart& /*command*/,
                         const schemas::PartPlace& /*was*/) {}
  // The program of a part would have so many processors from now on.
  virtual void OnWants(size_t /*site*/, const driver::StartPart& /*command*/,
                       int64_t /*processors*/) {}
};

// What a federation begins with: the records of its daemons' stores, and what runs at its sites.
struct IdealRecords {
  struct Running {
    driver::StartPart command;
    Moment started_at;
  };
  struct Site {
    std::vector<std::pair<std::string, schemas::SiteRecord>> records;
    std::vector<Running> running;
  };
  std::vector<std::pair<std::string, schemas::MetaRecord>> meta;
  std::vector<Site> sites;  // in the order of the options; empty: all are new
};

struct IdealOptions {
  meta::Options meta;                    // `sites` is filled from those below
  std::vector<site::Options> sites;      // names are unique
  std::vector<std::string> absent = {};  // further sites of the federation, which never show up
  // How a try of a part at a site, by its index, goes; it depends on nothing but these. Null: all
  // run for their whole walltime.
  std::function<driver::SimulatedFate(size_t site, const driver::StartPart& part)> fate_of;
  // Programs of parts at each site; null: parts run for as long as their fate says.
  std::shared_ptr<const driver::Applications> applications = nullptr;
  Moment begins;                   // wall clock at the first instant
  std::optional<LinkDelays> link;  // none: ideal
  // Optional hooks that may change messages between the meta and a site.
  std::function<void(schemas::ToSite&)> to_site = nullptr;
  std::function<void(schemas::ToMeta&)> to_meta = nullptr;
};

class IdealFederation {
 public:
  // Constructs a federation whose sites are all connected and up. `onlooker` may be null; otherwise
  // it outlives this.
  IdealFederation(IdealOptions options, Onlooker* onlooker);
  // One whose daemons start again from records, with the parts that run. Errors: a core refuses its
  // records.
  static absl::StatusOr<std::unique_ptr<IdealFederation>> From(IdealOptions options,
                                                               IdealRecords records,
                                                               Onlooker* onlooker);
  ~IdealFederation();

  // An independent copy with its own onlooker, to run ahead: what would happen if nobody else came
  // and every part ran as long as it may. REQUIRES: nothing is due before now.
  std::unique_ptr<IdealFederation> Ahead(Onlooker* onlooker) const;

  Moment Wall() const;
  Now Clocks() const;
  // When a part starts or ends, a message arrives or a core is due next, not before now; none if
  // nothing is.
  std::optional<Moment> Next() const;
  // Advances the clock to `at`. Parts that start or end then and messages that arrive then take
  // effect, with all consequences. REQUIRES: nothing is due before `at`.
  void GoTo(Moment at);
  // A user sends a message to the meta; it arrives at once.
  void Say(const std::string& user, schemas::ClientMessage message);
  // A site's own user sends a message to the site.
  void SayAtSite(size_t index, const std::string& user, schemas::ClientMessage message);
  // Runs all that is due at this instant, with all consequences.
  void Timers();

  size_t turns() const { return turns_; }
  const meta::Core& meta() const { return *meta_; }
  const site::Core& site(size_t index) const;

 private:
  struct SiteHost;
  IdealFederation(const IdealFederation& other, Onlooker* onlooker);
  // Without daemons; Start makes them.
  IdealFederation(const IdealOptions& options, Onlooker* onlooker, BootInstant begin);
  absl::Status Start(IdealOptions options, IdealRecords records);

  bool Due(const std::optional<BootInstant>& next) const;
  // Moves arrived messages to the mailboxes.
  void Deliver();
  void Hear(SiteHost& host, schemas::ToSite message);
  void MetaTurn(std::vector<meta::Event> events);
  void SiteTurn(size_t index);
  // Runs turns until the site has nothing more to do at this instant, so that nobody sees half of a
  // plan.
  void SiteTurns(size_t index);
  void TakeDriverEvents(size_t index);
  void Resized(size_t index, const driver::ResizePart& resize);
  // Runs turns until no core has anything to do at this instant.
  void Settle();

  Onlooker* onlooker_;
  std::function<void(schemas::ToSite&)> to_site_;
  std::function<void(schemas::ToMeta&)> to_meta_;
  Moment begins_;
  BootInstant now_;
  std::optional<meta::Core> meta_;
  std::optional<BootInstant> meta_next_;
  std::vector<meta::Event> meta_mail_;
  std::vector<std::unique_ptr<SiteHost>> sites_;
  std::optional<LinkDelays> delays_;
  Random random_;
  uint64_t secrets_ = 0;
  size_t turns_ = 0;
};

}  // namespace muster::sim
