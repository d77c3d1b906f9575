// G3: an acknowledged submission exists exactly once and is never removed. Two attempts of one
// request both start only if a rerun was allowed on record, or the first was closed at all its
// members before the second was permitted. A part starts a second time only after a life on lent
// room, whose recall is on record.
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "sim/checkers/checker.h"
#include "sim/checkers/token.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::RequestRecord;

class Once : public Checker {
 public:
  explicit Once(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "G3"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) {
        Removed(at, write.key);
        continue;
      }
      if (const auto* request = std::get_if<RequestRecord>(&*write.value)) {
        rerunnable_[request->id] = request->spec.rerunnable;
        keys_[write.key] = request->id;
        if (request->id.is_element()) continue;  // elements share their array's key
        const auto key = std::pair(request->requester.user, request->key.text);
        const auto [it, fresh] = by_key_.emplace(key, request->id);
        if (!fresh && it->second != request->id) {
          Violated(at, "one client key made requests " + ToText(it->second) + " and " +
                           ToText(request->id));
        }
      } else if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        members_[attempt->fence] = attempt->members;
        request_of_[attempt->fence] = attempt->request;
        if (attempt->permit && permitted_.insert(attempt->fence).second) Permitted(at, *attempt);
      }
    }
  }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr) continue;
      if (hold->state == HoldState::kClosed) closed_.insert({site, hold->order.fence});
      for (const schemas::PartRecord& part : hold->parts) {
        if (part.loan) lent_.insert(part.loan->token);
        // Its contract lets it begin anew once the recall of its life on lent room is durable.
        const std::string& now = part.loan ? part.loan->token : part.token;
        const auto life = started_.find({hold->order.fence, site, part.index});
        if (life != started_.end() && lent_.contains(life->second) && now != life->second) {
          started_.erase(life);
        }
      }
    }
  }

  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override {
    const Token t = ReadToken(token);
    if (!started_.insert({{t.fence, site, t.part}, token}).second) {
      Violated(at, token + " is the second start of this part at " + site);
    }
    const auto request = request_of_.find(t.fence);
    if (request == request_of_.end()) return;  // G1 reports it
    for (const auto& [life, other_token] : started_) {
      const Fence& fence = std::get<0>(life);
      if (fence == t.fence) continue;
      const auto other = request_of_.find(fence);
      if (other == request_of_.end() || other->second != request->second) continue;
      if (rerunnable_[request->second]) continue;
      if (overlapping_.count({fence, t.fence}) > 0) {
        Violated(at, "request " + ToText(request->second) + " ran as " + ToText(fence) +
                         " and as " + ToText(t.fence));
      }
    }
  }

  void OnClientTold(Moment at, const std::string&, const schemas::ToClient& told) override {
    const auto* accepted = std::get_if<schemas::Accepted>(&told.body);
    if (accepted == nullptr) return;
    for (const RequestId& id : accepted->requests) {
      if (rerunnable_.count(id) == 0) {
        Violated(at, "request " + ToText(id) + " was acknowledged before it was durable");
      }
    }
  }

 private:
  // A second permit for a request is correct only if the earlier permitted attempt is closed
  // everywhere.
  void Permitted(Moment, const AttemptRecord& attempt) {
    for (const Fence& earlier : permitted_) {
      if (earlier == attempt.fence || request_of_[earlier] != attempt.request) continue;
      for (const std::string& member : members_[earlier]) {
        // the meta can only rely on this member's report
        if (world_.liars.contains(member)) continue;
        if (closed_.count({member, earlier}) == 0) {
          overlapping_.insert({earlier, attempt.fence});
          overlapping_.insert({attempt.fence, earlier});
        }
      }
    }
  }

  void Removed(Moment at, const std::string& key) {
    const auto it = keys_.find(key);
    if (it != keys_.end())
      Violated(at, "record " + key + " of an acknowledged request was removed");
  }

  CheckedWorld world_;
  std::map<RequestId, bool> rerunnable_;
  std::map<std::string, RequestId> keys_;
  std::map<std::pair<std::string, std::string>, RequestId> by_key_;
  std::map<Fence, std::vector<std::string>> members_;
  std::map<Fence, RequestId> request_of_;
  std::set<Fence> permitted_;
  std::set<std::pair<Fence, Fence>> overlapping_;
  std::set<std::pair<std::string, Fence>> closed_;
  std::map<std::tuple<Fence, std::string, uint32_t>, std::string> started_;  // its last token
  std::set<std::string> lent_;  // tokens of lives on lent room
};

}  // namespace

std::unique_ptr<Checker> CheckOnce(const CheckedWorld& world) {
  return std::make_unique<Once>(world);
}

}  // namespace muster::sim
