// Draws the plan: one row per set of nodes with equal bookings, one column per cell of time. A cell
// is empty if less than half of it is taken, else it shows the booking that takes most of it.
// cli.md section 3.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/phrases.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

// least width of the node names, so that the charts of several sites line up
constexpr size_t kNodesAtLeast = 4;
constexpr size_t kNodesAtMost = 16;
constexpr size_t kChartAtLeast = 20;
constexpr size_t kTickApart = 12;  // least number of columns between two time labels

enum class Fill { kRunning, kPromised, kReserved, kDrained };

struct Signs {
  const char* running = "█";
  const char* promised = "▒";
  const char* together = "◆";
  const char* reserved = "╱";
  const char* drained = "×";
  const char* free = "·";
  const char* tick = "│";
};
constexpr Signs kAsciiSigns{"#", "=", "*", "/", "x", ".", "|"};

const char* SignOf(Fill fill, const Signs& signs) {
  switch (fill) {
    case Fill::kRunning:
      return signs.running;
    case Fill::kPromised:
      return signs.promised;
    case Fill::kReserved:
      return signs.reserved;
    case Fill::kDrained:
      return signs.drained;
  }
  return signs.free;
}

struct Booking {
  Instant begin;
  Instant end;
  std::string job;
  Fill fill = Fill::kPromised;
  bool together = false;
  auto operator<=>(const Booking&) const = default;
};

struct Row {
  std::vector<std::string> nodes;
  std::vector<Booking> bookings;
};

// Maps time to columns.
struct Scale {
  Instant from;  // start of the first cell
  Span cell;
  size_t columns = 0;
  Instant Begin(size_t column) const {
    return from + Span{cell.seconds * static_cast<int64_t>(column)};
  }
};

constexpr std::array<int64_t, 24> kSteps = {
    1,    2,    5,    10,    15,    20,    30,    60,    120,    300,    600,     900,
    1800, 3600, 7200, 10800, 14400, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000};

int64_t StepAtLeast(int64_t seconds) {
  for (const int64_t step : kSteps) {
    if (step >= seconds) return step;
  }
  return (seconds + kSteps.back() - 1) / kSteps.back() * kSteps.back();
}

// Rounds down to a multiple of `step` in local time.
Instant Floor(Instant at, int64_t step, const text::Zone& zone) {
  const int64_t local = at.seconds + zone.OffsetAt(at).seconds;
  const int64_t rest = ((local % step) + step) % step;
  return at - Span{rest};
}

Fill FillOf(const Json& booking, const std::string& job) {
  const std::string kind = TextAt(booking, "kind");
  if (kind == "drained") return Fill::kDrained;
  if (kind == "reserved" || (job.size() > 1 && job[0] == 'R')) return Fill::kReserved;
  return FlagAt(booking, "running") ? Fill::kRunning : Fill::kPromised;
}

// The nodes of a site in its order; nodes with equal bookings share a row.
std::vector<Row> RowsOf(const Json& site, Instant from, Instant until) {
  std::map<std::string, std::vector<Booking>> bookings;
  for (const Json& row : At(site, "bookings")) {
    const auto begin = TimeAt(row, "begin");
    auto end = TimeAt(row, "end");
    if (!end) end = kFarFuture;  // the booking has no end
    if (!begin || *end <= from || *begin >= until || *begin >= *end) continue;
    const std::string job = TextAt(row, "job");
    bookings[TextAt(row, "node")].push_back(
        {*begin, *end, job, FillOf(row, job), FlagAt(row, "co_allocation")});
  }
  std::vector<Row> rows;
  for (const std::string& node : TextsAt(site, "nodes")) {
    std::vector<Booking>& own = bookings[node];
    // Several chunk sets of one job on a node are one bar.
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    const auto same =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.bookings == own; });
    if (same == rows.end()) {
      rows.push_back({{node}, std::move(own)});
    } else {
      same->nodes.push_back(node);
    }
  }
  return rows;
}

// The booking that each cell shows; null if less than half of the cell is taken.
std::vector<const Booking*> CellsOf(const Row& row, const Scale& scale) {
  std::vector<const Booking*> cells(scale.columns, nullptr);
  for (size_t column = 0; column < scale.columns; ++column) {
    const Instant begin = scale.Begin(column);
    const Instant end = begin + scale.cell;
    const Booking* shown = nullptr;
    int64_t shown_seconds = 0;
    int64_t taken = 0;
    Instant reached = begin;  // bookings are sorted by their begin
    for (const Booking& booking : row.bookings) {
      const Instant first = std::max(begin, booking.begin);
      const Instant last = std::min(end, booking.end);
      if (first >= last) continue;
      const int64_t seconds = (last - first).seconds;
      if (last > reached) {
        taken += (last - std::max(first, reached)).seconds;
        reached = last;
      }
      // Who runs on a node that is out of use is shown there.
      const auto rank = [](const Booking& b) {
        return std::pair(b.fill != Fill::kDrained, b.end - b.begin);
      };
      if (seconds > shown_seconds || (seconds == shown_seconds && rank(booking) > rank(*shown))) {
        shown = &booking;
        shown_seconds = seconds;
      }
    }
    if (2 * taken >= scale.cell.seconds) cells[column] = shown;
  }
  return cells;
}

