# Holds: what a site binds itself to for one attempt. How they are ordered, their states, their
# parts, how a site records them.
#
# A hold is named by its fence at its site. The site is the only writer of its state; the meta keeps
# a mirror fed by `Report`. The rows H1 to H22 are those of the protocol's hold table.
#
#   -          hold held       HELD        leased: serves quotes and searches of several rounds
#   - or HELD  hold, prepare   PREPARED    binds until D, like every later state
#   PREPARED   commit          COMMITTED   the attempt is decided at the meta
#   both       permit          PERMITTED   the only right to start, durable at the meta before sent
#   any        release, end    CLOSED      as released, expired, dropped or ended
#
# D, the deadline, is the start plus `deadlineAfter`. It is fixed when prepared and no order moves
# it; an unpermitted hold closes at D by the site's own clock (H11), whatever became of the meta.

@0xef5ea1ff0b3fe481;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";
using Request = import "request.capnp";

enum HoldState {
  # In the order of life: an order never takes a hold back.
  none @0;
  held @1;
  prepared @2;
  committed @3;
  permitted @4;
  closed @5;
}

enum ClosedAs {
  notClosed @0;
  released @1;  # by the meta's word; also a tombstone: released before it was created (H5)
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
  # Did anything of this hold ever run? "Unknown" is said only when the driver cannot tell, and
  # keeps the meta from placing the request again by itself.
  no @0;
  yes @1;
  unknown @2;
}

struct Requester {
  # Who asks. The meta vouches for the name; the site maps it to an account by its own rules.
  user @0 :Text $Common.atMost(Common.nameBytes);
  groups @1 :List(Text) $Common.atMost(Common.groupsPerUser);
}

struct PartDemand {
  # One part as a site plans it. With s = start + offset, booked is
  # [s - turnover, s + duration + tail).
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);  # of the part in its request, from 1
  chunks @1 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);
  duration @2 :Int64;  # span
  offset @3 :Int64;    # span after the hold's start
  tail @4 :Int64;      # span: `start_wait` for co-allocations (given back at the start), else 0
  place @5 :Request.Place;
  exclusive @6 :Bool;
  jobwide @7 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # of the site, of no node
  group @8 :Text $Common.atMost(Common.nameBytes);                     # "switch", or ""
}

struct HoldOrder {
  # All that one attempt wants of one site. Meta to site, in `Orders`, while the attempt is HOLDING.
  #
  # Receiver: H1 (held), H2 (prepared), H3 (committed: direct, one member only), each with a synced
  # write before the answer, which is a change in `Report`. Infeasible or over a cap: `countered`,
  # with the way out (H4). Fence below the floor: `stale`, no write (H22). `assumed` never refuses:
  # an equal p lets the site reuse the verdict's mapping, else it plans again.
  # Key: (site, fence). A duplicate reports the present state and changes nothing (H20); one that
  # arrives after its release finds the tombstone, or after that the floor, and creates nothing.
  # Bound: `ordersPerMessage`; the site's caps on holds, leased holds and holds of one user.
  fence @0 :Common.Fence;
  request @1 :UInt64;
  jobName @2 :Text $Common.atMost(Common.nameBytes);
  requester @3 :Requester;
  requestClass @4 :Request.RequestClass;
  priority @5 :Int32;  # rank: higher is more urgent
  members @6 :List(Text) $Common.atMost(Common.partsPerRequest);    # all sites, ascending
  partCount @7 :UInt32 $Common.atMost(Common.partsPerRequest);      # of the whole request
  partSites @8 :List(Text) $Common.atMost(Common.partsPerRequest);  # of every part, in part order
  parts @9 :List(PartDemand) $Common.atMost(Common.partsPerRequest);  # this site's, ascending
  payload @10 :Request.Payload;
  payloadDigest @11 :Data;  # 32 bytes, of the payload: lets a restored meta adopt the hold safely
  allowed @12 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);
  # Starts of the attempt that are allowed; the site books the first feasible one.
  earliest @13 :Int64;      # instant; the site never moves the start before it (H17)
  stage @14 :HoldState;     # asked for: held, prepared or committed
  lease @15 :Int64;         # boot span, of a held one only; armed on receipt
  deadlineAfter @16 :Int64; # span: D = start + this
  assumed @17 :UInt64;      # plan revision of the verdict this rests on; 0: none
  replaces @18 :Common.Fence;
  # The hold of the same request that this one takes the place of, closed in the same write as the
  # commit (H9). Both may overlap on the same nodes meanwhile, since at most one gets a permit.
  # null: none.
  inside @19 :Common.BoxedUInt64;         # request of the reservation it runs in; null: none
  reserves @20 :Request.ReservationSpec;
  # null: it starts processes; else its permit opens it to its ACL.
  notice @21 :Request.Notice;             # before the end; null: none
  startNotice @22 :Int64;                 # span; the site moves no start nearer than now + it (H17)
  keepsOrder @23 :Bool;                   # the site moves no start earlier before the permit (H17)
}

