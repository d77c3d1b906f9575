# The daemons' durable records: the values behind the keys of their stores.
#
# Form. Eight bytes, then a message as in common.capnp. The eight bytes are "muster" and two
# characters: the daemon ("S" site, "M" meta) and the version of this form ("1"). So a foreign file,
# or one of the other daemon, is recognised and refused before it is read. A daemon can read
# whatever it wrote: a record is checked for its form only.
#
# Keys are text with '/' between components. Numbers have 16 hex digits, so that key order equals
# numeric order; a fence is "EPOCH.NUMBER". All records of a turn form one synced batch. A record is
# always written whole.
#
# A core rebuilt from its records equals the live one. So everything that must survive is here, and
# what is not here (attempts being placed, verdicts, capacity, figures) may be lost at any time.

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
  # "site", once per store.
  federation @0 :Text $Common.atMost(Common.nameBytes);
  site @1 :Text $Common.atMost(Common.nameBytes);
  epoch @2 :UInt64;                # highest epoch that welcomed this site
  incarnation @3 :UInt64;          # incarnation of the last start; written before its first hello
  floor @4 :Common.Fence;          # highest floor seen
  feed @5 :SiteLink.FeedPosition;  # position of the last change
  acknowledged @6 :UInt64;         # revision that the meta has stored durably
  values @7 :SiteLink.ProtocolValues;  # values of the last welcome; null: never welcomed
  lastLocal @8 :UInt64;                # number of the last local job
}

struct ChangeRecord {
  # "change/REVISION": a change that the meta has not acknowledged yet, or the last one that it has.
  change @0 :SiteLink.Change;
  digest @1 :Data;  # 32 bytes: the chain digest after the change; stored, never recomputed
}

struct NodeRecord {
  # "node/NAME": a node that an operator, or the site itself (R5, R6), took out of use.
  name @0 :Text;
  reason @1 :Text;
  who @2 :Text;
  at @3 :Int64;  # moment
  forGood @4 :Bool;  # the node counts as gone until it is resumed
}

struct SizeRecord {
  # "size/NAME": the most resources that the node ever had, less what an operator gave up.
  name @0 :Text;
  had @1 :List(Common.Amount) $Common.atMost(Common.namesPerSet);
}

struct SteerDoneRecord {
  # "steer/ORDER": result of an operator's order, so that a repeated order is not carried out again.
  # The last 1,000 are kept.
  result @0 :SiteLink.Steered;
}

struct LocalRecord {
  # "local/NUMBER": a job submitted at the site itself. Its first hold has fence (0, NUMBER) and is
  # PERMITTED in the same write. Kept 90 days after its end.
  number @0 :UInt64;
  requester @1 :Hold.Requester;
  key @2 :Client.ClientKey;
  digest @3 :Data;               # 32 bytes, of the spec with its payload
  spec @4 :Request.RequestSpec;  # without the payload, which the hold has
  submittedAt @5 :Int64;         # moment
  state @6 :Client.RequestState;
  outcome @7 :Client.BoxedOutcome;  # null until ended
  history @8 :List(Client.FigureChange) $Common.atMost(Common.historyRows);
  events @9 :List(Client.JobEvent) $Common.atMost(Common.historyRows);
  parts @10 :List(Client.PartView) $Common.atMost(Common.partsPerRequest);
  # Final views of the parts, once the hold is deleted.
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
    useRecord @7 :UseRecord;
  }
}

# ---- of the meta ---------------------------------------------------------------------------------

struct MetaIdentity {
  # "meta", once per store.
  federation @0 :Text $Common.atMost(Common.nameBytes);
  epoch @1 :UInt64;        # epoch of the last start; written before its first welcome
  lastRequest @2 :UInt64;  # highest number assigned
  lastOrder @3 :UInt64;    # number of the last order to a site
  lastAudit @4 :UInt64;
}

