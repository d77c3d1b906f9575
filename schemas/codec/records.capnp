# What the daemons keep: the values behind the keys of their stores.
#
# Form. Eight bytes, then a message as in common.capnp. The eight bytes are "muster" and two
# letters: the daemon ("S" site, "M" meta) and the version of this form ("1"). A file of something
# else, or of the other daemon, is thus recognised and refused before anything is read of it.
# What a daemon wrote it can read: a record is held to its form only.
#
# Keys are text, '/'-separated, numbers as 16 hex digits so that key order is number order; a fence
# is "EPOCH.NUMBER". One turn's records are one synced batch; a record is always written whole.
#
# A core rebuilt from its records equals the live one: nothing here may be derivable only from
# memory, and what is not here (attempts being placed, verdicts, capacity, figures) may be lost at
# any time.

@0xd6c2a9cadb17e899;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";
using Request = import "request.capnp";
using Hold = import "hold.capnp";
using SiteLink = import "site_link.capnp";
using Client = import "client.capnp";

# ---- of a site -----------------------------------------------------------------------------------

struct SiteIdentity {
  # "site", once in a store.
  federation @0 :Text $Common.atMost(Common.nameBytes);
  site @1 :Text $Common.atMost(Common.nameBytes);
  epoch @2 :UInt64;        # highest welcomed
  incarnation @3 :UInt64;  # of the last start; written before its first hello
  floor @4 :Common.Fence;  # highest seen
  feed @5 :SiteLink.FeedPosition;     # last change made
  acknowledged @6 :UInt64;            # revision durable at the meta
  values @7 :SiteLink.ProtocolValues; # of the last welcome; null: never welcomed
  lastLocal @8 :UInt64;               # number of the last local job
}

struct ChangeRecord {
  # "change/REVISION": a change not yet acknowledged, deleted once it is.
  change @0 :SiteLink.Change;
  digest @1 :Data;  # 32 bytes: the chain digest after it, stored because it is never made again
}

struct NodeRecord {
  # "node/NAME": a node an operator took out of use.
  name @0 :Text;
  reason @1 :Text;
  who @2 :Text;
  at @3 :Int64;  # moment
  forGood @4 :Bool;  # it counts as gone until it is resumed
}

struct SizeRecord {
  # "size/NAME": the most a node is known to have had.
  name @0 :Text;
  had @1 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
}

struct SteerDoneRecord {
  # "steer/ORDER": an operator's order that was carried out, so that it is not again; the last 1,000
  # are kept.
  result @0 :SiteLink.Steered;
}

struct LocalRecord {
  # "local/NUMBER": a job submitted at the site itself. Its hold has fence (0, NUMBER) and was
  # PERMITTED in the same write. Kept 90 days after its end.
  number @0 :UInt64;
  requester @1 :Hold.Requester;
  key @2 :Client.ClientKey;
  digest @3 :Data;  # 32 bytes, of the spec with its payload
  spec @4 :Request.RequestSpec;  # without payload: the hold has it
  submittedAt @5 :Int64;  # moment
  state @6 :Client.RequestState;
  outcome @7 :Client.BoxedOutcome;  # null until ended
  history @8 :List(Client.FigureChange) $Common.atMost(Common.historyRows);
  events @9 :List(Client.JobEvent) $Common.atMost(Common.historyRows);
  parts @10 :List(Client.PartView) $Common.atMost(Common.partsPerRequest);  # once its hold is gone
}

struct SiteRecord {
  union {
    siteIdentity @0 :SiteIdentity;
    holdRecord @1 :Hold.HoldRecord;
    # "hold/EPOCH.NUMBER"; deleted when CLOSED, acknowledged and below the floor.
    changeRecord @2 :ChangeRecord;
    nodeRecord @3 :NodeRecord;
    steerDoneRecord @4 :SteerDoneRecord;
    localRecord @5 :LocalRecord;
    sizeRecord @6 :SizeRecord;
  }
}

# ---- of the meta ---------------------------------------------------------------------------------

struct MetaIdentity {
  # "meta", once in a store.
  federation @0 :Text $Common.atMost(Common.nameBytes);
  epoch @1 :UInt64;        # of the last start; written before its first welcome
  lastRequest @2 :UInt64;  # highest number given out
  lastOrder @3 :UInt64;    # of operators to sites
  lastAudit @4 :UInt64;
}

struct RequestRecord {
  # "request/ID": what was asked and how it stands. Written before `Accepted`; kept 90 days after
  # its end, and its client key with it.
  id @0 :UInt64;
  requester @1 :Hold.Requester;
  key @2 :Client.ClientKey;
  digest @3 :Data;  # 32 bytes, of the spec
  spec @4 :Request.RequestSpec;
  submittedAt @5 :Int64;  # moment
  state @6 :Client.RequestState;
  outcome @7 :Client.BoxedOutcome;  # null until ended
  reason @8 :Common.Reason;         # why no promise, why refused or parked; null: none
  replacements @9 :UInt32;
  attempt @10 :Common.Fence;        # the one that binds now, or bound last; null: none yet
  history @11 :List(Client.FigureChange) $Common.atMost(Common.historyRows);  # told, oldest first
  events @12 :List(Client.JobEvent) $Common.atMost(Common.historyRows);
  parked @13 :Bool;  # by its user or an operator: no permit until unparked
}

