// Documents about the effect of a command, and the lines of streams; cli.md section 4. The listings
// are in cli/documents.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cli/json.h"
#include "schemas/client.h"

namespace muster::cli {

using schemas::Field;

// A job changed by a verb.
struct ChangedJob {
  std::string id;
  std::optional<schemas::RequestState> state;
  std::string text;  // one line for people
  static constexpr auto Fields() {
    using C = ChangedJob;
    return schemas::FieldList(Field("id", &C::id), Field("state", &C::state),
                              Field("text", &C::text));
  }
};
struct CancelDocument {
  static constexpr char kSchema[] = "muster.cancel/1";
  Moment as_of;
  std::vector<ChangedJob> jobs;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("as_of", &CancelDocument::as_of),
                              Field("jobs", &CancelDocument::jobs));
  }
};
// A node, site or key changed by a verb.
struct ChangedTarget {
  std::string name;
  std::string text;  // one line for people
  static constexpr auto Fields() {
    return schemas::FieldList(Field("name", &ChangedTarget::name),
                              Field("text", &ChangedTarget::text));
  }
};
// Result of hold, release, settle, drain, resume, site forget, reload, keys revoke; of scheduler
// when it sets something; of alter for several jobs or with -q.
struct ActDocument {
  static constexpr char kSchema[] = "muster.act/1";
  Moment as_of;
  std::string verb;
  std::vector<ChangedJob> jobs;
  std::vector<ChangedTarget> targets;
  static constexpr auto Fields() {
    using A = ActDocument;
    return schemas::FieldList(Field("as_of", &A::as_of), Field("verb", &A::verb),
                              Field("jobs", &A::jobs), Field("targets", &A::targets));
  }
};
// One entry per job of the acceptance, with its note if there is one. `site` is the prefix of the
// ids; may be empty.
std::vector<ChangedJob> ChangedJobs(const schemas::Accepted& accepted, const std::string& site);

struct KeyDocument {
  static constexpr char kSchema[] = "muster.key/1";
  std::string file;
  std::string public_key;
  std::string old_file;  // where the previous key is kept
  static constexpr auto Fields() {
    using K = KeyDocument;
    return schemas::FieldList(Field("file", &K::file), Field("public_key", &K::public_key),
                              Field("old_file", &K::old_file));
  }
};
struct KeysDocument {
  static constexpr char kSchema[] = "muster.keys/1";
  Moment as_of;
  std::vector<schemas::KeyRow> keys;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("as_of", &KeysDocument::as_of),
                              Field("keys", &KeysDocument::keys));
  }
};
struct DigestDocument {
  static constexpr char kSchema[] = "muster.digest/1";
  Moment as_of;
  std::string digest;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("as_of", &DigestDocument::as_of),
                              Field("digest", &DigestDocument::digest));
  }
};

// A piece of a part's output, starting at byte `offset`.
struct OutputLine {
  static constexpr char kSchema[] = "muster.output/1";
  std::string part;
  std::string stream;  // stdout, stderr
  uint64_t offset = 0;
  std::string data;
  uint64_t next = 0;
  bool ended = false;
  static constexpr auto Fields() {
    using O = OutputLine;
    return schemas::FieldList(Field("part", &O::part), Field("stream", &O::stream),
                              Field("offset", &O::offset), Field("data", &O::data),
                              Field("next", &O::next), Field("ended", &O::ended));
  }
};
struct EventLine : schemas::EventRow {
  static constexpr char kSchema[] = "muster.event/1";
};
struct AuditLine : schemas::AuditRow {
  static constexpr char kSchema[] = "muster.audit/1";
};

Json ToDocument(const CancelDocument& document);
Json ToDocument(const ActDocument& document);
Json ToDocument(const KeyDocument& document);
Json ToDocument(const KeysDocument& document);
Json ToDocument(const DigestDocument& document);
Json ToDocument(const OutputLine& document);
Json ToDocument(const EventLine& document);
Json ToDocument(const AuditLine& document);

}  // namespace muster::cli
