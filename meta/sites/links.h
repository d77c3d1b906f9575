// The link of one site: admission, clocks, the feed's position, and what the meta sends unasked.
// The consequences for jobs are decided elsewhere. protocol.md sections 2, 3.4, 6, 7.
#pragma once

#include <optional>
#include <string>

#include "meta/sites/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// An ideal link (scheduling.md section 10) has no heartbeat: a site reports its plan whenever it
// changes, is never silent, and counts as heard at every moment.
bool IsIdeal(const schemas::ProtocolValues& values);

enum class Admission : uint8_t {
  kHeard,
  kUnheard,     // the message is ignored
  kClockIsOff,  // ignored, and the site's clock is off by too much
  kTwoDaemons,  // a second daemon uses the site's key
};
// The checks before a message is handled: version, federation, expiry, incarnation, connection.
Admission Admit(SitesLayer& f, Turn& t, Site& site, const SiteSays& says);
// Answers the sender that it is refused.
void RefuseLink(SitesLayer& f, Turn& t, const SiteSays& says, Incarnation incarnation,
                std::string code, std::string message);

void SendWelcome(SitesLayer& f, Turn& t, Site& site, MessageNumber answers);
// Sends every listening site a welcome, since the [protocol] values have changed.
void WelcomeAgain(SitesLayer& f, Turn& t);
// Answers a heartbeat.
void SendBeat(SitesLayer& f, Turn& t, Site& site, MessageNumber answers);

void NoteHeard(Turn& t, Site& site);
// Takes the site's clock stamps. True if its clock is off by more than kClockQuarantine.
bool TakeStamps(Turn& t, Site& site, const schemas::ClockStamps& stamps);

// Compares a heartbeat's feed position with the mirror's: asks for the changes in a gap, or for a
// listing if the history differs.
void CheckPosition(SitesLayer& f, Turn& t, Site& site, const schemas::FeedPosition& position);
// Asks for the changes that the mirror misses, at most once per kResyncApart.
void AskFrom(SitesLayer& f, Turn& t, Site& site);
// Asks for a listing of all holds, unless one is under way.
void AskListing(SitesLayer& f, Turn& t, Site& site);

// Whether the site has missed kMissedHeartbeats and is not marked silent yet.
bool IsOverdue(const SitesLayer& f, const Site& site, BootInstant now);
// When the next site will be overdue, or the wait for sites to dial ends (kDialWait).
std::optional<BootInstant> NextSilence(const SitesLayer& f);

}  // namespace muster::meta
