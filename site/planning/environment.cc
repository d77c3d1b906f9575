// See environment.h.
#include "site/planning/environment.h"

#include <cstdio>

namespace muster::site {
namespace {

std::string ByComma(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (!text.empty()) text += ',';
    text += value;
  }
  return text;
}

Span DurationOf(const schemas::HoldOrder& order, uint32_t index) {
  for (const schemas::PartDemand& demand : order.parts) {
    if (demand.index == index) return demand.duration;
  }
  return {};
}

Span OffsetOf(const schemas::HoldOrder& order, uint32_t index) {
  for (const schemas::PartDemand& demand : order.parts) {
    if (demand.index == index) return demand.offset;
  }
  return {};
}

}  // namespace

std::string JobName(const schemas::HoldOrder& order) {
  if (order.reserves) return "R" + ToText(order.request);
  if (order.fence.epoch.value != 0) return ToText(order.request);
  return order.members.front() + "/" + std::to_string(order.request.value);
}

std::string PartName(RequestId request, uint32_t index) {
  return ToText(request) + "." + std::to_string(index);
}

std::string PartName(const schemas::HoldOrder& order, uint32_t index) {
  return JobName(order) + "." + std::to_string(index);
}

std::string PartFolder(const schemas::HoldOrder& order, uint32_t index) {
  if (order.fence.epoch.value != 0) return PartName(order, index);
  return LocalFolder(order.members.front(), order.request.value, index);
}

std::string LocalFolder(const std::string& site, uint64_t number, uint32_t index) {
  return site + "-" + std::to_string(number) + "." + std::to_string(index);
}

std::string Rfc3339(Instant at) {
  // Days to a civil date: the era starts in March, so that the leap day comes last.
  const int64_t days = (at.seconds >= 0 ? at.seconds : at.seconds - 86399) / 86400;
  const int64_t rest = at.seconds - days * 86400;
  const int64_t z = days + 719468;
  const int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const int64_t of_era = z - era * 146097;
  const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const int64_t month = (5 * of_year + 2) / 153;
  const int64_t day = of_year - (153 * month + 2) / 5 + 1;
  const int64_t civil_month = month < 10 ? month + 3 : month - 9;
  const int64_t civil_year = year + era * 400 + (civil_month <= 2 ? 1 : 0);
  char text[160];  // room for more than six numbers of any size
  std::snprintf(text, sizeof text, "%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ",
                static_cast<long long>(civil_year), static_cast<long long>(civil_month),
                static_cast<long long>(day), static_cast<long long>(rest / 3600),
                static_cast<long long>(rest / 60 % 60), static_cast<long long>(rest % 60));
  return text;
}

std::map<std::string, std::string> PartEnvironment(const std::string& site,
                                                   const schemas::HoldRecord& hold,
                                                   const schemas::PartRecord& part, Instant now) {
  const schemas::HoldOrder& order = hold.order;
  const std::vector<std::string> nodes = NodesOf(part.place);
  ResourceSet first;
  for (const schemas::ChunkPlace& chunk : part.place.chunks) {
    if (!nodes.empty() && chunk.node == nodes.front()) first += chunk.resources;
  }
  const Span duration = DurationOf(order, part.index) - part.saved + part.place.slower;
  std::map<std::string, std::string> env = {
      {"MUSTER_JOB_ID", JobName(order)},
      {"MUSTER_JOB_NAME", order.job_name},
      {"MUSTER_PART", std::to_string(part.index)},
      {"MUSTER_PARTS", std::to_string(order.part_count)},
      {"MUSTER_SITE", site},
      {"MUSTER_SITES", ByComma(order.part_sites.empty() ? order.members : order.part_sites)},
      {"MUSTER_NODES", ByComma(nodes)},
      {"MUSTER_NCPUS", std::to_string(first.Get("ncpus"))},
      {"MUSTER_GPUS", std::to_string(first.Get("ngpus"))},
      {"MUSTER_LISTEN", part.rendezvous},
      {"MUSTER_STARTS_AT", Rfc3339(hold.start + OffsetOf(order, part.index))},
      {"MUSTER_ENDS_BY", Rfc3339(now + duration)},
  };
  if (order.recalls + part.recalls > 0) {
    env["MUSTER_RECALLS"] = std::to_string(order.recalls + part.recalls);
    env["MUSTER_SAVED_S"] = std::to_string((order.saved + part.saved).seconds);
  }
  if (order.request.is_element()) {
    env["MUSTER_ARRAY_INDEX"] = std::to_string(order.request.index());
  }
  // A permit of a single member lists no rendezvous: all parts are in this hold.
  std::vector<std::string> all;
  if (hold.permit) all = hold.permit->rendezvous;
  if (all.empty()) {
    for (const schemas::PartRecord& other : hold.parts) all.push_back(other.rendezvous);
  }
  env["MUSTER_RENDEZVOUS"] = ByComma(all);
  return env;
}

}  // namespace muster::site
