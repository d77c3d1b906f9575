// See scripted_federation.h. The core's turns, the clock, and what sites say to it.
#include "tests/scenario/scripted_federation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace muster::scenario {

schemas::Capacity FakeSite::Machine() const {
  schemas::Capacity c;
  c.plan = PlanRevision{1};
  c.classes = {{.count = 4, .up = 4, .per_node = {{"ncpus", 4}}}};
  c.classes[0].speed = node_speed;
  c.profile = {{Instant{0}, {{{"ncpus", 16}}}}};
  c.free_now = {{"ncpus", 16}};
  c.total = {{"ncpus", 16}};
  c.driver = "simulated";
  c.start_slack = Span{1};
  c.capabilities = capabilities;
  c.firm = firm;
  return c;
}

meta::Options ScriptedFederation::TestOptions() {
  meta::Options o;
  o.federation = "test";
  o.sites = {"hills", "lakes", "woods"};
  o.keys = {{"user:kim", "user", std::string(40, 'a')},
            {"user:root", "operator", std::string(40, 'r')}};
  o.users = {{.name = "kim"}, {.name = "ana"}, {.name = "root", .is_operator = true}};
  return o;
}

void ScriptedFederation::Start() {
  std::vector<std::pair<std::string, schemas::MetaRecord>> records(store_.begin(), store_.end());
  core_ = std::make_unique<meta::Core>(*meta::Core::Load(options_, std::move(records), now_));
  Turn({});
}

void ScriptedFederation::Turn(std::vector<meta::Event> events) {
  if (!core_) return;
  meta::Effects e = core_->Step(now_, events);
  const Fate fate = FateOf(e);
  Asked(e, fate);
  if (fate == Fate::kDiesUnwritten) return core_.reset();
  const bool wrote = !e.writes.empty();
  for (auto& write : e.writes) {
    if (write.value) {
      store_.insert_or_assign(write.key, std::move(*write.value));
    } else {
      store_.erase(write.key);
    }
  }
  CheckRebuilt(wrote);
  if (fate == Fate::kDiesUnsent) return core_.reset();
  for (auto& m : e.to_sites) to_sites_.push_back(std::move(m));
  for (auto& m : e.to_clients) answers_.push_back(std::move(m));
  for (auto& n : e.notes) notes_.push_back(std::move(n));
  next_ = e.next;
  if (e.secrets_wanted > 0 && entropy_) {
    Turn({meta::SecretsDrawn{std::vector<Secret>(e.secrets_wanted)}});
  }
}

void ScriptedFederation::CheckRebuilt(bool wrote) {
  const Digest state = core_->StateDigest();
  if (!wrote && state == rebuilt_) return;
  std::vector<std::pair<std::string, schemas::MetaRecord>> records(store_.begin(), store_.end());
  absl::StatusOr<meta::Core> copy = meta::Core::Load(options_, std::move(records), now_);
  ASSERT_TRUE(copy.ok()) << copy.status();
  rebuilt_ = copy->StateDigest();
  ASSERT_EQ(rebuilt_, state);
}

void ScriptedFederation::Settle() {
  for (int i = 0; i < 1000 && !to_sites_.empty(); ++i) {
    meta::SiteMessage m = std::move(to_sites_.front());
    to_sites_.pop_front();
    FakeSite& site = Of(m.site);
    if (!site.cut) Hear(site, m.message);
  }
}

void ScriptedFederation::Advance(int64_t milliseconds) {
  const int64_t until = now_.boot.milliseconds + milliseconds;
  while (now_.boot.milliseconds < until) {
    const int64_t step = std::min<int64_t>(250, until - now_.boot.milliseconds);
    now_.boot.milliseconds += step;
    now_.wall.milliseconds += step;
    for (FakeSite& site : sites_) {
      if (!site.cut && connected_) Beat(site);
    }
    Turn({});
    Settle();
  }
}

FakeSite& ScriptedFederation::Of(const std::string& name) {
  for (FakeSite& site : sites_) {
    if (site.name_ == name) return site;
  }
  std::abort();
}

void ScriptedFederation::Say(FakeSite& site, decltype(schemas::ToMeta::body) body) {
  schemas::ToMeta m;
  m.federation = "test";
  m.incarnation = site.incarnation;
  m.number = MessageNumber{++number_};
  m.body = std::move(body);
  Said(site, m);
  Turn({meta::SiteSays{site.name_, "link-" + site.name_, std::move(m)}});
}
void ScriptedFederation::Beat(FakeSite& site) {
  Say(site, schemas::Heartbeat{.feed = site.feed, .plan = site.plan, .disk_low = site.disk_low});
}
void ScriptedFederation::Dial(FakeSite& site) {
  Say(site, schemas::Hello{
                .incarnation = site.incarnation, .feed = site.feed, .capacity = site.Machine()});
  Settle();
}
void ScriptedFederation::DialAll() {
  connected_ = true;
  for (FakeSite& site : sites_) Dial(site);
}

}  // namespace muster::scenario
