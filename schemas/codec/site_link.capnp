# The messages between the meta and its sites.
#
# Sites dial, the meta binds. The peer's identity comes from its CURVE key alone ("site:NAME"),
# never from a field. Both ends have at most one live link; a new `Hello` replaces the old link.
#
# The receiver checks, in this order: size and shape (the codec), peer allowed, version, federation,
# epoch equal to its stored one (at the meta: incarnation equal to the welcomed one), `expires`. A
# message that fails is counted and dropped, or answered `LinkRefused` if its sender expects an
# answer. More than ten undecodable messages a minute quarantine a site; other sites are not
# affected.
#
# Two rules make every message safe to lose, repeat, delay and reorder:
#   - an order names a target state; for a hold in that state or beyond it changes nothing;
#   - a site reports on its holds by feed: the meta applies the next revision, ignores older ones,
#     and requests the missing ones after a gap.
#
# All messages of one turn to one peer travel together, after the turn's batch is synced.

@0xca709069d2d08ff1;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";
using Request = import "request.capnp";
using Hold = import "hold.capnp";
using SiteRows = import "site_rows.capnp";
using Client = import "client.capnp";

# ---- parts of several messages -------------------------------------------------------------------

struct ProtocolValues {
  # The [protocol] values of the meta, one set for a federation. All are boot spans. A site refuses
  # values unless lead <= startWait and permitWindow < startWait.
  lead @0 :Int64;          # the barrier opens this long before the start
  startWait @1 :Int64;     # from the start of a co-allocation to its D
  permitWindow @2 :Int64;  # a co-allocation's permit is written at least this long before D
  answerWait @3 :Int64;    # an attempt, or a question, waits this long for its sites
  settle @4 :Int64;        # twice the greatest clock offset, plus one second
  partnerWait @5 :Int64;   # silence of a member after which a partial start is ended (C11)
  lease @6 :Int64;         # of a held hold
  heartbeat @7 :Int64;
}

struct FeedPosition {
  # A position in a site's feed and the chain digest there: h_r = H(h_(r-1), canonical change r). If
  # the digests of one revision differ, the mirror is wrong and a full listing follows.
  revision @0 :UInt64;
  digest @1 :Data;  # 32 bytes
}

struct NodeClass {
  # A group of equal nodes as the meta sees them, without names or topology.
  count @0 :UInt32;
  up @1 :UInt32;
  perNode @2 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  properties @3 :List(Common.Pair) $Common.atMost(Common.namesPerSet);
  mixed @4 :Bool;
  # The class has several kinds of nodes: `perNode` has the largest amounts, `properties` what some
  # of the nodes have.
  speed @5 :Common.BoxedInt64;
  # Thousandths of the reference; of a mixed class, that of its slowest node. null: the reference.
}

struct ProfileStep {
  # `free` is, per node class, the capacity from this time on that is left over by what is not the
  # meta's own.
  from @0 :Int64;  # instant
  free @1 :List(Common.ResourceSet) $Common.atMost(Common.nodeClasses);
}

struct DefaultDuration {
  # Duration of the jobs of `who` ("kim", "@students", "*"): a default for jobs without a duration,
  # or forced for all jobs.
  who @0 :Text $Common.atMost(Common.nameBytes);
  duration @1 :Int64;  # span, > 0
}

struct OutsideRun {
  # A job of someone who uses the site's machine without muster; it runs.
  key @0 :UInt64;               # the same job keeps it
  user @1 :Text $Common.atMost(Common.nameBytes);
  when @2 :Common.Interval;     # from its start to the end of its limit
  amounts @3 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  # What the profile lacks for it.
}

