# Holds: what a site commits itself to for one attempt. The order that creates a hold, its states,
# its parts, and its record at the site.
#
# Site and fence together identify a hold. The site alone changes its state; the meta keeps a
# mirror, updated by `Report`. The rows H1 to H22 are those of the protocol's hold table.
#
#   -          hold held       HELD        leased: serves quotes and searches of several rounds
#   - or HELD  hold, prepare   PREPARED    binds until D, like every later state
#   PREPARED   commit          COMMITTED   the attempt is decided at the meta
#   both       permit          PERMITTED   the only right to start, durable at the meta before sent
#   any        release, end    CLOSED      as released, expired, dropped or ended
#
# D, the deadline, is the start plus `deadlineAfter`. It is fixed on preparing, and no order moves
# it. An unpermitted hold closes at D by the site's own clock (H11), whatever happens to the meta.

@0xef5ea1ff0b3fe481;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";
using Request = import "request.capnp";

enum HoldState {
  # In order of progress: an order never moves a hold backwards.
  none @0;
  held @1;
  prepared @2;
  committed @3;
  permitted @4;
  closed @5;
}

enum ClosedAs {
  notClosed @0;
  released @1;  # by the meta's order; also a tombstone: released before it was created (H5)
  expired @2;   # lease, D or last start passed, or a higher epoch came while HELD (H8, H11, H18)
  dropped @3;   # given up by the site (H16): always with a cause
  ended @4;     # its parts ended (H19)
}

enum PartState {
  booked @0;
  ready @1;     # nodes are clean, from start - `lead` on
  starting @2;  # written with its token before the driver is told
  running @3;
  ending @4;
  ended @5;
}

enum Started {
  # Whether anything of this hold ever ran. `unknown` means that the driver cannot tell; the meta
  # then does not place the request again by itself.
  no @0;
  yes @1;
  unknown @2;
}

struct Requester {
  # The user who submitted. The meta vouches for the name; the site maps it to an account by its own
  # rules.
  user @0 :Text $Common.atMost(Common.nameBytes);
  groups @1 :List(Text) $Common.atMost(Common.groupsPerUser);
}

struct PartDemand {
  # One part as a site plans it. With s = start + offset, the site books [s - turnover, s + duration
  # + tail).
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);  # part number in the request, from 1
  chunks @1 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);
  duration @2 :Int64;  # span
  offset @3 :Int64;    # span after the hold's start
  tail @4 :Int64;      # span
  # The time in which the permit may come after the start: `start_wait` for co-allocations, given
  # back at the start; with one member `single_wait` behind a gate, `move_wait` if the job leaves
  # another site, else 0.
  place @5 :Request.Place;
  exclusive @6 :Bool;
  jobwide @7 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # of the site, not a node
  set @8 :Text $Common.atMost(Common.nameBytes);  # node set, as in PartSpec; "": any nodes
  byClock @9 :Bool;  # lasts as long on slow nodes as on fast ones: a reservation
}

