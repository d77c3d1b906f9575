// The high-level scheduler: packing and its reason, the waiting requests, the cost of verification,
// and the switches. cli.md section 3 (scheduler).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>

#include "base/phrases.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

constexpr size_t kSwitchesShown = 10;  // --json has all of them

// "1 h", "30 min", "1h30m", "inf".
std::string ThresholdText(std::optional<double> seconds) {
  if (!seconds) return "inf";
  const auto whole = static_cast<int64_t>(*seconds);
  if (whole > 0 && whole % 3600 == 0) return fmt::format("{} h", whole / 3600);
  if (whole > 0 && whole < 3600 && whole % 60 == 0) return fmt::format("{} min", whole / 60);
  return whole < 60 ? fmt::format("{} s", whole) : About(Span{whole});
}

std::string Figure(double value) { return fmt::format("{:.3g}", value); }

std::string TimeText(double seconds) {
  return seconds < 1 ? Figure(1000 * seconds) + " ms" : Figure(seconds) + " s";
}

// The result of the vote and its majority: "saturated, 81 % batch".
std::string VoteText(const Json& row) {
  const std::string voted = TextAt(row, "voted");
  const double interactive = NumberAt(row, "interactive_ratio").value_or(0);
  if (voted.starts_with("ffih")) {
    return "saturated, " + WholePercent(interactive) + " interactive";
  }
  if (voted.starts_with("ffdh")) return "saturated, " + WholePercent(1 - interactive) + " batch";
  return "not saturated";
}

std::string PackingLine(const Json& scheduler, const ViewOptions& options) {
  std::string text = Upper(TextAt(scheduler, "packing"));
  const auto since = TimeAt(scheduler, "since");
  if (since) text += " since " + ClockTime(*since, options);
  const Json& switches = At(scheduler, "switches");
  const bool voted =
      switches.is_array() && !switches.empty() && NumberAt(switches[0], "requests").value_or(0) > 0;
  const std::string pin = TextAt(scheduler, "pin");
  if (!pin.empty()) {
    text += ", pinned";
    if (voted && TextAt(switches[0], "voted") != pin) {
      text += "; would be " + Upper(TextAt(switches[0], "voted"));
    }
    return text;
  }
  return text + (voted ? ", by vote: " + VoteText(switches[0]) : "; nobody has voted yet");
}

std::string WaitingLine(const Json& scheduler, const ViewOptions& options) {
  std::string text = Joined(At(scheduler, "queues"), " · ", [](const Json& queue) {
    return fmt::format("{} {}", TextAt(queue, "name"),
                       static_cast<int64_t>(NumberAt(queue, "waiting").value_or(0)));
  });
  text += "; threshold " + ThresholdText(NumberAt(scheduler, "threshold_s"));
  if (const auto next = TimeAt(scheduler, "next_block_at")) {
    text += "; next block " + ClockMinute(*next, options);
  }
  return text;
}

std::string RoundsLine(const Json& rounds) {
  const auto at = [&rounds](const char* name) { return NumberAt(rounds, name).value_or(0); };
  return "p50 " + Figure(at("rounds_p50")) + ", p99 " + Figure(at("rounds_p99")) + " per block; " +
         TimeText(at("time_p50_s"));
}

}  // namespace

std::string SchedulerView(const Json& document, const ViewOptions& options) {
  const Json& scheduler = At(document, "scheduler");
  std::string text = "packing   " + PackingLine(scheduler, options) + '\n';
  text += "waiting   " + WaitingLine(scheduler, options) + '\n';
  const Json& rounds = At(scheduler, "rounds");
  text += "rounds    " + (rounds.is_object() ? RoundsLine(rounds) : "no block yet") + '\n';
  Table table({{.header = "SINCE"}, {.header = "PACKING"}, {.header = "WHY", .shrinks_to = 20}});
  size_t shown = 0;
  for (const Json& row : At(scheduler, "switches")) {
    if (++shown > kSwitchesShown) break;
    const auto at = TimeAt(row, "at");
    table.Add(
        {at ? ClockTime(*at, options) : kNone, Upper(TextAt(row, "packing")), TextAt(row, "why")});
  }
  if (!table.empty()) text += table.Text(options);
  text += "Pin: muster scheduler --packing fcfs*      Free: --packing auto\n";
  return Finished(text, options);
}

}  // namespace muster::cli::views
