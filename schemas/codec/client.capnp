# The messages between clients (users, operators) and the meta, and what people are shown.
#
# A client dials. Its identity comes from its CURVE key alone ("user:NAME"), and so does its role.
# The checks are those of site_link.capnp; a failure is answered by `Refused`. A client that gets no
# answer within its own time-out may send the message again: every message here is safe to repeat.
#
# `Accepted` means durable. For what only a site knows (output, bookings) the meta asks the site by
# `Inspect`. The meta's policy decides what a user sees of others in its rows, the site's policy in
# its views.

@0xaf68c7ebbbc95677;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("muster::schemas::wire");
using Common = import "common.capnp";
using Request = import "request.capnp";
using Hold = import "hold.capnp";
using SiteRows = import "site_rows.capnp";

# ---- client to meta ------------------------------------------------------------------------------

struct ClientKey {
  # Makes a submission safe to repeat. Deduplicated by (user, text) and the request's digest: the
  # same key with the same digest is the same job; with another digest it is refused.
  text @0 :Text;  # the user's TEXT of --once, or 32 hex digits when generated
  generated @1 :Common.BoxedInt64;
  # Moment of a generated key, which is refused once older than seven days, so that a request the
  # meta has forgotten never runs twice. null: the text is a TEXT, kept as long as its request's
  # record.
}

struct Submit {
  # A new request.
  #
  # Receiver: validates, authorises, writes, then `Accepted`.
  # Key: `key`. Bound: `scriptBytes`, `messageBytes`, open requests of a user (20,000).
  key @0 :ClientKey;
  request @1 :Request.RequestSpec;
}

struct Ask {
  # Asks when and where a request could run; binds nobody. Answered by `Rows` of offers, each with
  # figures or a reason. The payload is ignored. A duplicate is answered again. Bound: 50
  # outstanding per user, `answerWait`.
  request @0 :Request.RequestSpec;
}

struct Cancel {
  # By the owner or an operator. Written, then `Accepted`. Idempotent. A running job is CANCELLING
  # until its sites have closed. Bound: `actTargets`.
  requests @0 :List(UInt64) $Common.atMost(Common.actTargets);
  mayMove @1 :Bool;  # if false, cancelling a reservation that contains promised jobs is a conflict
  onlyTry @2 :Bool;  # dry run: `Accepted` says what would move
}

enum ActVerb {
  # One verb on named targets. Idempotent.
  park @0;       # owner or operator: `requests` may not start until unparked
  unpark @1;     # owner or operator: `requests` wait again and keep their rank
  settle @2;     # operator: ends the unknown outcome of `requests`
  drain @3;      # operator: `nodes` take no new work; if `hard`, bookings there move
  resume @4;     # operator: `nodes` are back in use
  forget @5;     # operator: gives `site` up
  reload @6;     # operator: reads the configuration again
  rotateKey @7;  # anybody: replaces the caller's key by `publicKey`
  revokeKey @8;  # operator: rejects the key of `name` from now on
  alter @9;      # owner or operator: applies `changes` to `requests`
  schedule @10;  # operator: applies `scheduler` to the scheduler
  post @11;      # operator: posts `posting` to the ledger
}

enum Settlement {
  ended @0;     # it ran, or may have run: its outcome is lost
  neverRan @1;  # it may be placed again
}

struct Names {
  # A list that replaces another one. A struct, so that empty differs from absent.
  names @0 :List(Text) $Common.atMost(Common.groupsPerUser);
}

struct BoxedPlace { value @0 :Request.Place; }

struct PartAlteration {
  # Alteration of one part of a request, or of all (part 0). Null or empty: unchanged.
  part @0 :UInt32 $Common.atMost(Common.partsPerRequest);
  chunks @1 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);
  place @2 :BoxedPlace;
  exclusive @3 :Common.BoxedBool;
  sites @4 :Names;
  notSites @5 :Names;
  set @6 :Text $Common.atMost(Common.nameBytes);  # a node set; "none": any nodes
}

struct Alteration {
  # What `alter` changes. Null: unchanged.
  duration @0 :Common.BoxedInt64;
  name @1 :Text $Common.atMost(Common.nameBytes);
  queue @2 :Text $Common.atMost(Common.nameBytes);
  apart @3 :Common.BoxedBool;
  at @4 :Common.BoxedInt64;
  from @5 :Common.BoxedInt64;
  startBy @6 :Common.BoxedInt64;
  deadline @7 :Common.BoxedInt64;
  cleared @8 :List(Text) $Common.atMost(Common.rowsPerPage);  # settings to remove: "at", "slots"
  parts @9 :List(PartAlteration) $Common.atMost(Common.partsPerRequest);
  allow @10 :Names;  # new ACL of a reservation
  confirm @11 :Bool;
  startNotice @12 :Common.BoxedInt64;  # span
  slots @13 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);  # empty: unchanged
  notice @14 :Request.Notice;  # before the end
  after @15 :List(Request.Dependency) $Common.atMost(Common.dependencies);  # empty: unchanged
  account @16 :Text $Common.atMost(Common.nameBytes);
  qos @17 :Text $Common.atMost(Common.nameBytes);
}

