// A site may lend, rather than promise, once it gave users of other homes more than its own took
// elsewhere: [federation] beyond_balance = "lend" in its site.toml. scheduling.md section 16.
#pragma once

#include <optional>
#include <string>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"

namespace muster::meta {

// Whether the site keeps its room from this work of the user: it is beyond its balance, it is not
// the user's home, and the work does not ask for lent room alone.
bool KeepsRoomFrom(const RequestsLayer& f, const schemas::RequestSpec& spec,
                   const std::string& user, const std::string& site);
// The same for a request. What it is promised there it keeps, and a promise that was lost goes
// before this.
bool KeepsRoomFrom(const RequestsLayer& f, const Request& request, const std::string& site);

// Why a site keeps its room (code share), with what it gave.
schemas::Reason WhyRoomIsKept(const RequestsLayer& f, const std::string& site);

// Why a part of it has no site just now that does not keep its room; none: each has one.
std::optional<schemas::Reason> WhyNoRoomBeyondBalances(const RequestsLayer& f,
                                                       const schemas::RequestSpec& spec,
                                                       const std::string& user);
std::optional<schemas::Reason> WhyNoRoomBeyondBalances(const RequestsLayer& f,
                                                       const Request& request);

}  // namespace muster::meta
