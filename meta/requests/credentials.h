// Under what a request asks, and what that grants: its account and its quality of service. Maui
// Sect. III (Quality of Service); scheduling.md section 13.
#pragma once

#include <string>

#include "base/credentials.h"
#include "meta/requests/layer.h"
#include "verifier/client_checks.h"

namespace muster::meta {

// The credentials of a request of this user; groups are those that are valid now.
Credentials CredentialsOf(const RequestsLayer& f, const schemas::RequestSpec& spec,
                          const std::string& user, Moment now);

// Sets account and QoS of the request where it names none. Refuses (code "denied", with what is
// granted) what is not granted to the user, and what the QoS has no privilege for.
verifier::Fault EnterCredentials(const RequestsLayer& f, schemas::RequestSpec& spec,
                                 const std::string& user, Moment now);

// The last of these alone.
verifier::Fault CheckPrivileges(const RequestsLayer& f, const schemas::RequestSpec& spec);

// The QoS of the request; null: it has none, or a reload has taken it away.
const policy::Qos* QosOf(const RequestsLayer& f, const schemas::RequestSpec& spec);

// Whether the QoS gives no promise before the request can start. One that was recalled as often as
// its contract allows is promised a start like any other.
bool PromisedAtStart(const RequestsLayer& f, const schemas::RequestSpec& spec);

// Whether it asks for lent room alone: it is promised nothing, and may be recalled. Maui Sect. IV
// (bottom feeders); scheduling.md section 18.
bool AsksForLentRoom(const RequestsLayer& f, const schemas::RequestSpec& spec);

// How urgent its holds are (policy::UrgencyOf).
int32_t UrgencyOf(const RequestsLayer& f, const schemas::RequestSpec& spec);

}  // namespace muster::meta
