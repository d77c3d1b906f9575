// A driven site that lends idle nodes to jobs with a contract. For tests of rows L1 to L10 of
// protocol.md section 3.3 on the core.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "site/driven_site_fixture.h"

namespace muster::site {

// Job 7 has n1 until 10,000; job 8 gets n2 at 3,000 for 1,000 s. Job 9 needs a node for 5,000 s,
// and has it behind job 8, at 4,001.
class LentSite : public DrivenSite {
 protected:
  static constexpr schemas::Contract kTerms{
      .grace = Span{10}, .min_run = Span{60}, .max_recalls = 2};

  LentSite() {
    options_.lends_to = {"*"};
    for (Node& node : options_.nodes) node.properties = {{"name", node.name}};
    Load();
    Say(schemas::Welcome{.epoch = {1}});
  }
  // This node from exactly then.
  void PlaceOn(const std::string& node, uint64_t number, uint64_t request, int64_t start,
               int64_t seconds) {
    schemas::HoldOrder order = OrderFor(number, request, start, seconds, std::nullopt, false);
    order.earliest = kNow + Span{start};
    order.parts[0].chunks[0].properties = {{"name", node}};
    Order(order);
    Permit(number);
  }
  // A whole node from exactly then.
  void PlaceAt(uint64_t number, uint64_t request, int64_t start, int64_t seconds) {
    schemas::HoldOrder order = OrderFor(number, request, start, seconds, std::nullopt, false);
    order.earliest = kNow + Span{start};
    Order(order);
    Permit(number);
  }
  void PlaceLendable(uint64_t number, uint64_t request, int64_t start, int64_t seconds,
                     schemas::Contract terms = kTerms) {
    schemas::HoldOrder order = OrderFor(number, request, start, seconds, std::nullopt, false);
    order.contract = terms;
    Order(order);
    Permit(number);
  }
  void PlaceAll() {
    Place(1, 7, 0, 10'000, std::nullopt, false);
    PlaceAt(2, 8, 3'000, 1'000);
    PlaceLendable(3, 9, 0, 5'000);
  }
  schemas::PartRecord Part(uint64_t number) const { return Hold(number).parts.at(0); }
  int64_t StartOf(uint64_t number) const { return (Hold(number).start - kNow).seconds; }
  driver::StartPart LastStart(const std::string& part) const {
    for (auto it = commands_.rbegin(); it != commands_.rend(); ++it) {
      const auto* start = std::get_if<driver::StartPart>(&*it);
      if (start != nullptr && start->part_name == part) return *start;
    }
    return {};
  }
  void Exits(const std::string& token, int64_t elapsed_s) {
    driver::PartEnded ended{.token = token, .at = Time().wall};
    ended.end = {.by = schemas::EndedBy::kExit, .exit_code = 0};
    ended.usage.elapsed = BootSpan{1000 * elapsed_s};
    Turn({DriverSays{std::move(ended)}});
  }
  // Restarts the daemon, whose driver says this of each token it is asked for.
  void Restart(driver::Finding finding, std::optional<driver::PartEnded> ended = std::nullopt) {
    commands_.clear();
    Load();
    std::vector<std::string> tokens;
    for (const driver::Command& command : commands_) {
      if (const auto* find = std::get_if<driver::FindParts>(&command)) tokens = find->tokens;
    }
    std::vector<Event> found;
    for (const std::string& token : tokens) {
      const bool lent = Hold(3).parts.at(0).loan && Hold(3).parts.at(0).loan->token == token;
      driver::PartFound says{.token = token};
      says.finding = lent ? finding : driver::Finding::kRunning;
      if (lent && ended) {
        says.ended = ended;
        says.ended->token = token;
      }
      found.push_back(DriverSays{std::move(says)});
    }
    Turn(std::move(found));
    Say(schemas::Welcome{.epoch = {1}});
  }
};

}  // namespace muster::site
