// The turn of the site daemon: wire bytes and driver events in, batch, messages and driver commands
// out.
#include "site/shell/daemon.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/io/records.h"
#include "base/io/wait.h"
#include "schemas/codec/codec.h"
#include "schemas/limits.h"

namespace muster::site {
absl::StatusOr<Daemon> Daemon::Open(Options options, const Surroundings& around) {
  MUSTER_ASSIGN_OR_RETURN(
      auto records, io::LoadRecords<schemas::SiteRecord>(around.store, schemas::DecodeSiteRecord));
  MUSTER_ASSIGN_OR_RETURN(Core core,
                          Core::Load(std::move(options), std::move(records), around.clock.Read()));
  return Daemon(std::move(core), around);
}

std::vector<Event> Daemon::Gather(BootSpan wait) {
  std::vector<Event> events;
  io::Waitable* const transports[] = {&around_.meta};
  const int descriptors[] = {around_.driver.EventFd()};
  io::WaitReadable(transports, std::span(descriptors, descriptors[0] >= 0 ? 1 : 0), wait);
  for (const std::string& bytes : around_.meta.Receive(schemas::kTurnMessages, BootSpan{0})) {
    absl::StatusOr<schemas::ToSite> message = schemas::DecodeToSite(bytes);
    if (message.ok()) {
      events.push_back(MetaSays{*std::move(message)});
    } else {
      events.push_back(MetaGarbage{std::string(Text(message.status()))});
    }
  }
  for (driver::Event& event : around_.driver.Take()) events.push_back(DriverSays{std::move(event)});
  return events;
}

void Daemon::WatchDisk(BootInstant now, std::vector<Event>& events) {
  const std::optional<bool> low = disk_.Look(now, around_.store);
  if (!low) return;
  spdlog::warn(*low ? "the disk is nearly full: new work is refused" : "enough disk is free again");
  events.push_back(DiskState{*low});
}

absl::Status Daemon::Carry(const Effects& effects) {
  for (const std::string& note : effects.notes) spdlog::info("{}", note);
  MUSTER_RETURN_IF_ERROR(io::CommitWrites(around_.store, effects.writes, [](const auto& record) {
    return schemas::EncodeRecord(record);
  }));
  for (const schemas::ToMeta& message : effects.to_meta)
    around_.meta.Send(schemas::Encode(message));
  for (const driver::Command& command : effects.driver) around_.driver.Do(command);
  return absl::OkStatus();
}

absl::Status Daemon::Turn(BootSpan wait) {
  const BootInstant before = around_.clock.Read().boot;
  if (next_) wait = std::clamp(*next_ - before, BootSpan{0}, wait);
  std::vector<Event> events = Gather(wait);
  const Now now = around_.clock.Read();
  WatchDisk(now.boot, events);
  const Effects effects = core_.Step(now, events);
  next_ = effects.next;
  return Carry(effects);
}

}  // namespace muster::site
