// Each message passes through the rooms in order: link, mirror and attempts, waiting requests,
// clients.
#include "meta/site_messages.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meta/attempts/feed.h"
#include "meta/attempts/peer_checks.h"
#include "meta/attempts/reconciliation.h"
#include "meta/search/gaps.h"
#include "meta/search/joint_moves.h"
#include "meta/search/on_attempts.h"
#include "meta/service/alter_answers.h"
#include "meta/service/audit.h"
#include "meta/service/node_operations.h"
#include "meta/service/site_answers.h"
#include "meta/service/site_orders.h"
#include "meta/sites/links.h"
#include "meta/verdicts.h"

namespace muster::meta {
namespace {

using schemas::SiteState;
using verifier::LinkEvent;

constexpr BootSpan kSteerAgain = Seconds(6);
constexpr char kClockIsOff[] = "its clock is off by more than 2 s";

// Ends all questions to the site: it will not answer.
void EndQuestions(ServiceLayer& f, Turn& t, const Site& site) {
  EndQuestionsOf(f, t, site.name);
  TellAltered(f, t);
}

void Quarantine(ServiceLayer& f, Turn& t, Site& site, const std::string& why) {
  if (!site.link.Take(LinkEvent::kOffence).listed) return;
  SiteEvent(t, site.name, "site-quarantined", site.name + " is quarantined: " + why);
  EndQuestions(f, t, site);
  f.attempts.Touch(site.attempts);
}

void TakeCapacity(ServiceLayer& f, Turn& t, Site& site, const schemas::Capacity& capacity) {
  if (const absl::Status status = CheckCapacity(capacity); !status.ok()) {
    return OnNonsense(f, t, site, std::string(Text(status)));
  }
  const bool changed = !site.capacity || site.capacity->plan != capacity.plan;
  site.capacity = capacity;
  const bool more = site.shadow.SetCapacity(capacity);
  f.rarity.Set(site.name, capacity.classes);
  site.shadow.Forget(t.plan.Floor());
  if (!changed || !site.Up()) return;
  f.room.WakeStuck(false);
  // Local users gave something back, or a node came back.
  if (more) return NoteRelease(f);
  f.moves.Owe();
}

// Ends SYNCING once the mirror has the revision that the site named when SYNCING began (reach).
void MaybeSynced(ServiceLayer& f, Turn& t, Site& site) {
  if (site.link.state() != SiteState::kSyncing || site.resync_all) return;
  if (site.mirror.position().revision < site.reach) return;
  CompareSite(f, t, site);
  if (site.resync_all) return;  // the comparison asked for a listing
  site.link.Take(LinkEvent::kSynced);
  SiteEvent(t, site.name, "site-up", site.name + " is up");
  RepeatSteers(f, t, site);
  f.room.WakeStuck(true);
  NoteRelease(f);
  f.attempts.Touch(site.attempts);
}

void OnHello(ServiceLayer& f, Turn& t, Site& site, const SiteSays& says,
             const schemas::Hello& hello) {
  if (hello.version != schemas::kProtocolVersion) {
    return RefuseLink(f, t, says, hello.incarnation, "version",
                      "protocol version " + std::to_string(hello.version) + "; here it is " +
                          std::to_string(schemas::kProtocolVersion));
  }
  // A site that was given up may have lost its store, and with it the count of its incarnations.
  if (hello.incarnation < site.incarnation() && !site.forgotten()) {
    return RefuseLink(f, t, says, hello.incarnation, "incarnation",
                      "incarnation " + std::to_string(hello.incarnation.value) +
                          " is older than one already heard: two daemons with one key, or a store "
                          "that was restored");
  }
  if (hello.highest_epoch > f.identity->epoch) {
    return RefuseLink(f, t, says, hello.incarnation, "epoch",
                      says.site + " has followed epoch " +
                          std::to_string(hello.highest_epoch.value) + ", this meta is epoch " +
                          std::to_string(f.identity->epoch.value));
  }
  const bool began_anew = site.forgotten().has_value();  // its message numbers start anew, too
  if (began_anew) {
    Audit(f, t, "site:" + site.name, "forget", site.name, "it is heard again");
  }
  if (began_anew || site.incarnation() != hello.incarnation) {
    site.strangers = 0;
    site.newest_report = {};
    f.searches.ForgetNever(site.name);
  }
  site.HearAs(hello.incarnation);
  site.connection = says.link;
  site.plan = hello.capacity.plan;
  site.reach = hello.feed.revision;
  site.resync_all = false;
  site.move_order = {};
  site.told_shares.reset();
  site.listed.clear();
  NoteHeard(t, site);
  EndQuestions(f, t, site);
  site.link.Take(LinkEvent::kHello);
  if (TakeStamps(t, site, hello.stamps)) Quarantine(f, t, site, kClockIsOff);
  TakeCapacity(f, t, site, hello.capacity);
  SendWelcome(f, t, site, says.message.number);
  const schemas::FeedPosition& known = site.mirror.position();
  // The site is behind what it once reported, or has another history: the listing decides.
  if (hello.feed.revision < known.revision ||
      (hello.feed.revision == known.revision && hello.feed.digest != known.digest)) {
    AskListing(f, t, site);
  }
  MaybeSynced(f, t, site);
  f.attempts.Touch(site.attempts);
}

void OnHeartbeat(ServiceLayer& f, Turn& t, Site& site, const SiteSays& says,
                 const schemas::Heartbeat& beat) {
  if (TakeStamps(t, site, beat.stamps)) Quarantine(f, t, site, kClockIsOff);
  if (site.link.state() == SiteState::kQuarantined) {
    const bool clock_good =
        !site.link.offset() || site.link.offset()->Provable() <= verifier::kClockQuarantine;
    if (clock_good && site.strangers == 0 && site.link.Clean() &&
        site.link.Take(LinkEvent::kCleanAgain).welcome) {
      t.Note(site.name + " leaves quarantine");
      site.reach = beat.feed.revision;
      SendWelcome(f, t, site, says.message.number);
    }
    site.strangers = 0;
  }
  if (site.link.Take(LinkEvent::kHeartbeat).welcome) {
    site.reach = beat.feed.revision;
    SendWelcome(f, t, site, says.message.number);
    f.attempts.Touch(site.attempts);
  }
  // An operator's order is answered within a heartbeat or two; otherwise it was lost.
  const std::optional<Moment> waits = f.node_orders.WaitsSince(site.name);
  if (waits && t.plan.milliseconds - waits->milliseconds > kSteerAgain.milliseconds) {
    RepeatSteers(f, t, site);
  }
  RepeatReleases(t, site);
  site.plan = beat.plan;
  const bool room_again = site.disk_low && !beat.disk_low;
  if (site.disk_low != beat.disk_low) {
    t.Note(beat.disk_low ? "the disk of " + site.name + " is nearly full; it takes no new work"
                         : "the disk of " + site.name + " has room again");
  }
  site.disk_low = beat.disk_low;
  if (beat.capacity) TakeCapacity(f, t, site, *beat.capacity);
  if (room_again) f.room.WakeStuck(true);
  if (says.message.number > site.newest_report) CheckPosition(f, t, site, beat.feed);
  MaybeSynced(f, t, site);
  SendBeat(f, t, site, says.message.number);
}

struct Dispatch {
  ServiceLayer& f;
  Turn& t;
  Site& site;
  const SiteSays& says;

