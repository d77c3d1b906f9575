// Checks of protocol.md section 2. The codec has checked the shape and the transport the peer; here
// expiry comes before incarnation.
#include "meta/sites/links.h"

#include <algorithm>

#include "meta/sites/say.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::SiteState;

schemas::ClockStamps StampsFor(const Site& site, const Turn& t) {
  return {.sent = t.plan, .echoed = site.peer_sent, .received = site.peer_received};
}

BootInstant SilentAt(const SitesLayer& f, const Site& site) {
  return site.heard_boot + f.options.values.heartbeat * schemas::kMissedHeartbeats;
}
bool MayGoSilent(const Site& site) {
  return site.link.state() == SiteState::kUp || site.link.state() == SiteState::kSyncing;
}

}  // namespace

bool IsIdeal(const schemas::ProtocolValues& values) { return values.heartbeat == BootSpan{0}; }

void RefuseLink(SitesLayer& f, Turn& t, const SiteSays& says, Incarnation incarnation,
                std::string code, std::string message) {
  t.Note("refused " + says.site + ": " + message);
  schemas::ToSite out;
  out.federation = f.options.federation;
  out.epoch = f.identity->epoch;
  out.number = MessageNumber{++f.last_message};
  out.answers = says.message.number;
  out.expires = Moment{t.plan.milliseconds + schemas::kOrderExpires.milliseconds};
  out.floor = f.fences.Floor();
  out.incarnation = incarnation;
  out.body = schemas::LinkRefused{std::move(code), std::move(message)};
  t.out.to_sites.push_back({says.site, says.link, std::move(out)});
}

void SendWelcome(SitesLayer& f, Turn& t, Site& site, MessageNumber answers) {
  schemas::Welcome welcome;
  welcome.epoch = f.identity->epoch;
  welcome.feed = site.mirror.position();
  welcome.values = f.options.values;
  welcome.floor = f.fences.Floor();
  welcome.stamps = StampsFor(site, t);
  Say(f, t, site, std::move(welcome), answers);
}

void WelcomeAgain(SitesLayer& f, Turn& t) {
  for (auto& [name, site] : f.sites) {
    if (site.Listens()) SendWelcome(f, t, site, {});
  }
}

void SendBeat(SitesLayer& f, Turn& t, Site& site, MessageNumber answers) {
  schemas::Beat out;
  out.feed = site.mirror.position().revision;
  out.capacity = site.capacity ? site.capacity->plan : PlanRevision{};
  out.floor = f.fences.Floor();
  out.stamps = StampsFor(site, t);
  Say(f, t, site, std::move(out), answers);
}

void NoteHeard(Turn& t, Site& site) {
  site.heard = t.plan;
  site.heard_boot = t.boot();
}

bool TakeStamps(Turn& t, Site& site, const schemas::ClockStamps& stamps) {
  site.peer_sent = stamps.sent;
  site.peer_received = t.plan;
  const bool off = site.link.Stamps(stamps, t.plan);
  if (!site.link.offset()) return off;
  const bool warn = site.link.offset()->Provable() > verifier::kClockWarn;
  if (warn && !site.clock_warned) t.Note(site.name + ": its clock is off by more than 250 ms");
  site.clock_warned = warn;
  return off;
}

Admission Admit(SitesLayer& f, Turn& t, Site& site, const SiteSays& says) {
  const schemas::ToMeta& m = says.message;
  const bool hello = std::holds_alternative<schemas::Hello>(m.body);
  if (m.version != schemas::kProtocolVersion && !hello) return Admission::kUnheard;
  // A site that joins for the first time may not know the federation's name yet; its key is listed.
  const bool joins = hello && m.federation.empty();
  if (!joins && m.federation != f.options.federation) {
    RefuseLink(f, t, says, m.incarnation, "federation",
               "federation '" + m.federation + "'; this is '" + f.options.federation + "'");
    return Admission::kUnheard;
  }
  if (m.expires.milliseconds != 0 && m.expires < t.plan) {
    // A heartbeat that expired on its way still shows how far the site's clock is off.
    const auto* beat = std::get_if<schemas::Heartbeat>(&m.body);
    const bool stamped = beat && m.incarnation == site.incarnation();
    if (stamped && TakeStamps(t, site, beat->stamps)) return Admission::kClockIsOff;
    return Admission::kUnheard;
  }
  if (hello) return Admission::kHeard;
  if (site.connection.empty() || m.incarnation != site.incarnation()) {
    return Admission::kUnheard;
  }
  if (says.link == site.connection) return Admission::kHeard;
  // A few messages of a replaced link may still arrive; more come from a second daemon.
  constexpr uint32_t kLateMessages = 10;
  return ++site.strangers > kLateMessages ? Admission::kTwoDaemons : Admission::kUnheard;
}

void AskFrom(SitesLayer& f, Turn& t, Site& site) {
  if (t.boot() < site.resync_after) return;
  site.resync_after = t.boot() + schemas::kResyncApart;
  Say(f, t, site, schemas::Resync{.all = false, .from = site.mirror.position().revision});
}

void AskListing(SitesLayer& f, Turn& t, Site& site) {
  if (site.resync_all) return;
  site.resync_all = true;
  site.resync_after = t.boot() + schemas::kResyncApart;
  Say(f, t, site, schemas::Resync{.all = true});
}

void CheckPosition(SitesLayer& f, Turn& t, Site& site, const schemas::FeedPosition& position) {
  const schemas::FeedPosition& known = site.mirror.position();
  const bool other = position.revision == known.revision && position.digest != known.digest;
  // A requested listing may have been lost; it is requested again, at most once per kResyncApart.
  const bool unanswered = site.resync_all && t.boot() >= site.resync_after;
  if (unanswered) site.resync_all = false;
  if (position.revision < known.revision || other || unanswered) AskListing(f, t, site);
  if (position.revision > known.revision) AskFrom(f, t, site);
}

bool IsOverdue(const SitesLayer& f, const Site& site, BootInstant now) {
  return MayGoSilent(site) && now >= SilentAt(f, site);
}

std::optional<BootInstant> NextSilence(const SitesLayer& f) {
  std::optional<BootInstant> next;
  if (IsIdeal(f.options.values)) return next;
  for (const auto& [name, site] : f.sites) {
    if (!site.overdue && (!next || f.started + kDialWait < *next)) next = f.started + kDialWait;
    if (!MayGoSilent(site)) continue;
    const BootInstant at = SilentAt(f, site);
    if (!next || at < *next) next = at;
  }
  return next;
}

}  // namespace muster::meta
