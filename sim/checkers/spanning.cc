// Limits over all sites: what an attempt has booked when it is decided keeps to each limit on what
// runs, beside what all others of the same consumer have booked then, but for those that their site
// has moved since. What has lost its place is not judged; nor are sites whose nodes have several
// speeds, as the meta judges before it knows how long a job will last on its nodes. scheduling.md
// section 15.
#include <algorithm>
#include <map>
#include <set>

#include "sim/checkers/checker.h"
#include "verifier/start_notice.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::AttemptState;
using schemas::RequestRecord;

class SpanningCheck : public Checker {
 public:
  explicit SpanningCheck(CheckedWorld world) : world_(std::move(world)) {
    for (const site::Options& site : world_.sites) {
      for (const site::Node& node : site.nodes) {
        if (node.speed != kFullSpeed) world_.spanning.clear();
      }
    }
  }
  std::string Name() const override { return "spanning"; }

  void OnSiteWrites(Moment, const std::string&, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<schemas::HoldRecord>(&*write.value);
      if (hold && hold->state == schemas::HoldState::kClosed) over_.insert(hold->order.fence);
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    if (world_.spanning.empty()) return;
    std::vector<Fence> decided;
    std::set<RequestId> lost;  // promises, until this write
    for (const auto& write : writes) {
      if (!write.value) {
        const auto gone = keys_.find(write.key);
        if (gone != keys_.end()) attempts_.erase(gone->second);
        continue;
      }
      if (const auto* request = std::get_if<RequestRecord>(&*write.value)) {
        RequestRecord& known = requests_[request->id];
        if (verifier::PromiseLost(known.history)) lost.insert(request->id);
        known = *request;
      } else if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        const bool known = attempts_.contains(attempt->fence);
        if (!known && attempt->state < AttemptState::kAborting) decided.push_back(attempt->fence);
        if (!known) decided_.emplace(attempt->fence, attempt->start);
        if (attempt->start != decided_.at(attempt->fence)) moved_.insert(attempt->fence);
        keys_[write.key] = attempt->fence;
        attempts_[attempt->fence] = *attempt;
      }
    }
    for (const Fence& fence : decided) {
      if (lost.contains(attempts_.at(fence).request)) displaced_.insert(fence);
      for (const CheckedWorld::Spanning& limit : world_.spanning) Judge(at, limit, fence);
    }
  }

 private:
  // The consumer that the request counts under; empty: the limit does not bind it.
  static std::string ConsumerOf(const CheckedWorld::Spanning& limit, const RequestRecord& request) {
    if (request.spec.inside) return "";
    const std::string& user = request.requester.user;
    if (limit.account.empty()) return limit.user.empty() || limit.user == user ? user : "";
    return request.spec.account == limit.account ? limit.account : "";
  }
  int64_t AmountOf(const CheckedWorld::Spanning& limit, const schemas::PartSpec& part) const {
    int64_t sum = 0;
    for (const schemas::Chunk& chunk : part.chunks) {
      sum += chunk.resources.Get(limit.resource) * chunk.count;
    }
    return sum;
  }
  Span LengthAt(const schemas::RequestSpec& spec, const std::string& site) const {
    const auto it = world_.speeds.find(site);
    if (it == world_.speeds.end() || spec.reserves) return spec.duration;
    return {(spec.duration.seconds * 1000 + it->second - 1) / it->second};
  }
  // Whether the replaced attempt could not stay.
  bool IsLost(const std::optional<Fence>& replaced) const {
    if (!replaced) return false;
    const auto it = attempts_.find(*replaced);
    if (it == attempts_.end()) return true;
    const schemas::CauseCode why = it->second.cause.code;
    return why != schemas::CauseCode::kNone && why != schemas::CauseCode::kBackfilled &&
           why != schemas::CauseCode::kJoint && why != schemas::CauseCode::kUser;
  }
  // Whether the attempt is another place for a promise that was lost. Whoever is held and released
  // after that begins to count replacements anew.
  bool WasDisplaced(const RequestRecord& request, const Fence& fence) const {
    return request.replacements > 0 || displaced_.contains(fence);
  }
  struct Use {
    Instant from;
    Instant to;
    int64_t amount = 0;
  };
  // What the attempt has booked under the limit, part by part, without tails.
  std::vector<Use> UseOf(const CheckedWorld::Spanning& limit, const AttemptRecord& attempt) const {
    std::vector<Use> out;
    const RequestRecord& request = requests_.at(attempt.request);
    for (size_t i = 0; i < attempt.part_sites.size() && i < request.spec.parts.size(); ++i) {
      const schemas::PartSpec& part = request.spec.parts[i];
      const Instant begin = attempt.start + part.offset;
      const int64_t amount = limit.resource == "jobs" ? 0 : AmountOf(limit, part);
      out.push_back({begin, begin + LengthAt(request.spec, attempt.part_sites[i]), amount});
    }
    if (limit.resource != "jobs" || out.empty()) return out;
    Use whole = out[0];
    for (const Use& one : out) {
      whole.from = std::min(whole.from, one.from);
      whole.to = std::max(whole.to, one.to);
    }
    whole.amount = 1;
    return {whole};
  }

  void Judge(Moment at, const CheckedWorld::Spanning& limit, const Fence& fence) {
    const AttemptRecord& attempt = attempts_.at(fence);
    const RequestRecord& own_request = requests_.at(attempt.request);
    const std::string consumer = ConsumerOf(limit, own_request);
    if (consumer.empty()) return;
    // What has lost its place, or cannot keep it, has another whatever the limits.
    if (WasDisplaced(own_request, fence) || IsLost(attempt.replaces)) return;
    std::vector<Use> own = UseOf(limit, attempt);
    std::vector<Use> all = own;
    std::string beside;
    for (const auto& [other, record] : attempts_) {
      if (record.request == attempt.request || record.state >= AttemptState::kAborting) continue;
      const RequestRecord& request = requests_.at(record.request);
      if (ConsumerOf(limit, request) != consumer || request.attempt != other) continue;
      // After a loss a site moves what is promised, and later back, whatever the limits.
      if (moved_.contains(other) || over_.contains(other)) continue;
      // Nor was room left for what lost its place while this one was being held.
      if (WasDisplaced(request, other) && fence < other) continue;
      const std::vector<Use> theirs = UseOf(limit, record);
      all.insert(all.end(), theirs.begin(), theirs.end());
      for (const Use& one : theirs) {
        beside += " " + ToText(other) + " of job " + ToText(record.request) + " " +
                  std::to_string(one.from.seconds) + "-" + std::to_string(one.to.seconds);
      }
    }
    for (const Use& begins : all) {
      const bool within = std::any_of(own.begin(), own.end(), [&](const Use& one) {
        return one.from <= begins.from && begins.from < one.to;
      });
      if (!within) continue;
      int64_t sum = 0;
      for (const Use& one : all) {
        if (one.from <= begins.from && begins.from < one.to) sum += one.amount;
      }
      if (sum <= limit.items) continue;
      Violated(at, "with " + ToText(fence) + " of job " + ToText(attempt.request) + " " + consumer +
                       " has " + std::to_string(sum) + " of " + limit.resource + " booked at " +
                       std::to_string(begins.from.seconds) + ", limit " +
                       std::to_string(limit.items) + "; beside" + beside);
      return;
    }
  }

  CheckedWorld world_;
  std::map<RequestId, RequestRecord> requests_;
  std::map<Fence, AttemptRecord> attempts_;
  std::map<std::string, Fence> keys_;
  std::map<Fence, Instant> decided_;  // starts at the decision
  std::set<Fence> moved_;
  std::set<Fence> over_;       // with a hold that has ended
  std::set<Fence> displaced_;  // decided for a promise that was lost
};

}  // namespace

std::unique_ptr<Checker> CheckSpanning(const CheckedWorld& world) {
  return std::make_unique<SpanningCheck>(world);
}

}  // namespace muster::sim
