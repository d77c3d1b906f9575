// Ended: an end is the last thing that happens to a request. Its timeline has one end, which no
// event of the request itself follows, and no later write changes its state, its outcome or its own
// events. protocol.md sections 3.5 and 10 (ended).
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::JobEvent;
using schemas::RequestRecord;
using schemas::RequestState;

// The request's own events. Events that sites report about its parts may follow its end.
std::vector<JobEvent> OwnEvents(const RequestRecord& request) {
  std::vector<JobEvent> own;
  for (const JobEvent& event : request.events) {
    if (event.site.empty()) own.push_back(event);
  }
  return own;
}

// The order to cancel has the code of an end, too. Where no site has anything to give back, the end
// follows it in the same write.
bool IsEnd(const JobEvent& event) {
  const bool order = event.code == "cancelled" && event.text.starts_with("cancel asked for");
  return !order && (event.code == "ended" || event.code == "cancelled" || event.code == "refused");
}

class Ended : public Checker {
 public:
  std::string Name() const override { return "ended"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) {
        ended_.erase(write.key);
        continue;
      }
      const auto* request = std::get_if<RequestRecord>(&*write.value);
      if (request != nullptr) Look(at, write.key, *request);
    }
  }

 private:
  // The attempt for error messages, as `--trace` of a campaign takes it.
  static std::string Where(const RequestRecord& request) {
    return request.attempt ? "; attempt " + ToText(*request.attempt) : "";
  }

  struct Last {
    RequestState state;
    std::optional<schemas::Outcome> outcome;
    std::vector<JobEvent> own;
    bool operator==(const Last&) const = default;
  };

  void Look(Moment at, const std::string& key, const RequestRecord& request) {
    const Last now{request.state, request.outcome, OwnEvents(request)};
    if (const auto before = ended_.find(key); before != ended_.end() && before->second != now) {
      Violated(at, "request " + ToText(request.id) + " had ended, and was changed after it" +
                       Where(request));
    }
    // Before its real end, a request whose outcome was unknown has the note of that in its
    // timeline.
    if (request.state == RequestState::kUnknown) ending_.insert(request.id);
    if (request.state != RequestState::kEnded) return;
    if (!ending_.contains(request.id)) {
      const auto first = std::find_if(now.own.begin(), now.own.end(), IsEnd);
      if (first != now.own.end() && first + 1 != now.own.end()) {
        Violated(at, "request " + ToText(request.id) + " was " + (first + 1)->code + " after it " +
                         (first->code == "ended" ? "had ended" : "was " + first->code));
      }
    }
    ended_.insert_or_assign(key, now);
  }

  std::map<std::string, Last> ended_;  // by the key of the record
  std::set<RequestId> ending_;
};

}  // namespace

std::unique_ptr<Checker> CheckEnded(const CheckedWorld&) { return std::make_unique<Ended>(); }

}  // namespace muster::sim
