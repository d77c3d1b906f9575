// Of a request, only what is new in its record is printed; of an attempt, its line if that changed;
// of a hold, its line at every write.
#include "sim/job_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "sim/checkers/token.h"
#include "verifier/ending.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::FigureChange;
using schemas::HoldRecord;
using schemas::RequestRecord;

std::string LineOf(const std::optional<Fence>& fence) { return fence ? ToText(*fence) : "-"; }

std::string LineOf(const FigureChange& change) {
  const auto& by = change.figures.starts_by;
  const std::string figure = by && by->firm ? std::to_string(by->at.seconds) : "none";
  return "promise " + figure + (change.cause ? ": " + verifier::CauseText(*change.cause) : "");
}

std::string LineOf(const AttemptRecord& attempt) {
  constexpr const char* kStates[] = {"seeking",   "holding", "decided", "committed", "barrier",
                                     "permitted", "running", "partial", "aborting",  "closed"};
  std::string out = fmt::format("attempt {} {} start {} D {} replaces {} superseded by {}",
                                ToText(attempt.fence), kStates[static_cast<int>(attempt.state)],
                                attempt.start.seconds, attempt.deadline.milliseconds,
                                LineOf(attempt.replaces), LineOf(attempt.superseded_by));
  for (const std::string& site : attempt.part_sites) out += " " + site;
  if (attempt.gated) out += " gated";
  if (attempt.permit) out += fmt::format(" last start {}", attempt.permit->last_start.seconds);
  return out + " " + verifier::CauseText(attempt.cause);
}

std::string LineOf(const HoldRecord& hold) {
  constexpr const char* kStates[] = {"none",      "held",      "prepared",
                                     "committed", "permitted", "closed"};
  constexpr const char* kParts[] = {"booked", "ready", "starting", "running", "ending", "ended"};
  std::string out = fmt::format("hold {} {} start {} replaces {} closed as {} {}",
                                ToText(hold.order.fence), kStates[static_cast<int>(hold.state)],
                                hold.start.seconds, LineOf(hold.order.replaces),
                                static_cast<int>(hold.closed_as), verifier::CauseText(hold.cause));
  for (size_t i = 0; i < hold.parts.size(); ++i) {
    const schemas::PartRecord& part = hold.parts[i];
    out += fmt::format("; part {} {} for {}+{} s", part.index, kParts[static_cast<int>(part.state)],
                       hold.order.parts[i].duration.seconds, part.extended.seconds);
    if (part.started_at) out += fmt::format(" since {}", part.started_at->milliseconds);
    for (const auto& place : part.place.chunks) {
      out += " " + place.node + ":" + ToText(place.resources);
    }
  }
  return out;
}

std::string JobOf(const schemas::HoldOrder& order) {
  if (order.fence.epoch != Epoch{0}) return ToText(order.request);
  return order.members.front() + "/" + std::to_string(order.request.value);
}

}  // namespace

void JobTrace::Tell(Moment at, const std::string& who, const std::string& what) {
  std::printf("%lld ms  %-5s  %s\n", static_cast<long long>(at.milliseconds), who.c_str(),
              what.c_str());
}

void JobTrace::OnMetaWrites(Moment at, const MetaWrites& writes) {
  for (const auto& write : writes) {
    if (!write.value) continue;
    if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
      if (ToText(attempt->request) != job_) continue;
      std::string& told = told_[attempt->fence];
      std::string line = LineOf(*attempt);
      if (line != told) Tell(at, "meta", line);
      told = std::move(line);
    }
    const auto* request = std::get_if<RequestRecord>(&*write.value);
    if (request == nullptr || ToText(request->id) != job_) continue;
    for (size_t i = known_.events.size(); i < request->events.size(); ++i) {
      Tell(at, "meta", request->events[i].code + ": " + request->events[i].text);
    }
    for (size_t i = known_.history.size(); i < request->history.size(); ++i) {
      Tell(at, "meta", LineOf(request->history[i]));
    }
    if (request->attempt != known_.attempt || request->state != known_.state) {
      Tell(at, "meta",
           fmt::format("state {}, attempt {}", static_cast<int>(request->state),
                       LineOf(request->attempt)));
    }
    if (request->reason && request->reason != known_.reason) {
      Tell(at, "meta", "reason: " + request->reason->text);
    }
    known_ = *request;
  }
}

