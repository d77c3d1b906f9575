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
#include "site/shell/reload.h"

namespace muster::site {
namespace {

constexpr std::string_view kUserPrefix = "user:";

io::Peer PeerOf(const std::string& user, const std::string& link) {
  return {std::string(kUserPrefix) + user, link};
}

using Records = std::vector<std::pair<std::string, schemas::SiteRecord>>;
absl::StatusOr<Records> RecordsOf(io::Store& store) {
  return io::LoadRecords<schemas::SiteRecord>(store, schemas::DecodeSiteRecord);
}

// The recording's frame for the start of a core.
std::string BeganFrame(schemas::CoreOrigin origin, const Options& options, const Records& records,
                       Now now) {
  origin.driver = options.driver;
  origin.facts = options.facts;
  origin.boot = now.boot;
  origin.wall = now.wall;
  return schemas::BeganFrame(origin, records);
}

}  // namespace

absl::StatusOr<Daemon> Daemon::Open(Options options, const Surroundings& around) {
  MUSTER_ASSIGN_OR_RETURN(Records records, RecordsOf(around.store));
  const Now now = around.clock.Read();
  if (around.recording != nullptr) {
    MUSTER_RETURN_IF_ERROR(around.recording->Add(BeganFrame(around.origin, options, records, now)));
  }
  Surroundings surroundings = around;
  surroundings.origin.driver = options.driver;
  surroundings.origin.facts = options.facts;
  MUSTER_ASSIGN_OR_RETURN(Core core, Core::Load(std::move(options), std::move(records), now));
  return Daemon(std::move(core), surroundings);
}

std::vector<Event> Daemon::Gather(BootSpan wait) {
  std::vector<Event> events;
  io::Waitable* const transports[] = {&around_.meta, around_.clients};
  const int descriptors[] = {around_.driver.EventFd()};
  io::WaitReadable(std::span(transports, around_.clients == nullptr ? 1 : 2),
                   std::span(descriptors, descriptors[0] >= 0 ? 1 : 0), wait);
  for (const std::string& bytes : around_.meta.Receive(schemas::kTurnMessages, BootSpan{0})) {
    absl::StatusOr<schemas::ToSite> message = schemas::DecodeToSite(bytes);
    if (message.ok()) {
      events.push_back(MetaSays{*std::move(message)});
    } else {
      events.push_back(MetaGarbage{std::string(Text(message.status()))});
    }
  }
  if (around_.clients != nullptr) HearClients(events);
  for (driver::Event& event : around_.driver.Take()) events.push_back(DriverSays{std::move(event)});
  return events;
}

void Daemon::HearClients(std::vector<Event>& events) {
  for (io::Incoming& in : around_.clients->Receive(schemas::kTurnMessages, BootSpan{0})) {
    if (!in.peer.name.starts_with(kUserPrefix)) continue;
    absl::StatusOr<schemas::ClientMessage> message = schemas::DecodeClientMessage(in.bytes);
    if (message.ok()) {
      events.push_back(ClientSays{in.peer.name.substr(kUserPrefix.size()), std::move(in.peer.link),
                                  *std::move(message)});
      continue;
    }
    const schemas::Refused refused{
        .code = "usage",
        .message = "unreadable message: " + std::string(Text(message.status())),
        .help = "is this muster of the same version as the site?",
        .changed = "nothing was changed"};
    around_.clients->Send(in.peer, schemas::Encode(schemas::ToClient{
                                       .answers = schemas::NumberOf(in.bytes), .body = refused}));
  }
}

void Daemon::WatchDisk(BootInstant now, std::vector<Event>& events) {
  const std::optional<bool> low = disk_.Look(now, around_.store);
  if (!low) return;
  spdlog::warn(*low ? "the disk is nearly full: new work is refused" : "enough disk is free again");
  if (*low && around_.recording != nullptr) {
    spdlog::warn("turns are recorded no more until the next start");
    around_.recording = nullptr;
  }
  events.push_back(DiskState{*low});
}

// A failed recording does not stop the daemon.
void Daemon::Record(std::string_view frame) {
  const absl::Status added = around_.recording->Add(frame);
  if (added.ok()) return;
  spdlog::warn("turns are recorded no more until the next start: {}", std::string(Text(added)));
  around_.recording = nullptr;
}

absl::Status Daemon::Carry(Effects effects) {
  for (const std::string& note : effects.notes) spdlog::info("{}", note);
  MUSTER_RETURN_IF_ERROR(io::CommitWrites(around_.store, effects.writes, [](const auto& record) {
    return schemas::EncodeRecord(record);
  }));
  for (schemas::ToMeta& message : effects.to_meta) {
    auto* view = std::get_if<schemas::View>(&message.body);
    auto* shown = view ? std::get_if<schemas::SnapshotView>(&view->what) : nullptr;
    if (shown != nullptr && shown->refused.empty()) {
      pages_.Fill(around_.store, around_.origin, around_.clock.Read(), *shown);
    }
    around_.meta.Send(schemas::Encode(message));
  }
  for (const ClientAnswer& answer : effects.to_clients) {
    if (around_.clients == nullptr) break;
    around_.clients->Send(PeerOf(answer.user, answer.link), schemas::Encode(answer.message));
  }
  for (const driver::Command& command : effects.driver) around_.driver.Do(command);
  return absl::OkStatus();
}

absl::Status Daemon::Turn(BootSpan wait) {
  const BootInstant before = around_.clock.Read().boot;
  if (next_) wait = std::clamp(*next_ - before, BootSpan{0}, wait);
  std::vector<Event> events = Gather(wait);
  const Now now = around_.clock.Read();
  WatchDisk(now.boot, events);
  if (around_.recording != nullptr) Record(schemas::TurnFrame(now, events));
  Effects effects = core_.Step(now, events);
  if (around_.recording != nullptr) Record(schemas::FrameOf(schemas::FrameKind::kBatch, effects));
  next_ = effects.next;
  const std::vector<ClientLine> reloads = std::move(effects.reloads);
  MUSTER_RETURN_IF_ERROR(Carry(std::move(effects)));
  AnswerReloads(reloads);
  TakeFacts();
  return absl::OkStatus();
}

Daemon::Answer Daemon::TryReload() {
  if (!around_.read_again) return NotReloaded("this daemon was given no file to read again");
  return Apply(around_.read_again(nullptr));
}

// By the configuration as it was read last: the file may be under work.
void Daemon::TakeFacts() {
  if (!around_.read_again || !around_.driver.TakeFacts()) return;
  for (const std::string& line : WhatChanged(around_.origin.facts, around_.driver.facts())) {
    spdlog::info("the machine has changed: {}", line);
  }
  Apply(around_.read_again(&around_.origin.file));
}

// Called between two turns: everything that the old core asked for is durable and done.
Daemon::Answer Daemon::Apply(const Diagnosed<Reloaded>& read) {
  if (!read.ok()) {
    spdlog::error("not reloaded, nothing was changed:\n{}", Render(read.diagnostic()));
    return NotReloaded(read.diagnostic());
  }
  Reloaded again = read.value();
  again.options.facts.finds_parts = true;  // the driver stays, so it knows its parts
  again.options = core_.Measured(std::move(again.options));
  const Now now = around_.clock.Read();
  std::vector<std::string> notes = {SummaryOf(again.options)};
  for (std::string& line : StrandedBy(again.options, core_.Holds(), now.wall.Floor())) {
    notes.push_back(std::move(line));
  }
  notes.insert(notes.end(), again.notes.begin(), again.notes.end());
  absl::StatusOr<Records> records = RecordsOf(around_.store);
  if (!records.ok()) return NotReloaded(std::string(Text(records.status())));
  std::string began;
  if (around_.recording != nullptr) {
    again.origin.reloaded = true;
    began = BeganFrame(again.origin, again.options, *records, now);
  }
  absl::StatusOr<Core> core = Core::Load(std::move(again.options), *std::move(records), now);
  if (!core.ok()) {
    spdlog::error("not reloaded, nothing was changed: {}", std::string(Text(core.status())));
    return NotReloaded(std::string(Text(core.status())));
  }
  core_ = *std::move(core);
  again.origin.driver = around_.origin.driver;
  again.origin.facts = around_.driver.facts();
  around_.origin = std::move(again.origin);
  if (around_.recording != nullptr) Record(began);
  next_ = BootInstant{0};
  disk_ = io::DiskWatch(again.min_free_bytes);
  if (around_.clients != nullptr) around_.clients->Allow(again.users);
  for (const std::string& note : notes) spdlog::info("{}", note);
  return schemas::Accepted{.notes = std::move(notes)};
}

std::string Daemon::Reload() {
  const auto came = TryReload();
  if (const auto* refused = std::get_if<schemas::Refused>(&came)) return refused->message;
  return std::get<schemas::Accepted>(came).notes.front();
}

void Daemon::AnswerReloads(const std::vector<ClientLine>& askers) {
  if (askers.empty() || around_.clients == nullptr) return;
  schemas::ToClient answer;
  answer.body = TryReload();
  for (const ClientLine& asker : askers) {
    answer.answers = asker.number;
    around_.clients->Send(PeerOf(asker.user, asker.link), schemas::Encode(answer));
  }
}

}  // namespace muster::site
