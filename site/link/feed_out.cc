// Sending the feed and listings. protocol.md sections 0.4, 2 (report, resync), 7.5.
#include <utility>

#include "schemas/canonical.h"
#include "schemas/limits.h"
#include "site/link/meta_link.h"

namespace muster::site {
namespace {

// Local holds (epoch 0) are not listed.
constexpr Fence kFirstListed{Epoch{1}, 0};

size_t BytesOf(const schemas::HoldRecord& hold) {
  schemas::CanonicalWriter writer;
  writer.Put(hold);
  return writer.bytes().size();
}

}  // namespace

// Continues from the position that the meta holds durably if this feed has it; else sends a full
// listing.
void MetaLink::RestartFeed(const schemas::FeedPosition& position) {
  const auto here = ledger().feed().PositionAt(position.revision);
  if (!here || *here != position) return StartListing();
  Acknowledge(position.revision);
  sent_ = position.revision;
  listing_from_.reset();
}

// All pages carry the feed position of the first one; later changes follow as reports. A change
// states the resulting state, so it does no harm if a late page shows it already.
void MetaLink::StartListing() {
  listing_from_ = kFirstListed;
  sent_ = ledger().feed().end().revision;
}

// The position is read together with the first page, after all changes of the turn; otherwise a
// change on that page would be reported again as new.
void MetaLink::SendListingPage() {
  const bool first = *listing_from_ == kFirstListed;
  if (first) {
    listing_at_ = ledger().feed().end();
    sent_ = listing_at_.revision;
  }
  schemas::Listing page{.feed = listing_at_, .first = first};
  size_t bytes = 0;
  auto it = ledger().holds().lower_bound(*listing_from_);
  for (; it != ledger().holds().end() && page.holds.size() < schemas::kReportChanges; ++it) {
    const size_t more = BytesOf(it->second);
    if (!page.holds.empty() && bytes + more > kListingPageBytes) break;
    bytes += more;
    page.holds.push_back(it->second);
  }
  page.last = it == ledger().holds().end();
  if (page.last) {
    listing_from_.reset();
  } else {
    listing_from_ = it->first;
  }
  Say(std::move(page));
}

void MetaLink::SendFeed() {
  if (!link_.up()) return;
  if (listing_from_) return SendListingPage();
  for (size_t i = 0; i < kReportsPerTurn; ++i) {
    auto report = ledger().feed().ReportAfter(sent_);
    if (!report) return;
    sent_ = report->changes.back().revision;
    Say(std::move(*report));
  }
}

}  // namespace muster::site
