// Messages are delivered until none is left. The meta's turn comes first, then the sites' in their
// order, so that equal runs give equal results.
#include "sim/replay/ideal_federation.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "sim/replay/replay_limits.h"

namespace muster::sim {
namespace {

constexpr size_t kMostRounds = 10000;  // limit at one instant: more means that the cores loop
constexpr char kLink[] = "ideal";

}  // namespace

struct IdealFederation::SiteHost {
  SiteHost(site::Options options, driver::SimulatedMachine::FateOf fate_of)
      : name(options.name), machine(std::move(fate_of)) {}

  std::string name;
  std::optional<site::Core> core;
  std::optional<BootInstant> next;
  driver::SimulatedMachine machine;
  std::vector<site::Event> mail;
  Link<schemas::ToSite> to_site;
  Link<schemas::ToMeta> to_meta;
  bool urgent = false;  // the mailbox has something that cannot wait for the next timer
  std::map<std::string, driver::StartPart> running;  // by token
};

IdealFederation::IdealFederation(const IdealOptions& options, Onlooker* onlooker, BootInstant begin)
    : onlooker_(onlooker),
      to_site_(options.to_site),
      to_meta_(options.to_meta),
      begins_(options.begins),
      now_(begin),
      delays_(options.link),
      random_(options.meta.seed) {}

IdealFederation::IdealFederation(IdealOptions options, Onlooker* onlooker)
    : IdealFederation(options, onlooker, kReplayBegin) {
  MUSTER_CHECK(Start(std::move(options), {}).ok());
}

absl::StatusOr<std::unique_ptr<IdealFederation>> IdealFederation::From(IdealOptions options,
                                                                       IdealRecords records,
                                                                       Onlooker* onlooker) {
  std::unique_ptr<IdealFederation> out(new IdealFederation(options, onlooker, kReplayBegin));
  MUSTER_RETURN_IF_ERROR(out->Start(std::move(options), std::move(records)));
  return out;
}

absl::Status IdealFederation::Start(IdealOptions options, IdealRecords records) {
  // disables heartbeats: this makes the link ideal
  if (!delays_) options.meta.values.heartbeat = {0};
  options.meta.sites = options.absent;
  for (const site::Options& site : options.sites) options.meta.sites.push_back(site.name);
  MUSTER_ASSIGN_OR_RETURN(meta::Core meta,
                          meta::Core::Load(options.meta, std::move(records.meta), Clocks()));
  meta_.emplace(std::move(meta));
  meta_next_ = now_;
  records.sites.resize(options.sites.size());
  for (site::Options& site : options.sites) {
    site.federation = options.meta.federation;
    auto host = std::make_unique<SiteHost>(
        site, [fate_of = options.fate_of, index = sites_.size()](const driver::StartPart& part) {
          return fate_of ? fate_of(index, part) : driver::SimulatedFate();
        });
    IdealRecords::Site& of_site = records.sites[sites_.size()];
    MUSTER_ASSIGN_OR_RETURN(
        site::Core core, site::Core::Load(std::move(site), std::move(of_site.records), Clocks()));
    host->core.emplace(std::move(core));
    host->next = now_;
    host->machine.Advance(Clocks());
    host->machine.SetApplications(options.applications);
    for (const IdealRecords::Running& part : of_site.running) {
      host->running.emplace(part.command.token, part.command);
      host->machine.Adopt(part.command, part.started_at);
    }
    sites_.push_back(std::move(host));
  }
  Settle();
  return absl::OkStatus();
}

IdealFederation::IdealFederation(const IdealFederation& other, Onlooker* onlooker)
    : onlooker_(onlooker),
      to_site_(other.to_site_),
      to_meta_(other.to_meta_),
      begins_(other.begins_),
      now_(other.now_),
      meta_(other.meta_),
      meta_next_(other.meta_next_),
      meta_mail_(other.meta_mail_),
      delays_(other.delays_),
      random_(other.random_),
      secrets_(other.secrets_) {
  for (const auto& host : other.sites_) {
    sites_.push_back(std::make_unique<SiteHost>(*host));
    sites_.back()->machine.ForgetFates();
  }
}

IdealFederation::~IdealFederation() = default;

std::unique_ptr<IdealFederation> IdealFederation::Ahead(Onlooker* onlooker) const {
  return std::unique_ptr<IdealFederation>(new IdealFederation(*this, onlooker));
}

Moment IdealFederation::Wall() const {
  return {begins_.milliseconds + (now_ - kReplayBegin).milliseconds};
}

Now IdealFederation::Clocks() const { return {now_, Wall()}; }

bool IdealFederation::Due(const std::optional<BootInstant>& next) const {
  return next && *next <= now_;
}

std::optional<Moment> IdealFederation::Next() const {
  std::optional<BootInstant> next = meta_next_;
  const auto consider = [&next](std::optional<BootInstant> at) {
    if (at) next = next ? std::min(*next, *at) : *at;
  };
  for (const auto& host : sites_) {
    consider(host->next);
    consider(host->machine.Next());
    consider(host->to_site.Next());
    consider(host->to_meta.Next());
  }
  if (!next) return std::nullopt;
  return Moment{begins_.milliseconds + (std::max(*next, now_) - kReplayBegin).milliseconds};
}

const site::Core& IdealFederation::site(size_t index) const { return *sites_.at(index)->core; }

void IdealFederation::GoTo(Moment at) {
  const BootInstant to = kReplayBegin + BootSpan{at.milliseconds - begins_.milliseconds};
  MUSTER_CHECK(to >= now_);
  now_ = to;
  if (delays_) Deliver();
  for (size_t i = 0; i < sites_.size(); ++i) {
    sites_[i]->machine.Advance(Clocks());
    TakeDriverEvents(i);
    if (sites_[i]->urgent) SiteTurns(i);
  }
  for (size_t round = 0; !meta_mail_.empty(); ++round) {
    MUSTER_CHECK(round < kMostRounds);
    MetaTurn(std::exchange(meta_mail_, {}));
    for (size_t i = 0; i < sites_.size(); ++i) {
      if (sites_[i]->urgent) SiteTurns(i);
    }
  }
}

void IdealFederation::Hear(SiteHost& host, schemas::ToSite message) {
  // An acknowledgement alone causes no turn.
  if (!std::holds_alternative<schemas::Beat>(message.body)) host.urgent = true;
  host.mail.push_back(site::MetaSays{std::move(message)});
}

void IdealFederation::Deliver() {
  for (const auto& host : sites_) {
    for (schemas::ToSite& message : host->to_site.Arrived(now_)) Hear(*host, std::move(message));
    for (schemas::ToMeta& message : host->to_meta.Arrived(now_)) {
      meta_mail_.push_back(meta::SiteSays{host->name, kLink, std::move(message)});
    }
  }
}

void IdealFederation::Say(const std::string& user, schemas::ClientMessage message) {
  meta_mail_.push_back(meta::ClientSays{user, kLink, std::move(message)});
  Settle();
}

void IdealFederation::SayAtSite(size_t index, const std::string& user,
                                schemas::ClientMessage message) {
  SiteHost& host = *sites_.at(index);
  host.mail.push_back(site::ClientSays{user, kLink, std::move(message)});
  host.urgent = true;
  Settle();
}

void IdealFederation::Timers() { Settle(); }

void IdealFederation::Settle() {
  for (size_t round = 0;; ++round) {
    MUSTER_CHECK(round < kMostRounds);
    bool quiet = true;
    if (!meta_mail_.empty() || Due(meta_next_)) {
      quiet = false;
      MetaTurn(std::exchange(meta_mail_, {}));
    }
    for (size_t i = 0; i < sites_.size(); ++i) {
      if (!sites_[i]->urgent && !Due(sites_[i]->next)) continue;
      quiet = false;
      SiteTurns(i);
    }
    if (quiet) return;
  }
}

void IdealFederation::MetaTurn(std::vector<meta::Event> events) {
  for (;;) {
    meta::Effects effects = meta_->Step(Clocks(), events);
    ++turns_;
    meta_next_ = effects.next;
    if (onlooker_ != nullptr) {
      if (!effects.writes.empty()) onlooker_->OnMetaWrites(effects.writes);
      for (const meta::CommonStart& found : effects.searched) onlooker_->OnSearched(found);
      for (const meta::ClientAnswer& answer : effects.to_clients) onlooker_->OnTold(answer);
    }
    for (meta::SiteMessage& message : effects.to_sites) {
      for (const auto& host : sites_) {
        if (host->name != message.site) continue;
        if (to_site_) to_site_(message.message);
        if (delays_) {
          host->to_site.Send(now_, *delays_, random_, std::move(message.message));
        } else {
          Hear(*host, std::move(message.message));
        }
        break;
      }
    }
    if (effects.secrets_wanted == 0) return;
    meta::SecretsDrawn drawn;
    drawn.secrets.resize(effects.secrets_wanted);
    for (Secret& secret : drawn.secrets) {
      ++secrets_;
      for (size_t i = 0; i < sizeof(secrets_); ++i) {
        secret.bytes[i] = static_cast<uint8_t>(secrets_ >> (8 * i));
      }
    }
    events.clear();
    events.emplace_back(std::move(drawn));
  }
}

void IdealFederation::TakeDriverEvents(size_t index) {
  SiteHost& host = *sites_[index];
  for (driver::Event& event : host.machine.Take()) {
    if (const auto* started = std::get_if<driver::PartStarted>(&event)) {
      if (onlooker_ != nullptr) {
        onlooker_->OnStarted(index, host.running.at(started->token), started->at);
      }
    } else if (const auto* ended = std::get_if<driver::PartEnded>(&event)) {
      const auto it = host.running.find(ended->token);
      if (onlooker_ != nullptr) onlooker_->OnEnded(index, it->second, *ended);
      host.running.erase(it);
    } else if (const auto* never = std::get_if<driver::PartNotStarted>(&event)) {
      host.running.erase(never->token);
    }
    host.mail.push_back(site::DriverSays{std::move(event)});
    host.urgent = true;
  }
  for (const auto& [token, processors] : host.machine.TakeWants()) {
    const auto it = host.running.find(token);
    if (onlooker_ != nullptr && it != host.running.end()) {
      onlooker_->OnWants(index, it->second, processors);
    }
  }
}

void IdealFederation::Resized(size_t index, const driver::ResizePart& resize) {
  SiteHost& host = *sites_[index];
  const auto it = host.running.find(resize.token);
  if (it == host.running.end()) return;
  const schemas::PartPlace was = std::exchange(it->second.place, resize.place);
  if (onlooker_ != nullptr) onlooker_->OnResized(index, it->second, was);
}

void IdealFederation::SiteTurns(size_t index) {
  SiteHost& host = *sites_[index];
  for (size_t turn = 0; turn == 0 || host.urgent || Due(host.next); ++turn) {
    MUSTER_CHECK(turn < kMostRounds);
    SiteTurn(index);
  }
}

void IdealFederation::SiteTurn(size_t index) {
  SiteHost& host = *sites_[index];
  host.urgent = false;
  site::Effects effects = host.core->Step(Clocks(), std::exchange(host.mail, {}));
  ++turns_;
  host.next = effects.next;
  if (onlooker_ != nullptr && !effects.writes.empty()) {
    onlooker_->OnSiteWrites(index, effects.writes);
  }
  for (schemas::ToMeta& message : effects.to_meta) {
    if (to_meta_) to_meta_(message);
    if (delays_) {
      host.to_meta.Send(now_, *delays_, random_, std::move(message));
      continue;
    }
    meta_mail_.push_back(meta::SiteSays{host.name, kLink, std::move(message)});
  }
  for (const driver::Command& command : effects.driver) {
    if (const auto* start = std::get_if<driver::StartPart>(&command)) {
      host.running.emplace(start->token, *start);
    }
    if (const auto* resize = std::get_if<driver::ResizePart>(&command)) Resized(index, *resize);
    host.machine.Do(command);
  }
  TakeDriverEvents(index);
}

}  // namespace muster::sim
