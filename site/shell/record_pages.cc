// Rows are decoded, bared of programs and secrets, and put into the canonical form.
#include "site/shell/record_pages.h"

#include <utility>
#include <vector>

#include "schemas/codec/codec.h"
#include "schemas/limits.h"

namespace muster::site {
namespace {

// Of the store, in a page: little enough that a turn with a page is a short one.
constexpr size_t kRowBytes = size_t{128} << 10;
static_assert(4 * kRowBytes <= schemas::kSnapshotPageBytes);

void Bare(schemas::HoldRecord& hold) {
  hold.order.payload = {};
  if (hold.permit) hold.permit->secret = {};
}

}  // namespace

void RecordPages::Fill(io::Store& store, const schemas::CoreOrigin& origin, Now now,
                       schemas::SnapshotView& view) {
  if (view.page == 0) {
    rows_ = store.View();
    next_ = 0;
    origin_ = origin;
    origin_.boot = now.boot;
    origin_.wall = now.wall;
    origin_.secret_root = {};
  }
  if (!rows_ || view.page != next_) {
    view.refused = "began to show its records anew";
    return;
  }
  std::vector<std::pair<std::string, schemas::SiteRecord>> records;
  const auto rows = rows_->Next(kRowBytes);
  if (!rows.ok()) {
    view.refused = "cannot read its records: " + std::string(Text(rows.status()));
    return;
  }
  for (const auto& [key, value] : *rows) {
    absl::StatusOr<schemas::SiteRecord> record = schemas::DecodeSiteRecord(value);
    if (!record.ok()) {
      view.refused = "cannot read its record '" + key + "'";
      return;
    }
    if (auto* hold = std::get_if<schemas::HoldRecord>(&*record)) Bare(*hold);
    records.emplace_back(key, *std::move(record));
  }
  view.frame = schemas::BeganFrame(origin_, records);
  origin_.file.clear();  // the first page has it
  view.more = !rows->empty();
  ++next_;
  if (!view.more) rows_.reset();
}

}  // namespace muster::site
