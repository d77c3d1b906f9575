# The messages between the meta and its sites.
#
# Sites dial, the meta binds. Who the peer is comes from its CURVE key alone ("site:NAME"), never
# from a field. Both ends have at most one live link; a new `Hello` replaces the old link.
#
# The receiver checks, in this order: size and shape (the codec), peer allowed, version, federation,
# epoch equal to its stored one (incarnation equal to the welcomed one), `expires`. What fails is
# counted and dropped, or answered `LinkRefused` where a request waits. More than ten undecodable
# messages a minute quarantine a site; the others notice nothing.
#
# Two rules make every message safe to lose, repeat, delay and reorder:
#   - orders name a target, not a step: one on a hold already there, or past it, changes nothing;
#   - a site speaks of its holds by feed: apply the next revision, ignore older ones, ask at a gap.
#
# One turn's messages to one peer travel together; one batch is synced before any of them is sent.

@0xca709069d2d08ff1;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";
using Request = import "request.capnp";
using Hold = import "hold.capnp";
using SiteRows = import "site_rows.capnp";
using Client = import "client.capnp";

# ---- what several messages are made of -----------------------------------------------------------

struct ProtocolValues {
  # [protocol] of the meta, one set for a federation. All boot spans. A site refuses values that
  # break lead <= startWait or permitWindow < startWait.
  lead @0 :Int64;          # the barrier opens this long before the start
  startWait @1 :Int64;     # D of a co-allocation after its start
  permitWindow @2 :Int64;  # a permit is written at least this long before D
  answerWait @3 :Int64;    # an attempt waits this long for its members
  settle @4 :Int64;        # twice the greatest clock offset, and a second
  partnerWait @5 :Int64;   # silence of a member after which a partial start is undone (C11)
  lease @6 :Int64;         # of a held hold
  heartbeat @7 :Int64;
}

struct FeedPosition {
  # A position in a site's feed and the chain digest there: h_r = H(h_(r-1), canonical change r).
  # Equal revisions with other digests mean that the mirror is wrong: a full listing follows.
  revision @0 :UInt64;
  digest @1 :Data;  # 32 bytes
}

struct NodeClass {
  # Equal nodes, as the meta sees them: no names, no topology.
  count @0 :UInt32;
  up @1 :UInt32;
  perNode @2 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  properties @3 :List(Common.Pair) $Common.atMost(Common.namesPerSet);
  mixed @4 :Bool;  # several kinds: the largest amounts, properties that some have
}

struct ProfileStep {
  # From here on, per node class, this much is free of what is not the meta's own.
  from @0 :Int64;  # instant
  free @1 :List(Common.ResourceSet) $Common.atMost(Common.nodeClasses);
}

struct DefaultDuration {
  # How long a job of `who` ("kim", "@students", "*") lasts where its user does not say, or
  # whatever its user says.
  who @0 :Text $Common.atMost(Common.nameBytes);
  duration @1 :Int64;  # span, > 0
}

struct Capacity {
  # What a site has and has free. A hint for the meta's schedule: only a hold binds.
  plan @0 :UInt64;  # p: changes whenever a verdict could change
  classes @1 :List(NodeClass) $Common.atMost(Common.nodeClasses);
  profile @2 :List(ProfileStep) $Common.atMost(Common.profileSteps);
  freeNow @3 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # all bookings counted
  total @4 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
  driver @5 :Text $Common.atMost(Common.nameBytes);  # "process", "simulated", "slurm"
  turnover @6 :Int64;    # span booked before every start: the predecessor's slack and killing
  startSlack @7 :Int64;  # span the driver may start late: part of a promise
  durations @8 :List(DefaultDuration) $Common.atMost(Common.defaultDurations);
  # Of two for one `who` the later counts.
  forced @9 :List(DefaultDuration) $Common.atMost(Common.defaultDurations);
  # Likewise, in place of what a user says.
  capabilities @10 :List(Text) $Common.atMost(Common.namesPerSet);
  # What it can do that not every site can: "extend", "switches", ... For people; ascending.
}

struct ClockStamps {
  # Four-stamp comparison of clocks, all moments. The offset is known to half the round trip; over
  # 250 ms the operator is warned, provably over 2 s the site is quarantined.
  sent @0 :Int64;      # by the sender's clock
  echoed @1 :Int64;    # `sent` of the last stamps from the peer; 0: none yet
  received @2 :Int64;  # when those came, by the sender's clock
}