struct RequestRecord {
  # "request/ID": a request as submitted, and its present state. Written before `Accepted`; kept 90
  # days after its end, together with its client key.
  id @0 :UInt64;
  requester @1 :Hold.Requester;
  key @2 :Client.ClientKey;
  digest @3 :Data;  # 32 bytes, of the spec
  spec @4 :Request.RequestSpec;
  submittedAt @5 :Int64;  # moment
  state @6 :Client.RequestState;
  outcome @7 :Client.BoxedOutcome;  # null until ended
  reason @8 :Common.Reason;  # why there is no promise, or why it was refused or parked; null: none
  replacements @9 :UInt32;
  attempt @10 :Common.Fence;  # the attempt that binds now, or the last one that did; null: none yet
  history @11 :List(Client.FigureChange) $Common.atMost(Common.historyRows);  # oldest first
  events @12 :List(Client.JobEvent) $Common.atMost(Common.historyRows);
  parked @13 :Bool;  # by its user or an operator: gets no permit until unparked
  waited @14 :Int64;      # seconds in which it could have been placed before `waitsSince`
  waitsSince @15 :Int64;  # moment; 0: its submission
  lien @16 :Client.Lien;  # what is set aside for it, and what it was charged; null: nothing
  recalls @17 :UInt32;    # attempts with only lent room that were recalled
  lost @18 :Int64;        # boot span of these, whose work is lost
  saved @19 :Int64;       # span of its duration, what these have done and saved
}

enum AttemptState {
  # The attempt states of the protocol (C1 to C13). Attempts are durable from decided on; those of
  # one member that are not gated skip the states up to barrier, so from permitted on.
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
  # "attempt/EPOCH.NUMBER". One write holds the decision, the promise, and the mark on the
  # superseded attempt; a permit is one write too.
  fence @0 :Common.Fence;
  request @1 :UInt64;
  state @2 :AttemptState;
  members @3 :List(Text) $Common.atMost(Common.partsPerRequest);    # sites, ascending
  partSites @4 :List(Text) $Common.atMost(Common.partsPerRequest);  # of every part, in part order
  start @5 :Int64;                # instant
  deadline @6 :Int64;             # moment, D
  replaces @7 :Common.Fence;      # null: none
  supersededBy @8 :Common.Fence;  # null: none; a superseded attempt gets no permit
  permit @9 :Hold.Permit;         # null: not written
  cause @10 :Common.Cause;        # cause of an abort or of a partial start
  partial @11 :Bool;              # C11 was taken: counted as a partial start
  gated @12 :Bool;
  # The attempt has one member and passes the barrier all the same, because its permit waits for a
  # gate.
  counted @13 :List(UInt64) $Common.atMost(Common.partsPerRequest);
  # Parts, from 1, whose final use is on record.
  onlyLent @14 :Bool;  # all its room is lent
}

struct SiteLinkRecord {
  # "site/NAME": the state of a site's link. The feed position is stored in the same batch as what
  # follows from it.
  name @0 :Text $Common.atMost(Common.nameBytes);
  incarnation @1 :UInt64;
  feed @2 :SiteLink.FeedPosition;
  forgotten @3 :Common.BoxedInt64;
  # Moment at which an operator gave the site up; null: nobody did, or the site was heard since.
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
  # "mirror/SITE/EPOCH.NUMBER": one hold of one site, as the site's feed reported it. It equals the
  # site's ledger at the stored feed position; the meta never guesses beyond it.
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
  # "script/ID": a script above 2 kB, stored once so that changes of its request need not write it
  # again. The request's own record then has an empty script.
  request @0 :UInt64;
  script @1 :Data $Common.atMost(Common.scriptBytes);
}

struct SteerRecord {
  # "steer/ORDER": an operator's order to a site, kept until the site's feed answers it.
  site @0 :Text $Common.atMost(Common.nameBytes);
  steer @1 :SiteLink.Steer;
  at @2 :Int64;  # moment
}

