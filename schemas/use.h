// What people and groups used of the federation, or of one site. scheduling.md section 12.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "schemas/fields.h"

namespace muster::schemas {

// Key "use/WINDOW/WHO" of a daemon's store: what ended parts used in one window, at all sites or at
// this one.
struct UseRecord {
  Instant window;      // its begin
  std::string who;     // "kim", "@weather"; "*": everybody
  int64_t amount = 0;  // processor-milliseconds
  static constexpr auto Fields() {
    using U = UseRecord;
    return FieldList(Field("window", &U::window), Field("who", &U::who),
                     Field("amount", &U::amount));
  }
  bool operator==(const UseRecord&) const = default;
};

// One share, and how it stands; muster shares.
struct ShareRow {
  std::string who;
  std::optional<double> target_ratio;  // one of these three is set
  std::optional<double> floor_ratio;
  std::optional<double> ceiling_ratio;
  std::optional<double> used_ratio;  // of all use in the windows that count; none: nobody used
  std::optional<double>
      promised_ratio;                  // of all promised work that starts within a window's length
  std::optional<double> counts_ratio;  // of both, which is compared with the share
  double value = 0;                    // factor fs_global, of a site fs_local; -1 to 1
  bool under_floor = false;            // goes before all others of its queue, or of the site
  // Of a ceiling that is enforced by admission: new work may start from then on.
  std::optional<Instant> new_work;
  std::optional<std::string> parent;  // in a tree, the share of which this is a part
  static constexpr auto Fields() {
    using S = ShareRow;
    return FieldList(Field("who", &S::who), Field("target_ratio", &S::target_ratio),
                     Field("floor_ratio", &S::floor_ratio),
                     Field("ceiling_ratio", &S::ceiling_ratio), Field("used_ratio", &S::used_ratio),
                     Field("promised_ratio", &S::promised_ratio),
                     Field("counts_ratio", &S::counts_ratio), Field("value", &S::value),
                     Field("under_floor", &S::under_floor), Field("new_work", &S::new_work),
                     Field("parent", &S::parent));
  }
  bool operator==(const ShareRow&) const = default;
};

// How a share of the federation stands, as sites are told.
struct StandingRow {
  std::string who;    // "kim", "@weather", "account chem"
  int64_t value = 0;  // factor fs_global, in thousandths, -1000 to 1000
  static constexpr auto Fields() {
    return FieldList(Field("who", &StandingRow::who), Field("value", &StandingRow::value));
  }
  bool operator==(const StandingRow&) const = default;
};

}  // namespace muster::schemas
