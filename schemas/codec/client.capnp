# The messages between clients (users, operators) and the meta, and what people are shown.
#
# A client dials; who it is comes from its CURVE key alone ("user:NAME"), its role with it. The
# checks are those of site_link.capnp, with `Refused` as the answer to what fails. A client that
# hears nothing within its own time-out may send the same again: every message here is safe to
# repeat.
#
# Only what is durable is `Accepted`. What only a site knows (output, bookings) the meta asks of it
# by `Inspect`. What a user may see of others is the meta's policy for its rows, the site's for its
# views.

@0xaf68c7ebbbc95677;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";
using Request = import "request.capnp";
using Hold = import "hold.capnp";
using SiteRows = import "site_rows.capnp";

# ---- client to meta ------------------------------------------------------------------------------

struct ClientKey {
  # Makes a submission safe to repeat. Deduplicated by (user, text) and the request's digest: same
  # key and digest is the same job, same key and another digest is refused.
  text @0 :Text;  # the user's TEXT of --once, or 32 hex digits when generated
  generated @1 :Common.BoxedInt64;
  # Moment at which the key was generated; refused once older than seven days, so that what the meta
  # has forgotten never runs twice. null: a TEXT, kept as long as its request's record.
}

struct Submit {
  # A new request. Any time.
  #
  # Receiver: validates, authorises, writes, then `Accepted`.
  # Key: `key`. Bound: `scriptBytes`, `messageBytes`, open requests of a user (20,000).
  key @0 :ClientKey;
  request @1 :Request.RequestSpec;
}

struct Ask {
  # When and where; binds nobody. Answered by `Rows` of offers, each with figures or a reason. The
  # payload is ignored. A duplicate is answered again. Bound: 50 outstanding a user, `answerWait`.
  request @0 :Request.RequestSpec;
}

struct Cancel {
  # Owner or operator. Written, then `Accepted`. Names a target: a cancelled job stays so. A job
  # that runs is CANCELLING until its sites closed. Bound: `actTargets`.
  requests @0 :List(UInt64) $Common.atMost(Common.actTargets);
  mayMove @1 :Bool;  # else a reservation with promised jobs inside that stay is a conflict
  onlyTry @2 :Bool;  # `Accepted` says what would move; nothing changes
}

enum ActVerb {
  # One verb on named targets; a target, not a step: repeated, it gives the same state.
  park @0;       # owner or operator: `requests` may not start until unparked
  unpark @1;     # owner or operator: they wait again, rank kept
  settle @2;     # operator: `requests` with an unknown outcome
  drain @3;      # operator: `nodes` take no new work; hard: what is booked there moves
  resume @4;     # operator: `nodes` are in use again
  forget @5;     # operator: `site` is given up
  reload @6;     # operator: the configuration is read again
  rotateKey @7;  # anybody: the caller's key is `publicKey` from now on
  revokeKey @8;  # operator: the key of `name` is heard no more
  alter @9;      # `requests` are as `changes` says from now on
  schedule @10;  # operator: the scheduler works as `scheduler` says from now on
}

enum Settlement {
  ended @0;     # it ran, or may have: its outcome is lost
  neverRan @1;  # it may be placed again
}

struct Names {
  # A list that replaces another; an empty one is said too.
  names @0 :List(Text) $Common.atMost(Common.groupsPerUser);
}

struct BoxedPlace { value @0 :Request.Place; }

struct PartAlteration {
  # Of one part of a request, or of all (part 0). Null or empty: as it was.
  part @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  chunks @1 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);
  place @2 :BoxedPlace;
  exclusive @3 :Common.BoxedBool;
  sites @4 :Names;
  notSites @5 :Names;
  group @6 :Text $Common.atMost(Common.nameBytes);  # "switch"; "none": anywhere
}

