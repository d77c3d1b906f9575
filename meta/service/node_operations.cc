// Before a hard drain, the sites are asked what it would move, unless the operator allowed moves.
#include "meta/service/node_operations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "meta/requests/refusals.h"
#include "meta/service/altered_running.h"
#include "meta/service/audit.h"
#include "meta/service/site_orders.h"
#include "meta/service/site_queries.h"
#include "schemas/limits.h"
#include "verifier/attempt_table.h"

namespace muster::meta {
namespace {

// Groups names like "lakes/n1" by site. If a name is no node of a listed site, sends a refusal and
// returns nullopt.
std::optional<std::map<std::string, std::vector<std::string>>> BySite(
    ServiceLayer& f, Turn& t, const Asker& asker, const std::vector<std::string>& nodes) {
  std::map<std::string, std::vector<std::string>> out;
  if (nodes.empty()) {
    Refuse(f, t, asker,
           {.code = "usage",
            .message = "no nodes are named",
            .help = "as in lakes/n1",
            .changed = kNothingChanged});
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
              .changed = kNothingChanged});
      return std::nullopt;
    }
    if (!f.Lists(site)) {
      Refuse(f, t, asker,
             {.code = "not-found",
              .message = "no site '" + site + "' in this federation",
              .changed = kNothingChanged});
      return std::nullopt;
    }
    out[site].push_back(name.substr(slash + 1));
  }
  return out;
}

