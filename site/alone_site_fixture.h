// A site of two nodes without a meta, with its own users and store. The test plays the driver.
// After every turn the core is rebuilt from its writes and compared with the live one (G7).
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "schemas/canonical.h"
#include "site/core.h"

namespace muster::site {

inline constexpr int64_t kZero = 1'800'000'000'000;  // wall milliseconds

class AloneSite : public ::testing::Test {
 protected:
  AloneSite() {
    options_.federation = "campus";
    options_.name = "lakes";
    options_.boot_id = "b1";
    options_.facts.turnover = Span{0};
    options_.nodes = {{"n1", {{"ncpus", 4}}, {}}, {"n2", {{"ncpus", 4}}, {}}};
    options_.users = {{"kim", false, {"g1"}}, {"lee", false, {}}, {"root", true, {}}};
    Boot();
  }

  static schemas::RequestSpec Spec(int64_t cpus, int64_t seconds) {
    schemas::RequestSpec spec;
    spec.name = "solve";
    spec.duration = Span{seconds};
    spec.parts.emplace_back().chunks.push_back({.count = 1, .resources = {{"ncpus", cpus}}});
    spec.payload.argv = {"true"};
    return spec;
  }

  void Boot() {
    auto core = Core::Load(options_, {store_.begin(), store_.end()}, At());
    ASSERT_TRUE(core.ok()) << core.status();
    core_.emplace(*std::move(core));
    Turn({});
  }

  Now At() const { return {.boot = {1'000'000 + ms_}, .wall = {kZero + ms_}}; }

  // One turn: applies the writes to the store and collects the driver commands.
  void Turn(const std::vector<Event>& events) {
    effects_ = core_->Step(At(), events);
    for (const auto& write : effects_.writes) {
      if (write.value) {
        store_[write.key] = *write.value;
      } else {
        store_.erase(write.key);
      }
    }
    for (const auto& command : effects_.driver) commands_.push_back(command);
    for (const auto& message : effects_.to_meta) {
      EXPECT_FALSE(std::holds_alternative<schemas::Report>(message.body));
    }
    const auto again = Core::Load(options_, {store_.begin(), store_.end()}, At());
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(again->StateDigest(), core_->StateDigest()) << "rebuilt and live core differ";
  }

  void Advance(int64_t seconds) {
    const int64_t until = ms_ + 1000 * seconds;
    while (ms_ < until) {
      ms_ = std::min(until, ms_ + 500);
      Turn({});
    }
  }

  // The answer to one message; none if there is none yet.
  std::optional<schemas::ToClient> Ask(const std::string& user,
                                       decltype(schemas::ClientMessage::body) body) {
    schemas::ClientMessage message{.federation = "campus", .number = {++number_}};
    message.body = std::move(body);
    Turn({ClientSays{user, "1", message}});
    for (const ClientAnswer& answer : effects_.to_clients) {
      if (answer.message.answers.value == number_) return answer.message;
    }
    return std::nullopt;
  }
  template <class Body>
  Body Get(const std::string& user, decltype(schemas::ClientMessage::body) body) {
    const auto answer = Ask(user, std::move(body));
    if (answer && std::holds_alternative<Body>(answer->body)) return std::get<Body>(answer->body);
    if (answer && std::holds_alternative<schemas::Refused>(answer->body)) {
      ADD_FAILURE() << "refused: " << std::get<schemas::Refused>(answer->body).message;
    } else {
      ADD_FAILURE() << "no such answer";
    }
    return {};
  }

  uint64_t Submit(const std::string& user, const schemas::RequestSpec& spec,
                  const std::string& key = "") {
    const std::string text = key.empty() ? "key" + std::to_string(number_) : key;
    const auto accepted = Get<schemas::Accepted>(user, schemas::Submit{{.text = text}, spec});
    return accepted.requests.empty() ? 0 : accepted.requests[0].value;
  }
  schemas::Refused Refusal(const schemas::RequestSpec& spec) {
    return Get<schemas::Refused>("kim", schemas::Submit{{.text = std::to_string(number_)}, spec});
  }
  schemas::JobView Job(uint64_t number) {
    const auto rows =
        Get<schemas::Rows>("kim", schemas::Get{.kind = schemas::GetKind::kJob, .locals = {number}});
    return rows.jobs.empty() ? schemas::JobView{} : rows.jobs[0];
  }
  std::optional<driver::StartPart> Started(const std::string& folder) const {
    for (auto it = commands_.rbegin(); it != commands_.rend(); ++it) {
      const auto* start = std::get_if<driver::StartPart>(&*it);
      if (start != nullptr && start->part_name == folder) return *start;
    }
    return std::nullopt;
  }
  void Runs(const std::string& token) {
    Turn({DriverSays{driver::PartStarted{.token = token, .at = At().wall}}});
  }
  void Ends(const std::string& token, int exit_code) {
    driver::PartEnded ended{.token = token, .at = At().wall};
    ended.end = {.by = schemas::EndedBy::kExit, .exit_code = exit_code};
    Turn({DriverSays{std::move(ended)}});
  }

  Options options_;
  std::map<std::string, schemas::SiteRecord> store_;
  std::optional<Core> core_;
  Effects effects_;
  std::vector<driver::Command> commands_;
  int64_t ms_ = 500;  // between two whole seconds, so that nothing starts in the turn in which it
                      // was submitted
  uint64_t number_ = 0;
};

}  // namespace muster::site
