// The loop of the virtual world. For each event time: packets arrive, machines advance, and every
// host with mail or a due timer takes a turn, in a fixed order. A turn commits, sends, and gives
// driver commands, with a crash point before each of these.
#include "sim/world.h"

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "base/io/records.h"
#include "schemas/canonical.h"
#include "schemas/codec/codec.h"
#include "schemas/turns.h"
#include "sim/hosts.h"
#include "sim/job_trace.h"
#include "sim/wire_trace.h"

namespace muster::sim {
namespace {

constexpr char kMeta[] = "meta";

std::string ClientHost(const std::string& user) { return "user:" + user; }

// A site's own user as a host of the network: "local:lakes:kim".
constexpr std::string_view kLocal = "local:";
std::string LocalHost(const std::string& site, const std::string& user) {
  return std::string(kLocal) + site + ":" + user;
}

// What checkers of credits know; processors alone have a rate in the campaigns.
std::optional<CheckedWorld::Bank> BankOf(const meta::Options& options) {
  if (!options.bank) return std::nullopt;
  CheckedWorld::Bank out{.rate = options.bank->rates[0].per_hour};
  for (const policy::Qos& qos : options.credentials.qos) out.qos_times[qos.name] = qos.charge;
  for (const auto& [site, terms] : options.terms) out.site_times[site] = terms.charge;
  for (const policy::Account& one : options.credentials.accounts) {
    out.overdrafts[one.name] = one.overdraft;
  }
  return out;
}

}  // namespace

World::World(WorldOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      network_(options_.network, options_.seed ^ 0x6e6574),
      meta_(std::make_unique<MetaHost>()) {
  CheckedWorld checked{.sites = options_.sites, .values = options_.meta.values};
  for (const auto& [site, terms] : options_.meta.terms) checked.speeds[site] = terms.speed;
  if (!options_.byzantine.empty()) checked.liars = {options_.byzantine};
  checked.counts_use = options_.meta.fairshare.has_value();
  for (const meta::User& user : options_.meta.users) {
    if (options_.meta.home_first && !user.home.empty()) checked.homes[user.name] = user.home;
  }
  checked.bank = BankOf(options_.meta);
  for (const policy::Qos& qos : options_.meta.credentials.qos) {
    if (qos.promise == policy::PromiseTime::kStart) checked.at_start.insert(qos.name);
  }
  for (const policy::Limit& limit : options_.meta.limits) {
    if (limit.on != policy::Limit::On::kRunning) continue;
    const CredentialName who = CredentialOf(limit.who);
    const bool account = who.kind == CredentialName::Kind::kAccount;
    const bool user = who.kind == CredentialName::Kind::kUser;
    checked.spanning.push_back({.account = account ? std::string(who.name) : "",
                                .user = user ? std::string(who.name) : "",
                                .resource = limit.resource,
                                .items = limit.items});
  }
  const auto dates = [&checked](const std::optional<policy::FairshareRules>& rules) {
    if (!rules) return;
    constexpr std::string_view kAccount = "account ";
    for (const policy::Share& share : rules->shares) {
      if (share.admission && share.who.starts_with(kAccount))
        checked.dated.insert(share.who.substr(kAccount.size()));
    }
  };
  dates(options_.meta.fairshare);
  for (const site::Options& site : options_.sites) dates(site.fairshare);
  checked.queues.clear();
  for (const meta::Queue& queue : options_.meta.queues) checked.queues.push_back(queue.name);
  checkers_ = AllCheckers(checked);
  checkers_.push_back(CheckPartitions(checked, options_.layouts));
  auto idle = std::make_unique<IdleCheck>(checked, IdleRules{.judged = options_.idle,
                                                             .calm = options_.calm,
                                                             .threshold = options_.meta.threshold,
                                                             .layouts = options_.layouts});
  idle_ = idle.get();
  checkers_.push_back(std::move(idle));
  auto coverage = std::make_unique<PathCoverage>();
  path_coverage_ = coverage.get();
  checkers_.push_back(std::move(coverage));
  if (!options_.story.empty()) checkers_.push_back(std::make_unique<JobTrace>(options_.story));
  for (const site::Options& site : options_.sites) {
    auto host = std::make_unique<SiteHost>();
    host->options = site;
    host->machine.Advance(Clocks());
    if (site.name == options_.byzantine) host->byzantine.emplace(options_.seed ^ 0x6c696172);
    sites_.emplace(site.name, std::move(host));
  }
  StartMeta();
  for (auto& [name, host] : sites_) StartSite(*host);
}

World::World(const World& live, std::unique_ptr<Checker> ear)
    : options_(live.options_),
      random_(live.random_),
      network_(live.network_),
      now_(live.now_),
      meta_(std::make_unique<MetaHost>(*live.meta_)) {
  std::vector<Client> silent;
  for (const Client& client : options_.clients)
    silent.emplace_back(client.user(), std::vector<PlannedRequest>());
  options_.clients = std::move(silent);
  options_.local_clients.clear();
  options_.crash_of_10000 = 0;
  options_.crash_at.reset();
  options_.reload_of_10000 = 0;
  options_.trace.reset();
  options_.rebuild_every = 0;
  network_.HealAll();
  network_.SetFaults({});
  checkers_.push_back(std::move(ear));
  for (const auto& [name, host] : live.sites_) {
    SiteHost& copy = *sites_.emplace(name, std::make_unique<SiteHost>(*host)).first->second;
    copy.machine.ForgetFates();
  }
}

std::unique_ptr<World> World::Frozen(std::unique_ptr<Checker> ear) const {
  return std::unique_ptr<World>(new World(*this, std::move(ear)));
}

World::~World() = default;

std::vector<std::string> World::SiteNames() const {
  std::vector<std::string> names;
  for (const auto& [name, _] : sites_) names.push_back(name);
  return names;
}

const meta::Core* World::meta() const { return meta_->core ? &*meta_->core : nullptr; }

const site::Core* World::SiteCore(const std::string& name) const {
  const SiteHost& host = *sites_.at(name);
  return host.core ? &*host.core : nullptr;
}

driver::SimulatedMachine& World::Machine(const std::string& site) {
  return sites_.at(site)->machine;
}

bool World::CrashPoint(const std::string& host) {
  ++counts_.crash_points;
  const bool here = options_.crash_at == counts_.crash_points ||
                    (options_.crash_of_10000 > 0 && random_.Below(10000) < options_.crash_of_10000);
  if (!here) return false;
  const int64_t down =
      random_.Between(options_.down_low.milliseconds, options_.down_high.milliseconds);
  GoDown(host, Milliseconds(down));
  return true;
}

template <class Message>
void World::Send(const std::string& from, const std::string& to, const std::string& link,
                 const Message& message) {
  events_.Add(from, to, message);
  network_.Send(now_, from, to, link, schemas::Encode(message));
}

void World::Say(const std::string& user, const schemas::ClientMessage& message) {
  Send(ClientHost(user), kMeta, "1", message);
}

void World::SayAt(const std::string& site, const std::string& user,
                  const schemas::ClientMessage& message) {
  Send(LocalHost(site, user), site, "1", message);
}

void World::Reconfigure(meta::Options options) {
  MUSTER_CHECK(!options_.record);
  options_.meta = std::move(options);
  if (!meta_->core) return;
  meta_->reload = true;
  meta_->next = now_;
}

void World::Cut(const std::string& a, const std::string& b) {
  network_.Cut(a, b);
  TellFault();
}

void World::Heal(const std::string& a, const std::string& b) {
  network_.Heal(a, b);
  TellFault();
}

void World::TellFault() {
  lost_ = network_.lost();
  for (auto& checker : checkers_) checker->OnFault(Wall());
}

void World::Crash(const std::string& host, BootSpan down) { GoDown(host, down); }

void World::GoDown(const std::string& host, BootSpan down) {
  ++counts_.crashes;
  for (auto& checker : checkers_) checker->OnCrash(Wall(), host);
  if (host == kMeta) {
    meta_->core.reset();
    meta_->mail.clear();
    meta_->reload = false;
    meta_->back = now_ + down;
    return;
  }
  SiteHost& site = *sites_.at(host);
  site.core.reset();
  site.mail.clear();
  site.machine.CrashDaemon();
  site.back = now_ + down;
}

void World::StartMeta() {
  auto records = io::LoadRecords<schemas::MetaRecord>(meta_->store, schemas::DecodeMetaRecord);
  MUSTER_CHECK(records.ok());
  if (options_.record) {
    const schemas::CoreOrigin origin{.daemon = kMeta, .boot = now_, .wall = Wall()};
    options_.record(kMeta, schemas::BeganFrame(origin, *records));
  }
  auto core = meta::Core::Load(options_.meta, *std::move(records), Clocks());
  MUSTER_CHECK(core.ok());
  meta_->core.emplace(*std::move(core));
  meta_->next = now_;
}

void World::StartSite(SiteHost& host) {
  LoadSite(host, false);
  ++host.starts;
}

void World::Reload(const std::string& site) {
  SiteHost& host = *sites_.at(site);
  if (!host.core) return;
  ++counts_.reloads;
  for (auto& checker : checkers_) checker->OnCrash(Wall(), site);
  LoadSite(host, true);
  for (auto& checker : checkers_) checker->OnRestart(Wall(), site);
}

void World::LoadSite(SiteHost& host, bool reloaded) {
  auto records = io::LoadRecords<schemas::SiteRecord>(host.store, schemas::DecodeSiteRecord);
  MUSTER_CHECK(records.ok());
  if (options_.record) {
    const schemas::CoreOrigin origin{.daemon = "site",
                                     .path = host.options.name,
                                     .reloaded = reloaded,
                                     .boot = now_,
                                     .wall = Wall()};
    options_.record(host.options.name, schemas::BeganFrame(origin, *records));
  }
  site::Options made = host.options;
  if (reloaded) {
    made = host.core->Measured(std::move(made));
    made.facts.finds_parts = true;  // the driver stays
  }
  auto core = site::Core::Load(std::move(made), *std::move(records), Clocks());
  MUSTER_CHECK(core.ok());
  host.core.emplace(*std::move(core));
  host.next = now_;
}

void World::ComeBack() {
  if (!meta_->core && meta_->back <= now_) {
    StartMeta();
    for (auto& checker : checkers_) checker->OnRestart(Wall(), kMeta);
  }
  for (auto& [name, host] : sites_) {
    if (host->core || host->back > now_) continue;
    StartSite(*host);
    for (auto& checker : checkers_) checker->OnRestart(Wall(), name);
  }
}

void World::Deliver() {
  for (Packet& packet : network_.Arrived(now_)) {
    ++counts_.messages;
    if (packet.to == kMeta) {
      if (meta_->core) meta_->mail.push_back(std::move(packet));
    } else if (const auto site = sites_.find(packet.to); site != sites_.end()) {
      SiteHost& host = *site->second;
      const bool same_connection = packet.link == std::to_string(host.starts);
      const bool heard = same_connection || packet.from.starts_with(kLocal);
      if (host.core && heard) host.mail.push_back(std::move(packet));
    } else if (packet.to.starts_with(kLocal)) {
      TellLocal(packet);
    } else {
      const auto answer = schemas::DecodeToClient(packet.bytes);
      MUSTER_CHECK(answer.ok());
      for (Client& client : options_.clients) {
        if (ClientHost(client.user()) != packet.to) continue;
        for (auto& checker : checkers_) checker->OnClientTold(Wall(), client.user(), *answer);
        client.Told(*answer);
      }
    }
  }
}

void World::TellLocal(const Packet& packet) {
  const auto answer = schemas::DecodeToClient(packet.bytes);
  MUSTER_CHECK(answer.ok());
  for (auto& [site, clients] : options_.local_clients) {
    for (Client& client : clients) {
      if (LocalHost(site, client.user()) != packet.to) continue;
      for (auto& checker : checkers_) checker->OnLocalTold(Wall(), site, *answer);
      client.Told(*answer);
    }
  }
}

template <class Message>
void World::Trace(const std::string& from, const std::string& to, const Message& message,
                  const char* how) const {
  if (!options_.trace) return;
  for (const std::string& line : Lines(message, *options_.trace)) {
    std::printf("%10lld ms  %-5s -> %-5s  %s %s\n", static_cast<long long>(now_.milliseconds),
                from.c_str(), to.c_str(), how, line.c_str());
  }
}

void World::ClientTurns() {
  for (Client& client : options_.clients) {
    for (const schemas::ClientMessage& message : client.Due(now_, Wall())) {
      Send(ClientHost(client.user()), kMeta, "1", message);
    }
  }
  for (auto& [site, clients] : options_.local_clients) {
    for (Client& client : clients) {
      for (const schemas::ClientMessage& message : client.Due(now_, Wall())) {
        Send(LocalHost(site, client.user()), site, "1", message);
      }
    }
  }
}

meta::Effects World::StepMeta(const std::vector<meta::Event>& events) {
  ++counts_.turns;
  if (!options_.record) return meta_->core->Step(Clocks(), events);
  options_.record(kMeta, schemas::TurnFrame(Clocks(), events));
  meta::Effects effects = meta_->core->Step(Clocks(), events);
  options_.record(kMeta, schemas::FrameOf(schemas::FrameKind::kBatch, effects));
  return effects;
}

site::Effects World::StepSite(SiteHost& host, const std::vector<site::Event>& events) {
  ++counts_.turns;
  if (!options_.record) return host.core->Step(Clocks(), events);
  options_.record(host.options.name, schemas::TurnFrame(Clocks(), events));
  site::Effects effects = host.core->Step(Clocks(), events);
  options_.record(host.options.name, schemas::FrameOf(schemas::FrameKind::kBatch, effects));
  return effects;
}

void World::MetaTurn() {
  std::vector<meta::Event> events;
  if (std::exchange(meta_->reload, false)) {
    events.push_back(meta::Reconfigured{.options = options_.meta});
  }
  for (Packet& packet : std::exchange(meta_->mail, {})) {
    constexpr std::string_view kUser = "user:";
    if (packet.from.starts_with(kUser)) {
      auto message = schemas::DecodeClientMessage(packet.bytes);
      MUSTER_CHECK(message.ok());
      events.push_back(
          meta::ClientSays{packet.from.substr(kUser.size()), packet.link, *std::move(message)});
    } else {
      auto message = schemas::DecodeToMeta(packet.bytes);
      if (!message.ok() && packet.from == options_.byzantine) {
        events.push_back(meta::SiteGarbage{packet.from, std::string(Text(message.status()))});
        continue;
      }
      MUSTER_CHECK(message.ok());
      Trace(packet.from, kMeta, *message, "heard");
      events.push_back(meta::SiteSays{packet.from, packet.link, *std::move(message)});
    }
  }
  meta::Effects effects = StepMeta(events);
  if (!MetaEffects(effects)) return;
  while (effects.secrets_wanted > 0) {
    meta::SecretsDrawn drawn;
    for (size_t n = effects.secrets_wanted; n > 0; --n) {
      Secret secret;
      secret.bytes = schemas::DigestOf(Revision{++meta_->secrets_drawn + options_.seed}).bytes;
      drawn.secrets.push_back(secret);
    }
    effects = StepMeta({std::move(drawn)});
    if (!MetaEffects(effects)) return;
  }
}

bool World::MetaEffects(const meta::Effects& effects) {
  meta_->next = effects.next;
  for (const std::string& note : effects.notes) {
    if (note.find(" is quarantined") != std::string::npos) ++counts_.quarantines;
  }
  if (!effects.writes.empty()) {
    if (CrashPoint(kMeta)) return false;
    MUSTER_CHECK(io::CommitWrites(meta_->store, effects.writes, [](const auto& record) {
                   return schemas::EncodeRecord(record);
                 }).ok());
    events_.Add(kMeta, "", effects.writes);
    for (auto& checker : checkers_) checker->OnMetaWrites(Wall(), effects.writes);
    if (RebuildIsDue()) CheckMetaRebuild();
  }
  for (const meta::SiteMessage& m : effects.to_sites) {
    if (CrashPoint(kMeta)) return false;
    Trace(kMeta, m.site, m.message, "said ");
    Send(kMeta, m.site, m.link, m.message);
  }
  for (const meta::ClientAnswer& a : effects.to_clients) {
    if (CrashPoint(kMeta)) return false;
    Send(kMeta, ClientHost(a.user), a.link, a.message);
  }
  return true;
}

void World::SiteTurn(SiteHost& host) {
  const std::string& name = host.options.name;
  std::vector<site::Event> events;
  for (Packet& packet : std::exchange(host.mail, {})) {
    if (packet.from.starts_with(kLocal)) {
      auto said = schemas::DecodeClientMessage(packet.bytes);
      MUSTER_CHECK(said.ok());
      events.push_back(site::ClientSays{packet.from.substr(packet.from.rfind(':') + 1), packet.link,
                                        *std::move(said)});
      continue;
    }
    auto message = schemas::DecodeToSite(packet.bytes);
    MUSTER_CHECK(message.ok());
    Trace(kMeta, name, *message, "heard");
    if (host.byzantine) host.byzantine->Hears(*message);
    events.push_back(site::MetaSays{*std::move(message)});
  }
  for (driver::Event& event : host.machine.Take()) {
    for (auto& checker : checkers_) {
      if (!host.byzantine) checker->OnDriverEvent(Wall(), name, event);
    }
    events.push_back(site::DriverSays{std::move(event)});
  }
  const site::Effects effects = StepSite(host, events);
  host.next = effects.next;
  if (!effects.writes.empty()) {
    if (CrashPoint(name)) return;
    MUSTER_CHECK(io::CommitWrites(host.store, effects.writes, [](const auto& record) {
                   return schemas::EncodeRecord(record);
                 }).ok());
    events_.Add(name, "", effects.writes);
    // The writes of a lying site are not judged.
    for (auto& checker : checkers_) {
      if (!host.byzantine) checker->OnSiteWrites(Wall(), name, effects.writes);
    }
    for (const auto& write : effects.writes) {
      if (write.value && write.key.starts_with("node/")) ++counts_.drains;
    }
    if (RebuildIsDue()) CheckSiteRebuild(host);
  }
  for (const schemas::ToMeta& message : effects.to_meta) {
    if (CrashPoint(name)) return;
    Trace(name, kMeta, message, "said ");
    const std::string link = std::to_string(host.starts);
    if (!host.byzantine) {
      Send(name, kMeta, link, message);
      continue;
    }
    for (std::string& bytes : host.byzantine->Instead(message, now_)) {
      network_.Send(now_, name, kMeta, link, std::move(bytes));
    }
    counts_.lies = host.byzantine->lies();
  }
  for (const site::ClientAnswer& answer : effects.to_clients) {
    if (CrashPoint(name)) return;
    Send(name, LocalHost(name, answer.user), answer.link, answer.message);
  }
  for (const driver::Command& command : effects.driver) {
    if (CrashPoint(name)) return;
    for (auto& checker : checkers_) {
      if (!host.byzantine) checker->OnDriverCommand(Wall(), name, command);
    }
    host.machine.Do(command);
  }
}

void World::AdvanceMachines() {
  for (auto& [name, host] : sites_) {
    host->machine.Advance(Clocks());
    if (host->byzantine) continue;  // processes at a lying site are not judged
    using Stage = driver::SimulatedPart::Stage;
    const auto look_at_gone = [&] {
      for (const auto& [token, part] : host->machine.parts()) {
        if (part.stage != Stage::kEnded || !host->seen_started.contains(token)) continue;
        if (!host->seen_gone.insert(token).second) continue;
        for (auto& checker : checkers_) checker->OnPartGone(Wall(), name, token);
      }
    };
    look_at_gone();  // ends come first: they make room for starts at the same instant
    for (const auto& [token, part] : host->machine.parts()) {
      const bool ran = part.stage == Stage::kRunning || part.stage == Stage::kEnding ||
                       part.stage == Stage::kEnded;
      if (ran && part.started_at.milliseconds > 0 && host->seen_started.insert(token).second) {
        ++counts_.starts;
        for (auto& checker : checkers_) checker->OnPartStarted(part.started_at, name, token);
      }
    }
    look_at_gone();
    if (!host->machine.outsiders()) continue;
    for (auto& checker : checkers_) checker->OnMachine(Wall(), name, host->machine);
  }
}

BootInstant World::NextEvent(BootInstant until) const {
  BootInstant next = until;
  const auto consider = [&](std::optional<BootInstant> at) {
    if (at) next = std::min(next, std::max(*at, now_ + Milliseconds(1)));
  };
  consider(network_.NextArrival());
  consider(meta_->core ? meta_->next : std::optional(meta_->back));
  for (const auto& [name, host] : sites_) {
    consider(host->core ? host->next : std::optional(host->back));
    consider(host->machine.Next());
  }
  for (const Client& client : options_.clients) consider(client.Next());
  for (const auto& [site, clients] : options_.local_clients) {
    for (const Client& client : clients) consider(client.Next());
  }
  return next;
}

void World::Run(BootInstant until) {
  while (now_ < until) {
    ComeBack();
    Deliver();
    AdvanceMachines();
    ClientTurns();
    const auto due = [this](const std::optional<BootInstant>& next) {
      return next && *next <= now_;
    };
    if (meta_->core && (!meta_->mail.empty() || due(meta_->next))) MetaTurn();
    for (auto& [name, host] : sites_) {
      host->machine.Advance(Clocks());
      const bool told = host->machine.HasEvents();
      if (!host->core || (host->mail.empty() && !told && !due(host->next))) continue;
      SiteTurn(*host);
      if (options_.reload_of_10000 > 0 && random_.Below(10000) < options_.reload_of_10000)
        Reload(name);
    }
    AdvanceMachines();
    if (network_.lost() != lost_) TellFault();
    now_ = NextEvent(until);
  }
}

void World::Calm() {
  network_.HealAll();
  network_.SetFaults({});
  TellFault();
  options_.crash_of_10000 = 0;
  options_.crash_at.reset();
  options_.reload_of_10000 = 0;
  if (!meta_->core) meta_->back = now_;
  for (auto& [name, host] : sites_) {
    if (!host->core) host->back = now_;
  }
}

bool World::RebuildIsDue() {
  if (options_.rebuild_every == 0 || ++batches_ < options_.rebuild_every) return false;
  batches_ = 0;
  return true;
}

void World::CheckMetaRebuild() {
  auto records = io::LoadRecords<schemas::MetaRecord>(meta_->store, schemas::DecodeMetaRecord);
  MUSTER_CHECK(records.ok());
  auto rebuilt = meta::Core::Load(options_.meta, *std::move(records), Clocks());
  if (!rebuilt.ok() || rebuilt->StateDigest() != meta_->core->StateDigest()) {
    violations_.push_back("G7 at " + std::to_string(Wall().milliseconds) +
                          " ms: a meta rebuilt from its store differs from the live one");
  }
}

void World::CheckSiteRebuild(SiteHost& host) {
  auto records = io::LoadRecords<schemas::SiteRecord>(host.store, schemas::DecodeSiteRecord);
  MUSTER_CHECK(records.ok());
  // Loading a core closes what expired at this instant, so the comparison is made before the clock
  // moves.
  auto rebuilt = site::Core::Load(host.options, *std::move(records), Clocks());
  if (!rebuilt.ok() || rebuilt->StateDigest() != host.core->StateDigest()) {
    violations_.push_back("G7 at " + std::to_string(Wall().milliseconds) + " ms: " +
                          host.options.name + " rebuilt from its store differs from the live one");
  }
}

void World::Finish(bool calm) {
  for (auto& checker : checkers_) checker->AtEnd(Wall(), calm);
}

std::vector<std::string> World::Violations() const {
  std::vector<std::string> out = violations_;
  for (const auto& checker : checkers_) {
    out.insert(out.end(), checker->violations().begin(), checker->violations().end());
  }
  return out;
}

}  // namespace muster::sim
