// What is done about one piece of news may bring the next.
#include "meta/search/on_attempts.h"

#include <variant>
#include <vector>

#include "meta/search/placing.h"
#include "meta/search/queueing.h"
#include "meta/search/replacement.h"

namespace muster::meta {
namespace {

struct Act {
  SearchLayer& f;
  Turn& t;

  void operator()(const RoomBack& news) const {
    news.was_committed ? NoteRelease(f) : NoteRoomBack(f);
  }
  void operator()(const PlacingRefused& news) const {
    if (Request* request = f.requests.Find(news.request)) PlacingFailed(f, t, *request, news);
  }
  void operator()(const HeldBeside& news) const {
    Request* request = f.requests.Find(news.request);
    const auto attempt = f.attempts.find(news.fence);
    if (!request || attempt == f.attempts.end()) return;
    if (Yields(f, *request, attempt->second)) LeavePlace(f, t, *request, attempt->second);
  }
  void operator()(const StartedMeanwhile& news) const {
    if (Request* request = f.requests.Find(news.request)) StaysAsItIs(f, t, *request);
  }
};

}  // namespace

void TakeAttemptNews(SearchLayer& f, Turn& t) {
  for (std::vector<AttemptNews> all = f.attempts.TakeNews(); !all.empty();
       all = f.attempts.TakeNews()) {
    for (const AttemptNews& news : all) std::visit(Act{f, t}, news);
  }
}

}  // namespace muster::meta
