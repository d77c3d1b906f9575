// The points of a job, factor by factor. cli.md section 3 (priority).
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "base/phrases.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

int64_t WholeAt(const Json& object, const char* name) {
  return static_cast<int64_t>(NumberAt(object, name).value_or(0));
}

// "job 51  cfd  kim · 4th of 31 in queue normal"
std::string Headline(const Json& priority) {
  std::string text = "job " + TextAt(priority, "job");
  for (const char* field : {"name", "user"}) {
    if (const std::string word = TextAt(priority, field); !word.empty()) text += "  " + word;
  }
  if (const std::string qos = TextAt(priority, "qos"); !qos.empty()) text += " · QoS " + qos;
  if (const std::string account = TextAt(priority, "account"); !account.empty())
    text += " · account " + account;
  const std::string queue = TextAt(priority, "queue");
  if (NumberAt(priority, "place")) {
    return fmt::format("{} · number {} of {} in queue {}\n", text, WholeAt(priority, "place"),
                       WholeAt(priority, "waiting"), queue);
  }
  const std::string state = TextAt(priority, "state");
  const Json& reason = At(priority, "reason");
  std::string what = state == "waiting" ? "waits" : "is " + state;
  if (reason.is_object()) what += ": " + ReasonText(reason);
  return text + " · queue " + queue + " · " + what + '\n';
}

std::string Factors(const Json& priority, const ViewOptions& options) {
  Table table({{.header = "FACTOR"},
               {.header = "VALUE", .right = true},
               {.header = "WEIGHT", .right = true},
               {.header = "POINTS", .right = true},
               {.header = "BECAUSE", .shrinks_to = 20}});
  for (const Json& row : At(priority, "rows")) {
    table.Add({TextAt(row, "factor"), fmt::format("{:.3f}", NumberAt(row, "value").value_or(0)),
               std::to_string(WholeAt(row, "weight")), std::to_string(WholeAt(row, "points")),
               TextAt(row, "because")});
  }
  table.Add({"total", "", "", std::to_string(WholeAt(priority, "points")), ""});
  return table.Text(options);
}

std::string UrgencyText(const Json& row) { return std::to_string(WholeAt(row, "urgency")); }

// The rows of factors at each site that orders by points of its own.
std::string AtSites(const Json& priority, const ViewOptions& options) {
  std::string text;
  for (const Json& at : At(priority, "at_sites")) {
    text += fmt::format("\nnumber {} of {} that {} may move earlier\n", WholeAt(at, "place"),
                        WholeAt(at, "holds"), TextAt(at, "site"));
    text += Factors(at, options);
  }
  return text;
}

std::string Ways(const Json& priority) {
  std::string text;
  if (NumberAt(priority, "ahead")) {
    text += fmt::format("The next one before it has {} points.\n", WholeAt(priority, "ahead"));
  }
  for (const Json& way : At(priority, "ways")) {
    text += fmt::format("Number {} by: muster {}\n", WholeAt(way, "place"),
                        Joined(TextsAt(way, "argv"), " "));
  }
  return text;
}

}  // namespace

std::string PriorityView(const Json& document, const ViewOptions& options) {
  const Json& priority = At(document, "priority");
  std::string text = Headline(priority);
  if (!FlagAt(priority, "ordered")) {
    text += "Queue and arrival alone decide here: the meta has no [priority].\n";
    return Finished(text + AtSites(priority, options), options);
  }
  text += Factors(priority, options);
  const std::string state = TextAt(priority, "state");
  if (state == "promised") {
    text += "Its start is promised; points only say whom the meta moves earlier first.\n";
  }
  text += Ways(priority);
  if (const auto next = TimeAt(priority, "next"); next && NumberAt(priority, "place")) {
    text += "Points are worked out again at " + ClockTime(*next, options) + ".\n";
  }
  return Finished(text + AtSites(priority, options), options);
}

std::string OrderView(const Json& document, const ViewOptions& options) {
  const Json& holds = At(document, "holds");
  const std::string site = TextAt(document, "site");
  if (holds.empty()) return Finished("nothing at " + site + " may start earlier\n", options);
  const bool ordered = FlagAt(holds.front(), "ordered");
  Table table({{.header = "PLACE", .right = true},
               {.header = "JOB"},
               {.header = "USER"},
               {.header = ordered ? "POINTS" : "", .right = true},
               {.header = "URGENCY", .right = true},
               {.header = "STARTS BY"}});
  for (const Json& row : holds) {
    const auto start = TimeAt(row, "start");
    table.Add({std::to_string(WholeAt(row, "place")), TextAt(row, "job"), TextAt(row, "user"),
               ordered ? std::to_string(WholeAt(row, "points")) : "", UrgencyText(row),
               start ? ClockTime(*start, options) : kNone});
  }
  std::string text = table.Text(options);
  if (!ordered) text += site + " goes by urgency: it has no [priority].\n";
  return Finished(text, options);
}

}  // namespace muster::cli::views