struct KeyRecord {
  # "key/NAME": overrides a key of the configuration, as long as the configuration still lists
  # `listed` for that name.
  name @0 :Text;
  listed @1 :Text;
  publicKey @2 :Text;  # accepted instead; empty: revoked
  at @3 :Int64;        # moment
}

struct SchedulerRecord {
  # "scheduler", once per store: operators' settings, which override the configuration, and the
  # vote.
  set @0 :Client.SchedulerChange;
  saturated @1 :Bool;
  leaning @2 :Text;
  switches @3 :List(Client.SwitchRow) $Common.atMost(Common.historyRows);  # oldest first
  counted @4 :UInt64;  # number of the newest job that has voted
}

struct WidthCount {
  step @0 :Int32;
  count @1 :UInt64;
}

struct AheadCount {
  beforeS @0 :UInt32;  # so many seconds before the start
  starts @1 :UInt64;
  held @2 :UInt64;
  errorS @3 :UInt64;  # sum over the starts
}

struct SaidCount {
  fromS @0 :UInt32;  # the class of expected waits that begins here
  starts @1 :UInt64;
  errorS @2 :UInt64;  # sum over the starts
}

struct VoiceCount {
  # Intervals of one user's submissions of one day.
  voice @0 :UInt64;
  intervals @1 :UInt64;
  held @2 :UInt64;
}

struct OutcomeCounts {
  site @0 :Text $Common.atMost(Common.nameBytes);  # "": all sites
  promises @1 :UInt64;
  kept @2 :UInt64;
  late @3 :List(Client.LateCount) $Common.atMost(Common.namesPerSet);
  intervals @4 :UInt64;
  held @5 :UInt64;
  widths @6 :List(WidthCount) $Common.atMost(Common.rowsPerPage);
  starts @7 :UInt64;
  near @8 :UInt64;
  within @9 :UInt64;
  ahead @10 :List(AheadCount) $Common.atMost(Common.namesPerSet);
  said @11 :List(SaidCount) $Common.atMost(Common.namesPerSet);
  runs @12 :UInt64;
  millibits @13 :UInt64;
  expectedWork @14 :UInt64;
  doneWork @15 :UInt64;
  voices @16 :List(VoiceCount) $Common.atMost(Common.rowsPerPage);
}

struct OutcomeRecord {
  # "outcomes/DAY": how the promises and forecasts of one day came out.
  day @0 :Int64;  # days since 1970, UTC
  sites @1 :List(OutcomeCounts) $Common.atMost(Common.actTargets);
}

struct UseRecord {
  # "use/WINDOW/WHO", of either daemon: what ended parts used in one window, at all sites or at this
  # one.
  window @0 :Int64;  # instant of its begin
  who @1 :Text $Common.atMost(Common.nameBytes);  # "kim", "@weather"; "*": everybody
  amount @2 :Int64;  # processor-milliseconds
}

struct AccountRecord {
  # "account/NAME": what an account has.
  name @0 :Text $Common.atMost(Common.nameBytes);
  balance @1 :Int64;  # millionths of a credit, as all amounts
  allocations @2 :List(Client.Allocation) $Common.atMost(Common.rowsPerPage);
}

struct FareRecord {
  # "fare/SITE": how the jobs of users at home there fared that ended in a window, beside being
  # alone; the newest window. Waits in seconds.
  site @0 :Text $Common.atMost(Common.nameBytes);
  from @1 :Int64;  # instant
  until @2 :Int64;
  jobs @3 :UInt64;
  leftOut @4 :UInt64;
  waited @5 :Int64;
  waitedMost @6 :Int64;
  alone @7 :Int64;
  aloneMost @8 :Int64;
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
    useRecord @11 :UseRecord;
    accountRecord @12 :AccountRecord;
    entryRecord @13 :Client.EntryRecord;
    fareRecord @14 :FareRecord;
  }
}
