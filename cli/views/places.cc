// The listings of nodes, free windows and keys.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/node_set.h"
#include "base/phrases.h"
#include "base/text/node_set.h"
#include "base/units.h"
#include "cli/views/table.h"
#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

constexpr size_t kStateWidth = 18;  // width of "draining 'fan'", gap included
constexpr size_t kMemoryWidth = 7;  // width of "32/64gb"

int64_t Whole(const Json& object, const std::string& name) {
  return static_cast<int64_t>(NumberAt(object, name).value_or(0));
}

// "4/4".
std::string Share(const Json& node, const std::string& resource) {
  const Json& total = At(node, "total");
  if (!NumberAt(total, resource)) return kNone;
  return fmt::format("{}/{}", Whole(At(node, "used"), resource), Whole(total, resource));
}

// "2/8gb" if the used amount is whole in the unit of the total, else "512mb/8gb".
std::string MemoryShare(const Json& node) {
  const int64_t total = Whole(At(node, "total"), "mem_bytes");
  const int64_t used = std::max<int64_t>(0, Whole(At(node, "used"), "mem_bytes"));
  if (total <= 0) return kNone;
  const std::string whole = SizeText(total);
  const std::string unit = whole.substr(whole.find_first_not_of("0123456789"));
  const int64_t one = total / std::stoll(whole);
  return (used % one == 0 ? std::to_string(used / one) : SizeText(used)) + "/" + whole;
}

std::string NextFree(const Json& node, const ViewOptions& options) {
  const auto at = TimeAt(node, "free_at");
  if (!at) return kNone;
  const std::string when = *at <= options.now ? "now" : ClockTime(*at, options);
  const auto until = TimeAt(node, "free_until");
  return until && *at <= options.now ? when + ", until " + ClockTime(*until, options) : when;
}

std::string StateOf(const Json& node) {
  const std::string reason = TextAt(node, "reason");
  const std::string state = TextAt(node, "state");
  std::string lost;
  const Json& amounts = At(node, "lost");
  for (auto it = amounts.begin(); amounts.is_object() && it != amounts.end(); ++it) {
    const int64_t amount = Whole(amounts, it.key());
    lost += (lost.empty() ? ", lost " : ", ") +
            (it.key() == "mem_bytes" ? SizeText(amount) : std::to_string(amount) + " " + it.key());
  }
  return (reason.empty() ? state : state + " '" + reason + "'") + lost;
}

std::string SpeedOf(const Json& node) {
  const auto speed = NumberAt(node, "speed");
  return text::SpeedText(speed ? static_cast<int64_t>(*speed) : kFullSpeed);
}

// Whether any node has another speed than the reference.
bool HasSpeeds(const Json& document) {
  const Json& sites = At(document, "sites");
  return std::any_of(sites.begin(), sites.end(), [](const Json& site) {
    const Json& nodes = At(site, "nodes");
    return std::any_of(nodes.begin(), nodes.end(),
                       [](const Json& node) { return NumberAt(node, "speed").has_value(); });
  });
}

// Names of resources other than processors and memory on any node: "ngpus" first, then sorted.
std::vector<std::string> OtherResources(const Json& document) {
  std::vector<std::string> names;
  for (const Json& site : At(document, "sites")) {
    for (const Json& node : At(site, "nodes")) {
      const Json& total = At(node, "total");
      if (!total.is_object()) continue;
      for (auto it = total.begin(); it != total.end(); ++it) {
        if (it.key() == "ncpus" || it.key() == "mem_bytes") continue;
        if (std::find(names.begin(), names.end(), it.key()) == names.end()) {
          names.push_back(it.key());
        }
      }
    }
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a != "ngpus", a) < std::pair(b != "ngpus", b);
  });
  return names;
}

}  // namespace

std::string NodesView(const Json& document, const ViewOptions& options) {
  const std::vector<std::string> others = OtherResources(document);
  std::vector<Column> columns = {{.header = "NODE"},
                                 {.header = "STATE", .list_width = kStateWidth},
                                 {.header = "CPUS"},
                                 {.header = "MEM", .at_least = kMemoryWidth}};
  for (const std::string& name : others) {
    columns.push_back({.header = name == "ngpus" ? "GPUS" : Upper(name)});
  }
  const bool speeds = HasSpeeds(document);
  if (speeds) columns.push_back({.header = "SPEED"});
  columns.push_back({.header = "JOBS", .shrinks_to = 8});
  columns.push_back({.header = "NEXT FREE"});
  const size_t count = columns.size();
  Table table(std::move(columns));
  std::string stale;
  for (const Json& site : At(document, "sites")) {
    const std::string name = TextAt(site, "name");
    const Json& nodes = At(site, "nodes");
    const auto age = NumberAt(site, "age_s");
    if (FlagAt(site, "stale") && nodes.empty()) {
      std::vector<Cell> cells(count, Cell("?"));
      cells[0] = Cell(name);
      cells[1] = Cell(age ? "silent " + Age(*age) : "never heard", Paint::kWarn);
      table.Add(std::move(cells));
      if (age) stale += name + ": last known nodes: muster nodes " + name + " --stale\n";
    } else if (FlagAt(site, "stale")) {
      stale += name + ": as known " + (age ? Age(*age) + " ago" : "before") + '\n';
    }
    for (const Json& node : nodes) {
      const std::string state = StateOf(node);
      std::vector<Cell> cells = {name + "/" + TextAt(node, "name"),
                                 Cell(state, PaintOfState(state)), Share(node, "ncpus"),
                                 MemoryShare(node)};
      for (const std::string& other : others) cells.emplace_back(Share(node, other));
      if (speeds) cells.emplace_back(SpeedOf(node));
      const std::string jobs = Joined(TextsAt(node, "jobs"), ",");
      cells.emplace_back(jobs.empty() ? kNone : jobs);
      cells.emplace_back(NextFree(node, options));
      table.Add(std::move(cells));
    }
  }
  if (table.empty()) return Finished(stale.empty() ? "no nodes\n" : stale, options);
  return Finished(table.Text(options) + stale, options);
}

std::string SlotsView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "SITE"},
               {.header = "START FROM"},
               {.header = "START UNTIL"},
               {.header = "NODES", .shrinks_to = 8},
               {.header = "ENDED BY"}});
  for (const Json& slot : At(document, "slots")) {
    const auto from = TimeAt(slot, "start_from");
    const auto until = TimeAt(slot, "start_until");
    const Json& ended_by = At(slot, "ended_by");
    const std::string nodes = NodesShown(TextsAt(slot, "nodes"));
    table.Add({TextAt(slot, "site"), from ? ClockTime(*from, options) : "?",
               until ? ClockTime(*until, options) : kNone, nodes.empty() ? kNone : nodes,
               ended_by.is_object() ? ReasonText(ended_by) : kNone});
  }
  return Finished(table.Text(options), options);
}

std::string KeysView(const Json& document, const ViewOptions& options) {
  Table table({{.header = "NAME"},
               {.header = "ROLE"},
               {.header = "STATE"},
               {.header = "PUBLIC KEY"},
               {.header = "HEARD"}});
  for (const Json& key : At(document, "keys")) {
    const auto heard = TimeAt(key, "heard_at");
    const std::string state = TextAt(key, "state");
    table.Add({TextAt(key, "name"), TextAt(key, "role"), Cell(state, PaintOfState(state)),
               TextAt(key, "public_key"), heard ? ClockTime(*heard, options) : "never"});
  }
  return Finished(table.Text(options), options);
}

}  // namespace muster::cli::views
