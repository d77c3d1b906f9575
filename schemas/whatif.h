// What would be if: changes that are tried on a copy of the running federation, and what came of
// them. protocol.md section 2b; Maui Sect. III (Simulation).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/acts.h"
#include "schemas/fields.h"
#include "schemas/site_rows.h"

namespace muster::schemas {

// A change of a daemon's configuration file, which the file's reader must accept as at a reload.
struct FileChange {
  std::string at;                 // "meta" or a site
  std::string path;               // a key, "share.chem.target"; of kAdd: empty
  std::optional<std::string> to;  // its new value in TOML; none: the key or table is removed
  std::string add;                // lines of TOML behind the file, instead of `path`
  static constexpr auto Fields() {
    using F = FileChange;
    return FieldList(Field("at", &F::at), Field("path", &F::path), Field("to", &F::to),
                     Field("add", &F::add));
  }
  bool operator==(const FileChange&) const = default;
};

// One change that is tried: exactly one of the four is set.
struct TriedChange {
  std::string text;             // one line for people, "lakes: share.chem.target = 0.35"
  std::optional<Instant> when;  // none: at once
  std::optional<FileChange> file;
  std::optional<Submit> submit;
  std::optional<Act> act;
  std::optional<Cancel> cancel;
  static constexpr auto Fields() {
    using C = TriedChange;
    return FieldList(Field("text", &C::text), Field("when", &C::when), Field("file", &C::file),
                     Field("submit", &C::submit), Field("act", &C::act),
                     Field("cancel", &C::cancel));
  }
  bool operator==(const TriedChange&) const = default;
};

// What is asked. `ahead` and `replay` exclude each other; without both only what follows at once is
// compared.
struct WhatIf {
  std::vector<TriedChange> changes;
  std::optional<Span> ahead;   // run on in virtual time
  std::optional<Span> replay;  // take the record of this time, up to now, through both
  uint64_t seed = 1;           // of the run times that are drawn
  static constexpr auto Fields() {
    return FieldList(Field("changes", &WhatIf::changes), Field("ahead", &WhatIf::ahead),
                     Field("replay", &WhatIf::replay), Field("seed", &WhatIf::seed));
  }
  bool operator==(const WhatIf&) const = default;
};

// A share of processor time, or a balance.
struct NamedRatio {
  std::string name;
  double ratio = 0;
  static constexpr auto Fields() {
    return FieldList(Field("name", &NamedRatio::name), Field("ratio", &NamedRatio::ratio));
  }
  bool operator==(const NamedRatio&) const = default;
};

// One of the two runs: as is, or changed. Waits are those of jobs that started in the run.
struct WhatIfSide {
  uint64_t started = 0;
  uint64_t waiting = 0;          // jobs that had not started at its end
  std::optional<double> wait_s;  // mean; none: nobody started
  std::optional<double> wait_p95_s;
  std::optional<double> slowdown;   // mean, bounded below by run times of 10 s
  double utilisation_ratio = 0;     // of the processors, from beginning to end
  std::vector<NamedRatio> shares;   // by account, of the processor time used
  std::vector<NamedRatio> credits;  // by account, what it has free at the end
  uint64_t recalls = 0;
  double lost_s = 0;            // processor time whose work was lost by recalls
  uint64_t promises_later = 0;  // jobs that started later than they were promised
  static constexpr auto Fields() {
    using W = WhatIfSide;
    return FieldList(Field("started", &W::started), Field("waiting", &W::waiting),
                     Field("wait_s", &W::wait_s), Field("wait_p95_s", &W::wait_p95_s),
                     Field("slowdown", &W::slowdown),
                     Field("utilisation_ratio", &W::utilisation_ratio), Field("shares", &W::shares),
                     Field("credits", &W::credits), Field("recalls", &W::recalls),
                     Field("lost_s", &W::lost_s), Field("promises_later", &W::promises_later));
  }
  bool operator==(const WhatIfSide&) const = default;
};

// A job that a change moves.
struct WhatIfRow {
  std::string job;
  std::string user;
  std::optional<Instant> before;  // its start: told, or in a run that it was in; none: it has none
  std::optional<Instant> after;
  std::optional<Instant> expected_before;
  std::optional<Instant> expected_after;
  std::string because;  // of a promise that breaks: the cause
  bool breaks = false;  // a promise that the change would break
  static constexpr auto Fields() {
    using R = WhatIfRow;
    return FieldList(Field("job", &R::job), Field("user", &R::user), Field("before", &R::before),
                     Field("after", &R::after), Field("expected_before", &R::expected_before),
                     Field("expected_after", &R::expected_after), Field("because", &R::because),
                     Field("breaks", &R::breaks));
  }
  bool operator==(const WhatIfRow&) const = default;
};

// How many jobs start earlier, later or alike. none: fewer than kHiddenFew, which are not told.
struct MovedCounts {
  std::optional<uint64_t> earlier;
  std::optional<uint64_t> later;
  std::optional<uint64_t> same;
  static constexpr auto Fields() {
    using M = MovedCounts;
    return FieldList(Field("earlier", &M::earlier), Field("later", &M::later),
                     Field("same", &M::same));
  }
  bool operator==(const MovedCounts&) const = default;
};

struct WhatIfView {
  Instant from;  // what both runs cover
  Instant until;
  uint64_t seed = 1;
  std::vector<std::string> basis;  // what was known of each site, one line each
  // Shown to operators alone.
  std::optional<WhatIfSide> before;
  std::optional<WhatIfSide> after;
  // Promises that would break first, then the largest moves; at most kWhatIfRows.
  std::vector<WhatIfRow> rows;
  uint64_t breaks = 0;  // promises that would break
  MovedCounts moved;    // all jobs of the rows' owners, or for an operator all jobs
  MovedCounts others;   // for a user: the jobs of others
  std::string refused;  // why the change cannot be made; then nothing else is set
  double took_s = 0;
  static constexpr auto Fields() {
    using W = WhatIfView;
    return FieldList(
        Field("from", &W::from), Field("until", &W::until), Field("seed", &W::seed),
        Field("basis", &W::basis), Field("before", &W::before), Field("after", &W::after),
        Field("rows", &W::rows), Field("breaks", &W::breaks), Field("moved", &W::moved),
        Field("others", &W::others), Field("refused", &W::refused), Field("took_s", &W::took_s));
  }
  bool operator==(const WhatIfView&) const = default;
};

}  // namespace muster::schemas
