// Shares, and how they stand. cli.md section 3 (shares).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

std::string RatioAt(const Json& row, const char* name) {
  const std::optional<double> ratio = NumberAt(row, name);
  return ratio ? fmt::format("{:.1f} %", *ratio * 100) : kNone;
}

// "target 25.0 %", in a tree "target 25.0 % of @weather".
std::string ShareText(const Json& row) {
  const std::string parent = TextAt(row, "parent");
  const std::string of = parent.empty() ? "" : " of " + parent;
  for (const char* kind : {"target", "floor", "ceiling"}) {
    const std::string field = std::string(kind) + "_ratio";
    if (NumberAt(row, field)) return fmt::format("{} {}{}", kind, RatioAt(row, field.c_str()), of);
  }
  return kNone;
}

}  // namespace

std::string SharesView(const Json& document, const ViewOptions& options) {
  const Json& rows = At(document, "shares");
  const bool dated = std::any_of(rows.begin(), rows.end(), [](const Json& row) {
    return TimeAt(row, "new_work").has_value();
  });
  Table table({{.header = "WHO"},
               {.header = "SHARE"},
               {.header = "USED", .right = true},
               {.header = "PROMISED", .right = true},
               {.header = "COUNTS AS", .right = true},
               {.header = "VALUE", .right = true},
               {.header = dated ? "NEW WORK" : ""}});
  for (const Json& row : rows) {
    const auto from = TimeAt(row, "new_work");
    const std::string when = from ? "from " + ClockTime(*from, options) : dated ? "now" : "";
    table.Add({TextAt(row, "who"), ShareText(row), RatioAt(row, "used_ratio"),
               RatioAt(row, "promised_ratio"), RatioAt(row, "counts_ratio"),
               fmt::format("{:.3f}", NumberAt(row, "value").value_or(0)),
               FlagAt(row, "under_floor") ? "goes first" : when});
  }
  if (table.empty()) {
    const std::string site = TextAt(document, "site");
    return Finished(
        "nobody has a share: " + (site.empty() ? "the meta" : site) + " has no [[share]]\n",
        options);
  }
  return Finished(table.Text(options), options);
}

}  // namespace muster::cli::views
