// One turn as it is being made: the time, what happened in it, what will be said. Whoever owns a
// record knows whether it changed; each changed one is written once, as it stands when the turn
// ends, and messages leave after the batch.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "meta/federation.h"

namespace muster::meta {

struct Turn {
  Now now;
  Moment plan;  // plan time: what the meta takes for UTC
  Effects out;

  std::set<RequestId> requests;  // changed, once their writes are made: told to followers
  std::set<RequestId> moved;     // ended, or their promise changed: those that come after are told
  std::vector<schemas::EventRow> happened;  // numbered and kept when the turn ends
  std::set<Fence> touched;                  // attempts to look at before the turn ends
  std::map<std::string, std::vector<schemas::Order>> orders;

  BootInstant boot() const { return now.boot; }
  Instant NowCeiling() const { return plan.Ceiling(); }
  void Note(std::string line) { out.notes.push_back(std::move(line)); }
  // Step again by `at`.
  void WakeBy(BootInstant at) {
    if (!out.next || at < *out.next) out.next = at;
  }
};

// Boot time at which plan time will be `moment`.
BootInstant BootOf(const Federation& f, Moment moment);

// A message to a site, in its envelope; nothing if the site has no connection.
void Say(Federation& f, Turn& t, Site& site, decltype(schemas::ToSite::body) body,
         MessageNumber answers = {});
// An order, sent with the others of this turn; nothing if orders do not reach the site.
void GiveOrder(Turn& t, const Site& site, schemas::Order order);
// An answer to a client.
void Reply(Federation& f, Turn& t, const std::string& user, const std::string& link,
           MessageNumber answers, decltype(schemas::ToClient::body) body);

// Sends this turn's orders, in as few messages as the limits allow.
void FlushOrders(Federation& f, Turn& t);
// One write for each record that the turn changed.
void FlushWrites(Federation& f, Turn& t);

// The records as the store has them.

// One line of a request's timeline, and of `events`.
void AddEvent(Federation& f, Turn& t, Request& request, std::string code, std::string text,
              std::string site = "", uint32_t part = 0);

// Something that happened to a site: a line of the log and of `events`.
void SiteEvent(Turn& t, const std::string& site, std::string code, std::string text);

}  // namespace muster::meta