struct Alteration {
  # What `alter` changes. Null: as it was.
  duration @0 :Common.BoxedInt64;
  name @1 :Text $Common.atMost(Common.nameBytes);
  queue @2 :Text $Common.atMost(Common.nameBytes);
  apart @3 :Common.BoxedBool;
  at @4 :Common.BoxedInt64;
  from @5 :Common.BoxedInt64;
  startBy @6 :Common.BoxedInt64;
  deadline @7 :Common.BoxedInt64;
  cleared @8 :List(Text) $Common.atMost(Common.rowsPerPage);  # what holds no more: "at", "slots"
  parts @9 :List(PartAlteration) $Common.atMost(Common.partsPerRequest);
  allow @10 :Names;  # of a reservation
  confirm @11 :Bool;
  startNotice @12 :Common.BoxedInt64;  # span
  slots @13 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);  # empty: as they were
  notice @14 :Request.Notice;          # before the end
  after @15 :List(Request.Dependency) $Common.atMost(Common.dependencies);  # empty: as they were
}

struct Act {
  # Written, then `Accepted` with a note per target. What would move a promise without `mayMove` is
  # refused as conflict and changes nothing. Bound: `actTargets`.
  verb @0 :ActVerb;
  requests @1 :List(UInt64) $Common.atMost(Common.actTargets);
  nodes @2 :List(Text) $Common.atMost(Common.actTargets);  # "lakes/n1"; at a site "n1"
  site @3 :Text $Common.atMost(Common.nameBytes);
  name @4 :Text $Common.atMost(Common.nameBytes);          # "user:kim", "site:lakes"
  publicKey @5 :Text $Common.atMost(Common.nameBytes);
  reason @6 :Text $Common.atMost(Common.nameBytes);
  settled @7 :Settlement;
  hard @8 :Bool;
  mayMove @9 :Bool;
  onlyTry @10 :Bool;  # on a copy: says what would move, changes nothing
  changes @11 :Alteration;  # of alter; null: none
  scheduler @12 :SchedulerChange;  # of schedule; null: none
  forGood @13 :Bool;  # of drain: what is out does not come back
}

struct QueueWeight {
  queue @0 :Text $Common.atMost(Common.nameBytes);
  order @1 :Int64;  # its weight in extraction, at least 1
}

struct SchedulerChange {
  # What operators set of the scheduler. Null: as it was.
  packing @0 :Text $Common.atMost(Common.nameBytes);  # "auto": by vote; else a pinned algorithm
  threshold @1 :Common.BoxedInt64;  # seconds, of extraction
  unbounded @2 :Bool;               # an infinite threshold, instead of `threshold`
  blockMax @3 :Common.BoxedUInt64;
  orders @4 :List(QueueWeight) $Common.atMost(Common.rowsPerPage);
}

enum GetKind {
  jobs @0;    # rows of jobs without history and events
  job @1;     # whole
  sites @2;
  gantt @3;
  output @4;
  digest @5;  # of the durable state
  nodes @6;
  slots @7;     # where `spec` fits until `until`
  explain @8;   # of one job
  verdicts @9;  # of one job
  keys @10;
  audit @11;    # rows after `from`
  limits @12;
  scheduler @13;
  calibration @14;
}

struct Get {
  # Read-only; answered by `Rows`, again for a duplicate. Bound: `rowsPerPage` and `messageBytes` a
  # page.
  kind @0 :GetKind;
  requests @1 :List(UInt64) $Common.atMost(Common.actTargets);
  # Of job and output; of jobs: empty for all that match.
  everyone @2 :Bool;     # jobs: not only the caller's
  ended @3 :Bool;        # jobs: ended ones too
  last @4 :Bool;         # job: the caller's newest instead of `requests`
  pageAfter @5 :UInt64;  # rows after this request
  sites @6 :List(Text) $Common.atMost(Common.rowsPerPage);  # gantt, sites: only these; empty: all
  part @7 :UInt32;       # output
  errorStream @8 :Bool;  # output
  offset @9 :UInt64;     # output
  spec @10 :Request.RequestSpec;   # slots; null: none
  until @11 :Common.BoxedInt64;    # slots: instant
  from @12 :UInt64;                # audit
  locals @13 :List(UInt64) $Common.atMost(Common.actTargets);  # jobs of the one site named
}