# ---- site to meta --------------------------------------------------------------------------------

struct Hello {
  # Site to meta, first on every link, again after each back-off until welcomed.
  #
  # Receiver: an incarnation lower than the known one, or an epoch seen above its own, is refused
  # and told to the operator; else `Welcome`.
  # Key: incarnation. A duplicate replaces the link. Bound: one per back-off (0.1 to 10 s).
  version @0 :UInt32;
  incarnation @1 :UInt64;   # durable before the first hello of this start
  highestEpoch @2 :UInt64;  # ever welcomed
  feed @3 :FeedPosition;    # last change made
  capacity @4 :Capacity;
  stamps @5 :ClockStamps;
}

struct Heartbeat {
  # Site to meta, while UP or SYNCING.
  #
  # Receiver: refreshes "as of" and the offset; same r and other h: full listing. Only the newest
  # counts; a late one is harmless. Bound: every `heartbeat` (2 s), every 0.25 s with a READY part
  # of a co-allocation; three missed make the site SILENT.
  feed @0 :FeedPosition;
  plan @1 :UInt64;
  capacity @2 :Capacity;  # null: p is the last one the meta's beat named
  stamps @3 :ClockStamps;
  diskLow @4 :Bool;       # orders that create are refused; closing goes on
}

enum VerdictKind {
  accepted @0;    # at the asked start
  countered @1;   # at the first of `starts`
  never @2;       # not even on the empty, whole machine
  blocked @3;     # no allowed start as things are; another plan may have one
  unanswered @4;  # planning time spent: ask again
}

struct VerdictEntry {
  # The answer for one entry of a proposal, or the way out of an infeasible hold.
  kind @0 :VerdictKind;
  start @1 :Int64;  # instant; accepted: as asked; countered: the first feasible
  starts @2 :List(Common.Interval) $Common.atMost(Common.searchIntervals);
  # Feasible ones, inside what was allowed, as many as were wanted; empty unless countered or asked
  # for.
  completeUntil @3 :Int64;  # instant before which `starts` lists all there are; 2^40: all
  taken @4 :List(Common.ResourceSet) $Common.atMost(Common.nodeClasses);
  # Per node class, what the mapping really blocks.
  reason @5 :Common.Reason;  # why not the asked start, or not at all; null: accepted
  largest @6 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);  # never: what would fit
}

struct Verdict {
  # Site to meta, answer to `Propose`. Binds nobody.
  #
  # Accepted entries hold together at that p. A counter's intervals assume all earlier entries of
  # the set: accepted ones where asked, countered ones at their first start.
  # Key: (proposal, round). Of another round: ignored. Bound: as the proposal.
  proposal @0 :UInt64;
  round @1 :UInt32;
  plan @2 :UInt64;  # p it was planned at
  gone @3 :Bool;    # the overlay to continue is not there: propose anew
  entries @4 :List(VerdictEntry) $Common.atMost(Common.proposalEntries);  # as asked, in order
}

struct PartBooking {
  # What a part shows of its booking.
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  nodes @1 :List(Text) $Common.atMost(Common.nodesPerPart);  # opaque, first runs it
  rendezvous @2 :Text;  # host:port
  extended @3 :Int64;  # span beyond its duration
  counts @4 :List(UInt64) $Common.atMost(Common.chunksPerPart);
  # Sets of every chunk it has now, if it was resized; else empty.
}

struct HoldChanged {
  # A hold reached a state: held, prepared, committed, permitted, or closed as told.
  # Closed as dropped without a cause is refused by the codec.
  state @0 :Hold.HoldState;
  closedAs @1 :Hold.ClosedAs;
  request @2 :UInt64;
  cause @3 :Common.Cause;
  start @4 :Int64;  # instant, booked
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
}

struct Moved {
  # A bound hold has another start: later for a site cause (H15), none any more (H16, before its
  # HoldChanged), earlier by backfilling (H17). Without a cause it is refused by the codec.
  oldStart @0 :Int64;  # instant
  newStart @1 :Int64;  # instant
  deadline @2 :Common.BoxedInt64;  # moment, D as re-armed; null: dropped
  cause @3 :Common.Cause;
  starts @4 :List(Common.Interval) $Common.atMost(Common.startIntervals);  # feasible, when dropped
}