struct HoldOrder {
  # Everything that one attempt wants of one site. Meta to site, in `Orders`, while the attempt is
  # HOLDING.
  #
  # Receiver: H1 (held), H2 (prepared) or H3 (committed: direct, one member only), each with a
  # synced write before the answer, which is a change in `Report`. If infeasible or over a cap:
  # `countered`, with feasible starts (H4). Fence below the floor: `stale`, no write (H22).
  # `assumed` is never a reason to refuse: if p is unchanged, the site may reuse the verdict's
  # mapping, else it plans again. Key: (site, fence). A duplicate is answered with the present state
  # and changes nothing (H20). One that arrives after its release meets the tombstone, or later the
  # floor, and creates nothing. Bound: `ordersPerMessage`; the site's caps on holds, leased holds
  # and holds of one user.
  fence @0 :Common.Fence;
  request @1 :UInt64;
  jobName @2 :Text $Common.atMost(Common.nameBytes);
  requester @3 :Requester;
  requestClass @4 :Request.RequestClass;
  priority @5 :Int32;  # rank: higher is more urgent
  members @6 :List(Text) $Common.atMost(Common.partsPerRequest);      # ascending
  partCount @7 :UInt32 $Common.atMost(Common.partsPerRequest);        # parts of the request
  partSites @8 :List(Text) $Common.atMost(Common.partsPerRequest);    # of every part, in order
  parts @9 :List(PartDemand) $Common.atMost(Common.partsPerRequest);  # this site's, ascending
  payload @10 :Request.Payload;
  payloadDigest @11 :Data;  # 32 bytes; allows a restored meta to adopt the hold safely
  allowed @12 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);
  # Allowed starts of the attempt; the site books the first feasible one.
  earliest @13 :Int64;       # instant; the site never moves the start before it (H17)
  stage @14 :HoldState;      # target state: held, prepared or committed
  lease @15 :Int64;          # boot span, only if held; armed on receipt
  deadlineAfter @16 :Int64;  # span: D = start + this
  assumed @17 :UInt64;       # plan revision of the verdict that the order relies on; 0: none
  replaces @18 :Common.Fence;
  # The hold of the same request that this one replaces; closed in the same write as the commit
  # (H9). Until then both may overlap on the same nodes, since at most one gets a permit. null:
  # none.
  inside @19 :Common.BoxedUInt64;  # the reservation's request; null: none
  reserves @20 :Request.ReservationSpec;
  # Set for a reservation: the permit opens it to its ACL and starts no process. null: none.
  notice @21 :Request.Notice;  # before the end; null: none
  startNotice @22 :Int64;      # span; the site moves no start nearer than now + this (H17)
  keepsOrder @23 :Bool;        # the site moves the hold earlier only once it is permitted (H17)
  account @24 :Text $Common.atMost(Common.nameBytes);  # the meta vouches for it, as for the user
  qos @25 :Text $Common.atMost(Common.nameBytes);
  queue @26 :Text $Common.atMost(Common.nameBytes);
  home @27 :Bool;  # of a user whose home the site is: moved earlier before others as urgent (H17)
  waitsSince @28 :Common.BoxedInt64;
  # For a site that orders by points of its own: moment since when the request waits, later by what
  # did not count as waiting. null: the site orders by priority.
  target @29 :Common.BoxedInt64;  # span, of its QoS; null: none
  contract @30 :Request.Contract;
  # Under which the site may lend it room before its start (L1). null: none.
  onlyLent @31 :Bool;
  # All its room is lent: booked as far as that cannot be taken back, at most for its duration.
  recalls @32 :UInt32;  # earlier attempts with only lent room that were recalled
  saved @33 :Int64;     # span of its duration before, what these have done and saved
  improves @34 :Bool;
  # `replaces` is replaced for an earlier start alone: refused if it has as early a one by now.
}

struct Permit {
  # The only right to start. Durable at the meta before it is sent; given to only one attempt of a
  # request.
  lastStart @0 :Int64;  # instant; no part starts after this plus its offset (H18)
  rendezvous @1 :List(Text) $Common.atMost(Common.partsPerRequest);
  # host:port of every part of the request, in part order.
  secret @2 :Data;  # 32 bytes; drawn by the meta, stored with the permit, same in all parts
}

struct ChunkPlace {
  # One set of a chunk, placed on one node.
  node @0 :Text;
  resources @1 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
}

struct PartPlace {
  # The nodes that a part is mapped to. First one entry per chunk set, in chunk order; the first of
  # them names the node that runs the command. Then entries without resources: nodes that are
  # blocked for the part but host no chunk.
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  chunks @1 :List(ChunkPlace) $Common.atMost(Common.nodesPerPart);
  slower @2 :Int64;
  # Span booked beyond the duration because these nodes are slower than the reference; < 0: faster.
  group @3 :Text $Common.atMost(Common.nameBytes);
  # The group of its node set that these nodes are: "speed=80%"; "": none was chosen.
}

struct Usage {
  # Cumulative usage of a part, per (fence, part). A higher revision overwrites it; it is charged
  # once, when final. A site keeps usage until it is acknowledged.
  elapsed @0 :Int64;                     # boot span
  cpu @1 :Common.BoxedInt64;             # boot span; null: not measured
  maxRssBytes @2 :Common.BoxedInt64;     # null: not measured
}

enum EndedBy {
  notEnded @0;
  exit @1;  # by itself: exit code or signal
  walltime @2;
  release @3;        # stopped on the meta's or user's word
  failedToStart @4;  # nothing ran
  unknown @5;        # the driver cannot tell: the outcome is unknown
}

struct PartEnd {
  by @0 :EndedBy;
  exitCode @1 :Common.BoxedInt32;  # null: no process ended by exit, or its end was not seen
  signal @2 :Common.BoxedInt32;    # null: not ended by a signal
  text @3 :Text;                   # one line for people, if there is more to say
}

