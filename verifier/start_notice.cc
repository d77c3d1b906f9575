// See start_notice.h.
#include "verifier/start_notice.h"

#include <algorithm>

namespace muster::verifier {
namespace {

Instant Nearest(Span notice, Moment now) {
  return notice > Span{0} ? now.Ceiling() + notice : now.Floor();
}

}  // namespace

Span StartNoticeOf(const schemas::RequestSpec& spec) {
  const bool interactive = spec.request_class == schemas::RequestClass::kInteractive;
  return spec.start_notice.value_or(interactive ? kInteractiveNotice : Span{0});
}

Instant EarliestMove(const schemas::HoldRecord& hold, Moment now) {
  const bool waits = hold.order.keeps_order && hold.state < schemas::HoldState::kPermitted;
  return waits ? kFarFuture : EarliestMove(hold.order, now);
}

Instant EarliestMove(const schemas::HoldOrder& order, Moment now) {
  return std::max(order.earliest, Nearest(order.start_notice, now));
}

Instant EarliestMove(const schemas::RequestSpec& spec, Moment now) {
  return std::max(spec.from.value_or(Instant{0}), Nearest(StartNoticeOf(spec), now));
}

std::optional<Instant> PromiseLost(const std::vector<schemas::FigureChange>& history) {
  const schemas::FigureChange* after = nullptr;
  for (auto change = history.rbegin(); change != history.rend(); ++change) {
    if (change->figures.starts_by && change->figures.starts_by->firm) {
      const bool given_up =
          after != nullptr && after->cause && after->cause->code == schemas::CauseCode::kUser;
      return given_up ? std::nullopt : std::optional(change->figures.starts_by->at);
    }
    after = &*change;
  }
  return std::nullopt;
}

}  // namespace muster::verifier