struct Act {
  # Written, then `Accepted` with a note per target. Without `mayMove` an act that would move a
  # promise is refused as a conflict and changes nothing. Bound: `actTargets`.
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
  onlyTry @10 :Bool;               # dry run on a copy: says what would move
  changes @11 :Alteration;         # of alter; null: none
  scheduler @12 :SchedulerChange;  # of schedule; null: none
  forGood @13 :Bool;               # drain: the nodes are not expected back
  posting @14 :PostingOrder;       # of post; null: none
}

enum EntryKind {
  deposit @0;
  transfer @1;
  adjust @2;
  charge @3;   # what a part used, by the meta
  expired @4;  # what was left of an allocation at its end, by the meta
}

struct PostingOrder {
  # An entry of the ledger that somebody makes by hand. Amounts are millionths of a credit.
  kind @0 :EntryKind;  # deposit, transfer or adjust
  account @1 :Text $Common.atMost(Common.nameBytes);
  to @2 :Text $Common.atMost(Common.nameBytes);  # of transfer
  amount @3 :Int64;              # of adjust also below zero
  from @4 :Common.BoxedInt64;    # of deposit: instant; null: at once
  until @5 :Common.BoxedInt64;   # of deposit: instant of its end; null: none
  key @6 :Text $Common.atMost(Common.nameBytes);
  # A second order with it posts nothing; it is refused if it is another one.
}

struct Posting {
  account @0 :Text $Common.atMost(Common.nameBytes);
  amount @1 :Int64;
}

struct EntryRecord {
  # "entry/NUMBER": one line of the ledger. The postings add up to zero.
  number @0 :UInt64;
  at @1 :Int64;  # moment
  key @2 :Text $Common.atMost(Common.rowsPerPage);
  kind @3 :EntryKind;
  postings @4 :List(Posting) $Common.atMost(Common.namesPerSet);
  by @5 :Text $Common.atMost(Common.nameBytes);  # "ops"; empty: the meta
  job @6 :Common.BoxedUInt64;                    # null: about none
  note @7 :Text $Common.atMost(Common.nameBytes);
}

struct Allocation {
  # What a deposit or a transfer granted, and what is left of it.
  entry @0 :UInt64;  # number of the entry that granted it
  from @1 :Int64;    # instant
  until @2 :Common.BoxedInt64;  # instant; null: it has no end
  granted @3 :Int64;
  left @4 :Int64;
}

struct Lien {
  # What is set aside for a request from its promise on, and what it was charged.
  account @0 :Text $Common.atMost(Common.nameBytes);
  taken @1 :Int64;  # moment
  parts @2 :List(Int64) $Common.atMost(Common.namesPerSet);     # still set aside, by part
  settled @3 :List(UInt64) $Common.atMost(Common.namesPerSet);  # parts, from 1
  charged @4 :Int64;
  accrued @5 :List(Int64) $Common.atMost(Common.namesPerSet);
  # By part, what was used before it was last resized; empty: none was.
  since @6 :List(Int64) $Common.atMost(Common.namesPerSet);  # moments of the last resize; 0: never
  askedAnew @7 :Bool;  # by its user, after it had lost its place: the next one may cost more
}

struct EntryRow {
  # An entry of the ledger as people see it.
  number @0 :UInt64;
  at @1 :Int64;  # moment
  kind @2 :EntryKind;
  postings @3 :List(Posting) $Common.atMost(Common.namesPerSet);
  by @4 :Text $Common.atMost(Common.nameBytes);   # empty: the meta
  job @5 :Text $Common.atMost(Common.nameBytes);  # null: about none
  note @6 :Text $Common.atMost(Common.nameBytes);
  key @7 :Text $Common.atMost(Common.rowsPerPage);
}

struct LienRow {
  job @0 :Text $Common.atMost(Common.nameBytes);
  amount @1 :Int64;
}

struct AccountRow {
  # An account of the ledger, and how it stands. Amounts are millionths of a credit.
  name @0 :Text $Common.atMost(Common.nameBytes);
  owners @1 :List(Text) $Common.atMost(Common.rowsPerPage);
  balance @2 :Int64;
  setAside @3 :Int64;
  overdraft @4 :Int64;
  free @5 :Int64;  # what new work may still cost, the overdraft included
  allocations @6 :List(Allocation) $Common.atMost(Common.rowsPerPage);
  liens @7 :List(LienRow) $Common.atMost(Common.actTargets);  # only of an account that was named
}

