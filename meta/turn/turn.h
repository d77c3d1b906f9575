// One turn as it is being made: the time, what happened in it, what will be said. Whoever owns a
// record knows whether it changed; each changed one is written once, as it stands when the turn
// ends, and messages leave after the batch.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/turn/events.h"
#include "meta/turn/layer.h"
#include "schemas/client.h"
#include "schemas/request.h"
#include "schemas/site_link.h"
#include "schemas/views.h"

namespace muster::meta {

// Offers leave with this turn as the answer to a client's question about this request.
struct Offered {
  std::string user;
  std::string link;
  MessageNumber number;
  schemas::RequestSpec spec;
};

struct Turn {
  Now now;
  Moment plan;  // plan time: what the meta takes for UTC
  Effects out;

  std::set<RequestId> requests;  // changed, once their writes are made: told to followers
  std::vector<RequestId> ended;  // how their promises came out is not counted yet
  std::set<RequestId> moved;     // ended, or their promise changed: those that come after are told
  std::vector<schemas::EventRow> happened;  // numbered and kept when the turn ends
  std::vector<Offered> offered;             // nobody has added what to expect of them yet
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
BootInstant BootOf(const TurnLayer& f, Moment moment);

// An answer to a client.
void Reply(TurnLayer& f, Turn& t, const std::string& user, const std::string& link,
           MessageNumber answers, decltype(schemas::ToClient::body) body);

// Something that happened to a site: a line of the log and of `events`.
void SiteEvent(Turn& t, const std::string& site, std::string code, std::string text);

}  // namespace muster::meta
