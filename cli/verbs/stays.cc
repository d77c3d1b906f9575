// Reads the sites' plans once; all statements about a node follow from its bookings.
#include "cli/verbs/stays.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/phrases.h"
#include "base/text/calendar.h"

namespace muster::cli {
namespace {

// Removes the part: "42.1" to "42", "43[7].2" to "43[7]", since people care about jobs here.
std::string WholeJob(const std::string& shown) {
  const size_t dot = shown.rfind('.');
  const bool part = dot != std::string::npos && dot + 1 < shown.size() &&
                    std::all_of(shown.begin() + static_cast<std::ptrdiff_t>(dot) + 1, shown.end(),
                                [](char c) { return c >= '0' && c <= '9'; });
  return part ? shown.substr(0, dot) : shown;
}

// True for "R7"; a site's standing reservation has a name instead.
bool IsReservation(const std::string& shown) {
  return shown.size() > 1 && shown[0] == 'R' && shown[1] >= '0' && shown[1] <= '9';
}

void Add(std::vector<std::string>& names, std::optional<Instant>& until,
         const schemas::BookingRow& row) {
  const std::string job = WholeJob(row.job);
  if (std::find(names.begin(), names.end(), job) == names.end()) names.push_back(job);
  until = std::max(until.value_or(row.end), row.end);
}

std::string Named(const std::vector<std::string>& names) {
  const bool one = names.size() == 1;
  const bool reserved = one && IsReservation(names[0]);
  return (one ? (reserved ? "reservation " : "job ") : "jobs ") + Joined(names);
}

std::string TextOf(const NodeStays& node) {
  std::vector<std::string> texts;
  if (!node.running.empty()) {
    texts.push_back(fmt::format("{} may finish, by {}", Named(node.running),
                                text::ToRfc3339(*node.runs_until)));
  }
  if (!node.promised.empty()) {
    texts.push_back(fmt::format("{} {}, until {}", Named(node.promised),
                                node.promised.size() == 1 ? "keeps its place" : "keep their places",
                                text::ToRfc3339(*node.promised_until)));
  }
  return texts.empty() ? "nothing is booked there" : Joined(texts, "; ");
}

}  // namespace

Expect<std::vector<NodeStays>> StaysOn(Session& session, const std::vector<std::string>& nodes) {
  const std::string& asked = session.client.site();
  std::set<std::string> sites;
  std::vector<std::pair<std::string, std::string>> wanted;  // site, node
  for (const std::string& name : nodes) {
    const size_t slash = name.find('/');
    wanted.emplace_back(slash == std::string::npos ? asked : name.substr(0, slash),
                        slash == std::string::npos ? name : name.substr(slash + 1));
    sites.insert(wanted.back().first);
  }
  schemas::Get get{.kind = schemas::GetKind::kGantt};
  if (asked.empty()) get.sites.assign(sites.begin(), sites.end());
  auto rows = session.client.Rows(get);
  if (!rows.ok()) return rows.failure();
  std::vector<NodeStays> out;
  for (const auto& [site, node] : wanted) {
    NodeStays stays{.name = site + "/" + node};
    const auto plan = std::find_if(rows->gantt.begin(), rows->gantt.end(),
                                   [&site = site](const auto& one) { return one.name == site; });
    if (plan == rows->gantt.end() || plan->stale) {
      stays.text = "what is booked there stays";
      out.push_back(std::move(stays));
      continue;
    }
    for (const schemas::BookingRow& row : plan->bookings) {
      const bool ours =
          row.kind == schemas::BookingKind::kJob || row.kind == schemas::BookingKind::kReserved;
      if (row.node != node || !ours) continue;
      const bool standing = row.kind == schemas::BookingKind::kReserved && !IsReservation(row.job);
      if (standing || row.end >= kFarFuture) continue;
      const bool runs = row.running && row.kind == schemas::BookingKind::kJob;
      Add(runs ? stays.running : stays.promised, runs ? stays.runs_until : stays.promised_until,
          row);
    }
    stays.text = TextOf(stays);
    out.push_back(std::move(stays));
  }
  return out;
}

}  // namespace muster::cli