struct QueueWeight {
  queue @0 :Text $Common.atMost(Common.nameBytes);
  order @1 :Int64;  # weight in the extraction order, >= 1
}

struct SchedulerChange {
  # Scheduler settings that an operator changes. Null: unchanged.
  packing @0 :Text $Common.atMost(Common.nameBytes);  # "auto": by vote; else the pinned one
  threshold @1 :Common.BoxedInt64;                    # extraction threshold, seconds
  unbounded @2 :Bool;  # set an infinite threshold instead
  blockMax @3 :Common.BoxedUInt64;
  orders @4 :List(QueueWeight) $Common.atMost(Common.rowsPerPage);
}

enum GetKind {
  jobs @0;  # rows of jobs without history and events
  job @1;   # a whole job
  sites @2;
  gantt @3;
  output @4;
  digest @5;  # of the durable state
  nodes @6;
  slots @7;     # free windows for `spec` that begin before `until`
  explain @8;   # about one job
  verdicts @9;  # about one job
  keys @10;
  audit @11;    # rows with numbers above `from`
  limits @12;
  scheduler @13;
  calibration @14;
  priority @15;  # about one job
  shares @16;
  accounts @17;   # those of the caller, an operator's are all
  statement @18;  # entries of `account` with numbers above `from`
  whatIf @19;     # what `whatIf` would do, tried on a copy
}

struct Get {
  # Read-only; answered by `Rows`. A duplicate is answered again. Bound: `rowsPerPage` and
  # `messageBytes` per page.
  kind @0 :GetKind;
  requests @1 :List(UInt64) $Common.atMost(Common.actTargets);
  # Of job, output, explain, verdicts, priority: the jobs meant. Of jobs: only these; empty: all
  # that match.
  everyone @2 :Bool;     # jobs: those of all users
  ended @3 :Bool;        # jobs: also ended ones
  last @4 :Bool;         # job: the caller's newest, not `requests`
  pageAfter @5 :UInt64;  # return only rows after this request
  sites @6 :List(Text) $Common.atMost(Common.rowsPerPage);  # only these; empty: all
  part @7 :UInt32;                # output
  errorStream @8 :Bool;           # output
  offset @9 :UInt64;              # output
  spec @10 :Request.RequestSpec;  # slots; null: none
  until @11 :Common.BoxedInt64;   # slots: instant
  from @12 :UInt64;               # audit
  locals @13 :List(UInt64) $Common.atMost(Common.actTargets);  # jobs of the one site in `sites`
  account @14 :Text $Common.atMost(Common.nameBytes);  # accounts, statement
  whatIf @15 :WhatIf;  # null: none
}

# ---- what would be if ----------------------------------------------------------------------------

struct FileChange {
  # A change of a daemon's configuration file, which the file's reader must accept as at a reload.
  at @0 :Text $Common.atMost(Common.nameBytes);  # "meta" or a site
  path @1 :Text $Common.atMost(Common.rowsPerPage);
  to @2 :Text;   # in TOML; null: the key or table is removed
  add @3 :Text;  # lines of TOML behind the file, instead of `path`
}

struct TriedChange {
  # One change that is tried: exactly one of the last four is set, the others are null.
  text @0 :Text $Common.atMost(Common.rowsPerPage);
  when @1 :Common.BoxedInt64;  # instant; null: at once
  file @2 :FileChange;         # null: another
  submit @3 :Submit;           # null: another
  act @4 :Act;                 # null: another
  cancel @5 :Cancel;           # null: another
}

struct WhatIf {
  # Asks what changes would do to the running federation. `ahead` and `replay` exclude each other;
  # without both only what follows at once is compared. Bound: one at a time at the meta, 10 each
  # minute for a user.
  changes @0 :List(TriedChange) $Common.atMost(Common.triedChanges);
  ahead @1 :Common.BoxedInt64;   # span in virtual time; null: none
  replay @2 :Common.BoxedInt64;  # span of the record up to now; null: none
  seed @3 :UInt64;
}

struct NamedRatio {
  name @0 :Text $Common.atMost(Common.nameBytes);
  ratio @1 :Float64;
}

struct WhatIfSide {
  # One of the two runs: as is, or changed.
  started @0 :UInt64;
  waiting @1 :UInt64;                 # jobs that had not started at its end
  waitS @2 :Common.BoxedFloat64;      # mean; null: nobody started
  waitP95S @3 :Common.BoxedFloat64;   # null: nobody started
  slowdown @4 :Common.BoxedFloat64;   # null: nobody started
  utilisationRatio @5 :Float64;
  shares @6 :List(NamedRatio) $Common.atMost(Common.actTargets);
  credits @7 :List(NamedRatio) $Common.atMost(Common.actTargets);
  recalls @8 :UInt64;
  lostS @9 :Float64;
  promisesLater @10 :UInt64;
}