struct Capacity {
  # What a site has and what is free. A hint for the meta's schedule; only a hold binds.
  plan @0 :UInt64;  # p: changes whenever a verdict could change
  classes @1 :List(NodeClass) $Common.atMost(Common.nodeClasses);
  profile @2 :List(ProfileStep) $Common.atMost(Common.profileSteps);
  freeNow @3 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # after all bookings
  total @4 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  driver @5 :Text $Common.atMost(Common.nameBytes);  # "process", "simulated", "slurm"
  turnover @6 :Int64;    # span before every start, for the predecessor's delay and ending
  startSlack @7 :Int64;  # span: longest delay of a start by the driver; part of a promise
  durations @8 :List(DefaultDuration) $Common.atMost(Common.defaultDurations);
  # Default durations. Of two entries for one `who` the later counts.
  forced @9 :List(DefaultDuration) $Common.atMost(Common.defaultDurations);
  # The same, but these override what users ask for.
  capabilities @10 :List(Text) $Common.atMost(Common.namesPerSet);
  # Optional features of this site: "extend", "switches", ... For people; ascending.
  firm @11 :Bool;
  # What is booked stays free. False: those who use the machine without muster may come first.
  outside @12 :List(OutsideRun) $Common.atMost(Common.outsideRuns);
  # Those that began first, in the order of their starts: once told, a job is told until it ends.
}

struct ClockStamps {
  # Stamps for the four-stamp comparison of clocks, all moments. The offset is known to half the
  # round trip. The operator is warned above 250 ms; the site is quarantined if it is provably above
  # 2 s.
  sent @0 :Int64;      # by the sender's clock
  echoed @1 :Int64;    # `sent` of the peer's last stamps; 0: none yet
  received @2 :Int64;  # when the peer's last stamps arrived, by the sender's clock
}

# ---- site to meta --------------------------------------------------------------------------------

struct Hello {
  # Site to meta. The first message on every link; repeated after each back-off until welcomed.
  #
  # Receiver: refuses a lower incarnation than the known one, and an epoch above its own, and tells
  # the operator; else answers `Welcome`. Key: incarnation. A duplicate replaces the link. Bound:
  # one per back-off (0.1 to 10 s).
  version @0 :UInt32;
  incarnation @1 :UInt64;   # durable before the first hello of this start
  highestEpoch @2 :UInt64;  # highest epoch that welcomed this site
  feed @3 :FeedPosition;    # position of the last change
  capacity @4 :Capacity;
  stamps @5 :ClockStamps;
}

struct Heartbeat {
  # Site to meta, while UP or SYNCING.
  #
  # Receiver: refreshes "as of" and the offset. Same r with another h: requests a full listing. Only
  # the newest counts; a late one is harmless. Bound: every `heartbeat` (2 s), every 0.25 s with a
  # READY part of a co-allocation. A site that misses three is SILENT.
  feed @0 :FeedPosition;
  plan @1 :UInt64;
  capacity @2 :Capacity;  # null: the meta's beat named the present p already
  stamps @3 :ClockStamps;
  diskLow @4 :Bool;  # free disk space is low: creating orders are refused, closing goes on
}

enum VerdictKind {
  accepted @0;    # at the asked start
  countered @1;   # at the first of `starts`
  never @2;       # does not fit even the empty, complete machine
  blocked @3;     # no allowed start is feasible in the present plan; one may be in a later plan
  unanswered @4;  # the planning time was used up: ask again
}

struct VerdictEntry {
  # The answer to one entry of a proposal, or to an infeasible hold.
  kind @0 :VerdictKind;
  start @1 :Int64;  # instant; accepted: the asked start; countered: the first feasible
  starts @2 :List(Common.Interval) $Common.atMost(Common.searchIntervals);
  # Feasible allowed starts, at most as many intervals as wanted. Empty unless countered or
  # requested.
  completeUntil @3 :Int64;  # instant; `starts` has every feasible start before it; 2^40: all
  taken @4 :List(Common.ResourceSet) $Common.atMost(Common.nodeClasses);
  # Resources that the mapping blocks, per node class.
  reason @5 :Common.Reason;  # why the asked start, or any, is impossible; null: accepted
  largest @6 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);  # never: what would fit
}

struct Verdict {
  # Site to meta, the answer to `Propose`. Binds nobody.
  #
  # All accepted entries hold together at that p. The intervals of a counter assume all earlier
  # entries of the set: accepted ones at the asked start, countered ones at their first start. Key:
  # (proposal, round). A verdict of another round is ignored. Bound: as for the proposal.
  proposal @0 :UInt64;
  round @1 :UInt32;
  plan @2 :UInt64;  # plan revision used for planning
  gone @3 :Bool;    # the overlay to continue no longer exists: propose anew
  entries @4 :List(VerdictEntry) $Common.atMost(Common.proposalEntries);  # in the order asked
}

