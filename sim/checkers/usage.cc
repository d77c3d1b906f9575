// Usage: the meta charges each part of each attempt its final usage once, as the site measured it,
// and never changes it afterwards. protocol.md section 7.7.
#include <map>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::MirrorRecord;
using schemas::Usage;

class UsageCheck : public Checker {
 public:
  explicit UsageCheck(CheckedWorld world) : world_(std::move(world)) {}
  std::string Name() const override { return "usage"; }

  void OnSiteWrites(Moment, const std::string& site, const SiteWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* hold = std::get_if<schemas::HoldRecord>(&*write.value);
      if (hold == nullptr) continue;
      for (const auto& part : hold->parts) {
        if (part.usage_final) reported_[{site, hold->order.fence, part.index}] = part.usage;
      }
    }
  }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* mirror = std::get_if<MirrorRecord>(&*write.value);
      if (mirror == nullptr || world_.liars.contains(mirror->site)) continue;
      for (const auto& part : mirror->parts) {
        if (!part.usage_final) continue;
        const Key key{mirror->site, mirror->fence, part.index};
        const auto [it, fresh] = charged_.emplace(key, part.usage);
        if (!fresh && it->second != part.usage) {
          Violated(at,
                   "final usage of " + ToText(mirror->fence) + " at " + mirror->site + " changed");
        }
        const auto told = reported_.find(key);
        if (told == reported_.end() || told->second != part.usage) {
          Violated(at, "usage charged for " + ToText(mirror->fence) + " is not what " +
                           mirror->site + " measured");
        }
      }
    }
  }

 private:
  using Key = std::tuple<std::string, Fence, uint32_t>;
  CheckedWorld world_;
  std::map<Key, Usage> reported_;
  std::map<Key, Usage> charged_;
};

}  // namespace

std::unique_ptr<Checker> CheckUsage(const CheckedWorld& world) {
  return std::make_unique<UsageCheck>(world);
}

}  // namespace muster::sim
