// All requests on record, found by id, by client key and by user. Nothing here scans. Whoever
// changes a record takes it by `Edit`, and what a turn writes and tells follows from that.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "meta/requests/alteration_news.h"
#include "schemas/meta_records.h"
#include "schemas/proposal.h"
#include "schemas/write.h"

namespace muster::meta {

// Why another place is sought for a request beside the one that it has, which it keeps until then.
struct Trial {
  enum class For : uint8_t {
    kElsewhere,  // it shall start earlier, as it is (meta/search/moves.h)
    kAltered,    // it shall be as a user asked
    kWhatIf,     // the same, only to tell what would come of it
  };
  For purpose = For::kAltered;
  bool may_move = false;  // kAltered: to a later start, too
};

// A request: its record, and what is only known while the daemon lives.
class Request {
 public:
  // One that is on no table: as a question would have it.
  explicit Request(schemas::RequestRecord record) : record_(std::move(record)) {}
  // With its script, also where that is stored apart.
  const schemas::RequestRecord& record() const { return record_; }
  // The same with another record, on no table.
  Request As(schemas::RequestRecord record) const {
    Request out = *this;
    out.record_ = std::move(record);
    return out;
  }
  // As it is promised, while a place is sought for what `record().spec` makes of it
  // (meta/requests/trials.h); this is what is stored.
  const std::optional<schemas::RequestSpec>& before() const { return before_; }
  // What that place is sought for. REQUIRES before().
  const Trial& trial() const { return trial_; }
  bool TriesElsewhere() const { return before_ && trial_.purpose == Trial::For::kElsewhere; }
  RequestId id() const { return record_.id; }
  schemas::RequestState state() const { return record_.state; }

  std::set<Fence> attempts;        // not closed
  std::optional<Fence> seeking;    // the one in HOLDING
  std::optional<Fence> replacing;  // endangered (C7): a new attempt takes its place
  int32_t priority = 0;            // of its queue: 0 is the lowest
  std::deque<schemas::VerdictRow>
      verdicts;                 // the newest kVerdictRows; see meta/requests/verdict_log.h
  std::optional<Fence> logged;  // the attempt of the newest round of orders
  uint64_t rounds = 0;          // of questions and orders about it
  // Of the search under way: its user has notice of a nearer start than this
  // (meta/requests/horizon.h).
  Instant nearest;

  bool Ended() const { return state() == schemas::RequestState::kEnded; }
  bool Cancelling() const { return state() == schemas::RequestState::kCancelling; }
  // Wants a place: neither an array, nor ended, cancelled, parked, or undecided.
  bool Wanted() const {
    return !record_.spec.array && !record_.parked && !Ended() && !Cancelling() &&
           state() != schemas::RequestState::kParked && state() != schemas::RequestState::kUnknown;
  }

 private:
  friend class RequestTable;
  schemas::RequestRecord record_;
  std::optional<schemas::RequestSpec> before_;
  Trial trial_;
};

// As the store has it, with a long script apart.
schemas::RequestRecord StoredForm(const Request& request);
bool HasScriptRecord(const Request& request);

// As users know it: "42", "43[7]", and of a reservation "R7".
inline std::string ShownId(const Request& request) {
  return (request.record().spec.reserves ? "R" : "") + ToText(request.id());
}
// "job 42", "reservation R7".
inline std::string Named(const Request& request) {
  return (request.record().spec.reserves ? "reservation " : "job ") + ShownId(request);
}

// Invariants: what differs from the store is due; a state follows another only along protocol.md
// section 3.5; the indices follow the records.
class RequestTable {
 public:
  // A new request: written with this turn.
  Request& Add(schemas::RequestRecord record);
  // As the store has it: not written again. The script is stored apart where it is long.
  void Restore(schemas::RequestRecord record);
  void RestoreScript(RequestId id, std::string script);
  // Written with this turn, and told to its followers. `state` changes by SetState alone.
  schemas::RequestRecord& Edit(Request& request);
  // A place is sought for what `next` makes of it, with the payload it has. The store keeps what it
  // is until it has taken that; nothing is to be written when the search is given up.
  void Try(Request& request, schemas::RequestSpec next, Trial trial);
  void TakeTried(Request& request);
  void EndTry(Request& request);
  // Why it has no promise, as its user is told.
  void SetReason(Request& request, schemas::Reason reason);
  // The next row of section 3.5. One that has ended is open no more.
  void SetState(Request& request, schemas::RequestState state);
  // What is shown of it has changed, without its record: followers are told.
  void Touch(RequestId id) { due_.insert(id); }
  // What became of what was tried, for whoever waits for it.
  void Tell(AlterationNews news) { news_.push_back(std::move(news)); }
  std::vector<AlterationNews> TakeNews() { return std::exchange(news_, {}); }
  // Names of the queues, highest first; requests of a queue that is there no more are lowest.
  void SetQueues(std::vector<std::string> queues);
  int32_t PriorityOf(const std::string& queue) const;
  // Gone, and removed from the store with this turn.
  void Erase(RequestId id);
  Request* Find(RequestId id);
  const Request* Find(RequestId id) const;
  // The request of this user under this client key.
  const Request* FindKey(const std::string& user, const std::string& key) const;
  const std::map<RequestId, Request>& all() const { return all_; }
  const std::set<RequestId>& open() const { return open_; }
  // Of one user: all, and the open ones. Empty for a stranger.
  const std::set<RequestId>& Of(const std::string& user) const;
  const std::set<RequestId>& OpenOf(const std::string& user) const;

  // Changed, touched or erased since the writes were last taken.
  const std::set<RequestId>& due() const { return due_; }
  // Appends what this turn has to write, in the order of ids, requests before scripts, with
  // timelines cut to what is kept.
  void TakeWrites(std::vector<schemas::Write<schemas::MetaRecord>>& to);

 private:
  Request& Enter(schemas::RequestRecord record);

  struct ByUser {
    std::set<RequestId> all;
    std::set<RequestId> open;
    std::map<std::string, RequestId> keys;
  };
  std::vector<std::string> queues_;
  std::map<RequestId, Request> all_;
  std::set<RequestId> open_;
  std::map<std::string, ByUser> users_;
  std::set<RequestId> due_;
  std::set<RequestId> due_scripts_;
  std::vector<AlterationNews> news_;
};

}  // namespace muster::meta