  // Counts a message without news. True if the site sends too many of them: the caller then stops
  // handling this one.
  bool Floods() const {
    if (IsIdeal(f.options.values) || !site.link.Idle(t.boot())) return false;
    OnNonsense(f, t, site, "more messages than anybody needs");
    return true;
  }

  absl::Status Report(const schemas::Report& m) const {
    MUSTER_ASSIGN_OR_RETURN(const verifier::Mirror::Outcome outcome, TakeReport(f, site, m));
    for (const schemas::Change& change : outcome.applied) {
      if (const auto news = TellChange(f, t, site, change)) OnSteered(f, t, site, *news);
    }
    return EndReport(f, t, site, outcome);
  }

  void Check(const absl::Status& status) const {
    if (!status.ok()) OnNonsense(f, t, site, std::string(Text(status)));
  }

  void operator()(const schemas::Hello& m) const {
    if (!Floods()) OnHello(f, t, site, says, m);
  }
  void operator()(const schemas::Heartbeat& m) const {
    if (!Floods()) OnHeartbeat(f, t, site, says, m);
  }
  void operator()(const schemas::Verdict& m) const { Check(OnVerdict(f, t, site.name, m)); }
  void operator()(const schemas::Report& m) const {
    const Revision before = site.mirror.position().revision;
    const absl::Status heard = Report(m);
    TakeAttemptNews(f, t);
    Check(heard);
    if (site.mirror.position().revision == before && Floods()) return;
    if (site.mirror.position().revision != before) site.newest_report = says.message.number;
    MaybeSynced(f, t, site);
  }
  void operator()(const schemas::Listing& m) const {
    // A newer report outdates this listing. With a later heartbeat the meta asks for another one.
    if (says.message.number < site.newest_report) return;
    const absl::Status heard = OnListing(f, t, site, m);
    TakeAttemptNews(f, t);
    Check(heard);
    MaybeSynced(f, t, site);
  }
  void operator()(const schemas::Answers& m) const {
    const std::vector<absl::Status> taken = OnAnswers(f, t, site, m);
    TakeAttemptNews(f, t);
    for (const absl::Status& status : taken) Check(status);
  }
  void operator()(const schemas::Offer& m) const { Check(OnOffer(f, t, site.name, m)); }
  void operator()(const schemas::View& m) const { OnView(f, t, site, m); }
};

}  // namespace

void OnNonsense(ServiceLayer& f, Turn& t, Site& site, const std::string& why) {
  // The log does not need every offence of a site that is quarantined already.
  if (site.link.state() != SiteState::kQuarantined) {
    t.Note("nonsense of " + site.name + ": " + why);
  }
  if (site.link.Nonsense(t.boot())) Quarantine(f, t, site, "too much nonsense, the last: " + why);
}

void OnSite(ServiceLayer& f, Turn& t, const SiteSays& says) {
  const auto it = f.sites.find(says.site);
  if (!f.Lists(says.site)) {
    return RefuseLink(f, t, says, says.message.incarnation, "not-listed",
                      "no site '" + says.site + "' in this federation");
  }
  Site& site = it->second;
  switch (Admit(f, t, site, says)) {
    case Admission::kHeard:
      break;
    case Admission::kUnheard:
      return;
    case Admission::kClockIsOff:
      return Quarantine(f, t, site, kClockIsOff);
    case Admission::kTwoDaemons:
      return Quarantine(f, t, site, "two daemons use its key");
  }
  // A hello does not count as heard here, since it may still be refused: an operator can give up a
  // site whose hellos are all refused.
  if (!std::holds_alternative<schemas::Hello>(says.message.body)) NoteHeard(t, site);
  std::visit(Dispatch{f, t, site, says}, says.message.body);
}

void GoSilent(ServiceLayer& f, Turn& t, Site& site) {
  site.link.Take(LinkEvent::kMissed);
  SiteEvent(t, site.name, "site-silent", site.name + " is silent");
  EndQuestions(f, t, site);
  EndInspectionsOf(f, t, site.name);
  f.attempts.Touch(site.attempts);
}

void NoticeSilence(ServiceLayer& f, Turn& t) {
  if (IsIdeal(f.options.values)) return;
  for (auto& [name, site] : f.sites) {
    if (!site.overdue && t.boot() >= f.started + kDialWait) {
      site.overdue = true;
      if (site.Silent()) f.attempts.Touch(site.attempts);
    }
    if (IsOverdue(f, site, t.boot())) GoSilent(f, t, site);
  }
}

}  // namespace muster::meta
