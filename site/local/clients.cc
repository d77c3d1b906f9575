// The service for local clients: envelope, cancel, act, follow. What is accepted is on disk before
// the answer leaves, since messages are sent after the batch. protocol.md section 2b.
#include "site/local/clients.h"

#include <algorithm>
#include <utility>

#include "schemas/limits.h"
#include "site/holds/hold_facts.h"
#include "site/local/local_users.h"
#include "verifier/client_checks.h"

namespace muster::site {

using schemas::LocalRecord;
using schemas::Refused;
using schemas::RequestState;

namespace {

constexpr char kNothingCancelled[] = "nothing was cancelled";
constexpr char kNothingChanged[] = "nothing was changed";

// Strips the site's own name: here "lakes/n1" and "n1" are the same node.
std::vector<std::string> WithoutSite(const std::vector<std::string>& nodes,
                                     const std::string& site) {
  std::vector<std::string> names;
  const std::string prefix = site + "/";
  for (const std::string& node : nodes) {
    names.push_back(node.starts_with(prefix) ? node.substr(prefix.size()) : node);
  }
  return names;
}

}  // namespace

void Clients::Tell(const ClientLine& line, decltype(schemas::ToClient::body) body) {
  schemas::ToClient message{.federation = ledger().identity().federation, .answers = line.number};
  message.body = std::move(body);
  Send(ClientAnswer{line.user, line.link, std::move(message)});
}

Refused Clients::NoSuchLocal(uint64_t number, std::string changed) const {
  return {.code = "not-found",
          .message = "no job " + options().name + "/" + std::to_string(number) + " on record",
          .help = "jobs of the federation are cancelled and followed at the meta",
          .changed = std::move(changed)};
}

Refused Clients::NotYours(const std::string& job, const std::string& owner, const std::string& user,
                          std::string changed) const {
  return {.code = "denied",
          .message = "job " + job + " belongs to " + owner + "; you are " + user + ", role user",
          .changed = std::move(changed)};
}

void Clients::Hear(const std::string& user, const std::string& link,
                   const schemas::ClientMessage& message) {
  const ClientLine line{user, link, message.number};
  if (UserOf(options(), user) == nullptr) {
    return Tell(line, Refused{.code = "denied",
                              .message = "'" + user + "' is not a user of " + options().name});
  }
  if (auto fault = verifier::CheckEnvelope(message, ledger().identity().federation, now())) {
    return Tell(line, std::move(*fault));
  }
  std::visit([&](const auto& what) { Asked(line, what); }, message.body);
}

// Cancels all jobs of the list, or none if one of them is unknown or not the user's to cancel.
void Clients::Asked(const ClientLine& line, const schemas::Cancel& cancel) {
  if (cancel.requests.empty() || cancel.requests.size() > schemas::kActTargets) {
    return Tell(line, Refused{.code = "usage",
                              .message = std::to_string(cancel.requests.size()) +
                                         " jobs to cancel; from 1 to 10000",
                              .changed = kNothingCancelled});
  }
  for (const RequestId id : cancel.requests) {
    const schemas::LocalRecord* job = FindLocal(id.value);
    if (job == nullptr) return Tell(line, NoSuchLocal(id.value, kNothingCancelled));
    const std::string& owner = job->requester.user;
    if (owner != line.user && !IsOperator(options(), line.user)) {
      return Tell(line, NotYours(options().name + "/" + std::to_string(id.value), owner, line.user,
                                 kNothingCancelled));
    }
  }
  schemas::Accepted out;
  if (cancel.only_try) return Tell(line, std::move(out));  // no other job is affected
  for (const RequestId id : cancel.requests) {
    out.requests.push_back(id);
    out.notes.push_back(CancelLocal(id.value, line.user));
  }
  SettleLocals();
  for (const RequestId id : cancel.requests) out.states.push_back(FindLocal(id.value)->state);
  Tell(line, std::move(out));
}

void Clients::Asked(const ClientLine& line, const schemas::Act& act) {
  using schemas::ActVerb;
  if (act.verb == ActVerb::kAlter) return Alter(line, act);
  const bool here =
      act.verb == ActVerb::kDrain || act.verb == ActVerb::kResume || act.verb == ActVerb::kReload;
  if (!here) {
    return Tell(line, Refused{.code = "usage",
                              .message = "a site alone alters, drains, resumes and reloads",
                              .help = "everything else is said to the federation, without --via",
                              .changed = kNothingChanged});
  }
  if (!IsOperator(options(), line.user)) {
    return Tell(line, Refused{.code = "denied",
                              .message = "this takes the role operator; you are " + line.user +
                                         ", role user",
                              .changed = kNothingChanged});
  }
  if (act.verb == ActVerb::kReload) {
    ReadAgain(line);
    return;
  }
  const schemas::Steer steer{.who = "user:" + line.user,
                             .verb = act.verb == ActVerb::kDrain ? schemas::SteerVerb::kDrain
                                                                 : schemas::SteerVerb::kResume,
                             .nodes = WithoutSite(act.nodes, options().name),
                             .hard = act.hard,
                             .reason = act.reason,
                             .for_good = act.for_good};
  const size_t moves = act.verb == ActVerb::kDrain && act.hard ? BookedOn(steer.nodes) : 0;
  if (moves > 0 && !act.may_move) {
    return Tell(line, Refused{.code = "conflict",
                              .message = "this would move " + std::to_string(moves) +
                                         (moves == 1 ? " promise" : " promises"),
                              .help = "go ahead with --yes",
                              .changed = kNothingChanged});
  }
  const schemas::Steered result = Carry(steer);
  HearHolds();
  Note(steer.who + ": " + result.text);
  if (!result.done) {
    return Tell(line, Refused{.code = "not-found", .message = result.text});
  }
  Tell(line, schemas::Accepted{.notes = {result.text}});
}

void Clients::Asked(const ClientLine& line, const schemas::Follow& follow) {
  if (follow.stop) {
    followers_.erase(line);
    return;
  }
  if (follow.kind != schemas::FollowKind::kJobs) {
    return Tell(line, Refused{.code = "usage",
                              .message = "a site alone tells of its jobs, one by one",
                              .help = "events are the federation's: without --via"});
  }
  std::vector<uint64_t> jobs;
  for (const RequestId id : follow.requests) jobs.push_back(id.value);
  const BootInstant until = turn().boot + schemas::kFollowKeepAlive * 3;
  const auto known = followers_.find(line);
  if (known != followers_.end() && known->second.jobs == jobs) {
    known->second.until = until;  // a keep-alive
    return;
  }
  const auto count = std::count_if(followers_.begin(), followers_.end(), [&](const auto& other) {
    return other.first.user == line.user && other.first != line;
  });
  if (static_cast<size_t>(count) >= schemas::kFollowersPerUser) {
    return Tell(line,
                Refused{.code = "busy", .message = std::to_string(count) + " follow already"});
  }
  if (jobs.empty() || jobs.size() > schemas::kRowsPerPage) {
    return Tell(
        line, Refused{.code = "usage",
                      .message = std::to_string(jobs.size()) + " jobs to follow; from 1 to 1000"});
  }
  for (const uint64_t number : jobs) {
    if (FindLocal(number) == nullptr) return Tell(line, NoSuchLocal(number, ""));
  }
  followers_[line] = {jobs, until};
  TellFollower(line, jobs);
}

// Live holds on these nodes that have not started: what a hard drain would move.
size_t Clients::BookedOn(const std::vector<std::string>& nodes) const {
  size_t count = 0;
  for (const auto& [fence, _] : live()) {
    const schemas::HoldRecord& hold = *ledger().Find(fence);
    if (HasStarted(hold) || IsStopping(hold)) continue;
    count += std::any_of(hold.parts.begin(), hold.parts.end(), [&](const auto& part) {
      return std::any_of(part.place.chunks.begin(), part.place.chunks.end(), [&](const auto& c) {
        return std::find(nodes.begin(), nodes.end(), c.node) != nodes.end();
      });
    });
  }
  return count;
}

void Clients::Alter(const ClientLine& line, const schemas::Act& act) {
  if (!act.changes || *act.changes == schemas::Alteration{} || act.requests.empty() ||
      act.requests.size() > schemas::kActTargets) {
    return Tell(line, Refused{.code = "usage",
                              .message = "nothing to change",
                              .help = "as in muster alter 41 -t 20m",
                              .changed = kNothingChanged});
  }
  for (const RequestId id : act.requests) {
    const LocalRecord* job = FindLocal(id.value);
    if (job == nullptr) return Tell(line, NoSuchLocal(id.value, kNothingChanged));
    if (job->requester.user == line.user || IsOperator(options(), line.user)) continue;
    return Tell(line, NotYours(options().name + "/" + std::to_string(id.value), job->requester.user,
                               line.user, kNothingChanged));
  }
  schemas::Accepted out;
  std::optional<Refused> first;
  size_t refused = 0;
  for (const RequestId id : act.requests) {
    Altered altered = AlterLocal(line.user, act, id.value, out.moves);
    if (auto* why = std::get_if<Refused>(&altered)) {
      ++refused;
      out.notes.push_back("not altered: " + why->message);
      if (!first) first = std::move(*why);
    } else {
      out.notes.push_back(std::get<std::string>(std::move(altered)));
    }
    out.requests.push_back(id);
    out.states.push_back(FindLocal(id.value)->state);
  }
  if (first && refused == act.requests.size()) return Tell(line, std::move(*first));
  Tell(line, std::move(out));
}

// Sends the present state of these jobs. The rows are marked as the last if all jobs that the
// client follows have ended.
void Clients::TellFollower(const ClientLine& line, const std::vector<uint64_t>& jobs) {
  const auto follower = followers_.find(line);
  schemas::Rows rows = NewRows();
  for (const uint64_t number : jobs) {
    if (const auto* job = FindLocal(number)) rows.jobs.push_back(JobShown(*job, true));
  }
  rows.end =
      std::all_of(follower->second.jobs.begin(), follower->second.jobs.end(), [&](uint64_t number) {
        const auto* job = FindLocal(number);
        return job == nullptr || job->state == RequestState::kEnded;
      });
  if (rows.end) followers_.erase(follower);
  Tell(line, std::move(rows));
}

void Clients::TellFollowers() {
  const std::set<uint64_t> changed = TakeChanged();
  std::erase_if(followers_,
                [&](const auto& follower) { return follower.second.until <= turn().boot; });
  if (changed.empty() || followers_.empty()) return;
  std::vector<std::pair<ClientLine, std::vector<uint64_t>>> news;
  for (const auto& [line, follower] : followers_) {
    std::vector<uint64_t> jobs;
    for (const uint64_t number : follower.jobs) {
      if (changed.contains(number)) jobs.push_back(number);
    }
    if (!jobs.empty()) news.emplace_back(line, std::move(jobs));
  }
  for (const auto& [line, jobs] : news) TellFollower(line, jobs);
}

std::optional<BootInstant> Clients::NextOfClients() const {
  std::optional<BootInstant> next = NextOfLocals();
  for (const auto& [line, follower] : followers_) {
    next = next ? std::min(*next, follower.until) : follower.until;
  }
  return next;
}

}  // namespace muster::site
