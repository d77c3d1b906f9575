// muster's own record, one column per site: promises kept, the causes of the others, and how well
// forecasts held. cli.md section 3 (calibration).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/phrases.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

struct TableLine {
  std::string label;
  std::vector<std::string> cells;  // one per site
  std::string remark;
};

std::string HeaderOf(const Json& row) {
  std::string name = TextAt(row, "site");
  if (name.empty()) return "ALL";
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

uint64_t LateBy(const Json& row, const std::string& code) {
  for (const Json& late : At(row, "late")) {
    if (TextAt(late, "code") == code) {
      return static_cast<uint64_t>(NumberAt(late, "count").value_or(0));
    }
  }
  return 0;
}

template <typename CellOf>
TableLine LineOf(std::string label, const Json& rows, const CellOf& cell, std::string remark = "") {
  TableLine line{std::move(label), {}, std::move(remark)};
  for (const Json& row : rows) line.cells.push_back(cell(row));
  return line;
}

std::string Minutes(double seconds) { return fmt::format("{:.0f} min", seconds / 60); }

// "10-60 min", "1-6 h".
std::string Class(const Json& said) {
  const double from = NumberAt(said, "from_s").value_or(0);
  const double to = NumberAt(said, "to_s").value_or(0);
  const bool hours = from >= 3600;
  const double unit = hours ? 3600 : 60;
  return fmt::format("said {:.0f}-{:.0f} {}", from / unit, to / unit, hours ? "h" : "min");
}

std::string Before(const Json& ahead) {
  const double seconds = NumberAt(ahead, "before_s").value_or(0);
  return seconds < 3600 ? Minutes(seconds) + " before"
                        : fmt::format("{:.0f} h before", seconds / 3600);
}

// The mean errors of what was said first, by class of waits, and of what stood some time before the
// start. Lines that no site has figures for are left out.
void AddErrors(const Json& rows, std::vector<TableLine>& lines) {
  const auto add = [&](const char* list, const char* key, const auto& label) {
    std::map<double, std::string> labels;
    for (const Json& row : rows) {
      for (const Json& one : At(row, list)) labels[NumberAt(one, key).value_or(0)] = label(one);
    }
    for (const auto& [wanted, name] : labels) {
      const auto cell = [&, wanted = wanted](const Json& row) {
        for (const Json& one : At(row, list)) {
          if (NumberAt(one, key) == wanted)
            return Minutes(NumberAt(one, "mean_error_s").value_or(0));
        }
        return std::string(kNone);
      };
      lines.push_back(
          LineOf(name, rows, cell, wanted == labels.begin()->first ? "   mean error" : ""));
    }
  };
  add("said", "from_s", Class);
  add("ahead", "before_s", Before);
}

std::vector<TableLine> LinesOf(const Json& rows) {
  const auto counted = [](const char* name) {
    return [name](const Json& row) {
      return Grouped(static_cast<uint64_t>(NumberAt(row, name).value_or(0)));
    };
  };
  const auto share = [](const char* name, auto text) {
    return [name, text](const Json& row) {
      const auto ratio = NumberAt(row, name);
      return ratio ? text(*ratio) : std::string(kNone);
    };
  };
  const auto ratio = [](double value) { return fmt::format("{:.1f}", value); };
  std::vector<TableLine> lines;
  lines.push_back(LineOf("last 30 days", rows, HeaderOf));
  lines.push_back(LineOf("promises", rows, counted("promises")));
  lines.push_back(LineOf("  kept", rows, share("kept_ratio", Percent)));
  std::set<std::string> causes;
  for (const Json& row : rows) {
    for (const Json& late : At(row, "late")) causes.insert(TextAt(late, "code"));
  }
  for (const std::string& code : causes) {
    std::string name = code;
    std::replace(name.begin(), name.end(), '_', ' ');
    lines.push_back(LineOf("  late: " + name, rows,
                           [&code](const Json& row) { return Grouped(LateBy(row, code)); }));
  }
  const double confidence =
      rows.empty() ? 0.9 : NumberAt(rows[0], "confidence_ratio").value_or(0.9);
  lines.push_back(
      LineOf(WholePercent(confidence) + " interval", rows, share("coverage_ratio", Percent)));
  // Only the total knows how sure its coverage is.
  const auto sure = [](const Json& row) {
    const auto low = NumberAt(row, "coverage_low_ratio");
    const auto high = NumberAt(row, "coverage_high_ratio");
    return low && high ? fmt::format("{:.0f}-{:.0f} %", 100 * *low, 100 * *high)
                       : std::string(kNone);
  };
  const bool has_sure = std::any_of(rows.begin(), rows.end(), [](const Json& row) {
    return NumberAt(row, "coverage_low_ratio").has_value();
  });
  if (has_sure) {
    lines.push_back(LineOf("  between", rows, sure, "   90 % of redraws"));
  }
  lines.push_back(LineOf("  width / wait", rows, share("width_over_wait_ratio", ratio)));
  lines.push_back(LineOf("within 1 min", rows, share("within_60_s_ratio", WholePercent),
                         "   of the expected start"));
  lines.push_back(LineOf("within 10 min", rows, share("within_600_s_ratio", WholePercent)));
  AddErrors(rows, lines);
  const auto bits = [](double value) { return fmt::format("{:.2f}", value); };
  const bool has_runs = std::any_of(rows.begin(), rows.end(), [](const Json& row) {
    return NumberAt(row, "bits_at_submission").has_value();
  });
  if (has_runs) {
    lines.push_back(
        LineOf("bits a run time", rows, share("bits_at_submission", bits), "   at submission"));
    lines.push_back(
        LineOf("work expected", rows, share("work_ratio", bits), "   of what was done"));
  }
  return lines;
}

}  // namespace

std::string CalibrationView(const Json& document, const ViewOptions& options) {
  const Json& rows = At(document, "rows");
  const std::vector<TableLine> lines = LinesOf(rows);
  // Figures are right-aligned; the first column is as close to the labels as its figures allow.
  std::vector<size_t> widths(lines.front().cells.size());
  for (size_t c = 0; c < widths.size(); ++c) {
    for (const TableLine& line : lines) {
      const bool header = &line == &lines.front();
      const size_t before = c > 0 ? 2 : Columns(line.label) + (header ? 2 : 1);
      widths[c] = std::max(widths[c], before + Columns(line.cells[c]));
    }
  }
  std::string text;
  for (const TableLine& line : lines) {
    std::string shown = line.label;
    size_t end = 0;
    for (size_t c = 0; c < widths.size(); ++c) {
      end += widths[c];
      const size_t used = Columns(shown) + Columns(line.cells[c]);
      shown.append(end > used ? end - used : 0, ' ');
      shown += line.cells[c];
    }
    text += shown + line.remark + '\n';
  }
  return Finished(text, options);
}

}  // namespace muster::cli::views
