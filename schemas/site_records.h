// A site's durable records, and the store keys they are kept under. site/core.h writes them and
// rebuilds a core from them.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "schemas/client.h"
#include "schemas/hold.h"
#include "schemas/site_link.h"
#include "schemas/use.h"

namespace muster::schemas {

// Key "site", once per store.
struct SiteIdentity {
  std::string federation;
  std::string site;
  Epoch epoch;                           // highest epoch that welcomed this site
  Incarnation incarnation;               // incarnation of the last start
  Fence floor;                           // highest floor seen
  FeedPosition feed;                     // position of the last change
  Revision acknowledged;                 // revision that the meta has stored durably
  std::optional<ProtocolValues> values;  // values of the last welcome
  uint64_t last_local = 0;               // number of the last local job
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

// Key "change/REVISION": a change that the meta has not acknowledged yet, or the last one that it
// has, with the chain digest after the change.
struct ChangeRecord {
  Change change;
  Digest digest;
  static constexpr auto Fields() {
    return FieldList(Field("change", &ChangeRecord::change),
                     Field("digest", &ChangeRecord::digest));
  }
  bool operator==(const ChangeRecord&) const = default;
};

// Key "node/NAME": a node that an operator, or the site itself (R5, R6), took out of use. With
// `for_good` the node counts as gone until it is resumed.
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

// Key "size/NAME": the most resources that the node ever had, less what an operator gave up
// (drain --for-good). What the node lacks of them now counts as out of order, not as gone.
struct SizeRecord {
  std::string name;
  ResourceSet had;
  static constexpr auto Fields() {
    return FieldList(Field("name", &SizeRecord::name), Field("had", &SizeRecord::had));
  }
  bool operator==(const SizeRecord&) const = default;
};

// Key "steer/ORDER": result of an operator's order, so that a repeated order is not carried out
// again. The last kSteersKept are kept.
struct SteerDoneRecord {
  Steered result;
  static constexpr auto Fields() { return FieldList(Field("result", &SteerDoneRecord::result)); }
  bool operator==(const SteerDoneRecord&) const = default;
};

// Key "local/NUMBER": a job submitted at the site itself. Its first hold has fence (0, NUMBER) and
// is PERMITTED in the same write; later holds of the job take further numbers of the same counter.
// Kept for kRecordKeep after its end.
struct LocalRecord {
  uint64_t number = 0;
  Requester requester;
  ClientKey key;
  Digest digest;     // digest of the RequestSpec
  RequestSpec spec;  // without the payload, which the hold has
  Moment submitted_at;
  RequestState state = RequestState::kPromised;
  std::optional<Outcome> outcome;
  std::vector<FigureChange> history;
  std::vector<JobEvent> events;
  std::vector<PartView> parts;  // final views of the parts, once the hold is deleted
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
                                LocalRecord, SizeRecord, UseRecord>;

}  // namespace muster::schemas