// The number of other jobs on the same nodes during this booking.
size_t Sharing(const Row& row, const Booking& booking) {
  std::set<std::string> others;
  for (const Booking& other : row.bookings) {
    const bool overlaps = other.begin < booking.end && booking.begin < other.end;
    if (other.fill == Fill::kDrained) continue;
    if (overlaps && other.job != booking.job) others.insert(other.job);
  }
  return others.size();
}

std::string Bars(const Row& row, const Scale& scale, const Signs& signs) {
  const std::vector<const Booking*> cells = CellsOf(row, scale);
  std::string text;
  for (size_t begin = 0; begin < cells.size();) {
    size_t end = begin + 1;
    while (end < cells.size() && cells[end] == cells[begin]) ++end;
    const size_t width = end - begin;
    if (cells[begin] == nullptr) {
      for (size_t i = 0; i < width; ++i) text += signs.free;
      begin = end;
      continue;
    }
    const Booking& booking = *cells[begin];
    const char* sign = SignOf(booking.fill, signs);
    std::string label = " " + booking.job + " ";
    if (const size_t others = Sharing(row, booking); others > 0) {
      label += fmt::format("+{} ", others);
    }
    // The first sign shows the kind of bar; a label that does not fit is left out.
    if (booking.job.empty() || 1 + Columns(label) > width) label.clear();
    text += booking.together ? signs.together : sign;
    text += label;
    for (size_t i = 1 + Columns(label); i < width; ++i) text += sign;
    begin = end;
  }
  return text;
}

std::string Ticks(const Scale& scale, const Signs& signs, const ViewOptions& options) {
  const int64_t step = StepAtLeast(scale.cell.seconds * static_cast<int64_t>(kTickApart));
  std::string text;
  size_t written = 0;
  Instant at = Floor(scale.from, step, options.zone);
  if (at < scale.from) at = at + Span{step};
  for (; at < scale.Begin(scale.columns); at = at + Span{step}) {
    const auto column = static_cast<size_t>((at - scale.from).seconds / scale.cell.seconds);
    const text::Civil c = options.zone.Local(at);
    std::string label = fmt::format("{:02}:{:02}", c.hour, c.minute);
    if (c.hour == 0 && c.minute == 0 && c.second == 0) {
      label = fmt::format("{:02}-{:02}", c.month, c.day);
    } else if (step < 60) {
      label += fmt::format(":{:02}", c.second);
    }
    const size_t width = 1 + label.size();
    if (column < written || column + width > scale.columns) continue;
    text += std::string(column - written, ' ') + signs.tick + label;
    written = column + width;
  }
  return text;
}

std::string Legend(const Signs& signs) {
  const std::pair<const char*, const char*> entries[] = {
      {signs.running, "running"},   {signs.promised, "promised"}, {signs.together, "co-allocation"},
      {signs.reserved, "reserved"}, {signs.drained, "drained"},   {signs.free, "free"}};
  return Joined(entries, "  ",
                [](const auto& entry) { return fmt::format("{} {}", entry.first, entry.second); }) +
         '\n';
}

}  // namespace

std::string GanttView(const Json& document, const ViewOptions& options) {
  const Signs signs = options.unicode ? Signs{} : kAsciiSigns;
  const Instant from = TimeAt(document, "from").value_or(options.now);
  const Instant until =
      std::max(TimeAt(document, "until").value_or(from + Span{3600}), from + Span{1});
  const Json& sites = At(document, "sites");

  std::vector<std::vector<Row>> rows;
  size_t site_width = 0;
  size_t node_width = kNodesAtLeast;
  for (const Json& site : sites) {
    rows.push_back(RowsOf(site, from, until));
    site_width = std::max(site_width, Columns(TextAt(site, "name")));
    for (const Row& row : rows.back()) {
      node_width = std::clamp(Columns(NodesShown(row.nodes)), node_width, kNodesAtMost);
    }
  }
  const size_t label_width = site_width + 1 + node_width + 1;
  const size_t width = options.width == 0 ? kPageWidth : options.width;
  const size_t room = std::max(kChartAtLeast, width > label_width ? width - label_width : 0);
  const int64_t span = (until - from).seconds;
  Scale scale;
  scale.cell =
      Span{StepAtLeast((span + static_cast<int64_t>(room) - 1) / static_cast<int64_t>(room))};
  scale.from = Floor(from, scale.cell.seconds, options.zone);
  scale.columns = static_cast<size_t>((span + scale.cell.seconds - 1) / scale.cell.seconds);

  std::string text = std::string(label_width, ' ') + Ticks(scale, signs, options) + '\n';
  std::string stale;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string name = TextAt(sites[i], "name");
    for (size_t k = 0; k < rows[i].size(); ++k) {
      const std::string nodes = Cut(NodesShown(rows[i][k].nodes), node_width);
      text += Padded(k == 0 ? name : "", site_width + 1) + Padded(nodes, node_width + 1) +
              Bars(rows[i][k], scale, signs) + '\n';
    }
    const auto age = NumberAt(sites[i], "age_s");
    if (rows[i].empty()) text += Padded(name, site_width + 1) + "?\n";
    if (!FlagAt(sites[i], "stale")) continue;
    stale += rows[i].empty() ? name + ": silent" + (age ? " for " + Age(*age) : "") +
                                   "; last known plan: muster gantt --site " + name + " --stale\n"
                             : name + ": as known " + (age ? Age(*age) + " ago" : "before") + '\n';
  }
  return Finished(text + Legend(signs) + stale, options);
}

}  // namespace muster::cli::views