enum FollowKind {
  jobs @0;
  events @1;  # everything that happens, from event `from` on as far as it is kept; 0: from now on
}

struct Follow {
  # Changes of jobs: their present view at once, then again on each change, until all have ended or
  # the client leaves. Repeated as a keep-alive at least every 10 s under the same number, which
  # replaces it; a silent follower is forgotten after three. Bound: 64 a user.
  requests @0 :List(UInt64) $Common.atMost(Common.actTargets);
  stop @1 :Bool;
  kind @2 :FollowKind;
  from @3 :UInt64;
}

struct ClientMessage {
  # Every message of a client.
  version @0 :UInt32;
  federation @1 :Text $Common.atMost(Common.nameBytes);  # empty: whatever the server is
  number @2 :UInt64;  # of the client; the answer names it
  expires @3 :Int64;  # moment; 0: never
  body :union {
    submit @4 :Submit;
    ask @5 :Ask;
    cancel @6 :Cancel;
    get @7 :Get;
    follow @8 :Follow;
    act @9 :Act;
  }
}

# ---- what people are shown -----------------------------------------------------------------------
#
# The documents of `--json` are these structs printed; a null box is JSON null, "unknown", never a
# guess.

enum RequestState {
  waiting @0;     # durable; estimate only
  parked @1;      # kept from starting by its user, or placed again too often
  promised @2;    # decided or permitted at the meta
  starting @3;
  running @4;
  cancelling @5;  # the cancel is durable
  unknown @6;     # permitted at a site that is silent
  ended @7;
}

enum Outcome {
  done @0;
  failed @1;
  timeout @2;
  cancelled @3;
  refused @4;
  lost @5;  # an unknown outcome given up by a person
}

struct BoxedOutcome { value @0 :Outcome; }

enum PartShown {
  # The later of hold and part, in this order.
  seeking @0;  # no hold yet
  held @1;
  prepared @2;
  committed @3;
  permitted @4;
  ready @5;
  starting @6;
  running @7;
  ending @8;
  ended @9;
  unknown @10;  # nobody can tell
}

struct Basis {
  # Which site answered, when, at which plan revision: no figure without it.
  site @0 :Text $Common.atMost(Common.nameBytes);
  answeredAt @1 :Int64;  # moment
  ageS @2 :Float64;      # seconds
  planRevision @3 :UInt64;
}

struct StartsBy {
  at @0 :Int64;   # instant
  firm @1 :Bool;      # true: the promise; false: a bound
  verified @2 :Bool;  # by the sites as their plans are now
}

struct Expected {
  # The forecast: median and interval at a stated confidence. Instants.
  start @0 :Int64;
  low @1 :Int64;
  high @2 :Int64;
  confidenceRatio @3 :Float64;
}

struct Figures {
  # The three parts of every figure. null: there is none, for the reason given.
  startsBy @0 :StartsBy;
  endsBy @1 :Common.BoxedInt64;  # instant
  noPromiseReason @2 :Common.Reason;
  expected @3 :Expected;
  basis @4 :List(Basis) $Common.atMost(Common.rowsPerPage);
}

struct FigureChange {
  # One entry of a request's list of figures, oldest first.
  at @0 :Int64;  # moment
  figures @1 :Figures;
  cause @2 :Common.Cause;  # null in the first ("submitted") only
}

struct JobEvent {
  # One line of a timeline.
  at @0 :Int64;   # moment
  code @1 :Text $Common.atMost(Common.nameBytes);
  # accepted, proposed, prepared, committed, decided, permitted, moved, ready, starting, started,
  # ended, released, dropped, aborted, partial, cancelled, refused
  part @2 :Text;  # "42.1" or empty
  site @3 :Text $Common.atMost(Common.nameBytes);
  elapsedS @4 :Common.BoxedFloat64;  # seconds
  text @5 :Text;  # one line for people
}