struct Permit {
  # The only right to start. Durable at the meta before it is sent, given to one attempt of a
  # request.
  lastStart @0 :Int64;  # instant; no part starts after this plus its offset, ever (H18)
  rendezvous @1 :List(Text) $Common.atMost(Common.partsPerRequest);
  # host:port of every part of the request, in part order.
  secret @2 :Data;      # 32 bytes, the same in all parts; drawn by the meta, kept with the permit
}

struct ChunkPlace {
  # One chunk set on one node.
  node @0 :Text;
  resources @1 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
}

struct PartPlace {
  # Where a part is mapped: one entry per chunk set, in chunk order; the first names the node it
  # runs on.
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  chunks @1 :List(ChunkPlace) $Common.atMost(Common.nodesPerPart);
}

struct Usage {
  # What a part used, cumulative per (fence, part). Stored by overwriting at a higher revision,
  # charged once when final. A site with unacknowledged usage never deletes it.
  elapsed @0 :Int64;                     # boot span
  cpu @1 :Common.BoxedInt64;             # boot span; null: not measured
  maxRssBytes @2 :Common.BoxedInt64;     # null: not measured
}

enum EndedBy {
  notEnded @0;
  exit @1;           # by itself: exit code or signal
  walltime @2;
  release @3;        # stopped on the meta's or user's word
  failedToStart @4;  # nothing ran
  unknown @5;        # the driver cannot tell: the outcome is unknown
}

struct PartEnd {
  by @0 :EndedBy;
  exitCode @1 :Common.BoxedInt32;  # null: no process ended by exit, or its end was not seen
  signal @2 :Common.BoxedInt32;    # null: not ended by a signal
  text @3 :Text;                   # one line for people when there is more to say
}

struct Deadline {
  # A lease or D, armed. Survives a restart of the daemon (same boot: `boot` holds) and of the
  # machine (else remaining = wall - now, clamped to [0, span]), so that neither can lengthen it.
  bootId @0 :Text;
  boot @1 :Int64;  # boot instant
  wall @2 :Int64;  # moment
  span @3 :Int64;  # boot span
}

struct PartRecord {
  # A part in a site's ledger.
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  state @1 :PartState;
  place @2 :PartPlace;
  rendezvous @3 :Text;  # host:port, chosen by the site when prepared, kept until CLOSED
  tries @4 :UInt32;     # starts tried
  token @5 :Text;       # of the current try, "EPOCH.NUMBER.INDEX.TRIES"; empty before STARTING
  startedAt @6 :Common.BoxedInt64;  # moment; null: not yet
  endedAt @7 :Common.BoxedInt64;    # moment; null: not yet
  end @8 :PartEnd;
  usage @9 :Usage;
  usageFinal @10 :Bool;
  extended @11 :Int64;  # span booked beyond its duration, by an extension while it ran
  counts @12 :List(UInt64) $Common.atMost(Common.chunksPerPart);
  # Sets of every chunk it has now, if it was resized; else empty.
}

struct HoldRecord {
  # A hold in a site's ledger: enough for a restored meta to rebuild the attempt. Travels in
  # `Listing`.
  order @0 :HoldOrder;
  state @1 :HoldState;
  closedAs @2 :ClosedAs;
  cause @3 :Common.Cause;  # of the last move or of the close
  start @4 :Int64;         # instant, booked
  lease @5 :Deadline;      # null: not HELD
  deadline @6 :Deadline;   # D; null: never prepared
  started @7 :Started;
  parts @8 :List(PartRecord) $Common.atMost(Common.partsPerRequest);  # empty in a tombstone
  permit @9 :Permit;       # null: none received
  revision @10 :UInt64;    # in the feed, of its last change
}