enum AttemptState {
  # The states of the meta's co-allocation table (C1 to C13). Durable from decided on; with one
  # member from permitted on.
  seeking @0;
  holding @1;
  decided @2;
  committed @3;
  barrier @4;
  permitted @5;
  running @6;
  partial @7;
  aborting @8;
  closed @9;
}

struct AttemptRecord {
  # "attempt/EPOCH.NUMBER". The decision, the promise and what it supersedes are one write; so is a
  # permit.
  fence @0 :Common.Fence;
  request @1 :UInt64;
  state @2 :AttemptState;
  members @3 :List(Text) $Common.atMost(Common.partsPerRequest);    # sites, ascending
  partSites @4 :List(Text) $Common.atMost(Common.partsPerRequest);  # of every part, in part order
  start @5 :Int64;     # instant
  deadline @6 :Int64;  # moment, D
  replaces @7 :Common.Fence;      # null: none
  supersededBy @8 :Common.Fence;  # null: none; a superseded attempt gets no permit
  permit @9 :Hold.Permit;         # null: not written
  cause @10 :Common.Cause;        # of an abort or a partial start
  partial @11 :Bool;              # C11: some members ran and one never did; counted
  gated @12 :Bool;
  # n = 1 passes the barrier too: its permit waits for what its request comes after.
}

struct SiteLinkRecord {
  # "site/NAME": the feed position, stored in the batch that holds what followed from it.
  name @0 :Text $Common.atMost(Common.nameBytes);
  incarnation @1 :UInt64;
  feed @2 :SiteLink.FeedPosition;
  forgotten @3 :Common.BoxedInt64;
  # Moment at which an operator gave it up; null: not, or heard since.
}

struct MirrorPart {
  index @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  state @1 :Hold.PartState;
  booking @2 :SiteLink.PartBooking;
  startedAt @3 :Common.BoxedInt64;  # moment; null: not reported
  endedAt @4 :Common.BoxedInt64;    # moment; null: not reported
  end @5 :Hold.PartEnd;
  usage @6 :Hold.Usage;
  usageFinal @7 :Bool;
}

struct MirrorRecord {
  # "mirror/SITE/EPOCH.NUMBER": one hold of one site as its feed told it. Equal to the site's ledger
  # at the stored feed position; the meta never guesses beyond it.
  site @0 :Text $Common.atMost(Common.nameBytes);
  fence @1 :Common.Fence;
  request @2 :UInt64;
  state @3 :Hold.HoldState;
  closedAs @4 :Hold.ClosedAs;
  cause @5 :Common.Cause;
  start @6 :Int64;                 # instant
  deadline @7 :Common.BoxedInt64;  # moment; null: never prepared
  started @8 :Hold.Started;
  parts @9 :List(MirrorPart) $Common.atMost(Common.partsPerRequest);
  revision @10 :UInt64;
}

struct ScriptRecord {
  # "script/ID": a script too large to be written again with every change of its request, stored
  # once. The request's own record then has an empty script.
  request @0 :UInt64;
  script @1 :Data $Common.atMost(Common.scriptBytes);
}

struct SteerRecord {
  # "steer/ORDER": an operator's word to a site, until the site's feed has answered it.
  site @0 :Text $Common.atMost(Common.nameBytes);
  steer @1 :SiteLink.Steer;
  at @2 :Int64;  # moment
}

struct KeyRecord {
  # "key/NAME": says something else of a key than the configuration does, as long as the
  # configuration still names `listed`.
  name @0 :Text;
  listed @1 :Text;
  publicKey @2 :Text;  # heard instead; empty: revoked
  at @3 :Int64;        # moment
}

struct SchedulerRecord {
  # "scheduler", once in a store: what operators set over the configuration, and the vote.
  set @0 :Client.SchedulerChange;
  saturated @1 :Bool;
  leaning @2 :Text;
  switches @3 :List(Client.SwitchRow) $Common.atMost(Common.historyRows);  # oldest first
  counted @4 :UInt64;  # number of the newest job that has voted: later ones have not yet
}

struct WidthCount {
  step @0 :Int32;
  count @1 :UInt64;
}

struct OutcomeCounts {
  site @0 :Text $Common.atMost(Common.nameBytes);  # "": all
  promises @1 :UInt64;
  kept @2 :UInt64;
  late @3 :List(Client.LateCount) $Common.atMost(Common.namesPerSet);
  intervals @4 :UInt64;
  held @5 :UInt64;
  widths @6 :List(WidthCount) $Common.atMost(Common.rowsPerPage);
  starts @7 :UInt64;
  near @8 :UInt64;
  within @9 :UInt64;
}

struct OutcomeRecord {
  # "outcomes/DAY": how promises and forecasts came out on one day.
  day @0 :Int64;  # since 1970, UTC
  sites @1 :List(OutcomeCounts) $Common.atMost(Common.actTargets);
}

struct MetaRecord {
  union {
    metaIdentity @0 :MetaIdentity;
    requestRecord @1 :RequestRecord;
    attemptRecord @2 :AttemptRecord;
    siteLinkRecord @3 :SiteLinkRecord;
    mirrorRecord @4 :MirrorRecord;
    scriptRecord @5 :ScriptRecord;
    steerRecord @6 :SteerRecord;
    keyRecord @7 :KeyRecord;
    auditRow @8 :Client.AuditRow;
    schedulerRecord @9 :SchedulerRecord;
    outcomeRecord @10 :OutcomeRecord;
  }
}
