// Functions that every room uses in a turn.
#include "meta/turn/turn.h"

namespace muster::meta {

BootInstant BootOf(const TurnLayer& f, Moment moment) { return f.clock.When(moment); }

void Reply(TurnLayer& f, Turn& t, const std::string& user, const std::string& link,
           MessageNumber answers, decltype(schemas::ToClient::body) body) {
  schemas::ToClient out;
  out.federation = f.options.federation;
  out.answers = answers;
  out.body = std::move(body);
  t.out.to_clients.push_back({user, link, std::move(out)});
}

void SiteEvent(Turn& t, const std::string& site, std::string code, std::string text) {
  t.Note(text);
  t.happened.push_back(
      {.at = t.plan, .code = std::move(code), .site = site, .text = std::move(text)});
}

}  // namespace muster::meta
