// Limits over all sites of a federation: whom they bind, and when more may start under them. Maui
// Sect. III (Throttling Policies); scheduling.md section 15. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/credentials.h"
#include "base/interval.h"
#include "base/validity.h"

namespace muster::policy {

inline constexpr char kJobsResource[] = "jobs";

struct Limit {
  enum class On : uint8_t {
    kRunning,   // what is booked at one time
    kPromised,  // requests that are promised a start and have not started
    kOpen,      // requests that have not ended
  };
  std::string who;       // base/credentials.h; "*": each user
  std::string resource;  // "jobs" or the name of a resource; kPromised and kOpen count jobs
  int64_t items = 0;
  On on = On::kRunning;
  bool each = false;            // each user of that group, account, QoS or queue by itself
  Validity valid;               // of kRunning: binds only at these times
  std::string when = "always";  // the same, for people
  bool operator==(const Limit&) const = default;
};

// A limit that binds somebody. Requests with equal `limit` and `consumer` count together.
struct Binding {
  size_t limit = 0;          // index
  std::string consumer;      // "kim", "@weather", "account chem, kim"
  std::vector<size_t> over;  // limits that go before it while they are valid
};
// Those that bind a request with these credentials on `on`. Each kind of credential is a ladder:
// for a resource, limits of the user go before those of its groups, and those before "*"; limits of
// an account, QoS or queue before those of each account, QoS or queue, each while it is valid. What
// is found on every ladder binds.
std::vector<Binding> BindingOn(const std::vector<Limit>& limits, Limit::On on,
                               const Credentials& who);

// So much is booked in [from, to).
struct Booked {
  Instant from;
  Instant to;
  int64_t amount = 0;
};
// Of the allowed starts those at which `amount` more for `length` keep to the limit, beside what is
// booked. `times`: when the limit is valid.
IntervalSet StartsUnder(int64_t items, const IntervalSet& times, const std::vector<Booked>& booked,
                        int64_t amount, Span length, const IntervalSet& allowed);

}  // namespace muster::policy
