// Sites apply their limits and reservations by these fields.
#include "meta/search/asking.h"

#include "meta/requests/credentials.h"
#include "meta/requests/members.h"

namespace muster::meta {
namespace {

void SayWhat(schemas::ProposalEntry& entry, const SearchLayer& f,
             const schemas::RequestSpec& spec) {
  entry.priority = UrgencyOf(f, spec);
  entry.inside = spec.inside;
  entry.account = spec.account;
  entry.qos = spec.qos;
  entry.queue = spec.queue;
  entry.request_class = spec.request_class;
  if (AsksForLentRoom(f, spec)) entry.only_lent = spec.contract;
}

}  // namespace

void SayWho(schemas::ProposalEntry& entry, const SearchLayer& f, const Request& request) {
  SayWhat(entry, f, request.record().spec);
  entry.user = request.record().requester.user;
  entry.groups = request.record().requester.groups;
  entry.element = request.id().is_element();
}

void SayWho(schemas::ProposalEntry& entry, const SearchLayer& f, const schemas::RequestSpec& spec,
            const std::string& user, Moment now) {
  SayWhat(entry, f, spec);
  entry.user = user;
  entry.groups = GroupsNow(f, user, now);
  entry.element = spec.array.has_value();
}

}  // namespace muster::meta
