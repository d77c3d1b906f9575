// Sites apply their limits and reservations by these fields.
#include "meta/search/asking.h"

#include "meta/requests/members.h"

namespace muster::meta {

void SayWho(schemas::ProposalEntry& entry, const Request& request) {
  entry.user = request.record().requester.user;
  entry.groups = request.record().requester.groups;
  entry.element = request.id().is_element();
  entry.inside = request.record().spec.inside;
}

void SayWho(schemas::ProposalEntry& entry, const SearchLayer& f, const schemas::RequestSpec& spec,
            const std::string& user, Moment now) {
  entry.user = user;
  entry.groups = GroupsNow(f, user, now);
  entry.element = spec.array.has_value();
  entry.inside = spec.inside;
}

}  // namespace muster::meta
