// The link of one site: who is heard, clocks, the feed's position, and what the meta says without
// being asked. What follows for jobs is not decided here. protocol.md sections 2, 3.4, 6, 7.
#pragma once

#include <optional>
#include <string>

#include "meta/sites/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// An ideal link (scheduling.md section 10) has no heartbeat: a site tells its plan whenever that
// changed, however often, is never silent, and counts as heard at every moment.
bool IsIdeal(const schemas::ProtocolValues& values);

enum class Admission : uint8_t {
  kHeard,
  kUnheard,     // not to be listened to
  kClockIsOff,  // nor that, and it showed a clock that is off by too much
  kTwoDaemons,  // a second daemon uses its key
};
// The checks before a message is read: version, federation, expiry, incarnation, connection.
Admission Admit(SitesLayer& f, Turn& t, Site& site, const SiteSays& says);
// Tells who sent this that it is not listened to.
void RefuseLink(SitesLayer& f, Turn& t, const SiteSays& says, Incarnation incarnation,
                std::string code, std::string message);

void SendWelcome(SitesLayer& f, Turn& t, Site& site, MessageNumber answers);
// Every site that listens gets a welcome: the [protocol] values are others.
void WelcomeAgain(SitesLayer& f, Turn& t);
// The answer to a heartbeat.
void SendBeat(SitesLayer& f, Turn& t, Site& site, MessageNumber answers);

void NoteHeard(Turn& t, Site& site);
// What it says of its clock. True if that is off by more than a link may be.
bool TakeStamps(Turn& t, Site& site, const schemas::ClockStamps& stamps);

// A heartbeat's position against the mirror's: a gap is asked for, another history is listed.
void CheckPosition(SitesLayer& f, Turn& t, Site& site, const schemas::FeedPosition& position);
// Asks for what the mirror misses, no oftener than kResyncApart.
void AskFrom(SitesLayer& f, Turn& t, Site& site);
// Asks for a listing of all holds, unless one is under way.
void AskListing(SitesLayer& f, Turn& t, Site& site);

// It has missed kMissedHeartbeats, and nobody knows that yet.
bool IsOverdue(const SitesLayer& f, const Site& site, BootInstant now);
// When a site would be overdue next.
std::optional<BootInstant> NextSilence(const SitesLayer& f);

}  // namespace muster::meta