struct PartView {
  id @0 :Text;    # "42.1"
  site @1 :Text;  # null: not placed
  state @2 :PartShown;
  offsetS @3 :Int64;  # span
  place @4 :Request.Place;
  nodes @5 :List(Text) $Common.atMost(Common.nodesPerPart);
  chunks @6 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);
  startedAt @7 :Common.BoxedInt64;  # moment
  endedAt @8 :Common.BoxedInt64;    # moment
  exitCode @9 :Common.BoxedInt32;
  signal @10 :Common.BoxedInt32;
  used @11 :Hold.Usage;             # null: nothing reported
  endedText @12 :Text;  # one line when there is more to say than the exit
  group @13 :Text $Common.atMost(Common.nameBytes);  # "switch", or ""
}

struct ElementFailure {
  # An element that ended, and not well.
  id @0 :Text;  # "43[17]"
  outcome @1 :Outcome;
  exitCode @2 :Common.BoxedInt32;
  signal @3 :Common.BoxedInt32;
  text @4 :Text;  # one line when there is more to say; may be empty
}

struct ArrayView {
  # How the elements of an array stand, as counts.
  first @0 :UInt64;
  last @1 :UInt64;
  step @2 :UInt64;
  atOnce @3 :UInt64;     # 0: any number
  waiting @4 :UInt64;    # parked ones too
  promised @5 :UInt64;
  running @6 :UInt64;    # starting ones too
  unknown @7 :UInt64;
  done @8 :UInt64;
  failed @9 :UInt64;     # failed, timeout, lost
  cancelled @10 :UInt64; # refused ones too
  failures @11 :List(ElementFailure) $Common.atMost(Common.failuresShown);  # the first ones
  sites @12 :List(Text) $Common.atMost(Common.rowsPerPage);  # where elements are or were; ascending
}

struct EndNotice {
  # Word to the running job before its time ends.
  beforeS @0 :Int64;  # span
  signal @1 :Text $Common.atMost(Common.nameBytes);      # "USR1"; "": none
  argv @2 :List(Text) $Common.atMost(Common.arguments);  # run beside the job; empty: none
}

struct JobView {
  # The one job shape. `history` and `events` are left empty in a queue.
  id @0 :Text;
  name @1 :Text;
  user @2 :Text $Common.atMost(Common.nameBytes);
  kind @3 :Request.RequestClass;
  state @4 :RequestState;
  outcome @5 :BoxedOutcome;  # null until ended
  submittedAt @6 :Int64;     # moment
  once @7 :Text;             # null: none given
  durationS @8 :Int64;       # span
  apart @9 :Bool;
  at @10 :Common.BoxedInt64;        # instants of the window
  from @11 :Common.BoxedInt64;
  startBy @12 :Common.BoxedInt64;
  deadline @13 :Common.BoxedInt64;
  queue @14 :Text $Common.atMost(Common.nameBytes);
  rerunnable @15 :Bool;
  keepGoing @16 :Bool;
  figures @17 :Figures;
  parts @18 :List(PartView) $Common.atMost(Common.partsPerRequest);
  history @19 :List(FigureChange) $Common.atMost(Common.historyRows);
  events @20 :List(JobEvent) $Common.atMost(Common.historyRows);
  after @21 :List(Text) $Common.atMost(Common.dependencies);  # "ok:41", "any:43[7]"
  array @22 :ArrayView;  # of a whole array; its figures are those of all elements. null: no array
  firm @23 :Bool;
  reservation @24 :Text;  # it runs in: "R7"; null: in none
  reserves @25 :Bool;     # it is one, open to `allow`
  allow @26 :List(Text) $Common.atMost(Common.groupsPerUser);
  slots @27 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);  # empty: any time
  startNoticeS @28 :Int64;  # span: no move puts its start nearer than this
  endNotice @29 :EndNotice;  # null: none
}

