// How the users of a home fared beside being alone. scheduling.md section 16.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// Key "fare/SITE" of the meta's store: the newest one of each site. Waits are in seconds, from when
// a job could have been placed until it started; sums and longest ones over the jobs that are
// compared: those that ended in [from, until).
struct FareRecord {
  std::string site;
  Instant from;
  Instant until;
  uint64_t jobs = 0;      // compared
  uint64_t left_out = 0;  // ended too, but the site alone could not have run them as asked
  int64_t waited = 0;     // sum, as it was
  int64_t waited_most = 0;
  int64_t alone = 0;  // sum, had the site been alone
  int64_t alone_most = 0;
  static constexpr auto Fields() {
    using F = FareRecord;
    return FieldList(Field("site", &F::site), Field("from", &F::from), Field("until", &F::until),
                     Field("jobs", &F::jobs), Field("left_out", &F::left_out),
                     Field("waited", &F::waited), Field("waited_most", &F::waited_most),
                     Field("alone", &F::alone), Field("alone_most", &F::alone_most));
  }
  bool operator==(const FareRecord&) const = default;
};

// The same as users see it; muster sites --home.
struct HomeFare {
  Instant from;
  Instant until;
  uint64_t jobs = 0;
  uint64_t left_out = 0;
  // None: no jobs to compare.
  std::optional<double> wait_mean_s;
  std::optional<double> wait_most_s;
  std::optional<double> alone_wait_mean_s;
  std::optional<double> alone_wait_most_s;
  static constexpr auto Fields() {
    using H = HomeFare;
    return FieldList(Field("from", &H::from), Field("until", &H::until), Field("jobs", &H::jobs),
                     Field("left_out", &H::left_out), Field("wait_mean_s", &H::wait_mean_s),
                     Field("wait_most_s", &H::wait_most_s),
                     Field("alone_wait_mean_s", &H::alone_wait_mean_s),
                     Field("alone_wait_most_s", &H::alone_wait_most_s));
  }
  bool operator==(const HomeFare&) const = default;
};

}  // namespace muster::schemas
