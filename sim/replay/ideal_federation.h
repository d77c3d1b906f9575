// A federation in virtual time over an ideal link: the real cores, and between them nothing. What
// one says the other hears in the same instant, in order; there is no codec and no store, since
// nobody crashes here. With delays the link is as daemons have it: messages are under way, sites
// beat, and the meta goes by when it heard them last. scheduling.md section 10 (Ideal link),
// architecture.md section 3 rule 2.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "meta/core.h"
#include "sim/replay/link.h"
#include "site/core.h"
#include "site/driver/simulated/simulated_driver.h"

namespace muster::sim {

// What an onlooker sees, in the order in which it happens.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  virtual void OnMetaWrites(const std::vector<schemas::Write<schemas::MetaRecord>>& writes) = 0;
  // The meta has searched for a common start of a request's parts.
  virtual void OnSearched(const meta::CommonStart&) {}
  virtual void OnTold(const meta::ClientAnswer& answer) = 0;
  // A part runs, or is gone; `command` is what its site asked for.
  virtual void OnStarted(size_t site, const driver::StartPart& command, Moment at) = 0;
  virtual void OnEnded(size_t site, const driver::StartPart& command,
                       const driver::PartEnded& ended) = 0;
};

struct IdealOptions {
  meta::Options meta;                // `sites` is filled from those below
  std::vector<site::Options> sites;  // named apart
  driver::SimulatedMachine::FateOf fate_of;
  Moment begins;                   // the wall clock at the first instant
  std::optional<LinkDelays> link;  // none: ideal
  // What is between the meta and a site may change what they say; none: nothing is.
  std::function<void(schemas::ToSite&)> to_site = nullptr;
  std::function<void(schemas::ToMeta&)> to_meta = nullptr;
};

class IdealFederation {
 public:
  // Every site has dialled and is up. `onlooker` may be null, else it outlives this.
  IdealFederation(IdealOptions options, Onlooker* onlooker);
  ~IdealFederation();

  // A copy that goes its own way, told to its own onlooker: what would become of all this if nobody
  // else came and every part ran as long as it may. REQUIRES: nothing is due before now.
  std::unique_ptr<IdealFederation> Ahead(Onlooker* onlooker) const;

  Moment Wall() const;
  Now Clocks() const;
  // When a part ends or a core wants its turn next, not before now.
  std::optional<Moment> Next() const;
  // The clock goes on to `at`; parts that end there do, and all that follows from it. REQUIRES:
  // nothing is due before `at`.
  void GoTo(Moment at);
  // A user speaks, and is heard at once.
  void Say(const std::string& user, schemas::ClientMessage message);
  // A user of a site itself does.
  void SayAtSite(size_t index, const std::string& user, schemas::ClientMessage message);
  // What time has made due at this instant, and all that follows.
  void Timers();

  size_t turns() const { return turns_; }
  const meta::Core& meta() const { return *meta_; }
  const site::Core& site(size_t index) const;

 private:
  struct SiteHost;
  IdealFederation(const IdealFederation& other, Onlooker* onlooker);

  bool Due(const std::optional<BootInstant>& next) const;
  // What has arrived is mail.
  void Deliver();
  void Hear(SiteHost& host, schemas::ToSite message);
  void MetaTurn(std::vector<meta::Event> events);
  void SiteTurn(size_t index);
  // As many as it wants at this instant: nobody hears of half of what it plans.
  void SiteTurns(size_t index);
  void TakeDriverEvents(size_t index);
  // Until nobody has anything to say or do at this instant.
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