struct OfferView {
  # One row of `Ask`: one site, or one set of sites for several parts.
  sites @0 :List(Text) $Common.atMost(Common.partsPerRequest);  # of each part, in part order
  figures @1 :Figures;
  waitsFor @2 :List(Common.Reason) $Common.atMost(Common.rowsPerPage);
  never @3 :Common.Reason;  # null: it fits some day
  largest @4 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);  # what would fit
}

enum SiteState {
  down @0;
  hello @1;
  syncing @2;
  up @3;
  silent @4;       # three heartbeats missed: figures are marked stale
  quarantined @5;  # clock or nonsense: no new holds, running parts go on
}

struct SiteView {
  # Boxes are null where nothing is known (yet).
  name @0 :Text $Common.atMost(Common.nameBytes);
  state @1 :SiteState;
  answeredAt @2 :Common.BoxedInt64;  # moment
  ageS @3 :Common.BoxedFloat64;
  planRevision @4 :Common.BoxedUInt64;
  clockOffsetS @5 :Common.BoxedFloat64;
  driver @6 :Text;
  capabilities @7 :List(Text) $Common.atMost(Common.namesPerSet);
  nodes @8 :Common.BoxedUInt32;
  nodesUp @9 :Common.BoxedUInt32;
  total @10 :List(Common.Amount) $Common.atMost(Common.namesPerSet);  # null: not known
  free @11 :List(Common.Amount) $Common.atMost(Common.namesPerSet);   # null: not known
  keptRatio @12 :Common.BoxedFloat64;  # of its promises; null while it made none
}

struct GanttSite {
  name @0 :Text $Common.atMost(Common.nameBytes);
  stale @1 :Bool;
  ageS @2 :Common.BoxedFloat64;
  nodes @3 :List(Text) $Common.atMost(Common.nodesPerSite);
  bookings @4 :List(SiteRows.BookingRow) $Common.atMost(Common.bookingRows);
}

struct OutputRow {
  # A piece of one part's output.
  part @0 :Text;  # "42.1"
  known @1 :Bool;
  data @2 :Data $Common.atMost(Common.outputPieceBytes);
  next @3 :UInt64;  # offset after it
  ended @4 :Bool;
}

struct ExplainPart {
  # What stands in the way of one part at its site.
  part @0 :Text;
  site @1 :Text $Common.atMost(Common.nameBytes);
  from @2 :Common.BoxedInt64;  # instant: it alone could start from here on; null: not known
  binds @3 :Bool;              # the last of all parts
  reasons @4 :List(Common.Reason) $Common.atMost(Common.blockers);  # the last to go first
}

struct ExplainChange {
  # A change of the request that would start it earlier.
  text @0 :Text;
  argv @1 :List(Text) $Common.atMost(Common.arguments);  # of muster
  startsBy @2 :Common.BoxedInt64;  # instant
  earlierS @3 :Int64;              # span
}

struct ExplainQueued {
  # How one waits that has no place yet.
  queue @0 :Text $Common.atMost(Common.nameBytes);
  place @1 :UInt64;    # in its queue, from 1
  waiting @2 :UInt64;  # in it
  leaving @3 :UInt64;  # of these with the next block
  block @4 :UInt64;    # with which it leaves, from the next one, if nobody comes
  blockAt @5 :Common.BoxedInt64;  # instant: the next one is due then; null: not known
  packing @6 :Text $Common.atMost(Common.nameBytes);
  sites @7 :List(Text) $Common.atMost(Common.partsPerRequest);  # of each part; empty: not yet
  ahead @8 :UInt64;    # of those who wait, laid out before it at one of these
  nearest @9 :List(Text) $Common.atMost(Common.blockers);  # of them, the last before it
}

struct ExplainRows {
  job @0 :Text;
  start @1 :Common.BoxedInt64;  # instant, planned; null: none
  startsBy @2 :StartsBy;        # null: none
  reason @3 :Common.Reason;     # null: its parts say it all
  parts @4 :List(ExplainPart) $Common.atMost(Common.partsPerRequest);
  changes @5 :List(ExplainChange) $Common.atMost(Common.rowsPerPage);  # best first
  noHelp @6 :List(Text) $Common.atMost(Common.rowsPerPage);
  more @7 :List(Text) $Common.atMost(Common.rowsPerPage);  # changes that are not told of, and why
  queued @8 :ExplainQueued;  # null: it waits in no queue
}