// Promised jobs with a part that is booked on one of these nodes and has not started.
std::set<RequestId> PromisedOn(const ServiceLayer& f, const std::string& site,
                               const std::vector<std::string>& nodes) {
  std::set<RequestId> out;
  for (const auto& [fence, hold] : f.sites.at(site).mirror.holds()) {
    if (hold.state == schemas::HoldState::kClosed) continue;
    const auto attempt = f.attempts.find(fence);
    if (attempt == f.attempts.end() || !verifier::Binds(attempt->second.state())) continue;
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

std::string Promises(size_t count) {
  return std::to_string(count) + (count == 1 ? " promise" : " promises");
}

std::string DrainText(const schemas::Act& act) {
  return std::string("drain") + (act.hard ? " --hard" : "") + (act.for_good ? " --for-good" : "");
}

// The order by which an act on nodes is carried out at their site.
schemas::Steer SteerOf(const schemas::Act& act, const std::string& user,
                       std::vector<std::string> nodes) {
  const bool drain = act.verb == schemas::ActVerb::kDrain;
  return {.who = "user:" + user,
          .verb = drain ? schemas::SteerVerb::kDrain : schemas::SteerVerb::kResume,
          .nodes = std::move(nodes),
          .hard = act.hard,
          .reason = act.reason,
          .for_good = act.for_good};
}

void CarryOut(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const auto by_site = BySite(f, t, asker, act.nodes);
  if (!by_site) return;
  const bool drain = act.verb == schemas::ActVerb::kDrain;
  schemas::Accepted out;
  for (const auto& [site, nodes] : *by_site) {
    GiveSteer(f, t, site, SteerOf(act, asker.user, nodes));
    const bool up = f.sites.at(site).Up();
    const std::string result = up ? "told to " + site : site + " is told when it is up again";
    out.notes.push_back(result);
    Audit(f, t, "user:" + asker.user, drain ? DrainText(act) : "resume",
          site + "/" + Joined(nodes) + (act.reason.empty() ? "" : " '" + act.reason + "'"), result);
  }
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

}  // namespace

void OnDrain(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const auto by_site = BySite(f, t, asker, act.nodes);
  if (!by_site) return;
  const bool moves = act.verb == schemas::ActVerb::kDrain && act.hard && !act.may_move;
  if (!moves && !act.only_try) return CarryOut(f, t, asker, act);
  std::vector<std::string> sites;
  for (const auto& [site, nodes] : *by_site) sites.push_back(site);
  const std::optional<SiteQueries::Gathering> known =
      AskMoves(f, t, asker, act, std::move(sites), SteerOf(act, asker.user, act.nodes));
  if (known) OnMovesKnown(f, t, *known);
}

void OnMovesKnown(ServiceLayer& f, Turn& t, const SiteQueries::Gathering& known) {
  const Asker asker = AskerOf(known.client);
  const schemas::Act& act = *known.question.act;
  const auto by_site = BySite(f, t, asker, act.nodes);
  if (!by_site) return;
  std::vector<schemas::MoveRow> moves;
  std::set<RequestId> may_move;  // promised on these nodes, at sites that have not answered
  for (const auto& [site, nodes] : *by_site) {
    const auto answer = known.answers.find(site);
    if (answer == known.answers.end()) {
      if (act.hard) may_move.merge(PromisedOn(f, site, nodes));
      continue;
    }
    const auto& view = std::get<schemas::MovesView>(answer->second);
    if (!view.refused.empty()) {
      return Refuse(f, t, asker,
                    {.code = "not-found", .message = view.refused, .changed = kNothingChanged});
    }
    // Sites report starts. Users see the latest start, which is the start plus the site's start
    // slack.
    const Site& of = f.sites.at(site);
    const Span slack = of.capacity ? of.capacity->start_slack : Span{0};
    for (schemas::MoveRow move : view.moves) {
      move.before = move.before + slack;
      if (move.after) move.after = *move.after + slack;
      moves.push_back(std::move(move));
    }
  }
  if (act.only_try) {
    schemas::Accepted out;
    out.moves = std::move(moves);
    return Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
  }
  if (moves.empty() && may_move.empty()) return CarryOut(f, t, asker, act);
  schemas::Refused why{.code = "conflict", .changed = kNothingChanged};
  Span most;
  size_t lost = 0;
  for (const schemas::MoveRow& move : moves) {
    why.detail += (why.detail.empty() ? "" : ", ") + move.job;
    if (move.after) most = std::max(most, *move.after - move.before);
    if (!move.after) ++lost;
  }
  for (const RequestId id : may_move) why.detail += (why.detail.empty() ? "" : ", ") + ToText(id);
  why.message = (may_move.empty() ? "this would move " : "this may move ") +
                Promises(moves.size() + may_move.size());
  if (most > Span{0}) why.message += ", by up to " + DurationText(most);
  if (lost > 0) why.message += "; " + std::to_string(lost) + " would lose its place there";
  why.help = "see 'muster whatif drain --hard " + Joined(act.nodes) +
             "'; go ahead with --yes; without --hard what is booked stays";
  Refuse(f, t, asker, std::move(why));
}

void OnSteered(ServiceLayer& f, Turn& t, Site& site, const SteeredCame& news) {
  const schemas::Steered& steered = news.steered;
  const std::optional<schemas::Steer> steer = f.node_orders.TakeAnswered(site.name, steered.order);
  if (!steer) return;
  const bool drain = steer->verb == schemas::SteerVerb::kDrain;
  const bool of_nodes = drain || steer->verb == schemas::SteerVerb::kResume;
  if (of_nodes) {
    Audit(f, t, "site:" + site.name, drain ? "drain" : "resume", Joined(steer->nodes),
          (steered.done ? "" : "not done: ") + steered.text);
  } else {
    OnAlteredRunning(f, t, *steer, steered);
  }
}

void OnForget(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const auto it = f.sites.find(act.site);
  if (it == f.sites.end()) {
    return Refuse(f, t, asker,
                  {.code = "not-found",
                   .message = "no site '" + act.site + "' in this federation",
                   .changed = kNothingChanged});
  }
  Site& site = it->second;
  const BootSpan silence = f.options.values.heartbeat * schemas::kMissedHeartbeats;
  if (site.Listens() && t.boot() < site.heard_boot + silence) {
    return Refuse(
        f, t, asker,
        {.code = "conflict",
         .message = site.name + " answers; only a site that is gone is given up",
         .help = "drain its nodes, or revoke its key: muster keys revoke site:" + site.name,
         .changed = kNothingChanged});
  }
  if (!site.attempts.empty() && !act.may_move) {
    return Refuse(f, t, asker,
                  {.code = "conflict",
                   .message = std::to_string(site.attempts.size()) + " jobs have a place at " +
                              site.name + "; what may have run there becomes unknown",
                   .help = "go ahead with --yes; then muster settle decides each unknown outcome",
                   .changed = kNothingChanged});
  }
  site.Forget(t.plan);
  const size_t count = site.attempts.size();
  for (const Fence& fence : site.attempts) {
    // The site will not be heard again: a permitted job may have run.
    f.attempts.at(fence).lost.insert(site.name);
    f.attempts.Touch(fence);
  }
  f.node_orders.Forget(site.name);
  const std::string result = "given up; " + std::to_string(count) + " jobs had a place there";
  Audit(f, t, "user:" + asker.user, "forget", site.name, result);
  schemas::Accepted out;
  out.notes = {result};
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

}  // namespace muster::meta
