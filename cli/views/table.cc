// Computes all widths first, then the lines. Blanks are written only once text follows, so no line
// ends in blanks.
#include "cli/views/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace muster::cli::views {
namespace {

constexpr size_t kGap = 2;

}  // namespace

void Table::Add(std::vector<Cell> cells) {
  MUSTER_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

// Column widths including gaps; the gap is at least one blank after a list, two after other
// columns.
std::vector<size_t> Table::Widths(const ViewOptions& options) const {
  std::vector<size_t> longest(columns_.size());
  std::vector<size_t> widths(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    longest[i] = std::max(columns_[i].at_least, Columns(columns_[i].header));
    for (const auto& row : rows_) longest[i] = std::max(longest[i], Columns(row[i].text));
    widths[i] = longest[i] + kGap;
    if (columns_[i].list_width > 0) {
      const bool fits = longest[i] < columns_[i].list_width;
      widths[i] = options.width > 0 || fits ? columns_[i].list_width : longest[i] + kGap;
    }
  }
  if (options.width == 0) return widths;
  // The last column needs no gap and is cut at the end of the line.
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), size_t{0}) - kGap;
  };
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].list_width == 0) continue;
    const size_t roomy = std::max(kPageWidth, total());
    const size_t spare = options.width > roomy ? options.width - roomy : 0;
    const size_t wanted = longest[i] + 1 > widths[i] ? longest[i] + 1 - widths[i] : 0;
    widths[i] += std::min(spare, wanted);
  }
  for (const bool lists : {true, false}) {
    for (size_t i = 0; i < columns_.size() && total() > options.width; ++i) {
      if ((columns_[i].list_width > 0) != lists) continue;
      const size_t least = columns_[i].list_width > 0   ? Columns(columns_[i].header) + kGap
                           : columns_[i].shrinks_to > 0 ? columns_[i].shrinks_to + kGap
                                                        : widths[i];
      if (widths[i] > least) widths[i] -= std::min(widths[i] - least, total() - options.width);
    }
  }
  return widths;
}

std::string Table::Text(const ViewOptions& options) const {
  const std::vector<size_t> widths = Widths(options);
  std::string out;
  const auto line = [&](const auto& text_of, const auto& paint_of) {
    std::string text;
    size_t used = 0;    // columns used, blanks included
    size_t blanks = 0;  // pending blanks, dropped at the end of the line
    for (size_t i = 0; i < columns_.size(); ++i) {
      const bool last = i + 1 == columns_.size();
      const size_t gap = columns_[i].list_width > 0 ? 1 : kGap;
      size_t room = last ? std::max(Columns(text_of(i)), widths[i] - kGap) : widths[i] - gap;
      if (last && options.width > 0) {
        room = std::min(room, options.width > used ? options.width - used : size_t{1});
      }
      const std::string shown = Cut(text_of(i), room);
      const size_t width = Columns(shown);
      // Right-aligned text ends where the column without its gap would.
      const size_t before = columns_[i].right && room > width ? room - width : 0;
      blanks += before;
      if (width > 0) {
        text += std::string(blanks, ' ') + Painted(shown, paint_of(i), options);
        blanks = 0;
      }
      const size_t taken = before + width;
      const size_t full = last ? taken : std::max(widths[i], taken);
      blanks += full - taken;
      used += full;
    }
    out += text + '\n';
  };
  line([&](size_t i) -> const std::string& { return columns_[i].header; },
       [](size_t) { return Paint::kDim; });
  for (const auto& row : rows_) {
    line([&](size_t i) -> const std::string& { return row[i].text; },
         [&](size_t i) { return row[i].paint; });
  }
  return out;
}

}  // namespace muster::cli::views
