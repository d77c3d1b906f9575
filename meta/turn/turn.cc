// Effects of a turn: orders in few messages, writes in one batch.
#include "meta/turn/turn.h"

#include "base/check.h"
#include "meta/turn/keys.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

// Room for all orders of one message besides their scripts and environments.
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

BootInstant BootOf(const Federation& f, Moment moment) { return f.clock.When(moment); }

void Say(Federation& f, Turn& t, Site& site, decltype(schemas::ToSite::body) body,
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

void Reply(Federation& f, Turn& t, const std::string& user, const std::string& link,
           MessageNumber answers, decltype(schemas::ToClient::body) body) {
  schemas::ToClient out;
  out.federation = f.options.federation;
  out.answers = answers;
  out.body = std::move(body);
  t.out.to_clients.push_back({user, link, std::move(out)});
}

void FlushOrders(Federation& f, Turn& t) {
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

void FlushWrites(Federation& f, Turn& t) {
  f.identity.TakeWrites(kIdentityKey, t.out.writes);
  f.fresh = false;
  t.requests = f.requests.due();
  f.requests.TakeWrites(t.out.writes);
  f.attempts.TakeWrites(t.out.writes);
  f.steers.TakeWrites(SteerKey, t.out.writes);
  f.keys.TakeWrites(KeyKey, t.out.writes);
  f.audit.TakeWrites(AuditKey, t.out.writes);
  f.outcomes.TakeWrites(OutcomeKey, t.out.writes);
  f.scheduler.record.TakeWrites(kSchedulerKey, t.out.writes);
  for (auto& [name, site] : f.sites) {
    if (site.TakeDue()) t.out.writes.push_back({SiteKey(name), site.Stored()});
  }
  for (auto& [name, site] : f.sites) site.mirror.TakeWrites(MirrorKey, t.out.writes);
}

void AddEvent(Federation& f, Turn& t, Request& request, std::string code, std::string text,
              std::string site, uint32_t part) {
  schemas::JobEvent event;
  event.at = t.plan;
  event.code = std::move(code);
  if (part > 0) event.part = ShownId(request) + "." + std::to_string(part);
  event.site = std::move(site);
  event.text = std::move(text);
  t.happened.push_back({.at = t.plan,
                        .code = event.code,
                        .job = ShownId(request),
                        .part = event.part,
                        .site = event.site,
                        .user = request.record().requester.user,
                        .text = event.text});
  f.requests.Edit(request).events.push_back(std::move(event));
}

void SiteEvent(Turn& t, const std::string& site, std::string code, std::string text) {
  t.Note(text);
  t.happened.push_back(
      {.at = t.plan, .code = std::move(code), .site = site, .text = std::move(text)});
}

}  // namespace muster::meta
