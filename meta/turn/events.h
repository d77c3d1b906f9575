// What a turn of the meta takes in, and what it asks of its shell. architecture.md section 3 (rule
// 1).
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
#include "schemas/write.h"

namespace muster::meta {

// `site` is the authenticated name without "site:"; `link` the connection it came by.
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
// Undecodable bytes of an authenticated site: counted towards its quarantine.
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
// Drawn by the shell's entropy when effects asked for them.
struct SecretsDrawn {
  std::vector<Secret> secrets;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("secrets", &SecretsDrawn::secrets));
  }
};
// The configuration was read again: what it says now, or what is wrong with it. `notes`: what it
// says that only a restart brings about.
struct Reconfigured {
  std::optional<Options> options;
  std::string fault;
  std::vector<std::string> notes;
  std::string file = {};  // what `options` were made of: recorded in their stead
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("fault", &Reconfigured::fault),
                              schemas::Field("notes", &Reconfigured::notes),
                              schemas::Field("file", &Reconfigured::file));
  }
};
using Event =
    std::variant<SiteSays, SiteGarbage, ClientSays, DiskState, SecretsDrawn, Reconfigured>;

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

// Who is heard by which key.
struct HeardKey {
  std::string name;  // "user:kim", "site:lakes"
  std::string public_key;
  static constexpr auto Fields() {
    return schemas::FieldList(schemas::Field("name", &HeardKey::name),
                              schemas::Field("public_key", &HeardKey::public_key));
  }
  bool operator==(const HeardKey&) const = default;
};

// A search for a common start of a request's parts that is over: for figures, and nothing durable.
struct CommonStart {
  RequestId request;
  int rounds = 0;       // of questions to sites
  size_t messages = 0;  // over all rounds
  bool moves = false;   // it has a place, and looked for an earlier one
  bool found = false;
  bool proved = false;  // nothing starts earlier, as the plans stood
};

// What a turn asks of its shell, in this order: one synced batch, then messages.
struct Effects {
  std::vector<schemas::Write<schemas::MetaRecord>> writes;
  std::vector<SiteMessage> to_sites;
  std::vector<ClientAnswer> to_clients;
  std::vector<std::string> notes;             // for the log, one line each
  std::vector<CommonStart> searched;          // for whoever counts
  std::optional<std::vector<HeardKey>> hear;  // only these from now on
  bool reload = false;                        // read the configuration and step with Reconfigured
  size_t secrets_wanted = 0;                  // permits wait for them; draw and step again
  std::optional<BootInstant> next;            // step again by then even if nothing happens
  static constexpr auto Fields() {
    return schemas::FieldList(
        schemas::Field("writes", &Effects::writes), schemas::Field("to_sites", &Effects::to_sites),
        schemas::Field("to_clients", &Effects::to_clients),
        schemas::Field("notes", &Effects::notes), schemas::Field("hear", &Effects::hear),
        schemas::Field("reload", &Effects::reload),
        schemas::Field("secrets_wanted", &Effects::secrets_wanted),
        schemas::Field("next", &Effects::next));
  }
};

}  // namespace muster::meta