struct NodesOfSite {
  name @0 :Text $Common.atMost(Common.nameBytes);
  stale @1 :Bool;                 # as last seen: the site does not answer
  ageS @2 :Common.BoxedFloat64;   # null: never seen
  nodes @3 :List(SiteRows.NodeRow) $Common.atMost(Common.nodesPerSite);
}

struct VerdictRow {
  # One answer of one site about one job, and the question.
  round @0 :UInt64;
  at @1 :Int64;  # moment
  how @2 :Text;  # proposal, hold
  site @3 :Text $Common.atMost(Common.nameBytes);
  part @4 :Text;
  asked @5 :Common.BoxedInt64;  # instant
  verdict @6 :Text;
  start @7 :Common.BoxedInt64;  # instant
  starts @8 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);
  reason @9 :Common.Reason;     # null: none
  planRevision @10 :UInt64;
}

struct EventRow {
  # One line of events. Numbers rise by one within an epoch of the daemon.
  number @0 :UInt64;
  at @1 :Int64;  # moment
  code @2 :Text $Common.atMost(Common.nameBytes);
  job @3 :Text;
  part @4 :Text;
  site @5 :Text $Common.atMost(Common.nameBytes);
  user @6 :Text $Common.atMost(Common.nameBytes);
  text @7 :Text;
}

struct KeyRow {
  # A key that is, or was, heard.
  name @0 :Text $Common.atMost(Common.nameBytes);
  role @1 :Text;
  state @2 :Text;  # listed, rotated, revoked
  publicKey @3 :Text;
  heardAt @4 :Common.BoxedInt64;  # moment; null: not since the start of this epoch
}

struct AuditRow {
  # One entry of the audit log, and "audit/NUMBER" in the meta's store.
  number @0 :UInt64;
  at @1 :Int64;  # moment
  who @2 :Text;
  verb @3 :Text;
  what @4 :Text;
  result @5 :Text;
}

struct SwitchRow {
  # The packing in force changed, or the vote under a pin did.
  at @0 :Int64;  # moment
  from @1 :Text;
  packing @2 :Text;  # in force from then on
  voted @3 :Text;    # what the vote says
  saturatedRatio @4 :Float64;
  interactiveRatio @5 :Float64;
  requests @6 :UInt64;
  why @7 :Text;
}

struct QueueRow {
  name @0 :Text;
  order @1 :Int64;
  waiting @2 :UInt64;
}

struct RoundsRow {
  # What the verification loop took over the last blocks.
  blocks @0 :UInt64;
  roundsP50 @1 :Float64;
  roundsP99 @2 :Float64;
  changedP50 @3 :Float64;  # entries whose start a site changed
  changedP99 @4 :Float64;
  timeP50S @5 :Float64;    # seconds
  timeP99S @6 :Float64;
}

struct SchedulerView {
  # The high-level scheduler as it stands.
  packing @0 :Text;  # in force
  pin @1 :Text;      # null: by vote
  since @2 :Common.BoxedInt64;  # moment; null: no block yet
  why @3 :Text;
  thresholdS @4 :Common.BoxedInt64;  # null: infinite
  blockMax @5 :UInt64;
  nextBlockAt @6 :Common.BoxedInt64;  # instant; null: nobody waits
  queues @7 :List(QueueRow) $Common.atMost(Common.rowsPerPage);      # highest first
  rounds @8 :RoundsRow;  # null: no block yet
  switches @9 :List(SwitchRow) $Common.atMost(Common.historyRows);   # newest first
}

struct LateCount {
  code @0 :Common.CauseCode;
  count @1 :UInt64;
}

