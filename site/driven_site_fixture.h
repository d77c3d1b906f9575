// A small site whose meta is played by the test. Its driver confirms starts at once, unless
// `confirms_` is false. Time passes in seconds. For tests of single table rows on the core.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/canonical.h"
#include "site/core.h"

namespace muster::site {

class DrivenSite : public ::testing::Test {
 public:
  static constexpr Instant kNow{1'700'000'000};

 protected:
  DrivenSite() {
    options_.federation = "campus";
    options_.name = "lakes";
    options_.boot_id = "b1";
    options_.facts.turnover = Span{1};
    options_.driver = "simulated";
    for (const char* name : {"n1", "n2"}) options_.nodes.push_back({name, {{"ncpus", 4}}, {}});
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
  void Load() {
    std::vector<std::pair<std::string, schemas::SiteRecord>> records(store_.begin(), store_.end());
    auto core = Core::Load(options_, std::move(records), Time());
    ASSERT_TRUE(core.ok()) << core.status();
    core_ = std::make_unique<Core>(*std::move(core));
    ++incarnation_;
    Turn({});
  }
  Now Time() const { return {.boot = {now_ms_}, .wall = {kNow.seconds * 1000 + now_ms_}}; }
  void Turn(std::vector<Event> events) {
    Effects effects = core_->Step(Time(), events);
    for (auto& write : effects.writes) {
      if (write.value) {
        store_.insert_or_assign(write.key, std::move(*write.value));
      } else {
        store_.erase(write.key);
      }
    }
    commands_.insert(commands_.end(), effects.driver.begin(), effects.driver.end());
    notes_.insert(notes_.end(), effects.notes.begin(), effects.notes.end());
    to_meta_.insert(to_meta_.end(), effects.to_meta.begin(), effects.to_meta.end());
    std::vector<Event> said;
    for (const auto& command : effects.driver) {
      if (const auto* start = std::get_if<driver::StartPart>(&command)) {
        started_.push_back(start->part_name);
        if (!confirms_) continue;
        said.push_back(DriverSays{driver::PartStarted{.token = start->token, .at = Time().wall}});
      }
      if (const auto* stop = std::get_if<driver::StopPart>(&command)) {
        ++stopped_;
        if (!ends_) continue;
        driver::PartEnded ended{.token = stop->token, .at = Time().wall};
        ended.end = {.by = schemas::EndedBy::kRelease};
        said.push_back(DriverSays{ended});
      }
    }
    if (!said.empty()) Turn(std::move(said));
  }
  void Say(decltype(schemas::ToSite::body) body) {
    schemas::ToSite message{.federation = "campus",
                            .epoch = {1},
                            .expires = {Time().wall.milliseconds + 30'000},
                            .incarnation = {incarnation_}};
    message.body = std::move(body);
    Turn({MetaSays{std::move(message)}});
  }
  void Order(decltype(schemas::Order::what) what) {
    schemas::Orders orders;
    orders.orders.push_back({std::move(what)});
    Say(std::move(orders));
  }
  // Advances time to `second`, with one turn per second.
  void Until(int64_t second) {
    while (now_ms_ < second * 1000) {
      now_ms_ += 1000;
      Turn({});
    }
  }
  // Orders a hold of a whole node: a prepared one if `tail_` is set, else a committed one. Place
  // also permits it.
  void Commit(uint64_t number, uint64_t request, int64_t start, int64_t seconds,
              std::optional<RequestId> inside, bool reserves) {
    Order(OrderFor(number, request, start, seconds, inside, reserves));
  }
  schemas::HoldOrder OrderFor(uint64_t number, uint64_t request, int64_t start, int64_t seconds,
                              std::optional<RequestId> inside, bool reserves) const {
    schemas::HoldOrder order{.fence = {{1}, number}, .request = {request}};
    order.requester.user = "kim";
    order.members = {"lakes"};
    order.part_sites = {"lakes"};
    const schemas::Chunk node{
        .count = 1, .resources = {{"ncpus", 4}}, .least = most_ > 0 ? 1u : 0u, .most = most_};
    order.parts = {{.chunks = {node}, .duration = Span{seconds}, .tail = tail_}};
    order.payload_digest = schemas::DigestOf(order.payload);
    order.allowed = IntervalSet({{kNow + Span{start}, kNow + Span{100'000}}});
    // With a tail the hold waits for its permit at a start barrier.
    const bool waits = tail_ > Span{0};
    order.stage = waits ? schemas::HoldState::kPrepared : schemas::HoldState::kCommitted;
    order.deadline_after = Span{10};
    order.inside = inside;
    if (reserves) order.reserves = schemas::ReservationSpec{};
    return order;
  }
  void Permit(uint64_t number) {
    Order(schemas::PermitOrder{{{1}, number}, {.last_start = kNow + Span{90'000}}});
  }
  void Place(uint64_t number, uint64_t request, int64_t start, int64_t seconds,
             std::optional<RequestId> inside, bool reserves) {
    Commit(number, request, start, seconds, inside, reserves);
    Permit(number);
  }
  schemas::HoldRecord Hold(uint64_t number) const {
    for (const schemas::HoldRecord& hold : core_->Holds()) {
      if (hold.order.fence == Fence{{1}, number}) return hold;
    }
    return {};
  }

  Options options_;
  int64_t now_ms_ = 0;
  uint64_t incarnation_ = 0;
  std::map<std::string, schemas::SiteRecord> store_;
  std::unique_ptr<Core> core_;
  std::vector<driver::Command> commands_;
  std::vector<std::string> notes_;
  std::vector<schemas::ToMeta> to_meta_;
  std::vector<std::string> started_;
  uint32_t most_ = 0;     // most nodes of malleable parts; 0: parts are rigid
  Span tail_;             // tail of parts that wait for their permit until their deadline
  bool confirms_ = true;  // the driver confirms starts
  bool ends_ = true;      // the driver confirms stops at once
  int stopped_ = 0;
};

}  // namespace muster::site