void JobTrace::OnSiteWrites(Moment at, const std::string& site, const SiteWrites& writes) {
  for (const auto& write : writes) {
    constexpr std::string_view kNode = "node/";
    if (write.key.starts_with(kNode)) {
      const std::string node = write.key.substr(kNode.size());
      const auto* out = write.value ? std::get_if<schemas::NodeRecord>(&*write.value) : nullptr;
      Tell(at, site, node + (out ? " is out of use: " + out->reason : " is in use again"));
    }
    if (!write.value) continue;
    const auto* local = std::get_if<schemas::LocalRecord>(&*write.value);
    if (local != nullptr && site + "/" + std::to_string(local->number) == job_) {
      for (size_t i = local_events_; i < local->events.size(); ++i) {
        Tell(at, site, local->events[i].code + ": " + local->events[i].text);
      }
      local_events_ = local->events.size();
    }
    const auto* hold = std::get_if<HoldRecord>(&*write.value);
    if (hold == nullptr || JobOf(hold->order) != job_) continue;
    told_.try_emplace(hold->order.fence);
    Tell(at, site, LineOf(*hold));
  }
}

void JobTrace::OnPartStarted(Moment at, const std::string& site, const std::string& token) {
  if (told_.contains(ReadToken(token).fence)) Tell(at, site, token + " started");
}

void JobTrace::OnPartGone(Moment at, const std::string& site, const std::string& token) {
  if (told_.contains(ReadToken(token).fence)) Tell(at, site, token + " is gone");
}

void JobTrace::TellOfWall(Moment at, const std::string& site, const std::string& wall,
                          const std::string& what) {
  const bool its = std::any_of(told_.begin(), told_.end(), [&wall](const auto& one) {
    return wall.find("_" + ToText(one.first) + ".") != std::string::npos;
  });
  if (its) Tell(at, site, "wall " + wall + " " + what);
}

void JobTrace::OnDriverCommand(Moment at, const std::string& site, const driver::Command& command) {
  if (const auto* put = std::get_if<driver::PutWall>(&command)) {
    std::string what = "asked for, number " + std::to_string(put->serial) + ", " +
                       std::to_string(put->when.begin.seconds) + " to " +
                       std::to_string(put->when.end.seconds) + " on";
    for (const schemas::PartPlace& place : put->places) {
      for (const auto& chunk : place.chunks) what += " " + chunk.node;
    }
    TellOfWall(at, site, put->wall, what);
  }
  if (const auto* drop = std::get_if<driver::DropWall>(&command)) {
    TellOfWall(at, site, drop->wall, "dropped");
  }
}

void JobTrace::OnDriverEvent(Moment at, const std::string& site, const driver::Event& event) {
  if (const auto* stood = std::get_if<driver::WallStands>(&event)) {
    TellOfWall(at, site, stood->wall, "stands, number " + std::to_string(stood->serial));
  }
  if (const auto* refused = std::get_if<driver::WallRefused>(&event)) {
    TellOfWall(at, site, refused->wall,
               "refused, number " + std::to_string(refused->serial) + ": " + refused->why);
  }
  if (const auto* lost = std::get_if<driver::WallLost>(&event)) {
    TellOfWall(at, site, lost->wall, "lost: " + lost->why);
  }
}

void JobTrace::OnCrash(Moment at, const std::string& host) { Tell(at, host, "crashes"); }
void JobTrace::OnRestart(Moment at, const std::string& host) { Tell(at, host, "is back"); }

}  // namespace muster::sim
