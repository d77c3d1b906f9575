// What the core asks of its shell in a turn: what to store, to send and to have the driver do.
// architecture.md section 3, rule 1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/client.h"
#include "schemas/fields.h"
#include "schemas/site_link.h"
#include "schemas/site_records.h"
#include "schemas/write.h"
#include "site/driver/driver.h"

namespace muster::site {

// Maximum number of rows of one view, so that its message stays below the size limit.
inline constexpr size_t kViewRows = 20000;

// Where an answer to a client of the site itself goes.
struct ClientLine {
  std::string user;
  std::string link;
  MessageNumber number;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("user", &ClientLine::user),
                              schemas::Field("link", &ClientLine::link),
                              schemas::Field("number", &ClientLine::number));
  }
  auto operator<=>(const ClientLine&) const = default;
};

struct ClientAnswer {
  std::string user;
  std::string link;
  schemas::ToClient message;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("user", &ClientAnswer::user),
                              schemas::Field("link", &ClientAnswer::link),
                              schemas::Field("message", &ClientAnswer::message));
  }
};

// Carried out in this order: one synced batch, then messages, then driver commands.
struct Effects {
  std::vector<schemas::Write<schemas::SiteRecord>> writes;
  // A SnapshotView that refuses nothing gets its page before it is sent
  // (site/shell/record_pages.h).
  std::vector<schemas::ToMeta> to_meta;
  std::vector<ClientAnswer> to_clients;
  std::vector<driver::Command> driver;
  std::vector<ClientLine> reloads;  // operators who asked for a reload and await the answer
  std::vector<std::string> notes;   // for the log, one line each
  std::optional<BootInstant> next;  // when to step again at the latest
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("writes", &Effects::writes), schemas::Field("to_meta", &Effects::to_meta),
        schemas::Field("to_clients", &Effects::to_clients),
        schemas::Field("driver", &Effects::driver), schemas::Field("reloads", &Effects::reloads),
        schemas::Field("notes", &Effects::notes), schemas::Field("next", &Effects::next));
  }
};

}  // namespace muster::site
