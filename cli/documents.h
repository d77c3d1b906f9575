// The documents of cli.md section 4 as structs. The --json output, the input of the views and the
// output of `muster schema` are all derived from their fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cli/json.h"
#include "schemas/client.h"

namespace muster::cli {

using schemas::Field;

struct JobDocument {
  static constexpr char kSchema[] = "muster.job/1";
  Moment as_of;
  schemas::JobView job;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("as_of", &JobDocument::as_of), Field("job", &JobDocument::job));
  }
};
// A job, printed without history and events.
struct QueuedJob {
  schemas::JobView job;
};
inline Json ToJson(const QueuedJob& v) { return JobJson(v.job, false); }
struct QueueDocument {
  static constexpr char kSchema[] = "muster.queue/1";
  Moment as_of;
  std::vector<QueuedJob> jobs;
  std::vector<schemas::Basis> basis;
  std::optional<uint64_t> yours;  // with --everyone: how many are the caller's; else none
  static constexpr auto Fields() {
    using Q = QueueDocument;
    return schemas::FieldList(Field("as_of", &Q::as_of), Field("jobs", &Q::jobs),
                              Field("basis", &Q::basis), Field("yours", &Q::yours));
  }
};
struct AskDocument {
  static constexpr char kSchema[] = "muster.ask/1";
  Moment as_of;
  std::vector<schemas::OfferView> offers;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("as_of", &AskDocument::as_of),
                              Field("offers", &AskDocument::offers));
  }
};
struct SlotsDocument {
  static constexpr char kSchema[] = "muster.slots/1";
  Moment as_of;
  Instant until;  // windows that begin before this are listed
  std::vector<schemas::SlotRow> slots;
  std::vector<schemas::Basis> basis;
  static constexpr auto Fields() {
    using S = SlotsDocument;
    return schemas::FieldList(Field("as_of", &S::as_of), Field("until", &S::until),
                              Field("slots", &S::slots), Field("basis", &S::basis));
  }
};
struct SitesDocument {
  static constexpr char kSchema[] = "muster.sites/1";
  Moment as_of;
  std::vector<schemas::SiteView> sites;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("as_of", &SitesDocument::as_of),
                              Field("sites", &SitesDocument::sites));
  }
};
struct NodesDocument {
  static constexpr char kSchema[] = "muster.nodes/1";
  Moment as_of;
  std::vector<schemas::NodesOfSite> sites;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("as_of", &NodesDocument::as_of),
                              Field("sites", &NodesDocument::sites));
  }
};
struct GanttDocument {
  static constexpr char kSchema[] = "muster.gantt/1";
  Moment as_of;
  Instant from;
  Instant until;
  std::vector<schemas::GanttSite> sites;
  static constexpr auto Fields() {
    using G = GanttDocument;
    return schemas::FieldList(Field("as_of", &G::as_of), Field("from", &G::from),
                              Field("until", &G::until), Field("sites", &G::sites));
  }
};

// When a part could start if it were alone.
struct ReadyPart {
  std::string part;
  std::optional<Instant> from;
  static constexpr auto Fields() {
    return schemas::FieldList(Field("part", &ReadyPart::part), Field("from", &ReadyPart::from));
  }
};
// The obstacle that determines the start of the job.
struct BindingReason {
  std::string part;
  std::string site;
  std::string node;
  std::string resource;
  std::optional<Instant> until;
  schemas::Reason reason;
  static constexpr auto Fields() {
    using B = BindingReason;
    return schemas::FieldList(Field("part", &B::part), Field("site", &B::site),
                              Field("node", &B::node), Field("resource", &B::resource),
                              Field("until", &B::until), Field("reason", &B::reason));
  }
};
struct ExplainDocument {
  static constexpr char kSchema[] = "muster.explain/1";
  Moment as_of;
  std::string job;
  std::optional<schemas::StartsBy> starts_by;
  std::vector<ReadyPart> ready;
  std::optional<BindingReason> binding;
  std::vector<schemas::ExplainChange> changes;
  std::optional<Instant> start;           // planned start
  std::optional<schemas::Reason> reason;  // why the whole job has no promise
  std::vector<schemas::ExplainPart> parts;
  std::vector<std::string> no_help;  // one line each
  std::vector<std::string> more;     // one line each
  std::optional<schemas::ExplainQueued> queued;
  static constexpr auto Fields() {
    using E = ExplainDocument;
    return schemas::FieldList(
        Field("as_of", &E::as_of), Field("job", &E::job), Field("starts_by", &E::starts_by),
        Field("ready", &E::ready), Field("binding", &E::binding), Field("changes", &E::changes),
        Field("start", &E::start), Field("reason", &E::reason), Field("parts", &E::parts),
        Field("no_help", &E::no_help), Field("more", &E::more), Field("queued", &E::queued));
  }
};
ExplainDocument Explained(schemas::ExplainRows rows, Moment as_of);

