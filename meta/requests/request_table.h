// All requests on record, found by id, client key and user without a scan. Callers change a record
// through `Edit`; that determines what a turn writes and reports.
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

// Why another place is sought for a request that has one. It keeps the present place meanwhile.
struct Trial {
  enum class For : uint8_t {
    kElsewhere,  // the request unchanged, with an earlier start (meta/search/moves.h)
    kGivesWay,   // the same with no later start, away from a site whose own users need the room
    kAltered,    // the request as its user altered it
    kWhatIf,     // as kAltered, but only to show what would result
  };
  For purpose = For::kAltered;
  bool may_move = false;  // the altered request may also get a later start
};

// A request: its record, and volatile state.
class Request {
 public:
  // A request that is in no table, for a question.
  explicit Request(schemas::RequestRecord record) : record_(std::move(record)) {}
  // Includes the script, also where that is stored apart.
  const schemas::RequestRecord& record() const { return record_; }
  // A copy with another record, in no table.
  Request As(schemas::RequestRecord record) const {
    Request out = *this;
    out.record_ = std::move(record);
    return out;
  }
  // During a trial: the specification that is promised and stored, while a place is sought for
  // `record().spec` (meta/requests/trials.h).
  const std::optional<schemas::RequestSpec>& before() const { return before_; }
  // The purpose of the trial. REQUIRES: before().
  const Trial& trial() const { return trial_; }
  // The request stays as it is and is to get another place.
  bool TriesElsewhere() const {
    return before_ && (trial_.purpose == Trial::For::kElsewhere || GivesWay());
  }
  bool GivesWay() const { return before_ && trial_.purpose == Trial::For::kGivesWay; }
  RequestId id() const { return record_.id; }
  // Orders requests of one queue: more points come first. 0 without a policy.
  int64_t points() const { return points_; }
  schemas::RequestState state() const { return record_.state; }

  std::set<Fence> attempts;      // open attempts
  std::optional<Fence> seeking;  // the attempt in HOLDING
  // The attempt that a new one is to replace (C7, moves, alterations).
  std::optional<Fence> replacing;
  int32_t priority = 0;  // that of its queue; 0 is the lowest
  // The newest kVerdictRows verdicts; see meta/requests/verdict_log.h.
  std::deque<schemas::VerdictRow> verdicts;
  std::optional<Fence> logged;  // the attempt in the newest round of orders
  uint64_t rounds = 0;          // rounds of questions and orders about the request
  // Earliest start that the search under way may choose, by the start notice
  // (meta/requests/horizon.h).
  Instant nearest;

  bool Ended() const { return state() == schemas::RequestState::kEnded; }
  bool Cancelling() const { return state() == schemas::RequestState::kCancelling; }
  // Whether it wants a place: not an array, nor ended, cancelled, parked, or of unknown outcome.
  bool Wanted() const {
    return !record_.spec.array && !record_.parked && !Ended() && !Cancelling() &&
           state() != schemas::RequestState::kParked && state() != schemas::RequestState::kUnknown;
  }

 private:
  friend class RequestTable;
  schemas::RequestRecord record_;
  std::optional<schemas::RequestSpec> before_;
  Trial trial_;
  int64_t points_ = 0;
};

// The record as it is stored: during a trial with the promised specification, and without a long
// script, which is stored apart.
schemas::RequestRecord StoredForm(const Request& request);
bool HasScriptRecord(const Request& request);

// Id as users see it: "42", "43[7]", and of a reservation "R7".
inline std::string ShownId(const Request& request) {
  return (request.record().spec.reserves ? "R" : "") + ToText(request.id());
}
// "job 42", "reservation R7".
inline std::string Named(const Request& request) {
  return (request.record().spec.reserves ? "reservation " : "job ") + ShownId(request);
}

// Invariants: records that differ from the store are pending write; states follow each other only
// along protocol.md section 3.5, except those of arrays; the indices match the records.
class RequestTable {
 public:
  // Adds a new request; this turn writes it.
  Request& Add(schemas::RequestRecord record);
  // Load stored records without writing them again. A long script is stored apart.
  void Restore(schemas::RequestRecord record);
  void RestoreScript(RequestId id, std::string script);
  // Gives access to change the record: written with this turn, and reported to its followers.
  // `state` changes only through SetState.
  schemas::RequestRecord& Edit(Request& request);
  // Try: seeks a place for `next`, with the present payload. The store keeps the present
  // specification until TakeTried makes `next` the request's own. EndTry gives the trial up and
  // needs no write.
  void Try(Request& request, schemas::RequestSpec next, Trial trial);
  void TakeTried(Request& request);
  void EndTry(Request& request);
  // Sets why the request has no promise, as its user sees it.
  void SetReason(Request& request, schemas::Reason reason);
  // Enters the next state along section 3.5. An ended request is no longer open.
  void SetState(Request& request, schemas::RequestState state);
  // Reports a change in what is shown of the request, but not in its record, to its followers.
  void Touch(RequestId id) { due_.insert(id); }
  // Collects the results of trials, for the alteration that awaits them.
  void Tell(AlterationNews news) { news_.push_back(std::move(news)); }
  std::vector<AlterationNews> TakeNews() { return std::exchange(news_, {}); }
  // Names of the queues, highest first. Requests of a removed queue have the lowest queue's
  // priority.
  void SetQueues(std::vector<std::string> queues);
  int32_t PriorityOf(const std::string& queue) const;
  void SetPoints(Request& request, int64_t points) { request.points_ = points; }
  // Removes the request; the store removes it with this turn.
  void Erase(RequestId id);
  Request* Find(RequestId id);
  const Request* Find(RequestId id) const;
  // The request of this user with this client key; null if there is none.
  const Request* FindKey(const std::string& user, const std::string& key) const;
  const std::map<RequestId, Request>& all() const { return all_; }
  const std::set<RequestId>& open() const { return open_; }
  // Requests of one user: all, and the open ones. Empty for an unknown user.
  const std::set<RequestId>& Of(const std::string& user) const;
  const std::set<RequestId>& OpenOf(const std::string& user) const;

  // Requests changed, touched or erased since the writes were last taken.
  const std::set<RequestId>& due() const { return due_; }
  // Appends the writes of this turn, in the order of ids, requests before scripts. Timelines are
  // cut to the length that is kept.
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
