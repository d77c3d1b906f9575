// Read-only queries that the meta sends to a site on behalf of a client, for facts that only the
// site knows. protocol.md section 2b.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "schemas/fields.h"
#include "schemas/priority.h"
#include "schemas/proposal.h"
#include "schemas/site_rows.h"
#include "schemas/steer.h"
#include "schemas/use.h"
#include "schemas/views.h"

namespace muster::schemas {

enum class InspectKind : uint8_t {
  kBookings,
  kOutput,
  kNodes,
  kSlots,
  kExplain,
  kLocal,
  kLimits,
  kMoves,
  kOrder,
  kRanks,
  kShares,
  kSnapshot
};
struct Inspect {
  uint64_t inspection = 0;
  InspectKind kind = InspectKind::kBookings;
  RequestId request;  // kOutput
  // kOutput: attempt that ran the part. kRanks: only this hold; zero: all.
  Fence fence;
  uint32_t part = 0;  // kOutput
  bool error_stream = false;
  // kOutput. kOrder: the version that the meta has; 0: none. kSnapshot: the page, from 0.
  uint64_t offset = 0;
  std::optional<ProposalEntry> entry;  // kSlots, kExplain
  // kSlots: only windows that begin before this. kExplain: only changes that lead to a start before
  // this; 0: before the start of the unchanged entry.
  Instant until;
  // kLocal: numbers of local jobs; empty: all unfinished ones. kOutput: one local job, instead of
  // `request`.
  std::vector<uint64_t> locals;
  // kMoves: the order that is tried on a copy of the plan; if absent, `entry` is booked in the
  // copy.
  std::optional<Steer> steer;
  std::string user;                 // kLimits: user to report on; empty: all
  std::vector<std::string> groups;  // kLimits: groups of that user
  static constexpr auto Fields() {
    using I = Inspect;
    return FieldList(
        Field("inspection", &I::inspection), Field("kind", &I::kind), Field("request", &I::request),
        Field("fence", &I::fence), Field("part", &I::part), Field("error_stream", &I::error_stream),
        Field("offset", &I::offset), Field("entry", &I::entry), Field("until", &I::until),
        Field("locals", &I::locals), Field("steer", &I::steer), Field("user", &I::user),
        Field("groups", &I::groups));
  }
  bool operator==(const Inspect&) const = default;
};

struct BookingsView {
  std::vector<std::string> nodes;  // all nodes of the site, in its order
  std::vector<BookingRow> bookings;
  static constexpr auto Fields() {
    return FieldList(Field("nodes", &BookingsView::nodes),
                     Field("bookings", &BookingsView::bookings));
  }
  bool operator==(const BookingsView&) const = default;
};
struct OutputView {
  std::string data;    // at most kOutputPieceBytes
  uint64_t next = 0;   // offset behind `data`
  bool ended = false;  // nothing will follow `next`
  bool known = false;  // false: the site has no such output (not yet, or no longer)
  static constexpr auto Fields() {
    using O = OutputView;
    return FieldList(Field("data", &O::data), Field("next", &O::next), Field("ended", &O::ended),
                     Field("known", &O::known));
  }
  bool operator==(const OutputView&) const = default;
};
struct NodesView {
  std::vector<NodeRow> nodes;  // all nodes of the site, in its order
  static constexpr auto Fields() { return FieldList(Field("nodes", &NodesView::nodes)); }
  bool operator==(const NodesView&) const = default;
};
struct SlotsView {
  std::vector<SlotRow> slots;  // ascending; at most kSlotRows
  static constexpr auto Fields() { return FieldList(Field("slots", &SlotsView::slots)); }
  bool operator==(const SlotsView&) const = default;
};
// A cheaper variant of the entry: what the variant does without, and its start at this site.
struct CheaperWay {
  std::string text;  // "without a gpu"
  uint32_t part = 1;
  std::vector<std::string> argv;  // arguments of `alter`, without the job: {"-l", "1:ncpus=2"}
  Instant start;
  PartDemand demand;  // the part with this change
  static constexpr auto Fields() {
    using C = CheaperWay;
    return FieldList(Field("text", &C::text), Field("part", &C::part), Field("argv", &C::argv),
                     Field("start", &C::start), Field("demand", &C::demand));
  }
  bool operator==(const CheaperWay&) const = default;
};
// Why an entry does not get its asked start: the verdict on it alone, and at most kBlockers
// obstacles, those that last longest first.
struct ExplainView {
  VerdictEntry verdict;
  std::vector<Reason> blockers;
  // Cheaper variants, tried on a copy; cheapest first, at most kBlockers.
  std::vector<CheaperWay> changes;
  static constexpr auto Fields() {
    return FieldList(Field("verdict", &ExplainView::verdict),
                     Field("blockers", &ExplainView::blockers),
                     Field("changes", &ExplainView::changes));
  }
  bool operator==(const ExplainView&) const = default;
};
// Jobs submitted at the site itself. Their ids look like "lakes/17".
struct LocalView {
  std::vector<JobView> jobs;
  static constexpr auto Fields() { return FieldList(Field("jobs", &LocalView::jobs)); }
  bool operator==(const LocalView&) const = default;
};
struct LimitsView {
  std::vector<LimitRow> limits;
  static constexpr auto Fields() { return FieldList(Field("limits", &LimitsView::limits)); }
  bool operator==(const LimitsView&) const = default;
};
// The promises that a steer order or a new booking would move.
struct MovesView {
  std::vector<MoveRow> moves;  // the longest delay first; no start left is the longest
  std::string refused;         // why it cannot be done at all; empty if it can
  static constexpr auto Fields() {
    return FieldList(Field("moves", &MovesView::moves), Field("refused", &MovesView::refused));
  }
  bool operator==(const MovesView&) const = default;
};
// The holds of one site that it may move to an earlier start alone, in the order in which it tries
// them.
struct OrderView {
  uint64_t version = 0;       // equal versions have equal fences
  std::vector<Fence> fences;  // empty if the meta has this version
  static constexpr auto Fields() {
    return FieldList(Field("version", &OrderView::version), Field("fences", &OrderView::fences));
  }
  bool operator==(const OrderView&) const = default;
};
// The same for people, with holds of several sites; at most kActTargets.
struct RanksView {
  std::vector<RankRow> ranks;
  static constexpr auto Fields() { return FieldList(Field("ranks", &RanksView::ranks)); }
  bool operator==(const RanksView&) const = default;
};
struct SharesView {
  std::vector<ShareRow> shares;
  static constexpr auto Fields() { return FieldList(Field("shares", &SharesView::shares)); }
  bool operator==(const SharesView&) const = default;
};
// A page of a site's records as they were at one instant (BeganFrame of schemas/turns.h), without
// what programs are. The first page fixes the instant; a site keeps one for each meta's newest.
struct SnapshotView {
  uint64_t page = 0;
  std::string frame;  // at most kSnapshotPageBytes
  bool more = false;
  std::string refused;  // why the site does not show them; empty: it does
  static constexpr auto Fields() {
    using S = SnapshotView;
    return FieldList(Field("page", &S::page), Field("frame", &S::frame), Field("more", &S::more),
                     Field("refused", &S::refused));
  }
  bool operator==(const SnapshotView&) const = default;
};
struct View {
  uint64_t inspection = 0;
  PlanRevision plan;
  std::variant<BookingsView, OutputView, NodesView, SlotsView, ExplainView, LocalView, LimitsView,
               MovesView, OrderView, RanksView, SharesView, SnapshotView>
      what;
  static constexpr auto Fields() {
    return FieldList(Field("inspection", &View::inspection), Field("plan", &View::plan),
                     Field("what", &View::what));
  }
  bool operator==(const View&) const = default;
};

}  // namespace muster::schemas