struct UsageChanged {
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  usage @1 :Hold.Usage;  # cumulative: the higher revision overwrites
  final @2 :Bool;        # charged once, in the batch that stores it
}

struct Steered {
  # What became of an operator's order; a change without a hold, its fence is zero.
  order @0 :UInt64;
  done @1 :Bool;
  text @2 :Text;  # one line for people
}

struct Change {
  # One ledger change, synced at the site before it is sent.
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
  # Site to meta, after the changes were synced: the only way a site speaks of a hold.
  #
  # Receiver: revision = known + 1: apply, and store with what follows from it; lower: ignore; gap:
  # `Resync`.
  # Key: revision. Bound: `reportChanges`; 10,000 changes sent ahead of the meta's durable position.
  after @0 :FeedPosition;  # before the first change, so that a gap shows at once
  changes @1 :List(Change) $Common.atMost(Common.reportChanges);  # consecutive revisions
}

struct Listing {
  # Site to meta, answer to `Resync` of all: every hold in fence order, in pages.
  #
  # Receiver: replaces the mirror of the site; for what the site holds the listing wins, the meta's
  # decisions stand. Key: `feed`. A page out of order or of another position is dropped and asked
  # again.
  # Bound: `listingHolds` a page and `messageBytes`.
  feed @0 :FeedPosition;
  first @1 :Bool;  # forget pages that came before
  last @2 :Bool;
  holds @3 :List(Hold.HoldRecord) $Common.atMost(Common.listingHolds);
}

enum AnswerKind {
  unknown @0;    # no such hold (H6); after PREPARED was seen: as dropped, cause `forgot`
  countered @1;  # infeasible or over a cap (H4), with the way out
  stale @2;      # a creating order below the floor (H22)
  present @3;    # the state the hold is in (H20, H21)
}

struct Answer {
  # To an order that changed nothing. Key: fence.
  fence @0 :Common.Fence;
  kind @1 :AnswerKind;
  verdict @2 :VerdictEntry;         # null unless countered
  present @3 :HoldChanged;          # null unless present
  revision @4 :Common.BoxedUInt64;  # of the hold's last change; null unless present
}

struct Answers {
  # Site to meta: the answers of one turn. Not part of the feed: matched by fence, a late one to an
  # attempt that is gone is ignored. Bound: as the orders.
  answers @0 :List(Answer) $Common.atMost(Common.ordersPerMessage);
}

struct Offer {
  # Site to meta, when a change freed resources for a co-allocated hold: earlier feasible starts.
  # Input for a joint move; alone a site never moves it. Newest counts. Bound: one per hold in 10 s.
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
  next @1 :UInt64;  # offset after it
  ended @2 :Bool;   # nothing will follow `next`
  known @3 :Bool;   # false: no such output, yet or any more
}

struct NodesView {
  nodes @0 :List(SiteRows.NodeRow) $Common.atMost(Common.nodesPerSite);
}

struct SlotsView {
  slots @0 :List(SiteRows.SlotRow) $Common.atMost(Common.slotRows);  # ascending
}

struct CheaperWay {
  # What the entry could do without, and the start it would then get here.
  text @0 :Text;
  part @1 :UInt32 $Common.atMost(Common.partsPerRequest);
  argv @2 :List(Text) $Common.atMost(Common.namesPerSet);  # of `alter`, without the job
  start @3 :Int64;  # instant
  demand @4 :Hold.PartDemand;  # the part so changed
}

struct ExplainView {
  # Why an entry does not start when asked.
  verdict @0 :VerdictEntry;  # on it alone
  blockers @1 :List(Common.Reason) $Common.atMost(Common.blockers);  # the last to go first
  changes @2 :List(CheaperWay) $Common.atMost(Common.blockers);      # the cheapest first
}

struct LocalView {
  # Jobs submitted at the site itself, ids "lakes/17".
  jobs @0 :List(Client.JobView) $Common.atMost(Common.rowsPerPage);
}

struct LimitsView {
  limits @0 :List(SiteRows.LimitRow) $Common.atMost(Common.actTargets);
}