// Limits and their use; muster limits.
struct LimitsDocument {
  static constexpr char kSchema[] = "muster.limits/1";
  Moment as_of;
  std::vector<schemas::LimitRow> limits;
  std::vector<schemas::Basis> basis;
  static constexpr auto Fields() {
    using L = LimitsDocument;
    return schemas::FieldList(Field("as_of", &L::as_of), Field("limits", &L::limits),
                              Field("basis", &L::basis));
  }
};
// The bookings that stay on a softly drained node.
struct NodeStays {
  std::string name;  // "lakes/n1"
  std::vector<std::string> running;
  std::optional<Instant> runs_until;  // latest end of them
  std::vector<std::string> promised;  // jobs and reservations
  std::optional<Instant> promised_until;
  std::string text;  // the members above in words, for people
  static constexpr auto Fields() {
    using N = NodeStays;
    return schemas::FieldList(Field("name", &N::name), Field("running", &N::running),
                              Field("runs_until", &N::runs_until), Field("promised", &N::promised),
                              Field("promised_until", &N::promised_until), Field("text", &N::text));
  }
};
// State of the high-level scheduler; muster scheduler.
struct SchedulerDocument {
  static constexpr char kSchema[] = "muster.scheduler/1";
  Moment as_of;
  schemas::SchedulerView scheduler;
  static constexpr auto Fields() {
    using S = SchedulerDocument;
    return schemas::FieldList(Field("as_of", &S::as_of), Field("scheduler", &S::scheduler));
  }
};
// How well promises and forecasts held; muster calibration.
struct CalibrationDocument {
  static constexpr char kSchema[] = "muster.calibration/1";
  Instant from;
  Instant to;
  std::vector<schemas::CalibrationRow> rows;  // sites by name, then all together
  static constexpr auto Fields() {
    using C = CalibrationDocument;
    return schemas::FieldList(Field("from", &C::from), Field("to", &C::to),
                              Field("rows", &C::rows));
  }
};
// The promises that changes would move, tried on a copy of the present state; muster whatif. Of a
// file of changes `moves` are the promises that would break, and `run` is what it would do.
struct WhatIfDocument {
  static constexpr char kSchema[] = "muster.whatif/1";
  Moment as_of;
  std::string command;
  std::vector<schemas::MoveRow> moves;
  uint64_t promises = 0;                   // present promises of all users
  std::vector<NodeStays> stays;            // for a soft drain: what stays on its nodes
  std::optional<schemas::WhatIfView> run;  // null for a single command
  static constexpr auto Fields() {
    using M = WhatIfDocument;
    return schemas::FieldList(Field("as_of", &M::as_of), Field("command", &M::command),
                              Field("moves", &M::moves), Field("promises", &M::promises),
                              Field("stays", &M::stays), Field("run", &M::run));
  }
};

// The points of a job; muster priority.
struct PriorityDocument {
  static constexpr char kSchema[] = "muster.priority/1";
  Moment as_of;
  schemas::PriorityView priority;
  static constexpr auto Fields() {
    using P = PriorityDocument;
    return schemas::FieldList(Field("as_of", &P::as_of), Field("priority", &P::priority));
  }
};
// How shares stand; muster shares.
struct SharesDocument {
  static constexpr char kSchema[] = "muster.shares/1";
  Moment as_of;
  std::vector<schemas::ShareRow> shares;
  std::optional<std::string> site;  // whose shares; none: the federation's
  static constexpr auto Fields() {
    using S = SharesDocument;
    return schemas::FieldList(Field("as_of", &S::as_of), Field("shares", &S::shares),
                              Field("site", &S::site));
  }
};
// In which order a site moves what it holds to earlier starts; muster priority --site.
struct OrderDocument {
  static constexpr char kSchema[] = "muster.order/1";
  Moment as_of;
  std::string site;
  std::vector<schemas::RankRow> holds;
  static constexpr auto Fields() {
    using O = OrderDocument;
    return schemas::FieldList(Field("as_of", &O::as_of), Field("site", &O::site),
                              Field("holds", &O::holds));
  }
};
// What accounts have; muster account. Amounts are millionths of a credit.
struct AccountsDocument {
  static constexpr char kSchema[] = "muster.accounts/1";
  Moment as_of;
  std::vector<schemas::AccountRow> accounts;
  static constexpr auto Fields() {
    using A = AccountsDocument;
    return schemas::FieldList(Field("as_of", &A::as_of), Field("accounts", &A::accounts));
  }
};
// Entries of the ledger; muster account NAME statement.
struct StatementDocument {
  static constexpr char kSchema[] = "muster.statement/1";
  Moment as_of;
  std::string account;  // empty: all
  std::vector<schemas::EntryRow> entries;
  static constexpr auto Fields() {
    using S = StatementDocument;
    return schemas::FieldList(Field("as_of", &S::as_of), Field("account", &S::account),
                              Field("entries", &S::entries));
  }
};
struct VerdictsDocument {
  static constexpr char kSchema[] = "muster.verdicts/1";
  Moment as_of;
  std::string job;
  std::vector<schemas::VerdictRow> verdicts;
  static constexpr auto Fields() {
    using V = VerdictsDocument;
    return schemas::FieldList(Field("as_of", &V::as_of), Field("job", &V::job),
                              Field("verdicts", &V::verdicts));
  }
};

// The document as JSON: {"schema": …} and its fields.
Json ToDocument(const JobDocument& document);
Json ToDocument(const QueueDocument& document);
Json ToDocument(const AskDocument& document);
Json ToDocument(const SlotsDocument& document);
Json ToDocument(const SitesDocument& document);
Json ToDocument(const NodesDocument& document);
Json ToDocument(const GanttDocument& document);
Json ToDocument(const ExplainDocument& document);
Json ToDocument(const PriorityDocument& document);
Json ToDocument(const SharesDocument& document);
Json ToDocument(const OrderDocument& document);
Json ToDocument(const AccountsDocument& document);
Json ToDocument(const StatementDocument& document);
Json ToDocument(const VerdictsDocument& document);
Json ToDocument(const SchedulerDocument& document);
Json ToDocument(const CalibrationDocument& document);
Json ToDocument(const LimitsDocument& document);
Json ToDocument(const WhatIfDocument& document);

}  // namespace muster::cli
