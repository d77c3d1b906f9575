// The last bookings and nodes that each site reported. They are shown, marked stale, for a site
// that does not answer. Volatile. cli.md section 3 (gantt, nodes).
#pragma once

#include <map>
#include <string>
#include <variant>

#include "base/time.h"
#include "schemas/inspect.h"

namespace muster::meta {

// Value type. Invariant: it keeps the newest view of each site and kind.
class SiteViews {
 public:
  template <class View>
  struct Seen {
    View view;
    Moment at;
  };
  // Ignores views of other kinds.
  void Take(const std::string& site, const schemas::View& view, Moment now) {
    if (const auto* bookings = std::get_if<schemas::BookingsView>(&view.what)) {
      bookings_[site] = {*bookings, now};
    }
    if (const auto* nodes = std::get_if<schemas::NodesView>(&view.what)) {
      nodes_[site] = {*nodes, now};
    }
  }
  // Null if the site has sent none.
  const Seen<schemas::BookingsView>* BookingsOf(const std::string& site) const {
    return Last(bookings_, site);
  }
  const Seen<schemas::NodesView>* NodesOf(const std::string& site) const {
    return Last(nodes_, site);
  }

 private:
  template <class View>
  using BySite = std::map<std::string, Seen<View>>;
  template <class View>
  static const Seen<View>* Last(const BySite<View>& all, const std::string& site) {
    const auto at = all.find(site);
    return at == all.end() ? nullptr : &at->second;
  }

  BySite<schemas::BookingsView> bookings_;
  BySite<schemas::NodesView> nodes_;
};

}  // namespace muster::meta