struct CalibrationRow {
  # How promises and forecasts came out at one site.
  site @0 :Text $Common.atMost(Common.nameBytes);  # "": all
  promises @1 :UInt64;
  kept @2 :UInt64;
  keptRatio @3 :Common.BoxedFloat64;
  late @4 :List(LateCount) $Common.atMost(Common.namesPerSet);
  confidenceRatio @5 :Float64;
  coverageRatio @6 :Common.BoxedFloat64;
  widthOverWaitRatio @7 :Common.BoxedFloat64;
  within60SRatio @8 :Common.BoxedFloat64;
  within600SRatio @9 :Common.BoxedFloat64;
}

struct CalibrationView {
  from @0 :Int64;  # instant
  to @1 :Int64;    # instant
  rows @2 :List(CalibrationRow) $Common.atMost(Common.actTargets);
}

# ---- meta to client ------------------------------------------------------------------------------

struct Accepted {
  # Answer to submit and cancel: it is durable. Repeated for a duplicate.
  requests @0 :List(UInt64) $Common.atMost(Common.actTargets);
  states @1 :List(RequestState) $Common.atMost(Common.actTargets);  # present, same order
  notes @2 :List(Text) $Common.atMost(Common.actTargets);  # one line each, same order; or empty
  repeated @3 :Bool;  # a duplicate key: nothing new was made
  moves @4 :List(SiteRows.MoveRow) $Common.atMost(Common.actTargets);
  # Promises that moved, or would.
}

struct Refused {
  # Answer to anything that cannot be done, and to what cannot be read (with `answers` 0 if its
  # number was not readable). Nothing was changed unless `changed` says so.
  code @0 :Text $Common.atMost(Common.nameBytes);
  # Stable: never, denied, not-found, conflict, usage, unreachable, version, federation, expired,
  # busy, disk-full
  message @1 :Text;  # what was wrong, with the value
  detail @2 :Text;   # why, further lines; may be empty
  help @3 :Text;     # what would be right; may be empty
  changed @4 :Text;  # "nothing was submitted"
}

struct Rows {
  # Answer to ask, get and follow: rows of one kind, the other lists stay empty.
  asOf @0 :Int64;  # moment
  more @1 :Bool;   # ask again with `pageAfter` = the last row
  end @2 :Bool;    # of a follow
  basis @3 :List(Basis) $Common.atMost(Common.rowsPerPage);
  jobs @4 :List(JobView) $Common.atMost(Common.rowsPerPage);
  offers @5 :List(OfferView) $Common.atMost(Common.rowsPerPage);
  sites @6 :List(SiteView) $Common.atMost(Common.rowsPerPage);
  gantt @7 :List(GanttSite) $Common.atMost(Common.rowsPerPage);
  output @8 :List(OutputRow) $Common.atMost(Common.rowsPerPage);
  digest @9 :Data;  # 32 bytes; null: not asked
  nodes @10 :List(NodesOfSite) $Common.atMost(Common.rowsPerPage);
  slots @11 :List(SiteRows.SlotRow) $Common.atMost(Common.actTargets);
  explain @12 :ExplainRows;  # null: not asked
  verdicts @13 :List(VerdictRow) $Common.atMost(Common.verdictRows);
  events @14 :List(EventRow) $Common.atMost(Common.rowsPerPage);
  keys @15 :List(KeyRow) $Common.atMost(Common.actTargets);
  audit @16 :List(AuditRow) $Common.atMost(Common.rowsPerPage);
  limits @17 :List(SiteRows.LimitRow) $Common.atMost(Common.actTargets);
  scheduler @18 :SchedulerView;  # null: not asked
  calibration @19 :CalibrationView;  # null: not asked
}

struct ToClient {
  # Every message of the meta to a client.
  version @0 :UInt32;
  federation @1 :Text $Common.atMost(Common.nameBytes);
  answers @2 :UInt64;  # number of the client's message
  body :union {
    accepted @3 :Accepted;
    refused @4 :Refused;
    rows @5 :Rows;
  }
}
