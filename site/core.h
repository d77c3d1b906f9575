// The deterministic core of one site: events go in; writes, messages and driver commands come out.
// The daemon, the simulator and what-if questions run the same core. architecture.md section 3,
// protocol.md sections 3.1, 3.3, 3.4, 6, 7.
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
// Undecodable bytes from the meta. The core notes them in the log.
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
// The store's file system fell below its reserve mark (`low`), or has risen above it again.
struct DiskState {
  bool low = false;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("low", &DiskState::low));
  }
};
// A message of a client of the site itself; `user` is the authenticated name without "user:".
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
  // Builds a core from the records in its store (none for a new site) and counts a new incarnation.
  // The first Step asks the driver for the parts on record and closes holds whose time is over (H8,
  // H11, H18) before it starts anything. Errors: a store of another federation or site, a record
  // that does not fit its key, a hold that the state tables could not have written.
  static absl::StatusOr<Core> Load(Options options,
                                   std::vector<std::pair<std::string, schemas::SiteRecord>> records,
                                   Now now);
  Core(const Core&);
  Core(Core&&) noexcept;
  Core& operator=(const Core&);
  Core& operator=(Core&&) noexcept;
  ~Core();

  // One turn: handles the events in order, those of the driver before all others, then whatever has
  // become due. Without events it serves as a timer.
  Effects Step(Now now, const std::vector<Event>& events);

  // Digest of the durable part (G7: equal before and after a restart, but for the incarnation).
  Digest StateDigest() const;

  // `options` with Node::lost filled in: what each node has less than this site knows it to have
  // had.
  Options Measured(Options options) const;

  // For checkers and tests: every live and closed hold on record, in fence order; the end of the
  // feed.
  std::vector<schemas::HoldRecord> Holds() const;
  schemas::FeedPosition Feed() const;
  bool LinkIsUp() const;

 private:
  struct State;
  explicit Core(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace muster::site
