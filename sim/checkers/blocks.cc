// Blocks: a request is promised only when its attempt is on record and every site of the attempt is
// bound; and no request is passed over by more blocks than the waiting room allows. scheduling.md
// sections 3 (Commit) and 7 (i). The promise checker covers that later blocks displace nobody: an
// arrival is not a cause that excuses a later figure.
#include <map>
#include <set>

#include "sim/checkers/checker.h"
#include "verifier/attempt_table.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::HoldRecord;
using schemas::HoldState;
using schemas::RequestRecord;

// A request that is trying to fill a gap while a block leaves is passed over and then returns to
// its queue. With lost messages this takes as long as several blocks, hence this tolerance.
constexpr uint64_t kOnItsWay = 20;

class Blocks : public Checker {
 public:
  explicit Blocks(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "blocks"; }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold && hold->state >= HoldState::kPrepared) holds_.insert({site, hold->order.fence});
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        attempts_[attempt->fence] = *attempt;
      }
    }
    std::set<std::string> blocks;  // blocks that left in this batch
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* request = std::get_if<RequestRecord>(&*write.value);
      if (!request) continue;
      Promised(at, *request);
      if (const std::string block = Extracted(*request); !block.empty()) blocks.insert(block);
      Queued(*request);
    }
    for (auto& [id, waiting] : waiting_) {
      waiting.passed_by += blocks.size();
      if (waiting.passed_by <= waiting.before_it + kOnItsWay || waiting.told) continue;
      waiting.told = true;
      Violated(at, "request " + ToText(id) + ", with " + std::to_string(waiting.before_it) +
                       " at or before it in its queue, was passed over by " +
                       std::to_string(waiting.passed_by) + " blocks");
    }
  }

 private:
  struct Waiting {
    std::string queue;
    uint64_t before_it = 0;
    uint64_t passed_by = 0;
    bool told = false;
  };

  void Promised(Moment at, const RequestRecord& request) {
    const bool promised = !request.history.empty() && request.history.back().figures.starts_by &&
                          request.history.back().figures.starts_by->firm;
    if (!promised || !request.attempt || !bound_.insert(*request.attempt).second) return;
    const auto attempt = attempts_.find(*request.attempt);
    if (attempt == attempts_.end()) {
      return Violated(at, "request " + ToText(request.id) + " is promised without an attempt");
    }
    for (const std::string& member : attempt->second.members) {
      if (world_.liars.contains(member) || holds_.contains({member, *request.attempt})) continue;
      Violated(at,
               "request " + ToText(request.id) + " is promised before " + member + " was bound");
    }
  }

  // The number of the block with which the request left its queue, if this write is the first to
  // show it; else "".
  std::string Extracted(const RequestRecord& request) {
    std::string last;
    for (const schemas::JobEvent& event : request.events) {
      if (event.code == "extracted") last = event.text + std::to_string(event.at.milliseconds);
    }
    if (last.empty() || last == extracted_[request.id]) return "";
    extracted_[request.id] = last;
    // The text is "left queue NAME with block N": a block is counted once, whatever the queue.
    return last.substr(last.rfind(' '));
  }

  void Queued(const RequestRecord& request) {
    // A request that has already left with a block waits for something other than its turn.
    const bool waits = request.state == schemas::RequestState::kWaiting && !request.attempt &&
                       request.reason && request.reason->text.starts_with("waits in queue") &&
                       extracted_[request.id].empty();
    if (!waits) {
      waiting_.erase(request.id);
      return;
    }
    if (waiting_.contains(request.id)) return;
    Waiting waiting{.queue = request.spec.queue, .before_it = 1};
    for (const auto& [id, other] : waiting_) {
      if (other.queue == waiting.queue && id < request.id) ++waiting.before_it;
    }
    waiting_[request.id] = waiting;
  }

  CheckedWorld world_;
  std::map<Fence, AttemptRecord> attempts_;
  std::set<std::pair<std::string, Fence>> holds_;
  std::set<Fence> bound_;
  std::map<RequestId, std::string> extracted_;
  std::map<RequestId, Waiting> waiting_;
};

}  // namespace

std::unique_ptr<Checker> CheckBlocks(const CheckedWorld& world) {
  return std::make_unique<Blocks>(world);
}

}  // namespace muster::sim