struct MovesView {
  # What would move; `refused` if it could not be done at all.
  moves @0 :List(SiteRows.MoveRow) $Common.atMost(Common.actTargets);
  refused @1 :Text;  # why not, one line; "": it can be done
}

struct View {
  # Site to meta, answer to `Inspect`; read-only, no write. Passed on with p and age.
  # Key: inspection. Dropped on `expires`. Bound: `messageBytes`.
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
  }
}

# ---- meta to site --------------------------------------------------------------------------------

struct Welcome {
  # Meta to site, answer to `Hello`, once its epoch is durable.
  #
  # Receiver: a lower epoch than the stored one: closes the link, warns. A higher one: writes it and
  # closes all HELD (H8). Then sends the feed from feed.revision + 1. A higher epoch is learned here
  # only.
  # Key: epoch. A duplicate restarts the feed. Bound: one per hello.
  epoch @0 :UInt64;
  feed @1 :FeedPosition;  # what the meta holds durably
  values @2 :ProtocolValues;
  floor @3 :Common.Fence;
  stamps @4 :ClockStamps;
}

struct LinkRefused {
  # Meta to site, to a hello or to a message it will not take; told to people on both sides. The
  # site goes on alone and dials again at the longest back-off. Idempotent. Bound: one per refused
  # message.
  code @0 :Text $Common.atMost(Common.nameBytes);  # "epoch", "incarnation", "version", "not-listed"
  message @1 :Text;
}

struct Beat {
  # Meta to site, its heartbeat, while UP or SYNCING. The site may forget what `feed` and `floor`
  # cover. Only the newest counts. Bound: every `heartbeat`.
  feed @0 :UInt64;      # revision durable at the meta
  capacity @1 :UInt64;  # p of the last capacity it has
  floor @2 :Common.Fence;
  stamps @3 :ClockStamps;
}

struct ProposalEntry {
  # What one attempt would want of this site.
  parts @0 :List(Hold.PartDemand) $Common.atMost(Common.partsPerRequest);
  user @1 :Text $Common.atMost(Common.nameBytes);  # for limits and policy
  priority @2 :Int32;
  asked @3 :Int64;  # instant
  allowed @4 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);
  wantStarts @5 :Bool;  # answer with all feasible starts even if accepted
  ignoring @6 :List(Common.Fence) $Common.atMost(Common.proposalEntries);
  # Holds whose booking does not count: the ones this would take the place of.
  groups @7 :List(Text) $Common.atMost(Common.groupsPerUser);  # of the user
  element @8 :Bool;                # of an array
  inside @9 :Common.BoxedUInt64;   # request of the reservation it would run in; null: none
  alternative @10 :Bool;           # answered on what is booked before it, not booked for the next
  intervals @11 :UInt32 $Common.atMost(Common.searchIntervals);
  # Of feasible starts that are wanted; 0: startIntervals.
}

struct Propose {
  # Meta to site, while UP: when would this fit?
  #
  # Receiver: plans the set in order on a snapshot, answers `Verdict`, writes nothing. Two overlays
  # are kept while p is unchanged.
  # Key: (proposal, round). A duplicate is answered again. Bound: `proposalEntries`, `messageBytes`,
  # 50 ms of planning a turn; larger sets travel as successive proposals that continue each other.
  proposal @0 :UInt64;
  round @1 :UInt32;
  assumed @2 :UInt64;               # plan revision
  tentative @3 :Bool;
  continues @4 :Common.BoxedUInt64; # the proposal whose overlay this extends; null: none
  entries @5 :List(ProposalEntry) $Common.atMost(Common.proposalEntries);
}

struct PrepareOrder {
  # HELD to PREPARED while the lease lives (H7). On no hold: `unknown` (H6).
  fence @0 :Common.Fence;
}

struct CommitOrder {
  # PREPARED to COMMITTED; closes the hold it replaces in the same write (H9). The decision is
  # durable at the meta (C3). Repeated until reported.
  fence @0 :Common.Fence;
}

struct PermitOrder {
  # PREPARED or COMMITTED to PERMITTED before D (H10). The permit is durable at the meta (C4, C8).
  # Repeated every second until D: a cut shorter than that only delays a part.
  fence @0 :Common.Fence;
  permit @1 :Hold.Permit;
}