struct Deadline {
  # An armed lease or D. It survives a restart of the daemon, since `boot` holds in the same boot,
  # and one of the machine: then wall - now remains, clamped to [0, span].
  bootId @0 :Text;
  boot @1 :Int64;  # boot instant
  wall @2 :Int64;  # moment
  span @3 :Int64;  # boot span
}

enum LoanState {
  starting @0;
  running @1;
  recalled @2;  # told to end, because others are due there
  released @3;  # told to end, because its hold was released
  paused @4;    # others are on its cores
}

struct Loan {
  # A life of a part on room that its site lends it until others are due there. The part keeps its
  # own booking meanwhile. protocol.md section 3.3.
  state @0 :LoanState;
  place @1 :PartPlace;
  token @2 :Text;
  since @3 :Int64;                  # moment, when the room was lent
  startedAt @4 :Common.BoxedInt64;  # moment; null: the driver has not said yet
  toldAt @5 :Common.BoxedInt64;     # moment when it was told to end; null: it was not
  recalledFor @6 :Text;             # the job that is due there; "": none is known
  pausedAt @7 :Common.BoxedInt64;   # moment since when it is off its cores; null: it has them
  paused @8 :Int64;                 # boot span for which it was paused before that
}

struct Lent {
  # A loan as the meta and people see it (protocol.md section 3.3).
  state @0 :LoanState;
  since @1 :Int64;                  # moment, when the room was lent
  startedAt @2 :Common.BoxedInt64;  # moment; null: the driver has not said yet
  recalledFor @3 :Text;             # the job that is due there; "": none is known
  nodes @4 :List(Text) $Common.atMost(Common.nodesPerPart);  # opaque; the first runs the command
  pausedAt @5 :Common.BoxedInt64;   # moment since when it has been paused; null: it is not
}

struct OnlyLent {
  # That all room of a part is lent, and whether it was taken back.
  since @0 :Int64;                   # moment, when the room was lent
  recalledAt @1 :Common.BoxedInt64;  # moment when it was told to end; null: it was not
  recalledFor @2 :Text;              # the job that is due there; "": none is known
}

struct PartRecord {
  # A part's record in a site's ledger.
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  state @1 :PartState;
  place @2 :PartPlace;
  rendezvous @3 :Text;  # host:port, chosen by the site when prepared, kept until CLOSED
  tries @4 :UInt32;     # start attempts so far
  token @5 :Text;       # of the current try, "EPOCH.NUMBER.INDEX.TRIES"; empty before STARTING
  startedAt @6 :Common.BoxedInt64;  # moment; null: not yet
  endedAt @7 :Common.BoxedInt64;    # moment; null: not yet
  end @8 :PartEnd;
  usage @9 :Usage;
  usageFinal @10 :Bool;
  extended @11 :Int64;  # span booked beyond the duration, by extensions
  counts @12 :List(UInt64) $Common.atMost(Common.chunksPerPart);
  # Current sets per chunk after a resize; empty if never resized.
  loan @13 :Loan;       # null: none; the part is booked or ready while it has one
  recalls @14 :UInt32;  # how often a loan was recalled
  lost @15 :Int64;      # boot span of recalled lives, whose work is lost
  saved @16 :Int64;     # span of its duration, what recalled lives have done and saved
  onlyLent @17 :OnlyLent;  # null: its room is its own
  paused @18 :Int64;    # boot span of the time since it started, paused on lent room
}

struct HoldRecord {
  # A hold's record in a site's ledger. Complete enough that a restored meta can rebuild its attempt
  # from it. Travels in `Listing`.
  order @0 :HoldOrder;
  state @1 :HoldState;
  closedAs @2 :ClosedAs;
  cause @3 :Common.Cause;  # cause of the last move or of the close
  start @4 :Int64;         # instant, the booked start
  lease @5 :Deadline;      # null: not HELD
  deadline @6 :Deadline;   # D; null: never prepared
  started @7 :Started;
  parts @8 :List(PartRecord) $Common.atMost(Common.partsPerRequest);  # empty in a tombstone
  permit @9 :Permit;     # null: none received
  revision @10 :UInt64;  # revision of its last change
  dated @11 :Common.BoxedInt64;
  # Instant that a ceiling of the site gave it when it was booked; null: nothing barred it.
}