struct PartBooking {
  # What a ledger change reports of a part's booking.
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  nodes @1 :List(Text) $Common.atMost(Common.nodesPerPart);  # opaque; the first runs the command
  rendezvous @2 :Text;  # host:port
  extended @3 :Int64;   # span booked beyond its duration
  counts @4 :List(UInt64) $Common.atMost(Common.chunksPerPart);
  # Current sets per chunk after a resize; empty if never resized.
  slower @5 :Int64;  # as in PartPlace
  group @6 :Text $Common.atMost(Common.nameBytes);
  lent @7 :Hold.Lent;        # null: it has no loan
  recalls @8 :UInt32;   # how often a loan was recalled
  lost @9 :Int64;       # boot span of recalled lives, whose work is lost
  saved @10 :Int64;     # span of its duration, what recalled lives have done and saved
}

struct HoldChanged {
  # A hold reached a state: held, prepared, committed, permitted, or closed as `closedAs` says. The
  # codec refuses one that was dropped without a cause.
  state @0 :Hold.HoldState;
  closedAs @1 :Hold.ClosedAs;
  request @2 :UInt64;
  cause @3 :Common.Cause;
  start @4 :Int64;                 # instant, the booked start
  deadline @5 :Common.BoxedInt64;  # moment, D as armed; null: never prepared
  started @6 :Hold.Started;
  parts @7 :List(PartBooking) $Common.atMost(Common.partsPerRequest);
}

struct PartChanged {
  # A part became ready, starting, running, ending or ended.
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  state @1 :Hold.PartState;
  at @2 :Int64;  # moment
  booking @3 :PartBooking;
  end @4 :Hold.PartEnd;
  startedAt @5 :Common.BoxedInt64;  # moment; null: the driver has not said
}

struct Moved {
  # A bound hold moved: later for a cause of the site (H15, R7), to no start at all (H16; its
  # HoldChanged follows), or earlier by backfilling (H17). The codec refuses a move without a cause.
  oldStart @0 :Int64;              # instant
  newStart @1 :Int64;              # instant
  deadline @2 :Common.BoxedInt64;  # moment, D if it was armed again; null: it was not
  cause @3 :Common.Cause;
  starts @4 :List(Common.Interval) $Common.atMost(Common.startIntervals);  # feasible, if dropped
}

struct UsageChanged {
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  usage @1 :Hold.Usage;  # cumulative: a higher revision overwrites
  final @2 :Bool;        # final usage is charged once, in the batch that stores it
}

struct Steered {
  # The result of an operator's order. It belongs to no hold: the change's fence is zero.
  order @0 :UInt64;
  done @1 :Bool;
  text @2 :Text;  # one line for people
}

struct Change {
  # One ledger change. The site syncs it before sending it.
  revision @0 :UInt64;
  fence @1 :Common.Fence;
  what :union {
    holdChanged @2 :HoldChanged;
    partChanged @3 :PartChanged;
    moved @4 :Moved;
    usageChanged @5 :UsageChanged;
    steered @6 :Steered;
  }
}

struct Report {
  # Site to meta, after the changes are synced: the only way in which a site reports on a hold.
  #
  # Receiver: revision = known + 1: apply, and store with what follows from it; lower: ignore; gap:
  # `Resync`.
  # Key: revision. Bound: `reportChanges`; 10,000 changes sent ahead of the meta's durable position.
  after @0 :FeedPosition;  # position before the first change, so that gaps show
  changes @1 :List(Change) $Common.atMost(Common.reportChanges);  # consecutive revisions
}

