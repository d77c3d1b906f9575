// Only keys that differ from the configuration are on record.
#include "meta/service/access.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "meta/requests/refusals.h"
#include "meta/service/audit.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

constexpr size_t kKeyText = 40;  // Z85 of 32 bytes

const ListedKey* Listed(const ServiceLayer& f, const std::string& name) {
  const auto it = std::find_if(f.options.keys.begin(), f.options.keys.end(),
                               [&](const ListedKey& key) { return key.name == name; });
  return it == f.options.keys.end() ? nullptr : &*it;
}

bool IsKey(const std::string& text) {
  return text.size() == kKeyText && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return c > 0x20 && c < 0x7f;
         });
}

void Put(ServiceLayer& f, Turn& t, const ListedKey& listed, std::string public_key) {
  f.keys.Put(listed, std::move(public_key), t.plan);
  t.out.hear = f.keys.Heard(f.options.keys);
}

}  // namespace

void OnRotateKey(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const std::string name = "user:" + asker.user;
  const ListedKey* listed = Listed(f, name);
  if (!listed || !IsKey(act.public_key)) {
    return Refuse(f, t, asker,
                  {.code = "usage",
                   .message = "'" + act.public_key + "' is no public key",
                   .help = "40 characters, as muster keys new prints them",
                   .changed = kNothingChanged});
  }
  for (const HeardKey& other : f.keys.Heard(f.options.keys)) {
    if (other.public_key != act.public_key || other.name == name) continue;
    return Refuse(f, t, asker,
                  {.code = "conflict",
                   .message = "another's key is the same",
                   .help = "make a new one",
                   .changed = kNothingChanged});
  }
  Put(f, t, *listed, act.public_key);
  Audit(f, t, name, "rotate-key", name, "heard from now on: " + act.public_key);
  schemas::Accepted out;
  out.notes = {"the new key is heard from now on; the operator should list it in meta.toml: " +
               act.public_key};
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

void OnRevokeKey(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Act& act) {
  const bool bare = act.name.find(':') == std::string::npos;
  const std::string name = bare ? "user:" + act.name : act.name;
  const ListedKey* listed = Listed(f, name);
  if (!listed) {
    return Refuse(f, t, asker,
                  {.code = "not-found",
                   .message = "no key of '" + act.name + "' is listed",
                   .help = "muster keys list; as in user:kim or site:lakes",
                   .changed = kNothingChanged});
  }
  if (name == "user:" + asker.user) {
    return Refuse(f, t, asker,
                  {.code = "conflict",
                   .message = "this is your own key: nobody would be left to undo it",
                   .help = "another operator does it, or muster keys rotate",
                   .changed = kNothingChanged});
  }
  Put(f, t, *listed, "");
  Audit(f, t, "user:" + asker.user, "revoke-key", name, "heard no more");
  schemas::Accepted out;
  out.notes = {name + " is heard no more; take it out of meta.toml too"};
  Reply(f, t, asker.user, asker.link, asker.number, std::move(out));
}

void GetKeys(ServiceLayer& f, Turn& t, const Asker& asker) {
  if (!IsOperator(f, asker.user)) {
    return Refuse(f, t, asker,
                  {.code = "denied",
                   .message = "keys are for operators; you are " + asker.user + ", role user"});
  }
  schemas::Rows rows;
  rows.as_of = t.plan;
  for (const ListedKey& key : f.options.keys) {
    const schemas::KeyRecord* other = f.keys.Of(key);
    schemas::KeyRow row;
    row.name = key.name;
    row.role = key.role;
    row.state = !other ? "listed" : other->public_key.empty() ? "revoked" : "rotated";
    row.public_key = other && !other->public_key.empty() ? other->public_key : key.public_key;
    const bool is_site = key.name.starts_with("site:");
    if (is_site) {
      const auto site = f.sites.find(key.name.substr(5));
      if (site != f.sites.end() && site->second.heard.milliseconds != 0) {
        row.heard_at = site->second.heard;
      }
    } else {
      row.heard_at = f.keys.HeardAt(key.name.substr(5));
    }
    rows.keys.push_back(std::move(row));
  }
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

void GetAudit(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (!IsOperator(f, asker.user)) {
    return Refuse(
        f, t, asker,
        {.code = "denied",
         .message = "the audit log is for operators; you are " + asker.user + ", role user"});
  }
  schemas::Rows rows;
  rows.as_of = t.plan;
  rows.audit = f.audit.After(get.from, schemas::kRowsPerPage + 1);
  rows.more = rows.audit.size() > schemas::kRowsPerPage;
  if (rows.more) rows.audit.pop_back();
  Reply(f, t, asker.user, asker.link, asker.number, std::move(rows));
}

}  // namespace muster::meta
