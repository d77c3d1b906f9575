// Followers of jobs are sent the changes of each turn, followers of events each event.
#include "meta/service/following.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "meta/requests/job_view.h"
#include "meta/service/explain.h"

namespace muster::meta {
namespace {

using schemas::Rows;

// Sends the kept events from number `from` on (0: none), and registers the client for new ones.
void OnWatch(ServiceLayer& f, Turn& t, const FollowerKey& key, const schemas::Follow& follow) {
  const Asker asker{key.user, key.link, MessageNumber{key.number}};
  if (follow.stop) {
    f.watchers.Stop(key);
    return;
  }
  const BootInstant until = t.boot() + schemas::kFollowKeepAlive * 3;
  if (f.watchers.KeepAlive(key, until)) return;
  const size_t count = f.watchers.CountOf(key.user);
  if (count >= schemas::kFollowersPerUser) {
    return Refuse(f, t, asker,
                  {.code = "busy", .message = std::to_string(count) + " follow already"});
  }
  f.watchers.Watch(key, until);
  uint64_t after = follow.from == 0 ? f.events.last() : follow.from - 1;
  do {
    Rows rows;
    rows.events = f.events.After(after, schemas::kRowsPerPage);
    rows.more = rows.events.size() == schemas::kRowsPerPage;
    if (!rows.events.empty()) after = rows.events.back().number;
    const bool more = rows.more;
    SendRows(f, t, asker, std::move(rows));
    if (!more) break;
  } while (true);
}

bool AllEnded(const ServiceLayer& f, const std::vector<RequestId>& requests) {
  return std::all_of(requests.begin(), requests.end(), [&](RequestId id) {
    const Request* request = f.requests.Find(id);
    return !request || request->Ended();
  });
}

}  // namespace

void OnFollow(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Follow& follow) {
  const FollowerKey key{asker.user, asker.link, asker.number.value};
  if (follow.kind == schemas::FollowKind::kEvents) return OnWatch(f, t, key, follow);
  if (follow.stop) return f.followers.Stop(key);
  const BootInstant until = t.boot() + schemas::kFollowKeepAlive * 3;
  if (f.followers.KeepAlive(key, follow.requests, until)) return;
  const size_t count = f.followers.OthersOf(key);
  if (count >= schemas::kFollowersPerUser) {
    return Refuse(f, t, asker,
                  {.code = "busy", .message = std::to_string(count) + " follow already"});
  }
  if (follow.requests.empty() || follow.requests.size() > schemas::kRowsPerPage) {
    return Refuse(
        f, t, asker,
        {.code = "usage",
         .message = std::to_string(follow.requests.size()) + " jobs to follow; from 1 to 1000"});
  }
  std::vector<RequestId> once = follow.requests;
  std::sort(once.begin(), once.end());
  if (std::adjacent_find(once.begin(), once.end()) != once.end()) {
    return Refuse(f, t, asker, {.code = "usage", .message = "a job is followed twice"});
  }
  Rows rows;
  for (const RequestId id : follow.requests) {
    const Request* request = f.requests.Find(id);
    if (!request) return Refuse(f, t, asker, NoSuchJob(id, ""));
    rows.jobs.push_back(JobViewOf(f, *request, t.plan, true));
  }
  rows.end = AllEnded(f, follow.requests);
  if (rows.end) {
    f.followers.Stop(key);
  } else {
    f.followers.Follow(key, follow.requests, until);
  }
  SendRows(f, t, asker, std::move(rows));
}

Audience AudienceOf(const ServiceLayer& f) {
  return {.awaits_order = AwaitsOrder(f),
          .follows = !f.followers.empty(),
          .is_follower = [&f](const ClientAnswer& answer) {
            return f.followers.Has({answer.user, answer.link, answer.message.answers.value});
          }};
}

void TellWatchers(ServiceLayer& f, Turn& t) {
  std::vector<schemas::EventRow> news;
  news.reserve(t.happened.size());
  for (schemas::EventRow& event : t.happened) news.push_back(f.events.Add(std::move(event)));
  t.happened.clear();
  if (news.empty()) return;
  for (const FollowerKey& key : f.watchers.All()) {
    for (size_t from = 0; from < news.size(); from += schemas::kRowsPerPage) {
      Rows rows;
      const size_t to = std::min(news.size(), from + schemas::kRowsPerPage);
      rows.events.assign(news.begin() + static_cast<std::ptrdiff_t>(from),
                         news.begin() + static_cast<std::ptrdiff_t>(to));
      SendRows(f, t, {key.user, key.link, MessageNumber{key.number}}, std::move(rows));
    }
  }
}

void TellFollowers(ServiceLayer& f, Turn& t) {
  for (const auto& [key, ids] : f.followers.NewsOf(t.requests)) {
    Rows rows;
    for (const RequestId id : ids) {
      const Request* request = f.requests.Find(id);
      if (request) rows.jobs.push_back(JobViewOf(f, *request, t.plan, true));
    }
    const bool end = AllEnded(f, f.followers.RequestsOf(key));
    rows.end = end;
    const Asker asker{key.user, key.link, MessageNumber{key.number}};
    SendRows(f, t, asker, std::move(rows));
    if (end) f.followers.Stop(key);
  }
}

void ForgetFollowers(ServiceLayer& f, Turn& t) {
  f.followers.ForgetOverdue(t.boot());
  f.watchers.ForgetOverdue(t.boot());
}

}  // namespace muster::meta