struct Listing {
  # Site to meta, the answer to `Resync` of all: every hold in fence order, in pages.
  #
  # Receiver: replaces the mirror of the site. The listing overrides what the meta knew of the
  # site's holds; the meta's decisions stand. Key: `feed`. A page out of order, or of another
  # position, is dropped and requested again. Bound: `listingHolds` per page and `messageBytes`.
  feed @0 :FeedPosition;
  first @1 :Bool;  # the first page: the receiver discards pages received before
  last @2 :Bool;
  holds @3 :List(Hold.HoldRecord) $Common.atMost(Common.listingHolds);
}

enum AnswerKind {
  unknown @0;    # no such hold (H6); after PREPARED was seen: as dropped, cause `forgot`
  countered @1;  # infeasible or over a cap (H4), with feasible starts
  stale @2;      # a creating order below the floor (H22)
  present @3;    # the hold's present state (H20, H21)
}

struct Answer {
  # Answer to an order that changed nothing. Key: fence.
  fence @0 :Common.Fence;
  kind @1 :AnswerKind;
  verdict @2 :VerdictEntry;         # null unless countered
  present @3 :HoldChanged;          # null unless present
  revision @4 :Common.BoxedUInt64;  # of the hold's last change; null unless present
}

struct Answers {
  # Site to meta: the answers of one turn. Not part of the feed. Matched by fence; the meta ignores
  # a late answer for an attempt that has ended. Bound: as for the orders.
  answers @0 :List(Answer) $Common.atMost(Common.ordersPerMessage);
}

struct Offer {
  # Site to meta, when a change frees resources for a co-allocated hold: earlier feasible starts.
  # They are input for a joint move; a site never moves such a hold earlier by itself. Only the
  # newest counts. Bound: one per hold in 10 s; of starts within `lead` + 60 s, one in 1 s.
  fence @0 :Common.Fence;
  starts @1 :List(Common.Interval) $Common.atMost(Common.startIntervals);
  plan @2 :UInt64;
}

struct BookingsView {
  nodes @0 :List(Text) $Common.atMost(Common.nodesPerSite);  # all of the site, in its order
  bookings @1 :List(SiteRows.BookingRow) $Common.atMost(Common.bookingRows);
}

struct OutputView {
  data @0 :Data $Common.atMost(Common.outputPieceBytes);
  next @1 :UInt64;  # offset behind the data
  ended @2 :Bool;   # nothing will follow `next`
  known @3 :Bool;   # false: no such output (not yet, or no longer)
}

struct NodesView {
  nodes @0 :List(SiteRows.NodeRow) $Common.atMost(Common.nodesPerSite);
}

struct SlotsView {
  slots @0 :List(SiteRows.SlotRow) $Common.atMost(Common.slotRows);  # ascending
}

struct CheaperWay {
  # A cheaper variant of the entry: what the variant does without, and its start at this site.
  text @0 :Text;
  part @1 :UInt32 $Common.atMost(Common.partsPerRequest);
  argv @2 :List(Text) $Common.atMost(Common.namesPerSet);  # of `alter`, without the job
  start @3 :Int64;             # instant
  demand @4 :Hold.PartDemand;  # the part with this change
}

struct ExplainView {
  # Why an entry does not get its asked start.
  verdict @0 :VerdictEntry;  # on this entry alone
  blockers @1 :List(Common.Reason) $Common.atMost(Common.blockers);  # those that last longest first
  changes @2 :List(CheaperWay) $Common.atMost(Common.blockers);      # cheapest first
}

struct LocalView {
  # Jobs submitted at the site itself, ids "lakes/17".
  jobs @0 :List(Client.JobView) $Common.atMost(Common.rowsPerPage);
}

struct LimitsView {
  limits @0 :List(SiteRows.LimitRow) $Common.atMost(Common.actTargets);
}

struct MovesView {
  # What a steer order or a new booking would move.
  moves @0 :List(SiteRows.MoveRow) $Common.atMost(Common.actTargets);
  refused @1 :Text;  # one line: why it cannot be done at all; "": it can be done
}

struct OrderView {
  # The holds of one site that it may move to an earlier start alone, in the order in which it tries
  # them.
  version @0 :UInt64;  # equal versions have equal fences
  fences @1 :List(Common.Fence) $Common.atMost(Common.bookingRows);
  # Empty if the meta has this version.
}

