// A booking replaces the attempt's earlier booking at the same site.
#include "meta/attempts/shadows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "meta/requests/attempt_facts.h"
#include "meta/requests/site_speeds.h"
#include "meta/requests/spanning_limits.h"
#include "partitioner/split.h"

namespace muster::meta {

void BookShadow(AttemptsLayer& f, const Attempt& attempt, const std::string& name, Instant start) {
  const Request* request = f.requests.Find(attempt.record().request);
  Site& site = f.sites.at(name);
  // A job inside a reservation takes nothing beyond what the reservation has booked.
  if (!request || request->record().spec.inside) return;
  // The attempt has ended at this site already.
  const schemas::MirrorRecord* hold = site.mirror.Find(attempt.fence());
  if (hold && hold->state == schemas::HoldState::kClosed) return;
  CountBooking(f, *request, attempt, name, start);
  // Whoever is due on lent room takes it back: it is in nobody's way.
  if (attempt.record().only_lent) return;
  const Span turnover = site.capacity ? site.capacity->turnover : Span{0};
  std::vector<partitioner::Shadow::Booking> bookings;
  const schemas::RequestSpec& spec = SpecOf(*request, attempt);
  for (size_t i = 0; i < attempt.record().part_sites.size(); ++i) {
    if (attempt.record().part_sites[i] != name) continue;
    const Instant begin = start + spec.parts[i].offset;
    bookings.push_back(
        {{begin - turnover, begin + BookedLength(f, spec, attempt, i) + WaitOf(f, attempt)},
         partitioner::AmountsOf(spec.parts[i])});
  }
  // Orders for a block count before the sites hold them, so that the next block is due after them.
  if ((attempt.durable() || attempt.of_block) && !bookings.empty()) {
    Instant first = bookings[0].span.begin + turnover;
    Instant end = bookings[0].span.end;
    for (const partitioner::Shadow::Booking& booking : bookings) {
      first = std::min(first, booking.span.begin + turnover);
      end = std::max(end, booking.span.end);
    }
    site.committed.Set(attempt.fence(), first, end, attempt.of_block);
  }
  if (!site.shadow.Book(attempt.fence(), std::move(bookings))) return;
  // The site moved it, or it takes less: other requests may use the freed room.
  f.attempts.Tell(RoomBack{.was_committed = attempt.durable() || attempt.of_block});
}

void FreeShadow(AttemptsLayer& f, const Fence& fence, const std::string& name) {
  f.limit_use.Free(fence, name);
  Site& site = f.sites.at(name);
  const bool booked = site.shadow.Free(fence);
  const bool committed = site.committed.Erase(fence);
  if (committed || booked) f.attempts.Tell(RoomBack{.was_committed = committed});
}

}  // namespace muster::meta
