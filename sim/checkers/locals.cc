// Local jobs: each hold comes with a record that keeps the client key; one key makes one job; an
// acknowledged job is durable; the booking matches the latest request; nothing of a local job
// reaches the meta's store; no job runs twice at once; with faults off each job ends. protocol.md
// section 3.1 (local jobs).
#include <map>
#include <set>

#include "sim/checkers/checker.h"
#include "sim/checkers/token.h"

namespace muster::sim {
namespace {

using schemas::HoldRecord;
using schemas::LocalRecord;

class LocalsCheck : public Checker {
 public:
  std::string Name() const override { return "local jobs"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* mirror = std::get_if<schemas::MirrorRecord>(&*write.value);
      const auto* attempt = std::get_if<schemas::AttemptRecord>(&*write.value);
      const bool local = (mirror != nullptr && mirror->fence.epoch == Epoch{0}) ||
                         (attempt != nullptr && attempt->fence.epoch == Epoch{0});
      if (local) Violated(at, "the meta keeps " + write.key);
    }
  }

  void OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* job = std::get_if<LocalRecord>(&*write.value);
      if (job != nullptr) Job(at, site, *job);
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr || hold->order.fence.epoch != Epoch{0}) continue;
      const uint64_t number = hold->order.request.value;
      job_of_[{site, hold->order.fence}] = number;
      if (jobs_.count({site, number}) == 0) {
        Violated(at, site + " holds " + ToText(hold->order.fence) + " without its client key");
        continue;
      }
      AsAsked(at, site, *hold, jobs_[{site, number}]);
    }
  }

  void OnLocalTold(Moment at, const std::string& site, const schemas::ToClient& told) override {
    const auto* accepted = std::get_if<schemas::Accepted>(&told.body);
    if (accepted == nullptr) return;
    for (const RequestId& id : accepted->requests) {
      if (jobs_.count({site, id.value}) > 0) continue;
      Violated(at, site + "/" + ToText(id) + " was acknowledged before it was durable");
    }
  }

  void OnPartStarted(Moment at, const std::string& site, const std::string& token) override {
    const Token t = ReadToken(token);
    if (t.fence.epoch != Epoch{0}) return;
    const uint64_t number = job_of_[{site, t.fence}];
    for (const auto& [other, fence] : running_) {
      if (fence == t.fence || other.rfind(site + " ", 0) != 0) continue;
      if (job_of_[{site, fence}] == number) {
        Violated(at, site + "/" + std::to_string(number) + " runs twice: " + token);
      }
    }
    running_[site + " " + token] = t.fence;
  }
  void OnPartGone(Moment, const std::string& site, const std::string& token) override {
    running_.erase(site + " " + token);
  }

  void AtEnd(Moment at, bool calm) override {
    if (!calm) return;
    for (const auto& [key, job] : jobs_) {
      const bool ended = job.state == schemas::RequestState::kEnded;
      if (ended && job.outcome) continue;
      Violated(at, key.first + "/" + std::to_string(key.second) +
                       (ended ? " ended without an outcome" : " has not ended"));
    }
  }

 private:
  // Checks that the booking matches the job's record, also after the job was altered.
  void AsAsked(Moment at, const std::string& site, const HoldRecord& hold, const LocalRecord& job) {
    if (hold.state == schemas::HoldState::kClosed || job.state == schemas::RequestState::kEnded) {
      return;
    }
    for (const schemas::PartDemand& part : hold.order.parts) {
      const bool there = part.index <= job.spec.parts.size();
      if (there && part.duration == job.spec.duration &&
          part.chunks == job.spec.parts[part.index - 1].chunks) {
        continue;
      }
      Violated(at, site + "/" + std::to_string(job.number) + " is booked as it was not asked for");
    }
  }
  void Job(Moment at, const std::string& site, const LocalRecord& job) {
    jobs_[{site, job.number}] = job;
    const auto key = std::tuple(site, job.requester.user, job.key.text);
    const auto [it, fresh] = by_key_.emplace(key, job.number);
    if (!fresh && it->second != job.number) {
      Violated(at, "one client key made " + site + "/" + std::to_string(it->second) + " and " +
                       std::to_string(job.number));
    }
  }

  std::map<std::pair<std::string, uint64_t>, LocalRecord> jobs_;
  std::map<std::tuple<std::string, std::string, std::string>, uint64_t> by_key_;
  std::map<std::pair<std::string, Fence>, uint64_t> job_of_;
  std::map<std::string, Fence> running_;
};

}  // namespace

std::unique_ptr<Checker> CheckLocals(const CheckedWorld&) {
  return std::make_unique<LocalsCheck>();
}

}  // namespace muster::sim
