// Operators' words to sites: kept until the site's feed has answered, said again until then; and
// sites that are given up.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "meta/acts.h"
#include "schemas/limits.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

constexpr char kNothing[] = "nothing was changed";

// "lakes/n1" by site; a refusal was sent if a name is no node of a listed site.
std::optional<std::map<std::string, std::vector<std::string>>> BySite(
    Federation& f, Turn& t, const Asker& asker, const std::vector<std::string>& nodes) {
  std::map<std::string, std::vector<std::string>> out;
  if (nodes.empty()) {
    Refuse(f, t, asker,
           {.code = "usage",
            .message = "no nodes are named",
            .help = "as in lakes/n1",
            .changed = kNothing});
    return std::nullopt;
  }
  for (const std::string& name : nodes) {
    const size_t slash = name.find('/');
    const std::string site = name.substr(0, slash);
    if (slash == std::string::npos || slash + 1 == name.size()) {
      Refuse(f, t, asker,
             {.code = "usage",
              .message = "'" + name + "' names no node",
              .help = "SITE/NODE, as in lakes/n1",
              .changed = kNothing});
      return std::nullopt;
    }
    if (!f.Lists(site)) {
      Refuse(f, t, asker,
             {.code = "not-found",
              .message = "no site '" + site + "' in this federation",
              .changed = kNothing});
      return std::nullopt;
    }
    out[site].push_back(name.substr(slash + 1));
  }
  return out;
}

// Jobs with a promise that rests on one of these nodes and have not started.
std::set<RequestId> PromisedOn(const Federation& f, const std::string& site,
                               const std::vector<std::string>& nodes) {
  std::set<RequestId> out;
  for (const auto& [fence, hold] : f.sites.at(site).mirror.holds()) {
    if (hold.state == schemas::HoldState::kClosed) continue;
    const auto attempt = f.attempts.find(fence);
    if (attempt == f.attempts.end() || !verifier::Binds(attempt->second.record.state)) continue;
    for (const schemas::MirrorPart& part : hold.parts) {
      if (part.state >= schemas::PartState::kStarting) continue;
      const bool here = std::any_of(
          part.booking.nodes.begin(), part.booking.nodes.end(), [&](const std::string& node) {
            return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
          });
      if (here) out.insert(hold.request);
    }
  }
  return out;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

void Steer(Federation& f, Turn& t, const std::string& user, const std::string& site,
           const schemas::Act& act, const std::vector<std::string>& nodes) {
  const bool drain = act.verb == schemas::ActVerb::kDrain;
  schemas::SteerRecord record;
  record.site = site;
  record.at = t.plan;
  record.steer = {.order = ++f.identity.last_order,
                  .who = "user:" + user,
                  .verb = drain ? schemas::SteerVerb::kDrain : schemas::SteerVerb::kResume,
                  .nodes = nodes,
                  .hard = act.hard,
                  .reason = act.reason};
  t.identity = true;
  const uint64_t order = record.steer.order;
  t.steers.insert(order);
  Site& to = f.sites.at(site);
  to.steers.insert(order);
  if (to.Up()) Say(f, t, to, record.steer);
  f.steers[order] = std::move(record);
}

}  // namespace

void OnDrain(Federation& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const auto by_site = BySite(f, t, asker, act.nodes);
  if (!by_site) return;
  const bool drain = act.verb == schemas::ActVerb::kDrain;
  std::set<RequestId> promised;
  if (drain && act.hard) {
    for (const auto& [site, nodes] : *by_site) promised.merge(PromisedOn(f, site, nodes));
  }
  if (!promised.empty() && !act.may_move) {
    std::string jobs;
    for (const RequestId id : promised) jobs += (jobs.empty() ? "" : ", ") + ToText(id);
    const size_t n = promised.size();
    return Refuse(f, t, asker,
                  {.code = "conflict",
                   .message = "this may move " + std::to_string(n) +
                              (n == 1 ? " promise: " : " promises: ") + jobs,
                   .help = "go ahead with --yes; without --hard what is booked stays",
                   .changed = kNothing});
  }
  schemas::Accepted out;
  for (const auto& [site, nodes] : *by_site) {
    Steer(f, t, asker.user, site, act, nodes);
    const bool up = f.sites.at(site).Up();
    const std::string result = up ? "told to " + site : site + " is told when it is up again";
    out.notes.push_back(result);
    Audit(f, t, "user:" + asker.user, drain ? (act.hard ? "drain --hard" : "drain") : "resume",
          site + "/" + Joined(nodes) + (act.reason.empty() ? "" : " '" + act.reason + "'"), result);
  }
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

void OnSteered(Federation& f, Turn& t, Site& site, const schemas::Steered& steered) {
  const auto it = f.steers.find(steered.order);
  if (it == f.steers.end() || it->second.site != site.name) return;
  const std::string verb = it->second.steer.verb == schemas::SteerVerb::kDrain ? "drain" : "resume";
  Audit(f, t, "site:" + site.name, verb, Joined(it->second.steer.nodes),
        (steered.done ? "" : "not done: ") + steered.text);
  t.steers.insert(steered.order);
  site.steers.erase(steered.order);
  f.steers.erase(it);
}

void RepeatSteers(Federation& f, Turn& t, Site& site) {
  if (!site.Up()) return;
  for (const uint64_t order : site.steers) Say(f, t, site, f.steers.at(order).steer);
}

void OnForget(Federation& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const auto it = f.sites.find(act.site);
  if (it == f.sites.end()) {
    return Refuse(f, t, asker,
                  {.code = "not-found",
                   .message = "no site '" + act.site + "' in this federation",
                   .changed = kNothing});
  }
  Site& site = it->second;
  const BootSpan silence = f.options.values.heartbeat * schemas::kMissedHeartbeats;
  if (site.Listens() && t.boot() < site.heard_boot + silence) {
    return Refuse(
        f, t, asker,
        {.code = "conflict",
         .message = site.name + " answers; only a site that is gone is given up",
         .help = "drain its nodes, or revoke its key: muster keys revoke site:" + site.name,
         .changed = kNothing});
  }
  if (!site.attempts.empty() && !act.may_move) {
    return Refuse(f, t, asker,
                  {.code = "conflict",
                   .message = std::to_string(site.attempts.size()) + " jobs have a place at " +
                              site.name + "; what may have run there becomes unknown",
                   .help = "go ahead with --yes; then muster settle decides each unknown outcome",
                   .changed = kNothing});
  }
  site.forgotten = t.plan;
  t.sites.insert(site.name);
  const size_t count = site.attempts.size();
  for (const Fence& fence : site.attempts) {
    // Nothing more will be heard of it: what was permitted may have run.
    f.attempts.at(fence).lost.insert(site.name);
    t.touched.insert(fence);
  }
  for (const uint64_t order : site.steers) {
    t.steers.insert(order);
    f.steers.erase(order);
  }
  site.steers.clear();
  const std::string result = "given up; " + std::to_string(count) + " jobs had a place there";
  Audit(f, t, "user:" + asker.user, "forget", site.name, result);
  schemas::Accepted out;
  out.notes = {result};
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

}  // namespace muster::meta
