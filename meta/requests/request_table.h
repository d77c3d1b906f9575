// All requests on record, found by id, by client key and by user. Nothing here scans.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/meta_records.h"
#include "schemas/proposal.h"

namespace muster::meta {

// A request: its record, and what is only known while the daemon lives.
struct Request {
  schemas::RequestRecord record;   // with its script, also where that is stored apart
  std::set<Fence> attempts;        // not closed
  std::optional<Fence> seeking;    // the one in HOLDING
  std::optional<Fence> replacing;  // endangered (C7): a new attempt takes its place
  size_t tries = 0;                // of placing, since it last was promised or gave up
  Instant best_slot;               // t* of kMeetTries
  bool ask_sites = false;          // the next try rests on fresh sets, not on shadows
  std::vector<std::pair<size_t, std::string>> never;  // (part, site) that can never run it
  bool in_wave = false;  // its sites are being asked, in a wave, a search or a block
  // What the sites of earlier rounds answered to a request of one part, until when that counts.
  std::map<std::string, schemas::VerdictEntry> heard;
  BootInstant heard_until;
  bool gap_refused = false;  // the gap that shadows named: its sites are asked for another
  uint64_t gap_since = 0;    // releases (GapPass) before it was ordered there
  int32_t priority = 0;      // of its queue: 0 is the lowest
  bool extracted = false;    // left its queue with a block: placed as it is, until it waits again
  std::deque<schemas::VerdictRow>
      verdicts;                 // the newest kVerdictRows; see meta/requests/verdict_log.h
  std::optional<Fence> logged;  // the attempt of the newest round of orders
  uint64_t rounds = 0;          // of questions and orders about it
  // As it is promised, while a place is sought for what `record.spec` makes of it
  // (meta/service/alter.h); this is what is stored.
  std::optional<schemas::RequestSpec> before;
  // `before` is what it is: only another place is sought, an earlier one (meta/search/rechoice.h).
  bool rechoosing = false;
  uint32_t moves_failed = 0;  // joint moves that were found and could not be held (joint_moves.h)
  // Of the search under way: its user has notice of a nearer start than this
  // (meta/requests/horizon.h).
  Instant nearest;

  bool Ended() const { return record.state == schemas::RequestState::kEnded; }
  bool Cancelling() const { return record.state == schemas::RequestState::kCancelling; }
  // Wants a place: neither an array, nor ended, cancelled, parked, or undecided.
  bool Wanted() const {
    return !record.spec.array && !record.parked && !Ended() && !Cancelling() &&
           record.state != schemas::RequestState::kParked &&
           record.state != schemas::RequestState::kUnknown;
  }
};

// As users know it: "42", "43[7]", and of a reservation "R7".
inline std::string ShownId(const Request& request) {
  return (request.record.spec.reserves ? "R" : "") + ToText(request.record.id);
}
// "job 42", "reservation R7".
inline std::string Named(const Request& request) {
  return (request.record.spec.reserves ? "reservation " : "job ") + ShownId(request);
}

class RequestTable {
 public:
  Request& Add(schemas::RequestRecord record);
  // Names of the queues, highest first; requests of a queue that is there no more are lowest.
  void SetQueues(std::vector<std::string> queues);
  int32_t PriorityOf(const std::string& queue) const;
  void Erase(RequestId id);
  Request* Find(RequestId id);
  const Request* Find(RequestId id) const;
  // The request of this user under this client key.
  const Request* FindKey(const std::string& user, const std::string& key) const;
  // To be called when a request's state became ENDED.
  void Close(const Request& request);

  const std::map<RequestId, Request>& all() const { return all_; }
  const std::set<RequestId>& open() const { return open_; }
  // Of one user: all, and the open ones. Empty for a stranger.
  const std::set<RequestId>& Of(const std::string& user) const;
  const std::set<RequestId>& OpenOf(const std::string& user) const;

 private:
  struct ByUser {
    std::set<RequestId> all;
    std::set<RequestId> open;
    std::map<std::string, RequestId> keys;
  };
  std::vector<std::string> queues_;
  std::map<RequestId, Request> all_;
  std::set<RequestId> open_;
  std::map<std::string, ByUser> users_;
};

}  // namespace muster::meta
