// Each line of a timeline is also an event of the federation.
#include "meta/requests/timeline.h"

namespace muster::meta {

void AddEvent(RequestsLayer& f, Turn& t, Request& request, std::string code, std::string text,
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

}  // namespace muster::meta
