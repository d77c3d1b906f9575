// Packs the orders of a turn into as few messages as the limits allow.
#include "meta/sites/say.h"

#include "schemas/limits.h"

namespace muster::meta {

namespace {

// Limit for the scripts and environments in one message; the rest is room for the orders
// themselves.
constexpr size_t kOrderBytes = schemas::kMessageBytes / 2;

size_t RoughSize(const schemas::Order& order) {
  const auto* hold = std::get_if<schemas::HoldOrder>(&order.what);
  if (!hold) return 256;
  size_t bytes = 1024 + hold->payload.script.size() + 512 * hold->parts.size();
  for (const std::string& arg : hold->payload.argv) bytes += arg.size() + 16;
  for (const auto& [name, value] : hold->payload.environment) {
    bytes += name.size() + value.size() + 32;
  }
  return bytes;
}

}  // namespace

void Say(SitesLayer& f, Turn& t, Site& site, decltype(schemas::ToSite::body) body,
         MessageNumber answers) {
  if (site.connection.empty()) return;
  schemas::ToSite out;
  out.federation = f.options.federation;
  out.epoch = f.identity->epoch;
  out.number = MessageNumber{++f.last_message};
  out.answers = answers;
  out.expires = Moment{t.plan.milliseconds + schemas::kOrderExpires.milliseconds};
  out.floor = f.fences.Floor();
  out.incarnation = site.incarnation();
  out.body = std::move(body);
  t.out.to_sites.push_back({site.name, site.connection, std::move(out)});
}

void GiveOrder(Turn& t, const Site& site, schemas::Order order) {
  if (site.Listens()) t.orders[site.name].push_back(std::move(order));
}

void FlushOrders(SitesLayer& f, Turn& t) {
  for (auto& [name, orders] : t.orders) {
    Site& site = f.sites.at(name);
    schemas::Orders message;
    size_t bytes = 0;
    for (schemas::Order& order : orders) {
      const size_t size = RoughSize(order);
      const bool full = message.orders.size() >= schemas::kOrdersPerMessage ||
                        (bytes > 0 && bytes + size > kOrderBytes);
      if (full) {
        Say(f, t, site, std::move(message));
        message = {};
        bytes = 0;
      }
      bytes += size;
      message.orders.push_back(std::move(order));
    }
    if (!message.orders.empty()) Say(f, t, site, std::move(message));
  }
  t.orders.clear();
}

}  // namespace muster::meta
