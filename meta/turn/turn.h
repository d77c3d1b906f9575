// A turn in progress: its time, what happened in it, and its messages. The owner of a record knows
// whether it changed. Each changed record is written once, as it stands at the end of the turn, and
// messages are sent after the batch.
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

// A client's question about a request; the offers that answer it leave with this turn.
struct Offered {
  std::string user;
  std::string link;
  MessageNumber number;
  schemas::RequestSpec spec;
};

struct Turn {
  Now now;
  Moment plan;  // plan time: the meta's estimate of UTC
  Effects out;

  // Changed requests, known once their writes are made; reported to followers.
  std::set<RequestId> requests;
  std::vector<RequestId> ended;  // ended requests whose promises are not yet counted as kept or not
  // Requests that ended or got another promise, and array elements that got a permit: requests that
  // depend on them must be looked at.
  std::set<RequestId> moved;
  std::vector<schemas::EventRow> happened;  // events, numbered and kept when the turn ends
  std::vector<Offered> offered;             // offers without their `expected` figure yet
  std::map<std::string, std::vector<schemas::Order>> orders;

  BootInstant boot() const { return now.boot; }
  Instant NowCeiling() const { return plan.Ceiling(); }
  void Note(std::string line) { out.notes.push_back(std::move(line)); }
  // Asks for a step by `at`.
  void WakeBy(BootInstant at) {
    if (!out.next || at < *out.next) out.next = at;
  }
};

// Boot time at which plan time will be `moment`.
BootInstant BootOf(const TurnLayer& f, Moment moment);

// Answers a client.
void Reply(TurnLayer& f, Turn& t, const std::string& user, const std::string& link,
           MessageNumber answers, decltype(schemas::ToClient::body) body);

// Records an event of a site, in the log and in `events`.
void SiteEvent(Turn& t, const std::string& site, std::string code, std::string text);

}  // namespace muster::meta