struct ReleaseOrder {
  # To CLOSED from any state; processes are stopped first (H12, H13). For a hold that never came, a
  # tombstone that refuses it when it does (H5). Repeated until reported.
  fence @0 :Common.Fence;
  cause @1 :Common.Cause;
  unlessStarted @2 :Bool;  # it has another place: what has started all the same goes on (H20)
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
  # while SYNCING. Applied in order, one synced batch, each answered by a change or in `Answers`.
  # Key: fence and target. A duplicate answers with the present state. Expires after 30 s.
  # Bound: `ordersPerMessage` and `messageBytes`.
  orders @0 :List(Order) $Common.atMost(Common.ordersPerMessage);
}

struct Resync {
  # Meta to site, at a gap or a digest mismatch. Repeatable. Bound: at least 1 s apart.
  all @0 :Bool;     # a listing; else the feed after `from`
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
}

struct Inspect {
  # Meta to site, while UP: what only the site knows, for a client that asked. Answered by `View`;
  # no write.
  # Key: inspection. A duplicate is answered again. Bound: `outputPieceBytes` of output a time.
  inspection @0 :UInt64;
  kind @1 :InspectKind;
  request @2 :UInt64;      # of output
  fence @3 :Common.Fence;  # of output: the attempt that ran
  part @4 :UInt32;         # of output
  errorStream @5 :Bool;
  offset @6 :UInt64;
  entry @7 :ProposalEntry;  # of slots and explain; null: none
  until @8 :Int64;          # of slots: windows that begin before this instant
  locals @9 :List(UInt64) $Common.atMost(Common.actTargets);
  # Of local: numbers of jobs; empty: all unfinished. Of output, one: a local job instead of
  # `request`.
  steer @10 :Steer;   # of moves; null: none
  user @11 :Text $Common.atMost(Common.nameBytes);  # of limits: whose; "": all
  groups @12 :List(Text) $Common.atMost(Common.groupsPerUser);
}

enum SteerVerb {
  drain @0;   # no new bookings on the nodes; hard: what is booked there and has not started moves
  resume @1;
  extend @2;  # `part` of `fence` runs `span` longer than it has now
  resize @3;  # `part` of `fence` has `counts` sets of its chunks from now on
  share @4;   # the reservation `fence` is open to `allow`
}

struct Steer {
  # Meta to site, while UP, once the operator's act is durable: written with its effect, answered by
  # `Steered` in the feed, repeated until then.
  # Key: order; one that is known changes nothing and is answered again. Bound: `actTargets`.
  order @0 :UInt64;
  who @1 :Text $Common.atMost(Common.nameBytes);
  verb @2 :SteerVerb;
  nodes @3 :List(Text) $Common.atMost(Common.actTargets);
  hard @4 :Bool;
  reason @5 :Text $Common.atMost(Common.nameBytes);
  fence @6 :Common.Fence;  # of a hold; zero: none
  part @7 :UInt32 $Common.atMost(Common.partsPerRequest);
  span @8 :Int64;
  counts @9 :List(UInt64) $Common.atMost(Common.chunksPerPart);
  allow @10 :List(Text) $Common.atMost(Common.groupsPerUser);
  forGood @11 :Bool;  # of drain: what is out does not come back
}

# ---- envelopes -----------------------------------------------------------------------------------

struct ToMeta {
  # Every message of a site.
  version @0 :UInt32;      # protocol version
  federation @1 :Text $Common.atMost(Common.nameBytes);  # guards against joining the wrong one
  incarnation @2 :UInt64;  # one start of the site daemon; an older one is not listened to
  number @3 :UInt64;       # counts the sender's messages on this link
  answers @4 :UInt64;      # number of the message this answers; 0: none
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
  # Smallest fence still being placed, else the next one to be made: below it nothing can be created
  # any more. A site keeps the highest it saw.
  incarnation @7 :UInt64;  # the one welcomed or refused: others do not listen
  body :union {
    welcome @8 :Welcome;
    linkRefused @9 :LinkRefused;
    beat @10 :Beat;
    propose @11 :Propose;
    orders @12 :Orders;
    resync @13 :Resync;
    inspect @14 :Inspect;
    steer @15 :Steer;
  }
}
