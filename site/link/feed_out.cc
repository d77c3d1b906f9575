// Sending the feed and listings. protocol.md sections 0.4, 2 (report, resync), 7.5.
#include <utility>

#include "schemas/canonical.h"
#include "schemas/limits.h"
#include "site/state.h"

namespace muster::site {
namespace {

// Local holds, of epoch 0, are nobody else's.
constexpr Fence kFirstListed{Epoch{1}, 0};

size_t BytesOf(const schemas::HoldRecord& hold) {
  schemas::CanonicalWriter writer;
  writer.Put(hold);
  return writer.bytes().size();
}

}  // namespace

// From the position the meta holds durably, if it lies on this feed; else it gets everything.
void Core::State::RestartFeed(const schemas::FeedPosition& position) {
  const auto here = ledger.feed().PositionAt(position.revision);
  if (!here || *here != position) return StartListing();
  ledger.Acknowledge(position.revision);
  sent = position.revision;
  listing_from.reset();
}

// Pages carry the position of the first one; changes made since follow it as reports. Each change
// states what is, so a hold that a late page already shows changed comes to the same.
void Core::State::StartListing() {
  listing_from = kFirstListed;
  sent = ledger.feed().end().revision;
}

// The position is read where the holds are, after all that the turn changed: a change that the
// first page shows already would be told again as if it were new.
void Core::State::SendListingPage() {
  const bool first = *listing_from == kFirstListed;
  if (first) {
    listing_at = ledger.feed().end();
    sent = listing_at.revision;
  }
  schemas::Listing page{.feed = listing_at, .first = first};
  size_t bytes = 0;
  auto it = ledger.holds().lower_bound(*listing_from);
  for (; it != ledger.holds().end() && page.holds.size() < schemas::kReportChanges; ++it) {
    const size_t more = BytesOf(it->second);
    if (!page.holds.empty() && bytes + more > kListingPageBytes) break;
    bytes += more;
    page.holds.push_back(it->second);
  }
  page.last = it == ledger.holds().end();
  if (page.last) {
    listing_from.reset();
  } else {
    listing_from = it->first;
  }
  Say(std::move(page));
}

void Core::State::SendFeed() {
  if (!link.up()) return;
  if (listing_from) return SendListingPage();
  for (size_t i = 0; i < kReportsPerTurn; ++i) {
    auto report = ledger.feed().ReportAfter(sent);
    if (!report) return;
    sent = report->changes.back().revision;
    Say(std::move(*report));
  }
}

}  // namespace muster::site
