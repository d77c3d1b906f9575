// Waits are on the driver's own descriptor.
#include "tests/bench/slurm/driven.h"

#include <poll.h>

#include <algorithm>

#include "base/io/system/clock.h"
#include "tests/bench/federation/conversation.h"

namespace muster::bench {
namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

Moment WallMoment() {
  static const std::unique_ptr<io::Clock> clock = io::SystemClock();
  return clock->Read().wall;
}

Driven::Driven(const std::string& shared_folder, std::vector<std::string> commons) {
  driver::SlurmOptions options;
  options.shared_folder = shared_folder;
  options.prefix = kPrefix;
  options.commons = std::move(commons);
  options.strict = false;  // what keeps the nodes busy here is nobody's part
  options.accounts = {{"*", kUser}};
  auto opened = driver::SlurmDriver::Open(options);
  if (!opened.ok()) Fail("the driver: " + std::string(opened.status().message()));
  driver_ = *std::move(opened);
  Do(driver::FindParts{});
  Await([&] { return Count<driver::Outside>() > 0; });
}

std::string Driven::WhatIsWrong() const {
  for (const driver::Event& event : events_) {
    if (const auto* none = std::get_if<driver::PartNotStarted>(&event)) return none->why;
    if (const auto* refused = std::get_if<driver::WallRefused>(&event)) return refused->why;
    if (const auto* lost = std::get_if<driver::WallLost>(&event)) return lost->why;
  }
  return std::to_string(events_.size()) + " events, none of them a refusal";
}

void Driven::Await(const std::function<bool()>& holds) {
  const int64_t until = WallMoment().milliseconds + kPatienceMs;
  for (;;) {
    for (driver::Event& event : driver_->Take()) events_.push_back(std::move(event));
    if (holds()) return;
    if (WallMoment().milliseconds > until) Fail("the driver does not do it: " + WhatIsWrong());
    pollfd ready = {driver_->EventFd(), POLLIN, 0};
    poll(&ready, 1, 5);
  }
}

driver::StartPart Driven::PartOf(const std::string& node, Instant at, const std::string& command) {
  static int number = 0;
  const std::string token =
      std::to_string(WallMoment().milliseconds) + "." + std::to_string(++number);
  driver::StartPart part{.token = token, .part_name = "p" + token, .user = "ana"};
  part.payload.argv = {"/bin/sh", "-c", command};
  schemas::ChunkPlace chunk{.node = node};
  chunk.resources.Set("ncpus", 1);
  part.place.chunks = {chunk};
  part.not_before = at;
  part.not_after = at + Span{60};
  part.walltime = Span{30};
  return part;
}

void Driven::Settle() {
  static uint64_t number = 0;
  Do(driver::ReadOutput{.inspection = ++number, .part_name = "none", .limit = 1});
  Await([&] {
    return std::any_of(events_.begin(), events_.end(), [](const driver::Event& event) {
      const auto* read = std::get_if<driver::OutputRead>(&event);
      return read != nullptr && read->inspection == number;
    });
  });
}

}  // namespace muster::bench