struct WhatIfRow {
  # A job that a change moves.
  job @0 :Text $Common.atMost(Common.nameBytes);
  user @1 :Text $Common.atMost(Common.nameBytes);
  before @2 :Common.BoxedInt64;          # instant; null: no start
  after @3 :Common.BoxedInt64;           # instant; null: no start
  expectedBefore @4 :Common.BoxedInt64;  # instant; null: unknown
  expectedAfter @5 :Common.BoxedInt64;   # instant; null: unknown
  because @6 :Text $Common.atMost(Common.rowsPerPage);
  breaks @7 :Bool;  # a promise that the change would break
}

struct MovedCounts {
  # How many jobs start earlier, later or alike. Null: so few that they are not told.
  earlier @0 :Common.BoxedUInt64;
  later @1 :Common.BoxedUInt64;
  same @2 :Common.BoxedUInt64;
}

struct WhatIfView {
  from @0 :Int64;   # instants that both runs cover
  until @1 :Int64;
  seed @2 :UInt64;
  basis @3 :List(Text) $Common.atMost(Common.rowsPerPage);
  before @4 :WhatIfSide;  # null: shown to operators alone
  after @5 :WhatIfSide;   # null: shown to operators alone
  rows @6 :List(WhatIfRow) $Common.atMost(Common.rowsPerPage);
  breaks @7 :UInt64;
  moved @8 :MovedCounts;
  others @9 :MovedCounts;
  refused @10 :Text;
  tookS @11 :Float64;
}

enum FollowKind {
  jobs @0;
  events @1;  # all events from number `from` on, as far as kept; 0: new ones only
}

struct Follow {
  # Of kind jobs: each job's present view at once, then again on each change, until all have
  # ended or the client leaves. The client repeats the message under the same number at least every
  # 10 s as a keep-alive; the server drops a follower silent for three periods. Bound: 64 per user.
  requests @0 :List(UInt64) $Common.atMost(Common.actTargets);
  stop @1 :Bool;
  kind @2 :FollowKind;
  from @3 :UInt64;
}

