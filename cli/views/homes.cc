// What sites gave each other, and how their users fared beside being alone. cli.md section 3
// (sites --home).
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

constexpr char kGave[] =
    "Processor-hours that users of other homes used or are promised here, and\n"
    "users at home here elsewhere; what is long ago counts for less.\n";
constexpr char kFared[] =
    "JOBS of users at home here that ended in the window that ended last, their\n"
    "mean and longest WAIT, and what it had been with the site ALONE. OUT could not\n"
    "have run there alone.\n";

std::string Hours(double seconds) { return fmt::format("{:.1f}", seconds / 3600); }

std::string Whole(const std::optional<double>& number) {
  return number ? fmt::format("{:.0f}", *number) : kNone;
}

// "2m, 1h10m".
std::string Waits(const Json& fare, const char* mean, const char* most) {
  const auto about = [&fare](const char* name) {
    return About(Span{std::llround(NumberAt(fare, name).value_or(0))});
  };
  return NumberAt(fare, mean) ? about(mean) + ", " + about(most) : kNone;
}

std::string Window(const Json& fare, const ViewOptions& options) {
  const auto from = TimeAt(fare, "from");
  const auto until = TimeAt(fare, "until");
  return from && until ? ClockTime(*from, options) + " to " + ClockTime(*until, options) : kNone;
}

}  // namespace

std::string HomesView(const Json& document, const ViewOptions& options) {
  Table gave({{.header = "SITE"},
              {.header = "GIVEN", .right = true},
              {.header = "TAKEN", .right = true},
              {.header = "BALANCE", .right = true}});
  Table fared({{.header = "SITE"},
               {.header = "JOBS", .right = true},
               {.header = "WAIT", .right = true},
               {.header = "ALONE", .right = true},
               {.header = "OUT", .right = true},
               {.header = "WINDOW"}});
  bool counted = false;
  for (const Json& site : At(document, "sites")) {
    const std::string name = TextAt(site, "name");
    const auto given = NumberAt(site, "given_s");
    const auto taken = NumberAt(site, "taken_s");
    counted = counted || given;
    gave.Add({name, given ? Hours(*given) : kNone, taken ? Hours(*taken) : kNone,
              given && taken ? fmt::format("{:+.1f}", (*given - *taken) / 3600) : kNone});
    const Json& fare = At(site, "home");
    if (!fare.is_object()) continue;
    fared.Add({name, Whole(NumberAt(fare, "jobs")), Waits(fare, "wait_mean_s", "wait_most_s"),
               Waits(fare, "alone_wait_mean_s", "alone_wait_most_s"),
               Whole(NumberAt(fare, "left_out")), Window(fare, options)});
  }
  if (!counted) {
    return Finished("nothing is counted: no user has a home, or home_first is off\n", options);
  }
  std::string text = gave.Text(options) + kGave;
  if (!fared.empty()) text += "\n" + fared.Text(options) + kFared;
  return Finished(text, options);
}

}  // namespace muster::cli::views
