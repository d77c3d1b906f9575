// What sites gave each other. cli.md section 3 (sites --home).
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

std::string Hours(double seconds) { return fmt::format("{:.1f}", seconds / 3600); }

}  // namespace

std::string HomesView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "SITE"},
               {.header = "GIVEN", .right = true},
               {.header = "TAKEN", .right = true},
               {.header = "BALANCE", .right = true}});
  bool counted = false;
  for (const Json& site : At(document, "sites")) {
    const auto given = NumberAt(site, "given_s");
    const auto taken = NumberAt(site, "taken_s");
    counted = counted || given;
    table.Add({TextAt(site, "name"), given ? Hours(*given) : kNone, taken ? Hours(*taken) : kNone,
               given && taken ? fmt::format("{:+.1f}", (*given - *taken) / 3600) : kNone});
  }
  if (!counted) {
    return Finished("nothing is counted: no user has a home, or home_first is off\n", options);
  }
  return Finished(table.Text(options) +
                      "Processor-hours that users of other homes used or are promised here, and\n"
                      "users at home here elsewhere; what is long ago counts for less.\n",
                  options);
}

}  // namespace muster::cli::views