struct SnapshotView {
  # A page of a site's records as they were at one instant, without what programs are.
  page @0 :UInt64;
  frame @1 :Data $Common.atMost(Common.messageBytes);  # in the canonical form
  more @2 :Bool;
  refused @3 :Text $Common.atMost(Common.rowsPerPage);  # why the site does not show them
}

struct RanksView {
  ranks @0 :List(Client.RankRow) $Common.atMost(Common.actTargets);
}

struct SharesView {
  shares @0 :List(Client.ShareRow) $Common.atMost(Common.actTargets);
}

struct View {
  # Site to meta, the answer to `Inspect`. Read-only. The meta passes it on with p and age. Key:
  # inspection. Dropped after `expires`. Bound: `messageBytes`.
  inspection @0 :UInt64;
  plan @1 :UInt64;
  what :union {
    bookingsView @2 :BookingsView;
    outputView @3 :OutputView;
    nodesView @4 :NodesView;
    slotsView @5 :SlotsView;
    explainView @6 :ExplainView;
    localView @7 :LocalView;
    limitsView @8 :LimitsView;
    movesView @9 :MovesView;
    orderView @10 :OrderView;
    ranksView @11 :RanksView;
    sharesView @12 :SharesView;
    snapshotView @13 :SnapshotView;
  }
}

# ---- meta to site --------------------------------------------------------------------------------

struct Welcome {
  # Meta to site, answer to `Hello`, once its epoch is durable.
  #
  # Receiver: if the epoch is lower than the stored one, closes the link and warns. If higher,
  # writes it and closes all HELD holds (H8). Then sends the feed from feed.revision + 1. A site
  # learns a higher epoch only here. Key: epoch. A duplicate restarts the feed. Bound: one per
  # hello.
  epoch @0 :UInt64;
  feed @1 :FeedPosition;  # position that the meta has stored durably
  values @2 :ProtocolValues;
  floor @3 :Common.Fence;
  stamps @4 :ClockStamps;
}

struct LinkRefused {
  # Meta to site, the answer to a hello or message that the meta does not accept; shown to people on
  # both sides. The site continues on its own and dials again after a back-off. Idempotent.
  # Bound: one per refused message.
  code @0 :Text $Common.atMost(Common.nameBytes);
  # epoch, incarnation, version, federation, not-listed
  message @1 :Text;
}

struct Beat {
  # Meta to site: its heartbeat, while UP or SYNCING. The site may delete what `feed` and `floor`
  # cover. Only the newest counts. Bound: every `heartbeat`.
  feed @0 :UInt64;      # revision that the meta has stored durably
  capacity @1 :UInt64;  # p of the last capacity summary that the meta has
  floor @2 :Common.Fence;
  stamps @3 :ClockStamps;
}

struct ProposalEntry {
  # What one attempt asks of this site.
  parts @0 :List(Hold.PartDemand) $Common.atMost(Common.partsPerRequest);
  user @1 :Text $Common.atMost(Common.nameBytes);  # for limits and policy
  priority @2 :Int32;
  asked @3 :Int64;  # instant
  allowed @4 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);
  wantStarts @5 :Bool;  # list all feasible starts even if accepted
  ignoring @6 :List(Common.Fence) $Common.atMost(Common.proposalEntries);
  # Holds whose bookings count as free, because this entry would replace them.
  groups @7 :List(Text) $Common.atMost(Common.groupsPerUser);  # of the user
  element @8 :Bool;               # it is an element of an array
  inside @9 :Common.BoxedUInt64;  # request of the reservation it would run in; null: none
  alternative @10 :Bool;
  # One of several alternatives of which at most one will be taken: planned on top of the entries
  # before it, not booked for the entries after it.
  intervals @11 :UInt32 $Common.atMost(Common.searchIntervals);
  # Number of intervals of feasible starts wanted; 0: startIntervals.
  account @12 :Text $Common.atMost(Common.nameBytes);  # the meta vouches for it, as for the user
  qos @13 :Text $Common.atMost(Common.nameBytes);
  queue @14 :Text $Common.atMost(Common.nameBytes);
  requestClass @15 :Request.RequestClass;
  onlyLent @16 :Request.Contract;  # it asks for lent room alone, under this; null: for its own
}

