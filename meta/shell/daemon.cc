// The turn of the meta daemon: wire bytes to events, effects to bytes, in the order that makes them
// safe.
#include "meta/shell/daemon.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/io/records.h"
#include "schemas/codec/codec.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

constexpr std::string_view kSitePrefix = "site:";
constexpr std::string_view kUserPrefix = "user:";

io::Peer PeerOf(std::string_view prefix, const std::string& name, const std::string& link) {
  return {std::string(prefix) + name, link};
}

}  // namespace

absl::StatusOr<Daemon> Daemon::Open(Options options, const Surroundings& around) {
  MUSTER_ASSIGN_OR_RETURN(
      auto records, io::LoadRecords<schemas::MetaRecord>(around.store, schemas::DecodeMetaRecord));
  std::string federation = options.federation;
  const Now now = around.clock.Read();
  if (around.recording != nullptr) {
    schemas::CoreOrigin origin = around.origin;
    origin.boot = now.boot;
    origin.wall = now.wall;
    MUSTER_RETURN_IF_ERROR(around.recording->Add(schemas::BeganFrame(origin, records)));
  }
  MUSTER_ASSIGN_OR_RETURN(Core core, Core::Load(std::move(options), std::move(records), now));
  Daemon daemon(std::move(federation), std::move(core), around);
  daemon.Hear(daemon.core_.HeardKeys());
  return daemon;
}

std::vector<Event> Daemon::Decode(std::vector<io::Incoming> incoming) {
  std::vector<Event> events;
  events.reserve(incoming.size());
  for (io::Incoming& in : incoming) {
    if (in.peer.name.starts_with(kSitePrefix)) {
      std::string site = in.peer.name.substr(kSitePrefix.size());
      absl::StatusOr<schemas::ToMeta> message = schemas::DecodeToMeta(in.bytes);
      if (message.ok()) {
        events.push_back(SiteSays{std::move(site), std::move(in.peer.link), *std::move(message)});
      } else {
        events.push_back(SiteGarbage{std::move(site), std::string(Text(message.status()))});
      }
    } else if (in.peer.name.starts_with(kUserPrefix)) {
      absl::StatusOr<schemas::ClientMessage> message = schemas::DecodeClientMessage(in.bytes);
      if (message.ok()) {
        events.push_back(ClientSays{in.peer.name.substr(kUserPrefix.size()),
                                    std::move(in.peer.link), *std::move(message)});
        continue;
      }
      const schemas::Refused refused{
          .code = "usage",
          .message = "unreadable message: " + std::string(Text(message.status())),
          .help = "is this muster of the same version as the federation?",
          .changed = "nothing was changed"};
      around_.server.Send(
          in.peer,
          schemas::Encode(schemas::ToClient{
              .federation = federation_, .answers = schemas::NumberOf(in.bytes), .body = refused}));
    }
  }
  return events;
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

void Daemon::Hear(const std::vector<HeardKey>& keys) {
  std::vector<io::AllowedKey> allowed;
  for (const HeardKey& key : keys) allowed.push_back({key.public_key, key.name});
  around_.server.Allow(allowed);
}

absl::Status Daemon::Carry(const Effects& effects, Now now) {
  for (const std::string& note : effects.notes) spdlog::info("{}", note);
  MUSTER_RETURN_IF_ERROR(io::CommitWrites(around_.store, effects.writes, [](const auto& record) {
    return schemas::EncodeRecord(record);
  }));
  for (const SiteMessage& m : effects.to_sites) {
    around_.server.Send(PeerOf(kSitePrefix, m.site, m.link), schemas::Encode(m.message));
  }
  for (const ClientAnswer& a : effects.to_clients) {
    around_.server.Send(PeerOf(kUserPrefix, a.user, a.link), schemas::Encode(a.message));
  }
  what_if_->Take(effects.what_if, around_.origin, now);
  // After the answers, since a client that rotates its key gets its answer on the link of the old
  // key. Nothing is received in between.
  if (effects.hear) Hear(*effects.hear);
  return absl::OkStatus();
}

// What-ifs begin with the configuration that is in force.
Reconfigured Daemon::ReadAgain() {
  Reconfigured again = around_.reload();
  if (again.options) around_.origin.file = again.file;
  return again;
}

// A failed recording ends only the recording, not the daemon.
void Daemon::Record(std::string_view frame) {
  const absl::Status added = around_.recording->Add(frame);
  if (added.ok()) return;
  spdlog::warn("turns are recorded no more until the next start: {}", std::string(Text(added)));
  around_.recording = nullptr;
}

// Steps the core. As long as the core asks for secrets of permits or for the configuration, steps
// it again with these.
absl::Status Daemon::Step(Now now, std::vector<Event> events) {
  for (;;) {
    if (around_.recording != nullptr) Record(schemas::TurnFrame(now, events));
    const Effects effects = core_.Step(now, events);
    if (around_.recording != nullptr) {
      Record(schemas::FrameOf(schemas::FrameKind::kBatch, effects));
    }
    next_ = effects.next;
    MUSTER_RETURN_IF_ERROR(Carry(effects, now));
    events.clear();
    if (effects.secrets_wanted > 0) {
      SecretsDrawn drawn;
      for (size_t n = effects.secrets_wanted; n > 0; --n) {
        drawn.secrets.push_back(around_.entropy.NewSecret());
      }
      events.push_back(std::move(drawn));
    }
    if (effects.reload) events.push_back(ReadAgain());
    if (events.empty()) return absl::OkStatus();
  }
}

absl::Status Daemon::Turn(BootSpan wait) {
  const BootInstant before = around_.clock.Read().boot;
  for (const auto& due : {next_, what_if_->Next(before)}) {
    if (due) wait = std::clamp(*due - before, BootSpan{0}, wait);
  }
  std::vector<Event> events = Decode(around_.server.Receive(schemas::kTurnMessages, wait));
  const Now now = around_.clock.Read();
  WatchDisk(now.boot, events);
  if (std::exchange(reload_, false)) events.push_back(ReadAgain());
  if (auto done = what_if_->GoOn(now)) events.push_back(*std::move(done));
  return Step(now, std::move(events));
}

}  // namespace muster::meta
