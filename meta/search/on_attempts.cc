// Acting on one piece of news may produce more.
#include "meta/search/on_attempts.h"

#include <variant>
#include <vector>

#include "meta/attempts/attempt_view.h"
#include "meta/requests/rank.h"
#include "meta/search/gaps.h"
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
  void operator()(const Bound& news) const {
    f.searches.Bound(news.request);
    f.moves.home.Owe();
  }
  void operator()(const WaitsAgain& news) const { f.searches.StartOver(news.request); }
  void operator()(const AsBefore& news) const { f.searches.StartAsBefore(news.request); }
  void operator()(const ReservationMoved& news) const {
    for (const RequestId id : f.requests.open()) {
      Request& request = *f.requests.Find(id);
      if (request.record().spec.inside != news.reservation || !request.Wanted()) continue;
      if (!request.record().attempt && !request.seeking && !f.searches.IsAsked(id)) {
        f.room.Ready(RankOf(request));
      }
    }
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