struct ClientMessage {
  # Every message of a client.
  version @0 :UInt32;
  federation @1 :Text $Common.atMost(Common.nameBytes);  # empty: accept any federation
  number @2 :UInt64;  # chosen by the client; the answer names it
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
# The documents of `--json` are these structs printed. A null box is JSON null: "unknown", never a
# guess.

enum RequestState {
  waiting @0;   # durable; has only an estimate
  parked @1;    # kept from starting by its user, or placed again too often
  promised @2;  # decided or permitted at the meta
  starting @3;
  running @4;
  cancelling @5;  # the cancel is durable
  unknown @6;     # permitted at a silent site
  ended @7;
}

enum Outcome {
  done @0;
  failed @1;
  timeout @2;
  cancelled @3;
  refused @4;
  lost @5;  # a person gave up an unknown outcome
}

struct BoxedOutcome { value @0 :Outcome; }

enum PartShown {
  # Whichever of the hold's and the part's own state comes later in this list.
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
  unknown @10;  # the state cannot be determined
}

struct Basis {
  # The source of a figure: which site answered, when, at which plan revision. Every figure has one.
  site @0 :Text $Common.atMost(Common.nameBytes);
  answeredAt @1 :Int64;  # moment
  ageS @2 :Float64;      # seconds
  planRevision @3 :UInt64;
}

struct StartsBy {
  at @0 :Int64;       # instant
  firm @1 :Bool;      # true: the promise; false: a bound
  verified @2 :Bool;  # the sites' present plans confirm it; always true for a promise
}

struct Expected {
  # The forecast: median and interval at a stated confidence. Instants.
  start @0 :Int64;
  low @1 :Int64;
  high @2 :Int64;
  confidenceRatio @3 :Float64;
}

struct Figures {
  # The three parts of every figure. null: this part is missing. `noPromiseReason` says why there is
  # no promise.
  startsBy @0 :StartsBy;
  endsBy @1 :Common.BoxedInt64;  # instant
  noPromiseReason @2 :Common.Reason;
  expected @3 :Expected;
  basis @4 :List(Basis) $Common.atMost(Common.rowsPerPage);
}

struct FigureChange {
  # One entry of the history of a request's figures, oldest first.
  at @0 :Int64;  # moment
  figures @1 :Figures;
  cause @2 :Common.Cause;  # null in the first ("submitted") only
}

struct JobEvent {
  # One event in the timeline of a job.
  at @0 :Int64;   # moment
  code @1 :Text $Common.atMost(Common.nameBytes);
  # Of an attempt and its holds: proposed, committed, decided, permitted, moved, ready, starting,
  # started, changed, ended, released, dropped, aborted, partial, unproved. Of the request:
  # accepted, extracted, altered, parked, unparked, settled, cancelled, refused; of a reservation
  # also provisional, given-back, occurs.
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
  used @11 :Hold.Usage;  # null: nothing reported
  endedText @12 :Text;   # one line, if there is more to say
  group @13 :Text $Common.atMost(Common.nameBytes);     # "switch": one switch is its node set
  set @14 :Text $Common.atMost(Common.nameBytes);       # its node set; null: none
  setGroup @15 :Text $Common.atMost(Common.nameBytes);  # of its set, that its nodes are; null: none
  slowerS @16 :Common.BoxedInt64;
  # Span booked beyond the duration because its nodes are slower than the reference; < 0: faster.
  # null: they are the reference's.
  lent @17 :LentView;               # null: it does not run on lent room
  recalls @18 :Common.BoxedUInt64;  # how often such room was recalled; null: never
  lostS @19 :Common.BoxedInt64;     # span of lives that were recalled and lost; null: none
  savedS @20 :Common.BoxedInt64;    # span of its duration that such lives have saved; null: none
}

struct LentView {
  # A life of a part on room that is lent to it.
  state @0 :Hold.LoanState;
  since @1 :Int64;                  # moment, when the room was lent
  startedAt @2 :Common.BoxedInt64;  # moment; null: the driver has not said yet
  recalledFor @3 :Text;             # the job that is due there; null: none is known
  nodes @4 :List(Text) $Common.atMost(Common.nodesPerPart);
  pausedAt @5 :Common.BoxedInt64;   # moment since when it has been paused; null: it is not
}

struct ContractView {
  # Under which terms sites may lend a job room before its start.
  way @0 :Request.RecallWay;
  graceS @1 :Int64;       # span
  minRunS @2 :Int64;      # span
  maxRecalls @3 :UInt64;
}

struct ElementFailure {
  # An element of an array that did not end well.
  id @0 :Text;  # "43[17]"
  outcome @1 :Outcome;
  exitCode @2 :Common.BoxedInt32;
  signal @3 :Common.BoxedInt32;
  text @4 :Text;  # one line, if there is more to say
}

struct ArrayView {
  # Counts of an array's elements by state.
  first @0 :UInt64;
  last @1 :UInt64;
  step @2 :UInt64;
  atOnce @3 :UInt64;   # 0: no limit
  waiting @4 :UInt64;  # includes parked ones
  promised @5 :UInt64;
  running @6 :UInt64;  # includes starting ones
  unknown @7 :UInt64;
  done @8 :UInt64;
  failed @9 :UInt64;      # includes timed-out and lost ones
  cancelled @10 :UInt64;  # includes refused ones
  failures @11 :List(ElementFailure) $Common.atMost(Common.failuresShown);  # the first ones
  sites @12 :List(Text) $Common.atMost(Common.rowsPerPage);
  # Sites that host or hosted elements; ascending.
}

struct EndNotice {
  # A notice to the running job before its time ends.
  beforeS @0 :Int64;  # span
  signal @1 :Text $Common.atMost(Common.nameBytes);      # "USR1"; "": none
  argv @2 :List(Text) $Common.atMost(Common.arguments);  # run beside the job; empty: none
}

struct CostView {
  # What a job costs, in millionths of a credit.
  account @0 :Text $Common.atMost(Common.nameBytes);
  setAside @1 :Int64;
  charged @2 :Int64;
}

struct JobView {
  # The one representation of a job. Listings of many jobs leave `history` and `events` empty.
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
  array @22 :ArrayView;  # of a whole array; figures cover all elements. null: no array
  firm @23 :Bool;
  reservation @24 :Text;  # the reservation that the job runs in: "R7"; null: none
  reserves @25 :Bool;     # the job is a reservation, open to `allow`
  allow @26 :List(Text) $Common.atMost(Common.groupsPerUser);
  slots @27 :List(Common.Interval) $Common.atMost(Common.allowedIntervals);  # empty: any time
  startNoticeS @28 :Int64;   # span: no move may put the start nearer than this
  endNotice @29 :EndNotice;  # null: none
  account @30 :Text $Common.atMost(Common.nameBytes);  # null: none
  qos @31 :Text $Common.atMost(Common.nameBytes);      # null: none
  cost @32 :CostView;  # null: it costs nothing
  contract @33 :ContractView;  # under which sites may lend it room; null: they lend it none
}

struct OfferView {
  # One row of the answer to `Ask`: one site, or one set of sites for several parts.
  sites @0 :List(Text) $Common.atMost(Common.partsPerRequest);  # per part, in order
  figures @1 :Figures;
  waitsFor @2 :List(Common.Reason) $Common.atMost(Common.rowsPerPage);
  never @3 :Common.Reason;  # null: it may fit
  largest @4 :List(Request.Chunk) $Common.atMost(Common.chunksPerPart);
  # With `never`: the largest chunks that would fit.
  cost @5 :Common.BoxedInt64;  # in millionths of a credit; null: nothing
}

enum SiteState {
  down @0;
  hello @1;
  syncing @2;
  up @3;
  silent @4;       # three heartbeats missed: its figures are marked stale
  quarantined @5;  # for its clock or nonsense: no new holds; running parts go on
}

struct HomeFare {
  # How the jobs of users at home at a site fared that ended in a window, beside being alone.
  from @0 :Int64;  # instant
  until @1 :Int64;
  jobs @2 :UInt64;     # compared
  leftOut @3 :UInt64;  # could not have run there alone
  waitMeanS @4 :Common.BoxedFloat64;  # this and what follows: null without jobs
  waitMostS @5 :Common.BoxedFloat64;
  aloneWaitMeanS @6 :Common.BoxedFloat64;
  aloneWaitMostS @7 :Common.BoxedFloat64;
}

struct SiteView {
  # A null box is unknown, perhaps not known yet.
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
  keptRatio @12 :Common.BoxedFloat64;  # share of its promises kept; null: no promises yet
  givenS @13 :Common.BoxedFloat64;     # processor-seconds used here by users of other homes
  takenS @14 :Common.BoxedFloat64;     # and elsewhere by users whose home this is; null: no homes
  home @15 :HomeFare;  # null: not known, or nobody at home here has had a job
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
  next @3 :UInt64;  # offset behind `data`
  ended @4 :Bool;
}

struct ExplainPart {
  # The obstacles of one part at its site.
  part @0 :Text;
  site @1 :Text $Common.atMost(Common.nameBytes);
  from @2 :Common.BoxedInt64;  # instant: earliest start of this part by itself; null: unknown
  binds @3 :Bool;              # `from` is the latest of all parts: it determines the job's start
  reasons @4 :List(Common.Reason) $Common.atMost(Common.blockers);  # those that last longest first
}

struct ExplainChange {
  # A change of the request that would let it start earlier.
  text @0 :Text;
  argv @1 :List(Text) $Common.atMost(Common.arguments);  # arguments of `muster`
  startsBy @2 :Common.BoxedInt64;                        # instant
  earlierS @3 :Int64;  # span
}

struct ExplainQueued {
  # The queue position of a waiting request without a place.
  queue @0 :Text $Common.atMost(Common.nameBytes);
  place @1 :UInt64;               # position in its queue, from 1
  waiting @2 :UInt64;             # requests in the queue
  leaving @3 :UInt64;             # requests of the queue that leave with the next block
  block @4 :UInt64;  # number of the block it leaves with (1: the next), if nobody else submits
  blockAt @5 :Common.BoxedInt64;  # instant at which the next block is due; null: unknown
  packing @6 :Text $Common.atMost(Common.nameBytes);
  sites @7 :List(Text) $Common.atMost(Common.partsPerRequest);  # per part; empty: not packed
  ahead @8 :UInt64;  # waiting requests that are packed before this one at one of these sites
  nearest @9 :List(Text) $Common.atMost(Common.blockers);
  # Ids of the last `blockers` of those ahead, the last one first.
}

struct ExplainRows {
  job @0 :Text;
  start @1 :Common.BoxedInt64;  # instant, planned; null: none
  startsBy @2 :StartsBy;        # null: none
  reason @3 :Common.Reason;     # null: the parts say everything
  parts @4 :List(ExplainPart) $Common.atMost(Common.partsPerRequest);
  changes @5 :List(ExplainChange) $Common.atMost(Common.rowsPerPage);  # best first
  noHelp @6 :List(Text) $Common.atMost(Common.rowsPerPage);
  more @7 :List(Text) $Common.atMost(Common.rowsPerPage);  # changes that are not offered, and why
  queued @8 :ExplainQueued;  # null: not in a queue
}

struct NodesOfSite {
  name @0 :Text $Common.atMost(Common.nameBytes);
  stale @1 :Bool;                # the site does not answer: the rows are as last seen
  ageS @2 :Common.BoxedFloat64;  # null: never seen
  nodes @3 :List(SiteRows.NodeRow) $Common.atMost(Common.nodesPerSite);
}

struct VerdictRow {
  # One answer of a site to a question about one job, with the question.
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
  # One event. Numbers rise by one within an epoch of the daemon.
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
  # A key that is, or was, accepted.
  name @0 :Text $Common.atMost(Common.nameBytes);
  role @1 :Text;
  state @2 :Text;  # listed, rotated, revoked
  publicKey @3 :Text;
  heardAt @4 :Common.BoxedInt64;  # moment; null: not in this epoch
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
  # A change of the packing algorithm in force or, while one is pinned, of the vote.
  at @0 :Int64;  # moment
  from @1 :Text;
  packing @2 :Text;  # algorithm in force afterwards
  voted @3 :Text;    # result of the vote
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
  # Cost of the verification loop over the last blocks.
  blocks @0 :UInt64;
  roundsP50 @1 :Float64;
  roundsP99 @2 :Float64;
  changedP50 @3 :Float64;  # entries per block whose start a site changed
  changedP99 @4 :Float64;
  timeP50S @5 :Float64;    # seconds
  timeP99S @6 :Float64;
}

struct SchedulerView {
  # The present state of the high-level scheduler.
  packing @0 :Text;  # the algorithm in force
  pin @1 :Text;      # null: by vote
  since @2 :Common.BoxedInt64;  # moment from which `packing` is in force; null: no block yet
  why @3 :Text;
  thresholdS @4 :Common.BoxedInt64;  # null: infinite
  blockMax @5 :UInt64;
  nextBlockAt @6 :Common.BoxedInt64;  # instant; null: nobody waits
  queues @7 :List(QueueRow) $Common.atMost(Common.rowsPerPage);      # highest priority first
  rounds @8 :RoundsRow;  # null: no block yet
  switches @9 :List(SwitchRow) $Common.atMost(Common.historyRows);   # newest first
}

struct LateCount {
  code @0 :Common.CauseCode;
  count @1 :UInt64;
}

struct AheadRow {
  # How good the figures were that stood so long before the start.
  beforeS @0 :UInt32;
  starts @1 :UInt64;
  heldRatio @2 :Float64;
  meanErrorS @3 :Float64;
}

struct SaidRow {
  # How good the first figures were that lay in one class of waits.
  fromS @0 :UInt32;
  toS @1 :UInt32;
  starts @2 :UInt64;
  meanErrorS @3 :Float64;
}

struct CalibrationRow {
  # How the promises and forecasts of one site came out.
  site @0 :Text $Common.atMost(Common.nameBytes);  # "": all sites
  promises @1 :UInt64;
  kept @2 :UInt64;
  keptRatio @3 :Common.BoxedFloat64;
  late @4 :List(LateCount) $Common.atMost(Common.namesPerSet);
  confidenceRatio @5 :Float64;
  coverageRatio @6 :Common.BoxedFloat64;
  widthOverWaitRatio @7 :Common.BoxedFloat64;
  within60SRatio @8 :Common.BoxedFloat64;
  within600SRatio @9 :Common.BoxedFloat64;
  ahead @10 :List(AheadRow) $Common.atMost(Common.namesPerSet);
  said @11 :List(SaidRow) $Common.atMost(Common.namesPerSet);
  bitsAtSubmission @12 :Common.BoxedFloat64;
  workRatio @13 :Common.BoxedFloat64;
  userDays @14 :UInt64;
  coverageLowRatio @15 :Common.BoxedFloat64;
  coverageHighRatio @16 :Common.BoxedFloat64;
}

struct CalibrationView {
  from @0 :Int64;  # instant
  to @1 :Int64;    # instant
  rows @2 :List(CalibrationRow) $Common.atMost(Common.actTargets);
}

struct PriorityRow {
  # One factor of the points of a job.
  factor @0 :Text $Common.atMost(Common.nameBytes);
  value @1 :Float64;  # -1 to 1
  weight @2 :Int64;
  points @3 :Int64;
  because @4 :Text;
}

struct PriorityWay {
  # A change that gives the job an earlier place in its queue.
  argv @0 :List(Text) $Common.atMost(Common.rowsPerPage);
  points @1 :Int64;
  place @2 :UInt64;
}

struct RankRow {
  # A hold among those that a site may move to an earlier start.
  site @0 :Text $Common.atMost(Common.nameBytes);
  job @1 :Text;     # "42", or "lakes/17"
  user @2 :Text $Common.atMost(Common.nameBytes);
  place @3 :UInt64;  # from 1: the first is tried first
  holds @4 :UInt64;  # of so many
  ordered @5 :Bool;  # by the site's points; else by urgency
  points @6 :Int64;
  urgency @7 :Int32;
  start @8 :Int64;   # instant
  rows @9 :List(PriorityRow) $Common.atMost(Common.namesPerSet);  # of one hold only
}

struct PriorityView {
  # The points of one job, and its place among those of its queue that wait.
  job @0 :Text;
  name @1 :Text;
  user @2 :Text $Common.atMost(Common.nameBytes);
  queue @3 :Text $Common.atMost(Common.nameBytes);
  state @4 :RequestState;
  ordered @5 :Bool;  # false: queue and arrival alone decide
  points @6 :Int64;
  rows @7 :List(PriorityRow) $Common.atMost(Common.namesPerSet);
  place @8 :Common.BoxedUInt64;    # from 1; null: it does not wait, or is being placed
  waiting @9 :Common.BoxedUInt64;  # in its queue
  reason @10 :Common.Reason;       # why it has no place in the order; null: unknown, or it has one
  ahead @11 :Common.BoxedInt64;    # points of the next one before it
  at @12 :Common.BoxedInt64;       # moment up to which waits count
  next @13 :Common.BoxedInt64;     # moment at which points are worked out again
  ways @14 :List(PriorityWay) $Common.atMost(Common.rowsPerPage);
  account @15 :Text $Common.atMost(Common.nameBytes);  # null: none
  qos @16 :Text $Common.atMost(Common.nameBytes);      # null: none
  atSites @17 :List(RankRow) $Common.atMost(Common.partsPerRequest);
  # Its place at each site that has promised it room and orders by points of its own.
}

struct ShareRow {
  # One share, and how it stands. Ratios are of all use; null: there is none.
  who @0 :Text $Common.atMost(Common.nameBytes);
  targetRatio @1 :Common.BoxedFloat64;
  floorRatio @2 :Common.BoxedFloat64;
  ceilingRatio @3 :Common.BoxedFloat64;
  usedRatio @4 :Common.BoxedFloat64;
  promisedRatio @5 :Common.BoxedFloat64;
  countsRatio @6 :Common.BoxedFloat64;
  value @7 :Float64;  # -1 to 1
  underFloor @8 :Bool;
  newWork @9 :Common.BoxedInt64;
  # Instant before which a ceiling lets no new work start; null: there is no such ceiling.
  parent @10 :Text $Common.atMost(Common.nameBytes);
  # The share of which this is a part, in a tree; null: none.
}

# ---- meta to client ------------------------------------------------------------------------------

struct Accepted {
  # Answer to submit, cancel and act: the change is durable. Answer to a dry run: what would happen.
  # Repeated for a duplicate.
  requests @0 :List(UInt64) $Common.atMost(Common.actTargets);
  states @1 :List(RequestState) $Common.atMost(Common.actTargets);  # present states, in order
  notes @2 :List(Text) $Common.atMost(Common.actTargets);
  # Lines for people: one per request in order; without requests, on the act; or none.
  repeated @3 :Bool;  # duplicate key: no new request was created
  moves @4 :List(SiteRows.MoveRow) $Common.atMost(Common.actTargets);
  # Promises that moved, or in a dry run would move.
}

struct Refused {
  # Answer to a message that cannot be carried out or cannot be read. `answers` is 0 if even the
  # number of the message was not readable. Nothing was changed unless `changed` says so.
  code @0 :Text $Common.atMost(Common.nameBytes);
  # Stable: never, denied, not-found, conflict, usage, unreachable, version, federation, expired,
  # busy, disk-full
  message @1 :Text;  # what is wrong, with the value
  detail @2 :Text;   # further lines that say why; may be empty
  help @3 :Text;     # how to do it right; may be empty
  changed @4 :Text;  # "nothing was submitted"
}

struct Rows {
  # Answer to ask, get and follow: rows of one kind; the other lists stay empty.
  asOf @0 :Int64;  # moment
  more @1 :Bool;   # ask again with `pageAfter` = the last row
  end @2 :Bool;    # the follow has ended
  basis @3 :List(Basis) $Common.atMost(Common.rowsPerPage);
  jobs @4 :List(JobView) $Common.atMost(Common.rowsPerPage);
  offers @5 :List(OfferView) $Common.atMost(Common.rowsPerPage);
  sites @6 :List(SiteView) $Common.atMost(Common.rowsPerPage);
  gantt @7 :List(GanttSite) $Common.atMost(Common.rowsPerPage);
  output @8 :List(OutputRow) $Common.atMost(Common.rowsPerPage);
  digest @9 :Data;  # 32 bytes; null: not requested
  nodes @10 :List(NodesOfSite) $Common.atMost(Common.rowsPerPage);
  slots @11 :List(SiteRows.SlotRow) $Common.atMost(Common.actTargets);
  explain @12 :ExplainRows;  # null: not requested
  verdicts @13 :List(VerdictRow) $Common.atMost(Common.verdictRows);
  events @14 :List(EventRow) $Common.atMost(Common.rowsPerPage);
  keys @15 :List(KeyRow) $Common.atMost(Common.actTargets);
  audit @16 :List(AuditRow) $Common.atMost(Common.rowsPerPage);
  limits @17 :List(SiteRows.LimitRow) $Common.atMost(Common.actTargets);
  scheduler @18 :SchedulerView;      # null: not requested
  calibration @19 :CalibrationView;  # null: not requested
  priority @20 :PriorityView;        # null: not requested
  shares @21 :List(ShareRow) $Common.atMost(Common.actTargets);
  accounts @22 :List(AccountRow) $Common.atMost(Common.actTargets);
  entries @23 :List(EntryRow) $Common.atMost(Common.rowsPerPage);
  ranks @24 :List(RankRow) $Common.atMost(Common.actTargets);
  whatIf @25 :WhatIfView;            # null: not requested
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