struct Propose {
  # Meta to site, while UP: asks when entries would fit.
  #
  # Receiver: plans the set in order on a snapshot, answers `Verdict`, writes nothing. It keeps two
  # overlays while p is unchanged. Key: (proposal, round). A duplicate is answered again. Bound:
  # `proposalEntries`, `messageBytes`, 50 ms of planning a turn; larger sets travel as successive
  # proposals that continue each other.
  proposal @0 :UInt64;
  round @1 :UInt32;
  assumed @2 :UInt64;               # plan revision
  tentative @3 :Bool;
  continues @4 :Common.BoxedUInt64; # the proposal whose overlay this extends; null: none
  entries @5 :List(ProposalEntry) $Common.atMost(Common.proposalEntries);
}

struct PrepareOrder {
  # HELD to PREPARED while the lease is alive (H7). Without a hold: `unknown` (H6).
  fence @0 :Common.Fence;
}

struct CommitOrder {
  # PREPARED to COMMITTED; closes the replaced hold in the same write (H9). The meta's decision is
  # durable (C3). Repeated until reported.
  fence @0 :Common.Fence;
}

struct PermitOrder {
  # PREPARED or COMMITTED to PERMITTED before D (H10). The meta's permit is durable (C4, C8).
  # Repeated every second until D, so a link that is cut and back before D only delays a part.
  fence @0 :Common.Fence;
  permit @1 :Hold.Permit;
}

struct ReleaseOrder {
  # To CLOSED from any state; stops processes first (H12, H13). Without a hold, leaves a tombstone
  # by which a later creating order is refused (H5). Repeated until reported.
  fence @0 :Common.Fence;
  cause @1 :Common.Cause;
  unlessStarted @2 :Bool;  # the job has another place; if it has started here, it goes on (H20)
}

struct Order {
  what :union {
    holdOrder @0 :Hold.HoldOrder;
    prepareOrder @1 :PrepareOrder;
    commitOrder @2 :CommitOrder;
    permitOrder @3 :PermitOrder;
    releaseOrder @4 :ReleaseOrder;
  }
}

struct Orders {
  # Meta to site, while UP (after a welcome to this incarnation); releases, commits and permits also
  # while SYNCING. Applied in order in one synced batch; each is answered by a change or in
  # `Answers`. Key: fence and target. A duplicate is answered with the present state. Expires after
  # 30 s. Bound: `ordersPerMessage` and `messageBytes`.
  orders @0 :List(Order) $Common.atMost(Common.ordersPerMessage);
}

struct Resync {
  # Meta to site, after a gap or digest mismatch. Repeatable. Bound: at least 1 s apart.
  all @0 :Bool;     # true: a listing; false: the feed after `from`
  from @1 :UInt64;  # revision
}

enum InspectKind {
  bookings @0;
  output @1;
  nodes @2;
  slots @3;
  explain @4;
  local @5;
  limits @6;
  moves @7;  # what `steer` or `entry` would move, tried on a copy
  order @8;  # for forecasts
  ranks @9;  # the same for people
  shares @10;
  snapshot @11;  # the site's records, page by page, for what-if
}

struct Inspect {
  # Meta to site, while UP: asks, for a client, for what only the site knows. Answered by `View`;
  # writes nothing. Key: inspection. A duplicate is answered again. Bound: `outputPieceBytes` of
  # output per answer.
  inspection @0 :UInt64;
  kind @1 :InspectKind;
  request @2 :UInt64;      # for output
  fence @3 :Common.Fence;
  # For output: the attempt that ran the part. For ranks: only this hold; zero: all.
  part @4 :UInt32;         # for output
  errorStream @5 :Bool;
  offset @6 :UInt64;
  # For output; for order: the version that the meta has; 0: none; for snapshot: the page, from 0.
  entry @7 :ProposalEntry;  # for slots and explain, and for moves without `steer`; null: none
  until @8 :Int64;
  # Instant. For slots: only windows that begin before this. For explain: only changes that lead to
  # a start before this; 0: before the start of the unchanged entry.
  locals @9 :List(UInt64) $Common.atMost(Common.actTargets);
  # For local: numbers of jobs; empty: all unfinished. For output: one local job, instead of
  # `request`.
  steer @10 :Steer;  # for moves; null: none
  user @11 :Text $Common.atMost(Common.nameBytes);  # for limits; "": all
  groups @12 :List(Text) $Common.atMost(Common.groupsPerUser);
}

