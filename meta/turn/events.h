// Events that a turn of the meta takes in, and effects that it asks of its shell. architecture.md
// section 3 (rule 1).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "meta/options.h"
#include "schemas/client.h"
#include "schemas/meta_records.h"
#include "schemas/site_link.h"
#include "schemas/whatif_order.h"
#include "schemas/write.h"

namespace muster::meta {

// `site` is the authenticated name without "site:"; `link` the connection that brought the message.
struct SiteSays {
  std::string site;
  std::string link;
  schemas::ToMeta message;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("site", &SiteSays::site),
                              schemas::Field("link", &SiteSays::link),
                              schemas::Field("message", &SiteSays::message));
  }
};
// Undecodable bytes from an authenticated site; they count towards its quarantine.
struct SiteGarbage {
  std::string site;
  std::string why;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("site", &SiteGarbage::site),
                              schemas::Field("why", &SiteGarbage::why));
  }
};
// `user` is the authenticated name without "user:".
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
struct DiskState {
  bool low = false;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("low", &DiskState::low));
  }
};
// Secrets that the shell drew because effects asked for them.
struct SecretsDrawn {
  std::vector<Secret> secrets;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("secrets", &SecretsDrawn::secrets));
  }
};
// The configuration was read again: its options, or the fault in it. `notes`: changes that need a
// restart.
struct Reconfigured {
  std::optional<Options> options;
  std::string fault;
  std::vector<std::string> notes;
  std::string file = {};  // text from which `options` were made; recorded in their stead
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("fault", &Reconfigured::fault),
                              schemas::Field("notes", &Reconfigured::notes),
                              schemas::Field("file", &Reconfigured::file));
  }
};
// The program that answers what-ifs is done with this one; without a view, `why` says why not.
struct WhatIfDone {
  uint64_t number = 0;
  std::optional<schemas::WhatIfView> view;
  std::string why;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("number", &WhatIfDone::number),
                              schemas::Field("view", &WhatIfDone::view),
                              schemas::Field("why", &WhatIfDone::why));
  }
};
using Event = std::variant<SiteSays, SiteGarbage, ClientSays, DiskState, SecretsDrawn, Reconfigured,
                           WhatIfDone>;

struct SiteMessage {
  std::string site;
  std::string link;
  schemas::ToSite message;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("site", &SiteMessage::site),
                              schemas::Field("link", &SiteMessage::link),
                              schemas::Field("message", &SiteMessage::message));
  }
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

// A peer and the key by which it is accepted.
struct HeardKey {
  std::string name;  // "user:kim", "site:lakes"
  std::string public_key;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("name", &HeardKey::name),
                              schemas::Field("public_key", &HeardKey::public_key));
  }
  bool operator==(const HeardKey&) const = default;
};

// Result of a finished search for the common start of a request's parts: for statistics, not
// durable.
struct CommonStart {
  RequestId request;
  int rounds = 0;       // rounds of questions to sites
  size_t messages = 0;  // over all rounds
  bool moves = false;   // the request has a place and sought an earlier one
  bool found = false;
  bool proved = false;  // it is proved that nothing starts earlier, by the plans at that time
};

// What the shell is to do for the what-if that is open, in this order. There is one at a time.
struct WhatIfWork {
  std::optional<uint64_t> begins;  // its number: keep the meta's records as they are now
  std::vector<schemas::WhatIfPage> pages;
  std::optional<schemas::WhatIfOrder> order;  // nothing else comes: answer it with WhatIfDone
  bool ends = false;                          // nobody waits for it any more
  static constexpr auto Fields() {
    using W = WhatIfWork;
    return schemas::FieldList(schemas::Field("begins", &W::begins),
                              schemas::Field("pages", &W::pages),
                              schemas::Field("order", &W::order), schemas::Field("ends", &W::ends));
  }
};

// The effects that a turn asks of its shell, in this order: one synced batch, then messages.
struct Effects {
  std::vector<schemas::Write<schemas::MetaRecord>> writes;
  std::vector<SiteMessage> to_sites;
  std::vector<ClientAnswer> to_clients;
  std::vector<std::string> notes;             // for the log, one line each
  std::vector<CommonStart> searched;          // for statistics
  std::optional<std::vector<HeardKey>> hear;  // accept only these from now on
  bool reload = false;                        // read the configuration, then step with Reconfigured
  size_t secrets_wanted = 0;                  // draw this many, step again; permits wait for them
  WhatIfWork what_if;
  std::optional<BootInstant> next;  // step again by then even without an event
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("writes", &Effects::writes), schemas::Field("to_sites", &Effects::to_sites),
        schemas::Field("to_clients", &Effects::to_clients),
        schemas::Field("notes", &Effects::notes), schemas::Field("hear", &Effects::hear),
        schemas::Field("reload", &Effects::reload),
        schemas::Field("secrets_wanted", &Effects::secrets_wanted),
        schemas::Field("what_if", &Effects::what_if), schemas::Field("next", &Effects::next));
  }
};

}  // namespace muster::meta
