// One site as a pure machine: what happened in, what to store, say and run out. The same core runs
// in the daemon, in the simulator and in what-if questions. architecture.md section 3, protocol.md
// sections 3.1, 3.3, 3.4, 6, 7.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/status.h"
#include "base/time.h"
#include "schemas/client.h"
#include "schemas/site_link.h"
#include "schemas/site_records.h"
#include "site/driver/driver.h"
#include "site/options.h"
#include "site/turn/effects.h"

namespace muster::site {

// A decoded message of the meta, authenticated by its key.
struct MetaSays {
  schemas::ToSite message;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("message", &MetaSays::message));
  }
};
// Undecodable bytes from the meta: counted.
struct MetaGarbage {
  std::string why;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("why", &MetaGarbage::why));
  }
};
struct DriverSays {
  driver::Event event;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("event", &DriverSays::event));
  }
};
// The store's file system is below (or again above) its reserve mark.
struct DiskState {
  bool low = false;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("low", &DiskState::low));
  }
};
// A client of the site itself; `user` is the authenticated name without "user:".
struct ClientSays {
  std::string user;
  std::string link;
  schemas::ClientMessage message;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("user", &ClientSays::user),
                              schemas::Field("link", &ClientSays::link),
                              schemas::Field("message", &ClientSays::message));
  }
};
using Event = std::variant<MetaSays, MetaGarbage, DriverSays, DiskState, ClientSays>;

class Core {
 public:
  // A core from what its store holds (nothing for a new site). Counts a new incarnation and closes
  // what is past (H11, H18) before any driver command: the effects of that come with the first
  // Step. Errors: a store of another federation or site, a record that does not fit its key.
  static absl::StatusOr<Core> Load(Options options,
                                   std::vector<std::pair<std::string, schemas::SiteRecord>> records,
                                   Now now);
  Core(const Core&);
  Core(Core&&) noexcept;
  Core& operator=(const Core&);
  Core& operator=(Core&&) noexcept;
  ~Core();

  // One turn: the events in order, then whatever time has made due. With no events it is a timer.
  Effects Step(Now now, const std::vector<Event>& events);

  // Digest of the durable part (G7: equal before and after a restart, but for the incarnation).
  Digest StateDigest() const;

  // These options as this site would have them: with what its nodes have lost by them.
  Options Measured(Options options) const;

  // For checkers and tests: every live and closed hold on record, in fence order; the feed's end.
  std::vector<schemas::HoldRecord> Holds() const;
  schemas::FeedPosition Feed() const;
  bool LinkIsUp() const;

 private:
  struct State;
  explicit Core(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::site
