// Clients get a line for each site, user and key that changed, and for each other kind of change.
#include "meta/service/reload.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "meta/requests/fairshare.h"
#include "meta/requests/spanning_limits.h"
#include "meta/search/gaps.h"
#include "meta/search/queueing.h"
#include "meta/service/audit.h"
#include "meta/sites/links.h"

namespace muster::meta {
namespace {

std::vector<std::string> Differences(const Options& before, const Options& after) {
  std::vector<std::string> out;
  const auto names = [](const auto& all, auto name_of) {
    std::set<std::string> set;
    for (const auto& one : all) set.insert(name_of(one));
    return set;
  };
  const auto compare = [&](const std::string& what, const std::set<std::string>& old_names,
                           const std::set<std::string>& new_names) {
    for (const std::string& name : new_names) {
      if (!old_names.contains(name)) out.push_back(what + " " + name + " is new");
    }
    for (const std::string& name : old_names) {
      if (!new_names.contains(name)) out.push_back(what + " " + name + " is listed no more");
    }
  };
  const auto itself = [](const std::string& name) { return name; };
  const auto user_name = [](const User& user) { return user.name; };
  compare("site", names(before.sites, itself), names(after.sites, itself));
  compare("user", names(before.users, user_name), names(after.users, user_name));
  for (const ListedKey& key : after.keys) {
    const auto old = std::find_if(before.keys.begin(), before.keys.end(),
                                  [&](const ListedKey& k) { return k.name == key.name; });
    if (old != before.keys.end() && old->public_key != key.public_key) {
      out.push_back("the key of " + key.name + " is another");
    }
    if (old != before.keys.end() && old->role != key.role) {
      out.push_back(key.name + " has the role " + key.role);
    }
  }
  if (before.values != after.values) out.push_back("[protocol] has other values");
  if (before.queues != after.queues) out.push_back("the queues are others");
  const auto own_name = [](const auto& one) { return one.name; };
  compare("account", names(before.credentials.accounts, own_name),
          names(after.credentials.accounts, own_name));
  compare("QoS", names(before.credentials.qos, own_name), names(after.credentials.qos, own_name));
  if (before.credentials != after.credentials) {
    out.push_back("accounts and QoS as of now; what is promised stays");
  }
  if (before.priority != after.priority) {
    out.push_back("[priority] has other values; those who wait are ordered anew");
  }
  if (before.fairshare != after.fairshare) {
    out.push_back("shares have other values; those who wait are ordered anew");
  }
  if (before.limits != after.limits) {
    out.push_back("[[limit]] has other values; what is promised stays");
  }
  if (before.bank != after.bank) {
    out.push_back("[bank] has other rates; what is promised costs at most what it was told");
  }
  if (before.packing != after.packing || before.threshold != after.threshold ||
      before.block_max != after.block_max || before.ask_sites != after.ask_sites ||
      before.ask_joint != after.ask_joint || before.duration != after.duration ||
      before.confidence != after.confidence || before.horizon != after.horizon) {
    out.push_back("[scheduler] has other values");
  }
  if (before.validities != after.validities) {
    out.push_back("users or groups are valid at other times; what is promised stays");
  }
  if (before.transfer != after.transfer) out.push_back("the links are others");
  if (before.terms != after.terms) {
    out.push_back(
        "speeds, costs or charges of sites are others; what is booked lasts as long as before");
  }
  return out;
}

// Adds new sites, and cuts the links of sites that are no longer listed. Returns the sites that
// lost a link.
std::vector<std::string> TakeSites(ServiceLayer& f) {
  f.site_names = f.options.sites;
  std::sort(f.site_names.begin(), f.site_names.end());
  for (const std::string& name : f.site_names) {
    Site& site = f.sites[name];
    if (!site.name.empty()) continue;
    site.name = name;
    site.mirror = verifier::Mirror(name);
  }
  std::vector<std::string> gone;
  for (auto& [name, site] : f.sites) {
    if (f.Lists(name) || site.connection.empty()) continue;
    site.connection.clear();
    gone.push_back(name);
  }
  return gone;
}

}  // namespace

void OnReload(ServiceLayer& f, Turn& t, const Asker& asker) {
  f.reloads.push_back(ClientOf(asker));
  t.out.reload = true;
}

std::vector<std::string> OnReconfigured(ServiceLayer& f, Turn& t, const Reconfigured& event) {
  const std::vector<Client> waiting = std::exchange(f.reloads, {});
  if (!event.options) {
    t.Note("configuration not taken: " + event.fault);
    for (const Client& w : waiting) {
      Audit(f, t, "user:" + w.user, "reload", "", "not taken");
      Reply(f, t, w.user, w.link, w.number,
            schemas::Refused{.code = "config",
                             .message = "the configuration was not taken",
                             .detail = event.fault,
                             .changed = "everything is as it was"});
    }
    return {};
  }
  Options options = *event.options;
  TakeSettings(f.scheduler.record->set, options);
  std::vector<std::string> notes = Differences(f.options, options);
  notes.insert(notes.end(), event.notes.begin(), event.notes.end());
  const std::string live = SettingsText(f.scheduler.record->set);
  if (!live.empty()) notes.push_back("still as set with muster scheduler: " + live);
  const bool other_values = f.options.values != options.values;
  if (f.options.priority || options.priority) f.ranking.NoteChanged();
  // A QoS may have been promised at its start alone, a ceiling may have dated new work.
  const bool other_horizon =
      f.options.horizon != options.horizon || f.options.credentials != options.credentials ||
      f.options.fairshare != options.fairshare || f.options.limits != options.limits;
  options.seed = f.options.seed;
  f.options = std::move(options);
  f.users.clear();
  for (const User& user : f.options.users) f.users[user.name] = user;
  RecountLimits(f, t.plan);
  f.ceilings.Forget();
  f.balances.Forget();
  if (JudgeCeilings(f, t.plan)) NoteEased(f);
  std::vector<std::string> gone = TakeSites(f);
  TakeQueues(f);
  f.keys.DropStale(f.options.keys);
  t.out.hear = f.keys.Heard(f.options.keys);
  if (other_values) WelcomeAgain(f, t);
  f.room.WakeStuck(true);
  f.searches.ForgetAllFruitless();
  if (other_horizon) f.room.WakeAsleep();
  f.room.WakeBroke();
  std::string result;
  for (const std::string& note : notes) result += (result.empty() ? "" : "; ") + note;
  if (result.empty()) result = "nothing in it has changed";
  for (const Client& w : waiting) {
    Audit(f, t, "user:" + w.user, "reload", "", result);
    schemas::Accepted out;
    out.notes = notes.empty() ? std::vector<std::string>{result} : notes;
    Reply(f, t, w.user, w.link, w.number, std::move(out));
  }
  if (waiting.empty()) Audit(f, t, "signal", "reload", "", result);
  return gone;
}

}  // namespace muster::meta
