// All requests on record, found by id, by client key and by user. Nothing here scans.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schemas/meta_records.h"

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
  bool in_wave = false;

  bool Ended() const { return record.state == schemas::RequestState::kEnded; }
  bool Cancelling() const { return record.state == schemas::RequestState::kCancelling; }
  // Wants a place: neither ended, cancelled, parked, nor undecided.
  bool Wanted() const {
    return !Ended() && !Cancelling() && record.state != schemas::RequestState::kParked &&
           record.state != schemas::RequestState::kUnknown;
  }
};

class RequestTable {
 public:
  Request& Add(schemas::RequestRecord record);
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
  std::map<RequestId, Request> all_;
  std::set<RequestId> open_;
  std::map<std::string, ByUser> users_;
};

}  // namespace muster::meta
