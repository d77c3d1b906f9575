// What a site keeps: the values behind its store's keys. Written and rebuilt by site/core.h.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "schemas/client.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"

namespace muster::schemas {

// Key "site". One per store.
struct SiteIdentity {
  std::string federation;
  std::string site;
  Epoch epoch;                           // highest welcomed
  Incarnation incarnation;               // of the last start
  Fence floor;                           // highest seen
  FeedPosition feed;                     // last change made
  Revision acknowledged;                 // durable at the meta
  std::optional<ProtocolValues> values;  // of the last welcome
  uint64_t last_local = 0;               // local jobs: number of the last one
  static constexpr auto Fields() {
    using S = SiteIdentity;
    return FieldList(Field("federation", &S::federation), Field("site", &S::site),
                     Field("epoch", &S::epoch), Field("incarnation", &S::incarnation),
                     Field("floor", &S::floor), Field("feed", &S::feed),
                     Field("acknowledged", &S::acknowledged), Field("values", &S::values),
                     Field("last_local", &S::last_local));
  }
  bool operator==(const SiteIdentity&) const = default;
};

// Key "change/REVISION": a change not yet acknowledged, with the chain digest after it.
struct ChangeRecord {
  Change change;
  Digest digest;
  static constexpr auto Fields() {
    return FieldList(Field("change", &ChangeRecord::change),
                     Field("digest", &ChangeRecord::digest));
  }
  bool operator==(const ChangeRecord&) const = default;
};

// Key "node/NAME": a node an operator took out of use; `for_good`: it counts as gone until resumed.
struct NodeRecord {
  std::string name;
  std::string reason;
  std::string who;
  Moment at;
  bool for_good = false;
  static constexpr auto Fields() {
    using N = NodeRecord;
    return FieldList(Field("name", &N::name), Field("reason", &N::reason), Field("who", &N::who),
                     Field("at", &N::at), Field("for_good", &N::for_good));
  }
  bool operator==(const NodeRecord&) const = default;
};

// Key "size/NAME": the most a node is known to have had. What it has less now is out of order, not
// gone, until an operator says so (drain --for-good).
struct SizeRecord {
  std::string name;
  ResourceSet had;
  static constexpr auto Fields() {
    return FieldList(Field("name", &SizeRecord::name), Field("had", &SizeRecord::had));
  }
  bool operator==(const SizeRecord&) const = default;
};

// Key "steer/ORDER": an order of an operator that was carried out, so that it is not again; the
// last kSteersKept are kept.
struct SteerDoneRecord {
  Steered result;
  static constexpr auto Fields() { return FieldList(Field("result", &SteerDoneRecord::result)); }
  bool operator==(const SteerDoneRecord&) const = default;
};

// Key "local/NUMBER": a job submitted at the site itself; its first hold has fence (0, NUMBER) and
// was PERMITTED in the same write; later ones share the counter. Kept kRecordKeep after its end.
struct LocalRecord {
  uint64_t number = 0;
  Requester requester;
  ClientKey key;
  Digest digest;     // of the RequestSpec
  RequestSpec spec;  // without payload: the hold has it
  Moment submitted_at;
  RequestState state = RequestState::kPromised;
  std::optional<Outcome> outcome;
  std::vector<FigureChange> history;
  std::vector<JobEvent> events;
  std::vector<PartView> parts;  // as they ended, once the hold is gone
  static constexpr auto Fields() {
    using L = LocalRecord;
    return FieldList(Field("number", &L::number), Field("requester", &L::requester),
                     Field("key", &L::key), Field("digest", &L::digest), Field("spec", &L::spec),
                     Field("submitted_at", &L::submitted_at), Field("state", &L::state),
                     Field("outcome", &L::outcome), Field("history", &L::history),
                     Field("events", &L::events), Field("parts", &L::parts));
  }
  bool operator==(const LocalRecord&) const = default;
};

// Key "hold/EPOCH.NUMBER": a HoldRecord (schemas/hold.h).
using SiteRecord = std::variant<SiteIdentity, HoldRecord, ChangeRecord, NodeRecord, SteerDoneRecord,
                                LocalRecord, SizeRecord>;

}  // namespace muster::schemas
