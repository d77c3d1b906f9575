// See meta_world.h. The federation, its clock, its deaths, and what is shown.
#include "tests/scenario/meta_world.h"

#include <algorithm>

namespace muster::scenario {
namespace {

using schemas::AttemptState;

const std::map<std::string, AttemptState> kDeaths = {{"decided", AttemptState::kDecided},
                                                     {"committed", AttemptState::kCommitted},
                                                     {"permitted", AttemptState::kPermitted},
                                                     {"aborting", AttemptState::kAborting}};

bool Writes(const meta::Effects& effects, AttemptState state) {
  return std::any_of(effects.writes.begin(), effects.writes.end(), [&](const auto& write) {
    const auto* attempt =
        write.value ? std::get_if<schemas::AttemptRecord>(&*write.value) : nullptr;
    return attempt && attempt->state == state;
  });
}

// Writes a repeated group of lines once, with the number of repetitions.
std::vector<std::string> Shortened(const std::vector<std::string>& lines) {
  constexpr size_t kOften = 3;
  constexpr size_t kLongest = 6;
  std::vector<std::string> out;
  for (size_t i = 0; i < lines.size();) {
    size_t best = 0;
    size_t times = 1;
    for (size_t length = 1; length <= kLongest && best == 0; ++length) {
      size_t n = 1;
      while (i + (n + 1) * length <= lines.size() &&
             std::equal(lines.begin() + i, lines.begin() + i + length,
                        lines.begin() + i + n * length)) {
        ++n;
      }
      if (n >= kOften) best = length, times = n;
    }
    const size_t length = std::max<size_t>(best, 1);
    out.insert(out.end(), lines.begin() + i, lines.begin() + i + length);
    if (times > 1) out.back() += "  (" + std::to_string(times) + " times)";
    i += length * times;
  }
  return out;
}

}  // namespace

const std::map<std::string, MetaWorld::Does>& MetaWorld::Commands() {
  static const std::map<std::string, Does> kCommands = {
      {"sites", &MetaWorld::MakeSites}, {"hello", &MetaWorld::Hello},
      {"restart", &MetaWorld::Restart}, {"crash", &MetaWorld::Crash},
      {"after", &MetaWorld::After},     {"at", &MetaWorld::At},
      {"show", &MetaWorld::Show},       {"submit", &MetaWorld::Submit},
      {"ask", &MetaWorld::Ask},         {"cancel", &MetaWorld::Cancel},
      {"hold", &MetaWorld::Park},       {"release", &MetaWorld::Park},
      {"alter", &MetaWorld::Alter},     {"settle", &MetaWorld::Settle},
      {"drain", &MetaWorld::Drain},     {"forget", &MetaWorld::Forget},
      {"slots", &MetaWorld::Slots},     {"skip", &MetaWorld::Skip},
      {"entropy", &MetaWorld::Entropy}, {"disk", &MetaWorld::MetaDisk},
      {"output", &MetaWorld::Output},   {"plans", &MetaWorld::Plans},
      {"follow", &MetaWorld::Follow}};
  return kCommands;
}

std::vector<std::string> MetaWorld::Run(const Command& command) {
  lines_.clear();
  if (command.name != "sites" && store_.empty()) throw BadLine("'sites NAMES' comes first");
  const auto does = Commands().find(command.name);
  if (does != Commands().end()) {
    (this->*does->second)(command);
  } else if (FakeSite* site = SiteOf(command.name)) {
    SiteDoes(*site, command);
  } else {
    throw BadLine("no such command, and no such site");
  }
  return Shortened(lines_);
}

void MetaWorld::Add(const Lines& lines) {
  if (lines.empty()) return;
  // If time has passed within a command, a line tells the time.
  if (stamped_ != ElapsedMs()) {
    stamped_ = ElapsedMs();
    std::string at = "at " + std::to_string(stamped_ / 1000);
    if (stamped_ % 1000 != 0) at += "+" + std::to_string(stamped_ % 1000) + "ms";
    lines_.push_back(at);
  }
  lines_.insert(lines_.end(), lines.begin(), lines.end());
}

MetaWorld::Fate MetaWorld::FateOf(const meta::Effects& effects) {
  if (!dies_at_ || !Writes(effects, *dies_at_)) return Fate::kLives;
  dies_at_.reset();
  return death_;
}

void MetaWorld::Asked(const meta::Effects& effects, Fate fate) {
  if (fate == Fate::kDiesUnwritten) return Add({"dies: nothing is written or said"});
  meta::Effects shown = effects;
  if (fate == Fate::kDiesUnsent) shown.to_sites.clear();
  if (fate == Fate::kDiesUnsent || quiet_) shown.to_clients.clear();
  Add(trace_.Of(shown));
  if (fate == Fate::kDiesUnsent) Add({"dies: written, but nothing is said"});
}

void MetaWorld::Said(const FakeSite& site, const schemas::ToMeta& message) {
  if (core_) Add(trace_.Of(site.name_, message));
}

FakeSite* MetaWorld::SiteOf(const std::string& name) {
  for (FakeSite& site : sites_) {
    if (site.name_ == name) return &site;
  }
  return nullptr;
}

Instant MetaWorld::InstantOf(const std::string& seconds) const {
  return Instant{kBegin} + Span{ToNumber(seconds)};
}

// "10-20,30-": [10,20) and [30, far future).
IntervalSet MetaWorld::StartsOf(const std::string& text) const {
  std::vector<Interval> intervals;
  for (const std::string& piece : Split(text, ',')) {
    const size_t dash = piece.find('-');
    if (dash == std::string::npos) throw BadLine("'" + piece + "' is no range: right is 10-20");
    const std::string end = piece.substr(dash + 1);
    intervals.push_back(
        {InstantOf(piece.substr(0, dash)), end.empty() ? kFarFuture : InstantOf(end)});
  }
  return IntervalSet(intervals);
}

void MetaWorld::MakeSites(const Command& c) {
  if (!store_.empty()) throw BadLine("there is a federation already");
  c.Argument(0);
  options_.sites = c.arguments;
  sites_.clear();
  for (const std::string& name : c.arguments) {
    if (Commands().contains(name)) throw BadLine("'" + name + "' is a command");
    sites_.emplace_back(name);
  }
  if (c.Has("threshold")) options_.threshold = Span{c.Number("threshold", 0)};
  if (c.Has("ask")) options_.ask_sites = uint32_t(c.Number("ask", 0));
  options_.users[0].home = c.Get("home", "");
  if (c.Has("queues")) options_.queues.clear();
  for (const std::string& queue : Split(c.Get("queues", ""), ',')) {
    const auto pieces = Split(queue, ':');
    if (pieces.size() != 2) throw BadLine("'" + queue + "' is no queue: right is express:4");
    options_.queues.push_back({pieces[0], ToNumber(pieces[1])});
  }
  Start();
}

void MetaWorld::Hello(const Command& c) {
  if (c.arguments.empty()) return DialAll();
  connected_ = true;
  for (const std::string& name : c.arguments) {
    FakeSite* site = SiteOf(name);
    if (!site) throw BadLine("no site is called '" + name + "'");
    Dial(*site);
  }
}

void MetaWorld::Restart(const Command&) {
  to_sites_.clear();
  dies_at_.reset();
  connected_ = false;
  Start();
}

void MetaWorld::Crash(const Command& c) {
  death_ = c.Has("before") ? Fate::kDiesUnwritten : Fate::kDiesUnsent;
  const auto state = kDeaths.find(c.Has("before") ? c.Get("before", "") : c.Get("after", ""));
  if (state == kDeaths.end()) throw BadLine("right is before= or after= a state of attempts");
  dies_at_ = state->second;
}

void MetaWorld::Wait(int64_t milliseconds) {
  if (milliseconds < 0) throw BadLine("time passed that long ago");
  Advance(milliseconds);
  stamped_ = ElapsedMs();
}

void MetaWorld::After(const Command& c) {
  const auto pieces = Split(c.Argument(0), '.');
  if (pieces.size() == 1) return Wait(1000 * ToNumber(pieces[0]));
  if (pieces.size() != 2 || pieces[1].size() > 3) throw BadLine("right is 5 or 0.25");
  std::string thousandths = pieces[1];
  thousandths.resize(3, '0');
  Wait(1000 * ToNumber(pieces[0]) + ToNumber(thousandths));
}

void MetaWorld::At(const Command& c) { Wait(1000 * ToNumber(c.Argument(0)) - ElapsedMs()); }

void MetaWorld::Skip(const Command& c) {
  const int64_t passed = 1000 * ToNumber(c.Argument(0));
  if (passed < 0) throw BadLine("time does not go back");
  now_.wall.milliseconds += passed;
  now_.boot.milliseconds += passed;
  stamped_ = ElapsedMs();
  Turn({});
  ScriptedFederation::Settle();
}

void MetaWorld::Entropy(const Command& c) {
  if (c.Argument(0) != "on" && c.Argument(0) != "off") throw BadLine("right is on or off");
  entropy_ = c.Argument(0) == "on";
}

void MetaWorld::MetaDisk(const Command& c) {
  if (c.Argument(0) != "low" && c.Argument(0) != "free") throw BadLine("right is low or free");
  Turn({meta::DiskState{c.Argument(0) == "low"}});
  ScriptedFederation::Settle();
}

void MetaWorld::Show(const Command& c) {
  const bool of_sites = c.Argument(0) == "sites";
  schemas::Get get{.kind = schemas::GetKind::kSites};
  if (!of_sites) {
    get.kind = schemas::GetKind::kJob;
    get.requests = {RequestId{uint64_t(ToNumber(c.Argument(0)))}};
  }
  const bool events = c.arguments.size() > 1 && c.arguments[1] == "events";
  if (c.arguments.size() > (events ? 2u : 1u)) throw BadLine("right is 'show JOB events'");
  answers_.clear();
  quiet_ = true;
  Client(c, std::move(get));
  quiet_ = false;
  if (answers_.empty()) throw BadLine("there is no answer");
  const auto* rows = std::get_if<schemas::Rows>(&answers_.front().message.body);
  if (!rows || (!of_sites && rows->jobs.empty())) throw BadLine("there is no such job");
  Add(of_sites ? trace_.Show(rows->sites) : trace_.Show(rows->jobs[0], events));
}

}  // namespace muster::scenario