enum SteerVerb {
  drain @0;  # no new bookings; if hard, bookings that have not started move
  resume @1;
  extend @2;  # `part` of `fence` runs `span` longer
  resize @3;  # `part` of `fence` gets `counts` sets of its chunks
  share @4;   # opens the reservation `fence` to `allow`
}

struct Steer {
  # Meta to site, while UP, once the operator's act is durable. The site writes the order with its
  # effect and answers by `Steered` in the feed; the meta repeats the order until then. Key: order;
  # a known order changes nothing and is answered again. Bound: `actTargets`.
  order @0 :UInt64;
  who @1 :Text $Common.atMost(Common.nameBytes);
  verb @2 :SteerVerb;
  nodes @3 :List(Text) $Common.atMost(Common.actTargets);
  hard @4 :Bool;
  reason @5 :Text $Common.atMost(Common.nameBytes);
  fence @6 :Common.Fence;  # zero: no hold
  part @7 :UInt32 $Common.atMost(Common.partsPerRequest);
  span @8 :Int64;
  counts @9 :List(UInt64) $Common.atMost(Common.chunksPerPart);
  allow @10 :List(Text) $Common.atMost(Common.groupsPerUser);
  forGood @11 :Bool;  # for drain: the nodes are not expected back
}

struct StandingRow {
  # How a share of the federation stands.
  who @0 :Text $Common.atMost(Common.nameBytes);
  value @1 :Int64;  # thousandths, -1000 to 1000
}

struct Standing {
  # Meta to site, while UP, to a site that weighs the federation's shares: at a time of the grid of
  # points, if a value has changed by 10 or more, and after each welcome. The newest counts; the
  # site keeps it in memory alone. Key: none. Bound: `standingRows`.
  rows @0 :List(StandingRow) $Common.atMost(Common.standingRows);
}

# ---- envelopes -----------------------------------------------------------------------------------

struct ToMeta {
  # Every message of a site.
  version @0 :UInt32;  # protocol version
  federation @1 :Text $Common.atMost(Common.nameBytes);  # guards against joining the wrong one
  incarnation @2 :UInt64;  # one start of the site daemon; older ones are ignored
  number @3 :UInt64;       # counts the sender's messages on this link
  answers @4 :UInt64;      # number of the message it answers; 0: none
  expires @5 :Int64;       # moment after which it is dropped; 0: never
  body :union {
    hello @6 :Hello;
    heartbeat @7 :Heartbeat;
    verdict @8 :Verdict;
    report @9 :Report;
    listing @10 :Listing;
    answers @11 :Answers;
    offer @12 :Offer;
    view @13 :View;
  }
}

struct ToSite {
  # Every message of the meta to a site.
  version @0 :UInt32;
  federation @1 :Text $Common.atMost(Common.nameBytes);
  epoch @2 :UInt64;   # one incarnation of the meta; only `Welcome` teaches a higher one
  number @3 :UInt64;
  answers @4 :UInt64;
  expires @5 :Int64;
  floor @6 :Common.Fence;
  # The smallest fence still in HOLDING, else the next one to be minted. No hold below it can be
  # created any more. A site keeps the highest floor it saw.
  incarnation @7 :UInt64;  # the incarnation addressed; any other ignores the message
  body :union {
    welcome @8 :Welcome;
    linkRefused @9 :LinkRefused;
    beat @10 :Beat;
    propose @11 :Propose;
    orders @12 :Orders;
    resync @13 :Resync;
    inspect @14 :Inspect;
    steer @15 :Steer;
    standing @16 :Standing;
  }
}
