// Credits: the postings of each entry add up to zero, and each balance is the sum of what was
// posted; no account sets aside or owes more than it has and its overdraft; a part that ran is
// charged once, in the batch that marks it as settled, for what it used at the rates, and for no
// more than was set aside for it; what was taken from its user is charged to nobody; in the end
// nothing is set aside for what has ended. scheduling.md section 14.
#include <algorithm>
#include <map>
#include <set>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::AccountRecord;
using schemas::EntryKind;
using schemas::EntryRecord;
using schemas::HoldRecord;
using schemas::RequestRecord;

class CreditsCheck : public Checker {
 public:
  explicit CreditsCheck(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "credits"; }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<HoldRecord>(&*write.value);
      if (hold == nullptr) continue;
      for (const schemas::PartRecord& part : hold->parts) {
        if (part.started_at) Sized(KeyOf(site, hold->order.fence, part.index), ProcessorsOf(part));
        if (part.usage_final && part.started_at && part.ended_at) {
          had_[KeyOf(site, hold->order.fence, part.index)] = {
              part.ended_at->milliseconds - part.started_at->milliseconds, ProcessorsOf(part),
              part.usage.elapsed.milliseconds, IsForUser(*hold, part), IsUnclear(*hold)};
        }
      }
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    if (!world_.bank) return;
    std::set<std::string> judged;  // accounts of which more is set aside or less is left
    std::vector<const EntryRecord*> entries;
    for (const auto& write : writes) {
      if (!write.value) {
        requests_.erase(write.key);
        continue;
      }
      if (const auto* entry = std::get_if<EntryRecord>(&*write.value)) {
        entries.push_back(entry);
        Post(at, *entry);
        for (const schemas::Posting& one : entry->postings) {
          if (one.amount < 0 && entry->kind != EntryKind::kExpired) judged.insert(one.account);
        }
      } else if (const auto* attempt = std::get_if<schemas::AttemptRecord>(&*write.value)) {
        attempts_[attempt->fence] = *attempt;
      } else if (const auto* account = std::get_if<AccountRecord>(&*write.value)) {
        accounts_[account->name] = *account;
      }
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* request = std::get_if<RequestRecord>(&*write.value);
      if (request == nullptr) continue;
      const RequestRecord before = requests_[write.key];
      const bool other =
          request->lien && before.lien && request->lien->account != before.lien->account;
      if (request->lien && (other || request->lien->Open() > OpenOf(before))) {
        judged.insert(request->lien->account);
      }
      Settle(at, before, *request, entries);
      requests_[write.key] = *request;
    }
    for (const auto& [name, account] : accounts_) CheckAccount(at, account);
    for (const std::string& name : judged) CheckFree(at, name);
  }

  void AtEnd(Moment at, bool calm) override {
    if (!world_.bank || !calm) return;
    for (const auto& [key, request] : requests_) {
      const bool ended = request.state == schemas::RequestState::kEnded;
      if (!ended || OpenOf(request) == 0 || TouchesLiar(request)) continue;
      Violated(at, "job " + ToText(request.id) + " has ended and has " +
                       std::to_string(OpenOf(request)) + " set aside");
    }
  }

 private:
  struct Had {
    int64_t there_ms = 0;
    int64_t processors = 0;
    int64_t elapsed_ms = 0;
    bool for_user = false;  // no site took it away
    bool unclear = false;   // it was ended for a partner, and nobody says why that one ended
  };
  // The least and the most processors that a part had: it may have been resized.
  void Sized(const std::string& key, int64_t processors) {
    auto [it, added] = sizes_.try_emplace(key, processors, processors);
    it->second.first = std::min(it->second.first, processors);
    it->second.second = std::max(it->second.second, processors);
  }
  static bool IsUnclear(const HoldRecord& hold) {
    return hold.cause.code == schemas::CauseCode::kPartner &&
           hold.cause.because == schemas::CauseCode::kNone;
  }
  static bool IsForUser(const HoldRecord& hold, const schemas::PartRecord& part) {
    if (part.end.by == schemas::EndedBy::kExit || part.end.by == schemas::EndedBy::kWalltime) {
      return true;
    }
    const auto of_user = [](schemas::CauseCode code) {
      return code == schemas::CauseCode::kNone || code == schemas::CauseCode::kUser;
    };
    const bool by_partner = hold.cause.code == schemas::CauseCode::kPartner;
    return part.end.by == schemas::EndedBy::kRelease &&
           of_user(by_partner ? hold.cause.because : hold.cause.code);
  }
  static std::string KeyOf(const std::string& site, const Fence& fence, uint32_t part) {
    const auto hex = [](uint64_t value) {
      std::string out(16, '0');
      for (size_t i = 16; i-- > 0; value /= 16) out[i] = "0123456789abcdef"[value % 16];
      return out;
    };
    return "charge/" + site + "/" + hex(fence.epoch.value) + "." + hex(fence.number) + "/" +
           std::to_string(part);
  }
  static int64_t ProcessorsOf(const schemas::PartRecord& part) {
    int64_t sum = 0;
    for (const schemas::ChunkPlace& chunk : part.place.chunks) sum += chunk.resources.Get("ncpus");
    return sum;
  }
  static int64_t OpenOf(const RequestRecord& request) {
    return request.lien ? request.lien->Open() : 0;
  }
  bool TouchesLiar(const RequestRecord& request) const {
    if (world_.liars.empty()) return false;
    for (const schemas::PartSpec& part : request.spec.parts) {
      if (part.sites.empty()) return true;
      for (const std::string& site : part.sites) {
        if (world_.liars.contains(site)) return true;
      }
    }
    return false;
  }

  void Post(Moment at, const EntryRecord& entry) {
    int64_t sum = 0;
    for (const schemas::Posting& one : entry.postings) {
      sum += one.amount;
      balances_[one.account] += one.amount;
    }
    const std::string what = "entry " + std::to_string(entry.number);
    if (sum != 0) Violated(at, what + " adds up to " + std::to_string(sum));
    if (entry.number <= last_entry_) Violated(at, what + " is not after all others");
    last_entry_ = entry.number;
    if (!keys_.insert(entry.key).second) Violated(at, what + " has the key of another one");
  }

  void CheckAccount(Moment at, const AccountRecord& account) {
    if (account.balance != balances_[account.name]) {
      Violated(at, "the balance of " + account.name + " is " + std::to_string(account.balance) +
                       ", and " + std::to_string(balances_[account.name]) + " were posted");
    }
    int64_t left = 0;
    for (const schemas::Allocation& one : account.allocations) {
      if (one.left <= 0 || one.left > one.granted) {
        Violated(at, "an allocation of " + account.name + " has " + std::to_string(one.left) +
                         " left of " + std::to_string(one.granted));
      }
      left += one.left;
    }
    const bool of_users = world_.bank->overdrafts.contains(account.name);
    if (of_users && left < account.balance) {
      Violated(at, account.name + " has less left of its allocations than its balance");
    }
  }

  // No allocation of the campaigns begins later than it is granted.
  void CheckFree(Moment at, const std::string& name) {
    const auto overdraft = world_.bank->overdrafts.find(name);
    if (overdraft == world_.bank->overdrafts.end()) return;
    int64_t set_aside = 0;
    for (const auto& [key, request] : requests_) {
      if (request.lien && request.lien->account == name) set_aside += OpenOf(request);
    }
    if (balances_[name] - set_aside < -overdraft->second) {
      Violated(at, name + " has " + std::to_string(balances_[name]) + ", may owe " +
                       std::to_string(overdraft->second) + ", and " + std::to_string(set_aside) +
                       " are set aside");
    }
  }

  // The parts that this batch settles, and their charges in it.
  void Settle(Moment at, const RequestRecord& before, const RequestRecord& now,
              const std::vector<const EntryRecord*>& entries) {
    int64_t charged = now.lien ? now.lien->charged : 0;
    if (before.lien) charged -= before.lien->charged;
    int64_t posted = 0;
    for (const EntryRecord* entry : entries) {
      if (entry->kind != EntryKind::kCharge || entry->job != now.id) continue;
      const int64_t amount = entry->postings.back().amount;
      posted += amount;
      Charged(at, before, now, *entry, amount);
    }
    if (before.lien && now.lien && now.attempt) LeftOut(at, before, now, entries);
    if (posted != charged) {
      Violated(at, "job " + ToText(now.id) + " was charged " + std::to_string(charged) + ", and " +
                       std::to_string(posted) + " were posted with it");
    }
  }

  // A part that was settled without a charge used nothing for its user.
  void LeftOut(Moment at, const RequestRecord& before, const RequestRecord& now,
               const std::vector<const EntryRecord*>& entries) {
    const auto attempt = attempts_.find(*now.attempt);
    if (attempt == attempts_.end() || attempt->second.partial) return;
    for (const uint64_t part : now.lien->settled) {
      const auto& known = before.lien->settled;
      if (std::find(known.begin(), known.end(), part) != known.end()) continue;
      if (part == 0 || part > attempt->second.part_sites.size()) continue;
      const std::string& site = attempt->second.part_sites[part - 1];
      const std::string key = KeyOf(site, *now.attempt, static_cast<uint32_t>(part));
      const auto had = had_.find(key);
      if (had == had_.end() || !had->second.for_user || world_.liars.contains(site)) continue;
      if (had->second.unclear || !AllRan(attempt->second)) continue;
      const int64_t due =
          std::min(before.lien->parts[part - 1], PriceOf(now.spec.qos, site, had->second));
      const bool charged = std::any_of(entries.begin(), entries.end(),
                                       [&](const EntryRecord* one) { return one->key == key; });
      if (due > 0 && !charged) {
        Violated(at, "part " + std::to_string(part) + " of job " + ToText(now.id) + " used " +
                         std::to_string(due) + " and was charged nothing");
      }
    }
  }

  // One of several that started alone is charged nothing.
  bool AllRan(const schemas::AttemptRecord& attempt) const {
    for (size_t i = 0; i < attempt.part_sites.size(); ++i) {
      const std::string key =
          KeyOf(attempt.part_sites[i], attempt.fence, static_cast<uint32_t>(i + 1));
      if (!sizes_.contains(key)) return false;
    }
    return true;
  }

  void Charged(Moment at, const RequestRecord& before, const RequestRecord& now,
               const EntryRecord& entry, int64_t amount) {
    const std::string what = "entry " + std::to_string(entry.number) + " of job " + ToText(now.id);
    const size_t part = static_cast<size_t>(std::stoul(entry.key.substr(entry.key.rfind('/') + 1)));
    if (!before.lien || part == 0 || part > before.lien->parts.size()) {
      return Violated(at, what + " charges a part for which nothing was set aside");
    }
    const int64_t most = before.lien->parts[part - 1];
    if (amount > most) {
      Violated(at, what + " charges " + std::to_string(amount) + " of " + std::to_string(most));
    }
    const auto had = had_.find(entry.key);
    const std::string site = entry.postings.back().account.substr(sizeof("site:") - 1);
    if (world_.liars.contains(site)) return;
    if (had == had_.end()) return Violated(at, what + " charges a part that did not run");
    if (!had->second.for_user) Violated(at, what + " charges what a site took away");
    const auto& [least, largest] = sizes_.at(entry.key);
    const auto price = [&](int64_t processors) {
      Had sized = had->second;
      sized.processors = processors;
      return std::min(most, PriceOf(now.spec.qos, site, sized));
    };
    if (amount < price(least) || amount > price(largest)) {
      Violated(at, what + " charges " + std::to_string(amount) + ", not " +
                       std::to_string(price(least)) +
                       (least == largest ? "" : " to " + std::to_string(price(largest))));
    }
  }

  // In millionths, rounded half up.
  int64_t PriceOf(const std::string& qos, const std::string& site, const Had& had) const {
    const auto times = [](const std::map<std::string, int64_t>& all, const std::string& name) {
      const auto it = all.find(name);
      return it == all.end() ? 1000 : it->second;
    };
    __extension__ using Wide = __int128;
    constexpr Wide kHour = Wide{3'600'000} * 1000 * 1000;
    const Wide sum = Wide{had.processors} * had.elapsed_ms * world_.bank->rate *
                     times(world_.bank->qos_times, qos) * times(world_.bank->site_times, site);
    return static_cast<int64_t>((2 * sum + kHour) / (2 * kHour));
  }

  CheckedWorld world_;
  std::map<std::string, Had> had_;  // by key of the charge
  std::map<std::string, std::pair<int64_t, int64_t>> sizes_;
  std::map<std::string, RequestRecord> requests_;
  std::map<std::string, AccountRecord> accounts_;
  std::map<Fence, schemas::AttemptRecord> attempts_;
  std::map<std::string, int64_t> balances_;  // own sums
  std::set<std::string> keys_;
  uint64_t last_entry_ = 0;
};

}  // namespace

std::unique_ptr<Checker> CheckCredits(const CheckedWorld& world) {
  return std::make_unique<CreditsCheck>(world);
}

}  // namespace muster::sim
